"""The bus: nobody who publishes waits, whoever watches gets the latest states, and no secret is on it."""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress
from typing import cast

import pytest

from dealer.formats.format import TableFormat
from dealer.rules.actions import FOLD
from dealer.rules.events import HandStarted, Shown
from dealer.seats import Arrival
from dealer.table import Clock, Table
from protocol.codec import JSON
from protocol.messages import Act
from protocol.public import FinishedHand, PublicEvent, TableStandings, Winnings, encode, topic_of
from server.house.house import House
from server.public.bus import EventBus, Subscription
from server.public.feed import MAX_NAMES, OpenTableFeed
from server.tables.actor import TableActor
from server.tables.player import Player
from server.tables.table_updates import TableFacts
from tests.dealer.records.played import random_action
from tests.support.houses.people import Memory, listening, open_table, unpacked
from tests.support.houses.visible_cards import CARDS, NAMES, Noted, games, strings, texts, visible


def hand(number: int) -> FinishedHand:
    return FinishedHand(table="t", hand=number, button=0, players=(), streets=(), pots=())


def standings(hands: int, table: str = "t") -> TableStandings:
    return TableStandings(table=table, players=(Winnings(name="a", hands=hands, chips=0),))


async def taken(subscription: Subscription) -> list[PublicEvent]:
    """What waits; the subscription must be closed."""
    return [event async for event in subscription]


async def test_a_watcher_gets_the_states_first_and_then_all_that_happens_in_order() -> None:
    bus = EventBus()
    bus.publish(standings(1))
    bus.publish(hand(1))
    with bus.subscribe("test") as events:
        for number in (2, 3):
            bus.publish(hand(number))
        bus.close()
        first, *rest = await taken(events)
        assert topic_of(first) == "pokerd/v1/tables"
        assert rest == [standings(1), hand(2), hand(3)]


async def test_of_a_state_only_the_latest_waits() -> None:
    bus = EventBus()
    with bus.subscribe("test") as events:
        for number in range(5000):
            bus.publish(standings(number, f"t{number % 3}"))
        assert len(events._queue) == 4
        bus.close()
        told = await taken(events)
    assert told[1:] == [standings(4998, "t0"), standings(4999, "t1"), standings(4997, "t2")]


async def test_a_slow_watcher_loses_the_oldest_hands_and_nobody_else_does() -> None:
    bus = EventBus()
    with bus.subscribe("slow", limit=10) as slow, bus.subscribe("quick") as quick:
        for number in range(100):
            bus.publish(hand(number))
        assert len(slow._queue) == 11
        assert slow.dropped == 90
        bus.close()
        assert (await taken(slow))[1:] == [hand(number) for number in range(90, 100)]
        assert (await taken(quick))[1:] == [hand(number) for number in range(100)]
        assert quick.dropped == 0


async def test_who_tells_what_has_waited_can_wait_for_room() -> None:
    bus = EventBus()
    with bus.subscribe("test", limit=10) as events:
        for number in range(5):
            bus.publish(hand(number))
        waiting = asyncio.create_task(bus.wait_for_room())
        for _ in range(2):  # a state, a hand
            assert not waiting.done()
            await anext(events)
        await waiting
        for number in range(9):
            bus.publish(hand(number))
        waiting = asyncio.create_task(bus.wait_for_room())
        await asyncio.sleep(0)
        assert not waiting.done()
    # Nor does it wait for somebody who has gone.
    await waiting
    assert events.dropped == 3


async def test_changes_are_gathered_and_the_last_one_is_told() -> None:
    bus = EventBus()
    made = 0

    def make() -> TableStandings:
        nonlocal made
        made += 1
        return standings(count)

    with bus.subscribe("test") as events:
        await anext(events)
        for count in range(1000):  # noqa: B007 (``make`` looks at it)
            bus.publish_soon("pokerd/v1/tables/t/standings", make)
        assert made == 0
        assert await anext(events) == standings(999)
        assert made == 1
        # What is published at once takes the place of what is gathered.
        bus.publish_soon("pokerd/v1/tables/t/standings", make)
        bus.publish(standings(7))
        bus.publish_soon("pokerd/v1/tables/u/standings", lambda: standings(8, "u"))
        bus.close()
        assert await taken(events) == [standings(7), standings(8, "u")]
    assert made == 1


async def test_who_comes_when_it_is_over_gets_the_states_and_an_end() -> None:
    bus = EventBus()
    bus.publish(standings(3))
    bus.close()
    bus.publish_soon("pokerd/v1/tables/t/standings", lambda: standings(4))
    assert not bus._pending
    with bus.subscribe("late") as events:
        assert (await taken(events))[1:] == [standings(3)]


# What a table tells.


class Told:
    """A table whose players act at random, and all that is published of it."""

    def __init__(self, play: TableFormat, seats: int, source: random.Random) -> None:
        self.source = source
        self.noted = Noted(play)
        self.bus = EventBus()
        house = House()
        names = [f"player-{seat}" for seat in range(seats)]
        self.feed = OpenTableFeed(self.bus, house, "t", seats)
        self.feed._names = names
        table = Table(cast(TableFormat, self.noted), seats, Clock(60.0, 0.0))
        self.actor = TableActor(house, table, TableFacts("t", "t", names, [0] * seats), self.feed)
        for seat, name in enumerate(names):
            self.actor.seat(seat, Player(name))

    async def play(self, actions: int) -> list[PublicEvent]:
        table = self.actor.table
        with self.bus.subscribe("test", limit=10_000) as events:
            for seat in self.actor.seats:
                seat.arrival = Arrival.READY
            self.actor.begin()
            for _ in range(actions):
                if table.over or table.turn_seat < 0:
                    break
                assert table.hand is not None
                gives_up = table.legal().fold and self.source.random() < 0.5
                kind, to = FOLD if gives_up else random_action(table.hand, self.source)
                act = Act("t", table.turn, kind, to)  # type: ignore[arg-type]
                self.actor.act(table.turn_seat, act, 0.0)
            self.actor.stop("shutting_down")
            self.bus.close()
            return await taken(events)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NAMES)
