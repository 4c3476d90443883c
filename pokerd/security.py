"""Options of the commands that let others in, for what they may do."""

from __future__ import annotations

import argparse
from typing import Final

__all__ = ["add_sandbox_option"]

_STRICTNESS: Final = ("auto", "require", "off")


def add_sandbox_option(parser: argparse.ArgumentParser, default: str | None) -> None:
    """Whether bots that the server starts are kept from its files. ``default`` None: a file says it."""
    says = "the file's" if default is None else "%(default)s"
    parser.add_argument(
        "--sandbox",
        choices=_STRICTNESS,
        default=default,
        metavar="HOW",
        help=f"keep bots from the server's files: auto (where the system can), require, off ({says})",
    )
