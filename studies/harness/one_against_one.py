"""One against one: matches of two push/fold players as in Funke 2015 (4.1), and the exact value.

Performance is that of the first player, in big blinds per 100 hands (bb/100).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from dealer.intervals import Interval, mean_interval, ratio_interval
from strategy.evolution.tournaments import advantages
from strategy.pushfold.files import load_chart
from strategy.pushfold.game import MAX_STACK, PushFoldError
from strategy.pushfold.kernel import MatchRules, PushFoldTables, play_matches, play_traced_matches
from strategy.pushfold.rankings import STRENGTH, Ranking, top_range
from studies.harness.report import save_picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

# Of all matches together: about a minute.
_MAX_HANDS = 1_000_000_000
_MAX_MATCHES = 100_000
_CURVES = 8
# Matches that are printed.
_SHOWN = 10
_POINTS, _COLUMNS, _ROWS = 200, 64, 11
_COLOURS = ("#1f4e79", "#c55a11", "#548235", "#7f3f98", "#7f7f7f", "#e0a800", "#22aacc", "#e377c2")
# One for each of ``_CURVES``.
BEGINNING = 20
"""One in so many hands, the first of a curve, may leave the picture: they are far out, and would hide
everything else.
"""


ScoreCurve: TypeAlias = NDArray[np.float64]
"""float64[n, 2]: hands, and the performance up to there."""


class MatchCounts(NamedTuple):
    """The counts of a match, as in ``strategy.pushfold.kernel.FIELDS``."""

    hands: float
    net: float
    small_blinds: float
    jams: float
    jams_other: float
    calls: float
    calls_other: float

    @property
    def rate(self) -> float:
        """Return the performance, bb/100."""
        return 100 * self.net / self.hands

    @property
    def shares(self) -> dict[str, float | None]:
        """Return how often each raised as the small blind, and called a raise, in per cent; None if there was
        no chance.
        """
        parts = {
            "raised": (self.jams, self.small_blinds),
            "raised_other": (self.jams_other, self.hands - self.small_blinds),
            "called": (self.calls, self.jams_other),
            "called_other": (self.calls_other, self.jams),
        }
        return {name: 100 * done / times if times else None for name, (done, times) in parts.items()}


def load_player(text: str, caps: Sequence[float], ranking: Ranking = STRENGTH) -> PushFoldTables:
    """Return the tables of ``57/37``, which jams and calls the top percentages, or of a strategy's file.

    Raises PushFoldError ``bad_player`` and ``bad_percent``, StrategyFileError and OSError.
    """
    path = Path(text)
    if path.is_file():
        book = load_chart(path)
        pairs = [book.pair(cap) for cap in caps]
    else:
        try:
            jam, call = map(float, text.split("/"))
        except ValueError:
            message = f"a player is two percentages, as 57/37, or the file of a strategy, not {text[:80]!r}"
            raise PushFoldError("bad_player", message) from None
        pairs = [(top_range(jam, ranking), top_range(call, ranking))] * len(caps)
    jams, calls = (np.array(tables)[None] for tables in zip(*pairs, strict=True))
    return PushFoldTables(jams, calls)


def parse_stacks(text: str) -> tuple[float, ...]:
    """Return the stack, or all whole numbers of a range such as ``1-10``. Raises PushFoldError
    ``bad_stack``.
    """
    least, _, most = text.partition("-")
    if most.isdecimal() and least.isdecimal():
        if not 1 <= int(least) <= int(most) <= 1000:
            raise PushFoldError("bad_stack", f"stacks are drawn from 1 to 1000, not {text[:40]!r}")
        return tuple(map(float, range(int(least), int(most) + 1)))
    try:
        return (float(text),)
    except ValueError:
        rule = "a stack is a number of big blinds, or a range of whole ones, such as 1-10"
        raise PushFoldError("bad_stack", f"{rule}, not {text[:40]!r}") from None


@dataclass(frozen=True)
class PushFoldContest:
    """``matches`` of two players, one each in ``one`` and ``other``, by ``rules``. Raises PushFoldError
    ``bad_match`` for an impossible number, ``bad_stack`` for a cap.
    """

    one: PushFoldTables
    other: PushFoldTables
    rules: MatchRules
    matches: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        hands, stack = self.rules.hands, self.rules.stack
        if not all(0 < cap <= MAX_STACK for cap in self.rules.caps):
            raise PushFoldError("bad_stack", f"a stack is above 0 and at most {MAX_STACK:,.0f} big blinds")
        if not 1 <= self.matches <= _MAX_MATCHES or not 1 <= hands * self.matches <= _MAX_HANDS:
            raise PushFoldError(
                "bad_match",
                f"there are 1 to {_MAX_MATCHES:,} matches of 1 hand or more, and at most {_MAX_HANDS:,} "
                "hands in all",
            )
        if not 0 <= stack <= MAX_STACK:
            raise PushFoldError("bad_match", f"the chips of a match are 0 to {MAX_STACK:,.0f} big blinds")
        if self.seed < 0:
            raise PushFoldError("bad_match", "the seed is not negative")

    @property
    def exact(self) -> float:
        """Return the first player's exact winnings, bb/100, valid while neither player is nearly bust."""
        return float(advantages(self.one, self.other, self.rules.caps)[0, 0])

    def play(self) -> tuple[list[MatchCounts], list[ScoreCurve]]:
        """Play all matches, dealt hand by hand; return them and the running curves of the first ones."""
        seeds = default_rng(self.seed).integers(0, 2**64, self.matches, np.uint64)
        pairs = np.zeros((self.matches, 2), np.int64)
        won = play_matches(self.one, self.other, pairs, self.rules, seeds, 2)
        # A match is a function of its seed, so play these again, and record the way.
        longest = int(won[:_CURVES, 0].max())
        marks = np.unique(np.linspace(1, longest, _POINTS).round().astype(np.int64)).tolist()
        rules = self.rules._replace(hands=longest)
        trace = play_traced_matches(self.one, self.other, pairs[:_CURVES], rules, seeds, 2, marks)[1]
        curves = []
        for hands, net in trace.transpose(0, 2, 1):
            distinct = np.append(True, np.diff(hands) > 0)
            curves.append(np.stack([hands[distinct], 100 * net[distinct] / hands[distinct]], axis=1))
        return [MatchCounts(*row) for row in won.tolist()], curves


