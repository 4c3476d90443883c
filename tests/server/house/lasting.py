"""Houses that are killed, one after the other over the same file, and guests who play on in the next."""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dealer.deck import SEED_BYTES
from dealer.formats.format import Stakes
from dealer.table import Clock
from server.bots.processes import ProcessManager
from server.house.house import House
from server.house.lobby import Lobby
from server.house.restore import recorder_for, restore_tables
from server.storage.hand_store import HandStore
from server.tables.config import TableConfig
from server.tables.open_table import OpenTable
from tests.support.houses.people import Memory, Message

PATIENT = Clock(60.0, 30.0)
DUEL = TableConfig(Stakes(5, 10), 3, PATIENT, mode="challenge", bots=("a", "b"), rival="c", hands=12)


class Guest:
    """Somebody who plays, deterministically, and keeps what he heard."""

    def __init__(self, name: str, *, person: bool = False, identity: str = "", token: str = "") -> None:
        self.name = name
        self.hello = {"name": name, "person": person, "tables": 9, "token": token}
        self.identity = identity
        self.resume = ""
        self.client: Memory | None = None
        self.inbox: list[Message] = []
        self.heard: list[Message] = []

    def come(self, house: House) -> list[Message]:
        self.client = Memory(house)
        self.client.connection.identity = self.identity
        self.client.connection.address = "192.0.2.1"
        self.inbox = []
        news = self.say("hello", **self.hello, **({"resume": self.resume} if self.resume else {}))
        self.resume = news[0]["resume"]
        return news

    def say(self, kind: str, **fields: Any) -> list[Message]:
        assert self.client is not None
        news = self.client.say(kind, **fields)
        self.inbox += news
        return news

    def step(self) -> bool:
        """Say what is to be said to what was heard; whether there was anything."""
        assert self.client is not None
        news = self.inbox + self.client.news()
        self.inbox = []
        self.heard += news
        for message in news:
            if message["type"] == "match_start" and message["seat"] >= 0:
                self.say("ready", table=message["table"])
            elif message["type"] == "turn":
                self.say("act", table=message["table"], turn=message["turn"], **decision(message))
        return bool(news)

    def told(self, kind: str) -> list[Message]:
        """What was heard of that kind, and as often as it was."""
        return [message for message in self.heard if message["type"] == kind]


def decision(turn: Message) -> dict[str, Any]:
    """Depends on nothing but the situation."""
    source = random.Random(repr((turn["turn"], turn["pot"], turn["call"])))
    kind = source.random()
    if kind < 0.3 and turn.get("raise_to"):
        low, high = turn["raise_to"]
        return {"action": "raise", "to": high if kind < 0.02 else min(high, low * source.randint(1, 3))}
    return {"action": "fold"} if kind < 0.45 and turn.get("fold") else {"action": "call"}


class Houses:
    """One house after the other, over the same file."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = folder / "hands.sqlite3"
        self.folder = folder
        # The same deals in every one of these houses.
        seeds = random.Random(7)
        draw = secrets.token_bytes
        monkeypatch.setattr(
            secrets,
            "token_bytes",
            lambda size=None: seeds.randbytes(size) if size == SEED_BYTES else draw(size),
        )

    def begin(self, *configs: TableConfig, wait: float = 1000.0) -> list[str]:
        self.archive = HandStore(self.path)
        self.lobby = Lobby(
            ProcessManager(self.folder),
            make_house=partial(House, guests=True, grace=1000.0, storage=self.archive, durable=True),
            make_recorder=partial(recorder_for, self.archive),
        )
        self.house = self.lobby.house
        return restore_tables(self.lobby, self.archive, configs, wait)

    def kill(self) -> None:
        """The end of a process as by ``kill -9``: what is in its memory is lost."""
        self.archive._commit_due = False
        if self.archive._checkpoint_timer is not None:
            self.archive._checkpoint_timer.cancel()
        self.archive._jobs.put(None)
        self.archive._thread.join()
        self.archive._syncer.close()
        self.archive._db.close()
        os.close(self.archive.lock)
        # Nothing of it moves any more.
        for timer in (self.house._ticker, *(player.grace_timer for player in self.house.players.values())):
            if timer is not None:
                timer.cancel()
        self.house.call_later = lambda *_: asyncio.get_running_loop().call_later(1e6, int)  # type: ignore[method-assign]

    async def stop(self) -> None:
        """An orderly end."""
        self.house.close()
        await self.archive.close()

    def table(self, name: str = "table-1") -> OpenTable:
        return self.house.open_tables[name]

    def servant(self, name: str) -> Guest:
        """A house bot that plays in this process; every house gives it another token."""
        guest = Guest(name, token=self.lobby.house_bots.player(name).token)
        guest.come(self.house)
        return guest

    def tick(self) -> None:
        """Let every table's deadline come: nobody here ever waits for it."""
        for actor in list(self.house._running):
            if actor.table.turn_seat < 0 and actor.table.deadline is not None:
                actor.tick(actor.table.deadline)


def play(houses: Houses, guests: list[Guest], done: Callable[[], bool], source: random.Random) -> None:
    """Let everybody say what he has to, in any order, until it is done."""
    for _ in range(5000):
        if done():
            return
        source.shuffle(guests)
        said = [guest.step() for guest in guests]
        if not any(said):
            houses.tick()
    raise AssertionError("this never comes")


def hands_of(path: Path) -> list[tuple[Any, ...]]:
    """What the file holds of every hand."""
    with closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT run, number, seated, events FROM hands ORDER BY run, number").fetchall()
