"""The SDK at a real house: what it tells a bot, what it answers, how it survives a broken connection."""

from __future__ import annotations

import json
import threading
from collections import Counter
from functools import partial
from typing import Any

import msgpack
import pytest

from dealer.formats.fixed import FixedStacks
from dealer.rules.actions import CALL, Action, raise_to
from dealer.rules.cards import cards_text
from dealer.rules.events import Acted, BoardDealt, Event, HandEnded, HandStarted, Shown
from dealer.rules.games import load_game
from dealer.table import Clock
from pokerd_bot.bot import Bot
from pokerd_bot.client import Client
from pokerd_bot.hand import Hand, Match
from pokerd_bot.turn import Turn
from protocol import messages
from protocol.codec import JSON, MSGPACK
from server.tables.actor import TableActor
from server.tables.player import Player
from tests.support.deals import deals_for
from tests.support.houses.open_house import Kept, Proxy, come, opened, playing, until
from tests.support.houses.people import PATIENCE, Remote, at_table, open_table

ENOUGH = Clock(60.0, 0.0)


def two() -> list[Player]:
    return [Player("alice", "alice's token"), Player("bob", "bob's token")]


class Writer(Bot):
    """Calls, raises now and then, and writes down what it is told, hand by hand."""

    def __init__(self, match: Match) -> None:
        super().__init__(match)
        self.told: dict[int, list[Any]] = {}
        self.turns: list[Turn] = []

    def act(self, turn: Turn) -> Action:
        self.turns.append(turn)
        assert turn.hand.number in self.told
        return turn.raise_min() if self.match.rng.random() < 0.3 else turn.call()

    def hand_started(self, hand: Hand) -> None:
        assert hand.number not in self.told, "told twice"
        self.told[hand.number] = [("hole", hand.hole), ("seats", hand.seats), ("button", hand.start.button)]

    def board_dealt(self, hand: Hand, board: messages.Board) -> None:
        assert tuple(hand.board[-len(board.cards) :]) == board.cards
        assert hand.street == board.street
        self.told[hand.number].append(("board", board.street, board.cards))

    def acted(self, hand: Hand, action: messages.PlayerActed) -> None:
        assert hand.actions[-1] == (hand.street, action)
        self.told[hand.number].append((action.seat, action.action, action.to, action.paid, action.all_in))

    def hand_ended(self, hand: Hand, shown: messages.Showdown | None, end: messages.HandEnd) -> None:
        if shown is not None:
            self.told[hand.number].append(("shown", [(one.seat, one.cards) for one in shown.hands]))
        self.told[hand.number].append(("net", end.net))


