"""The arguments of ``pokerd check-bot``."""

from __future__ import annotations

import argparse

__all__ = ["HELP", "add_options", "check_bot"]

HELP = "find out what a bot does wrong"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what the command takes."""
    parser.set_defaults(run=check_bot)
    parser.add_argument("--acpc", action="store_true", help="the program speaks the ACPC protocol over TCP")
    parser.add_argument(
        "--game",
        default="holdem.nolimit.2p.reverse_blinds",
        metavar="GAME",
        help="what an ACPC program plays: a file, or the name of one in games/ (%(default)s)",
    )
    parser.add_argument(
        "--timeout", type=float, default=5.0, metavar="S", help="seconds for each answer (%(default)s)"
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--only", action="append", metavar="CHECK", help="this check alone; may be repeated")
    which.add_argument(
        "--quick", action="store_true", help="only what finds most, in about a third of the time"
    )
    parser.add_argument("--list", action="store_true", help="show all checks and what asks for them, and end")
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")
    parser.add_argument("-v", "--verbose", action="store_true", help="show the conversations, too")
    parser.add_argument("-q", "--quiet", action="store_true", help="do not tell how far it is")
    parser.add_argument(
        "command_line", nargs="*", metavar="-- PROGRAM ...", help="what to start (docs/check-bot.md)"
    )


def check_bot(options: argparse.Namespace) -> int:
    """Run the command."""
    from server.commands.check_bot import CheckOptions, check

    return check(
        CheckOptions(
            command=options.command_line,
            acpc=options.acpc,
            game=options.game,
            timeout=options.timeout,
            only=options.only or (),
            quick=options.quick,
            list=options.list,
            json=options.json,
            verbose=options.verbose,
            quiet=options.quiet,
        )
    )
