"""Results of people: who is scored, what is kept with consent, and that it can be deleted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dealer.deck import secure_deals
from dealer.luck.adjusted import adjusted_net
from dealer.rules.actions import CALL, raise_to
from dealer.rules.games import holdem
from dealer.rules.hand import HandState
from protocol.people import PersonScore
from server.bots.offered import OfferedBot
from server.bots.processes import ProcessManager
from server.house.house import House
from server.house.lobby import Lobby
from server.house.restore import recorder_for, restore_tables
from server.people import results
from server.people.performance import PlaySetting, own_score
from server.people.results import KeptResult, PeopleResults, Played
from server.storage.hand_db import HAND_DB_NAME, HAND_LOG_NAME
from server.storage.hand_store import HandStore
from tests.support.deals import SEED
from tests.support.houses.challenges import Served
from tests.support.houses.open_house import until
from tests.support.houses.people import Memory, Message
from tests.support.houses.people_table import come, kinds, only

BOTS = ("call", "raise")
TWO = {"mode": "tournament", "seats": 2, "bots": ["call"], "matches": 2, "pause_ms": 0, "stack": 100}
CHALLENGE = {"mode": "challenge", "seats": 2, "bots": ["call"], "rival": "raise", "hands": 10, "pause_ms": 0}


@pytest.fixture(autouse=True)
def _own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deadlines come when the test says so, and all-ins are averaged over a few boards."""
    monkeypatch.setattr("server.house.players_and_tables.TICK_INTERVAL", 3600.0)
    monkeypatch.setattr("dealer.luck.adjusted.BOARDS", 50)


class Evening:
    """A house whose bots are in this process, its archive, and the results of its people."""

    def __init__(self, folder: Path) -> None:
        self.archive = HandStore(folder / HAND_DB_NAME)
        self.people = PeopleResults(self.archive)
        self.lobby = Lobby(
            ProcessManager(folder),
            bots=dict.fromkeys(BOTS, OfferedBot()),
            make_house=partial(House, guests=True, storage=self.archive, durable=True),
            make_recorder=partial(recorder_for, self.archive),
            people=self.people,
        )
        self.house = self.lobby.house
        self.served: list[Served] = []

    def bots(self, *names: str) -> None:
        """Let house bots come."""
        for name in names:
            memory = Memory(self.house)
            memory.say("hello", name=name, token=self.house.players[name].token, tables=99)
            self.served.append(Served(self.house, name.rpartition("-")[0], memory))

    def open(self, ann: Memory, **settings: Any) -> str:
        """Ann opens a table and sits down."""
        table = str(only(ann.say("create", **settings), "created")["table"])
        self.bots(*(name for name in ("call-1", "raise-2") if not self.house.players[name].connection))
        ann.say("join", table=table)
        ann.say("ready", table=table)
        return table

    async def play(
        self,
        ann: Memory,
        table: str,
        *,
        action: str = "raise",
        until: str = "",
        stop: asyncio.Event | None = None,
    ) -> None:
        """Ann goes all-in, or does as told, until the table is closed, a message of a kind comes, or ``stop``
        is set.
        """
        read = len(ann.heard)
        for _ in range(20_000):
            while sum(bot.pump() for bot in self.served):
                pass
            if tasks := list(self.lobby._scores):
                # Unlike ``gather`` it cancels none of them.
                await asyncio.wait(tasks)
            await asyncio.gather(*tasks)
            ann.news()
            news = ann.heard[read:]
            read = len(ann.heard)
            opened = self.house.open_tables.get(table)
            if opened is None or until in kinds(news) or (stop is not None and stop.is_set()):
                return
            for message in news:
                if message["type"] == "match_start":
                    ann.say("ready", table=table)
            turn = opened.table.turn
            if opened.table.turn_seat == len(opened.seats) - 1 and ann.connection.open:
                most = opened.table.legal().max_raise
                if action == "raise" and most is not None:
                    ann.say("act", table=table, turn=turn, action="raise", to=most)
                else:
                    ann.say("act", table=table, turn=turn, action="call" if action == "raise" else action)
            elif opened.table.deadline is not None:
                opened.tick(opened.table.deadline)
        raise AssertionError("this never comes")

    async def kept(self) -> list[KeptResult]:
        return await self.people.page(0, 200)

    async def close(self) -> None:
        self.house.close()
        await self.lobby.close()
        await self.archive.close()


