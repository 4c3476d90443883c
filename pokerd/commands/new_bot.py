"""The arguments of ``pokerd new-bot``."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["HELP", "add_options"]

HELP = "make a folder with a new bot, its test and a competition"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    from clients.new_bot import LANGUAGES

    parser.set_defaults(run=_new_bot)
    parser.add_argument(
        "name", type=Path, metavar="NAME", help="the bot's name: a new folder is made with it"
    )
    parser.add_argument(
        "--language", choices=tuple(LANGUAGES), default="python", help="what to write it in (%(default)s)"
    )


def _new_bot(options: argparse.Namespace) -> int:
    from clients.new_bot import create_project

    commands = create_project(options.name, options.language)
    print(f"{options.name} is made. Next:", "", f"cd {options.name}", *commands, sep="\n")
    return 0
