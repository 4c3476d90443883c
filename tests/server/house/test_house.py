"""Coming in, sitting down, playing on, leaving: what the house does for well-behaved and forgetful people."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dealer.formats.cash import Cash
from dealer.formats.format import Stakes
from dealer.rules.actions import CALL, raise_to
from dealer.rules.events import Event, HandEnded
from dealer.table import Clock
from protocol.codec import CODECS, JSON, MSGPACK
from server.house.house import House
from server.net.connection import CLOSE_NORMAL, CLOSE_POLICY
from server.tables.player import Player
from tests.support.deals import deals_for
from tests.support.houses.people import PATIENCE, Memory, Message, at_table, open_table


def kinds(news: list[Message]) -> list[str]:
    return [message["code"] if message["type"] == "error" else message["type"] for message in news]


def only(news: list[Message], kind: str) -> Message:
    [message] = [message for message in news if message["type"] == kind]
    return message


class TestHello:
    async def test_a_token_is_proof_enough(self) -> None:
        house = House(grace=7.5)
        house.players.add(Player("alice", "secret"))
        client = Memory(house)
        [welcome] = client.say("hello", name="whatever", token="secret")
        assert welcome["type"] == "welcome"
        assert welcome["name"] == "alice"
        assert welcome["grace"] == 7.5
        assert len(welcome["resume"]) > 20
        house.close()

    @pytest.mark.parametrize(
        ("fields", "code"),
        [
            ({"name": "alice"}, "bad_token"),
            ({"name": "alice", "token": "wrong"}, "bad_token"),
            ({"name": "alice", "token": "secret", "resume": "wrong"}, "bad_resume"),
            ({"name": "alice", "resume": "secret"}, "bad_resume"),
        ],
    )
    async def test_without_proof_the_door_stays_shut(self, fields: dict[str, Any], code: str) -> None:
        house = House()
        player = house.players.add(Player("alice", "secret"))
        client = Memory(house)
        [error] = client.say("hello", **fields)
        assert error["code"] == code
        assert error["fatal"] is True
        assert client.closed == (CLOSE_POLICY, code)
        assert player.connection is None
        assert not house.connections
        house.close()

    async def test_guests_have_a_name_each(self) -> None:
        house = House(guests=True)
        first, second = Memory(house), Memory(house)
        assert kinds(first.say("hello", name="bob")) == ["welcome"]
        assert kinds(second.say("hello", name="bob")) == ["name_taken"]
        assert second.closed is not None
        assert kinds(Memory(house).say("hello", name="BOB")) == ["name_taken"]
        assert kinds(Memory(house).say("hello", name="Bobby")) == ["welcome"]
        house.close()

    async def test_a_guest_who_was_lost_is_known_by_name_and_address(self) -> None:
        house = House(guests=True, grace=1000.0)
        table = open_table(house)

        def come(address: str, name: str = "bob", cookie: str = "") -> Memory:
            client = Memory(house)
            client.connection.address, client.connection.identity = address, cookie
            client.say("hello", name=name)
            return client

        first = come("192.0.2.1")
        first.say("join", table="table-1", seat=1)
        player = table.players[1]
        assert player is not None
        # While he is connected the name is his alone.
        [error] = come("192.0.2.1").heard
        assert error["code"] == "name_taken"
        first.break_off()
        for other in (come("192.0.2.2"), come(""), come("192.0.2.1", "BOB"), come("192.0.2.1", cookie="c")):
            [error] = other.heard
            assert error["code"] == "name_taken"
            # It says how long the name is held, and what to do.
            assert "1000 s" in error["message"]
        secret = player.resume
        assert kinds(come("192.0.2.1").heard)[:2] == ["welcome", "match_start"]
        # Somebody else may come from the same address: no secret of his is good for the seat.
        assert player.resume != secret
        assert kinds(Memory(house).say("hello", name="bob", resume=secret)) == ["bad_resume"]
        assert table.players[1] is player is house.players["bob"]
        # Somebody with a cookie is known by that alone.
        third = come("192.0.2.3", "ann", cookie="c")
        third.say("join", table="table-1")
        third.break_off()
        assert kinds(come("192.0.2.3", "ann").heard) == ["name_taken"]
        house.close()

    async def test_spectators_who_are_lost_are_held_a_few_for_each_address(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("server.house.players_and_tables.MAX_HELD", 2)
        house = House(guests=True, grace=1000.0)
        open_table(house)

        def watch(address: str, name: str) -> Memory:
            client = Memory(house)
            client.connection.address = address
            client.say("hello", name=name)
            client.say("watch", table="table-1")
            return client

        lost = [watch("192.0.2.1", f"ann {number}") for number in range(4)]
        secrets = [house.players[f"ann {number}"].resume for number in range(4)]
        for client in lost:
            client.break_off()
        watch("192.0.2.2", "bob").break_off()
        assert set(house.players) == {"ann 0", "ann 1", "bob"}
        # Who comes back makes room for another.
        back = Memory(house)
        assert kinds(back.say("hello", name="ann 0", resume=secrets[0]))[0] == "welcome"
        watch("192.0.2.1", "cid").break_off()
        assert set(house.players) == {"ann 0", "ann 1", "bob", "cid"}
        for player in list(house.players.values()):
            house.remove_player(player)
        assert not house._held
        house.close()

    @pytest.mark.parametrize(
        "name",
        [
            " ",
            "\u200b",
            "\u00a0\u00ad",
            "\u202eevil",
            "a\u2066b",
            "Ann\u200b",
            "Ann ",
            "A\u00adnn",
            "A\u00a0n",
            "\u3164",
        ],
    )
    async def test_names_that_deceive(self, name: str) -> None:
        house = House(guests=True)
        client = Memory(house)
        assert kinds(client.say("hello", name=name)) == ["bad_name"]
        assert client.closed is not None
        assert not house.players
        house.close()

    async def test_a_full_house(self) -> None:
        house = House(guests=True, max_players=2)
        clients = [Memory(house) for _ in range(3)]
        answers = [
            kinds(client.say("hello", name=f"guest {number}")) for number, client in enumerate(clients)
        ]
        assert answers == [["welcome"], ["welcome"], ["server_full"]]
        house.close()

    async def test_a_guest_who_left_for_good_frees_his_name(self) -> None:
        house = House(guests=True, grace=0.0)
        client = Memory(house)
        client.say("hello", name="bob")
        client.break_off()
        async with asyncio.timeout(PATIENCE):
            while "bob" in house.players:
                await turn_of_the_loop()
        assert kinds(Memory(house).say("hello", name="bob")) == ["welcome"]
        house.close()

    async def test_open_tables_are_listed(self) -> None:
        house = House(guests=True)
        open_table(house, seats=3, name="table-1")
        open_table(house, seats=6, name="table-2")
        guest(house, "bob", "table-1")
        [welcome] = Memory(house).say("hello", name="eve")
        assert welcome["tables"] == [
            {"table": "table-1", "game": "holdem.nolimit.3p", "seats": 3, "free": 2, "mode": "cash"},
            {"table": "table-2", "game": "holdem.nolimit.6p", "seats": 6, "free": 6, "mode": "cash"},
        ]
        house.close()


async def turn_of_the_loop() -> None:
    """Let the loop run what is due."""
    passed = asyncio.Event()
    asyncio.get_running_loop().call_later(0.001, passed.set)
    await passed.wait()


def guest(
    house: House, name: str, table: str, *, seat: int = -1, codec: Any = JSON, ready: bool = True
) -> Memory:
    client = Memory(house, codec)
    client.say("hello", name=name, tables=4)
    news = client.say("join", table=table, seat=seat)
    assert kinds(news)[0] == "match_start", news
    if ready:
        client.say("ready", table=table)
    return client


def answer(clients: dict[int, Memory], actor: Any, action: str = "call") -> list[Message]:
    """The player whose turn it is acts."""
    table = actor.table
    return clients[table.turn_seat].say("act", table=actor.facts.table, turn=table.turn, action=action)


class TestOpenTables:
    async def test_two_are_enough_to_play(self) -> None:
        house = House(guests=True)
        actor = open_table(house)
        bob = guest(house, "bob", "table-1")
        assert actor.table.seq == 0
        eve = guest(house, "eve", "table-1", codec=MSGPACK)
        assert actor.table.hand is not None
        assert "hand_start" in kinds(bob.news())
        clients = {0: bob, 1: eve}
        while actor.hands < 5:
            assert not [kind for kind in kinds(answer(clients, actor)) if kind in {"error", "illegal_action"}]
        house.close()

    async def test_join_is_refused_with_its_reason(self) -> None:
        house = House(guests=True)
        open_table(house, seats=2, name="small")
        open_table(house, seats=3, name="large")
        guest(house, "bob", "small", seat=1)
        eve = Memory(house)
        eve.say("hello", name="eve", tables=2)
        assert kinds(eve.say("join", table="nowhere")) == ["unknown_table"]
        assert kinds(eve.say("join", table="small", seat=1)) == ["no_seat"]
        assert kinds(eve.say("join", table="small", seat=5)) == ["no_seat"]
        assert kinds(eve.say("join", table="small", seat=0)) == ["match_start"]
        assert kinds(eve.say("join", table="small")) == ["already_seated"]
        assert kinds(eve.say("join", table="large")) == ["match_start"]
        open_table(house, name="third")
        assert kinds(eve.say("join", table="third")) == ["too_many_tables"]
        late = Memory(house)
        late.say("hello", name="late")
        assert kinds(late.say("join", table="small")) == ["no_seat"]
        house.close()

    async def test_who_has_no_seat_can_do_nothing_there(self) -> None:
        house = House(guests=True)
        actor = open_table(house)
        guest(house, "bob", "table-1")
        guest(house, "eve", "table-1")
        stranger = Memory(house)
        stranger.say("hello", name="stranger")
        seq = actor.table.seq
        for kind, fields in (
            ("ready", {}),
            ("back", {}),
            ("leave", {}),
            ("act", {"turn": seq, "action": "call"}),
        ):
            assert kinds(stranger.say(kind, table="table-1", **fields)) == ["unknown_table"]
        assert actor.table.seq == seq
        house.close()

    async def test_who_leaves_is_played_by_the_policy_and_hears_no_more(self) -> None:
        house = House(guests=True)
        actor = open_table(house)
        clients = {seat: guest(house, name, "table-1") for seat, name in enumerate(("bob", "eve", "kim"))}
        play_until(actor, clients, lambda: actor.table.hand is not None and len(actor.table.hand.seats) == 3)
        for client in clients.values():
            client.news()
        clients[1].say("leave", table="table-1")
        assert clients[1].news() == []
        hands = actor.hands
        rest = {seat: client for seat, client in clients.items() if seat != 1}
        play_until(actor, rest, lambda: actor.hands > hands + 1)
        assert clients[1].news() == []
        assert kinds(clients[1].say("ready", table="table-1")) == ["unknown_table"]
        assert actor.table.hand is not None
        assert set(actor.table.hand.seats) == {0, 2}
        house.close()

    async def test_the_place_of_a_leaver_is_free_when_the_hand_is_over(self) -> None:
        """Until then nobody can sit there: he would see, and play, the cards of the leaver."""
        house = House(guests=True)
        actor = open_table(house, seats=3)
        clients = {seat: guest(house, name, "table-1") for seat, name in enumerate(("bob", "eve", "kim"))}
        play_until(actor, clients, lambda: actor.table.hand is not None and len(actor.table.hand.seats) == 3)
        hand = actor.table.hand
        assert hand is not None
        leaver = next(seat for seat in hand.seats if seat != actor.table.turn_seat)
        clients[leaver].say("leave", table="table-1")
        assert actor.table.hand is hand
        late = Memory(house)
        [welcome] = late.say("hello", name="late")
        assert welcome["tables"][0]["free"] == 0
        assert kinds(late.say("join", table="table-1")) == ["no_seat"]
        assert kinds(late.say("join", table="table-1", seat=leaver)) == ["no_seat"]
        rest = {seat: client for seat, client in clients.items() if seat != leaver}
        play_until(actor, rest, lambda: actor.table.hand is not hand)
        news = late.say("join", table="table-1")
        start = only(news, "match_start")
        assert start["seat"] == leaver
        assert start["players"][leaver] == "late"
        assert all(not message["hole"] for message in news if message["type"] == "hand_start")
        late.say("ready", table="table-1")
        play_until(actor, {**rest, leaver: late}, lambda: leaver in getattr(actor.table.hand, "seats", ()))
        cash = actor.table.table_format
        assert isinstance(cash, Cash)
        assert actor.table.hand is not None
        position = actor.table.hand.seats.index(leaver)
        assert actor.table.hand.betting.stacks[position] == 1000
        house.close()

    async def test_who_sits_down_between_hands_is_not_told_of_the_last_one(self) -> None:
        house = House(guests=True)
        actor = open_table(house, seats=2)
        clients = {seat: guest(house, name, "table-1") for seat, name in enumerate(("bob", "eve"))}
        clients[1].say("leave", table="table-1")
        play_until(actor, clients, lambda: actor.table.hand is None)
        assert actor.hands == 1
        late = Memory(house)
        late.say("hello", name="late")
        assert kinds(late.say("join", table="table-1", seat=1)) == ["match_start"]
        house.close()

    async def test_who_sits_down_during_a_hand_follows_it_without_cards(self) -> None:
        house = House(guests=True)
        actor = open_table(house, seats=3)
        clients = {seat: guest(house, name, "table-1") for seat, name in enumerate(("bob", "eve"))}
        answer(clients, actor)
        late = Memory(house)
        late.say("hello", name="late")
        news = late.say("join", table="table-1")
        assert kinds(news)[:2] == ["match_start", "hand_start"]
        start = only(news, "hand_start")
        assert start["hole"] == []
        assert start["seats"] == sorted(start["seats"]) or len(start["seats"]) == 2
        late.say("ready", table="table-1")
        hands = actor.hands
        play_until(actor, {**clients, 2: late}, lambda: actor.hands > hands + 1)
        assert actor.table.hand is not None
        assert set(actor.table.hand.seats) == {0, 1, 2}
        house.close()

    async def test_a_guest_who_stays_away_loses_his_seat(self) -> None:
        house = House(guests=True, grace=0.0)
        actor = open_table(house)
        clients = {seat: guest(house, name, "table-1") for seat, name in enumerate(("bob", "eve", "kim"))}
        resume = house.players["eve"].resume
        clients[1].break_off()
        async with asyncio.timeout(PATIENCE):
            while "eve" in house.players:
                await turn_of_the_loop()
        hands = actor.hands
        play_until(actor, clients, lambda: actor.hands > hands)
        assert actor.players[1] is None
        assert kinds(Memory(house).say("hello", name="eve", resume=resume)) == ["bad_resume"]
        house.close()

    async def test_ready_twice_changes_nothing(self) -> None:
        house = House(guests=True)
        actor = open_table(house)
        bob = guest(house, "bob", "table-1")
        guest(house, "eve", "table-1")
        seq, turn = actor.table.seq, actor.table.turn_seat
        for _ in range(5):
            assert not [kind for kind in kinds(bob.say("ready", table="table-1")) if kind == "turn"]
        assert (actor.table.seq, actor.table.turn_seat) == (seq, turn)
        house.close()


def play_until(actor: Any, clients: dict[int, Memory], done: Any) -> None:
    """Everybody calls until ``done``."""
    for _ in range(1_000):
        if done():
            return
        answer(clients, actor)
    raise AssertionError("this never comes")


class Hands:
    """A recorder that keeps the hands."""

    def __init__(self) -> None:
        self.hands: list[list[Event]] = []

    def record_hand(self, events: Any) -> None:
        self.hands.append(list(events))


def two(house: House, **settings: Any) -> tuple[Any, dict[int, Memory]]:
    """A match of alice and bob; both are there, and not yet ready."""
    players = [Player("alice", "a"), Player("bob", "b")]
    actor = at_table(house, players, **settings)
    clients = {0: Memory(house, JSON), 1: Memory(house, MSGPACK)}
    for client, player in zip(clients.values(), players, strict=True):
        assert kinds(client.say("hello", name=player.name, token=player.token)) == ["welcome", "match_start"]
    return actor, clients


class TestMatches:
    async def test_a_match_from_start_to_end(self) -> None:
        house = House()
        recorder = Hands()
        actor, clients = two(house, hands=12, recorder=recorder)
        assert kinds(clients[0].say("ready", table="m")) == []
        assert actor.table.hand is None
        first = clients[1].say("ready", table="m")
        heard: dict[int, list[Message]] = {0: clients[0].news(), 1: first}
        while not actor.table.over:
            seat = actor.table.turn_seat
            heard[seat] += answer(clients, actor)
            heard[1 - seat] += clients[1 - seat].news()
        for seat, messages in heard.items():
            seqs = [message["seq"] for message in messages if "seq" in message]
            assert seqs == list(range(actor.table.seq))
            for turn in (message for message in messages if message["type"] == "turn"):
                reply = next(message for message in messages if message.get("seq") == turn["turn"])
                assert (reply["type"], reply["seat"]) == ("acted", seat)
            end = messages[-1]
            assert end["type"] == "match_end"
            assert end["hands"] == 12
            assert end["net"] == [seat.total for seat in actor.seats]
            assert end.get("reason", "complete") == "complete"
        assert sum(seat.total for seat in actor.seats) == 0
        assert len(recorder.hands) == 12
        ended = [hand[-1] for hand in recorder.hands]
        assert all(isinstance(event, HandEnded) for event in ended)
        assert not any(seat.incidents for seat in actor.seats)
        assert kinds(clients[0].say("act", table="m", turn=0, action="call")) == ["unknown_table"]
        house.close()

    @pytest.mark.parametrize("codec", CODECS.values(), ids=lambda codec: codec.subprotocol)
    async def test_what_a_match_start_says(self, codec: Any) -> None:
        house = House()
        at_table(house, [Player("alice", "a"), Player("bob", "b")], hands=3, name="cup/1", names=["x", "y"])
        client = Memory(house, codec)
        news = client.say("hello", name="bob", token="b")
        start = only(news, "match_start")
        assert {key: value for key, value in start.items() if key != "game"} == {
            "type": "match_start",
            "table": "cup/1",
            "match": "cup/1",
            "seat": 1,
            "players": ["x", "y"],
            "hands": 3,
            "reset": True,
            "seed": 1,
            "mode": "fixed",
            "time_ms": 60_000,
            "bank_ms": 0,
        }
        assert start["game"]["name"] == "holdem.nolimit.2p.reverse_blinds"
        assert start["game"]["blinds"] == [100, 50]
        house.close()

    async def test_a_check_that_is_not_free_is_refused(self) -> None:
        house = House()
        actor, clients = two(house)
        for client in clients.values():
            client.say("ready", table="m")
        seq = actor.table.seq
        [error] = [message for message in answer(clients, actor, "check") if message["type"] == "error"]
        assert (error["code"], error["table"], error["turn"]) == ("illegal_action", "m", seq)
        assert "50" in error["message"]
        assert actor.table.seq == seq
        assert not [kind for kind in kinds(answer(clients, actor, "call")) if kind == "illegal_action"]
        assert "illegal_action" not in kinds(answer(clients, actor, "check"))
        house.close()

    async def test_refusals_are_counted_where_they_belong(self) -> None:
        house = House()
        actor, clients = two(house)
        for client in clients.values():
            client.say("ready", table="m")
        other = 1 - actor.table.turn_seat
        clients[other].news()
        assert kinds(clients[other].say("act", table="m", turn=actor.table.turn, action="call")) == [
            "not_your_turn"
        ]
        assert kinds(clients[other].say("act", table="m", turn=0, action="call")) == ["stale_turn"]
        assert kinds(clients[other].say("act", table="x", turn=0, action="call")) == ["unknown_table"]
        assert kinds(clients[other].say("hello", name="again")) == ["hello_again"]
        assert kinds(clients[other].throw(b"\xc1")) == ["malformed_frame"]
        assert actor.seats[other].incidents == {"not_your_turn": 1, "stale_turn": 1}
        assert actor.players[other].incidents == {"unknown_table": 1, "hello_again": 1, "malformed_frame": 1}
        assert not actor.seats[1 - other].incidents
        house.close()

    async def test_what_is_said_at_a_match_that_was_broken_off_is_nobodys_fault(self) -> None:
        house = House()
        actor, clients = two(house)
        for client in clients.values():
            client.say("ready", table="m")
        seat, turn = actor.table.turn_seat, actor.table.turn
        players = list(actor.players)
        actor.stop("shutting_down")
        assert kinds(clients[seat].say("act", table="m", turn=turn, action="call"))[-1:] == ["unknown_table"]
        assert not players[seat].incidents
        # At another table it is his own, and so it is at this one when it was begun anew and ended well.
        clients[seat].say("act", table="x", turn=turn, action="call")
        assert players[seat].incidents == {"unknown_table": 1}
        again = at_table(house, players, hands=3)
        for number in range(2):
            again.leave(number)
        clients[seat].say("act", table="m", turn=turn, action="call")
        assert players[seat].incidents == {"unknown_table": 2}
        house.close()

    async def test_who_is_not_ready_is_played_by_the_policy_until_he_is(self) -> None:
        house = House()
        actor, clients = two(house, hands=50)
        clients[0].say("ready", table="m")
        actor.begin()
        assert actor.seats[1].incidents == {"no_show": 1} | (
            {"absent": 1} if actor.seats[1].incidents["absent"] else {}
        )
        play_until(actor, clients, lambda: actor.hands == 3)
        assert actor.seats[1].incidents["absent"] >= 3
        clients[1].say("ready", table="m")
        before = actor.seats[1].incidents["absent"]
        hands = actor.hands
        play_until(actor, clients, lambda: actor.hands > hands + 2)
        assert actor.seats[1].incidents["absent"] <= before + 1
        house.close()

    async def test_time_runs_out_and_the_opponent_plays_on(self) -> None:
        house = House()
        actor, clients = two(house, hands=6, clock=Clock(0.03, 0.05))
        for client in clients.values():
            client.say("ready", table="m")
        async with asyncio.timeout(PATIENCE):
            while not actor.table.over:
                if actor.table.turn_seat == 0:
                    answer(clients, actor)
                await turn_of_the_loop()
        assert actor.seats[1].incidents["timeout"] == 3
        assert actor.seats[1].incidents["absent"] > 0
        assert not actor.seats[0].incidents
        assert actor.hands == 6
        house.close()

    async def test_who_was_taken_for_absent_says_back(self) -> None:
        house = House()
        actor, clients = two(house, hands=100)
        for client in clients.values():
            client.say("ready", table="m")
        while not actor.table.seats[1].is_absent:
            if actor.table.turn_seat == 1:
                actor.tick(actor.table.deadline)
            else:
                answer(clients, actor)
        assert actor.seats[1].incidents["timeout"] == 3
        assert not [kind for kind in kinds(clients[1].say("back", table="m")) if kind == "error"]
        assert not actor.table.seats[1].is_absent
        play_until(actor, clients, lambda: actor.table.turn_seat == 1)
        assert "turn" in kinds(clients[1].news()) or "turn" in kinds(answer(clients, actor))
        house.close()

    async def test_who_leaves_a_match_forfeits_his_decisions_and_the_match_goes_on(self) -> None:
        house = House()
        actor, clients = two(house, hands=10)
        for client in clients.values():
            client.say("ready", table="m")
        clients[1].say("leave", table="m")
        play_until(actor, clients, lambda: actor.table.over)
        assert actor.hands == 10
        assert actor.seats[1].incidents["leave"] == 1
        assert actor.seats[1].incidents["absent"] > 0
        clients[0].news()
        assert clients[0].heard[-1]["type"] == "match_end"
        house.close()

    async def test_who_leaves_before_the_start_is_not_waited_for(self) -> None:
        house = House()
        actor, clients = two(house, hands=4)
        clients[0].say("ready", table="m")
        clients[1].say("leave", table="m")
        assert actor.started
        play_until(actor, clients, lambda: actor.table.over)
        house.close()

    async def test_who_leaves_a_cash_match_stays_in_it(self) -> None:
        """A match keeps those it began with; else one of two players would never end."""
        house = House()
        play = Cash(2, Stakes(5, 10, stack=500), deals_for, hands=10, all_seated=True)
        actor, clients = two(house, play=play)
        for client in clients.values():
            client.say("ready", table="m")
        clients[1].say("leave", table="m")
        play_until(actor, clients, lambda: actor.table.over)
        assert actor.hands == 10
        assert sum(seat.total for seat in actor.seats) == 0
        house.close()

    async def test_a_house_that_closes_ends_its_matches(self) -> None:
        house = House()
        recorder = Hands()
        _, clients = two(house, hands=10, recorder=recorder)
        for client in clients.values():
            client.say("ready", table="m")
        house.close()
        for client in clients.values():
            news = client.news()
            assert kinds(news)[-2:] == ["match_end", "shutting_down"]
            assert news[-2]["reason"] == "shutting_down"
            assert client.closed is not None
        assert not recorder.hands

    async def test_dismissed_players_are_let_go_politely(self) -> None:
        house = House()
        actor, clients = two(house, hands=2)
        for client in clients.values():
            client.say("ready", table="m")
        play_until(actor, clients, lambda: actor.table.over)
        for name in ("alice", "bob"):
            house.remove_player(house.players[name])
        assert [client.closed for client in clients.values()] == [(CLOSE_NORMAL, "bye")] * 2
        clients[0].news()
        assert clients[0].heard[-1]["type"] == "match_end"
        assert not house.players
        house.close()

    async def test_many_tables_on_one_connection(self) -> None:
        house = House()
        alice = Player("alice", "a")
        actors = {}
        others = {}
        for number in range(20):
            name = f"m{number}"
            other = Player(f"other-{number}", f"o{number}")
            actors[name] = at_table(
                house, [alice, other] if number % 2 else [other, alice], hands=3, name=name
            )
            others[name] = Memory(house)
            others[name].say("hello", name=other.name, token=other.token)
            others[name].say("ready", table=name)
        client = Memory(house, MSGPACK)
        starts = client.say("hello", name="alice", token="a", tables=20)[1:]
        assert sorted(message["table"] for message in starts) == sorted(actors)
        pending = [("ready", message["table"], 0) for message in starts]
        while pending:
            frame = [
                {"type": "ready", "table": table}
                if kind == "ready"
                else {"type": "act", "table": table, "turn": turn, "action": "call"}
                for kind, table, turn in pending
            ]
            news = client.throw(MSGPACK.encode(frame))
            for name, actor in actors.items():
                seat = 0 if name not in {f"m{number}" for number in range(1, 20, 2)} else 1
                while actor.table.turn_seat == seat:
                    others[name].say("act", table=name, turn=actor.table.turn, action="call")
            news += client.news()
            assert "error" not in {message["type"] for message in news}
            pending = [
                ("act", message["table"], message["turn"]) for message in news if message["type"] == "turn"
            ]
        assert all(actor.table.over and actor.hands == 3 for actor in actors.values())
        assert not any(
            counts for actor in actors.values() for counts in (seat.incidents for seat in actor.seats)
        )
        house.close()


async def test_a_fault_at_one_table_stops_that_table_alone(no_error_logged: list[str]) -> None:
    """The rules engine breaks in mid-hand: that match says ``internal`` and ends, the others go on."""
    house = House()
    actor, clients = two(house, hands=10)
    for client in clients.values():
        client.say("ready", table="m")
    players = [Player("carol", "c"), Player("dave", "d")]
    sound = at_table(house, players, hands=3, name="sound")
    guests = {0: Memory(house), 1: Memory(house)}
    for client, player in zip(guests.values(), players, strict=True):
        client.say("hello", name=player.name, token=player.token)
        client.say("ready", table="sound")
    assert actor.table.hand is not None
    # A deck with no board, as a broken disk or a wrong refactoring might leave it.
    actor.table.hand._cards = None
    news: list[Message] = []
    while actor.failure is None:
        news = answer(clients, actor)
    assert "internal" in kinds(news)
    assert [message["reason"] for message in news if message["type"] == "match_end"] == ["internal"]
    assert any("table failed" in line for line in no_error_logged)
    no_error_logged.clear()
    play_until(sound, guests, lambda: sound.table.over)
    assert sound.hands == 3
    house.close()


async def test_a_raise_means_the_same_in_every_layer() -> None:
    house = House()
    actor, clients = two(house)
    for client in clients.values():
        client.say("ready", table="m")
    seat = actor.table.turn_seat
    clients[seat].say("act", table="m", turn=actor.table.turn, action="raise", to=300)
    assert actor.table.hand is not None
    copy = actor.table.hand.betting.copy()
    assert copy.street_bet(actor.table.hand.seats.index(seat)) == 300
    for action in (raise_to(900), CALL):
        copy.act(action)
    house.close()