@asynccontextmanager
async def evening(folder: Path) -> AsyncIterator[Evening]:
    one = Evening(folder)
    try:
        yield one
    finally:
        await one.close()


def scores(ann: Memory) -> list[Message]:
    ann.news()
    return [message for message in ann.heard if message["type"] == "score"]


async def played(one: Evening, ann: Memory, **settings: Any) -> Message:
    """Ann plays a whole challenge; her score."""
    before = len(scores(ann))
    await one.play(ann, one.open(ann, **settings))
    [score] = scores(ann)[before:]
    return score


@pytest.mark.parametrize("settings", [TWO, CHALLENGE], ids=["tournaments", "challenge"])
class TestConsent:
    async def test_without_it_there_is_a_score_and_nothing_is_kept(
        self, tmp_path: Path, settings: dict[str, Any]
    ) -> None:
        async with evening(tmp_path) as one:
            score = await played(one, come(one.house, "ann"), **settings)
            assert score["key"] == ""
            assert score["others"] is None
            assert score["own"]["hands"] > 0
            assert await one.kept() == []
            assert await one.people.sums() == {}

    async def test_with_it_the_result_is_kept_and_survives(
        self, tmp_path: Path, settings: dict[str, Any]
    ) -> None:
        async with evening(tmp_path) as one:
            ann = come(one.house, "ann of the north", identity="the cookie")
            score = await played(one, ann, research=True, **settings)
            key = score["key"]
            [kept] = await one.kept()
            own = own_score(kept.matches, kept.setting)
            assert msgspec.convert(score, PersonScore).own == own
            assert len(kept.matches) == kept.setting.matches
            if settings is TWO:
                assert all(match.chips == (100 if match.place == 1 else -100) for match in kept.matches)
                assert own.tournaments == 2
                assert own.won == sum(match.place == 1 for match in kept.matches)
            else:
                assert len(kept.matches[0].hands) == 10
            nets = [hand for match in kept.matches for hand in match.hands]
            assert any(net != adjusted for net, adjusted, _ in nets)
            stored = msgspec.json.encode(kept).decode()
            for secret in ("ann", "cookie", key, "127.0.0.1"):
                assert secret not in stored
        async with evening(tmp_path) as again:
            assert await again.kept() == [kept]
            assert await again.people.find(key) == kept
            assert key.encode() not in (tmp_path / HAND_DB_NAME).read_bytes()


async def test_others_are_those_who_were_kept_before_with_the_same_settings(tmp_path: Path) -> None:
    async with evening(tmp_path) as one:
        ann = come(one.house, "ann")
        first = await played(one, ann, research=True, **TWO)
        assert first["others"] is None
        second = await played(one, ann, **TWO)
        assert {**second["others"], "results": 1} == first["own"]
        other = await played(one, ann, **{**TWO, "stack": 200})
        assert other["others"] is None


async def test_a_key_deletes_its_result_and_no_other(tmp_path: Path) -> None:
    async with evening(tmp_path) as one:
        ann = come(one.house, "ann")
        keys = [(await played(one, ann, research=True, **TWO))["key"] for _ in range(2)]
        assert len(set(keys)) == 2
        first, second = await one.kept()
        assert not await one.people.delete("nothing")
        assert await one.people.delete(keys[0])
        assert await one.kept() == [second]
        assert not await one.people.delete(keys[0])
        assert await one.people.find(keys[0]) is None
        assert first.result != second.result
        assert await one.people.delete(keys[1])
        await played(one, ann, research=True, **TWO)
        (third,) = await one.kept()
        # Who asks for what follows a number misses nothing.
        assert third.result > second.result


