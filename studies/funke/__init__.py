"""The study ``funke``: push/fold players by evolution, the experiments of Funke 2015."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from studies.funke.appendices import appendix_rows, one_run
from studies.funke.complex_players import abandoned_rows, complex_rows, elitism_row, variable_rows
from studies.funke.errata import errata_rows
from studies.funke.extensions import extension_rows
from studies.funke.figures import all_figures
from studies.funke.illustrations import illustration_rows
from studies.funke.matches import match_rows
from studies.funke.plan import AGAINST, AGAINST_SIZES, FunkePlan, FunkeResults
from studies.funke.tables import adaptive_rows, simple_rows
from studies.harness.report import Row, StudyReport
from studies.harness.runner import Study
from studies.harness.work import Unit

_TITLE = "Funke 2015: push/fold players by genetic algorithms"
_ROWS = (
    illustration_rows,
    match_rows,
    simple_rows,
    adaptive_rows,
    complex_rows,
    elitism_row,
    variable_rows,
    appendix_rows,
    abandoned_rows,
    errata_rows,
    extension_rows,
)


def _units(quick: bool, seed: int) -> list[Unit]:
    # Products of such small matrices take many times as long on several threads. Processes started from here
    # inherit this.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    return FunkePlan(quick, seed).units()


def _report(quick: bool, seed: int, results: Mapping[str, Any]) -> StudyReport:
    plan = FunkePlan(quick, seed)
    size, done = plan.sizes, FunkeResults(plan, results)
    rows = [row for part in _ROWS for row in part(done)]
    return StudyReport(
        study="funke",
        title=_TITLE,
        quick=quick,
        row_contests=_row_contests(done, rows),
        settings={
            "seed": seed,
            "runs of simple players": size.simple,
            "runs of complex and variable players": size.tables,
            "other runs, to choose a setting by": size.chosen,
            "runs by exact values": size.sure,
            "matches of one against one": size.bust,
            "matches of each printed solution": size.rates,
            "runs in all of": size.more,
        },
        method=[" ".join(paragraph.split()) for paragraph in _METHOD.strip().split("\n\n")],
        rows=rows,
        figures=all_figures(done),
    )


def _row_contests(done: FunkeResults, rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the evolutions that open rows are from, where more were run."""
    played = {
        "twenty": ["simple/none/20", "simple/none/40"],
        "complex-40-30-": [f"complex/40-30/{done.best_rates('complex', '40-30').name}"],
        "appendix-b-": [one_run(done, "complex")],
        "appendix-c-": [one_run(done, "variable")],
        "one-cap-": ["variable/one-cap"],
        "population-10": ["variable/size-10", "variable/size-20"],
        "single-match": ["simple/single-match", "simple/70-60/20"],
        "complex-70-60-": [f"complex/70-60/{done.best_rates('complex', '70-60').name}"],
        "appendix-a-": [f"simple/70-60/{size}" for size in AGAINST_SIZES],
        **{
            f"against-{other}-{field}": [f"simple/{other}/{size}" for size in AGAINST_SIZES]
            for other in AGAINST["complex"][1:]
            for field in ("jam", "call", "won")
        },
    }
    return {
        row.id: names
        for row in rows
        for first, names in played.items()
        if row.is_open and row.id.startswith(first)
    }


_METHOD = """
No rows have what makes no claim that can be tried, which is what others have done (1.1), his program (1.6),
and that tournaments "se han paralelizado" (2.3), or one that cannot fail: scaling "respeta la ordenación"
(2.6), as it adds the same to every score.

Heads-up push/fold with an effective stack of 10 big blinds, or of 1 to 10 drawn for each hand. Players,
genetic operators and tournaments are the document's (`docs/evolution.md` says where it is mended): a match
ends when somebody has lost 500 big blinds, as in his figure 4.1, or after 5,000 hands; all-against-one plays
ten matches a player. It ends by convergence, after 200 generations at most. The solution is the best player
of the last generation, as in the document.

An evolution is repeated with several seeds, and a run is one unit of an interval (95 %, Student). Where the
first runs left a row undecided that little more could decide, there were more, once or twice: each time 1.5
times as many as it called for, set before, and all runs count. To stop as soon as a row is decided would
decide too many by chance; each further look adds at most 5 % to the chance of a wrong decision. Matches of
one against one are units themselves. What a solution wins is not played but computed exactly, in big blinds
per 100 hands (bb/100) over both seats. What best answers win from it is given in thousandths of a big blind a
hand (mbb/hand; 10 are 1 bb/100), both seats averaged: 0 is an equilibrium.

The document takes the mean of the performances of several matches, each until 500 big blinds are lost. That
is no measure of what is won (`mean-of-rates`), so the solutions of tables 4.2 and 4.4 play such matches
here, and their figures are compared with that mean; the exact winnings are beside it. From how many matches
his figures are is not told. Those of a table are taken to be means of equally many: their noise is from the
scatter of the whole table about ours, in standard deviations of a match, though the halves of table 4.4
scatter unlike (notes of `against-*-rates`). That of single ones is of ten matches.

What does not matter is the document's own (4.2.1): a solution is good that differs by "0 to 1, approximately"
from 57/37, which in its table is up to 1.26 bb/100. A difference below 5 bb/100 it calls not significant.
Within that what is won could hardly differ in table 4.2, as nobody wins more than 0.67 from 57/37; so its
figures are judged within 1, what is good. Those of table 4.4 are judged within the same, by our choice. One
that its own noise hides has no verdict (`beyond`): were it equal to ours, fewer than half of such comparisons
would lie within the margin, however much is played. The means of the tables can tell more. Where the document
has no bound, the row's note tells ours.

4.4.1 and appendix B describe one evolution, 4.6.1 and appendix C another, and neither tells its settings:
the claims on each are judged together, at the setting of twelve at which other runs fit them best
(`sweep-appendix-*`). Other rows are judged at the setting that is best in other runs: in a round robin (4.7)
the one whose solutions lose least to best answers, against one (4.5) the one whose solutions win most from
him.

Rows that end in `-time` are measured, so they differ from run to run and with what else the machine does; all
others follow from the seed.

Beyond the document, players evolve by exact values against the opponent that is best against each: the search
of `python -m pokerd evolve` as it is without options.
"""

STUDY = Study(_TITLE, _units, _report)
