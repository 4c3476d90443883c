"""The tables of Aceituno 2017, 6.2, beside one test of the same length played here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from studies.aceituno.document import TESTS, TOURNAMENTS, chi_squared
from studies.aceituno.errata import SIGNIFICANT
from studies.aceituno.plan import Plan
from studies.report import Row

__all__ = ["table_rows"]


def table_rows(plan: Plan, done: Mapping[str, Any]) -> Iterator[Row]:
    """A row for each test: the first run, or the first chunk, beside the document's table."""
    for number, test in TESTS.items():
        first = plan.run_of(done[f"test/{number}/0"])
        learns = test.players[0].learn_every > 0
        there = [(one.raise_at, one.fold_below) for one in test.outcomes]
        alike = _uneven([one.wins for one in test.outcomes]) == _uneven(first.wins)
        yield Row(
            f"test-{number}-table",
            test.section,
            f"wins, balance in thousands{', final thresholds' if learns else ''}",
            _table([one.wins for one in test.outcomes], there if learns else (), TOURNAMENTS),
            _table(first.wins, first.finals if learns else (), len(first.winners)),
            "reproduced" if alike else "not reproduced",
            f"The first {len(first.winners)} tournaments here. Reproduced if they show that some win more "
            "than others where his do, and do not where his do not.",
        )


def _uneven(wins: Sequence[int]) -> bool:
    return chi_squared(tuple(wins)) < SIGNIFICANT


def _table(wins: Sequence[int], finals: Sequence[Sequence[float]], tournaments: int) -> str:
    """The players' rows; who wins gets a stack from each of four others."""
    text = " ".join(map(str, wins)) + ", " + " ".join(f"{5 * won - tournaments:+}" for won in wins)
    return text + (", " + " ".join(f"{up:g}/{down:g}" for up, down in finals) if finals else "")
