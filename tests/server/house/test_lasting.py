"""A house that is killed at any moment and begun anew: its tables go on as if nothing had been."""

from __future__ import annotations

import json
import random
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dealer.formats.format import Stakes
from dealer.formats.tournament import Level
from dealer.table import Table
from protocol.people import CreateTable
from server.auth.tokens import hash_token
from server.bots.processes import ProcessManager
from server.house.house import House
from server.house.lobby import ADMIN_SOURCE, MAX_OWN_TABLES, MAX_TABLES_PER_CLIENT, Lobby
from server.house.restore import recorder_for, restore_tables
from server.storage.hand_db import HandStoreError
from server.storage.hand_store import HandStore
from server.tables.config import TableConfig
from server.tables.player import Player
from server.tables.snapshot import TableSnapshot
from tests.server.house.lasting import DUEL, PATIENT, Guest, Houses, hands_of, play
from tests.support.houses.people import Memory
from tests.support.houses.people_table import kinds

LEVELS = (Level(5, 10, 0, 4), Level(10, 20, 2, 4), Level(40, 80, 0, 4))
CASH = TableConfig(Stakes(5, 10, 1, stack=300), 3, PATIENT)
DRAWN = CASH._replace(stakes=Stakes(5, 10, rules="pushfold", depth=(2, 12)))
CUP = CASH._replace(mode="tournament", levels=LEVELS, matches=5)


def played(houses: Houses, config: TableConfig, hands: int, kills: int, seed: int) -> list[tuple[Any, ...]]:
    """The record of a table of three guests, killed so often."""
    source = random.Random(seed)
    guests = [Guest("ann", person=True, identity="i1"), Guest("bob"), Guest("cid")]
    houses.begin(config)
    for guest in guests:
        guest.come(houses.house)
        guest.say("join", table="table-1")
        guest.step()

    def done() -> bool:
        return "table-1" not in houses.house.open_tables or houses.archive._hand_count >= hands

    for _ in range(kills):
        steps = iter(range(source.randrange(1, 20)))
        play(houses, guests, lambda: next(steps, None) is None, source)  # noqa: B023
        assert not done()
        houses.kill()
        houses.begin(config)
        source.shuffle(guests)
        for guest in guests:
            return_of(guest, houses.house)
    play(houses, guests, done, source)
    houses.kill()
    # What was not carried over is, now.
    houses.begin()
    houses.kill()
    return hands_of(houses.path)[:hands]


def happened(rows: list[tuple[Any, ...]]) -> set[str]:
    """What of it occurs in these hands."""
    found: set[str] = set()
    for *_, text in rows:
        events = json.loads(text)
        blind = max(events[0][6])
        highest = step = blind
        for event in events:
            if event[0] == "board_dealt":
                highest, step = 0, blind
            elif event[0] == "acted" and event[2] == "raise":
                found |= {"raise"} | ({"all-in"} if event[5] else set())
                if event[3] - highest < step:
                    found.add("short raise")
                highest, step = event[3], max(step, event[3] - highest)
            elif event[0] == "hand_ended" and len(event[3]) > 1:
                found.add("side pot")
    return found


def return_of(guest: Guest, house: House) -> None:
    """What he had been told of the hand in progress he is told again, with the same cards."""
    before = guest.told("hand_start")
    told = [message for message in guest.come(house) if message["type"] in ("match_start", "hand_start")]
    assert told[0]["resumed"]
    numbers = [start["hand"] for start in before]
    for start in told[1:]:
        assert start in before or start["hand"] not in numbers


@pytest.mark.parametrize("config", [CASH, DRAWN, CUP], ids=["cash", "drawn", "tournament"])
async def test_killed_at_any_moment_the_same_hands_are_played(
    config: TableConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = played(Houses(tmp_path / "0", monkeypatch), config, 40, 0, 0)
    assert len(undisturbed) >= 20, len(undisturbed)
    assert {"raise", "all-in", *(() if config is DRAWN else ("side pot", "short raise"))} <= happened(
        undisturbed
    )
    for seed in (1, 2):
        assert played(Houses(tmp_path / str(seed), monkeypatch), config, 40, 6, seed) == undisturbed


@pytest.mark.parametrize("deals", ["", "2025-11-25"])
async def test_a_challenge_ends_as_if_it_had_not_been_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deals: str
) -> None:
    results = [dueled(Houses(tmp_path / str(kills), monkeypatch), kills, deals) for kills in (0, 9)]
    assert results[0] == results[1]
    (_, rows), _ = results
    assert len(rows) == 2 * DUEL.hands
    assert "raise" in happened(rows)


