"""Rows beyond Aceituno 2017: what learning gains, ``adaptive`` with searched numbers, and ``adaptive2``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from statistics import fmean
from typing import Any

from dealer.intervals import MIN_UNITS, Interval, mean_interval
from strategy.adaptive.parameters import Adaptive2Parameters
from studies.aceituno.document import EQUAL
from studies.aceituno.jobs import READABLE
from studies.aceituno.plan import (
    ALONE,
    HEEDS_CALLS,
    WITHOUT,
    AceitunoPlan,
    LearnerRun,
    search_course,
    searched,
)
from studies.harness.report import Row, Value
from studies.harness.verdicts import beyond_row, claim_of_part, gain_row, unjudged_row

RAN_AWAY = 0.9
"""A final Raise threshold from here on has run away: the document's losers all end at 0.95 or 0.97."""


_NEVER_BLUFFS = ("3.2 says that who never bluffs may have little success.", "2.5, 7; 3.2")


_ABILITIES = {
    "adaptive2-showdowns": "to heed showdowns at a table with bluffers",
    "adaptive2-calls": "to heed loose calls, too, at a table with one who always calls",
    "adaptive2-learning": "to learn, at the same table",
    "adaptive2-caution-best": "caution with one of the best",
    "adaptive2-caution-raise": "caution with one who always raises",
    "adaptive2-bluff-best": "to bluff with one of the best",
    "adaptive2-bluff-raise": "to bluff with one who always raises",
    "adaptive2-respect-best": "respect with one of the best",
    "adaptive2-respect-raise": "respect with one who always raises",
}
"""What ``adaptive2`` has that a copy beside it lacks, by row."""

_LEARNS = ("learning-first", "learning-window", "learning-best", "searched-learning", "adaptive2-learning")
"""Rows on what learning gains."""

_WHOLE = ("best", "five", "ten", "cup", "over-fair", "over-call", "over-raise")
"""Rows ``adaptive2-*`` on what it wins from others."""

_SIGNS = {1: "surely gains", -1: "surely loses", 0: "is not shown to gain or lose"}

_ROOM_TO_CALL = 0.05
"""Thresholds that are nearer leave hardly any utility at which a player calls."""


def beyond_rows(plan: AceitunoPlan, done: Mapping[str, Any]) -> list[Row]:
    """Return them all."""
    return [*_alone(plan, done), *_searched(plan, done), *_adaptive2(plan, done)]


def ran_away(run: LearnerRun) -> list[int]:
    """Return the players whose Raise threshold ran away."""
    return [player for player, (raise_at, _) in enumerate(run.finals) if raise_at >= RAN_AWAY]


def unjudged_part(
    name: str, source: str, claim: str, paper: Value, interval: Interval, note: str = "", *, most: float
) -> Row:
    """Return the row of a part as ``claim_of_part`` does, but without a bound and a verdict."""
    row = claim_of_part(name, source, claim, paper, interval, -inf, note, most=most)
    return replace(row, verdict="beyond", needed=None)


def _new(
    name: str, claim: str, interval: Interval | None, digits: int = 0, note: str = "", source: str = "2.5, 7"
) -> Row:
    """Return a row on what the document proposes and does not measure."""
    assert interval is not None
    return gain_row(name, source, claim, interval, note, digits)


