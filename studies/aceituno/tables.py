"""The tables of Aceituno 2017, 6.2 and 6.3, each with one test of the same length played here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import betaincinv, chdtrc, chdtri, chndtr

from dealer.intervals import Interval
from studies.aceituno.document import EQUAL, TESTS, TOURNAMENTS, chi_squared
from studies.aceituno.errata import SIGNIFICANT
from studies.aceituno.plan import OWN_READING, READ, AceitunoPlan, LearnerRun
from studies.harness.report import Row
from studies.harness.verdicts import judge_claim, judged_row, no_claim

_SURELY = 0.001
# Players whose wins are less likely than this among equals are not equal.


def table_rows(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for each test, the document's table beside one played here, and what it claims as a whole.

    A table of many figures has no interval, so it has no verdict: its claims are judged in rows of their own.
    """
    for number, test in TESTS.items():
        if test.players[0].learn_every:
            yield from _of_learners(plan, done, number)
        else:
            yield _of_fixed(plan, done, number)


def _of_learners(plan: AceitunoPlan, done: Mapping[str, Any], number: int) -> Iterator[Row]:
    """Yield the table of Prueba 1 or 2, and its claim: some win more than others."""
    test, runs = TESTS[number], plan.runs(number, done)
    there = [(one.raise_at, one.fold_below) for one in test.outcomes]
    yield Row(
        f"test-{number}-table",
        test.section,
        "the table: wins, balance in thousands, final thresholds; ours is our first run",
        _table([one.wins for one in test.outcomes], there, TOURNAMENTS),
        _table(runs[0].wins, runs[0].finals, len(runs[0].winners)),
        "beyond",
        f"No verdict: all runs are judged, in the other rows `test-{number}-*`.",
    )
    yield uneven_row(
        f"test-{number}",
        f"some win more than others when learning looks at {OWN_READING}",
        runs,
        test.section,
    )


def uneven_row(name: str, claim: str, runs: Sequence[LearnerRun], source: str = "") -> Row:
    """Return the row on the part of the runs in which players surely do not win alike; without a verdict if
    no ``source`` claims it.
    """
    hits = sum(chi_squared(tuple(run.wins)) < _SURELY for run in runs)
    known = _exact_share(hits, len(runs))
    bound = "Reproduced from a half on, our bound. " if source else ""
    row = judged_row(
        f"{name}-uneven",
        source or READ,
        f"{claim}: part of runs in which they surely do",
        "1 of 1",
        known,
        judge_claim(known, low=0.5) if source else no_claim(known),
        f"In {hits} of {len(runs)} runs equal players would win so unevenly with a chance below {_SURELY:g}. "
        f"{bound}The interval is Clopper and Pearson's (1934).",
    )
    return replace(row, measured=round(hits / len(runs), 4))


def _exact_share(hits: int, units: int) -> Interval:
    """Return the exact 95 % interval of a share (Clopper and Pearson 1934), as an Interval about its own
    middle, which is not the share itself.
    """
    low = 0.0 if hits == 0 else float(betaincinv(hits, units - hits + 1, 0.025))
    high = 1.0 if hits == units else float(betaincinv(hits + 1, units - hits, 0.975))
    return Interval((low + high) / 2, (high - low) / 2, units)


def _of_fixed(plan: AceitunoPlan, done: Mapping[str, Any], number: int) -> Row:
    """Return the table of Prueba 3, 4 or 5, and how well his wins fit our shares."""
    test = TESTS[number]
    winners = plan.winners(f"test/{number}", plan.sizes.chunks, done)
    wins = [one.wins for one in test.outcomes]
    shares = np.array([winners.count(player) for player in range(5)]) / len(winners)
    expected = np.maximum(shares, 1 / len(winners)) * TOURNAMENTS
    fits = float(chdtrc(4, float(((wins - expected) ** 2 / expected).sum())))
    away = float(((expected - TOURNAMENTS * EQUAL) ** 2).sum() / (TOURNAMENTS * EQUAL))
    power = 1 - float(chndtr(chdtri(4, SIGNIFICANT), 4, away))
    return Row(
        f"test-{number}-table",
        test.section,
        f"the table: wins by {test.varied}, balance in thousands; ours scaled to {TOURNAMENTS} tournaments",
        _table(wins, (), TOURNAMENTS),
        _table(_scaled([winners.count(player) for player in range(5)]), (), TOURNAMENTS),
        "beyond",
        f"No verdict: only {power:.0%} of tests of {TOURNAMENTS} tournaments would show that some win more. "
        f"If the shares of our {len(winners):,} tournaments were the true ones, his wins would be this far "
        f"off with p = {fits:.2g}; if all were equal, with p = {chi_squared(tuple(wins)):.2g}. What the "
        f"table is cited for is `test-{number}-best`.",
    )


def _scaled(wins: Sequence[int]) -> list[int]:
    """Return as many wins as the document has, in proportion: the largest remainders are rounded up."""
    exact = [TOURNAMENTS * won / sum(wins) for won in wins]
    found = [int(one) for one in exact]
    for player in sorted(range(len(wins)), key=lambda one: found[one] - exact[one])[
        : TOURNAMENTS - sum(found)
    ]:
        found[player] += 1
    return found


def _table(wins: Sequence[int], finals: Sequence[Sequence[float]], tournaments: int) -> str:
    """Return the players' rows; a winner gets a stack from each of four others."""
    text = " ".join(map(str, wins)) + ", " + " ".join(f"{5 * won - tournaments:+}" for won in wins)
    return text + (", " + " ".join(f"{up:g}/{down:g}" for up, down in finals) if finals else "")
