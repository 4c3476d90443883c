"""``pokerd replay``: play recorded sessions again with a bot."""

from __future__ import annotations

import argparse
from pathlib import Path

from pokerd.options.arguments import declare, options_as

HELP = "play recorded sessions again with a bot, and stop where its decision differs"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_replay)
    parser.add_argument("results", type=Path, metavar="DIR", help="the directory that compete wrote")
    declare(
        parser,
        ("--session", ("one session: its path in DIR/hands, without .jsonl (all in which the player sat, in "
                       "order)"), str, None, "NAME"),
        ("--player", "whose seat to take (the only player that is not a house bot)", str, None, "NAME"),
        ("--bot", "a Python file, or a command line in quotes (the program in the competition file)",
         str, None, "PROGRAM"),
        ("--acpc", "PROGRAM speaks the ACPC protocol over TCP"),
        ("--hand", ("with --session: show every decision in the hand with this recorded number, and stop "
                    "after it (stop at the first difference)"), int, None, "N"),
        ("--debug",
         "start the Python debugger in the bot, at the first difference or at each turn of --hand"),
    )  # fmt: skip


def _replay(options: argparse.Namespace) -> int:
    from server.commands.replay import ReplayOptions, replay

    return replay(options_as(ReplayOptions, options))