def dueled(houses: Houses, kills: int, deals: str) -> tuple[Any, list[tuple[Any, ...]]]:
    """The result and the hands of a challenge between Ann and ``c-3``. The seed of a day is not stored."""
    source = random.Random(kills)
    ann = Guest("ann", person=True, identity="i1")
    houses.begin()
    houses.lobby.open(DUEL._replace(deals=deals), idle=60.0, owner=Player("ann", identity="i1"))
    ann.come(houses.house)
    guests = [ann, *map(houses.servant, ("a-1", "b-2", "c-3"))]
    ann.say("join", table="table-1")
    for _ in range(kills):
        steps = iter(range(source.randrange(1, 12)))
        play(houses, guests, lambda: next(steps, None) is None, source)  # noqa: B023
        assert houses.house.open_tables
        houses.kill()
        houses.begin()
        ann.come(houses.house)
        guests = [ann, *map(houses.servant, ("a-1", "b-2", "c-3"))]
    play(houses, guests, lambda: not houses.house.open_tables, source)
    houses.archive.checkpoint()
    houses.kill()
    with closing(sqlite3.connect(houses.path)) as db:
        (text,) = db.execute("SELECT result FROM challenges").fetchone()
        assert db.execute("SELECT count(*) FROM runs WHERE seed = ''").fetchone() == (2 if deals else 0,)
        assert db.execute("SELECT count(*) FROM plays WHERE net IS NOT NULL").fetchone() == (1,)
        assert db.execute("SELECT count(*) FROM tables").fetchone() == (0,)
    return text, hands_of(houses.path)


def deadline(table: Table) -> float:
    assert table.deadline is not None
    return table.deadline


