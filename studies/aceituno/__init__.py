"""The study ``aceituno``: the tests of Aceituno 2017, 6, and the player that its conclusions ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studies.aceituno.claims import all_rows
from studies.aceituno.figures import all_figures
from studies.aceituno.plan import AceitunoPlan
from studies.harness.report import StudyReport
from studies.harness.runner import Study
from studies.harness.work import Unit

__all__ = ["STUDY"]

_TITLE = "Aceituno 2017: a no-limit player with adaptive thresholds"


def _units(quick: bool, seed: int) -> list[Unit]:
    return AceitunoPlan(quick, seed).units()


def _report(quick: bool, seed: int, done: Mapping[str, Any]) -> StudyReport:
    plan = AceitunoPlan(quick, seed)
    size, rows = plan.sizes, all_rows(plan, done)
    return StudyReport(
        study="aceituno",
        title=_TITLE,
        quick=quick,
        settings={
            "seed": seed,
            "tournaments a run": size.run,
            "runs of Prueba 1": size.runs,
            "runs of Prueba 2": size.step_runs,
            "tournaments of fixed thresholds": size.chunk * size.chunks,
        },
        method=[" ".join(paragraph.split()) for paragraph in _METHOD.strip().split("\n\n")],
        rows=rows,
        figures=all_figures(plan, done, rows),
    )


_METHOD = """
Five programs play tournaments of 1,000 chips each, as in the document. It gives no blinds: here they are 5
and 10 and stay, but for players who would fold to each other for ever (after 1,000 hands blinds double, but
not the least raise that a player wishes for). Seats are drawn for every tournament, and a raise may be as
small as one big blind, as its rules have it (3.1.4).

Where players learn (Pruebas 1 and 2) a run is 400 tournaments from the same start, as in the document, and
runs are the independent units of all intervals. Where thresholds stay (Pruebas 3 to 5), tournaments are.

Three gaps of the document had to be filled, and decide what comes out. The size of a raise grows evenly
from the least, at the threshold, to the whole stack, at a utility of 1. Learning looks at the results of
all hands so far, as 4.3.4 says ("during all games"), not of the last N hands alone, as 4.3.1 says: only
then does a player who has lost go on losing while the others stand still, as in the document's tables. And
it looks every 10 hands. The rows `reading-1` to `reading-3` compare.

The conclusions (2.5, 7) ask for better numbers and for a player who understands its opponents. The rows
`searched-*` have the document's own player with weights, thresholds and a mu for each street that a search
found, the rows `adaptive2-*` a new player, which also remembers what opponents bet with (showdowns) and
learns. Both play duplicate matches: the same cards at every seating, and a deal with all its seatings is
one unit. Their numbers were found with other deals (`strategy/data/adaptive.json` and `adaptive2.json`
there say how).
"""

STUDY = Study(_TITLE, _units, _report)