def means(matches: Sequence[MatchCounts]) -> tuple[Interval, Interval]:
    """Return the mean of the matches' performances, as in the document, and all winnings divided by all
    hands.

    If matches end when a player is bust, only the second is a measure of the winnings: a short match has few
    hands to divide by, whoever wins it.
    """
    totals = [100 * match.net for match in matches]
    by_hands = ratio_interval(totals, [round(match.hands) for match in matches]).interval()
    return mean_interval([match.rate for match in matches]), by_hands


def match_lines(number: int, match: MatchCounts) -> list[str]:
    """Return a match as the document prints it (figure 4.1)."""
    shares = {name: "-" if share is None else f"{share:.2f}%" for name, share in match.shares.items()}
    return [
        f"Match {number}",
        f"  Hands played: {match.hands:.0f}",
        f"  Player 1 performance: {match.rate:.2f} bb/100",
        f"  Player 1 raised: {shares['raised']}, Player 2 raised: {shares['raised_other']}",
        f"  Player 1 called: {shares['called']}, Player 2 called: {shares['called_other']}",
    ]


def _bounds(curves: Sequence[ScoreCurve], exact: float) -> tuple[float, float]:
    """Return the range of performances to show."""
    later = [exact]
    for curve in curves:
        later += curve[curve[:, 0] * BEGINNING >= curve[-1, 0], 1].tolist()
    margin = 0.05 * (max(later) - min(later)) or 1.0
    return min(later) - margin, max(later) + margin