class TestWhoIsScored:
    async def test_a_challenge_that_was_left_is_not(self, tmp_path: Path) -> None:
        for settings in ({**TWO, "matches": 1}, CHALLENGE):
            async with evening(tmp_path) as one:
                ann = come(one.house, "ann")
                table = one.open(ann, research=True, **settings)
                await one.play(ann, table, action="call", until="hand_end")
                ann.say("leave", table=table)
                # Bots do not play alone; with a spectator they finish the tournament.
                bob = come(one.house, "bob")
                bob.say("watch", table=table)
                await one.play(bob, table)
                assert scores(bob) == []
                assert scores(ann) == []
                assert await one.kept() == []

    async def test_a_program_is_not(self, tmp_path: Path) -> None:
        async with evening(tmp_path) as one:
            robot = come(one.house, "robot", person=False)
            await one.play(robot, one.open(robot, research=True, **TWO))
            assert await one.kept() == []

    async def test_who_consents_plays_alone(self, tmp_path: Path) -> None:
        async with evening(tmp_path) as one:
            ann, bob = come(one.house, "ann"), come(one.house, "bob")
            table = str(only(ann.say("create", research=True, **TWO), "created")["table"])
            assert kinds(bob.say("join", table=table)) == ["no_seat"]
            assert one.house.open_tables[table].lobby_entry().free == 0
            assert "match_start" in kinds(ann.say("join", table=table))

    async def test_somebody_else_in_the_seat_is_not(self, tmp_path: Path) -> None:
        async with evening(tmp_path) as one:
            ann, bob = come(one.house, "ann"), come(one.house, "bob")
            table = str(only(ann.say("create", **TWO), "created")["table"])
            one.bots("call-1")
            bob.say("join", table=table)
            bob.say("ready", table=table)
            await one.play(bob, table)
            assert scores(ann) == scores(bob) == []

    async def test_spectators_get_no_score(self, tmp_path: Path) -> None:
        async with evening(tmp_path) as one:
            ann, bob = come(one.house, "ann"), come(one.house, "bob")
            table = one.open(ann, research=True, **TWO)
            bob.say("watch", table=table)
            await one.play(ann, table)
            assert len(scores(ann)) == 1
            assert scores(bob) == []
            assert "match_end" in kinds(bob.heard)


@pytest.mark.parametrize("field", [{"mode": "cash", "matches": 1}, {"seats": 3}])
async def test_only_one_person_against_bots_can_consent(tmp_path: Path, field: dict[str, Any]) -> None:
    async with evening(tmp_path) as one:
        ann = come(one.house, "ann")
        [error] = ann.say("create", research=True, **{**TWO, **field})
        assert (error["code"], error["field"]) == ("bad_table", "research")
        assert not one.house.open_tables


async def test_hands_that_bots_play_without_the_person_are_not_his(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "HANDS_AT_ONCE", 2)
    three = {**TWO, "seats": 3, "bots": ["call", "raise"], "matches": 5}
    async with evening(tmp_path) as one:
        ann = come(one.house, "ann")
        table = one.open(ann, research=True, **three)
        await one.play(ann, table)
        series = [message for message in ann.heard if message["type"] == "series"][-1]
        [kept] = await one.kept()
        assert [match.place for match in kept.matches] == [
            result["places"][2] for result in series["results"]
        ]
        lengths = [len(match.hands) for match in kept.matches]
        for length, match in zip(lengths, series["results"], strict=True):
            # Who is second or first has played to the end.
            assert length == match["hands"] if match["places"][2] < 3 else length < match["hands"]
        assert scores(ann)[0]["own"]["hands"] == sum(lengths)


