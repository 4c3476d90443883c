"""``pokerd bridge``: connect an ACPC program to a server."""

from __future__ import annotations

import argparse

from clients.acpc.bridge import add_bridge_options, run_bridge

HELP = "connect an ACPC program to a server's tables"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=run_bridge)
    add_bridge_options(parser)
