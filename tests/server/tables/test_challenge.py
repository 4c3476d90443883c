"""A challenge: both play the same, nothing is told before the end, and all of it then."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from dealer.formats.fixed import Challenge
from dealer.intervals import mean_interval
from dealer.rules.events import Event, HandEnded, HandStarted
from protocol.errors import Refused
from protocol.people import CreateTable
from server.house.house import House
from server.tables.actor import TableActor
from server.tables.challenge import ChallengeTable
from server.tables.config import config_from_request
from server.tables.player import Player
from tests.support.deals import SEED
from tests.support.houses.challenges import Duel
from tests.support.houses.lobby import BOTS
from tests.support.houses.people import Memory
from tests.support.houses.people_table import come, kinds


class Noted:
    """A recorder that keeps all hands."""

    def __init__(self) -> None:
        self.hands: list[list[Event]] = []

    def record_hand(self, events: Sequence[Event]) -> None:
        self.hands.append(list(events))


def noted(duel: Duel) -> tuple[Noted, Noted]:
    """The hands of both runs, when Ann sits."""
    mine, theirs = Noted(), Noted()
    duel.table.recorders.append(mine)
    send_rival = duel.table._send_rival

    def watched(table: ChallengeTable) -> None:
        send_rival(table)
        actor = table._rival
        assert actor is not None
        actor.recorders.append(theirs)

    duel.table._send_rival = watched
    return mine, theirs


def test_what_can_be_asked_for() -> None:
    asked = CreateTable(mode="challenge", seats=3, bots=["call", "fair"], rival="fair", hands=50)
    config = config_from_request(asked, BOTS)
    assert (config.rival, config.hands, config.exhibition) == ("fair", 50, False)
    assert isinstance(config.make_format(SEED), Challenge)


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("rival", {"rival": "nobody"}),
        ("rival", {"rival": ""}),
        ("rival", {"mode": "cash"}),
        ("bots", {"bots": ["call"]}),
        ("bots", {"bots": ["call"] * 3}),
        ("hands", {"hands": 9}),
        ("hands", {"hands": 501}),
        ("levels", {"levels": "turbo"}),
        ("matches", {"matches": 2}),
    ],
)
def test_what_cannot_be_is_refused_with_its_field(field: str, wrong: dict[str, Any]) -> None:
    good = {"mode": "challenge", "seats": 3, "bots": ["call", "fair"], "rival": "fair"}
    with pytest.raises(Refused) as refusal:
        config_from_request(CreateTable(**{**good, **wrong}), BOTS)
    assert refusal.value.field == field


class TestTheTwoRuns:
    async def test_both_have_the_same_situation_in_every_hand(self) -> None:
        duel = Duel("call", "random", "raise", hands=10)
        mine, theirs = noted(duel)
        duel.sit()
        duel.play()
        assert len(mine.hands) == len(theirs.hands) == 10
        for number, (own, other) in enumerate(zip(mine.hands, theirs.hands, strict=True), 1):
            assert own[0] == other[0]
            started = own[0]
            assert isinstance(started, HandStarted)
            assert started.hand == number
            assert started.stacks == (1000,) * 4
        starts = [hand[0] for hand in mine.hands]
        assert all(
            isinstance(a, HandStarted)
            and isinstance(b, HandStarted)
            and a.seats != b.seats
            and a.hole != b.hole
            for a, b in pairwise(starts)
        )

    @pytest.mark.parametrize("rival", BOTS)
    async def test_whoever_plays_like_the_rival_ends_like_him_in_every_hand(self, rival: str) -> None:
        """The rival's run can be repeated bit for bit: from the same seat, with the same seeds."""
        duel = Duel("fair", "random", "call", rival=rival, hands=20)
        mine, theirs = noted(duel)
        duel.sit(strategy=rival)
        duel.play()
        assert mine.hands == theirs.hands
        assert len(mine.hands) == 20
        assert isinstance(mine.hands[0][-1], HandEnded)


