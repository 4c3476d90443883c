"""``pokerd audit``: look for bots that do better on deals they have seen before."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "look for bots that do better on deals they have seen before"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_audit)
    parser.add_argument("directory", type=Path, metavar="DIR", help="the directory that compete wrote")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def _audit(options: argparse.Namespace) -> int:
    from server.competition.audit import audit

    return audit(options.directory, as_json=options.json)
