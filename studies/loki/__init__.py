"""The study ``loki``: the experiments of Peña 1999, 4.3, 5.3 and 5.4.2, and Loki against other house bots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from studies.harness.report import Row, StudyReport
from studies.harness.runner import Study
from studies.harness.work import Unit
from studies.loki.claims import all_rows, why_b
from studies.loki.figures import all_figures
from studies.loki.jobs import LIKELIEST
from studies.loki.plan import ALWAYS_CALL, COUNTED, DUELS, FIELDS, VARIANTS, LokiPlan

_TITLE = "Peña 1999: Loki-1 and the enhancements of Loki-2"


def _units(quick: bool, seed: int) -> list[Unit]:
    return LokiPlan(quick, seed).units()


def _report(quick: bool, seed: int, done: Mapping[str, Any]) -> StudyReport:
    plan = LokiPlan(quick, seed)
    size = plan.sizes
    rows = all_rows(plan, done)
    return StudyReport(
        study="loki",
        title=_TITLE,
        quick=quick,
        row_contests=_row_contests(plan, rows),
        settings={
            "seed": seed,
            "deals among ten": size.matches * size.deals,
            "seatings of each": 10,
            "deals six-handed": size.matches * size.duel_deals,
            "deals against akuma": size.matches * size.slow_deals,
        },
        method=[
            *(" ".join(paragraph.split()) for paragraph in _METHOD.strip().split("\n\n")),
            why_b(plan, done),
        ],
        rows=rows,
        figures=all_figures(plan, done),
    )


def _row_contests(plan: LokiPlan, rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the contests that open rows are from."""
    trials = [name.partition("/")[2] for name in plan.contests if name.startswith("trial/")]
    contests = {
        **{f"B-{trial}": [f"trial/{trial}"] for trial in trials},
        **{f"B-{trial}-more": [f"trial/{trial}", "homogeneous/B"] for trial in trials},
        **{f"{hero}-{other}": [f"{hero}/{other}"] for hero, other in DUELS},
        **{f"loki2-loki1-{other}": [f"loki2/{other}", f"loki1/{other}"] for _, other in DUELS},
        "B-random": [f"loki2-b/{LIKELIEST}"],
        "B-unpredictable": [COUNTED],
        "always-call": [ALWAYS_CALL],
        "always-call-gain": [ALWAYS_CALL],
        "always-call-less": [ALWAYS_CALL, "homogeneous/S"],
    }
    for row in rows:
        field, *words = row.id.split("-")
        if row.is_open and field in FIELDS:
            letters = [one for one in VARIANTS if one in words] or ["B", "R", "BR"]  # additive
            contests[row.id] = [f"{field}/{one}" for one in letters]
    return contests


_METHOD = """
Limit hold'em for ten. Every deal is played ten times, all moving on by a seat, so that every player has had
every hand; neighbours stay neighbours. The document plays 2,500 deals, 25,000 games, of each, a full run
half as many again: what an hour allows. With 2,500 they were looked at before; a second look adds at most 5 %
to the chance of a wrong decision.

In the homogeneous field two players with an enhancement meet eight Loki-1 that play loose before the flop
and raise alike. In the mixed field there are five pairs, two of them tight and passive, then tight and
aggressive, loose and passive, loose and aggressive: in each a Loki-1 and a player with the enhancement, both
of that style. Passive ones raise with an EHS of .95, a choice of ours.

Deals are played in matches of 250, and memories start anew with each match and seating; a deal with all its
seatings is one unit of an interval. All contests have the same deals, so comparisons are made deal by deal.

The document at hand is a French summary of Peña 1999. It leaves out what came of the experiments: rows that
cite Peña or Papp rest on their theses alone, those that cite the summary on it. The figures of 4.3 are images
in our copy, and those of 5.3 were not found, so a claim is its direction: above zero; none of ours stands
beside them, and what each style wins is not judged. One gain is a figure in the text, that of 5.4.2. Where
the documents leave numbers out (thresholds before the flop, the rows of triples, how sigma follows the
frequencies), ours stand in `strategy/loki` with their reasons, and may differ in strength from the originals.
A player with S does not choose by B's triples after the flop; its trials play on by triples, as the
document's do (summary, 4: the third use of triples). The thesis (5.2) deals hands to those who have folded,
too; ours does not.

No row is about the showdown odds of 3.2.2, for which no figure is printed; about the comparison with
alpha-beta (5.4.3) and the other programs of 6, which are told and not measured; or about what 7 says of play
against people, of whom we have none: the rows with BRS are of self-play.

Why B gains what it gains is looked at in the homogeneous field, without R. Its triples bet weak hands far
more often than Loki-1 does. `B-seldom` removes most of these bets, `B-hard` the gradual change between
actions, `B-seldom-hard` both; in `B-unlearning` nobody learns how the others play. `B-example` and its like
play by the only triples that are printed; their third row sums to .9, and each mends it otherwise.
"""

STUDY = Study(_TITLE, _units, _report)
