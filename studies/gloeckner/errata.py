"""The document's errors, and its statements about its own game and tables: each is computed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

import numpy as np

from dealer.rules.actions import CALL, FOLD
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import holdem
from strategy.mapping_bots.bias import REFERENCE, TABLES_PATH, preflop_tables, printed_shift
from strategy.mapping_bots.mapping import numeric_distances
from studies.gloeckner.document import ACTIVE, DIFFERENCES, ORDERED, STREETS, TRIPLES
from studies.gloeckner.jobs import KINDS
from studies.gloeckner.plan import MAPPED
from studies.harness.report import Row
from studies.harness.verdicts import exact_row, unjudged_row

_ROUNDING = 0.0021
# Three figures, each truncated after three decimals.


def errata_rows() -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield exact_row(
        "showdown",
        "2.1, glossary",
        "players who must be left for a showdown",
        "more than two",
        _left_at_showdown(),
        "After a fold and calls to the end the river ends with so many, and their hands are compared.",
        otherwise="document in error",
    )
    yield _regret()
    yield from _three_coins()
    keys = np.array([row[:3] for row in ORDERED], float)
    paper = " ".join(str(row[3]) for row in ORDERED)
    here = " ".join(f"{one:.0f}" for one in numeric_distances(keys))
    yield exact_row("table-4", "table 4", "the distances of four histories", paper, here)
    yield from _bias()
    yield _unread()
    yield from _own_tables()
    yield unjudged_row(
        "sartre",
        "6",
        "Sartre3P was the first by total bankroll at limit for three in the ACPC of 2011",
        None,
        "No verdict: nothing that is computed or played here bears on it, and its results are not at hand. "
        "Nor on what it says of others: Akuma was second in the TUD PokerChallenge of 2010 and of 2011, "
        "ownbot first in that of 2011 (4.5), hyperborean first in the ACPC of 2012 (5.3).",
    )


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
    return Row(
        "equation-1",
        "3.1, equation 1",
        "regret of heads in a game of matching pennies lost to tails, as our copy prints it",
        as_printed,
        right,
        "beyond",
        "As printed the opponents change their strategy as well, here to the equilibrium. Regret is what "
        "another strategy would have won against the opponents as they played. One superscript: the sentence "
        "above it and equation 3 have it right. Our copy loses symbols elsewhere too (theorems 2 and 3), so "
        "the document may have it right.",
    )


def coin_winnings(heads: Sequence[float]) -> list[float]:
    """Return what each of three players wins who show heads with these chances (3.2): who is alone pays one
    unit, half to each of the others.
    """
    won = [0.0] * 3
    for sides in product((True, False), repeat=3):
        chance = prod(one if side else 1 - one for one, side in zip(heads, sides, strict=True))
        if len(set(sides)) == 2:
            alone = sides.index(sides.count(True) == 1)
            for player in range(3):
                won[player] += chance * (-1.0 if player == alone else 0.5)
    return won


def _three_coins() -> Iterator[Row]:
    gains = [
        coin_winnings([0.5] * player + [side] + [0.5] * (2 - player))[player]
        for player in range(3)
        for side in (0.0, 1.0)
    ]
    claim = "three coins, heads half of the time: what anybody gains by another strategy"
    yield exact_row("coins-equilibrium", "3.2", claim, 0, max(gains))
    claim = "two who always show the same side: what the third wins each round who keeps to the equilibrium"
    yield exact_row("coins-together", "3.2", claim, -0.5, coin_winnings([0.5, 1.0, 1.0])[0])


def illegible_raises() -> str:
    """Return the hands whose raises by hyperborean our copy does not show."""
    return ", ".join(json.loads(TABLES_PATH.read_text(encoding="ascii"))["illegible"])


def _bias() -> Iterator[Row]:
    tables = preflop_tables()
    shift = printed_shift("hbb2", parse_cards("Qs2s"))
    yield exact_row(
        "bias-q2s",
        "5.3, appendix B",
        "by how much hbb2's chance to fold Q2s is raised",
        0.481,
        round(shift, 3),
        f"Appendix B has {tables[REFERENCE]['Q2s'][0]} for hyperborean's folds of Q2s; "
        f"{tables[REFERENCE]['K2s'][2]} is how often it raises K2s.",
        otherwise="document in error",
    )
    empty = sorted({name for bot in MAPPED for name, chances in tables[bot].items() if not any(chances)})
    shifts = {printed_shift(bot, parse_cards(f"{name[0]}s{name[1]}s")) for bot in MAPPED for name in empty}
    yield unjudged_row(
        "appendix-b-empty",
        "appendix B",
        "hands that hbb2, hbb3 and hbb4 neither fold nor call nor raise",
        ", ".join(empty) or "none",
        "Chances of (0, 0, 0): hands that were never dealt. Nothing is known of them, so their bias is "
        f"{', '.join(f'{one:.0f}' for one in shifts)} here.",
    )


def _unread() -> Row:
    return unjudged_row(
        "appendix-b-illegible",
        "appendix B",
        "hands whose raises by hyperborean our copy does not show",
        illegible_raises(),
        "What it neither folds nor calls is put there. No row uses them, only the picture of raises does.",
    )


def _own_tables() -> Iterator[Row]:
    """Yield the comparisons of tables 7 to 10 with each other."""
    cells = [triple for table in TRIPLES.values() for streets in table.values() for triple in streets]
    good = sum(abs(sum(triple) - 1) <= _ROUNDING * 2 for triple in cells)
    claim = "triples that sum to one, within rounding"
    yield unjudged_row("table-7-sums", "tables 7 to 10", claim, f"{good} of {len(cells)}")
    for number, bot in enumerate(MAPPED, 8):
        wrong = [
            f"{KINDS[kind]}s, {active} active, {STREETS[street]}"
            for active in ACTIVE
            for street, triple in enumerate(DIFFERENCES[bot][active])
            for kind, printed in enumerate(triple)
            if abs(_difference(bot, active, street, kind) - printed) > _ROUNDING
        ]
        yield exact_row(
            f"table-{number}-arithmetic",
            f"tables 7 and {number}",
            f"printed differences that are hyperborean's figure less that of {bot}, within rounding, of 24",
            24,
            24 - len(wrong),
            f"Not: {'; '.join(wrong)}." if wrong else "",
        )
    yield _largest()


def _difference(bot: str, active: int, street: int, kind: int) -> float:
    return TRIPLES[REFERENCE][active][street][kind] - TRIPLES[bot][active][street][kind]


def _largest() -> Row:
    """Return where each mapping is farthest from hyperborean; how clear a difference is, is not said."""
    places = [(active, street) for active in ACTIVE for street in range(len(STREETS))]
    most = {
        bot: {place: max(abs(_difference(bot, *place, kind)) for kind in range(3)) for place in places}
        for bot in MAPPED
    }
    folds = [abs(_difference(bot, *place, 0)) for bot in MAPPED for place in places if place != (3, 0)]
    two = [found[2, 0] for found in most.values()]
    farthest = {max(found, key=found.__getitem__) for found in most.values()}
    where = "; ".join(f"{active} active, {STREETS[street]}" for active, street in sorted(farthest))
    there, other = (
        [value for found in most.values() for place, value in found.items() if (place == (3, 0)) == here]
        for here in (True, False)
    )
    return exact_row(
        "table-7-difference",
        "5.3",
        "where each mapping differs most from hyperborean, by the document's own tables",
        "3 active, preflop",
        where,
        f"The largest difference of one chance: {min(there):.3f} to {max(there):.3f} there, elsewhere at "
        f"most {max(other):.3f}; of folds, its subject, elsewhere at most {max(folds):.3f}. The document "
        "says that a clear difference is there alone; that does not follow from its tables: with two active "
        f"before the flop the largest is {min(two):.3f} to {max(two):.3f}.",
    )
