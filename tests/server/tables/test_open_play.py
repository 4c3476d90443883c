"""When an open table deals, waits, begins and closes; tournaments and series; who is who."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dealer.formats.format import Stakes
from dealer.formats.tournament import Level
from dealer.seats import Dealt
from dealer.table import Clock
from server.house.house import House
from server.tables.config import TableConfig
from server.tables.open_table import READY_TIME, OpenTable
from server.tables.player import Player
from tests.support.bot_programs import until
from tests.support.houses.people import PATIENCE, Memory, Message, at_table, open_table
from tests.support.houses.people_table import Game, come, kinds, moving, only, sit

LEVELS = (Level(5, 10, 0, 5), Level(50, 100, 0, 100))


class TestPauses:
    async def test_where_people_play(self) -> None:
        game = Game(bots=3, pause=5.0, seats=4)
        game.finish_hand()
        assert game.table.table.hand is not None
        game.clients[3] = sit(game.house, "ann")
        game.finish_hand("fold")
        table = game.table.table
        assert table.hand is None
        assert table.deadline is not None
        assert 4.0 < table.deadline - game.house.clock() <= 5.0
        game.tick()
        game.finish_hand()
        assert 9.0 < table.deadline - game.house.clock() <= 10.0
        game.house.close()

    async def test_who_only_looks_on_does_not_slow_programs(self) -> None:
        game = Game(bots=2, pause=5.0, seats=3)
        eve = come(game.house, "eve")
        eve.say("watch", table="table-1")
        assert game.pause() == 0.0
        for _ in range(3):
            game.finish_hand()
            assert game.table.table.hand is not None
        # He plays now: they wait for him. Then he sits there, and looks on again.
        game.clients[2] = eve
        eve.say("join", table="table-1")
        assert game.pause() == 0.0
        eve.say("ready", table="table-1")
        assert game.pause() == 5.0
        eve.say("away", table="table-1")
        game.finish_hand()
        assert game.pause() == 0.0
        eve.say("back", table="table-1")
        assert game.pause() == 5.0
        eve.say("leave", table="table-1")
        assert game.pause() == 0.0
        game.house.close()

    async def test_a_person_who_opens_a_table_may_watch_programs_there(self) -> None:
        house = House(guests=True)
        for person in (True, False):
            owner = come(house, f"owner {person}", person=person).connection.player
            config = TableConfig(Stakes(5, 10, stack=1000), 2, pause=5.0)
            table = house.open_tables["table-1"] = OpenTable(house, config, "table-1", idle=60.0, owner=owner)
            for number in range(2):
                sit(house, f"{person} {number}", person=False)
            eve = come(house, f"eve {person}")
            eve.say("watch", table="table-1")
            assert table.table.pause == (5.0 if person else 0.0)
            table.stop("closed")
        house.close()

    async def test_a_table_at_which_nobody_is_gets_closed(self) -> None:
        house = House(guests=True)
        closed = asyncio.Event()
        table = open_table(house, idle=0.05)
        table._on_over = lambda _: closed.set()
        ann = come(house, "ann")
        ann.say("watch", table="table-1")
        assert table._idle._timer is None
        ann.say("leave", table="table-1")
        async with asyncio.timeout(PATIENCE):
            await closed.wait()
        assert not house.open_tables
        assert kinds(ann.say("join", table="table-1")) == ["unknown_table"]
        house.close()


class TestTheFirstHand:
    """Of a cash table that somebody opened."""

    def opened(self, bots: int = 2, seats: int = 4) -> tuple[House, OpenTable, Memory, list[Memory]]:
        """The table, its owner, and house bots that have a seat and are still being started."""
        house = House(guests=True)
        owner = come(house, "ann")
        config = TableConfig(Stakes(5, 10, stack=1000), seats, bots=("call",) * bots)
        table = OpenTable(house, config, "table-1", idle=60.0, owner=owner.connection.player)
        house.open_tables["table-1"] = table
        servants = []
        for number in range(bots):
            player = house.players.add(Player(f"call-{number}", f"token {number}", is_house_bot=True))
            table.join(player, -1)
            servants.append(Memory(house))
        return house, table, owner, servants

    def ready(self, servants: list[Memory]) -> None:
        for number, servant in enumerate(servants):
            servant.say("hello", name="call", token=f"token {number}", tables=9)
            servant.say("ready", table="table-1")

    def dealt(self, table: OpenTable) -> int:
        """How many have cards."""
        return 0 if table.table.hand is None else len(table.table.hand.seats)

    async def test_it_waits_for_the_owner_and_the_bots(self) -> None:
        house, table, ann, servants = self.opened(bots=3)
        ann.say("watch", table="table-1")
        self.ready(servants[:2])
        assert not self.dealt(table)
        ann.say("join", table="table-1")
        self.ready(servants)
        assert not self.dealt(table)
        ann.say("ready", table="table-1")
        assert self.dealt(table) == 4
        # Only the first one.
        ann.say("leave", table="table-1")
        ann.say("watch", table="table-1")
        assert not table.table_format.paused
        house.close()

    async def test_it_waits_for_a_bot_after_the_owner(self) -> None:
        house, table, ann, servants = self.opened()
        ann.say("join", table="table-1")
        ann.say("ready", table="table-1")
        self.ready(servants[:1])
        assert not self.dealt(table)
        # One that cannot be started is not waited for.
        player = table.players[1]
        assert player is not None
        player.ended = True
        house.give_up_seats(player)
        assert self.dealt(table) == 2
        house.close()

    async def test_who_is_not_there_keeps_nobody_waiting(self) -> None:
        house, table, ann, servants = self.opened()
        self.ready(servants)
        ann.say("watch", table="table-1")
        bob = sit(house, "bob")
        assert not self.dealt(table)
        ann.say("leave", table="table-1")
        assert self.dealt(table)
        bob.break_off()
        house.close()

    async def test_after_a_while_it_is_dealt_to_those_who_are_there(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("server.tables.attendance.PATIENCE", 0.01)
        house, table, ann, servants = self.opened()
        ann.say("watch", table="table-1")
        self.ready(servants)
        assert not self.dealt(table)
        await until(lambda: self.dealt(table) > 0)
        house.close()

    async def test_an_exhibition_waits_for_all_its_bots(self) -> None:
        house, table, ann, servants = self.opened(bots=4)
        ann.say("watch", table="table-1")
        self.ready(servants[:3])
        assert not self.dealt(table)
        self.ready(servants)
        assert self.dealt(table)
        house.close()


class TestTournaments:
    def game(self, *people: str, bots: int = 0, **settings: Any) -> Game:
        stakes = Stakes(5, 10, stack=200)
        settings = {"mode": "tournament", "levels": LEVELS, "stakes": stakes, "pause": 2.0, **settings}
        return Game(*people, bots=bots, **settings)

    async def test_it_begins_when_all_seats_are_taken_and_all_are_ready(self) -> None:
        game = self.game("ann", seats=3)
        assert not game.table.started
        assert only(game.clients[0].heard, "seats")["seats"][0]["state"] == "waiting"
        game.clients[1] = sit(game.house, "bob")
        assert game.deadline() is None
        cat = come(game.house, "cat")
        cat.say("join", table="table-1")
        deadline = game.deadline()
        assert deadline is not None
        assert deadline - game.house.clock() > READY_TIME - 1
        game.clients[2] = cat
        cat.say("ready", table="table-1")
        deadline = game.deadline()
        assert deadline is not None
        assert deadline - game.house.clock() <= 2.0
        game.clients[1].say("leave", table="table-1")
        assert game.deadline() is None
        assert game.table.facts.names == ["ann", "", "cat"]
        game.clients[1] = sit(game.house, "dan")
        game.tick()
        assert sorted(game.hand.seats) == [0, 1, 2]
        assert game.table.lobby_entry().free == 0
        assert kinds(come(game.house, "eve").say("join", table="table-1")) == ["no_seat"]
        game.house.close()

    async def test_who_is_not_ready_in_time_is_played_by_the_policy_until_he_is(self) -> None:
        game = self.game("ann", "bob", seats=3)
        cat = come(game.house, "cat")
        cat.say("join", table="table-1")
        game.clients[2] = cat
        game.tick()
        assert game.absent(2)
        cat.say("ready", table="table-1")
        assert not game.absent(2)
        game.house.close()

    async def test_who_is_away_is_dealt_in_and_the_policy_plays(self) -> None:
        game = self.game("ann", "bob", "cat")
        game.tick()
        hand = game.hand
        game.clients[1].say("away", table="table-1")
        assert not game.absent(1)
        game.until(lambda: game.table.table.hand not in (hand, None))
        assert game.absent(1)
        assert 1 in game.hand.seats
        assert game.table.state(1) == "away"
        asked = {m["turn"] for m in game.clients[1].heard if m["type"] == "turn"}
        game.finish_hand()
        game.clients[1].news()
        assert asked == {m["turn"] for m in game.clients[1].heard if m["type"] == "turn"}
        game.clients[1].say("back", table="table-1")
        assert not game.absent(1)
        game.house.close()

    async def test_who_leaves_is_played_to_the_end(self) -> None:
        game = self.game("ann", "bob", "cat")
        game.tick()
        game.clients[1].say("leave", table="table-1")
        assert game.table.state(1) == "gone"
        assert game.table.facts.names[1] == "bob"
        game.until(lambda: game.table.results, "call")
        assert sorted(game.table.results[0].places) == [1, 2, 3]
        assert game.table.results[0].players == ["ann", "bob", "cat"]
        game.house.close()

    async def test_who_comes_later_is_told_what_is_played_for_now(self) -> None:
        game = self.game("ann", "bob")
        game.until(lambda: game.table.hands > LEVELS[0].hands, "call")
        news = come(game.house, "eve").say("watch", table="table-1")
        assert only(news, "seats")["game"] == "no-limit hold'em 50/100"
        game.house.close()

    async def test_a_series_to_its_end(self) -> None:
        game = self.game("ann", "bob", bots=1, matches=3)
        commitments = set()
        for match in range(1, 4):
            game.until(lambda: game.table.started)
            assert game.table.match == match
            commitments.add(game.table.commitment)
            done = match
            game.until(lambda: len(game.table.results) == done)  # noqa: B023
            game.clients[0].news()
            told = [message for message in game.clients[0].heard if message["type"] == "series"]
            assert told[-1]["results"][-1]["match"] == match
            game.tick()
            news = game.clients[0].news()
            if match < 3:
                assert kinds(news)[:2] == ["match_end", "match_start"]
                assert news[1]["match"] == f"table-1/{match + 1}"
                assert only(news, "series")["match"] == match + 1
                for client in game.clients.values():
                    client.say("ready", table="table-1")
            else:
                assert kinds(news) == ["match_end"]
        assert len(commitments) == 3
        assert not game.house.open_tables
        assert [result.match for result in game.table.results] == [1, 2, 3]
        # Two that go out in one hand with equal chips share a place.
        assert all(sorted(result.places) in ([1, 2, 3], [1, 2, 2]) for result in game.table.results)
        seqs = [m["seq"] for m in game.clients[2].heard if "seq" in m]
        assert seqs.count(0) == 3
        game.house.close()

    @pytest.mark.parametrize(("memory", "reset"), [("", True), ("match", True), ("series", False)])
    async def test_who_remembers_over_a_series_is_not_told_to_forget(self, memory: str, reset: bool) -> None:
        game = self.game("ann", "bob", bots=1, matches=2, memory=memory or "match")
        game.until(lambda: game.table.results, "call")
        game.clients[0].news()
        game.tick()
        news = game.clients[0].news()
        assert kinds(news)[:2] == ["match_end", "match_start"]
        assert news[1]["reset"] == reset
        game.house.close()

    async def test_between_the_matches_of_a_series_a_free_seat_can_be_taken(self) -> None:
        game = self.game("ann", "bob", "cat", matches=2)
        game.tick()
        game.clients[1].say("leave", table="table-1")
        game.until(lambda: game.table.results)
        game.tick()
        assert game.table.facts.names == ["ann", "", "cat"]
        for seat in (0, 2):
            game.clients[seat].say("ready", table="table-1")
        assert game.table.table.deadline is None
        game.clients[1] = sit(game.house, "dan")
        game.until(lambda: len(game.table.results) == 2)
        assert game.table.results[1].players == ["ann", "dan", "cat"]
        game.house.close()

    async def test_nobody_waits_for_people_who_are_out(self) -> None:
        game = self.game("ann", bots=2, clock=Clock(60.0, 0.0))
        game.until(lambda: game.table.started)
        assert game.pause() == 2.0
        moving(game.table).dealt[0] = Dealt.OUT
        game.table.reevaluate()
        assert game.pause() == 0.0
        game.house.close()


class TestIdentity:
    def hello(self, house: House, name: str, identity: str) -> tuple[Memory, list[Message]]:
        client = Memory(house)
        client.connection.identity = identity
        return client, client.say("hello", name=name, person=True, tables=4)

    async def test_the_same_cookie_is_the_same_player(self) -> None:
        house = House(guests=True)
        open_table(house)
        first, _ = self.hello(house, "ann", "c1")
        first.say("join", table="table-1")
        _, news = self.hello(house, "ann", "c1")
        assert kinds(news)[:2] == ["welcome", "match_start"]
        assert news[1]["resumed"] is True
        assert kinds(first.news()) == ["replaced"]
        assert len(house.players) == 1
        # At a table he keeps his name, whatever he calls himself now.
        _, news = self.hello(house, "anna", "c1")
        assert news[0]["name"] == "ann"
        house.close()
        assert not house.players.by_identity

    async def test_another_name_where_nobody_is_confused_by_it(self) -> None:
        house = House(guests=True, grace=1000.0)
        self.hello(house, "ann", "c1")
        _, news = self.hello(house, "bob", "c2")
        assert news[0]["name"] == "bob"
        _, news = self.hello(house, "cleo", "c1")
        assert news[0]["name"] == "cleo"
        assert set(house.players) == {"bob", "cleo"}
        _, news = self.hello(house, "bob", "c1")
        assert kinds(news) == ["name_taken"]
        _, news = self.hello(house, "bob", "")
        assert kinds(news) == ["name_taken"]
        assert set(house.players) == {"bob", "cleo"}
        house.close()


async def test_people_in_a_competition_see_no_more_than_its_table() -> None:
    """Chat, cards shown by choice and spectators are for open tables."""
    house = House()
    players = [Player("ann", "a"), Player("bot", "b")]
    at_table(house, players)
    ann, bot = Memory(house), Memory(house)
    bot.say("hello", name="bot", token="b")
    bot.say("ready", table="m")
    ann.say("hello", name="ann", token="a", person=True)
    news = ann.say("ready", table="m")
    assert {"seats", "waiting", "hand_start"} <= set(kinds(news))
    assert {seat.get("kind", "") for seat in only(news, "seats")["seats"]} == {""}
    for kind, fields in (("say", {"text": "x"}), ("show", {"hand": 0, "cards": ["Ah"]}), ("away", {})):
        assert kinds(ann.say(kind, table="m", **fields)) == ["unknown_table"]
    assert kinds(ann.say("watch", table="m")) == ["unknown_table"]
    assert kinds(ann.say("create")) == ["server_full"]
    house.close()
