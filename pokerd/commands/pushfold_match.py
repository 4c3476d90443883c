"""``pokerd pushfold-match``: matches between two push/fold players."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pokerd.commands.pushfold import add_ranking_option

if TYPE_CHECKING:
    from dealer.intervals import Interval
    from studies.harness.one_against_one import MatchCounts, PushFoldContest

HELP = "play matches between two push/fold players"
_SHOWN = 10


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
    parser.add_argument(
        "--hands", type=int, default=10_000, metavar="N", help="maximum hands per match (%(default)s)"
    )
    parser.add_argument("--matches", type=int, default=10, metavar="N", help="matches (%(default)s)")
    parser.add_argument(
        "--chips",
        type=float,
        metavar="B",
        help="bankroll in big blinds; a match ends when a player has lost it (unlimited)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the cards (%(default)s)")
    add_ranking_option(parser)
    parser.add_argument("--json", action="store_true", help="print all numbers as JSON")
    parser.add_argument(
        "--png", type=Path, metavar="FILE", help="draw the curves of winnings into this PNG file (not drawn)"
    )


def pushfold_match(options: argparse.Namespace) -> int:
    """Run the command. Raises PushFoldError, StrategyFileError, MissingLibrary and OSError."""
    from strategy.pushfold.kernel import MatchRules
    from strategy.pushfold.rankings import RANKINGS
    from studies.harness.one_against_one import PushFoldContest, as_dict, load_player, save_curves, text_curve

    names = options.one, options.other
    caps = _caps(options.stack)
    one, other = (load_player(text, caps, RANKINGS[options.ranking]) for text in names)
    rules = MatchRules(caps, options.chips or 0.0, options.hands)
    contest = PushFoldContest(one, other, rules, matches=options.matches, seed=options.seed)
    matches, curves = contest.play()
    if options.png is not None:
        save_curves(curves, contest.exact, options.png)
    if options.json:
        names_by_side = dict(zip(("one", "other"), names, strict=True))
        print(json.dumps(names_by_side | as_dict(contest, matches, curves)))
        return 0
    print(f"push/fold heads-up, effective stack {options.stack} big blinds: {' and '.join(names)}\n")
    _print(contest, matches)
    print("\nPlayer 1 performance up to each hand of match 0, bb/100; the line is what is won exactly")
    print("\n".join(text_curve(curves[0], contest.exact)))
    return 0


def _caps(text: str) -> tuple[float, ...]:
    """Return the stack, or all whole numbers of a range such as ``1-10``."""
    from strategy.pushfold.game import PushFoldError

    least, _, most = text.partition("-")
    if most.isdecimal() and least.isdecimal():
        if not 1 <= int(least) <= int(most) <= 1000:
            raise PushFoldError("bad_stack", f"stacks are drawn from 1 to 1000, not {text[:40]!r}")
        return tuple(map(float, range(int(least), int(most) + 1)))
    try:
        return (float(text),)
    except ValueError:
        rule = "--stack is a number of big blinds, or a range of whole ones, such as 1-10"
        raise PushFoldError("bad_stack", f"{rule}, not {text[:40]!r}") from None


def _print(contest: PushFoldContest, matches: Sequence[MatchCounts]) -> None:
    from studies.harness.one_against_one import match_lines, means

    left_out = len(matches) - _SHOWN - 1
    for number, match in enumerate(matches):
        if number < _SHOWN or number == len(matches) - 1:
            print("\n".join(match_lines(number, match)))
        elif number == _SHOWN:
            print(f"[... {left_out} more]")
    mean, by_hands = means(matches)
    print(f"\nPlayer 1 performance mean: {_interval(mean)}")
    if contest.rules.stack:
        # Otherwise all matches have the same length, and both means are equal.
        print(f"All that it won, by all hands: {_interval(by_hands)}")
    print(f"Exactly: {contest.exact:+.4f} bb/100")


def _interval(found: Interval) -> str:
    mean = f"{found.mean:+.4f}"
    return f"{mean} bb/100" if found.half is None else f"{mean} ± {found.half:.4f} bb/100 (95 %)"
