"""``pokerd serve`` that is killed, stopped and begun again: nobody loses a chip, a seat or a card."""

from __future__ import annotations

import asyncio
import json
import random
import re
import signal
import sqlite3
from asyncio import to_thread
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from dealer.deck import commitment, secure_deals
from dealer.rules.events import Event, HandEnded, HandStarted, event_from_data
from dealer.rules.games import parse_game
from pokerd.__main__ import main
from tests.support.houses.people import Message
from tests.support.paced import PACED
from tests.support.programs import PYTHON, Program, eventually, outcome
from tests.support.served import POKERD, Place


def rows(data: Path, query: str) -> list[tuple[Any, ...]]:
    """Read without any of our code; nothing before there is anything."""
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"file:{data}/hands.sqlite3?mode=ro", uri=True)) as db,
    ):
        return db.execute(query).fetchall()
    return []


def hands(data: Path) -> int:
    return len(rows(data, "SELECT 1 FROM hands"))


def stored(data: Path, run: int) -> list[tuple[Any, list[str], list[Event]]]:
    """The game, the names and the events of every hand of a run, in order."""
    found = rows(data, f"SELECT game_text, game, seated, events FROM hands WHERE run = {run} ORDER BY number")
    return [
        (
            parse_game(text, name),
            [one for one, _ in json.loads(seated)],
            list(map(event_from_data, json.loads(events))),
        )
        for text, name, seated, events in found
    ]


def verified(data: Path, run: int, seed: bytes, stack: int, *, refilled: bool) -> None:
    """Every hand has the cards of the seed that was committed to; every chip went on from hand to hand."""
    played = stored(data, run)
    ((committed,),) = rows(data, f"SELECT commitment FROM runs WHERE run = {run}")
    assert commitment(seed) == committed
    chips: dict[int, float] = {}
    for number, (game, _, events) in enumerate(played, 1):
        start, *_, end = events
        assert isinstance(start, HandStarted)
        assert isinstance(end, HandEnded)
        assert start.hand == number
        assert start.hole == secure_deals(seed, 0, game).deal(number).hole
        assert sum(end.values) == 0
        for seat, before in zip(start.seats, start.stacks, strict=True):
            assert before == (chips.get(seat, stack) or stack * refilled)
        chips |= dict(zip(start.seats, end.stacks, strict=True))


def moment(data: Path, source: random.Random) -> None:
    """Wait until some more hands have been played, and then for an instant."""
    more = hands(data) + source.randint(5, 60)
    eventually(lambda: hands(data) >= more)


def test_programs_go_on_at_their_table_whatever_ends_the_server(tmp_path: Path) -> None:
    """With the settings it was opened with, whatever the command line then says of tables."""
    source = random.Random(1)
    ways = [signal.SIGKILL, signal.SIGTERM]
    options = ("--tables", "2", "--bots", "call", "--seats", "3")
    with Place(tmp_path / "data", *options) as place:
        player = (*PACED, "--url", place.bots, "--join", "table-1")
        with Program(*player, "--name", "one") as one, Program(*player, "--name", "two", "--json") as two:
            for bot in (one, two):
                bot.says("^table-1: .* seat ")
            moment(place.data, source)
            for way in ways:
                place.end(way)
                place._options = (*options, "--big-blind", "20")
                place.begin()
                goes_on = "^table-1 goes on with the settings it was opened with"
                assert len(place.server.said(goes_on)) == 1
                assert not place.server.said("^table-2 goes on")
                moment(place.data, source)
            query = "SELECT name, json_extract(state, '$.plan[0][1]') FROM tables ORDER BY name"
            eventually(lambda: rows(place.data, query) == [("table-1", 10), ("table-2", 20)])
            place.end(signal.SIGKILL)
            for bot in (one, two):
                assert len(bot.said("^connected to pokerd")) == len(ways) + 1
                assert len(bot.said("^table-1: .* seat ")) == 1, "its memory was not reset"
    ((text,),) = rows(place.data, "SELECT state FROM tables WHERE name = 'table-1'")
    state = json.loads(text)
    verified(place.data, 1, bytes.fromhex(state["seed"]), 1000, refilled=True)
    names = [seated for _, seated, _ in stored(place.data, 1)]
    assert names[-1] == ["call-1", *sorted(("one", "two"), key=names[-1].index)]
    assert names[-1] == state["play"]["names"]
    assert rows(place.data, "SELECT count(*) FROM runs WHERE table_name = 'table-1'") == [(1,)]


