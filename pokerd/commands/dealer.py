"""``pokerd dealer``: the command line of the ACPC reference dealer 1.0.42, with two additional options."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import NoReturn

from pokerd.options.arguments import declare

HELP = "deal one match between ACPC programs over TCP; see dealer --help"
#: Take all arguments unparsed, as ``parser`` allows options anywhere: none starts with a NUL.
PARSER = {"add_help": False, "prefix_chars": "\0"}

_EPILOG = """\
Prints the ports of the seats on the first line of standard output, and the SCORE line on the last one. Writes
matchName.log, with -T also matchName.tlog, and on standard error a transcript. Exits with 0 when the
match was played to its end, otherwise with 1. docs/acpc.md has the details.
"""


def add_options(command: argparse.ArgumentParser) -> None:
    """Pass all arguments to ``parser`` unparsed."""
    command.set_defaults(run=lambda options: main(options.rest))
    command.add_argument("rest", nargs=argparse.REMAINDER)


class _DealerParser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # 1 instead of argparse's 2: scripts expect the exit codes of the reference.
        self.print_usage(sys.stderr)
        self.exit(1, f"ERROR: {message} [usage]\n")


def parser() -> argparse.ArgumentParser:
    """Return the parser; options may come anywhere among the arguments."""
    dealer = _DealerParser(
        prog="pokerd dealer",
        description="Deal one match between ACPC programs, as the reference dealer does.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    dealer.add_argument("name", metavar="matchName", help="name of the match and of its files")
    dealer.add_argument("game", metavar="gameDefFile", help="a game definition file, or one in games/")
    dealer.add_argument("hands", type=_number, metavar="#Hands", help="number of hands")
    dealer.add_argument("seed", type=_number, metavar="rngSeed", help="seed of the cards, 0 to 4294967295")
    dealer.add_argument("names", nargs="+", metavar="name", help="the players, seat by seat")
    dealer.add_argument("-f", dest="fixed", action="store_true", help="fixed seats: positions do not rotate")
    dealer.add_argument("-l", dest="log", action="store_false", help="no log")
    dealer.add_argument("-L", dest="log", action="store_true", default=True, help="keep a log (default)")
    dealer.add_argument(
        "-t", dest="tlog", action="store_false", default=False, help="no transaction log (default)"
    )
    dealer.add_argument("-T", dest="tlog", action="store_true", default=False, help="keep a transaction log")
    dealer.add_argument(
        "-a", dest="append", action="store_true", help="append to the logs; with -T, resume the match"
    )
    dealer.add_argument("-q", dest="quiet", action="store_true", help="no transcript")
    dealer.add_argument(
        "-p", dest="ports", type=_ports, default=(), metavar="PORT,...", help="the seats' ports; 0 for any"
    )
    for option, default, text in (
        ("response", 600_000, "for one answer"),
        ("hand", 600_000, "for all answers of a player in a hand"),
        ("per_hand", 7_000, "for all answers of a player in the match, per hand"),
    ):
        dealer.add_argument(
            f"--t_{option}",
            type=_number,
            default=default,
            metavar="MS",
            help=f"milliseconds {text} (%(default)s)",
        )
    declare(
        dealer,
        ("--start_timeout", "milliseconds for all players to connect; -1: no limit", _number, -1, "MS"),
        ("--conduct", "on bad answers: correct them as the reference dealer does, or end the match",
         ("reference", "strict"), "reference"),
    )  # fmt: skip
    dealer.add_argument(
        "--host",
        default="0.0.0.0",  # noqa: S104 (as the reference: players may run on other machines)
        help="address to listen on (%(default)s: all)",
    )
    return dealer


def _number(text: str) -> int:
    """Parse a decimal number as in C: Python would also accept blanks, underscores and digits of other
    scripts.
    """
    if not re.fullmatch(r"[+-]?[0-9]{1,20}", text):
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number in decimal digits")
    return int(text)


def _ports(text: str) -> tuple[int, ...]:
    return tuple(_number(word) for word in text.split(","))


def main(arguments: Sequence[str]) -> int:
    """Run the match that ``arguments`` describe."""
    from server.acpc_dealer.dealer import run_match
    from server.acpc_dealer.options import AcpcDealerError, DealerOptions, TimeLimits

    given = parser().parse_intermixed_args(arguments)
    try:
        options = DealerOptions(
            name=given.name,
            game_file=given.game,
            hands=given.hands,
            seed=given.seed,
            names=tuple(given.names),
            limits=TimeLimits(given.t_response, given.t_hand, given.t_per_hand, given.start_timeout),
            fixed=given.fixed,
            log=given.log,
            transactions=given.tlog,
            append=given.append,
            quiet=given.quiet,
            ports=given.ports,
            host=given.host,
            conduct=given.conduct,
        )
    except AcpcDealerError as error:
        print(f"ERROR: {error} [{error.code}]", file=sys.stderr)
        return 1
    return run_match(options)