async def test_no_card_that_was_not_shown_is_ever_published(name: str, seed: int) -> None:
    play, seats = next((play, seats) for title, play, seats in games() if title == name)
    source = random.Random(f"bus {name} {seed}")
    told = Told(play, seats, source)
    published = await told.play(source.randrange(10, 120))
    hands = [event for event in published if isinstance(event, FinishedHand)]
    secrets = 0
    for event in hands:
        dealt = told.noted.dealt[event.hand]
        assert dealt.over
        known = visible(dealt, None, len(dealt.events))
        payload = unpacked(JSON, encode(event))
        found = {text for text in strings(payload[0]) if text in CARDS}
        assert found == known
        hidden = set(texts([card for hole in dealt.hole for card in hole])) - known
        secrets += len(hidden)
        start = dealt.events[0]
        assert isinstance(start, HandStarted)
        assert [player.stack for player in event.players] == list(start.stacks)
        assert sum(player.net for player in event.players) == pytest.approx(0)
        shown = [cards for one in dealt.events if isinstance(one, Shown) for _, cards in one.hands]
        assert [one.cards for one in event.shown] == [tuple(texts(cards)) for cards in shown]
    assert secrets
    # A hand that was not finished is not told of at all.
    assert {event.hand for event in hands} == {n for n, dealt in told.noted.dealt.items() if dealt.over}


async def test_an_open_table_tells_who_sits_there_and_what_they_won() -> None:
    async with listening(guests=True) as (house, _):
        bus = EventBus()
        feed = OpenTableFeed(bus, house, "table-1", 3)
        actor = open_table(house, seats=3)
        actor.follow(feed)
        bot = house.players.add(Player("fair-1", "secret", is_house_bot=True))
        actor.join(bot, -1)
        guests = {}
        for name in ("ann", "bob"):
            guests[name] = Memory(house)
            guests[name].say("hello", name=name)
            guests[name].say("join", table="table-1")
        bus.publish_soon("pokerd/v1/tables", lambda: bus.state["pokerd/v1/tables"])
        with bus.subscribe("test") as events:
            for guest in guests.values():
                guest.say("ready", table="table-1")
            while actor.hands < 4:
                name = actor.facts.names[actor.table.turn_seat]
                guests[name].say("act", table="table-1", turn=actor.table.turn, action="call")
            # He leaves during a hand: it is his hand all the same.
            guests["bob"].say("leave", table="table-1")
            actor.tick(actor.table.deadline or 0.0)
            bus.close()
            hands = [event async for event in events if isinstance(event, FinishedHand)]
        assert [event.hand for event in hands] == [1, 2, 3, 4, 5]
        assert {player.name for event in hands for player in event.players} == {"ann", "bob"}
        table = bus.state["pokerd/v1/tables/table-1/standings"]
        assert isinstance(table, TableStandings)
        won = dict.fromkeys(guests, 0.0)
        for event in hands:
            for player in event.players:
                won[player.name] += player.net
        assert {one.name: one.chips for one in table.players} == won
        assert [one.hands for one in table.players] == [5, 5]
        assert [one.chips for one in table.players] == sorted(won.values(), reverse=True)
        listed = unpacked(JSON, encode(bus.state["pokerd/v1/tables"]))[0]["tables"]
        assert [one["table"] for one in listed] == ["table-1"]
        assert listed[0]["seated"] == [{"seat": 0, "name": "fair-1", "bot": True}, {"seat": 1, "name": "ann"}]


async def test_a_table_that_is_closed_is_told_once_more_and_forgotten() -> None:
    async with listening(guests=True) as (house, _):
        bus = EventBus()
        actor = open_table(house, seats=3)
        actor.follow(OpenTableFeed(bus, house, "table-1", 3))
        topic = "pokerd/v1/tables/table-1/standings"
        with bus.subscribe("test") as events:
            assert topic in bus.state
            actor.stop("shutting_down")
            bus.close()
            told = [event for event in await taken(events) if topic_of(event) == topic]
        assert told == [TableStandings(table="table-1", players=())]
        assert topic not in bus.state
        assert unpacked(JSON, encode(bus.state["pokerd/v1/tables"])) == [{"type": "tables", "tables": []}]


async def test_of_ever_new_names_the_last_are_remembered() -> None:
    told = Told(
        *next((play, seats) for title, play, seats in games() if title == "kuhn.limit.2p"), random.Random(1)
    )
    await told.play(60)
    events = told.actor.progress.events
    with suppress(StopIteration):
        for number in range(3 * MAX_NAMES):
            told.feed._names = [f"guest-{number}", f"guest-{number}-b"]
            told.feed.record_hand(events)
    assert len(told.feed._won) == MAX_NAMES
    assert f"guest-{3 * MAX_NAMES - 1}" in told.feed._won


async def test_a_fault_in_telling_does_not_reach_the_table(no_error_logged: list[str]) -> None:
    told = Told(
        *next((play, seats) for title, play, seats in games() if title == "kuhn.limit.2p"), random.Random(1)
    )
    told.feed._names = []
    assert not [event for event in await told.play(60) if isinstance(event, FinishedHand)]
    assert told.actor.hands
    assert told.actor.failure is None
    assert no_error_logged
    no_error_logged.clear()
