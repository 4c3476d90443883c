"""House bots of the lobby: they start, stay and are started again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dealer.rules.games import Game
from server.house.lobby import Lobby
from tests.support.houses.lobby import opened
from tests.support.houses.people import Remote


async def closed(remote: Remote, lobby: Lobby, table: str, record: Kept) -> bytes:
    """The seed, when the table is gone."""
    while table in lobby.house.open_tables:
        await remote.say("ready", table=table)
        await remote.hear("error")
    return record.seeds[0]


class Kept:
    """A record of a table that keeps what it is told."""

    def __init__(self) -> None:
        self.begun: list[tuple[Game, list[tuple[str, str]]]] = []
        self.hands: list[Any] = []
        self.chosen: list[tuple[int, int, tuple[int, ...]]] = []
        self.seeds: list[bytes] = []
        self.number = 1
        self.forgotten = False

    def begin(self, game: Game, seated: Any) -> None:
        self.begun.append((game, list(seated)))

    def record_hand(self, events: Any) -> None:
        self.hands.append(list(events))

    def record_cards_shown(self, hand: int, seat: int, cards: tuple[int, ...]) -> None:
        self.chosen.append((hand, seat, cards))

    def save_state(self, state: Any) -> None:
        assert not self.forgotten
        assert state()

    def append_step(self, state: Any, line: bytes) -> None:
        self.save_state(state)

    def release(self) -> None:
        raise AssertionError("nobody goes on with it")

    def forget(self) -> None:
        self.forgotten = True

    def close(self, seed: bytes) -> None:
        self.seeds.append(seed)


async def test_a_table_that_nobody_comes_to_is_closed_and_its_record_too(tmp_path: Path) -> None:
    record = Kept()
    async with (
        opened(tmp_path, idle=3600.0, make_recorder=lambda _: record) as (lobby, door),
        door() as remote,
    ):
        await remote.say("hello", name="ann", person=True)
        await remote.say("create", name="mine", bots=["call"])
        table = (await remote.hear("created"))["table"]
        await remote.say("watch", table=table)
        assert (await remote.hear("seats"))["name"] == "mine"
        left = lobby.house.open_tables[table]
        assert left._idle.seconds == 3600.0
        left._idle.seconds = 0.0  # not before she looks on, however long that takes
        await remote.say("leave", table=table)
        await remote.hear("match_end")
        seed = await closed(remote, lobby, table, record)
        assert len(seed) == 32
        assert record.forgotten


async def test_a_house_bot_sits_at_many_tables_with_one_process(tmp_path: Path) -> None:
    async with opened(tmp_path) as (lobby, door), door() as ann:
        await ann.say("hello", name="ann", person=True, tables=4)
        for _ in range(3):
            await ann.say("create", bots=["call", "raise"], seats=3, pause_ms=0)
        for _ in range(3):
            table = (await ann.hear("created"))["table"]
            await ann.say("join", table=table)
        await ann.play(hands=9)
        ended = {message["table"] for message in ann.heard if message["type"] == "hand_end"}
        assert ended == {"table-1", "table-2", "table-3"}
        assert {bot.name for bot in lobby.house_bots._running} == {"call-1", "raise-2"}
        assert not lobby.house_bots._tasks


async def test_a_house_bot_that_ended_is_started_again(tmp_path: Path) -> None:
    async with opened(tmp_path, restart=0.01) as (lobby, door), door() as ann:
        await ann.say("hello", name="ann", person=True, tables=4)
        await ann.say("create", bots=["call"], seats=2, pause_ms=0)
        await ann.say("join", table=(await ann.hear("created"))["table"])
        await ann.play(hands=2)
        [bot] = lobby.house_bots._processes._running
        bot.process.kill()
        for state in ("gone", "in"):
            await ann.hear("seats", where=lambda message: message["seats"][0]["state"] == state)  # noqa: B023
        assert len(lobby.house_bots._running) == 1
        assert lobby.house.players["call-1"].connection is not None


async def test_a_bot_with_its_own_parameters_plays_by_them_until_its_table_ends(tmp_path: Path) -> None:
    async with opened(tmp_path) as (lobby, door), door() as ann:
        await ann.say("hello", name="ann", person=True, tables=4)
        always = {"bot": "adaptive", "parameters": {"raise_at": 0, "fold_below": 0, "gap": 0}}
        await ann.say("create", bots=["adaptive", always], seats=3, game="limit", pause_ms=0)
        table = (await ann.hear("created"))["table"]
        await ann.say("join", table=table)
        await ann.play(hands=5)
        acted = [one for one in ann.heard if one["type"] == "acted" and one["seat"] == 1]
        assert "raise" in {one["action"] for one in acted}
        assert "fold" not in {one["action"] for one in acted}
        [mine] = [one for one in lobby.house_bots._processes._running if one.name == "adaptive-11"]
        await ann.say("leave", table=table)
        lobby.house.open_tables[table].stop("closed")
        await mine.process.wait()
        assert {one.name for one in lobby.house_bots._running} == {"adaptive-1"}
