"""The claims of Aceituno 2017 about play, and their verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import Any

from dealer.intervals import Interval, mean_interval
from studies.aceituno.beyond import RAN_AWAY, beyond_rows, ran_away, unjudged_part
from studies.aceituno.document import EQUAL, TESTS, TOURNAMENTS, PrintedTest, chi_squared
from studies.aceituno.errata import document_rows
from studies.aceituno.person import person_rows
from studies.aceituno.plan import OWN_READING, READ, READINGS, AceitunoPlan, LearnerRun
from studies.aceituno.statements import statement_rows
from studies.aceituno.tables import table_rows, uneven_row
from studies.aceituno.theory import theory_rows
from studies.harness.report import Row
from studies.harness.verdicts import claim_of_part, clip, judge_figure, judged_row, source_noise, unjudged_row

_MATTERS = EQUAL / 2
"""A difference of a share of the wins that matters."""

_FOLDS_ALL = 0.85
"""The same for the Fold threshold: there 0.9 to 0.96."""

_SLIGHT = 0.12
"""A change of a threshold that the document calls slight (Prueba 2)."""

_TWO_STEPS = 0.11
"""How far a threshold of Prueba 1 is moved by two steps, and a little."""

_NEARLY_ALL = 0.9
"""Share of the wins of two players that is nearly all."""

_SEVERAL = 2
"""Players that "the players with the worst results" are at least (Prueba 1)."""

_OF_FOUR = NormalDist().inv_cdf(1 - 0.025 / 4) / NormalDist().inv_cdf(0.975)
"""An interval that holds for four differences at once, by one that holds for one."""

_LEAST_CHANCE = 1e-300
"""Chances below are told as that: floats end there."""

_NEXT_TO_NOTHING = 0.05
"""Share of the wins of one player: a quarter of an equal one."""


def all_rows(plan: AceitunoPlan, done: Mapping[str, Any]) -> list[Row]:
    """Return the rows of the report, in the order of the document."""
    rows = [*theory_rows(), *statement_rows(plan, done), *document_rows(), *table_rows(plan, done)]
    rows += learning_rows(plan, done)
    for test in (3, 4, 5):
        rows += _weights(test, plan.winners(f"test/{test}", plan.sizes.chunks, done), plan.sizes.chunk)
    rows += [*_trend(plan, done), *_even(plan, done), *person_rows(plan, done)]
    return [*rows, *beyond_rows(plan, done)]


def learning_rows(plan: AceitunoPlan, done: Mapping[str, Any]) -> list[Row]:
    """Return the rows of Pruebas 1 and 2, in which players learn."""
    return [
        *(_as_read(row) for row in _learning(plan, done)),
        *_readings(plan, done),
        *(_as_read(row) for row in _steps(plan, done)),
        *_fixed(plan, done),
    ]


def _top_two(run: LearnerRun) -> float:
    return sum(sorted(run.wins)[-2:]) / len(run.winners)


def _fold_thresholds(test: int, runs: Sequence[LearnerRun]) -> Row:
    """Return the row on the Fold thresholds of those who ran away, a mean for each run that has some."""
    lost = [[run.finals[player][1] for player in ran_away(run)] for run in runs]
    means = [sum(folds) / len(folds) for folds in lost if folds]
    here = mean_interval(means) if means else Interval(0.0, None, 0)
    paper = [one.fold_below for one in TESTS[test].outcomes if one.raise_at >= RAN_AWAY]
    return claim_of_part(
        f"test-{test}-losers-fold",
        TESTS[test].section,
        "whose Raise threshold ran to the maximum, his Fold threshold did too",
        round(sum(paper) / len(paper), 4),
        here,
        _FOLDS_ALL,
        f"Their mean Fold threshold in the end: above {_FOLDS_ALL:g}, our bound: the least of his is "
        f"{min(paper):g}. {len(means)} of {len(runs)} runs have one.",
        most=1,
        noise=_of_one_run(here),
    )


def _of_one_run(here: Interval) -> float:
    """Return half of the 95 % interval of a figure of the document's, which is from one run."""
    return source_noise(here, 1)


def _share_of(run: LearnerRun, players: Sequence[int]) -> float:
    """Return the mean share of the tournaments that each of these players won."""
    return sum(run.wins[player] for player in players) / len(players) / len(run.winners)


def _as_read(row: Row) -> Row:
    """Return a row on learners that names the reading that was chosen for them."""
    return replace(row, claim=f"{row.claim} when learning looks at {OWN_READING}")


