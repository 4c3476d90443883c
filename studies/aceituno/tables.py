"""The tables of Aceituno 2017, 6.2 and 6.3, each with one test of the same length played here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from studies.aceituno.document import HUMAN, TESTS, TOURNAMENTS, chi_squared
from studies.aceituno.errata import SIGNIFICANT
from studies.aceituno.plan import AceitunoPlan
from studies.harness.report import Row


def table_rows(plan: AceitunoPlan, done: Mapping[str, Any]) -> Iterator[Row]:
    """Yield a row for each test: the first run, or the first chunk, beside the document's table. The last row
    is that of the person.
    """
    for number, test in TESTS.items():
        first = plan.run_of(done[f"test/{number}/0"])
        learns = test.players[0].learn_every > 0
        there = [(one.raise_at, one.fold_below) for one in test.outcomes]
        uneven = _uneven([one.wins for one in test.outcomes])
        claim = "some win more than others" if uneven else "nobody can be seen to win more than others"
        yield Row(
            f"test-{number}-table",
            test.section,
            f"{claim} (wins, balance in thousands{', final thresholds' if learns else ''})",
            _table([one.wins for one in test.outcomes], there if learns else (), TOURNAMENTS),
            _table(first.wins, first.finals if learns else (), len(first.winners)),
            "reproduced" if uneven == _uneven(first.wins) else "not reproduced",
            f"The first {len(first.winners)} tournaments here. Only one thing is judged: whether equal "
            f"players would win so unevenly with a chance below {SIGNIFICANT:g}, here as in his.",
        )
    yield _person(plan.winners("patient", 1, done)[: sum(HUMAN[0])])


def _person(winners: Sequence[int]) -> Row:
    """Return the table of 6.3."""
    wins = [winners.count(player) for player in range(5)]
    return Row(
        "person-table",
        "6.3",
        "who sits in the fifth chair wins most often (wins, balance in thousands)",
        _table(HUMAN[0], (), sum(HUMAN[0])),
        _table(wins, (), len(winners)),
        "reproduced" if wins[4] > max(wins[:4]) else "not reproduced",
        f"The first {len(winners)} tournaments here, with a program in the chair. So few show little: row "
        "`person` has many.",
    )


def _uneven(wins: Sequence[int]) -> bool:
    return chi_squared(tuple(wins)) < SIGNIFICANT


def _table(wins: Sequence[int], finals: Sequence[Sequence[float]], tournaments: int) -> str:
    """Return the players' rows; a winner gets a stack from each of four others."""
    text = " ".join(map(str, wins)) + ", " + " ".join(f"{5 * won - tournaments:+}" for won in wins)
    return text + (", " + " ".join(f"{up:g}/{down:g}" for up, down in finals) if finals else "")
