"""A table in an archive of hands, and hands of any number to keep there."""

from __future__ import annotations

import random

from dealer.deck import SEED_BYTES, commitment
from dealer.rules.events import Event, HandEnded, HandStarted
from dealer.rules.games import Game, holdem
from server.storage.hand_store import HandStore, TableRecorder
from tests.dealer.records.played import random_hand

SEED = bytes(range(SEED_BYTES))
GAME = holdem(3, 5, 10, stack=300)
EVENTS = random_hand(GAME, random.Random(1), muck=True).events


def opened(archive: HandStore, name: str = "table-1", game: Game = GAME) -> TableRecorder:
    """A table that is recorded."""
    return archive.open_table(name, mode="cash", game=game, seats=game.players, commitment=commitment(SEED))


def numbered(number: int) -> list[Event]:
    """A hand of that number."""
    first, *middle, last = EVENTS
    assert isinstance(first, HandStarted)
    assert isinstance(last, HandEnded)
    return [first._replace(hand=number), *middle, last._replace(hand=number)]