def _alone(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows on what learning gains: one who learns beside four copies that do not."""
    descriptions = {
        "first": "the player of Prueba 1",
        "window": "the same, looking at the last 1,000 hands",
        "best": "the best configuration, mu = 0.02",
    }
    for name in ALONE:
        runs = plan.alone(name, done)
        away = sum(0 in ran_away(run) for run in runs)
        yield _new(
            f"learning-{name}",
            f"what learning gains, in wins beyond an equal share: {descriptions[name]}",
            mean_interval([run.wins[0] / len(run.winners) - EQUAL for run in runs]),
            4,
            "Beside four copies whose thresholds stay. It shall learn to have more success; no test of his "
            f"compares. In {away} of {len(runs)} runs it runs away.",
            "2.2, 4.1",
        )
    large, small = (plan.alone(name, done) for name in ("window", "first"))
    yield beyond_row(
        "learning-large",
        "4.3.1",
        "a strategy is to be kept for a large set of hands, and judged by it: what learning gains more if it "
        "acts every 1,000 hands, by these, than if it acts every 10, by all hands so far, part of the wins",
        mean_interval(
            [(many.wins[0] - few.wins[0]) / len(few.winners) for many, few in zip(large, small, strict=True)]
        ),
        "No verdict. `learning-window` less `learning-first`: they differ in how often learning acts, in how "
        "early, after 10 hands or 1,000, and in whether it forgets, all at once. So this tells "
        "whether it is better to wait; his reason, that a small set tells nothing, is not tested apart.",
    )


def _searched(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows of ``adaptive`` with searched weights, thresholds and steps."""
    own = searched()
    runs = [plan.run_of(done[f"searched-cup/{run}"]) for run in range(plan.sizes.reading_runs)]
    weights = ", ".join(f"{one:.2f}" for one in own.weights)
    steps = ", ".join(f"{one:.3f}" for one in own.mu)
    scores = search_course()
    tens = [fmean(scores[first : first + 10]) for first in range(0, len(scores), 10)]
    yield _new(
        "searched-cup",
        "wins of tournaments with searched numbers against four of the best, beyond an equal share",
        mean_interval([run.wins[0] / len(run.winners) - EQUAL for run in runs]),
        4,
        f"Searched for chips at other tables. It learns. Weights {weights}; thresholds {own.raise_at:.2f} "
        f"and {own.fold_below:.2f}; mu by street {steps}. Whether the search would have gone on, its scores "
        f"tell, each the mean of ten generations: {', '.join(f'{one:.2f}' for one in tens)}.",
    )
    yield _new(
        "searched-table",
        "the same with a copy that does not learn and three of the best, mbb/hand",
        plan.compared("searched", "searched", "", done),
    )
    yield _new(
        "searched-learning",
        "what it gains by learning: more than the copy whose thresholds stay, mbb/hand",
        plan.compared("searched", "searched", "fixed", done),
    )


def _adaptive2(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows of ``adaptive2``."""
    contests = plan.contests()
    names = ("duel-adaptive", "duel-fair", "duel-call", "duel-raise", "five", "ten")
    scores = {name: contests[name].scores(plan.results(name, done)) for name in names}

    def row(name: str, claim: str, interval: Interval | None, digits: int = 0) -> Row:
        return _new(f"adaptive2-{name}", f"adaptive2 {claim}", interval, digits)

    def rate(name: str) -> Interval | None:
        return scores[name].rate("adaptive2")

    yield _new(
        "adaptive2-best",
        "adaptive2 against the best configuration, heads-up, mbb/hand",
        rate("duel-adaptive"),
        0,
        "Who knows a strategy can choose one that beats it, says 3.2. Its numbers were searched against this "
        "configuration, among others, so it could hardly fail to win.",
        "2.5, 3.2, 7",
    )
    yield row("five", "against four of them at one table, mbb/hand", rate("five"))
    yield row("ten", "against nine of them at one table, mbb/hand", rate("ten"))
    by_match: dict[int, list[bool]] = {}
    for session, _, places in plan.results("cup", done):
        by_match.setdefault(session.match, []).append(session.players[places.index(1)] == "adaptive2")
    cup = mean_interval([sum(won) / len(won) - EQUAL for won in by_match.values()])
    yield row("cup", "wins of tournaments against four of them, beyond an equal share", cup, 4)
    for other in ("fair", "call", "raise"):
        yield row(f"over-{other}", f"against {other}, heads-up, mbb/hand", rate(f"duel-{other}"))
    for name, other, claim in (
        ("showdowns", "blind", "beside a copy that heeds no showdowns, at a table with bluffers, mbb/hand"),
        ("learning", "fixed", "beside a copy whose thresholds stay, at the same table, mbb/hand"),
    ):
        yield row(name, claim, plan.compared("parts", "adaptive2", other, done))
    yield _new(
        "adaptive2-calls",
        "adaptive2 that heeds loose calls at showdowns, too, beside the usual one, at a table with one who "
        "always calls and a bluffer, mbb/hand",
        plan.compared("calls", "heeding", "adaptive2", done),
        note=f"The parameter `loose` is {HEEDS_CALLS.loose:g}; usually it is off.",
    )
    yield _readable()
    for fifth, table in (("best", "one of the best"), ("raise", "one who always raises")):
        for name in WITHOUT:
            claim = f"adaptive2 beside a copy whose {name} is 0, at a table with {table}, mbb/hand"
            gain = plan.compared(f"without-{fifth}", "adaptive2", name, done)
            yield _new(f"adaptive2-{name}-{fifth}", claim, gain, 0, *_NEVER_BLUFFS if name == "bluff" else ())


def _readable() -> Row:
    """Return the row on what the sizes of its raises tell of its cards."""
    own = Adaptive2Parameters()
    width = own.size_spread / own.size_worth / own.weights[0]
    return unjudged_row(
        "adaptive2-predictable",
        "7",
        "sizes that tell less: part of adaptive2's raises whose size tells V as `person-predictable` has it",
        round(min(1.0, READABLE / width), 4),
        f"Computed from its numbers. The random factor of a size hides V up to {width:.2f} to both sides. "
        "Not counted: bluffs and all-ins, which hide more; and that only a high utility raises, which itself "
        "tells something of V.",
    )


def conclusion(rows: Sequence[Row]) -> str:
    """Return what the extensions gain and what they do not, a paragraph, from the rows."""
    found = {row.id: row for row in rows}
    does = {name: _SIGNS[_sign(row)] for name, row in found.items()}
    gain, loss, neither = (
        "; ".join(f"{what} ({_said(found[name])})" for name, what in _ABILITIES.items() if does[name] == sign)
        or "none"
        for sign in _SIGNS.values()
    )
    own = searched()
    near = own.raise_at - own.fold_below < _ROOM_TO_CALL
    learns = [_sign(found[name]) for name in _LEARNS]
    whole = [_sign(found[f"adaptive2-{name}"]) for name in _WHOLE]
    text = f"""
    Conclusion on the extensions. An ability of `adaptive2` (loose calls: one that is off) is compared with a
    copy that lacks it, in mbb/hand; fewer than {MIN_UNITS} units are no evidence. Sure gains: {gain}. Sure
    losses: {loss}. Neither
    is shown by: {neither}. So who notices bluffs, as 7 asks, {does["adaptive2-showdowns"]}; who is
    more careful at an aggressive table, as 7 asks,
    {does["adaptive2-caution-raise"]} with one who always raises. Learning surely gains in
    {learns.count(1)} of {len(learns)} comparisons and surely loses in {learns.count(-1)}:
    {", ".join(f"`{name}` {_said(found[name])}" for name in _LEARNS)}, the first three in parts of the wins.
    The document's own player with searched numbers {does["searched-table"]} at a table
    ({_said(found["searched-table"])}) and {does["searched-cup"]} in tournaments
    ({_said(found["searched-cup"])}, part of the wins). The search ended with thresholds of {own.raise_at:g}
    and {own.fold_below:g}{", so near that it raises or folds and hardly ever calls" if near else ""}. As a
    whole `adaptive2` surely wins in {whole.count(1)} of {len(whole)} rows, `adaptive2-best` to
    `adaptive2-over-raise`. How much of that comes from its numbers, its V after the flop and its sizes is not
    measured.
    """
    return " ".join(text.split())


def _sign(row: Row) -> int:
    """Return 1 or -1 if a figure is surely above or below 0, else 0."""
    if row.low is None or row.high is None or (row.units or 0) < MIN_UNITS:
        return 0
    return (row.low > 0) - (row.high < 0)


def _said(row: Row) -> str:
    """Return a figure and half its interval, for people."""
    form = ",.0f" if isinstance(row.measured, (int, float)) and abs(row.measured) >= 1 else ".3f"
    half = "" if row.low is None or row.high is None else f" ± {(row.high - row.low) / 2:{form}}"
    return f"{row.measured:{form}}{half}"
