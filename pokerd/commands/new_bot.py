"""``pokerd new-bot``: create a project for a new bot."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "create a folder with a new bot, its test and a competition"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    from clients.new_bot import LANGUAGES

    parser.set_defaults(run=_new_bot)
    parser.add_argument("name", type=Path, metavar="NAME", help="name of the bot and of the new folder")
    parser.add_argument(
        "--language", choices=tuple(LANGUAGES), default="python", help="programming language (%(default)s)"
    )


def _new_bot(options: argparse.Namespace) -> int:
    from clients.new_bot import create_project

    commands = create_project(options.name, options.language)
    print(f"created {options.name}. Next:", "", f"cd {options.name}", *commands, sep="\n")
    return 0
