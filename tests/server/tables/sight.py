"""An open table and those around it, driven at random: each checks every card that he is sent.

What somebody may see is worked out here from the hands that were dealt, and from who held which seat then.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dealer.rules.evaluation import hand_label
from dealer.rules.hand import HandState
from dealer.table import Clock
from protocol.codec import CODECS, Codec
from server.house.house import House
from server.tables.open_table import OpenTable
from server.tables.player import Player
from tests.dealer.records.played import random_action
from tests.support.houses.people import Memory, Message, open_table
from tests.support.houses.visible_cards import CARDS, strings, texts, visible

CODEC_LIST: Sequence[Codec] = tuple(CODECS.values())


class Dealt(NamedTuple):
    """A hand, who held the seats when it was dealt, and what was shown by choice afterwards."""

    hand: HandState
    holders: tuple[Player | None, ...]
    chosen: set[str]


class Notes:
    """Every hand that a table deals, by match and number."""

    def __init__(self, table: OpenTable) -> None:
        self.table = table
        self.dealt: dict[tuple[str, int], Dealt] = {}
        self.noted: object = None
        self.look()

    def look(self) -> None:
        """Note the hands of the match that is played now."""
        play = self.table.table_format
        if play is self.noted:
            return
        self.noted = play
        deal: Callable[[], HandState | None] = play.next_hand
        match = self.table.facts.match

        def next_hand() -> HandState | None:
            hand = deal()
            if hand is not None:
                assert (match, hand.number) not in self.dealt
                self.dealt[match, hand.number] = Dealt(hand, tuple(self.table.players), set())
            return hand

        play.next_hand = next_hand  # type: ignore[method-assign]


class Visitor:
    """Somebody who comes and goes; checks all that he is told."""

    def __init__(self, scene: Scene, name: str, *, person: bool) -> None:
        self.scene = scene
        self.name = name
        self.person = person
        self.client: Memory | None = None
        self.match = ""
        self.told: dict[int, Message] = {}
        self.now: Dealt | None = None
        self.first = self.last = 0
        self.cards = 0
        self.kinds: set[str] = set()

    @property
    def player(self) -> Player | None:
        return self.scene.house.players.get(self.name)

    @property
    def seat(self) -> int:
        entry = self.player.seats.get("table-1") if self.player is not None else None
        return -1 if entry is None else entry[1]

    def say(self, kind: str, **fields: Any) -> list[Message]:
        assert self.client is not None
        news = self.client.say(kind, **fields)
        self.check(news)
        return news

    def come(self) -> None:
        player = self.player
        proof = {} if player is None else {"resume": player.resume}
        self.client = Memory(self.scene.house, self.scene.source.choice(CODEC_LIST))
        self.now = None
        self.say("hello", name=self.name, person=self.person, tables=2, **proof)

    def look(self) -> None:
        if self.client is not None:
            self.check(self.client.news())

    def check(self, news: list[Message]) -> None:
        for message in news:
            self.kinds.add(message["type"])
            assert message["type"] not in ("faceup", "challenge")
            self.scene.notes.look()
            if message["type"] == "match_start":
                self.now = None
                self.match = message["match"]
                if not message.get("resumed"):
                    self.told = {}
                assert message["seat"] >= 0 or message["seed"] == 0
            if "seq" in message:
                assert self.told.setdefault(message["seq"], message) == message, "told otherwise before"
                if message["type"] == "hand_start":
                    self.now = self.scene.notes.dealt[self.match, message["hand"]]
                    self.first = message["seq"]
                self.last = message["seq"]
            seen = self.seen()
            if message["type"] == "showed":
                # Who came after the hand hears of it here for the first time.
                dealt = self.scene.notes.dealt[self.match, message["hand"]]
                assert dealt.hand.over
                dealt.chosen.update(self.scene.chosen[self.match, message["hand"], message["seat"]])
                seen = seen | dealt.chosen
            if message["type"] == "undealt":
                dealt = self.scene.notes.dealt[self.match, message["hand"]]
                assert self.person
                assert dealt.hand.over
                hand = dealt.hand
                board = [card for street in range(hand.game.rounds) for card in hand._cards.board(street)]
                assert message["cards"] == list(texts(tuple(board[len(hand.board) :])))
                seen = seen | set(message["cards"])
            found = {text for text in strings(message) if text in CARDS}
            assert found <= seen, message
            self.cards += len(found)
            if message["type"] == "strength":
                self.check_strength(message)

    def seen(self) -> set[str]:
        """The cards that he may have been told by now."""
        if self.now is None:
            return set()
        mine = [seat for seat, holder in enumerate(self.now.holders) if holder is self.player]
        eyes = mine[0] if mine else None
        return visible(self.now.hand, eyes, self.last - self.first + 1) | self.now.chosen

    def check_strength(self, message: Message) -> None:
        assert self.person
        assert self.now is not None
        hand = self.now.hand
        assert self.now.holders[self.seat] is self.player
        position = hand.seats.index(self.seat)
        acted = [m for m in self.told.values() if m["type"] == "acted" and m["seq"] > self.first]
        assert not any(m["seat"] == self.seat and m["action"] == "fold" for m in acted), "he is out of it"
        own = hand.hole[position]
        boards = [own + hand.board[:count] for count in (0, 3, 4, 5)]
        board = {card for card in texts(hand.board) if card in self.seen()}
        assert message["label"] == hand_label(boards[(0, 3, 4, 5).index(len(board))])


class Repeatable:
    """Seeds that are the same in every run, in the place of ``secrets``."""

    def __init__(self, source: random.Random) -> None:
        self.token_bytes = source.randbytes
        self.randbits = source.getrandbits


class Scene:
    """A table and those around it, driven at random."""

    def __init__(self, source: random.Random, **settings: Any) -> None:
        self.source = source
        self.house = House(guests=True, grace=1000.0)
        settings = {"pause": 5.0, "clock": Clock(500.0, 100.0), "seats": 4, **settings}
        self.table = open_table(self.house, **settings)
        self.notes = Notes(self.table)
        self.chosen: dict[tuple[str, int, int], set[str]] = {}
        names = ("ann", "bea", "cem", "dan", "eve", "fox")
        self.visitors = [Visitor(self, name, person=number % 3 > 0) for number, name in enumerate(names)]

    def run(self, steps: int = 1500) -> None:
        rare = [self.vanish, self.take_over, self.leave, self.watch, self.away, self.late, self.talk]
        often = [self.act, self.act, self.act, self.act, self.sit, self.sit, self.show, self.go_on]
        for _ in range(steps):
            if self.table.facts.table not in self.house.open_tables:
                break
            step = self.source.choice(rare if self.source.random() < 0.12 else often)
            step()
            for visitor in self.visitors:
                visitor.look()
        self.house.close()

    def someone(self) -> Visitor:
        visitor = self.source.choice(self.visitors)
        if visitor.client is None:
            visitor.come()
        return visitor

    def act(self) -> None:
        table = self.table.table
        for visitor in self.visitors:
            if table.hand is not None and visitor.client is not None and visitor.seat == table.turn_seat >= 0:
                kind, to = random_action(table.hand, self.source)
                visitor.say("act", table="table-1", turn=table.turn, action=kind, to=to)
                return
        self.late()

    def sit(self) -> None:
        visitor = self.someone()
        if visitor.seat < 0:
            visitor.say("join", table="table-1", seat=self.source.randint(-1, 3))
        visitor.say("ready", table="table-1")

    def leave(self) -> None:
        self.someone().say("leave", table="table-1")

    def watch(self) -> None:
        self.someone().say("watch", table="table-1")

    def away(self) -> None:
        visitor = self.someone()
        visitor.say(self.source.choice(["away", "back"]), table="table-1")

    def talk(self) -> None:
        self.someone().say("say", table="table-1", text="what a hand")

    def vanish(self) -> None:
        visitor = self.someone()
        assert visitor.client is not None
        visitor.client.break_off()
        visitor.client = None
        if self.source.random() < 0.3 and visitor.player is not None:
            self.house.give_up_seats(visitor.player)

    def take_over(self) -> None:
        visitor = self.someone()
        before = visitor.client
        visitor.come()
        assert before is not None
        assert before.closed is not None

    def late(self) -> None:
        """Time runs out, or a pause is over."""
        deadline = self.table.table.deadline
        if deadline is not None and self.source.random() < 0.5:
            self.table.tick(deadline)

    def go_on(self) -> None:
        if self.table.table.hand is None:
            self.late()

    def show(self) -> None:
        """Try to show anything: own cards, another's, of this hand or of one before."""
        if not self.notes.dealt or self.source.random() < 0.5:
            return
        visitor = self.someone()
        match, number = self.source.choice(list(self.notes.dealt)[-2:])
        dealt = self.notes.dealt[match, number]
        seat = visitor.seat
        position = self.source.randrange(len(dealt.hand.seats))
        if seat in dealt.hand.seats and self.source.random() < 0.8:
            position = dealt.hand.seats.index(seat)
        cards = texts(dealt.hand.hole[position])[: self.source.choice([1, 2, 2])]
        mine = seat in dealt.hand.seats and dealt.holders[seat] is visitor.player
        assert visitor.client is not None
        if mine and set(cards) <= set(texts(dealt.hand.hole[dealt.hand.seats.index(seat)])):
            self.chosen.setdefault((match, number, seat), set()).update(cards)
        news = visitor.say("show", table="table-1", hand=number, cards=cards)
        if any(message["type"] == "showed" for message in news):
            assert mine
            assert dealt.hand.over