class TestLimits:
    async def test_per_address_and_day(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(results, "MAX_SCORED_PER_DAY", 1)
        async with evening(tmp_path) as one:
            ann = come(one.house, "ann")
            await played(one, ann, research=True, **TWO)
            await one.play(ann, one.open(ann, research=True, **TWO))
            assert len(scores(ann)) == len(await one.kept()) == 1
            monkeypatch.setattr(results, "_today", lambda: "2100-01-01")
            await played(one, ann, research=True, **TWO)
            assert [kept.day for kept in await one.kept()][1:] == ["2100-01-01"]

    def test_no_more_addresses_than_can_be_counted(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(results, "MAX_SOURCES", 3)
        people = PeopleResults(HandStore(tmp_path / HAND_DB_NAME))
        assert [people.admit(("guest", str(number))) for number in range(5)] == [True] * 3 + [False] * 2
        assert people.admit(("guest", "0"))
        assert len(people._scored) == 3

    @pytest.mark.parametrize("limit", ["MAX_RESULTS", "MAX_RESULT_HANDS"])
    async def test_in_all(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
        async with evening(tmp_path) as one:
            ann = come(one.house, "ann")
            first = await played(one, ann, research=True, **CHALLENGE)
            monkeypatch.setattr(results, limit, 1 if limit == "MAX_RESULTS" else 19)
            full = await played(one, ann, research=True, **CHALLENGE)
            assert full["key"] == ""
            assert full["own"]["hands"] == 10
            assert len(await one.kept()) == 1
        # The next process counts what it finds, and a deletion makes room.
        async with evening(tmp_path) as again:
            bob = come(again.house, "bob")
            assert (await played(again, bob, research=True, **CHALLENGE))["key"] == ""
            assert await again.people.delete(first["key"])
            assert await again.kept() == []
            assert (await played(again, bob, research=True, **CHALLENGE))["key"] != ""

    async def test_hands_of_one_challenge(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(results, "MAX_SCORED_HANDS", 9)
        async with evening(tmp_path) as one:
            ann = come(one.house, "ann")
            await one.play(ann, one.open(ann, research=True, **CHALLENGE))
            assert scores(ann) == []
            assert await one.kept() == []

    async def test_an_answer_has_a_bounded_number_of_hands(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with evening(tmp_path) as one:
            ann = come(one.house, "ann")
            for _ in range(3):
                await played(one, ann, research=True, **CHALLENGE)
            everything = await one.kept()
            assert len(everything) == 3
            monkeypatch.setattr(results, "MAX_SCORED_HANDS", 20)
            assert await one.kept() == everything[:2]
            assert await one.people.page(everything[1].result, 200) == everything[2:]


async def test_hands_that_the_archive_no_longer_has_make_no_result(tmp_path: Path) -> None:
    async with evening(tmp_path) as one:
        one.archive.max_per_run = 1
        ann = come(one.house, "ann")
        table = one.open(ann, research=True, **TWO)
        await one.play(ann, table, action="call", until="hand_end")
        one.archive.queue_write("old_of_run", (one.house.open_tables[table].run, 1))
        await one.play(ann, table)
        assert scores(ann) == []
        assert await one.kept() == []


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("settings", [TWO, CHALLENGE], ids=["tournaments", "challenge"])
async def test_a_server_that_dies_at_the_end_keeps_the_result_once(
    tmp_path: Path, settings: dict[str, Any], when: str
) -> None:
    """Killed while the score is computed, or when it has just been stored."""
    first = Evening(tmp_path)
    ann = come(first.house, "ann", identity="ann's")
    table = first.open(ann, research=True, **{**settings, "pause_ms": 1000})
    people = first.people
    waiting = asyncio.Event()
    opened = first.house.open_tables[table]
    if when == "before":
        first.lobby._people = None
        opened.scoring._on_played = lambda _: waiting.set()
    await first.play(ann, table, until="score", stop=waiting)
    assert opened.phase.value == "result"
    assert len(await people.page(0, 9)) == (0 if when == "before" else 1)
    first.archive.commit()
    copy = tmp_path / "again"
    copy.mkdir()
    for name in (HAND_DB_NAME, f"{HAND_DB_NAME}-wal", HAND_LOG_NAME):
        (copy / name).write_bytes((tmp_path / name).read_bytes())
    await first.close()

    async with evening(copy) as second:
        restore_tables(second.lobby, second.archive, [])
        await asyncio.gather(*second.lobby._scores)
        again = come(second.house, "ann", identity="ann's")
        [score] = scores(again)
        [kept] = await second.kept()
        assert await second.people.find(score["key"]) == kept
        assert json.loads(msgspec.json.encode(own_score(kept.matches, kept.setting))) == score["own"]


def early_all_ins(many: int, players: int = 10) -> list[Any]:
    """Stored hands in which everybody is all-in before the flop."""
    game = holdem(players, 5, 10, stack=200)
    deals = secure_deals(SEED, 0, game)
    found = []
    for number in range(1, many + 1):
        hand = HandState(game, deals.deal(number), number=number)
        while not hand.over:
            most = hand.legal().max_raise
            hand.act(CALL if most is None else raise_to(most))
        found.append(tuple(hand.events))
    return found


SETTING = PlaySetting("challenge", "nolimit", ("call",) * 9, "call", 5, 10, 0, 200, 0, "", 1, 10, "match")


def stored(archive: HandStore, name: str, hands: int) -> Played:
    """A challenge in the archive."""
    game = holdem(10, 5, 10, stack=200)
    record = archive.open_table(name, mode="challenge", game=game, seats=10, commitment="")
    record.begin(game, [("", "")] * 10)
    for events in early_all_ins(hands):
        record.record_hand(events)
    return Played([record.number], [0], 9)


async def test_a_long_result_does_not_hold_up_a_short_one(tmp_path: Path) -> None:
    people = PeopleResults(archive := HandStore(tmp_path / HAND_DB_NAME))
    long, short = stored(archive, "table-1", 150), stored(archive, "table-2", 10)
    slow = asyncio.create_task(people.read(long, msgspec.structs.replace(SETTING, hands=150)))
    await until(people._turn.locked)
    assert await people.read(short, SETTING) is not None
    assert not slow.done()
    slow.cancel()
    await asyncio.wait([slow])
    # Others can still read.
    assert await people.read(short, SETTING) is not None
    await archive.close()


async def test_all_all_ins_of_a_result_share_their_boards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dealer.luck.adjusted.ALL_BOARDS", 200)
    monkeypatch.setattr("dealer.luck.adjusted.LEAST_BOARDS", 10)
    people = PeopleResults(archive := HandStore(tmp_path / HAND_DB_NAME))
    for hands, boards in ((2, 50), (10, 20), (40, 10)):
        played = stored(archive, f"table-{hands}", hands)
        matches = await people.read(played, msgspec.structs.replace(SETTING, hands=hands))
        assert matches is not None
        assert [hand[1] for hand in matches[0].hands] == [
            round(adjusted_net(holdem(10, 5, 10, stack=200), events, 9, boards), 4)
            for events in early_all_ins(hands)
        ]
    await archive.close()


async def scoring(one: Evening, ann: Memory, monkeypatch: pytest.MonkeyPatch, **settings: Any) -> str:
    """Ann has played a challenge that is being scored, which lasts until ``people.read`` is given back."""
    table = one.open(ann, research=True, **settings)
    waiting, read = asyncio.Event(), one.people.read

    async def slow(played: Played, setting: PlaySetting) -> Any:
        waiting.set()
        await go_on.wait()
        return await read(played, setting)

    go_on = asyncio.Event()
    monkeypatch.setattr(one.people, "read", slow)
    monkeypatch.setattr(one, "go_on", go_on, raising=False)
    playing = asyncio.create_task(one.play(ann, table))
    await waiting.wait()
    playing.cancel()
    return table


@pytest.mark.parametrize("who", ["person", "organiser"])
@pytest.mark.parametrize("settings", [TWO, CHALLENGE], ids=["tournaments", "challenge"])
async def test_what_was_played_to_the_end_is_kept_if_the_table_closes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any], who: str
) -> None:
    async with evening(tmp_path) as one:
        ann = come(one.house, "ann")
        table = await scoring(one, ann, monkeypatch, **settings)
        if who == "person":
            ann.say("leave", table=table)
        else:
            one.house.open_tables[table].stop("closed")
        assert (table in one.house.open_tables) == (who == "person" and settings is TWO)
        one.go_on.set()  # type: ignore[attr-defined]
        await asyncio.gather(*one.lobby._scores)
        [score] = scores(ann)
        assert score["key"]
        assert len(await one.kept()) == 1


async def test_a_stop_does_not_wait_for_scores_and_the_next_process_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with evening(tmp_path) as first:
        ann = come(first.house, "ann", identity="ann's")
        await scoring(first, ann, monkeypatch, **CHALLENGE)
    async with evening(tmp_path) as second:
        assert await second.kept() == []
        restore_tables(second.lobby, second.archive, [])
        await asyncio.gather(*second.lobby._scores)
        again = come(second.house, "ann", identity="ann's")
        [score] = scores(again)
        assert score["key"]
        assert len(await second.kept()) == 1
