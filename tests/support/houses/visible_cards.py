"""What a hand has shown to whom, the cards in a message, and formats that remember what they dealt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dealer.formats.cash import Cash
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import Stakes, TableEvent, TableFormat
from dealer.formats.tournament import Level, Tournament
from dealer.rules.cards import CARD_TEXTS
from dealer.rules.events import BoardDealt, HandStarted, Shown
from dealer.rules.games import load_game
from dealer.rules.hand import HandState
from tests.support.deals import deals_for

CARDS = frozenset(CARD_TEXTS)


class Noted:
    """A format that remembers the hands it dealt."""

    def __init__(self, play: TableFormat) -> None:
        self.play = play
        self.dealt: dict[int, HandState] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.play, name)

    def next_hand(self) -> HandState | None:
        hand = self.play.next_hand()
        if hand is not None:
            assert hand.number not in self.dealt
            self.dealt[hand.number] = hand
        return hand

    def finish_hand(self, hand: HandState) -> Sequence[TableEvent]:
        return self.play.finish_hand(hand)


def fixed(name: str) -> TableFormat:
    game = load_game(name)
    return FixedStacks(game, deals_for(game), 6)


def games() -> Iterator[tuple[str, TableFormat, int]]:
    for name in (
        "kuhn.limit.2p",
        "leduc.limit.2p",
        "holdem.limit.3p",
        "custom.nolimit.4p.uneven",
        "holdem.nolimit.6p",
    ):
        play = fixed(name)
        yield name, play, play.game.players
    for players, muck in ((2, True), (3, False), (4, True), (6, True)):
        stakes = Stakes(5, 10, 1, limit=players == 3, stack=60)
        yield (
            f"cash {players} {muck}",
            Cash(players, stakes, deals_for, hands=8, all_seated=True, muck=muck),
            players,
        )
    for players, muck in ((3, True), (5, False)):
        levels = [Level(5, 10, 0, 3), Level(20, 40, 5, 3)]
        yield f"tournament {players} {muck}", Tournament(players, levels, 100, deals_for, muck=muck), players


NAMES = [name for name, _, _ in games()]


def strings(value: Any) -> Iterator[str]:
    """Every text in a message, keys included."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from strings(key)
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)
    elif isinstance(value, str):
        yield value
    else:
        assert value is None or isinstance(value, (bool, int, float)), value


def texts(cards: Sequence[int]) -> list[str]:
    return [CARD_TEXTS[card] for card in cards]


def visible(hand: HandState, seat: int | None, count: int) -> set[str]:
    """The cards that the first ``count`` events of a hand have shown to a seat (None: to everybody)."""
    found: list[int] = []
    for event in hand.events[:count]:
        if isinstance(event, HandStarted) and seat in event.seats:
            found += event.hole[event.seats.index(seat)]
        elif isinstance(event, BoardDealt):
            found += event.cards
        elif isinstance(event, Shown):
            found += [card for _, cards in event.hands for card in cards]
    return set(texts(found))