class TestTheResult:
    async def test_it_is_told_at_the_end_and_is_right(self) -> None:
        duel = Duel(hands=12)
        mine, theirs = noted(duel)
        duel.sit()
        duel.play()
        [told] = duel.told("challenge")
        nets = [[self.net(hand, duel.seat) for hand in run.hands] for run in (mine, theirs)]
        assert [(hand["hand"], hand["player_net"], hand["rival_net"]) for hand in told["hands"]] == list(
            zip(range(1, 13), *nets, strict=True)
        )
        assert (told["player_net"], told["rival_net"]) == (sum(nets[0]), sum(nets[1]))
        better = mean_interval(a - b for a, b in zip(*nets, strict=True)).if_enough_units()
        assert (told["mean"], told["half"], told["decided"]) == (better.mean, better.half, better.decided)
        assert (told["player"], told["rival"], told["opponents"]) == ("ann", "fair-3", ["call-1", "random-2"])
        assert (told["game"], told["big_blind"], told["of"]) == ("no-limit hold'em 5/10", 10, 12)
        assert (told["run"], told["rival_run"]) == ("", "")
        assert kinds(duel.ann.heard)[-2:] == ["challenge", "match_end"]
        assert "reason" not in duel.told("match_end")[0]
        assert not duel.house.open_tables
        assert not duel.house._running

    @staticmethod
    def net(hand: list[Event], seat: int) -> float:
        start, end = hand[0], hand[-1]
        assert isinstance(start, HandStarted)
        assert isinstance(end, HandEnded)
        return end.values[start.seats.index(seat)]

    async def test_nothing_of_the_rival_is_told_before(self) -> None:
        duel = Duel(hands=10)
        bob, robot = come(duel.house, "bob"), come(duel.house, "robot", person=False)
        for other in (bob, robot):
            other.say("watch", table="table-1")
        duel.sit()
        duel.play(hands=9)
        assert duel.table._rival_over
        for client in (duel.ann, bob, robot):
            client.news()
            for message in client.heard:
                assert message["type"] != "challenge"
                text = json.dumps(message)
                assert "rival" not in text
                assert "fair-3" not in text
        assert list(duel.house.open_tables) == ["table-1"]
        watched = bob.say("watch", table="table-1-rival")
        assert kinds(watched) == ["unknown_table"]
        assert kinds(bob.say("join", table="table-1-rival")) == ["unknown_table"]
        duel.play()
        assert "challenge" in kinds(bob.news())
        robot.news()
        assert "challenge" not in kinds(robot.heard)

    async def test_who_is_first_waits_for_the_other(self) -> None:
        duel = Duel(hands=10)
        slow = duel.rival
        duel.rival = duel.bots[0]
        duel.table._send_rival = lambda table: table.start_rival(slow.player)
        duel.sit()
        duel.play(hands=10)
        assert not duel.table._rival_over
        assert duel.table.table.deadline is None
        assert not duel.told("challenge")
        duel.rival = slow
        duel.settle()
        assert len(duel.told("challenge")) == 1
        # Who comes now is told as well.
        late = come(duel.house, "late")
        assert "challenge" in kinds(late.say("watch", table="table-1"))
        duel.play()
        assert "match_end" in kinds(late.news())

    async def test_a_rival_who_never_comes_is_played_by_the_policy(self) -> None:
        duel = Duel(hands=10)
        stranger = duel.house.players.add(Player("fair-9", "t", is_house_bot=True))
        duel.table._send_rival = lambda table: table.start_rival(stranger)
        duel.sit()
        duel.play(hands=10)
        assert not duel.told("challenge")
        duel.table._start_rival()
        rival = duel.table._rival
        assert rival is not None
        while not duel.table._rival_over:
            duel.settle()
            if rival.table.deadline is not None and not duel.table._rival_over:
                rival.tick(rival.table.deadline)
        assert len(duel.told("challenge")[0]["hands"]) == 10

    async def test_a_rival_who_ended_is_not_waited_for(self) -> None:
        duel = Duel(hands=10)
        duel.rival.player.ended = True
        duel.rival.memory.break_off()
        duel.rival = duel.bots[0]
        gone = duel.house.players["fair-3"]
        duel.table._send_rival = lambda table: table.start_rival(gone)
        duel.sit()
        duel.step()
        assert duel.table._rival_over

    async def test_a_fault_of_ours_is_no_result(self, no_error_logged: list[str]) -> None:
        for broken in ("table", "rival"):
            duel = Duel(hands=10)
            duel.sit()
            duel.play(hands=3)
            actor: TableActor | None = duel.table if broken == "table" else duel.table._rival
            assert actor is not None
            if broken == "rival":
                actor.failure = RuntimeError()
            else:
                actor.fail(RuntimeError())
            duel.play()
            assert not duel.told("challenge")
            assert len(duel.told("match_end")) == 1
            duel.house.close()
        no_error_logged.clear()


class TestWhoSits:
    async def test_only_who_made_it(self) -> None:
        duel = Duel()
        bob = come(duel.house, "bob")
        before = list(duel.table.facts.names)
        for seat in (-1, duel.seat):
            [error] = bob.say("join", table="table-1", seat=seat)
            assert error["code"] == "no_seat"
        assert duel.table.facts.names == before
        assert duel.table.lobby_entry().free == 0
        assert "match_start" in kinds(bob.say("watch", table="table-1"))
        duel.sit()
        assert duel.table.players[duel.seat] is duel.house.players["ann"]

    async def test_who_was_forgotten_is_known_by_the_cookie_or_else_by_name(self) -> None:
        for cookie in ("cookie of ann", ""):
            house = House(guests=True)
            ann = Memory(house)
            ann.connection.identity = cookie
            ann.say("hello", name="ann", person=True)
            first = house.players["ann"]
            ann.break_off()
            assert "ann" not in house.players
            again = Memory(house)
            again.connection.identity = cookie
            again.say("hello", name="anna" if cookie else "ann", person=True)
            other = Memory(house)
            other.connection.identity = "another"
            other.say("hello", name="ann" if cookie else "bob", person=True)
            assert first.is_same(again.connection.player)
            assert not first.is_same(other.connection.player)

    async def test_before_it_begins_the_seat_can_be_left_and_taken_again(self) -> None:
        duel = Duel(pause=5.0)
        for _ in range(2):
            assert "match_start" in kinds(duel.ann.say("join", table="table-1"))
            assert "match_end" in kinds(duel.ann.say("leave", table="table-1"))
        duel.sit()
        duel.play(hands=1)
        assert duel.table.started


