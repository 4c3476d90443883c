"""Rows beyond Aceituno 2017: what learning gains, ``adaptive`` with searched numbers, and ``adaptive2``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import inf
from typing import Any

from dealer.intervals import Interval, mean_interval
from studies.aceituno.document import EQUAL
from studies.aceituno.plan import ALONE, WITHOUT, AceitunoPlan, LearnerRun, searched
from studies.harness.report import Row
from studies.harness.verdicts import claim_row, gain_row

RAN_AWAY = 0.9
"""A final Raise threshold from here on has run away: the document's losers all end at 0.95 or 0.97."""


_NEVER_BLUFFS = ("3.2 says that who never bluffs may have little success.", "2.5, 7; 3.2")


def beyond_rows(plan: AceitunoPlan, done: Mapping[str, Any]) -> list[Row]:
    """Return them all."""
    return [*_alone(plan, done), *_searched(plan, done), *_adaptive2(plan, done)]


def ran_away(run: LearnerRun) -> list[int]:
    """Return the players whose Raise threshold ran away."""
    return [player for player, (raise_at, _) in enumerate(run.finals) if raise_at >= RAN_AWAY]


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
    yield claim_row(
        "learning-large",
        "4.3.1",
        "only a large set of hands tells how good a strategy is: what learning gains more by the last 1,000 "
        "hands than by all hands, every 10, part of the wins",
        mean_interval(
            [(many.wins[0] - few.wins[0]) / len(few.winners) for many, few in zip(large, small, strict=True)]
        ),
        (0, inf),
        "Above 0: `learning-window` less `learning-first`.",
    )


def _searched(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows of ``adaptive`` with searched weights, thresholds and steps."""
    own = searched()
    runs = [plan.run_of(done[f"searched-cup/{run}"]) for run in range(plan.sizes.reading_runs)]
    weights = ", ".join(f"{one:.2f}" for one in own.weights)
    steps = ", ".join(f"{one:.3f}" for one in own.mu)
    yield _new(
        "searched-cup",
        "wins of tournaments with searched numbers against four of the best, beyond an equal share",
        mean_interval([run.wins[0] / len(run.winners) - EQUAL for run in runs]),
        4,
        f"Searched for chips at other tables. It learns. Weights {weights}; thresholds {own.raise_at:.2f} "
        f"and {own.fold_below:.2f}; mu by street {steps}.",
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

    yield row("best", "against the best configuration, heads-up, mbb/hand", rate("duel-adaptive"))
    yield claim_row(
        "known-strategy",
        "3.2",
        "who knows a strategy can choose one that beats it: adaptive2, whose numbers were searched against "
        "the best configuration among others, wins from it heads-up, mbb/hand",
        rate("duel-adaptive") or Interval(0.0, None, 0),
        (0, inf),
        "Above 0. Of the document's own player only: see `person`, too.",
        0,
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
    for fifth, table in (("best", "one of the best"), ("raise", "one who always raises")):
        for name in WITHOUT:
            claim = f"adaptive2 beside a copy whose {name} is 0, at a table with {table}, mbb/hand"
            gain = plan.compared(f"without-{fifth}", "adaptive2", name, done)
            yield _new(f"adaptive2-{name}-{fifth}", claim, gain, 0, *_NEVER_BLUFFS if name == "bluff" else ())
