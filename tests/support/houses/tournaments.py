"""A tournament over several tables with people and house bots in memory, and a time that is ours."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from pokerd.commands.serve import offered_bots
from protocol.codec import JSON
from server.bots.processes import ProcessManager
from server.house.house import House
from server.house.lobby import Lobby
from server.tournaments.desk import TournamentDesk
from server.tournaments.tournament import Tournament
from tests.support.houses.people import Memory, Message, packed

#: Seconds since 1970 when our time is 0.
EPOCH = 1_000_000.0
BOTS = {name: offered_bots()[name] for name in ("call", "fair", "raise", "random")}


class _Timer:
    def __init__(self, at: float, callback: Callable[[], None]) -> None:
        self.at = at
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self.callback = None

    def when(self) -> float:
        return self.at


class Hall:
    """A house with a desk. Everybody calls, folds or goes all in as the dice say, or by ``answer``."""

    def __init__(self, folder: Path, *, seed: int = 1, kept: Path | None = None, start: float = 0.0) -> None:
        self.source = random.Random(seed)
        self.now = start
        self.timers: list[tuple[float, int, _Timer]] = []
        self.clients: dict[str, Memory] = {}
        #: What each was told.
        self.heard: dict[str, list[Message]] = {}
        self.answers: dict[str, Callable[[Message], dict[str, Any]]] = {}
        self.lobby = Lobby(
            ProcessManager(folder), bots=BOTS, make_house=partial(House, guests=True, grace=30.0)
        )
        self.house = self.lobby.house
        self.house.clock = lambda: self.now
        number = count()

        def call_later(delay: float, callback: Callable[[], None]) -> Any:
            timer = _Timer(self.now + delay, callback)
            heapq.heappush(self.timers, (timer.at, next(number), timer))
            return timer

        self.house.call_later = call_later  # type: ignore[method-assign]
        self.desk = TournamentDesk(self.lobby, kept, lambda: EPOCH + self.now)

    # Who comes.

    def come(self, name: str, identity: str = "") -> Memory:
        """A person, with a cookie of his own."""
        client = Memory(self.house, JSON)
        client.connection.identity = identity or f"cookie of {name}"
        client.connection.address = f"10.0.0.{len(self.clients)}"
        self.clients[name] = client
        self.say(name, "hello", name=name, person=True, tables=8)
        return client

    def call_bots(self, *names: str) -> None:
        """Let house bots connect."""
        for name in names:
            player = self.lobby.house_bots.player(name)
            client = self.clients[name] = Memory(self.house, JSON)
            client.connection.internal = True
            self.say(name, "hello", name=name, token=player.token)

    def say(self, who: str, kind: str, **fields: Any) -> list[Message]:
        """Send a message; what it is answered with."""
        news = self.clients[who].throw(packed(JSON, {"type": kind, **fields}))
        self._hear(who, news)
        return news

    def announce(self, who: str, **wishes: Any) -> Tournament:
        """Open a tournament."""
        request = {"name": "Sunday", "speed": "hyper", "minutes": 0} | wishes
        news = self.say(who, "announce", **request)
        entry = next(message for message in news if message["type"] == "entry")
        assert entry["state"] == "open"
        return self.desk.tournaments[entry["tournament"]]

    # What happens.

    def _hear(self, name: str, news: list[Message]) -> None:
        self.heard.setdefault(name, []).extend(news)
        for message in news:
            if message["type"] == "match_start" and message["seat"] >= 0:
                self._hear(name, self.clients[name].say("ready", table=message["table"]))
            elif message["type"] == "turn":
                answer = self.answers.get(name, self._throw)(message)
                self._hear(
                    name,
                    self.clients[name].say("act", table=message["table"], turn=message["turn"], **answer),
                )

    def _throw(self, turn: Message) -> dict[str, Any]:
        dice = self.source.random()
        if dice < 0.1 and turn.get("raise_to"):
            return {"action": "raise", "to": turn["raise_to"][1]}
        if dice < 0.35 and turn.get("raise_to"):
            return {"action": "raise", "to": turn["raise_to"][0]}
        if dice < 0.5 and turn.get("fold"):
            return {"action": "fold"}
        return {"action": "call"}

    def settle(self) -> None:
        """Let everybody hear and answer."""
        heard = True
        while heard:
            heard = False
            for name in list(self.clients):
                heard |= self._listen(name)

    def _listen(self, name: str) -> bool:
        client = self.clients[name]
        if client.closed is not None:
            return False
        news = client.news()
        self._hear(name, news)
        return bool(news)

    def step(self) -> bool:
        """Go on to the next thing that is due; return whether there is one."""
        self.settle()
        while self.timers:
            at, _, timer = heapq.heappop(self.timers)
            if timer.callback is not None:
                self.now = max(self.now, at)
                timer.callback()
                self.settle()
                return True
        return False

    def until(self, done: Callable[[], bool], *, check: Callable[[], None] = lambda: None) -> None:
        """Go on until it is so; ``check`` what holds after every step."""
        for _ in range(400_000):
            check()
            if done():
                return
            assert self.step(), "nothing will happen any more"
        raise AssertionError("it takes too long")

    def told(self, name: str, kind: str) -> list[Message]:
        """Everything of that kind that somebody was told."""
        return [message for message in self.heard.get(name, []) if message["type"] == kind]
