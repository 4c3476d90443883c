"""Options of the commands that let others in, for what they may do."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

__all__ = ["add_guests_option", "add_sandbox_option", "add_tls_options"]

_STRICTNESS: Final = ("auto", "require", "off")
_GUESTS: Final = ("auto", "yes", "no")


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


def add_guests_option(parser: argparse.ArgumentParser) -> None:
    """Whether one may come in without a token, and how often."""
    parser.add_argument(
        "--guests",
        choices=_GUESTS,
        default="auto",
        metavar="WHO",
        help="let in who has no token: auto (if it listens at this machine alone), yes, no (%(default)s)",
    )
    parser.add_argument(
        "--per-address",
        type=int,
        default=1000,
        metavar="N",
        help="connections of one address, 0 for any number (%(default)s)",
    )


def add_tls_options(parser: argparse.ArgumentParser) -> None:
    """Certificate and key."""
    for option, what in (("--tls-cert", "certificate, with its chain"), ("--tls-key", "key of that")):
        parser.add_argument(option, type=Path, metavar="FILE", help=f"use TLS: PEM file with the {what}")