class TestBreaks:
    async def test_no_hand_is_dealt_while_the_player_is_away(self) -> None:
        duel = Duel(hands=10)
        duel.sit()
        duel.play(hands=2)
        duel.ann.say("away", table="table-1")
        duel.play(hands=3)
        for _ in range(5):
            duel.step()
        assert duel.table.hands == 3
        assert duel.table.state(duel.seat) == "away"
        duel.ann.say("back", table="table-1")
        duel.play()
        assert not any(message["forced"] for message in duel.told("acted") if "forced" in message)
        assert len(duel.told("challenge")[0]["hands"]) == 10

    async def test_nor_while_he_is_not_connected_though_others_look_on(self) -> None:
        duel = Duel(hands=10)
        come(duel.house, "bob").say("watch", table="table-1")
        duel.sit()
        duel.play(hands=2)
        duel.ann.break_off()
        while duel.table.table.hand is not None:
            duel.step()
        hands = duel.table.hands
        for _ in range(5):
            duel.step()
        assert duel.table.hands == hands
        again = Memory(duel.house)
        news = again.say("hello", name="ann", person=True, resume=duel.house.players["ann"].resume)
        assert "match_start" in kinds(news)
        again.say("ready", table="table-1")
        duel.ann = again
        # Whose turn ran out while he was gone is away until he says ``back``.
        if duel.table.is_away(duel.seat):
            again.say("back", table="table-1")
        duel.play()
        assert len(duel.told("challenge")[0]["hands"]) == 10

    async def test_who_misses_too_many_turns_is_away(self) -> None:
        duel = Duel(hands=10, pause=1.0)
        duel.sit()
        for _ in range(200):
            table = duel.table.table
            if table.deadline is not None:
                duel.table.tick(table.deadline)
            duel.settle()
        assert duel.table.state(duel.seat) == "away"
        assert duel.table.hands < 10
        duel.ann.say("back", table="table-1")
        duel.play()
        assert len(duel.told("challenge")[0]["hands"]) == 10


class TestTheEnd:
    async def test_who_leaves_is_told_how_far_it_came(self) -> None:
        duel = Duel(hands=10)
        bob = come(duel.house, "bob")
        bob.say("watch", table="table-1")
        duel.sit()
        duel.play(hands=4)
        news = duel.ann.say("leave", table="table-1")
        assert kinds(news)[-2:] == ["challenge", "match_end"]
        assert (news[-1]["reason"], len(news[-2]["hands"]), news[-2]["of"]) == ("left", 4, 10)
        assert kinds(bob.news())[-2:] == ["challenge", "match_end"]
        assert not duel.house.open_tables
        assert not duel.house._running

    async def test_nothing_comes_of_it_without_a_hand(self) -> None:
        duel = Duel(hands=10)
        duel.sit()
        duel.step()
        assert duel.table.started
        duel.ann.say("leave", table="table-1")
        assert not duel.told("challenge")
        assert not duel.house._running

    async def test_nor_before_the_rival_has_finished_one(self) -> None:
        duel = Duel(hands=10)
        sent: list[ChallengeTable] = []
        duel.table._send_rival = sent.append
        duel.sit()
        duel.play(hands=2)
        assert sent == [duel.table]
        assert kinds(duel.ann.say("leave", table="table-1"))[-1] == "match_end"
        assert not duel.told("challenge")
        assert duel.told("match_end")[0]["reason"] == "left"
        assert not duel.house._running

    async def test_a_server_that_stops_tells_it_too(self) -> None:
        duel = Duel(hands=10)
        duel.sit()
        duel.play(hands=4)
        duel.house.close()
        assert len(duel.told("challenge")[0]["hands"]) == 4
        assert duel.told("match_end")[0]["reason"] == "shutting_down"
        assert not duel.house._running

    async def test_who_leaves_when_it_is_over_leaves_the_result(self) -> None:
        duel = Duel(hands=10, pause=1.0)
        duel.sit()
        while not duel.told("challenge"):
            duel.step()
        assert "table-1" in duel.house.open_tables
        news = duel.ann.say("leave", table="table-1")
        assert kinds(news) == ["match_end"]
        assert not duel.house.open_tables
