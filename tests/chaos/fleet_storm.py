"""A competition of a fleet, with its machines, its database and its broker failing again and again.

The coordinator and three nodes are killed (``kill -9``) and started again, or stopped for longer than they
may be silent; the database crashes and recovers, the broker is away for a while. At the end there must be
what one undisturbed machine leaves, every session must count once, and no process may be left.
"""

from __future__ import annotations

import random
import signal
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from tests.support.broker import Broker
from tests.support.competitions.arena import competition, division
from tests.support.competitions.continued import CUP, TRIO, played, records, verified, written
from tests.support.competitions.fleet import coordinator, kept, node
from tests.support.postgres import rows, running
from tests.support.programs import Program, eventually

NODES: Final = ("one", "two", "three")
#: What happens, and how often relative to the others.
EVENTS: Final = {
    "kill node": 6,
    "kill coordinator": 3,
    "pause node": 2,
    "crash database": 1,
    "broker away": 1,
}
#: Hands that are played between two events, at least.
CALM: Final = (0, 20, 100)


def text_of(events: int) -> str:
    """A competition that is long enough for so many events."""
    cup = division("cup", table=CUP, seatings="rotations", matches=1 + events // 20)
    return competition(TRIO, [division(hands=300, matches=1 + events // 10), cup])


class FleetStorm:
    """Everything that runs. It is over when the competition is, and no event comes after ``events``."""

    def __init__(self, folder: Path, events: int, seed: int) -> None:
        self.source = random.Random(f"fleet storm {seed}")
        self.folder = folder
        self.file = written(folder, text_of(events))
        self.out = folder / "out"
        self.events = events
        self.happened: Counter[str] = Counter()
        self._nodes: dict[str, Program] = {}

    def rage(self) -> str:
        """From the first hand to the last; the address of the database, which is still there. Raises
        ``AssertionError`` when play stands still.
        """
        with ExitStack() as stack:
            self._stack = stack
            self._postgres = stack.enter_context(running(durable=True))
            self.url = self._postgres.database()
            self._broker = Broker(self.folder)
            self._broker.start()
            stack.callback(self._broker.stop)
            self._start_coordinator()
            for name in NODES:
                self._start_node(name)
            while sum(self.happened.values()) < self.events and self._chief.process.poll() is None:
                self._wait(self.source.choice(CALM))
                kind = self.source.choices(list(EVENTS), list(EVENTS.values()))[0]
                self.happened[kind] += 1
                self._actions[kind](self)
            self._wait(None)
            assert self._chief.end() in (0, 4), self._chief.lines
            self._check()
        return self.url

    def _check(self) -> None:
        """Every session counts once."""
        states = rows(self.url, "SELECT state, taken FROM pokerd.sessions")
        assert states == [("done", True)] * len(states)
        once = "SELECT count(*) FROM pokerd.attempts WHERE state = 'done' GROUP BY session"
        assert rows(self.url, once) == [(1,)] * len(states)
        self.cut = len(rows(self.url, "SELECT session FROM pokerd.attempts WHERE state = 'cut'"))

    def _start_coordinator(self) -> None:
        start = coordinator(self.url, self.file, self.out, "--mqtt", self._broker.url)
        self._chief = self._stack.enter_context(start)

    def _start_node(self, name: str) -> None:
        start = node(self.url, name, self.folder, "--mqtt", self._broker.url)
        self._nodes[name] = self._stack.enter_context(start)

    def _hands(self) -> int:
        return sum(kept(self.folder / name) for name in NODES)

    def _wait(self, hands: int | None) -> None:
        """Until so many more hands are played, or all; a node that ended meanwhile is started again."""
        wanted = 10**9 if hands is None else self._hands() + hands
        before = -1

        def moved() -> bool:
            if self._chief.process.poll() is not None:
                return True
            for name in NODES:
                if self._nodes[name].process.poll() is not None:
                    self._start_node(name)
            return self._hands() > before

        # Each look may take another patience as long as play goes on.
        while self._chief.process.poll() is None and self._hands() < wanted:
            before = self._hands()
            eventually(moved)

    def _kill_node(self) -> None:
        name = self.source.choice(NODES)
        self._nodes[name].stop(signal.SIGKILL)
        if self.source.random() < 0.7:
            self._start_node(name)

    def _kill_coordinator(self) -> None:
        self._chief.stop(signal.SIGKILL)
        self._start_coordinator()

    def _pause_node(self) -> None:
        """For as long as it takes until others have what it played, or there is nothing left to play."""
        paused = self._nodes[self.source.choice(NODES)].process
        if paused.poll() is None:
            paused.send_signal(signal.SIGSTOP)
            self._wait(50)
            paused.send_signal(signal.SIGCONT)

    def _crash_database(self) -> None:
        self._postgres.stop(signal.SIGQUIT)
        self._postgres.start()

    def _broker_away(self) -> None:
        self._broker.stop()
        self._wait(20)
        self._broker.start()

    _actions: Final[dict[str, Callable[[FleetStorm], None]]] = {
        "kill node": _kill_node,
        "kill coordinator": _kill_coordinator,
        "pause node": _pause_node,
        "crash database": _crash_database,
        "broker away": _broker_away,
    }


def weather(folder: Path, events: int, seed: int) -> FleetStorm:
    """Play in a storm and on one machine, and compare."""
    storm = FleetStorm(folder, events, seed)
    storm.rage()
    calm = folder / "calm"
    assert records(storm.out) == records(played(storm.file, calm))
    verified(storm.out)
    return storm