def texts(cards: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(cards_text([card]) for card in cards)


def as_told(events: tuple[Event, ...], seat: int) -> list[Any]:
    """What somebody in that seat has to hear of a hand."""
    told: list[Any] = []
    for event in events:
        match event:
            case HandStarted():
                own = texts(event.hole[event.seats.index(seat)])
                told += [("hole", own), ("seats", event.seats), ("button", event.button)]
            case BoardDealt():
                told.append(("board", event.street, texts(event.cards)))
            case Acted():
                told.append(tuple(event[:5]))
            case Shown():
                told.append(("shown", [(shower, texts(cards)) for shower, cards in event.hands]))
            case HandEnded():
                told.append(("net", tuple(event.values)))
    return told


@pytest.mark.parametrize("as_json", [False, True])
async def test_a_bot_is_told_what_happens_and_nothing_else(as_json: bool) -> None:
    kept = Kept()
    writers = Writers()
    async with opened() as (house, url):
        players = two()
        actor = at_table(house, players, hands=30, clock=ENOUGH, recorder=kept)
        async with (
            playing(writers, url, token="alice's token", json=as_json) as alice,
            playing(writers, url, token="bob's token", json=not as_json) as bob,
        ):
            await until(lambda: actor.table.over)
            for player in players:
                house.remove_player(player)
        assert (alice.result(), bob.result()) == (0, 0)
    assert len(kept.hands) == 30
    assert sorted(bot.match.seat for bot in writers.made) == [0, 1]
    for bot in writers.made:
        assert bot.match.players == ["alice", "bob"]
        assert bot.told == {
            number: as_told(events, bot.match.seat) for number, events in enumerate(kept.hands)
        }
    assert not any(seat.incidents for seat in actor.seats)
    asked = Counter(event.seat for events in kept.hands for event in events if isinstance(event, Acted))
    assert {bot.match.seat: len(bot.turns) for bot in writers.made} == asked


async def test_many_tables_on_one_connection_each_with_a_bot_of_its_own() -> None:
    """Two rounds of matches at the same tables: a fresh bot for each match, and nothing gets mixed up."""
    tables, rounds, hands = 40, 2, 3
    writers = Writers()
    async with opened() as (house, url):
        players = two()
        records: list[Kept] = []
        async with (
            playing(writers, url, token="alice's token", tables=tables) as alice,
            playing(writers, url, token="bob's token", tables=tables, json=True) as bob,
        ):
            for _ in range(rounds):
                fresh = [Kept() for _ in range(tables)]
                actors = [
                    at_table(house, players, hands=hands, clock=ENOUGH, recorder=kept, name=f"m{number}")
                    for number, kept in enumerate(fresh)
                ]
                await until(partial(all_over, actors))
                assert not any(
                    counts for actor in actors for counts in (seat.incidents for seat in actor.seats)
                )
                records += fresh
            assert [player.capacity for player in players] == [tables, tables]
            for player in players:
                house.remove_player(player)
        assert (alice.result(), bob.result()) == (0, 0)
    assert len(writers.made) == 2 * rounds * tables
    right = {
        (at // tables, f"m{at % tables}", seat): dict(
            enumerate(as_told(events, seat) for events in kept.hands)
        )
        for at, kept in enumerate(records)
        for seat in (0, 1)
    }
    found = {}
    order: Counter[tuple[str, int]] = Counter()
    for bot in writers.made:
        assert bot.match.info.reset
        key = (bot.match.table, bot.match.seat)
        found[order[key], *key] = bot.told
        order[key] += 1
        assert {turn.match for turn in bot.turns} <= {bot.match}
    assert found == right


def all_over(actors: list[TableActor]) -> bool:
    return all(actor.table.over for actor in actors)


# A broken connection.


def reached(actor: TableActor, hands: int) -> bool:
    return actor.players[0] is not None and actor.players[0].connection is not None and actor.hands >= hands


def dropped(actor: TableActor, times: int) -> bool:
    return actor.seats[0].incidents["disconnect"] == times


class Writers:
    """Makes writers, and keeps them."""

    def __init__(self) -> None:
        self.made: list[Writer] = []

    def __call__(self, match: Match) -> Writer:
        self.made.append(Writer(match))
        return self.made[-1]


@pytest.mark.parametrize("as_json", [False, True])
async def test_the_connection_is_cut_and_the_bot_plays_on(as_json: bool) -> None:
    """Cut at any moment, four times: the same object goes on, is told nothing twice, and loses no turn."""
    hands = 150
    writers = Writers()
    kept = Kept()
    async with opened() as (house, direct), Proxy(direct) as proxy:
        players = two()
        actor = at_table(house, players, hands=hands, clock=ENOUGH, recorder=kept)
        async with (
            playing(writers, proxy.url, token="alice's token", json=as_json) as alice,
            playing(Writer, direct, token="bob's token") as bob,
        ):
            for cut in range(1, 5):
                await until(partial(reached, actor, 20 * cut))
                proxy.cut()
                await until(partial(dropped, actor, cut))
            await until(lambda: actor.table.over)
            for player in players:
                house.remove_player(player)
        assert (alice.result(), bob.result()) == (0, 0)
    assert proxy.connections == 5
    assert actor.seats[0].incidents == {"disconnect": 4}
    assert not actor.seats[1].incidents
    [bot] = writers.made
    # A hand may have ended while nobody could be told.
    whole = {number: told for number, told in bot.told.items() if told[-1][0] == "net"}
    assert len(whole) >= hands - 4
    assert whole == {number: as_told(kept.hands[number], 0) for number in whole}


async def test_a_guest_keeps_his_seat_over_a_cut(caplog: pytest.LogCaptureFixture) -> None:
    writers = Writers()
    async with opened(guests=True) as (house, direct), Proxy(direct) as proxy, come(direct) as host:
        actor = open_table(house, seats=2)
        async with playing(writers, proxy.url, name="guest") as guest:
            await host.say("hello", name="host")
            await host.say("join", table="table-1")
            await host.play(hands=5)
            proxy.cut()
            await host.play(hands=10)
            player = house.players["guest"]
            assert player in actor.players
            assert actor.seats[actor.players.index(player)].incidents == {"disconnect": 1}
            # The seat is lost when nobody comes back in time, and with it the secret that would take it back.
            proxy.closed = True
            proxy.cut()
            await until(lambda: player.connection is None)
            house.remove_player(player)
            proxy.closed = False
        assert guest.result() == 1
        assert "bad_resume" in caplog.text
        assert player not in actor.players
    assert len(writers.made) == 1


async def test_it_gives_up_when_the_server_stays_away() -> None:
    async with opened(grace=0.5) as (house, direct), Proxy(direct) as proxy:
        players = two()
        actor = at_table(house, players, hands=10_000, clock=ENOUGH)
        async with playing(Writer, proxy.url, token="alice's token") as alice, come(direct) as bob:
            await bob.say("hello", name="bob", token="bob's token")
            await bob.play(hands=3)
            proxy.closed = True
            proxy.cut()
            # Its seat is held for the grace period; meanwhile it tries again and again.
        assert alice.result() == 1
        assert proxy.connections > 1
        await until(lambda: actor.table.seats[0].is_absent)
        actor.stop("over")


# Refusals and absence.


def own_acts(events: tuple[Event, ...]) -> list[Acted]:
    return [event for event in events if isinstance(event, Acted) and event.seat == 0]


class Stubborn(Bot):
    """Wants to raise far beyond what it has."""

    heard: list[str]

    def act(self, turn: Turn) -> Action:
        return raise_to(10**9)


class Sorry(Stubborn):
    """Wants the same, and thinks again."""

    def refused(self, turn: Turn, error: messages.Error) -> Action:
        self.heard.append(error.code)
        return turn.raise_min()


@pytest.mark.parametrize("factory", [Stubborn, Sorry])
async def test_what_is_refused_is_asked_again(
    factory: type[Stubborn], caplog: pytest.LogCaptureFixture
) -> None:
    """By default a refused bot checks or folds; it may do better. It never loses its time over it."""
    hands = 10
    factory.heard = []
    kept = Kept()
    async with opened() as (house, url):
        players = two()
        game = load_game("holdem.limit.2p.reverse_blinds")
        play = FixedStacks(game, deals_for(game), hands)
        actor = at_table(house, players, play=play, clock=ENOUGH, recorder=kept)
        async with playing(factory, url, token="alice's token") as alice, come(url) as bob:
            await bob.say("hello", name="bob", token="bob's token")
            await bob.play(hands=hands)
            house.remove_player(players[0])
        assert alice.result() == 0
    acts = [
        event for events in kept.hands for event in events if isinstance(event, Acted) and event.seat == 0
    ]
    assert actor.seats[0].incidents == {"illegal_action": len(acts)}
    assert not any(act.forced for act in acts)
    if factory is Stubborn:
        assert {act.action for act in acts} <= {"fold", "call"}
        assert all(act.paid == 0 for act in acts)
        assert caplog.text.count("refused (illegal_action)") == len(acts)
    else:
        assert "raise" in {act.action for act in acts}
        assert factory.heard == ["illegal_action"] * len(acts)


class Sleeper(Bot):
    """Does not answer its first turn until it is woken."""

    asleep: threading.Event
    wake: threading.Event

    def act(self, turn: Turn) -> Action:
        self.asleep.set()
        self.wake.wait(PATIENCE)
        return CALL


async def test_who_was_absent_comes_back_by_himself() -> None:
    Sleeper.asleep, Sleeper.wake = threading.Event(), threading.Event()
    kept = Kept()
    async with opened() as (house, url):
        players = two()
        actor = at_table(house, players, hands=10_000, clock=Clock(0.4, 0.0), recorder=kept)
        async with playing(Sleeper, url, token="alice's token") as alice, come(url) as bob:
            await bob.say("hello", name="bob", token="bob's token")
            while not actor.seats[0].incidents["absent"]:
                await one_turn(bob)
            assert actor.table.seats[0].is_absent
            assert actor.seats[0].incidents["timeout"] == 3
            actor.table.clock = ENOUGH
            Sleeper.wake.set()
            await until(lambda: not actor.table.seats[0].is_absent)
            missed = actor.seats[0].incidents.copy()
            await bob.play(hands=20)
            # Answers to turns that were over are refused as stale, and that is all.
            later = actor.seats[0].incidents - missed
            assert set(later) <= {"stale_turn"}
            actor.stop("over")
            house.remove_player(players[0])
        assert alice.result() == 0
    forced = [
        [event.forced for event in events if isinstance(event, Acted) and event.seat == 0]
        for events in kept.hands
    ]
    assert "absent" in {reason for reasons in forced for reason in reasons}
    assert not any(reason for reasons in forced[-15:] for reason in reasons)


async def one_turn(remote: Remote) -> None:
    """Answer ``match_start`` or the next turn."""
    message = await remote.hear("match_start", "turn")
    if message["type"] == "match_start":
        await remote.say("ready", table=message["table"])
    else:
        await remote.say("act", table=message["table"], turn=message["turn"], action="call")


# Without a server: the sans-I/O half.


@pytest.mark.parametrize("codec", [JSON, MSGPACK], ids=lambda codec: codec.subprotocol)
def test_what_it_does_not_know_it_passes_over(codec: Any) -> None:
    def frame(*data: dict[str, Any]) -> bytes:
        packed: bytes = json.dumps(data).encode() if codec is JSON else msgpack.packb(data)
        return packed

    sent: list[bytes] = []
    client = Client(Bot, codec)
    client.handle(
        frame(
            {"type": "fireworks", "table": "t", "colour": [1, 2]},
            {"type": "welcome", "name": "me", "resume": "r", "grace": 1.5, "server": "9", "news": {"a": 1}},
            {"type": "turn", "table": "elsewhere", "turn": 1, "fold": False, "call": 0, "raise_to": None}
            | {"pot": 3, "time_ms": 1, "bank_ms": 1},
            {
                "type": "hand_end",
                "table": "elsewhere",
                "seq": 3,
                "hand": 1,
                "pots": [],
                "net": [],
                "stacks": [],
            },
        ),
        sent.append,
    )
    assert sent == []
    assert (client.resume, client.grace) == ("r", 1.5)
    assert client.failure is None