def _fixed(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows of Pruebas 1 and 2 that are not on learners."""
    yield from map(_lattice, (1, 2))
    winners = plan.winners("thresholds", plan.sizes.test_chunks, done)
    lead = mean_interval([float((winner == 0) - (winner == 3)) for winner in winners])
    yield claim_of_part(
        "test-1-configuration",
        TESTS[1].section,
        "0.55 and 0.3 are better thresholds than 0.6 and 0.25",
        14 / TOURNAMENTS,
        lead,
        0,
        "Difference of the parts won, both beside three players at 0.95 and 0.9, and nobody learns. His 202 "
        "wins against 188 are no evidence: so uneven or more with a chance of 0.51.",
        noise=source_noise(lead, TOURNAMENTS),
    )


def _lattice(test: int) -> Row:
    """Return how many of the document's final thresholds are the start and a whole number of steps."""
    on = 0
    for player, outcome in zip(TESTS[test].players, TESTS[test].outcomes, strict=True):
        for start, final in zip(
            (player.raise_at, player.fold_below), (outcome.raise_at, outcome.fold_below), strict=True
        ):
            steps = (final - start) / player.mu[0]
            on += abs(steps - round(steps)) < 1e-6
    return unjudged_row(
        f"test-{test}-lattice",
        TESTS[test].section,
        "the document's final thresholds that are their start and whole steps of mu",
        f"{on} of 10",
        "From this follows what happens at the limits: a step that would cross one is not made.",
    )


def _learning(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows of Prueba 1: five equal learners."""
    section, runs = TESTS[1].section, plan.runs(1, done)
    top = mean_interval(map(_top_two, runs))
    away = mean_interval([float(len(ran_away(run))) for run in runs])
    yield claim_of_part(
        "test-1-top-two",
        section,
        "two players share nearly all wins",
        390 / TOURNAMENTS,
        top,
        _NEARLY_ALL,
        "Wins of the two who won the most: more than nine tenths, our bound.",
        most=1,
        noise=_of_one_run(top),
    )
    yield claim_of_part(
        "test-1-runaways",
        section,
        "players who end with the Raise threshold at the maximum",
        3,
        away,
        _SEVERAL,
        f"Players of a run whose Raise threshold ends at {RAN_AWAY} or more: at least two, as he speaks of "
        "several. Of the Fold thresholds: `test-1-losers-fold`.",
        most=5,
        noise=_of_one_run(away),
    )
    lost = [_share_of(run, ran_away(run)) for run in runs if ran_away(run)]
    yield from _of_runs(
        "test-1-losers",
        "a player whose Raise threshold ran to the maximum wins next to nothing",
        10 / 1200,
        lost,
        _NEXT_TO_NOTHING,
        above=False,
        note=f"Part of the tournaments won by each such player: below {_NEXT_TO_NOTHING:g}; {len(lost)} of "
        f"{len(runs)} runs have one.",
    )
    yield _fold_thresholds(1, runs)
    start = TESTS[1].players[0].raise_at
    near = [
        [player for player, (raise_at, _) in enumerate(run.finals) if abs(raise_at - start) < _TWO_STEPS]
        for run in runs
    ]
    shares = [_share_of(run, players) for run, players in zip(runs, near, strict=True) if players]
    yield from _of_runs(
        "test-1-survivors",
        "a player who stays near where he began wins much",
        390 / 2 / TOURNAMENTS,
        shares,
        EQUAL,
        above=True,
        note="Part won by each player whose Raise threshold ends within two steps of its start: above an "
        f"equal share; {len(shares)} of {len(runs)} runs have one.",
    )
    start = TESTS[1].players[0].fold_below
    gaps = []
    for run in runs:
        kept = [player for player, (_, fold) in enumerate(run.finals) if abs(fold - start) < _TWO_STEPS]
        rest = [player for player in range(5) if player not in kept]
        gaps += [_share_of(run, kept) - _share_of(run, rest)] if kept and rest else []
    yield from _of_runs(
        "test-1-survivors-fold",
        "who keeps a Fold threshold of 0.25 or 0.3 does better than the rest",
        (390 / 2 - 10 / 3) / TOURNAMENTS,
        gaps,
        0,
        above=True,
        note="Part won by each player whose Fold threshold ends within two steps of its start, less that of "
        f"each other: above 0; {len(gaps)} of {len(runs)} runs have both.",
    )


def _of_runs(
    name: str, claim: str, paper: float, values: Sequence[float], bound: float, *, above: bool, note: str
) -> Iterator[Row]:
    """Yield a row of Prueba 1 over those runs that have the quantity."""
    section = TESTS[1].section
    if not values:
        yield Row(name, section, claim, paper, None, "undecided", f"No run has one. {note}")
        return
    here = mean_interval(values)
    noise = _of_one_run(here)
    yield claim_of_part(name, section, claim, paper, here, bound, note, above=above, most=1, noise=noise)


def _readings(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows of Prueba 1 under other readings than ours, without verdicts."""
    for number, name in enumerate(READINGS, start=1):
        if name == OWN_READING:
            continue
        runs = plan.reading(name, done)
        length = sum(run.hands for run in runs) / len(runs)
        yield unjudged_part(
            f"reading-{number}",
            READ,
            f"players who run away when learning looks at {name}",
            3,
            mean_interval([float(len(ran_away(run))) for run in runs]),
            f"A tournament has {length:,.0f} hands; {len(runs)} runs.",
            most=5,
        )
        yield unjudged_part(
            f"reading-{number}-top-two",
            READ,
            f"part of the wins of the two who won the most when learning looks at {name}",
            390 / TOURNAMENTS,
            mean_interval(map(_top_two, runs)),
            most=1,
        )
        yield uneven_row(
            f"reading-{number}", f"some win more than others when learning looks at {name}", runs
        )


def _steps(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows of Prueba 2: steps of different size."""
    test, runs = TESTS[2], plan.runs(2, done)
    for player, (setting, outcome) in enumerate(zip(test.players, test.outcomes, strict=True)):
        part = mean_interval([run.wins[player] / len(run.winners) for run in runs])
        paper = outcome.wins / TOURNAMENTS
        noise = source_noise(part, 1)
        row = judged_row(
            f"test-2-mu-{setting.mu[0]:g}",
            test.section,
            f"wins with mu = {setting.mu[0]:g}",
            paper,
            part,
            judge_figure(paper, part, _MATTERS, noise),
            f"Within {_MATTERS:g}, half of an equal share. He has one run: its noise is that of one of ours, "
            f"{noise:.2f}.",
        )
        yield clip(row, 1)
    small = mean_interval([(run.wins[3] + run.wins[4]) / len(run.winners) for run in runs])
    yield claim_of_part(
        "test-2-small-steps",
        test.section,
        "the two smallest steps share nearly all wins",
        382 / TOURNAMENTS,
        small,
        _NEARLY_ALL,
        "More than nine tenths, our bound. The document has one run.",
        most=1,
        noise=_of_one_run(small),
    )
    ahead = mean_interval([(run.wins[4] - run.wins[0]) / len(run.winners) for run in runs])
    yield claim_of_part(
        "test-2-order",
        test.section,
        "mu = 0.02 wins more than mu = 0.1",
        193 / TOURNAMENTS,
        ahead,
        0,
        "Difference of the parts won: above 0. The document has one run.",
        noise=_of_one_run(ahead),
    )
    yield _fold_thresholds(2, runs)
    yield from _step_runs(runs)


def _kept(finals: Sequence[float]) -> bool:
    """Return whether thresholds of Prueba 2 end near where they began."""
    start = TESTS[2].players[0]
    begun = (start.raise_at, start.fold_below)
    return all(abs(one - first) < _SLIGHT + 1e-6 for one, first in zip(finals, begun, strict=True))


def _step_runs(runs: Sequence[LearnerRun]) -> Iterator[Row]:
    """Yield in what part of the runs of Prueba 2 happens what happened in the document's only one."""
    best = [run.wins.index(max(run.wins)) for run in runs]
    for name, claim, holds, bound, note in (
        ("best", "the smallest step wins most", [player == 4 for player in best], EQUAL, "more than by luck"),
        (
            "small",
            "the two smallest steps win most",
            [min(run.wins[3:]) > max(run.wins[:3]) for run in runs],
            0.1,
            "more than by luck",
        ),
        (
            "two",
            "two players, whoever they are, share nearly all wins",
            [_top_two(run) > _NEARLY_ALL for run in runs],
            0.5,
            "in more than half; the two won more than nine tenths, our bound",
        ),
        (
            "kept",
            "the best results come with thresholds of 0.55 and 0.3",
            [_kept(run.finals[player]) for run, player in zip(runs, best, strict=True)],
            0.5,
            f"in more than half; whoever wins most ends within {_SLIGHT:g} of both, which he calls slight",
        ),
        (
            "stays",
            "the thresholds of mu = 0.02 stay as at the beginning",
            [_kept(run.finals[4]) for run in runs],
            0.5,
            f"in more than half; within {_SLIGHT:g} of both",
        ),
    ):
        yield claim_of_part(
            f"test-2-runs-{name}",
            TESTS[2].section,
            f"part of runs in which {claim}",
            "1 of 1",
            mean_interval([float(one) for one in holds]),
            bound,
            f"{sum(holds)} of {len(runs)} runs, and his: reproduced if {note}.",
            most=1,
        )


def batches(winners: Sequence[int], size: int) -> list[int]:
    """Return the apparent best player of each batch of ``size`` tournaments; the first of several."""
    found = []
    for start in range(0, len(winners) - size + 1, size):
        wins = [winners[start : start + size].count(player) for player in range(5)]
        found.append(wins.index(max(wins)))
    return found


def _weights(number: int, winners: Sequence[int], batch: int) -> Iterator[Row]:
    """Yield the rows of Pruebas 3 to 5: different weights, fixed thresholds."""
    test = TESTS[number]
    rivals = [player for player in range(5) if player != test.best]
    rival = max(rivals, key=winners.count)
    printed = sorted(one.wins for one in test.outcomes)
    lead = mean_interval([float((winner == test.best) - (winner == rival)) for winner in winners])
    # Bonferroni: all four leads are larger with 95 %.
    lead = lead._replace(half=(lead.half or 0) * _OF_FOUR)
    yield claim_of_part(
        f"test-{number}-best",
        test.section,
        f"player {test.best + 1} is the best ({test.varied})",
        (printed[-1] - printed[-2]) / TOURNAMENTS,
        lead,
        0,
        f"His part of the wins less that of player {rival + 1}, who of the four others wins most here; the "
        "interval is for all four at once.",
        noise=source_noise(lead, TOURNAMENTS),
    )
    if number == 3:
        yield _near(test, max(range(5), key=winners.count))
    crowned = batches(winners, batch)
    chance = chi_squared(tuple(winners.count(player) for player in range(5)))
    told = f"of {chance:.2g}" if chance > _LEAST_CHANCE else f"below {_LEAST_CHANCE:g}"
    again = mean_interval([float(best == test.best) for best in crowned])
    row = unjudged_row(
        f"test-{number}-power",
        test.section,
        "the same test again names the same best",
        again,
        f"Part of {len(crowned)} tests of {batch} tournaments in which his best wins most; by luck 0.2. Over "
        f"all {len(winners):,}, equal players would win so unevenly with a chance {told}.",
    )
    yield clip(row, 1)


def _near(test: PrintedTest, most: int) -> Row:
    """Return the row on what Prueba 3 is cited for, beside the weight of V of who wins ``most`` here."""
    tried = [one.weights[0] for one in test.players]
    end = " It is the end of what was tried, so a greater one may be the best." if most in (0, 4) else ""
    return Row(
        "test-3-near",
        test.section,
        "the best weight of V is probably near 0.6; here, that of the player who wins most",
        tried[test.best],
        tried[most],
        "beyond",
        f"No verdict: it is not told what is near; 0.7 may be.{end}",
    )


def _trend(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the row on what Prueba 4 is concluded to reveal."""
    wins = [one.wins for one in TESTS[4].outcomes]
    winners = plan.winners("test/4", plan.sizes.chunks, done)
    slope = mean_interval([(winner - 2) / 10 for winner in winners])
    yield claim_of_part(
        "test-4-smallest",
        TESTS[4].section,
        "the weight of P must be the smallest: part of the wins that a step of 0.05 less is worth",
        # The slope of a line by least squares through five places.
        sum((place - 2) * won for place, won in enumerate(wins)) / 10 / TOURNAMENTS,
        slope,
        0,
        "Above 0, a line through all five. That the least is better than the next is not told: "
        "`test-4-best`.",
        noise=source_noise(slope, TOURNAMENTS),
    )


def _even(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the rows on what Prueba 3 has and the tests before it do not: constant thresholds."""

    def two(wins: Sequence[int]) -> float:
        return sum(sorted(wins)[-2:]) / sum(wins)

    winners, size = plan.winners("test/3", plan.sizes.chunks, done), plan.sizes.chunk
    tests = [winners[start : start + size] for start in range(0, len(winners), size)]
    even = [two([test.count(player) for player in range(5)]) for test in tests]
    his = {number: two([one.wins for one in TESTS[number].outcomes]) for number in (1, 2, 3)}
    for number in (1, 2):
        gaps = [_top_two(run) - one for run, one in zip(plan.runs(number, done), even, strict=False)]
        row = claim_of_part(
            f"test-3-even-{number}",
            TESTS[3].section,
            f"wins are much more even than in Prueba {number}, as thresholds are constant: part of the two "
            "who won the most there, less that here,",
            his[number] - his[3],
            mean_interval(gaps),
            _MATTERS,
            f"Above {_MATTERS:g}, half of an equal share. Here it is {sum(even) / len(even):.3f}, though the "
            "weights differ.",
            noise=_of_one_run(mean_interval(gaps)),
        )
        yield _as_read(row)
