"""Where only house bots play: people who look on see all cards, and nobody else does, nor anywhere else."""

from __future__ import annotations

import random
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dealer.formats.format import Stakes
from dealer.formats.tournament import Level
from protocol.codec import CODECS, JSON, MSGPACK, Codec
from protocol.public import FinishedHand, encode
from server.house.house import House
from server.house.restore import recorder_for
from server.public.bus import EventBus
from server.public.feed import OpenTableFeed
from server.tables.config import TableConfig
from server.tables.open_table import OpenTable
from server.tables.player import Player
from tests.support.houses.challenges import Served
from tests.support.houses.http_client import site
from tests.support.houses.people import PATIENT, Memory, Message, open_table, unpacked
from tests.support.houses.people_table import come, kinds, only
from tests.support.houses.visible_cards import CARDS, strings, texts

LEVELS = (Level(5, 10, 0, 4), Level(50, 100, 0, 4))


class Exhibition:
    """A table of house bots alone, and time that goes on by itself."""

    def __init__(self, *bots: str, house: House | None = None, **settings: Any) -> None:
        self.house = house or House(guests=True, grace=1000.0)
        bots = bots or ("random", "call", "random")
        settings = {"bots": bots, "seats": len(bots), "pause": 1.0, **settings}
        self.table = open_table(self.house, **settings)
        self.bots = [Served.servant(self.house, bot, number) for number, bot in enumerate(bots, 1)]
        for bot in self.bots:
            self.table.join(bot.player, -1)
        self.settle()

    def settle(self) -> None:
        while sum(bot.pump() for bot in self.bots):
            pass

    def tick(self) -> None:
        table = self.table.table
        if table.deadline is not None and table.hand is None:
            self.table.tick(table.deadline)

    def holes(self) -> list[list[str]]:
        """The cards of the hand in progress."""
        hand = self.table.table.hand
        assert hand is not None
        return [texts(cards) for cards in hand.hole]


@pytest.mark.parametrize("codec", CODECS.values(), ids=lambda codec: codec.subprotocol)
async def test_people_who_look_on_are_told_all_cards_of_every_hand(codec: Codec) -> None:
    played = Exhibition()
    ann = come(played.house, "ann", codec=codec)
    news = ann.say("watch", table="table-1")
    dealt: dict[int, list[list[str]]] = {}
    for _ in range(60):
        hand = played.table.table.hand
        if hand is not None:
            dealt[hand.number] = played.holes()
        played.settle()
        played.tick()
        news += ann.news()
    starts = [message for message in news if message["type"] == "hand_start"]
    told = [message for message in news if message["type"] == "faceup"]
    assert len(starts) == len(told) > 10
    for message in told[:-1]:
        assert message["cards"] == dealt[message["hand"]]
    order = [message for message in news if message["type"] in ("hand_start", "acted", "faceup")]
    for start, following in pairwise(order):
        if start["type"] == "hand_start":
            assert (following["type"], following["hand"]) == ("faceup", start["hand"])
            assert start.get("hole", []) == []


async def test_who_comes_in_the_middle_of_a_hand_is_told_at_once_and_after_a_break_again() -> None:
    played = Exhibition()
    ann = come(played.house, "ann")
    ann.say("watch", table="table-1")
    assert played.table.table.hand is not None
    bob = come(played.house, "bob")
    news = bob.say("watch", table="table-1")
    assert only(news, "faceup")["cards"] == played.holes()
    assert kinds(news).index("faceup") > kinds(news).index("hand_start")
    resume = played.house.players["bob"].resume
    bob.break_off()
    again = Memory(played.house, MSGPACK)
    news = again.say("hello", name="bob", person=True, resume=resume)
    assert only(news, "faceup")["cards"] == played.holes()
    # A program that does not say that it is a person is told no cards.
    resume = played.house.players["bob"].resume
    again.break_off()
    robot = Memory(played.house)
    assert "faceup" not in kinds(robot.say("hello", name="bob", resume=resume))


async def test_nobody_can_sit_down_and_it_goes_on_only_while_people_look_on() -> None:
    played = Exhibition()
    assert played.table.lobby_entry().free == 0
    ann = come(played.house, "ann")
    for seat in (-1, 0, 2):
        assert kinds(ann.say("join", table="table-1", seat=seat)) == ["no_seat"]
    for _ in range(3):
        played.tick()
        played.settle()
    assert played.table.hands == 0
    robot = come(played.house, "robot", person=False)
    robot.say("watch", table="table-1")
    played.settle()
    assert played.table.hands == 0
    ann.say("watch", table="table-1")
    while played.table.hands < 3:
        played.settle()
        played.tick()
    ann.say("leave", table="table-1")
    while played.table.table.hand is not None:
        played.settle()
    hands = played.table.hands
    for _ in range(3):
        played.tick()
        played.settle()
    assert played.table.hands == hands
    robot.news()
    assert "faceup" not in kinds(robot.heard)


async def test_a_tournament_of_bots_to_its_end() -> None:
    played = Exhibition("raise", "raise", "call", mode="tournament", levels=LEVELS, matches=2)
    ann = come(played.house, "ann")
    news = ann.say("watch", table="table-1")
    for _ in range(2000):
        if "table-1" not in played.house.open_tables:
            break
        played.settle()
        deadline = played.table.table.deadline
        if deadline is not None and "table-1" in played.house.open_tables:
            played.table.tick(deadline)
        news += ann.news()
    assert kinds(news).count("match_end") == 2
    assert kinds(news).count("faceup") == kinds(news).count("hand_start") >= 2


