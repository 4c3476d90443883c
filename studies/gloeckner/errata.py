"""The document's errors, and its statements about its own tables: each is computed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dealer.match import seatings
from dealer.rules.actions import CALL, FOLD
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import holdem
from strategy.mapping_bots.bias import REFERENCE, preflop_tables, printed_shift
from strategy.mapping_bots.mapping import numeric_distances
from studies.gloeckner.document import ACTIVE, DIFFERENCES, ORDERED, STREETS, TRIPLES
from studies.gloeckner.jobs import KINDS
from studies.gloeckner.plan import MAPPED
from studies.harness.report import Row, Value
from studies.harness.verdicts import judge_exact

_ROUNDING = 0.0021
# Three figures, each truncated after three decimals.


def errata_rows() -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield _wrong(
        "showdown",
        "2.1, glossary",
        "players who must be left for a showdown",
        "more than two",
        _left_at_showdown(),
        "After a fold and calls to the end the river ends with so many, and their hands are compared.",
    )
    yield _regret()
    yield _seating()
    keys = np.array([row[:3] for row in ORDERED], float)
    paper = " ".join(str(row[3]) for row in ORDERED)
    here = " ".join(f"{one:.0f}" for one in numeric_distances(keys))
    claim = "the distances of four histories"
    yield Row("table-4", "table 4", claim, paper, here, judge_exact(paper == here))
    yield _order()
    yield from _bias()
    yield from _own_tables()


def _wrong(row: str, source: str, claim: str, paper: Value, here: Value, note: str) -> Row:
    return Row(row, source, claim, paper, here, "document in error" if paper != here else "reproduced", note)


def _left_at_showdown() -> str:
    betting = Betting(holdem(3, 5, 10, limit=True))
    betting.act(FOLD)
    while betting.to_act >= 0:
        betting.act(CALL)
    return {2: "two or more"}.get(betting.live, str(betting.live))


def _regret() -> Row:
    """Return equation 1 for one game of matching pennies; the first player wins if both show the same."""
    pays = np.array([[1.0, -1.0], [-1.0, 1.0]])
    mine, theirs = 0, 1
    best = np.full(2, 0.5)
    as_printed = float(best @ pays @ best - pays[mine, theirs])
    right = float(pays[:, theirs].max() - pays[mine, theirs])
    return _wrong(
        "equation-1",
        "3.1, equation 1",
        "regret of heads in a game of matching pennies lost to tails",
        as_printed,
        right,
        "As printed the opponents change their strategy as well, here to the equilibrium. Regret is what "
        "another strategy would have won against the opponents as they played.",
    )


def _seating() -> Row:
    first, second = (tuple(f"Bot{player + 1}" for player in order) for order in seatings(3)[:2])
    has = dict(zip(second, first, strict=True))
    return _wrong(
        "seating-cards",
        "4.5, steps 5 and 6",
        "whose first cards of the first seating Bot3 has at the second",
        "Bot1",
        has["Bot3"],
        f"With the seats of step 5 Bot1 gets the cards of {has['Bot1']}. Over the six seatings each has the "
        "cards of every seat twice, against both orders of the others, in either case.",
    )


def _order() -> Row:
    """Return the order of a triple: 72o is folded most, and aces are raised."""
    table = preflop_tables()[REFERENCE]
    order = dict.fromkeys(range(3), "call")
    order[int(np.argmax(table["72o"]))] = "fold"
    order[int(np.argmax(table["AA"]))] = "raise"
    return _wrong(
        "triple-order",
        "5.2, footnote 7",
        "what the three chances of a triple are",
        "raise, call, fold",
        ", ".join(order[place] for place in range(3)),
        "Captions of the tables say fold, call, raise, and appendix B bears it out: 72o is mostly folded, "
        "and aces are raised.",
    )


def _bias() -> Iterator[Row]:
    tables = preflop_tables()
    shift = printed_shift("hbb2", parse_cards("Qs2s"))
    yield _wrong(
        "bias-q2s",
        "5.3, appendix B",
        "by how much hbb2's chance to fold Q2s is raised",
        0.481,
        round(shift, 3),
        f"Appendix B has {tables[REFERENCE]['Q2s'][0]} for hyperborean's folds of Q2s; "
        f"{tables[REFERENCE]['K2s'][2]} is how often it raises K2s.",
    )
    empty = sorted({name for bot in MAPPED for name, chances in tables[bot].items() if not any(chances)})
    shifts = {printed_shift(bot, parse_cards(f"{name[0]}s{name[1]}s")) for bot in MAPPED for name in empty}
    yield _wrong(
        "appendix-b-empty",
        "appendix B",
        "hands that hbb2, hbb3 and hbb4 neither fold nor call nor raise",
        "none",
        ", ".join(empty) or "none",
        "Chances of (0, 0, 0): hands that were never dealt. Nothing is known of them, so their bias is "
        f"{', '.join(f'{one:.0f}' for one in shifts)} here.",
    )


def _own_tables() -> Iterator[Row]:
    """Yield the comparisons of tables 7 to 10 with each other."""
    cells = [triple for table in TRIPLES.values() for streets in table.values() for triple in streets]
    good = sum(abs(sum(triple) - 1) <= _ROUNDING * 2 for triple in cells)
    yield Row(
        "table-7-sums",
        "tables 7 to 10",
        "triples that sum to one, within rounding",
        len(cells),
        good,
        judge_exact(good == len(cells)),
    )
    for number, bot in enumerate(MAPPED, 8):
        wrong = [
            f"{KINDS[kind]}s, {active} active, {STREETS[street]}"
            for active in ACTIVE
            for street, triple in enumerate(DIFFERENCES[bot][active])
            for kind, said in enumerate(triple)
            if abs(_difference(bot, active, street, kind) - said) > _ROUNDING
        ]
        yield Row(
            f"table-{number}-arithmetic",
            f"tables 7 and {number}",
            f"printed differences that are hyperborean's figure less that of {bot}, within rounding, of 24",
            24,
            24 - len(wrong),
            judge_exact(not wrong),
            f"Not: {'; '.join(wrong)}." if wrong else "",
        )
    yield _largest()


def _difference(bot: str, active: int, street: int, kind: int) -> float:
    return TRIPLES[REFERENCE][active][street][kind] - TRIPLES[bot][active][street][kind]


def _largest() -> Row:
    places = [(active, street) for active in ACTIVE for street in range(len(STREETS))]
    largest = set()
    for bot in MAPPED:
        sizes = {place: max(abs(_difference(bot, *place, kind)) for kind in range(3)) for place in places}
        largest.add(max(sizes, key=sizes.__getitem__))
    here = "; ".join(f"{active} active, {STREETS[street]}" for active, street in sorted(largest))
    return Row(
        "table-7-difference",
        "5.3",
        "where the mappings differ most from hyperborean, by the document's own tables",
        "3 active, preflop",
        here,
        judge_exact(here == "3 active, preflop"),
    )