class Person:
    """Somebody at a page, who comes back by himself and calls, or goes all-in, whatever it costs."""

    def __init__(self, place: Place, name: str) -> None:
        self.place = place
        self.name = name
        self.resume = ""
        self.heard: list[Message] = []
        self.wishes: list[dict[str, Any]] = []
        self._news = asyncio.Condition()

    async def live(self) -> None:
        while True:
            with suppress(OSError, ConnectionClosed, asyncio.TimeoutError):
                protocol = Subprotocol("pokerd.v1.json")
                async with connect(self.place.people, subprotocols=[protocol]) as socket:
                    await self._talk(socket)
            await asyncio.sleep(0.05)

    async def _talk(self, socket: Any) -> None:
        async def say(kind: str, **fields: Any) -> None:
            await socket.send(json.dumps({"type": kind, **fields}))

        resume = {"resume": self.resume} if self.resume else {}
        await say("hello", name=self.name, person=True, tables=4, **resume)
        for wish in self.wishes:
            await say(**wish)
        self.wishes = []
        async for frame in socket:
            news = json.loads(frame)
            for message in news if isinstance(news, list) else [news]:
                kind = message["type"]
                if kind == "welcome":
                    self.resume = message["resume"]
                elif kind == "created":
                    await say("join", table=message["table"])
                elif kind == "match_start" and message["seat"] >= 0:
                    await say("ready", table=message["table"])
                elif kind == "turn":
                    action = {"action": "call"}
                    if message["turn"] % 7 == 0 and message.get("max_raise"):
                        action = {"action": "raise", "to": message["max_raise"]}
                    await say("act", table=message["table"], turn=message["turn"], **action)
                async with self._news:
                    self.heard.append(message)
                    self._news.notify_all()

    async def hears(self, kind: str, times: int = 1) -> Message:
        def found() -> list[Message]:
            return [message for message in self.heard if message["type"] == kind]

        async with asyncio.timeout(60), self._news:
            await self._news.wait_for(lambda: len(found()) >= times)
        return found()[-1]


async def test_a_series_of_tournaments_goes_to_its_end_with_the_right_places(tmp_path: Path) -> None:
    source = random.Random(2)
    kills = 1
    with await to_thread(Place, tmp_path / "data", "--tables", "1", "--bots", "") as place:
        ann, bob = Person(place, "ann"), Person(place, "bob")
        wish = {"mode": "tournament", "bots": ["call"], "seats": 3, "stack": 400, "matches": 2}
        ann.wishes.append({"kind": "create", **wish, "pause_ms": 0, "levels": "turbo"})
        lives = [asyncio.create_task(ann.live())]
        table = (await ann.hears("match_start"))["table"]
        bob.wishes.append({"kind": "join", "table": table})
        lives.append(asyncio.create_task(bob.live()))
        for number in range(kills):
            await ann.hears("hand_start", (number + 1) * source.randint(2, 5))
            await to_thread(place.end, signal.SIGKILL)
            await to_thread(place.begin)
        await ann.hears("match_end", 2)
        await asyncio.sleep(0)
        series = [message for message in ann.heard if message["type"] == "series"][-1]["results"]
        for life in lives:
            life.cancel()
        await asyncio.gather(*lives, return_exceptions=True)
        for person in (ann, bob):
            assert len([message for message in person.heard if message["type"] == "welcome"]) == kills + 1
            assert [message for message in person.heard if message["type"] == "error"] == []
        await to_thread(place.end, signal.SIGINT)
    assert [match["match"] for match in series] == [1, 2]
    for run, match in enumerate(series, 2):
        ((seed,),) = rows(place.data, f"SELECT seed FROM runs WHERE run = {run}")
        verified(place.data, run, bytes.fromhex(seed), 400, refilled=False)
        played = stored(place.data, run)
        assert len(played) == match["hands"]
        assert match["places"] == places(played)
    # Nobody would come back to the table of the command line either: that is closed.
    assert rows(place.data, "SELECT name FROM tables") == []
    assert rows(place.data, "SELECT 1 FROM runs WHERE seed = ''") == []


