"""The study ``aceituno``: the tests of Aceituno 2017, 6, and the player that its conclusions ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from studies.aceituno.beyond import conclusion
from studies.aceituno.claims import all_rows
from studies.aceituno.figures import all_figures
from studies.aceituno.plan import ALONE, AceitunoPlan
from studies.harness.report import Row, StudyReport
from studies.harness.runner import Study
from studies.harness.work import Unit

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
        row_contests=_row_contests(plan, rows),
        settings={
            "seed": seed,
            "tournaments a run": size.run,
            "runs of Prueba 1": size.runs,
            "runs of Prueba 2": size.step_runs,
            "runs of other learners": size.reading_runs,
            "tournaments of fixed thresholds": size.chunk * size.chunks,
        },
        method=[
            *(" ".join(paragraph.split()) for paragraph in _METHOD.strip().split("\n\n")),
            conclusion(rows),
        ],
        rows=rows,
        figures=all_figures(plan, done, rows),
    )


def _row_contests(plan: AceitunoPlan, rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the tests, readings and contests that open rows are from."""
    return {row.id: names for row in rows if row.is_open and (names := list(contests_of(plan, row.id)))}


def contests_of(plan: AceitunoPlan, row: str) -> Iterator[str]:
    """Yield the names of the units that a row is from, if it is from few."""
    compared = ""
    match row.split("-"):
        case "test", number, *_:
            yield f"test/{number}"
        case "learning", name if name in ALONE:
            yield f"alone/{name}"
        case "searched", "cup":
            yield "searched-cup"
        case "searched", _:
            compared = "searched"
        case "adaptive2", ("showdowns" | "learning"):
            compared = "parts"
        case "adaptive2", "best":
            yield "duel-adaptive"
        case "adaptive2", "over", other:
            yield f"duel-{other}"
        case "adaptive2", _, fifth:
            compared = f"without-{fifth}"
        case "adaptive2", name:
            yield name
    yield from (name for name in plan.contests() if name.rpartition("-")[0] == compared != "")


_METHOD = """
Five programs play tournaments of 1,000 chips each, as in the document. Blinds are 5 and 10, the example of
3.1.4, and do not rise. Only if a tournament passes 1,000 hands, because all fold to each other, they double;
the smallest raise that a player wishes for stays 10. Seats are drawn for every tournament, and a raise may be
as small as one big blind, as its rules have it (3.1.4).

Where players learn (Pruebas 1 and 2) a run is 400 tournaments from the same start, as in the document, and
runs are the independent units of all intervals. Where thresholds stay (Pruebas 3 to 5), tournaments are. If
all n units have a figure at its limit, such as 0, they do not scatter, though others may lie elsewhere: then
its interval goes 3 / n of the way to the other limit.
The numbers are what an hour allows. Before, fewer were looked at: of Prueba 2 ten and 60 runs, of Pruebas 3
to 5 20,000 and 62,000 tournaments; each look adds at most 5 % to the chance of a wrong decision. Prueba 1 was
played on, too, from ten runs to 15: of the ten only nine could be used for `test-1-survivors-fold`, and a
verdict needs ten. A row that is computed is reproduced if it is what the document prints, unless its note has
a bound. All bounds and margins are ours: the document has words only.

The document leaves open: the size of raises (here it grows evenly from the least, at the threshold, to the
whole stack, at a utility of 1), after how many hands learning looks, how far back, the least distance of the
thresholds (0.01), what happens at a limit (the step is not made) and the order within a band of V. Learning
here looks at the results of all hands, every 10 hands. 4.3.1 speaks of the last N hands, and of a large N;
both were chosen because some of his results come out only so. So they are no proof of the rows on learners,
which ask whether it can have been like that. The rows `reading-*` show what other readings give, without a
verdict, as the document states none of them: the last has blinds of 50 and 100, which his example (4.3.2) may
mean. There is no `reading-3`: it is our own, whose rows are `test-1-*`. Whether learning gains anything the
document does not test: `learning-*`.

The history of 3.3 has rows only where the public record contradicts it. The rest is quoted, and nothing here
can compute it: the match of 1996 (4 to 2), Polaris, Cepheus with its 0.000986 big blinds, 60 million hands
and a trillion (billón) games a second, 16 terabytes, 15 million hours of computing. The platform with its
modules (2.2, 4.1, 5) has no row, nor have pictures and sketches: figures 1, 3, 6 to 8, 10, 11 and 13. That
poker is a game of one step (3.2) is no contradiction: one of several steps (multipasos) has, says 1.1, more
than one move *at a time*.

The conclusions (2.5, 7) ask for better numbers and for a player who understands its opponents. The rows
`searched-*` have the document's own player with weights, thresholds and a mu for each street that a search
found, the rows `adaptive2-*` a new player, which also remembers what opponents bet with (showdowns) and
learns. Both play duplicate matches: the same cards at every seating, and a deal with all its seatings is
one unit. Their numbers were found with other deals (`strategy/data/adaptive.json` and `adaptive2.json`
there say how). A copy that lacks an ability (`adaptive2-*-best` and `-raise`) sits as often as
`adaptive2` at each place left of the other opponent.
"""

STUDY = Study(_TITLE, _units, _report)
