"""``pokerd bridge``: connect an ACPC program to a server."""

from __future__ import annotations

import argparse

from clients.acpc.bridge import add_bridge_options

HELP = "connect an ACPC program to a server's tables"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_run_bridge)
    add_bridge_options(parser)


def _run_bridge(options: argparse.Namespace) -> int:
    from clients.acpc.bridge import run_bridge

    return run_bridge(options)
