"""The study ``gloeckner``: the tables of Glöckner 2013, and a player trained with three players."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from studies.gloeckner.actions import action_rows
from studies.gloeckner.analyses import analysis_rows, sense_rows
from studies.gloeckner.document import NEIGHBOURS, SITUATIONS, TABLE_1
from studies.gloeckner.errata import errata_rows
from studies.gloeckner.exact import exact_rows
from studies.gloeckner.figures import all_figures
from studies.gloeckner.hbb6_tournament import hbb6_rows
from studies.gloeckner.plan import ANALYSED, MAPPED, TRIALS, GloecknerPlan, GloecknerResults, line_up_name
from studies.gloeckner.tables import nearest_name, table_rows
from studies.gloeckner.tournaments import explain_scale, tournament_rows
from studies.harness.report import Row, StudyReport
from studies.harness.runner import Study
from studies.harness.work import Unit

_TITLE = "Glöckner 2013: a two-player strategy mapped to three-player limit hold'em"


def _units(quick: bool, seed: int) -> list[Unit]:
    return GloecknerPlan(quick, seed).units()


def _report(quick: bool, seed: int, results: Mapping[str, Any]) -> StudyReport:
    plan = GloecknerPlan(quick, seed)
    size, done = plan.sizes, GloecknerResults(plan, results)
    rows, method = _all_rows(done), [" ".join(one.split()) for one in _METHOD.strip().split("\n\n")]
    (again,) = [row for row in rows if row.id == "again-factor"]
    return StudyReport(
        study="gloeckner",
        title=_TITLE,
        quick=quick,
        settings={
            "seed": seed,
            "deals of a match": size.deals,
            "deals against two fair players": size.fair_deals * size.fair_matches,
            "deals with changed players": size.changed_deals,
            "trials of akuma": TRIALS,
            "matches in all of": size.more,
        },
        method=method if quick else [*method, explain_scale(done, again)],
        rows=rows,
        figures=all_figures(done),
        row_contests=_row_contests(plan, rows),
    )


def _row_contests(plan: GloecknerPlan, rows: Sequence[Row]) -> dict[str, list[str]]:
    """Return the matches that open rows are from."""
    matches = {row.id: list(matches_of(row.id)) for row in rows if row.is_open}
    return {row: names for row, names in matches.items() if names}


def matches_of(row: str) -> Iterator[str]:
    """Yield the contests that a row is from, if it is from few."""
    match row.split("-"):
        case "table", "1", "raise":
            yield from (line_up_name(one) for one in TABLE_1 if "raise" in one)
        case "table", "1", bot, other, third:
            yield line_up_name((bot, other, third))
        case "table", ("3" | "5") as table, *words:
            yield from _with_nearest(int(table), words)
        case "table", ("8" | "9" | "10") as table, _, _:
            yield line_up_name((MAPPED[int(table) - 8], "akuma", "ownbot"))
        case ("table", ("11" | "12" | "15"), bot, which) | ("always" as which, bot):
            alone, other = f"fair/{bot}", f"fair/{bot}-{which}"
            yield from {
                "gain": [alone, f"{alone}-bias"],
                "finer": [alone, f"{alone}-finer"],
                "finest": [f"{alone}-bias", f"{alone}-finer"],
                "always": [alone],
                "folded": [other],
                "folded_preflop": [other],
                "max": [other],
                "without": [alone],
            }.get(which, [f"{alone}-bias"])
        case "table", "12", "hbb5":
            yield "fair/hbb5"
        case "likeliest", "akuma":
            yield from ("likeliest/hbb5", line_up_name(("hbb5", "akuma", "ownbot")))
        case "improvement", bot, other, *where:
            for one in (bot, other):
                yield line_up_name((one, "akuma", "ownbot")) if where else f"fair/{one}"
        case ("table", "6", *words) | ("diagram", "2", *words):
            yield from _analysed(words)
        case ["helps"]:
            yield "fair/none"
            yield from (f"fair/hbb{number}-{when}" for number in range(1, 6) for when in SITUATIONS[1:])


def _analysed(words: Sequence[str]) -> Iterator[str]:
    """Yield the contests that a row of table 6 or of diagram 2 is from."""
    match words:
        case [bot, *more] if bot in MAPPED:
            yield f"analysis/{bot}-{ANALYSED[more == ['15']]}"
        case _:
            yield from (f"analysis/hbb3-{nearest}" for nearest in ANALYSED)


def _with_nearest(table: int, words: Sequence[str]) -> Iterator[str]:
    """Yield the contests that a row of table 3 or 5 is from."""
    bots: Sequence[str] = MAPPED
    places: Sequence[int] = range(len(NEIGHBOURS))
    match words:
        case bot, "growing":
            bots, places = (bot,), (0, 4 if table == 3 else 3)
        case bot, "step", nearest:
            place = NEIGHBOURS.index(int(nearest))
            bots, places = (bot,), (place - 1, place)
        case bot, nearest:
            bots, places = (bot,), (NEIGHBOURS.index(int(nearest)),)
    yield from (nearest_name(table, bot, NEIGHBOURS[place])[0] for bot in bots for place in places)


def _all_rows(done: GloecknerResults) -> list[Row]:
    """Return the rows of the report."""
    return [
        *exact_rows(),
        *errata_rows(),
        *tournament_rows(done),
        *table_rows(done),
        *analysis_rows(done),
        *sense_rows(done),
        *action_rows(done),
        *hbb6_rows(done.hbb6_tournament),
    ]


_METHOD = """
Limit hold'em for three, with blinds of 5 and 10, raises of 10 and 20, three before the flop and four on later
streets. A match is 1,000 deals at all six seatings, 6,000 hands, with memories reset between seatings, as in
the document. Where two players are the same (tables 5, 11, 12 and 15) it has three seatings, as in the
document (of table 12 we infer it), and 2,000 deals in two matches: 6,000 hands, where the document has 3,000
in three of these tables. The head of this report names the contests that have more matches, and how many in
all. All matches of three have the same deals, so differences are taken deal by deal, of the deals that both
have.