@pytest.mark.parametrize("seed", range(4))
async def test_only_people_who_look_on_are_told(seed: int) -> None:
    """Bots at the table, programs that look on, and the public are told no card that is not theirs."""
    source = random.Random(seed)
    played = Exhibition("random", "raise", "call", stakes=Stakes(5, 10, stack=60))
    bus = EventBus()
    feed = OpenTableFeed(bus, played.house, "table-1", 3)
    played.table.follow(feed)
    ann = come(played.house, "ann")
    robot = come(played.house, "robot", person=False, codec=source.choice([JSON, MSGPACK]))
    secrets = 0
    with bus.subscribe("test", limit=10_000) as events:
        for client in (ann, robot):
            client.say("watch", table="table-1")
        while played.table.hands < 15:
            played.settle()
            played.tick()
        played.house.close()
        bus.close()
        hands = [event async for event in events if isinstance(event, FinishedHand)]
    ann.news()
    robot.news()
    cards = {message["hand"]: message["cards"] for message in ann.heard if message["type"] == "faceup"}
    heard: list[list[Message]] = [robot.heard]
    for bot in played.bots:
        frames = [unpacked(JSON, frame) for frame in bot.memory.frames]
        heard.append([message for frame in frames for message in frame])
    for seat, messages in enumerate(heard, -1):
        assert not [message for message in messages if message["type"] == "faceup"]
        secrets += check(messages, seat, cards)
    for event in hands:
        [told] = unpacked(JSON, encode(event))
        shown = {card for one in told.get("shown", []) for card in one.get("cards", [])}
        board = {card for street in told["streets"] for card in street.get("cards", [])}
        assert {text for text in strings(told) if text in CARDS} == shown | board
    assert len(hands) == 15
    assert secrets


def check(messages: list[Message], seat: int, cards: dict[int, list[list[str]]]) -> int:
    """Of each hand only own cards, the board, and what was shown; the number of hands with secrets."""
    hands: dict[int, list[Message]] = {}
    number = 0
    for message in messages:
        if message["type"] == "hand_start":
            number = message["hand"]
        hands.setdefault(number, []).append(message)
    hidden = 0
    for number, told in hands.items():
        if number not in cards:
            continue
        start = only(told, "hand_start")
        own = cards[number][start["seats"].index(seat)] if seat >= 0 else []
        open_cards = {card for m in told if m["type"] == "board" for card in m["cards"]}
        shown = [one for m in told if m["type"] == "shown" for one in m["hands"]]
        open_cards |= {card for one in shown for card in one.get("cards", [])}
        found = {text for text in strings(told) if text in CARDS}
        assert found == open_cards | set(own)
        hidden += not {card for hole in cards[number] for card in hole} <= found
    return hidden


async def test_with_a_guest_at_the_table_nothing_is_face_up() -> None:
    """Whatever its config says: it is who sits there that counts."""
    for mode in ("cash", "tournament"):
        played = Exhibition(mode=mode, levels=LEVELS)
        ann = come(played.house, "ann")
        ann.say("watch", table="table-1")
        played.settle()
        played.tick()
        assert played.table.open_cards() is not None
        played.table.seats[1].player = played.house.players.add(Player("guest", "t"))
        assert played.table.open_cards() is None
        played.table.seats[1].player = None
        assert played.table.open_cards() is None


async def test_a_table_with_a_seat_for_guests_is_none() -> None:
    house = House(guests=True)
    table = open_table(house, seats=3, bots=("call", "call"))
    for number in (1, 2):
        table.join(Served.servant(house, "call", number).player, -1)
    assert not table.config.exhibition
    ann = come(house, "ann")
    assert "faceup" not in kinds(ann.say("watch", table="table-1"))
    assert table.open_cards() is None


async def test_its_hands_are_open_in_the_archive_as_well(tmp_path: Path) -> None:
    async with site(tmp_path) as place:
        for exhibition in (True, False):
            bots = ("call",) * (3 if exhibition else 2)
            config = TableConfig(Stakes(5, 10), 3, PATIENT, bots=bots, pause=1.0)
            name = f"table-{int(exhibition)}"
            table = OpenTable(
                place.house, config, name, seed=bytes(32), make_recorder=partial(recorder_for, place.archive)
            )
            place.house.open_tables[name] = table
            clients = [Served.servant(place.house, "random", number) for number in range(len(bots))]
            for client in clients:
                table.join(client.player, -1)
            come(place.house, f"ann {name}").say("watch", table=name)
            while table.hands < 5:
                while sum(client.pump() for client in clients):
                    pass
                if table.table.hand is None and table.table.deadline is not None:
                    table.tick(table.table.deadline)
            browser = place.browser()
            run = (await browser.get(f"/api/tables/{name}")).json()["run"]
            told = [(await browser.get(f"/api/hands/{run}.{number}")).json() for number in range(1, 6)]
            assert all(hand["open"] is exhibition for hand in told)
            assert all(all(hand["cards"]) for hand in told) is exhibition
            for client in clients:
                place.house.remove_player(client.player)
