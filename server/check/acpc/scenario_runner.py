"""Plays a match with an ACPC program: the dealer's own rules on one side, the program as a process on the
other.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import deque
from itertools import cycle
from pathlib import Path
from typing import Any, Final

from dealer.rules.games import Game
from protocol.acpc import Fault, InterpretedAction, LineReader, is_comment
from server.acpc_dealer.play import AcpcMatch
from server.check.acpc.scenarios import AcpcScenario
from server.check.model import Transcript
from server.check.program import CheckedProgram
from server.check.scenario_runner import GRACE, START

#: The seed of the deck: the same cards in every run make faults reproducible.
SEED: Final = 20061
#: Seconds between the pieces of a line, between lines, and to wait for excess lines at the end.
PIECE: Final = 0.01
PAUSE: Final = 0.004
SETTLE: Final = 0.1

_HAND: Final = re.compile(rb"^(MATCHSTATE:\s*\+?[0-9]+:\s*\+?)([0-9]{1,10})(:)")


class AcpcScenarioRunner:
    """Plays scenarios. ``seconds`` is the time for each answer. After ``play`` there is a ``transcript``."""

    def __init__(self, program: CheckedProgram, seconds: float, folder: Path) -> None:
        self.program = program
        self.seconds = seconds
        self._folder = folder
        self._loop = asyncio.get_running_loop()
        self.transcript = Transcript(self._loop.time)
        self._scenario = AcpcScenario("")
        self._words: dict[int, Any] = {}
        self._lines: deque[bytes] = deque()
        self._pending = b""
        self._answers = 0
        #: How many of the pending lines arrived before the program was asked.
        self._early_lines = 0
        self._reading: asyncio.Task[bytes] | None = None

    async def play(self, scenario: AcpcScenario, game: Game) -> None:
        """Play one match with a new process. It is evaluated elsewhere."""
        self._scenario = scenario
        self.transcript.begin()
        self._lines.clear()
        self._pending = b""
        self._answers = self._early_lines = 0
        self._reading = None
        arrived: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter] | None]
        arrived = self._loop.create_future()

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if arrived.done():
                writer.close()
            else:
                arrived.set_result((reader, writer))

        def exited() -> None:
            if not arrived.done():
                arrived.set_result(None)

        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        try:
            await self._start(game, server.sockets[0].getsockname()[1], exited)
            await self._wait_for_program(arrived, game)
        finally:
            server.close()
            await self.program.stop()

    async def _start(self, game: Game, port: int, exited: Any) -> None:
        path = self._folder / f"{game.name}.game"
        path.write_text(game.text(), encoding="ascii")
        values = {"host": "127.0.0.1", "port": str(port), "game": str(path)}
        self._record_event("started", game=game.name)
        # An isolated program reaches this port alone.
        await self.program.start(values, {"POKERD_URL": f"tcp://127.0.0.1:{port}"}, exited)

    async def _wait_for_program(
        self, arrived: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter] | None], game: Game
    ) -> None:
        try:
            met = await asyncio.wait_for(arrived, START * self.seconds)
        except TimeoutError:
            self._record_event("gave up", why=f"it did not connect within {START * self.seconds:g} s")
            return
        if met is None:
            self._record_event("exited", code=self.program.exit_code)
            return
        self._record_event("connected")
        self._reader, self._writer = met
        self._cutter = LineReader()
        try:
            if await self._play_match(game):
                await self._record_excess_lines()
        except ConnectionError:
            self._record_event("closed")
        finally:
            if self._reading is not None:
                self._reading.cancel()
                await asyncio.gather(self._reading, return_exceptions=True)
            self._writer.close()
            with contextlib.suppress(ConnectionError):
                await self._writer.wait_closed()
        await self._wait_for_exit()

    async def _wait_for_exit(self) -> None:
        """Wait for the program to exit after the connection was closed."""
        if await self.program.wait_end(GRACE):
            self._record_event("exited", code=self.program.exit_code)
            self._record_event("left behind", processes=await self.program.find_orphans())
        else:
            self._record_event("still running")

    # The match.

    async def _play_match(self, game: Game) -> bool:
        """Play the match. Return whether it was completed, or played as far as the scenario says."""
        if await self._wait_for_version() is None:
            return False
        scenario = self._scenario
        seat = scenario.seat % game.players
        play = AcpcMatch(game, SEED, scenario.hands, [f"player{number}" for number in range(game.players)])
        words = cycle(scenario.words)
        self._words = {other: cycle(next(words)) for other in range(game.players) if other != seat}
        for _ in range(scenario.before):
            play.act("call")
        while True:
            to_act = play.actor == seat
            await self._send_line(play.state_line(seat), to_act=to_act, final=play.actor < 0)
            if to_act:
                if not await self._wait_for_answer(play):
                    return False
                if self._answers == scenario.cut:
                    return True
            elif play.actor >= 0:
                self._act_for_opponent(play)
            elif play.over:
                await self._flush()
                self._record_event("complete")
                return True
            else:
                play.next_hand()

    def _act_for_opponent(self, play: AcpcMatch) -> None:
        letter = next(self._words[play.actor])
        legal = play.hand.legal()
        raises = play.raise_totals(legal)
        if letter == "f" and legal.fold:
            play.act("fold")
        elif letter in "ra" and raises is not None:
            play.act("raise", raises["ra".index(letter)])
        else:
            play.act("call")

    async def _wait_for_version(self) -> bytes | None:
        line = await self._next_line(START * self.seconds)
        if line is None:
            self._record_timeout(f"it sent no version within {START * self.seconds:g} s")
        else:
            self._record_line(line)
        return line

    async def _wait_for_answer(self, play: AcpcMatch) -> bool:
        """Read lines until one is an answer; return False if none arrives."""
        end = self._loop.time() + self.seconds
        while True:
            line = await self._next_line(end - self._loop.time())
            if line is None:
                if not self._reader.at_eof():
                    await self._wait_for_late_answer(play)
                return False
            early = self._early_lines > 0
            self._early_lines = max(0, self._early_lines - 1)
            self._record_line(line)
            if is_comment(line):
                continue
            judgement, fault = play.judge(self._shifted(line, -self._scenario.first), exact=True)
            self.transcript.add("-", ruling_event(play, fault, judgement, early=early))
            if judgement is not None:
                self._answers += 1
                play.act(judgement.action, judgement.total)
                return True

    async def _wait_for_late_answer(self, play: AcpcMatch) -> None:
        """Record whether the answer arrives at all."""
        end = self._loop.time() + self.seconds / 2
        while (line := await self._next_line(end - self._loop.time())) is not None:
            self._record_line(line)
            if not is_comment(line):
                self._record_event("late")
                break
        self._record_timeout(f"no answer came within {self.seconds:g} s")

    def _record_timeout(self, why: str) -> None:
        rest = self._cutter.flush()
        if rest and not is_comment(rest):
            self._record_line(rest)
        self._record_event("gave up", why=why)

    async def _record_excess_lines(self) -> None:
        """Record lines that arrive after the last hand."""
        if self._scenario.cut:
            return
        while (line := await self._next_line(SETTLE)) is not None:
            self._record_line(line)
            if not is_comment(line):
                self._record_event("judged", fault="unrequested", early=True)

    # Lines.

    def _shifted(self, line: bytes, by: int) -> bytes:
        if not by:
            return line
        return _HAND.sub(lambda found: b"%s%d%s" % (found[1], int(found[2]) + by, found[3]), line)

    async def _send_line(self, line: bytes, *, to_act: bool, final: bool) -> None:
        line = self._shifted(line, self._scenario.first)
        self.transcript.add("S", {"line": line.decode("ascii"), "asked": to_act, "final": final})
        self._pending += line + b"\r\n"
        self._early_lines = len(self._lines)
        if to_act or self._scenario.sending != "joined":
            await self._flush()
        if not to_act and self._scenario.sending == "lines":
            # Lines then arrive one by one, as from a dealer whose players think.
            await self._read(PAUSE)

    async def _flush(self) -> None:
        data, self._pending = self._pending, b""
        if self._scenario.sending == "pieces":
            for piece in (data[:5], data[5:14], data[14:-1]):
                self._writer.write(piece)
                await self._writer.drain()
                await asyncio.sleep(PIECE)
            data = data[-1:]
        self._writer.write(data)
        await self._writer.drain()

    async def _next_line(self, seconds: float) -> bytes | None:
        """Return the next line of the program, or None after ``seconds`` or if its connection is closed."""
        end = self._loop.time() + seconds
        while not self._lines:
            # A program that never stops sending runs out of time, too.
            left = end - self._loop.time()
            if left <= 0 or not await self._read(left):
                return self._take_unterminated_line()
        return self._lines.popleft()

    async def _read(self, seconds: float) -> bool:
        """Read available data. Return False after ``seconds`` or at the end of the stream."""
        reading = self._reading = self._reading or asyncio.create_task(self._reader.read(65536))
        await asyncio.wait({reading}, timeout=seconds)
        if not reading.done() or reading.exception() is not None or not reading.result():
            return False
        self._reading = None
        self._lines += self._cutter.feed(reading.result())
        return True

    def _take_unterminated_line(self) -> bytes | None:
        """Return a last line without a line end if the connection is closed, else None."""
        if self._reading is None or not self._reading.done():
            return None
        self._reading.result()
        self._record_event("closed")
        return self._cutter.flush() or None

    def _record_line(self, line: bytes) -> None:
        self.transcript.add("C", {"line": line.decode("latin-1")})

    def _record_event(self, event: str, **fields: Any) -> None:
        self.transcript.add("-", {"event": event, **fields})


def ruling_event(
    play: AcpcMatch, fault: Fault, judgement: InterpretedAction | None, *, early: bool
) -> dict[str, Any]:
    """Return the event that records how the rules interpret a line. ``early``: it arrived before the program
    was asked.
    """
    betting = play.hand.betting
    legal = play.hand.legal()
    return {
        "event": "judged",
        "fault": fault,
        "early": early,
        "action": judgement and judgement.action,
        "total": judgement and judgement.total,
        "said": judgement and judgement.requested,
        "raises": play.raise_totals(legal),
        "fold": legal.fold,
        "start": betting.street_start,
        "spent": betting.spent[betting.to_act],
        "most": max(betting.spent),
    }
