"""``pokerd pushfold --play``: matches of two push/fold players."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dealer.intervals import Interval
    from strategy.pushfold.rankings import Ranking
    from studies.harness.one_against_one import MatchCounts, PushFoldContest

__all__ = ["add_play_options", "play"]

_OPTIONS = ("hands", "matches", "chips", "seed")
_SHOWN = 10


def add_play_options(parser: argparse.ArgumentParser) -> None:
    """Add what belongs to ``--play``."""
    parser.add_argument(
        "--play",
        nargs=2,
        metavar=("ONE", "OTHER"),
        help="let two players play: each is R/C, as 57/37, or the file of a strategy (nobody)",
    )
    parser.add_argument("--hands", type=int, metavar="N", help="of a match, at most; with --play (10000)")
    parser.add_argument("--matches", type=int, metavar="N", help="with --play (10)")
    parser.add_argument(
        "--chips",
        type=float,
        metavar="B",
        help="big blinds of each in a match, which ends when one has lost them; with --play (no end)",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="of the cards; with --play (0)")


def play(options: argparse.Namespace, ranking: Ranking) -> int | None:
    """Run the command if it is asked for. Raises PushFoldError, StrategyFileError, MissingLibrary and
    OSError.
    """
    from strategy.pushfold.game import PushFoldError
    from strategy.pushfold.kernel import MatchRules
    from studies.harness.one_against_one import PushFoldContest, as_dict, load_player, save_curves, text_curve

    given = {name: getattr(options, name) for name in _OPTIONS if getattr(options, name) is not None}
    if options.play is None:
        if given:
            raise PushFoldError("bad_match", f"--{next(iter(given))} goes with --play")
        return None
    if options.against is not None or options.save is not None:
        raise PushFoldError("bad_match", "--play answers nobody: it goes without --against and --save")
    caps = _caps(options.stack)
    one, other = (load_player(text, caps, ranking) for text in options.play)
    rules = MatchRules(caps, given.pop("chips", 0.0), given.pop("hands", 10_000))
    contest = PushFoldContest(one, other, rules, **given)
    matches, curves = contest.play()
    if options.png is not None:
        save_curves(curves, contest.exact, options.png)
    if options.json:
        names = dict(zip(("one", "other"), options.play, strict=True))
        print(json.dumps(names | as_dict(contest, matches, curves)))
        return 0
    print(f"push/fold heads-up, effective stack {options.stack} big blinds: {' and '.join(options.play)}\n")
    _print(contest, matches)
    print("\nPlayer 1 performance up to each hand of match 0, bb/100; the line is what is won exactly")
    print("\n".join(text_curve(curves[0], contest.exact)))
    return 0


def _caps(text: str) -> tuple[float, ...]:
    """The stack, or all whole ones of ``1-10``, of which each hand draws one."""
    from strategy.pushfold.game import PushFoldError

    least, _, most = text.partition("-")
    if most.isdecimal() and least.isdecimal():
        if not 1 <= int(least) <= int(most) <= 1000:
            raise PushFoldError("bad_stack", f"stacks are drawn from 1 to 1000, not {text[:40]!r}")
        return tuple(map(float, range(int(least), int(most) + 1)))
    try:
        return (float(text),)
    except ValueError:
        rule = "--stack is a number of big blinds, or two whole ones, as 1-10"
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
        # Else all matches are equally long, and it is the same.
        print(f"All that it won, by all hands: {_interval(by_hands)}")
    print(f"Exactly: {contest.exact:+.4f} bb/100")


def _interval(found: Interval) -> str:
    mean = f"{found.mean:+.4f}"
    return f"{mean} bb/100" if found.half is None else f"{mean} ± {found.half:.4f} bb/100 (95 %)"
