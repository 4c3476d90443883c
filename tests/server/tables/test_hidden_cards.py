"""What somebody is told, and when, does not depend on cards that he may not see.

The same evening is played twice. The second time everybody but one viewer gets other hole cards; boards
and actions are the same. Until a hand is shown down the viewer must be sent the same messages after each
step, and the table must wait until the same times: neither a word nor a pause tells a card.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import pytest

from dealer.formats.format import Stakes
from dealer.rules.events import HandStarted, Shown
from dealer.rules.hand import CardSource, HandState
from tests.server.tables.sight import Repeatable, Scene, Visitor
from tests.support.houses.people import Message


class Step(NamedTuple):
    """What the viewer was told in a step, until when the table waits after it, and whether cards lie open,
    now or in a hand before.
    """

    told: tuple[Message, ...]
    until: float | None
    open: bool


class OtherHoleCards(NamedTuple):
    """The boards of ``source`` under other hole cards."""

    source: CardSource
    hole: tuple[tuple[int, ...], ...]

    def board(self, street: int) -> tuple[int, ...]:
        return self.source.board(street)


class Viewer(Visitor):
    """Keeps what he is told, step by step."""

    def __init__(self, scene: Scene, name: str, *, person: bool) -> None:
        super().__init__(scene, name, person=person)
        self.steps: list[Step] = []
        self._told: list[Message] = []

    def check(self, news: list[Message]) -> None:
        super().check(news)
        # The secret to come back with, which is in it, is drawn anew in every run.
        self._told += [message for message in news if message["type"] != "welcome"]

    def look(self) -> None:
        super().look()
        hands = [dealt.hand for dealt in self.scene.notes.dealt.values()]
        shown = any(isinstance(event, Shown) for hand in hands for event in hand.events)
        self.steps.append(
            Step(tuple(self._told), self.scene.table.table.deadline, shown or bool(self.scene.chosen))
        )
        self._told = []


class Evening(Scene):
    """A cash table with one viewer. ``others``: everybody else gets other cards."""

    def __init__(self, seed: str, viewer: int, *, others: bool, **settings: Any) -> None:
        super().__init__(random.Random(seed), **settings)
        self.house.clock = lambda: 1000.0
        taken = self.visitors[viewer]
        self.viewer = self.visitors[viewer] = Viewer(self, taken.name, person=taken.person)
        self._cards = random.Random(f"others {seed}")
        deal = self.table.table_format.next_hand

        def next_hand() -> HandState | None:
            hand = deal()
            if hand is not None and others and not hand.over:
                self.give_other_cards(hand)
            return hand

        self.table.table_format.next_hand = next_hand  # type: ignore[method-assign]

    def give_other_cards(self, hand: HandState) -> None:
        source: CardSource = hand._cards
        board = [card for street in range(hand.game.rounds) for card in source.board(street)]
        own = self.viewer.seat
        kept = hand.hole[hand.seats.index(own)] if own in hand.seats else ()
        free = self._cards.sample(sorted(set(range(52)) - {*board, *kept}), 2 * len(hand.seats))
        pairs = (tuple(free[place : place + 2]) for place in range(0, len(free), 2))
        hole = tuple(kept if seat == own else pair for seat, pair in zip(hand.seats, pairs, strict=True))
        hand._cards, hand.hole = OtherHoleCards(source, hole), hole
        started = hand.events[0]
        assert isinstance(started, HandStarted)
        hand.events[0] = started._replace(hole=hole)


def evening(
    seed: int, viewer: int, monkeypatch: pytest.MonkeyPatch, *, others: bool, **settings: Any
) -> list[Step]:
    """Play an evening, and return what its viewer was told."""
    for module in ("open_table", "config"):
        monkeypatch.setattr(f"server.tables.{module}.secrets", Repeatable(random.Random(seed)))
    monkeypatch.setattr("server.tables.chat.time", Stopped)
    scene = Evening(f"evening {seed}", viewer, others=others, stakes=Stakes(5, 10, stack=400), **settings)
    scene.run(120)
    return scene.viewer.steps


class Stopped:
    """A clock that stands still, in the place of ``time``."""

    @staticmethod
    def time() -> float:
        return 0.0


@pytest.mark.parametrize("viewer", [0, 1])
async def test_nothing_tells_a_card_that_is_hidden(viewer: int, monkeypatch: pytest.MonkeyPatch) -> None:
    hands = compared = 0
    for seed in range(40):
        once, changed = (evening(seed, viewer, monkeypatch, others=others) for others in (False, True))
        for before, after in zip(once, changed, strict=True):
            assert before.open == after.open
            if before.open:
                break
            assert before == after
            compared += sum(message["type"] == "acted" for message in before.told)
            hands += sum(message["type"] == "hand_end" for message in before.told)
    assert compared > 150
    assert hands > 10