Where that left rows undecided, the matches of those that called for least were played on, once or twice, to
about 1.5 times the deals they called for, set before, and all their deals count. Then whole families that are
cheap and had undecided rows were raised once, whatever each row said: the mappings of table 5 to 14 matches
(before: 2, two had more), of table 11 with the finer bias to 16 (2) and with the bias to 48 (8 to 28), and
alone against fair players to 28 (7 to 18); in table 1 mappings and ownbot alone to 6 (1), in table 3 the 15
nearest and the nearest to 3 (1, two have more), and the analyses to 2 (1). A row that is looked at twice is
wrong with a chance of at most 10 %, not 5 % (8 % if the second look doubles the data: Armitage, McPherson and
Rowe 1969); each further look adds at most 5 %. So what is still undecided stays so, however little it calls
for. Tables 1 and 2 as a whole (bankrolls, rankings, scale) are of the first 1,000 deals.

Winnings are thousandths of a big blind a hand (mbb); the document's chips are converted. A deal with all its
seatings, and in bankrolls with all its line-ups, is one unit of an interval. The document gives no intervals:
its figures are taken to be as uncertain as ours with as many deals, 2,000 in table 12 and 1,000 in all
others. A figure that differs surely is not reproduced, whatever the document's noise; one that does not, and
whose noise hides what would matter, has no verdict. So where that noise exceeds the margin only "not
reproduced" or no verdict could come out: the counts tell of how many that is so, and are one-sided by that.

Where the document claims something without a number, as that there is no improvement, the bound is one that
its own figures meet. Winnings are reproduced if the difference is surely at most half of the document's
figure, or 50 mbb, if that is more (a tenth of what a player of three loses who folds every hand). So only a
figure beyond 50 mbb must have the document's sign. Many figures of the document are less certain than that,
and hardly any study could reproduce them. Were all true figures equal, at most some five of the 105 of table
1 would be not reproduced by chance, whether noise hides them or not, and not each by itself, as the three of
a match sum to zero. A match that several tables print is one match here and judged in the first of them, and
an answer that several rows have is judged once; claims about them are rows of their own. Counts of decisions
(tables 6 to 10, diagrams, appendix B) have 20 blocks of consecutive deals, each over all its seatings, as
units. Tables 8 to 10 and appendix B are compared by how far all chances are apart; their intervals come from
leaving out one block in turn. Chances in the worked examples are computed and have no interval: they are
reproduced within a tenth. What must hold by proof, or by how our program was made, is told as a check of it,
without a verdict.

The document's two-player strategy is not to be had: all mappings ask the blueprint of `cfr`. Nor are its
benchmark players. Our `akuma` stands for Akuma, of which little more than the idea is published; our `ownbot`
for the winner of the TUD PokerChallenge 2011, of which the document tells only what it does once two players
are left; `fair` for the mathematically fair dpp. Its listings 1 to 4 are parts of its program; they are not
run here. So a size that differs says little; rows on signs say more.

To save time akuma plays 100 trials a decision, not 1,000. In a test of 350 deals among 1,000, 100 and 50
trials the first two won 165 and 131 mbb, with intervals of some 220; 50 trials lost 296.

The document says of table 5 that its program passed over histories without an answer (5.2); that it did so in
tables 6 to 15, we infer. So do the mappings here against two fair players and in the analyses; in the matches
of tables 1 to 3, which also count the actions of tables 8 to 10 and appendix B, every history has an answer.
The document does not say whom its bots met there: here akuma and ownbot. The bias of table 11 is
hyperborean's folds of appendix B less those of our own mappings, counted in 12,000 hands against akuma and
ownbot, in which they pass over histories without an answer as they do in table 11. An action is drawn by its
chance.

Of the histories that a filter leaves, the document logs how many are without an answer. Here at most 20 of
them are looked at for each mapping, at equal steps from the nearest to the farthest: looking at all would
take longer than the match.

These analyses (table 6, diagrams 1 and 2, and the rows about histories without an answer) have 4,000 deals at
all six seatings, 24,000 hands, against two `random`: some 120,000 mappings of each bot, where the document
has 57,759 of hbb2, 55,790 of hbb3 and 58,180 of hbb4.

`hbb6` was trained for three players, and maps nothing. It plays with the five mappings, `akuma` and `ownbot`
in a tournament of our own. Its lead over each is told for both rankings; that of the run-off is of the last
round in which both are left, as it went here. Samples are 200 draws of the deals with replacement.
"""

STUDY = Study(_TITLE, _units, _report)
