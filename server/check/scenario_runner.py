"""Plays a scenario: the real house and tables on one side, the program as a process on the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, Literal

from dealer.formats.cash import Cash
from dealer.table import Clock
from server.auth.tokens import new_token
from server.check.model import Transcript
from server.check.program import CheckedProgram
from server.check.scenarios import SEED, Scenario, TableSetup
from server.check.scripted_player import ScriptedPlayer
from server.check.wire_variants import PLAIN, WireVariant, decode_client_messages
from server.check.ws_proxy import ProxyConnection, WsProxy
from server.house.house import House
from server.net.connection import CLOSE_GOING_AWAY
from server.tables.actor import TableActor
from server.tables.config import TableConfig
from server.tables.open_table import OpenTable
from server.tables.player import Player
from server.tables.table_updates import TableFacts

#: Seconds that a program has to exit by itself, as in a competition.
GRACE: Final = 2.0
#: The time to start, as a multiple of the time for an answer.
START: Final = 6
#: Seconds in which a bot may exit after a match, or reconnect after it was refused.
SETTLE: Final = 0.3
AGAIN: Final = 1.0
#: Seconds without a listener while the server restarts.
RESTART: Final = 0.5
#: The value of POKERD_TABLES.
TABLES: Final = 8


class ScenarioRunner:
    """Plays scenarios. ``seconds`` is the time for each answer. After ``play`` there is a ``transcript``;
    ``play`` raises errors of pokerd itself.
    """

    def __init__(self, program: CheckedProgram, seconds: float) -> None:
        self.program = program
        self.seconds = seconds
        self._loop = asyncio.get_running_loop()
        self.transcript = Transcript(self._loop.time)
        #: The number of tables in the hello of the current process.
        self.tables = 1
        #: Whether the program exits after each match.
        self.one_match = False
        #: Whether it is sent one message per frame.
        self.single = False
        self.running = False
        self._changed = asyncio.Event()
        self._broken = False
        #: The first error of pokerd itself.
        self._failure: Exception | None = None
        self._timers: list[asyncio.TimerHandle] = []
        #: Both are set by ``_start_program``.
        self._house: House
        self._player: Player
        self._reopening: asyncio.Task[None] | None = None
        self._proxy: WsProxy | None = None
        self._scenario: Scenario = Scenario("", None)
        self._actors: list[TableActor] = []
        self._opponents: list[ScriptedPlayer] = []
        self._acts = 0
        #: Turns that the scenario made expire and whose ``acted`` is outstanding.
        self._excused = 0
        self._starting = False
        self._disruptions = {
            "late": self._expire_turn,
            "drop": self._drop,
            "break": self._break,
            "restart": self._restart,
            "shutdown": self._shutdown,
            "replace": self._replace,
            "leaves": self._remove_guest,
            "comes": self._add_late_guest,
        }

    # Playing.

    async def play(self, scenario: Scenario) -> None:
        """Play one scenario. It is evaluated elsewhere."""
        self.transcript.begin()
        self._scenario = scenario
        self._acts = 0
        self._broken = False
        self._failure = None
        if scenario.new_process or self.one_match or not self.running:
            await self._start_program()
        with self._scenario_scope():
            if not self._broken and scenario.setup is not None:
                for number in range(scenario.rounds):
                    if number and await self._wait_exit_after_match():
                        break
                    await self._play_match(scenario.setup)
            if not self._broken and scenario.ending:
                await self._end_scenario(scenario.ending)
        if self._broken or scenario.ending:
            await self.stop()
        if self._failure is not None:
            raise self._failure

    @contextmanager
    def _scenario_scope(self) -> Iterator[None]:
        if self._proxy is not None:
            self._proxy.variant = self._variant(self._scenario.variant)
        try:
            yield
        finally:
            self._clear()
            if self._proxy is not None:
                self._proxy.variant = self._variant(PLAIN)

    def _variant(self, style: WireVariant) -> WireVariant:
        return style._replace(single=True) if self.single else style

    def _clear(self) -> None:
        """Stop what is left of the scenario, without recording it."""
        self.transcript.recording = False
        for timer in self._timers:
            timer.cancel()
        self._timers = []
        if self._reopening is not None:
            self._reopening.cancel()
            self._reopening = None
        for actor in self._actors:
            if not actor.table.over:
                actor.stop("shutting_down")
        self._actors = []
        self._opponents = []

    async def stop(self) -> None:
        """Stop the process and its house."""
        self.running = False
        await self.program.stop()
        if self._proxy is not None:
            self._house.close()
            await self._proxy.close()
            self._proxy = None

    async def _start_program(self) -> None:
        """Start a new process and wait for its hello."""
        await self.stop()
        self._house = House(grace=60.0)
        self._proxy = WsProxy(self._house, self)
        self._proxy.variant = self._variant(PLAIN)
        port = await self._proxy.open()
        self.tables = 1
        player = self._player = Player("you", self.program.token or new_token())
        self.program.token = player.token
        self._house.players.add(player)
        if self._scenario.setup is not None and self._scenario.setup.open:
            self._open_table(self._scenario.setup)
        settings = {
            "POKERD_URL": f"ws://127.0.0.1:{port}",
            "POKERD_NAME": "you",
            "POKERD_TABLES": str(TABLES),
        }
        self.running = self._starting = True
        self.record_event("started")
        await self.program.start({}, settings, self._on_exit)
        seconds = START * self.seconds
        limit = self._loop.call_later(seconds, self._give_up, f"it sent no hello within {seconds:g} s")
        await self._wait_until(lambda: not self._starting)
        limit.cancel()

    async def _play_match(self, setup: TableSetup) -> None:
        if setup.open:
            await self._play_open_match(setup)
            return
        for number in range(min(self._scenario.tables, self.tables)):
            self._actors.append(self._table(setup, number))
        self._timers.append(self._loop.call_later(self.seconds, self._expect_ready))
        await self._wait_until(lambda: all(actor.table.over for actor in self._actors))
        if not self._broken:
            self._actors = []

    def _table(self, setup: TableSetup, number: int) -> TableActor:
        """Return a table with everybody seated; it begins once all are ready."""
        table = setup.make_table(self.seconds)
        seats = len(setup.others) + 1
        names = [f"other-{seat}" for seat in range(seats)]
        names[setup.seat] = "you"
        shown = list(setup.names or names)
        name = f"{self._scenario.id}/{number}"
        facts = TableFacts(name, name, shown, [2**47 + 31 * seat for seat in range(seats)])
        actor = TableActor(
            *(self._house, table, facts),
            on_over=lambda _: self._changed.set(),
            on_ready=lambda _: self._begin(),
        )
        words = list(setup.others)
        words.insert(setup.seat, "")
        for seat, word in enumerate(words):
            if seat != setup.seat:
                other = self._house.players.add(Player(f"{name} {seat}", new_token()))
                actor.seat(seat, other)
                self._opponents.append(ScriptedPlayer(self._house, other.name, word, other.token))
        actor.seat(setup.seat, self._player)
        return actor

    def _begin(self) -> None:
        """Deal at all tables at once, so that their turns share one frame."""
        if all(seat.ready for actor in self._actors for seat in actor.seats):
            for actor in self._actors:
                actor.begin()

    # Open tables.

    def _open_table(self, setup: TableSetup) -> None:
        """Create an open table that is listed in the welcome."""
        seats = len(setup.others) + 2
        table_format = setup.make_format()
        assert isinstance(table_format, Cash)
        config = TableConfig(table_format.stakes, seats, Clock(self.seconds, 0.0))
        actor = self._house.open_tables["table-1"] = OpenTable(self._house, config, "table-1", seed=SEED)
        self._actors = [actor]

    async def _play_open_match(self, setup: TableSetup) -> None:
        (actor,) = self._actors
        assert isinstance(actor, OpenTable)
        for number, word in enumerate(setup.others):
            self._add_guest(f"guest-{number}", word)
        limit = self._loop.call_later(min(AGAIN, self.seconds), self._changed.set)
        until = self._loop.time() + min(AGAIN, self.seconds)
        await self._wait_until(lambda: bool(self._player.seats) or self._loop.time() >= until)
        limit.cancel()
        if not self._player.seats and not self._broken:
            self.record_event("seated")
            actor.join(self._player, -1)
        if self._broken:
            return
        self._timers.append(self._loop.call_later(self.seconds, self._expect_ready))
        _, seat = self._player.seats["table-1"]
        await self._wait_until(lambda: actor.seats[seat].ready)
        last = actor.hands + setup.hands
        await self._wait_until(lambda: actor.hands >= last)

    def _add_guest(self, name: str, word: str) -> None:
        # The program itself must log in with its token.
        self._house.admission.guests = True
        puppet = ScriptedPlayer(self._house, name, word)
        self._house.admission.guests = False
        self._opponents.append(puppet)
        puppet.join("table-1")

    # Waiting.

    async def _wait_until(self, done: Callable[[], bool]) -> None:
        while not self._broken and not done():
            self._changed.clear()
            await self._changed.wait()

    async def _wait_exit_after_match(self) -> bool:
        """Return whether the program exits after each match."""
        self.one_match = await self.program.wait_end(SETTLE)
        if self.one_match:
            self._on_exit()
        return self.one_match

    def _give_up(self, why: str) -> None:
        self.record_event("gave up", why=why)
        self._broken = True

    def _give_up_in(self, seconds: float, why: str) -> None:
        self._timers.append(self._loop.call_later(seconds, self._give_up, why))

    def _expect_return(self, seconds: float) -> None:
        def look() -> None:
            if self._player.connection is None:
                self._give_up("it did not reconnect")

        self._timers.append(self._loop.call_later(seconds, look))

    def _expect_ready(self) -> None:
        for actor in self._actors:
            for seat, player in enumerate(actor.players):
                if player is self._player and not actor.seats[seat].ready:
                    self._give_up("it did not send ready")
                    return

    def _on_exit(self) -> None:
        if self.running:
            self.running = False
            self.record_event("exited", code=self.program.exit_code)
            self._broken = True

    # Recording.

    def _record(self, who: Literal["S", "C", "-"], *messages: dict[str, Any]) -> None:
        """Record the messages of one frame, or an event."""
        self.transcript.add(who, *messages)
        self._changed.set()

    def record_event(self, event: str, **fields: Any) -> None:
        """Record an event."""
        self._record("-", {"event": event, **fields})

    def on_sending(self, messages: list[dict[str, Any]]) -> None:
        """Record what is sent, and react to timeouts, refusals and errors of pokerd itself."""
        self._record("S", *messages)
        for message in messages:
            if message["type"] == "welcome":
                self._starting = False
            elif "internal" in (message.get("code"), message.get("reason")):
                self.on_failure(self._fault())
            elif message["type"] == "error" and message.get("fatal") and self._starting:
                self._give_up_in(min(AGAIN, self.seconds), "it was refused")
            elif message["type"] == "acted" and message.get("forced") == "timeout" and self._is_mine(message):
                if self._excused:
                    self._excused -= 1
                else:
                    self._give_up_in(self.seconds / 2, "it did not answer in time")

    def _fault(self) -> Exception:
        """Return the error behind an ``internal`` error of the house."""
        failures = (actor.failure for actor in self._actors if actor.failure is not None)
        return next(failures, RuntimeError("the house reported an internal error"))

    def _is_mine(self, message: dict[str, Any]) -> bool:
        entry = self._player.seats.get(message["table"])
        return entry is not None and entry[1] == message["seat"]

    def on_frame(self, connection: ProxyConnection, payload: bytes, *, text: bool) -> None:
        """Record a frame of the program, disrupt it if the scenario says so, and deliver it."""
        messages = decode_client_messages(payload, text=text)
        if messages is None:
            self.record_event("unreadable", text=text, frame=repr(payload[:120]))
        known = messages or []
        for message in known:
            self._record("C", message)
            tables = message.get("tables", 1)
            # Only a hello that opens the connection and that the server accepts counts.
            if (
                message.get("type") == "hello"
                and connection.connection.player is None
                and type(tables) is int
            ):
                self.tables = max(1, tables)
        if self._scenario.ending == "turned away" and any(one.get("type") == "hello" for one in known):
            connection.connection.close_with_error("server_full")
            self._starting = False
            return
        self._deliver(connection, payload, known, text=text)

    def _deliver(
        self, connection: ProxyConnection, payload: bytes, known: list[dict[str, Any]], *, text: bool
    ) -> None:
        deliver = partial(connection.connection.receive, payload, text=text)
        if not any(message.get("type") == "act" for message in known):
            deliver()
            return
        self._acts += 1
        trick = (self._scenario.disruptions or {}).get(self._acts, "")
        if trick:
            self.record_event(trick)
            self._disruptions[trick](connection, deliver)
        else:
            deliver()

    def on_failure(self, error: Exception) -> None:
        """Record an error of pokerd itself and end the scenario."""
        self._failure = self._failure or error
        self._broken = True
        self._changed.set()

    def on_closed(self, connection: ProxyConnection, code: int | None) -> None:
        """Record a closed websocket."""
        self.record_event("closed", ours=connection.closed_by_us, code=code)
        if self.running and not self._scenario.ending and not connection.closed_by_us and not self._starting:
            self._expect_return(self.seconds)

    # Disruptions. Each takes the connection, and a function that delivers the program's act.

    def _expire_turn(self, connection: ProxyConnection, deliver: Callable[[], None]) -> None:
        """Let the time expire just before the answer is delivered."""
        for actor in self._actors:
            deadline = actor.table.deadline
            if deadline is not None and self._acting(actor):
                self._excused += 1
                actor.tick(deadline)
        deliver()

    def _acting(self, actor: TableActor) -> bool:
        seat = actor.table.turn_seat
        return seat >= 0 and actor.players[seat] is self._player

    def _drop(self, connection: ProxyConnection, deliver: Callable[[], None]) -> None:
        """Break the connection and lose the answer."""
        connection.abort()
        self._expect_return(2 * self.seconds)

    def _break(self, connection: ProxyConnection, deliver: Callable[[], None]) -> None:
        """Break the connection after the answer was delivered."""
        deliver()
        connection.abort()
        self._expect_return(2 * self.seconds)

    def _restart(self, connection: ProxyConnection, deliver: Callable[[], None]) -> None:
        """Restart the server; its tables continue."""
        deliver()
        connection.gate.stop_listening()
        connection.connection.flush()
        connection.connection.hang_up(CLOSE_GOING_AWAY, "shutting_down")
        self._reopening = self._loop.create_task(self._reopen(connection.gate))
        self._expect_return(RESTART + 2 * self.seconds)

    async def _reopen(self, gate: WsProxy) -> None:
        await asyncio.sleep(RESTART)
        try:
            await gate.open()
        except OSError as error:
            self.on_failure(error)

    def _shutdown(self, connection: ProxyConnection, deliver: Callable[[], None]) -> None:
        """Shut the server down."""
        deliver()
        connection.gate.stop_listening()
        for actor in self._actors:
            actor.stop("shutting_down")
        self._actors = []
        connection.connection.close_with_error("shutting_down", CLOSE_GOING_AWAY)

    def _replace(self, connection: ProxyConnection, deliver: Callable[[], None]) -> None:
        """Log in as another client with the program's token."""
        deliver()
        self._opponents.append(ScriptedPlayer(self._house, "you", "c", self._player.token))
        self._actors = []

    def _remove_guest(self, connection: ProxyConnection, deliver: Callable[[], None]) -> None:
        deliver()
        self._opponents[0].leave("table-1")

    def _add_late_guest(self, connection: ProxyConnection, deliver: Callable[[], None]) -> None:
        deliver()
        self._add_guest("guest-new", "cr")

    # Endings.

    async def _end_scenario(self, ending: str) -> None:
        if ending == "goodbye":
            self.record_event("goodbye")
            self._house.remove_player(self._player)
        if ending == "turned away":
            await self._wait_for_exit(AGAIN)
            return
        if await self._wait_for_exit(GRACE) and ending == "goodbye":
            left = await self.program.find_orphans()
            self.record_event("left behind", processes=left)

    async def _wait_for_exit(self, seconds: float) -> bool:
        ended = await self.program.wait_end(seconds)
        if ended:
            self._on_exit()
        else:
            self.record_event("still running")
        return ended
