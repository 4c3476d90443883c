"""The study ``intervals``: how often printed intervals contain the truth, where it is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from dealer.intervals import mean_interval
from studies.harness.report import Figure as Picture
from studies.harness.report import Row, StudyReport
from studies.harness.runner import Study
from studies.harness.verdicts import judge_claim, judged_row
from studies.intervals.plan import (
    COMPETITIONS,
    DIVISIONS,
    PRINTED_INTERVALS,
    QUICK,
    PrintedInterval,
    TestDivision,
    units,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

_TITLE = "Intervals of players who are all alike"
_SOURCE = "docs/competition.md, Statistics"
_COVERAGE = 95.0

#: Percentage of competitions in which an interval must contain the truth.
LOW, HIGH = 93.0, 97.0


def _report(quick: bool, seed: int, done: Mapping[str, Any]) -> StudyReport:
    rows = list(_rows(done))
    return StudyReport(
        study="intervals",
        title=_TITLE,
        quick=quick,
        settings={
            "seed": seed,
            "formats": len(DIVISIONS),
            "competitions of each": QUICK if quick else COMPETITIONS,
        },
        method=[" ".join(paragraph.split()) for paragraph in _METHOD.strip().split("\n\n")],
        rows=rows,
        figures=[
            Picture(
                "coverage",
                "How many of 100 intervals contain the truth, each row with its own 95 % interval. Shaded: "
                "93 to 97. Hollow: bound from below alone, or not at all.",
                partial(_draw, rows),
                (8.0, 0.16 * len(rows) + 1),
            )
        ],
    )


def _rows(done: Mapping[str, Any]) -> Iterator[Row]:
    for played in DIVISIONS:
        shares: dict[str, list[float]] = {}
        for key, found in done.items():
            if key.rpartition("/")[0] == played.name:
                for name, values in found.items():
                    shares.setdefault(name, []).extend(values)
        for figure in PRINTED_INTERVALS:
            if figure.name in shares:
                yield _row(played, figure, shares[figure.name])


def _row(played: TestDivision, figure: PrintedInterval, shares: list[float]) -> Row:
    covered = mean_interval([100 * share for share in shares])
    nearer = figure.chosen and played.bots > 2
    below = nearer or played.bound == "below"
    judged = judge_claim(covered, LOW, 100 if below else HIGH)
    note = ""
    if nearer:
        note = f"At least {LOW:g}: neighbours of a ranking are nearer to each other than two at random."
    elif played.bound == "below":
        note = f"At least {LOW:g}: large pots are rare, and without one the interval is too wide."
    elif played.bound == "none":
        note = "Not bound: the bots learn, and there is one match."
    claim = f"{played.about}: {figure.about}"
    if played.bound == "none":
        judged = judged._replace(verdict="beyond", bound="")
    return judged_row(
        f"{played.name}-{figure.name}", _SOURCE, claim, _COVERAGE, covered, judged, note, digits=2
    )


def _draw(rows: Sequence[Row], canvas: Canvas) -> None:
    axes = canvas.subplots()
    axes.axvspan(LOW, HIGH, color="#548235", alpha=0.15)
    axes.axvline(_COVERAGE, color="#548235", linewidth=0.8)
    for place, row in enumerate(rows):
        assert isinstance(row.measured, float)
        ends = [row.measured if end is None else end for end in (row.low, row.high)]
        axes.plot(ends, [place, place], color="#1f4e79", linewidth=1)
        style: Literal["none", "full"] = "none" if row.note else "full"
        axes.plot(row.measured, place, "o", color="#1f4e79", markersize=4, fillstyle=style)
    axes.set_yticks(range(len(rows)), [row.id for row in rows], fontsize=7)
    axes.invert_yaxis()
    axes.margins(y=0.01)
    axes.set_xlabel("intervals that contain the truth, of 100")
    axes.grid(axis="x", alpha=0.25)


_METHOD = """
Every format is played many times by bots that are all alike: no bot is better than another, and the true
value of every figure is 0. A row says in how many of 100 competitions the interval that pokerd prints
contains it. It ought to be 95, and is reproduced from 93 to 97. The row's own interval is over the
competitions; where a competition prints a figure for several bots, their mean counts once.

What is tested is what is printed: deals and tables are those of the server, and standings and curves are made
by the same code (`dealer.standings`, `dealer.curves`). Formats that name no bot are played by `random`.

Where neighbours in a ranking of more than two bots are compared, the results themselves have chosen whom to
compare, and neighbours are nearer to each other than two bots at random. Such an interval is right more often
than it says, so its rows are bound from below alone. The rows `pair` compare two bots that are named
beforehand.

Ten deals, the fewest that give an interval, are bound from below as well (`few-deals`): large pots are rare
among them, and without one the interval is too wide. Curves of tournaments at one seating have no band, and
so no row: their results are all or nothing, and Student's interval of 12 of them, for three players,
contained the truth in 92.6 of 100 cases.

Where bots learn during a session, deals depend on each other by what was learned. From ten matches on the
match is the unit, and all is well (`learning`). A single match cannot tell a bot that is better from one that
happened to learn faster: the intervals of bots that learn as fast as these are too narrow then
(`learning-single`), those of `adaptive2` are not (`adaptive-single`).
"""

STUDY = Study(_TITLE, units, _report)
