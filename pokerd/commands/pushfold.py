"""``pokerd pushfold``: the push/fold equilibrium, and best responses to a player."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from pokerd.options.arguments import declare

HELP = "solve push/fold exactly, or find the best response to a player"

_RANKINGS = ("strength", "sklansky-chubukov")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=pushfold)
    parser.add_argument("--stack", required=True, metavar="S", help="the effective stack, in big blinds")
    parser.add_argument(
        "--against",
        metavar="PLAYER",
        help="find the best response to R/C (jam top R %%, call top C %%) or a strategy file (none)",
    )
    add_ranking_option(parser)
    declare(
        parser,
        ("--json", "print all numbers and tables as JSON"),
        ("--png", "draw the two tables into this PNG file (not drawn)", Path, None, "FILE"),
        ("--save", "save the tables for bot pushfold --strategy FILE (not saved)", Path, None, "FILE"),
    )


def add_ranking_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--ranking``, which defines the top R % and C % of hands."""
    parser.add_argument(
        "--ranking", choices=_RANKINGS, default="strength", help="how to rank hands (%(default)s)"
    )


def pushfold(options: argparse.Namespace) -> int:
    """Run the command. Raises PushFoldError, StrategyFileError and MissingLibrary, which have codes, and
    OSError.
    """
    from strategy.pushfold.report import push_fold_report
    from studies.harness.grids import print_grids, save_grids

    report = push_fold_report(options.stack, options.ranking, options.against)
    if options.save is not None:
        player = {} if options.against is None else {"against": options.against, "ranking": options.ranking}
        report.save(options.save, {"by": "pokerd pushfold", **player})
    if options.png is not None:
        save_grids(report.grids(), options.png)
    if options.json:
        print(json.dumps(report.numbers))
    else:
        print("\n".join(report.lines()))
        print_grids(report.grids())
    return 0
