"""``pokerd sprt``: is one bot better than another?"""

from __future__ import annotations

import argparse
from pathlib import Path

from pokerd.options.arguments import positive
from pokerd.options.server import add_sandbox_option, add_server_options, server_options

HELP = "test whether one bot is better than another, until that is decided"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=_sprt)
    where = "a house bot, the folder of a program, or remote:NAME"
    parser.add_argument("first", metavar="A", help=f"the bot that may be better: {where}")
    parser.add_argument("second", metavar="B", help="the bot that it is compared with")
    parser.add_argument(
        "--bounds",
        type=float,
        nargs=2,
        default=(0.0, 20.0),
        metavar=("LOW", "HIGH"),
        help="decide between a difference of LOW and one of HIGH mbb/hand (0 20)",
    )
    parser.add_argument("--alpha", type=float, default=0.05, help="chance of a wrong 'better' (%(default)s)")
    parser.add_argument(
        "--beta", type=float, default=0.05, help="chance of a wrong 'not better' (%(default)s)"
    )
    parser.add_argument(
        "--against",
        default="",
        metavar="C,D",
        help="other bots at the table: A and B then play the same cards against them, one after the other",
    )
    parser.add_argument(
        "--game", default="holdem.limit.2p.reverse_blinds", metavar="GAME", help="a game (%(default)s)"
    )
    parser.add_argument(
        "--deal-sets", type=positive, default=100, metavar="N", help="deals between two looks (%(default)s)"
    )
    parser.add_argument("--most", type=positive, metavar="N", help="stop undecided after so many deals")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="directory of the records; a test goes on there (sprt/A-B)"
    )
    add_server_options(
        parser, port=0, port_help="port for remote bots (any)", pages="never", log_level="error"
    )
    add_sandbox_option(parser, None)


def _sprt(options: argparse.Namespace) -> int:
    from dealer.ratings.sequential import SequentialTest
    from server.commands.sprt import SprtOptions, sprt
    from strategy.registry import strategy_names

    low, high = options.bounds
    names = [Path(name.replace(":", "-")).name for name in (options.first, options.second)]
    return sprt(
        SprtOptions(
            options.first,
            options.second,
            tuple(filter(None, options.against.split(","))),
            options.game,
            SequentialTest(low, high, options.alpha, options.beta),
            options.deal_sets,
            options.most,
            options.out or Path("sprt") / "-".join(names),
            strategy_names(),
            server_options(options),
        )
    )
