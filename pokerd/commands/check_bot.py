"""``pokerd check-bot``: check a bot."""

from __future__ import annotations

import argparse

from pokerd.options.arguments import declare, options_as
from pokerd.options.server import add_sandbox_option

HELP = "check a bot and report what it does wrong"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=check_bot)
    declare(
        parser,
        ("--acpc", "the program speaks the ACPC protocol over TCP"),
        ("--game", "game of an ACPC program: a file, or the name of one in games/",
         str, "holdem.nolimit.2p.reverse_blinds", "GAME"),
        ("--timeout", "seconds allowed for each answer", float, 5.0, "S"),
    )  # fmt: skip
    add_sandbox_option(parser, "off")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--only", action="append", metavar="CHECK", help="run only this check; repeatable")
    which.add_argument(
        "--quick", action="store_true", help="run the checks that find the most, in a third of the time"
    )
    parser.add_argument(
        "--list", action="store_true", help="list all checks with the section that each tests, and exit"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("-v", "--verbose", action="store_true", help="also show the conversations")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    parser.add_argument(
        "command_line", nargs="*", metavar="-- PROGRAM ...", help="the program to start (docs/check-bot.md)"
    )


def check_bot(options: argparse.Namespace) -> int:
    """Run the command."""
    from server.commands.check_bot import CheckOptions, check

    return check(options_as(CheckOptions, options)._replace(command=options.command_line))