def places(played: Sequence[tuple[Any, list[str], list[Event]]]) -> list[int]:
    """Worked out from the hands alone: who is out later has the better place, and in the same hand who had
    more before it.
    """
    out: dict[int, tuple[int, float]] = {}
    for number, (_, _, events) in enumerate(played):
        start, *_, end = events
        assert isinstance(start, HandStarted)
        assert isinstance(end, HandEnded)
        for seat, before, after in zip(start.seats, start.stacks, end.stacks, strict=True):
            out[seat] = (number + (len(played) if after else 0), before)
    return [1 + sum(other > mine for other in out.values()) for _, mine in sorted(out.items())]


def test_what_cannot_be_used_is_said_and_left_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"
    again = ["serve", "--data", str(data), "--results", str(data), "--port", "0", "--web-port", "0"]
    with Place(data, "--tables", "1", "--bots", "") as place:
        done = outcome(*POKERD, *again)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.rstrip().endswith("[in_use]")
        place.end(signal.SIGKILL)
    for change, code in (
        ("UPDATE tables SET state = '{}'", "bad_archive"),
        ("PRAGMA user_version = 99", "newer_archive"),
    ):
        with closing(sqlite3.connect(data / "hands.sqlite3")) as db, db:
            db.execute(change)
        before = (data / "hands.sqlite3").read_bytes()
        assert main(again) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.endswith(f"[{code}]\n")
        assert (data / "hands.sqlite3").read_bytes() == before


def test_a_server_that_can_store_no_more_ends_and_goes_on_later(tmp_path: Path) -> None:
    data = tmp_path / "data"
    command = f"ulimit -f 200 && exec {PYTHON} -m pokerd serve --port 0 --web-port 0 --data {data}"
    bots = ("--tables", "1", "--bots", "call", "--seats", "2")
    with Program("bash", "-c", f"{command} --results {data} {' '.join(bots)}") as server:
        url = server.says(r"^pokerd listens at (ws://\S+)$")[1]
        with Program(PYTHON, "clients/examples/caller.py", "--url", url):
            assert server.end() == 2
        assert len(server.said(r"\[not_stored\]$")) == 1
        assert not server.said("Traceback")
    known = hands(data)
    with Place(data, *bots) as place:
        # What had been written and was not in the database yet is there now.
        assert hands(data) >= max(1, known)
        assert rows(data, "SELECT json_extract(state, '$.play.hands') FROM tables") == [(hands(data),)]
        place.end(signal.SIGTERM)


def test_a_copy_goes_on_in_another_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, other = tmp_path / "data", tmp_path / "other"
    with Place(data, "--tables", "1", "--bots", "call", "--seats", "2") as place:
        with Program(*PACED, "--url", place.bots):
            eventually(lambda: hands(data) > 5)
            other.mkdir()
            command = ["backup", str(data), str(other / "hands.sqlite3")]
            assert main(command) == 0
            assert re.search(r"sha256 [0-9a-f]{64}$", capsys.readouterr().out)
            assert main(command) == 2
        place.end(signal.SIGTERM)
    known = hands(other)
    assert known > 5
    with Place(other, "--tables", "1", "--bots", "call", "--seats", "2") as place:
        ((text,),) = rows(other, "SELECT state FROM tables")
        state = json.loads(text)
        assert state["play"]["hands"] == known
        assert state["play"]["names"] == ["call-1", "paced"]
        place.end(signal.SIGTERM)
