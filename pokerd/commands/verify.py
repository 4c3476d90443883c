"""``pokerd verify``: verify a finished competition."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "verify a finished competition, or a ladder: re-deal, replay and recompute every number"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_verify)
    parser.add_argument(
        "directory", type=Path, metavar="DIR", help="the directory that compete or ladder wrote"
    )


def _verify(options: argparse.Namespace) -> int:
    from server.competition.verify import verify
    from server.ladder.config import CONFIG_FILE

    if (options.directory / CONFIG_FILE).is_file():
        from server.commands.ladder import verify as verify_ladder

        return verify_ladder(options.directory)
    return verify(options.directory)