class TestAfterwards:
    """What holds when a house is begun again."""

    @pytest.fixture
    def houses(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Houses:
        return Houses(tmp_path, monkeypatch)

    def seated(self, houses: Houses, *configs: TableConfig) -> list[Guest]:
        """Ann with a cookie and Bob, a bot, in the middle of a hand."""
        guests = [Guest("ann", person=True, identity="i1"), Guest("bob")]
        houses.begin(*configs)
        for guest in guests:
            guest.come(houses.house)
            guest.say("join", table="table-1")
        for guest in guests:
            guest.say("ready", table="table-1")
        assert houses.table().table.hand is not None
        for guest in guests:
            guest.heard += guest.inbox
        houses.archive.commit()
        return guests

    async def test_a_guest_takes_his_seat_again_by_name_and_address(self, houses: Houses) -> None:
        self.seated(houses, CASH)
        houses.kill()
        houses.begin(CASH)
        houses.kill()
        houses.begin(CASH)

        def come(address: str) -> list[str]:
            client = Memory(houses.house)
            client.connection.address = address
            return kinds(client.say("hello", name="bob"))

        assert come("192.0.2.2") == ["name_taken"]
        assert come("192.0.2.1")[:2] == ["welcome", "match_start"]

    async def test_by_the_cookie_alone_who_lost_his_secret_gets_another(self, houses: Houses) -> None:
        ann, bob = self.seated(houses, CASH)
        lost = ann.resume
        houses.kill()
        houses.begin(CASH)
        ann.resume = ""
        assert kinds(ann.come(houses.house))[:2] == ["welcome", "match_start"]
        assert ann.resume != lost
        assert Guest("eve").come(houses.house)
        eve = Guest("eve")
        eve.resume = lost
        eve.client = Memory(houses.house)
        assert kinds(eve.say("hello", name="eve", resume=lost)) == ["bad_resume"]
        # And the new one outlasts the next house.
        houses.kill()
        houses.begin(CASH)
        ann.identity = ""
        assert kinds(ann.come(houses.house))[:2] == ["welcome", "match_start"]
        assert bob.come(houses.house)[0]["name"] == "bob"
        await houses.stop()

    async def test_nobody_gets_a_seat_by_its_name_alone(self, houses: Houses) -> None:
        self.seated(houses, CASH)
        houses.kill()
        houses.begin(CASH)
        for fields in ({"name": "bob"}, {"name": "ann"}, {"name": "x", "resume": hash_token("")}):
            assert kinds(Memory(houses.house).say("hello", **fields))[0] in ("name_taken", "bad_resume")
        await houses.stop()

    async def test_no_secret_of_a_player_is_in_the_file_and_it_is_for_its_owner_alone(
        self, houses: Houses
    ) -> None:
        guests = self.seated(houses, CASH)
        for path in houses.folder.iterdir():
            data = path.read_bytes()
            assert path.stat().st_mode & 0o777 == 0o600, path
            assert not any(guest.resume.encode() in data for guest in guests)
        await houses.stop()

    async def test_an_address_has_opened_no_fewer_tables(self, houses: Houses) -> None:
        def opened(number: int) -> int:
            client = Memory(houses.house)
            client.connection.address = "192.0.2.1"
            client.say("hello", name=f"guest {number}")
            return sum(kinds(client.say("create")) == ["created"] for _ in range(MAX_OWN_TABLES))

        houses.begin()
        assert sum(map(opened, range(3))) == 3 * MAX_OWN_TABLES
        houses.archive.commit()
        houses.kill()
        houses.begin()
        assert sum(map(opened, range(3, 6))) == MAX_TABLES_PER_CLIENT - 3 * MAX_OWN_TABLES
        await houses.stop()

    async def test_no_hand_is_begun_and_no_time_runs_before_all_are_back(self, houses: Houses) -> None:
        ann, bob = self.seated(houses, CASH)
        table = houses.table().table
        mine = table.turn_seat
        first, second = (ann, bob) if mine == 0 else (bob, ann)
        houses.kill()
        houses.begin(CASH, wait=500.0)
        table = houses.table().table
        now = houses.house.clock()
        assert deadline(table) - now == pytest.approx(590.0, abs=5)
        (turn,) = [message for message in first.come(houses.house) if message["type"] == "turn"]
        assert turn["time_ms"] == pytest.approx(60_000, abs=2000)
        assert deadline(table) - now == pytest.approx(90.0, abs=5)
        # The hand is played on, but not the next one.
        first.say("act", table="table-1", turn=turn["turn"], action="fold")
        assert (table.hand, table.deadline) == (None, None)
        second.come(houses.house)
        assert houses.table().table.hand is not None
        await houses.stop()

    async def test_who_does_not_come_back_has_left(self, houses: Houses) -> None:
        ann, _ = self.seated(houses, CASH)
        houses.kill()
        houses.begin(CASH)
        ann.come(houses.house)
        bob = houses.house.players["bob"]
        houses.house.give_up_seats(bob)
        table = houses.table()
        assert table.players[1] is None
        assert "bob" not in houses.house.players
        while ann.step():
            pass
        assert table.table.hand is None
        assert table.table_format.chips(1) == 0
        await houses.stop()

    async def test_an_orderly_stop_tells_nobody_that_a_table_ended(self, houses: Houses) -> None:
        ann, bob = self.seated(houses, CASH)
        before = houses.table().snapshot()
        await houses.stop()
        for guest in (ann, bob):
            assert guest.client is not None
            assert guest.client.closed == (1001, "shutting_down")
            assert not {"match_end", "shutting_down"} & set(kinds(guest.client.news()))
        houses.begin(CASH)
        assert houses.table().snapshot() == before
        for guest in (ann, bob):
            assert kinds(guest.come(houses.house))[:2] == ["welcome", "match_start"]
        await houses.stop()

    async def test_what_an_administrator_opened_or_paused_outlasts_an_orderly_stop(
        self, houses: Houses
    ) -> None:
        houses.begin(CASH, DRAWN)
        name = houses.lobby.open_permanent(CreateTable(name="Friday")).facts.table
        houses.table("table-2").set_paused(True)
        published = houses.table(name).commitment
        for _ in range(2):
            await houses.stop()
            houses.begin(CASH, DRAWN)
            configs = {name: table.config for name, table in houses.house.open_tables.items()}
            assert configs == {"table-1": CASH, "table-2": DRAWN, name: houses.table(name).config}
            assert (houses.table(name).config.name, houses.table(name).commitment) == ("Friday", published)
            paused = [name for name, table in houses.house.open_tables.items() if table.paused]
            assert paused == ["table-2"]
        houses.table(name).stop("closed")
        await houses.stop()
        houses.begin(CASH, DRAWN)
        assert set(houses.house.open_tables) == {"table-1", "table-2"}
        await houses.stop()

    async def test_a_pause_outlasts_the_end_of_the_process(self, houses: Houses) -> None:
        guests = self.seated(houses, CASH)
        houses.table().set_paused(True)
        houses.archive.commit()
        houses.kill()
        houses.begin(CASH)
        assert houses.table().paused
        for guest in guests:
            guest.come(houses.house)
        play(houses, guests, lambda: houses.table().table.hand is None, random.Random(0))
        assert houses.table().table.deadline is None
        houses.table().set_paused(False)
        assert houses.table().table.hand is not None
        await houses.stop()

    async def test_the_commitment_holds_and_the_seed_is_told_at_the_end(self, houses: Houses) -> None:
        ann, _ = self.seated(houses, CASH)
        published, seed = houses.table().commitment, houses.table().seed
        houses.kill()
        houses.begin(CASH)
        assert houses.table().commitment == published
        run = await houses.archive.latest_run("table-1")
        assert run is not None
        assert (run.commitment, run.seed, run.closed_at) == (published, "", None)
        houses.table().stop("closed")
        run = await houses.archive.latest_run("table-1")
        assert run is not None
        assert run.seed == seed.hex()
        assert houses.archive.table_states() == {}
        assert ann.client is not None
        await houses.stop()

    async def test_tables_where_guests_sit_are_stronger_than_options(self, houses: Houses) -> None:
        self.seated(houses, CASH, CASH, CASH)
        houses.lobby.open(CUP, idle=60.0, owner=houses.house.players["ann"])
        houses.archive.commit()
        runs = {name: table.run for name, table in houses.house.open_tables.items()}
        houses.kill()
        said = houses.begin(DRAWN, DRAWN)
        assert len(said) == 1
        assert said[0].startswith("table-1 ")
        configs = {name: table.config for name, table in houses.house.open_tables.items()}
        assert configs == {"table-1": CASH, "table-2": DRAWN, "table-4": CUP}
        kept = [name for name, table in houses.house.open_tables.items() if table.run == runs[name]]
        assert set(kept) == {"table-1", "table-4"}
        owner = houses.table("table-4").owner
        assert owner is not None
        assert (owner.name, owner.identity) == ("ann", "i1")
        assert houses.table("table-4")._idle.seconds is not None
        run = await houses.archive.latest_run("table-3")
        assert run is not None
        assert run.seed
        # Numbers are not given twice.
        assert houses.lobby.open(CASH).facts.table == "table-5"
        await houses.stop()

    async def test_a_name_can_be_given_to_who_comes_first_when_nobody_waits_for_it(
        self, houses: Houses
    ) -> None:
        houses.begin(CASH)
        Guest("eve").come(houses.house)
        houses.kill()
        houses.begin(CASH)
        assert Guest("eve").come(houses.house)[0]["type"] == "welcome"
        await houses.stop()

    async def test_lines_of_other_matches_are_passed_over(self, houses: Houses) -> None:
        before, step, good = self.went_on(houses)
        wrong = [
            b"",
            msgspec.json.encode(["table-2", *step[1:]]),
            msgspec.json.encode([step[0], step[1] + 1, *step[2:]]),
            msgspec.json.encode([*step[:2], step[2] - 1, *step[3:]]),
            good,
            good,
        ]
        (houses.folder / "hands.course").write_bytes(b"\n".join(wrong) + b"\n" + good[:20])
        houses.begin(CASH)
        assert houses.table().snapshot() == before
        await houses.stop()

    @pytest.mark.parametrize("damage", ["later", "nobody", "cut", "zeros", "no list", "other"])
    async def test_what_is_missing_within_a_hand_is_noticed(self, damage: str, houses: Houses) -> None:
        _, step, good = self.went_on(houses)
        line = {
            "later": msgspec.json.encode([*step[:2], step[2] + 2, *step[3:]]),
            "nobody": msgspec.json.encode([*step[:3], 9, *step[4:]]),
            "cut": good[:-3],
            "zeros": bytes(40),
            "no list": b"{}",
            "other": b'["table-1"]',
        }[damage]
        course = houses.folder / "hands.course"
        course.write_bytes(line + b"\n")

        async def go_on() -> None:
            archive = HandStore(houses.path)
            try:
                restore_tables(Lobby(ProcessManager(houses.folder), make_house=House), archive, [CASH])
            finally:
                await archive.close()

        with pytest.raises(HandStoreError) as refused:
            await go_on()
        assert refused.value.code == "bad_archive"
        assert course.read_bytes().startswith(line)
        course.unlink()
        houses.begin(CASH)
        assert houses.table().run == 1
        await houses.stop()

    def went_on(self, houses: Houses) -> tuple[TableSnapshot, list[Any], bytes]:
        """A house that was killed in a hand: the table as it stood, and the step that is not in its state."""
        ann, bob = self.seated(houses, CASH)
        first = houses.table().table.turn_seat
        (ann, bob)[first].say("act", table="table-1", turn=houses.table().table.turn, action="call")
        before = houses.table().snapshot()
        assert len(msgspec.json.decode(before.match_state.events)) == 2
        (good,) = [line for line in houses.archive.log_lines() if line]
        houses.archive.checkpoint()
        houses.kill()
        return before, msgspec.json.decode(good), good

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ('"plan"', '"plans"'),
            ('"hand_started",1', '"hand_started",2'),
            ('"ready":[', '"ready":[true,'),
            ('"table":{', '"table":{"banks":1,'),
            ('"events":[', '"events":[7,'),
            ('"seed":"', '"seed":"zz'),
            ('"seed":"', '"seed":"00'),
        ],
    )
    async def test_what_cannot_have_been_is_refused(self, old: str, new: str, houses: Houses) -> None:
        self.seated(houses, CASH)
        houses.archive.checkpoint()
        houses.kill()
        with closing(sqlite3.connect(houses.path)) as db, db:
            (text,) = db.execute("SELECT state FROM tables WHERE name = 'table-1'").fetchone()
            assert old in text
            db.execute("UPDATE tables SET state = ?", (text.replace(old, new, 1),))
        archive = HandStore(houses.path)
        make_recorder = partial(recorder_for, archive)
        lobby = Lobby(ProcessManager(houses.folder), make_house=House, make_recorder=make_recorder)
        with pytest.raises(HandStoreError) as refused:
            restore_tables(lobby, archive, [CASH])
        assert refused.value.code == "bad_archive"
        await archive.close()


async def test_the_operator_s_tables_keep_their_names_beside_those_of_an_organiser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    houses = Houses(tmp_path, monkeypatch)
    houses.begin(CASH)
    organised = houses.lobby.open_permanent(CreateTable())
    assert list(houses.house.open_tables) == ["table-1", "table-2"]
    ann = Guest("ann", person=True)
    ann.come(houses.house)
    ann.say("join", table=organised.facts.table)
    # The empty table closes, that where Ann sits goes on.
    await houses.stop()
    for _ in range(2):
        houses.begin(CASH, CASH)
        assert sorted(houses.house.open_tables) == ["table-1", "table-2", "table-3"]
        assert houses.table("table-2").source == ADMIN_SOURCE
        assert houses.lobby.open(CASH).facts.table == "table-4"
        await houses.stop()