def text_curve(curve: ScoreCurve, exact: float) -> list[str]:
    """Return a running curve for a terminal: performance up to each hand, and the exact value as a line."""
    least, most = _bounds([curve], exact)
    last = curve[-1, 0]
    grid = [[" "] * _COLUMNS for _ in range(_ROWS)]

    def row(rate: float) -> int:
        return min(max(round((most - rate) / (most - least) * (_ROWS - 1)), 0), _ROWS - 1)

    grid[row(exact)] = ["-"] * _COLUMNS
    columns = np.minimum((curve[:, 0] / last * _COLUMNS).astype(int), _COLUMNS - 1)
    # Of several points in a column the last.
    for column, rate in dict(zip(columns.tolist(), curve[:, 1].tolist(), strict=True)).items():
        grid[row(rate)][column] = "*"
    labels = {0: most, _ROWS - 1: least, row(exact): exact}
    lines = [
        f"{f'{labels[place]:+.2f}' if place in labels else '':>9} |{''.join(cells)}".rstrip()
        for place, cells in enumerate(grid)
    ]
    return [*lines, f"{'':9} +{'-' * _COLUMNS}", f"{'':11}0{f'{last:,.0f} hands':>{_COLUMNS - 1}}"]


def contest_lines(
    contest: PushFoldContest, matches: Sequence[MatchCounts], curves: Sequence[ScoreCurve]
) -> list[str]:
    """Return the result of a contest as text: the first matches, the last one, means, and a curve."""
    lines = []
    for number, match in enumerate(matches):
        if number < _SHOWN or number == len(matches) - 1:
            lines += match_lines(number, match)
        elif number == _SHOWN:
            lines.append(f"[... {len(matches) - _SHOWN - 1} more]")
    mean, by_hands = means(matches)
    lines += ["", f"Player 1 performance mean: {_interval_text(mean)}"]
    if contest.rules.stack:
        # Otherwise all matches have the same length, and both means are equal.
        lines.append(f"All that it won, by all hands: {_interval_text(by_hands)}")
    return [
        *lines,
        f"Exactly: {contest.exact:+.4f} bb/100",
        "",
        "Player 1 performance up to each hand of match 0, bb/100; the line is what is won exactly",
        *text_curve(curves[0], contest.exact),
    ]


def _interval_text(found: Interval) -> str:
    mean = f"{found.mean:+.4f}"
    return f"{mean} bb/100" if found.half is None else f"{mean} ± {found.half:.4f} bb/100 (95 %)"


def draw_curves(curves: Sequence[ScoreCurve], exact: float, canvas: Canvas) -> None:
    """Draw running curves into an empty figure; dashed: the exact value (figure 4.2)."""
    axes = canvas.subplots()
    for number, curve in enumerate(curves):
        axes.plot(curve[:, 0], curve[:, 1], color=_COLOURS[number % len(_COLOURS)], linewidth=0.9)
    axes.axhline(exact, color="black", linestyle="--", linewidth=1)
    axes.set(ylim=_bounds(curves, exact), xlabel="hands", ylabel="bb/100")
    axes.grid(alpha=0.25)


def save_curves(curves: Sequence[ScoreCurve], exact: float, file: Path) -> None:
    """Save the curves as a PNG file. Raises MissingLibrary without matplotlib, OSError."""
    save_picture(partial(draw_curves, curves, exact), (8.0, 4.5), file)


def as_dict(
    contest: PushFoldContest, matches: Sequence[MatchCounts], curves: Sequence[ScoreCurve]
) -> dict[str, Any]:
    """Return everything by its name in JSON."""
    mean, by_hands = means(matches)
    intervals = {"mean_bb_per_100": mean, "by_hands_bb_per_100": by_hands}
    return {
        "stacks": list(contest.rules.caps),
        "chips": contest.rules.stack or None,
        "seed": contest.seed,
        "exact_bb_per_100": contest.exact,
        **{
            name: {"mean": found.mean, "low": found.low, "high": found.high}
            for name, found in intervals.items()
        },
        "matches": [
            {
                "hands": round(match.hands),
                "bb_per_100": match.rate,
                **{f"{name}_percent": share for name, share in match.shares.items()},
            }
            for match in matches
        ],
        "curves": [curve.tolist() for curve in curves],
    }
