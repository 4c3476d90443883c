"""Records of tables of every kind, played at random: fixed stacks, cash and tournament, limit and no-limit,
two to ten players, antes, uneven stacks, and all-ins of every size.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from dealer.deck import SecureDeals, secure_deals
from dealer.formats.cash import Cash
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import Stakes, TableFormat
from dealer.formats.tournament import Level, Tournament
from dealer.records.hands import HandMetadata, HandRecord
from dealer.rules.events import Acted, Event, Shown
from dealer.rules.games import Game, holdem
from tests.dealer.records.played import random_action

NAMES = ("Ann", "bob_2", "Cy", "d", "Eve", "fritz", "Ünal", "hal9000", "i", "jo:e?")


class Tables(NamedTuple):
    """What kinds of tables to play at, what part of them limit, and whether some have antes."""

    kinds: tuple[str, ...] = ("fixed", "cash", "tournament")
    rules: tuple[str, ...] = ("standard", "acpc")
    limit: float = 0.35
    antes: bool = True


ALL = Tables()


def random_records(
    source: random.Random, hands: int, *, names: Sequence[str] = NAMES, tables: Tables = ALL
) -> Iterator[HandRecord]:
    """So many hands, of tables that are left after some of them."""
    while hands > 0:
        table, meta = _table(source, tables)
        for _ in range(min(hands, source.randint(1, 12))):
            hand = table.next_hand()
            if hand is None:
                break
            while not hand.over:
                hand.act(random_action(hand, source), forced=source.choice(["", "", "", "timeout"]))
            table.finish_hand(hand)
            yield HandRecord(hand.game, hand.events, dict(enumerate(names)), meta)
            hands -= 1


def _table(source: random.Random, tables: Tables) -> tuple[TableFormat, HandMetadata]:
    seats = source.randint(2, 10)
    big = source.choice((2, 3, 10, 20, 100))
    small = source.choice((max(1, big // 2), max(1, big // 3)))
    ante = source.choice((0, 0, 0, 1, max(1, big // 5), big)) * tables.antes
    limit = source.random() < tables.limit
    seed = source.randbytes(32)

    def deals_for(game: Game) -> SecureDeals:
        return secure_deals(seed, 0, game)

    kind = source.choice(tables.kinds)
    if kind == "fixed":
        game = _fixed(source, seats, small, big, ante, limit=limit, rules=tables.rules)
        return FixedStacks(game, deals_for(game), 1000), HandMetadata(table="fixed-1")
    stack = source.choice((2, 5, 20, 200)) * big + ante
    if kind == "cash":
        stakes = Stakes(small, big, ante, limit, stack)
        cash = Cash(seats, stakes, deals_for, muck=source.random() < 0.8, all_seated=True)
        cash.stacks = [source.randint(1, 3 * stack) for _ in range(seats)]
        return cash, HandMetadata(table="cash 1")
    levels = [Level(small * 2**level, big * 2**level, ante, 4) for level in range(4)]
    return Tournament(seats, levels, stack, deals_for, limit=limit), HandMetadata(
        table="t", tournament="77", level=2
    )


def _fixed(
    source: random.Random, seats: int, small: int, big: int, ante: int, *, limit: bool, rules: Sequence[str]
) -> Game:
    most = source.choice((3, 20, 200)) * big
    return holdem(
        seats,
        small,
        big,
        ante=ante,
        limit=limit,
        stack=[big + ante + source.randint(1, most) for _ in range(seats)],
        rules=source.choice(rules),
    )


def normal(record: HandRecord) -> tuple[object, ...]:
    """What no format loses of a hand: all but why the table acted for a player, and whether hands that
    are all shown were shown before or after the rest of the board.
    """
    events: list[Event] = []
    shown: list[Event] = []
    for event in record.events:
        if isinstance(event, Shown):
            shown.append(event)
        else:
            events.append(event._replace(forced="") if isinstance(event, Acted) else event)
    names = {seat: record.names[seat] for seat in record.started.seats}
    game = record.game
    return (events, shown, names, game.limit, game.rules, max(game.blinds), game.ante, game.raise_sizes)
