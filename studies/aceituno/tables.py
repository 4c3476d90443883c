"""The tables of Aceituno 2017, 6.2 and 6.3, each with one test of the same length played here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.special import chdtrc, chdtri, chndtr

from dealer.intervals import Interval, mean_interval
from studies.aceituno.document import EQUAL, TESTS, TOURNAMENTS, chi_squared
from studies.aceituno.errata import SIGNIFICANT
from studies.aceituno.plan import AceitunoPlan
from studies.harness.report import Row, Verdict
from studies.harness.verdicts import judge_claim

_SURELY = 0.001
# Players whose wins are less likely than this among equals are not equal.
_POWER = 0.8


def table_rows(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for each test: the document's table, and one of the same length played here."""
    for number, test in TESTS.items():
        yield (
            _of_learners(plan, done, number) if test.players[0].learn_every else _of_fixed(plan, done, number)
        )


def _of_learners(plan: AceitunoPlan, done: Mapping[str, Any], number: int) -> Row:
    """Return the table of Prueba 1 or 2: some win more than others."""
    test, runs = TESTS[number], plan.runs(number, done)
    there = [(one.raise_at, one.fold_below) for one in test.outcomes]
    uneven = mean_interval([float(chi_squared(tuple(run.wins)) < _SURELY) for run in runs])
    judged = judge_claim(uneven, low=0.5)
    return Row(
        f"test-{number}-table",
        test.section,
        "some win more than others (wins, balance in thousands, final thresholds)",
        _table([one.wins for one in test.outcomes], there, TOURNAMENTS),
        _table(runs[0].wins, runs[0].finals, len(runs[0].winners)),
        judged.verdict,
        f"Shown is our first run. In {percent(uneven)} of {len(runs)} runs equal players would win so "
        f"unevenly with a chance below {_SURELY:g}: reproduced if in more than half. {judged.note}".strip(),
    )


def percent(part: Interval) -> str:
    """Return a share and half its 95 % interval, for people."""
    half = "" if part.half is None else f" ± {part.half:.0%}"
    return f"{part.mean:.0%}{half}"


def _of_fixed(plan: AceitunoPlan, done: Mapping[str, Any], number: int) -> Row:
    """Return the table of Prueba 3, 4 or 5. It is reproduced if his wins fit our shares and four of five such
    tests would tell these from equal ones; otherwise his tournaments are too few to tell.
    """
    test = TESTS[number]
    winners = plan.winners(f"test/{number}", plan.sizes.chunks, done)
    wins = [one.wins for one in test.outcomes]
    shares = np.array([winners.count(player) for player in range(5)]) / len(winners)
    expected = np.maximum(shares, 1 / len(winners)) * TOURNAMENTS
    fits = float(chdtrc(4, float(((wins - expected) ** 2 / expected).sum())))
    away = float(((expected - TOURNAMENTS * EQUAL) ** 2).sum() / (TOURNAMENTS * EQUAL))
    power = 1 - float(chndtr(chdtri(4, SIGNIFICANT), 4, away))
    verdict: Verdict = "reproduced" if power >= _POWER else "undecided"
    if fits < SIGNIFICANT:
        verdict = "not reproduced"
    return Row(
        f"test-{number}-table",
        test.section,
        f"who wins how often ({test.varied}; wins, balance in thousands)",
        _table(wins, (), TOURNAMENTS),
        _table(np.round(expected).astype(int).tolist(), (), TOURNAMENTS),
        verdict,
        f"Our {len(winners):,} tournaments, scaled to {TOURNAMENTS}. If our shares were the true ones, his "
        f"wins would be this far off with p = {fits:.2g}; if all were equal, with p = "
        f"{chi_squared(tuple(wins)):.2g}. {power:.0%} of such tests would show that some win more.",
    )


def _table(wins: Sequence[int], finals: Sequence[Sequence[float]], tournaments: int) -> str:
    """Return the players' rows; a winner gets a stack from each of four others."""
    text = " ".join(map(str, wins)) + ", " + " ".join(f"{5 * won - tournaments:+}" for won in wins)
    return text + (", " + " ".join(f"{up:g}/{down:g}" for up, down in finals) if finals else "")
