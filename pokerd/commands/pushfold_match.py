"""``pokerd pushfold-match``: matches between two push/fold players."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from pokerd.commands.pushfold import add_ranking_option
from pokerd.options.arguments import declare

HELP = "play matches between two push/fold players"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=pushfold_match)
    for name in ("one", "other"):
        parser.add_argument(
            name, metavar=name.upper(), help="a player: R/C, such as 57/37, or a strategy file"
        )
    parser.add_argument(
        "--stack",
        required=True,
        metavar="S",
        help="the effective stack in big blinds, or a range such as 1-10, drawn for each hand",
    )
    declare(
        parser,
        ("--hands", "maximum hands per match", int, 10_000, "N"),
        ("--matches", "matches", int, 10, "N"),
        ("--chips", "bankroll in big blinds; a match ends when a player has lost it (unlimited)",
         float, None, "B"),
        ("--seed", "seed of the cards", int, 0, "N"),
    )  # fmt: skip
    add_ranking_option(parser)
    parser.add_argument("--json", action="store_true", help="print all numbers as JSON")
    parser.add_argument(
        "--png", type=Path, metavar="FILE", help="draw the curves of winnings into this PNG file (not drawn)"
    )


def pushfold_match(options: argparse.Namespace) -> int:
    """Run the command. Raises PushFoldError, StrategyFileError, MissingLibrary and OSError."""
    from strategy.pushfold.kernel import MatchRules
    from strategy.pushfold.rankings import RANKINGS
    from studies.harness import one_against_one as duel

    names, stacks = (options.one, options.other), duel.parse_stacks(options.stack)
    one, other = (duel.load_player(text, stacks, RANKINGS[options.ranking]) for text in names)
    rules = MatchRules(stacks, options.chips or 0.0, options.hands)
    contest = duel.PushFoldContest(one, other, rules, matches=options.matches, seed=options.seed)
    matches, curves = contest.play()
    if options.png is not None:
        duel.save_curves(curves, contest.exact, options.png)
    if options.json:
        names_by_side = dict(zip(("one", "other"), names, strict=True))
        print(json.dumps(names_by_side | duel.as_dict(contest, matches, curves)))
        return 0
    print(f"push/fold heads-up, effective stack {options.stack} big blinds: {' and '.join(names)}\n")
    print("\n".join(duel.contest_lines(contest, matches, curves)))
    return 0
