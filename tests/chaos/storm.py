"""A competition of one server, with everything failing around it again and again.

Two bots are processes of their own, connect through a network that can be told to fail, and are started again
when they end. At random moments the server or a bot is killed (``kill -9``) or stopped for a while, or the
network breaks every connection off or passes nothing on. What is left behind at the end must be what an
undisturbed competition leaves, but for the count of lost connections.
"""

from __future__ import annotations

import json
import random
import signal
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from server.competition.verify import verify_directory
from tests.chaos.proxy import Proxy
from tests.support.competitions.arena import bot, competition, division
from tests.support.competitions.continued import POKERD, attempts, hands_logged, records, written
from tests.support.ports import free_port
from tests.support.programs import PYTHON, Program, eventually

BOTS: Final = ("north", "south")
#: What happens, and how often relative to the others.
EVENTS: Final = {"kill server": 4, "kill bot": 4, "pause server": 1, "pause bot": 1, "drop": 2, "stall": 1}
#: Hands that are played between two events, at least.
CALM: Final = (0, 1, 5, 30)
HANDS: Final = 150


def text_of(events: int) -> str:
    """A competition that is long enough for so many events, with clocks that never run out."""
    bots = [bot(name, token=f"token-of-{name}") for name in BOTS]
    time = {"decision_ms": 600_000, "grace_ms": 600_000, "start_ms": 600_000}
    return competition(bots, [division(hands=HANDS, matches=1 + events // 7)], workers=3, time=time)


def same_play(out: Path) -> dict[str, object]:
    """The records, without what tells of lost connections."""
    kept: dict[str, object] = dict(records(out))
    del kept["incidents.json"], kept["standings.md"], kept["standings.json"]
    standings = json.loads((out / "standings.json").read_bytes())
    for one in [standings, *standings["divisions"]]:
        one.pop("connections" if one is standings else "incidents")
    return {**kept, "standings.json": standings}


class Storm:
    """Everything that runs. It is over when the competition is, and no event comes after ``events``."""

    def __init__(self, folder: Path, events: int, seed: int) -> None:
        self.source = random.Random(f"storm {seed}")
        self.file = written(folder, text_of(events))
        self.out = folder / "out"
        self.events = events
        self.happened: Counter[str] = Counter()
        self._port = free_port()
        self._bots: dict[str, Program] = {}

    def rage(self) -> None:
        """From the first hand to the last."""
        with ExitStack() as stack:
            self._stack = stack
            self._proxy = stack.enter_context(Proxy(self._port))
            self._start_server()
            while sum(self.happened.values()) < self.events:
                self._wait(self.source.choice(CALM))
                kind = self.source.choices(list(EVENTS), list(EVENTS.values()))[0]
                self.happened[kind] += 1
                self._actions[kind](self)
            self._wait(None)
            assert self._server.end() in (0, 4), self._server.lines

    def _start_server(self) -> None:
        command = (*POKERD, "compete", self.file, "--out", self.out, "--port", str(self._port))
        self._server = self._stack.enter_context(Program(*command))

    def _start_bot(self, name: str) -> None:
        url = f"ws://127.0.0.1:{self._proxy.port}"
        command = (PYTHON, "-m", "tests.chaos.steady", "--url", url, "--token", f"token-of-{name}")
        self._bots[name] = self._stack.enter_context(Program(*command))

    def _wait(self, hands: int | None) -> None:
        """Until so many more hands are played, or all; whoever has ended meanwhile is started again."""
        wanted = 10**9 if hands is None else hands_logged(self.out) + hands

        def reached() -> bool:
            over = self._server.process.poll() is not None
            if over and self._server.process.returncode != 0:
                raise AssertionError("\n".join(self._server.lines))
            for name in BOTS:
                if not over and (name not in self._bots or self._bots[name].process.poll() is not None):
                    self._start_bot(name)
            return over or hands_logged(self.out) >= wanted

        # Each look may take another patience as long as play goes on.
        before = -1
        while not reached() and (hands is None or hands_logged(self.out) < wanted):
            now = hands_logged(self.out)
            assert now > before, "nothing is played any more"
            before = now
            eventually(lambda: reached() or hands_logged(self.out) > before)  # noqa: B023

    def _kill_server(self) -> None:
        if self._server.stop(signal.SIGKILL) == 0:
            # It had just ended: whoever starts it again is told that nothing is missing.
            self.happened["was over"] += 1
        self._start_server()

    def _kill_bot(self) -> None:
        name = self.source.choice(BOTS)
        if name in self._bots:
            self._bots[name].stop(signal.SIGKILL)

    def _pause(self, program: Program) -> None:
        if program.process.poll() is None:
            program.process.send_signal(signal.SIGSTOP)
            self._moment()
            program.process.send_signal(signal.SIGCONT)

    def _pause_server(self) -> None:
        self._pause(self._server)

    def _pause_bot(self) -> None:
        name = self.source.choice(BOTS)
        if name in self._bots:
            self._pause(self._bots[name])

    def _drop(self) -> None:
        self._proxy.drop()

    def _stall(self) -> None:
        self._proxy.hold()
        self._moment()
        self._proxy.release()

    def _moment(self) -> None:
        """A while in which somebody does nothing; a bot is started that takes as long as starting takes."""
        with Program(PYTHON, "-c", ""):
            pass

    _actions: Final[dict[str, Callable[[Storm], None]]] = {
        "kill server": _kill_server,
        "kill bot": _kill_bot,
        "pause server": _pause_server,
        "pause bot": _pause_bot,
        "drop": _drop,
        "stall": _stall,
    }


def calm(folder: Path, events: int) -> Path:
    """The same competition with nothing failing: its directory."""
    file, out = written(folder, text_of(events)), folder / "out"
    port = free_port()
    with ExitStack() as stack:
        command = (*POKERD, "compete", file, "--out", out, "--port", str(port))
        server = stack.enter_context(Program(*command))
        server.says("^bots connect to")
        for name in BOTS:
            who = ("--url", f"ws://127.0.0.1:{port}", "--token", f"token-of-{name}")
            stack.enter_context(Program(PYTHON, "-m", "tests.chaos.steady", *who))
        assert server.end() in (0, 4), server.lines
    return out


def weather(folder: Path, events: int, seed: int, undisturbed: dict[str, object]) -> Counter[str]:
    """Play in a storm, and compare with ``same_play`` of a calm. Returns how often what happened."""
    storm = Storm(folder, events, seed)
    storm.rage()
    assert same_play(storm.out) == undisturbed
    verify_directory(storm.out)
    states = attempts(storm.out)
    done = [session for session, state, _ in states if state == "done"]
    assert len(done) == len(set(done))
    assert {state for _, state, _ in states} <= {"cut", "done"}
    return storm.happened
