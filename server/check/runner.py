"""Plays a scene: the real house and its tables on one side, the program as a process on the other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, Literal

from dealer.formats.cash import Cash
from dealer.table import Clock, Table
from protocol.codec import Codec
from server.auth.tokens import draw
from server.check.model import Entry
from server.check.program import Program
from server.check.scenarios import SEED, Plan, Scene
from server.check.scripted_player import Puppet
from server.check.wire_variants import PLAIN, Style, messages_of
from server.check.ws_proxy import Gate, Line
from server.house.house import House
from server.net.connection import CLOSE_GOING_AWAY
from server.tables.actor import TableActor
from server.tables.config import TablePlan
from server.tables.open_table import OpenTable
from server.tables.player import Player
from server.tables.table_updates import TableFacts

__all__ = ["GRACE", "START", "Stage"]

#: Seconds that a program has to end by itself, as in a competition.
GRACE: Final = 2.0
#: How many times as long as for an answer it may take to start.
START: Final = 6
#: Seconds in which a bot may end after a match, or come again after it was turned away.
SETTLE: Final = 0.3
AGAIN: Final = 1.0
#: Seconds in which nobody listens while the server starts again.
RESTART: Final = 0.5
#: What is said in POKERD_TABLES.
TABLES: Final = 8


class Stage:
    """``seconds`` is the time for each answer. After ``play`` the conversation is in ``entries``; it raises
    what broke on our side.
    """

    def __init__(self, program: Program, seconds: float) -> None:
        self.program = program
        self.seconds = seconds
        self.entries: list[Entry] = []
        #: What hello said, of the process that runs.
        self.tables = 1
        #: It ends after each match.
        self.one_match = False
        #: It is sent one message a frame.
        self.single = False
        self.running = False
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._broken = False
        #: What broke on our side.
        self._failure: Exception | None = None
        self._timers: list[asyncio.TimerHandle] = []
        self._reopening: asyncio.Task[None] | None = None
        self._house: House | None = None
        self._gate: Gate | None = None
        self._player: Player | None = None
        self._scene: Scene = Scene("", None)
        self._actors: list[TableActor] = []
        self._puppets: list[Puppet] = []
        self._acts = 0
        #: Turns that ran out by a trick of ours, and were not told yet.
        self._excused = 0
        self._recording = False
        self._starting = False
        self._tricks = {
            "late": self._late,
            "drop": self._drop,
            "break": self._break,
            "restart": self._restart,
            "shutdown": self._shutdown,
            "replace": self._replace,
            "leaves": self._leaves,
            "comes": self._comes,
        }

    # The play.

    async def play(self, scene: Scene) -> None:
        """Play one scene. Whether it went well is for the judge to say."""
        self.entries = []
        self._scene = scene
        self._acts = 0
        self._broken = False
        self._failure = None
        self._recording = True
        if scene.fresh or self.one_match or not self.running:
            await self._launch()
        with self._guarded():
            if not self._broken and scene.plan is not None:
                for number in range(scene.rounds):
                    if number and await self._left():
                        break
                    await self._match(scene.plan)
            if not self._broken and scene.ending:
                await self._end(scene.ending)
        if self._broken or scene.ending:
            await self.stop()
        if self._failure is not None:
            raise self._failure

    def fell_silent(self) -> dict[str, Any] | None:
        """The event by which a program left that played before, and said nothing at all in this scene."""
        said = any(entry.who == "C" for entry in self.entries)
        events = {entry.message["event"]: entry.message for entry in self.entries if entry.who == "-"}
        if said or "started" in events or self._scene.plan is None:
            return None
        return events.get("exited") or events.get("gave up")

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        if self._gate is not None:
            self._gate.style = self._style(self._scene.style)
        try:
            yield
        finally:
            self._clear()
            if self._gate is not None:
                self._gate.style = self._style(PLAIN)

    def _style(self, style: Style) -> Style:
        return style._replace(single=True) if self.single else style

    def _clear(self) -> None:
        """End what is left of the scene, which is no part of the conversation."""
        self._recording = False
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
        self._puppets = []

    async def stop(self) -> None:
        """End the process and its house."""
        self.running = False
        await self.program.stop()
        if self._gate is not None:
            assert self._house is not None
            self._house.close()
            await self._gate.close()
            self._gate = None

    async def _launch(self) -> None:
        """A new process, up to its hello."""
        await self.stop()
        self._house = House(grace=60.0)
        self._gate = Gate(self._house, self)
        self._gate.style = self._style(PLAIN)
        port = await self._gate.open()
        self.tables = 1
        player = self._player = Player("you", self.program.token or draw())
        self.program.token = player.token
        self._house.players.add(player)
        if self._scene.plan is not None and self._scene.plan.open:
            self._open_table(self._scene.plan)
        settings = {
            "POKERD_URL": f"ws://127.0.0.1:{port}",
            "POKERD_NAME": "you",
            "POKERD_TABLES": str(TABLES),
        }
        self.running = self._starting = True
        self._note("started")
        await self.program.start({}, settings, self._exited)
        seconds = START * self.seconds
        limit = self._loop.call_later(seconds, self._give_up, f"it said no hello within {seconds:g} s")
        await self._until(lambda: not self._starting)
        limit.cancel()

    async def _match(self, plan: Plan) -> None:
        if plan.open:
            await self._open_match(plan)
            return
        for number in range(min(self._scene.tables, self.tables)):
            self._actors.append(self._table(plan, number))
        self._timers.append(self._loop.call_later(self.seconds, self._expect_ready))
        await self._until(lambda: all(actor.table.over for actor in self._actors))
        if not self._broken:
            self._actors = []

    def _table(self, plan: Plan, number: int) -> TableActor:
        """A table with everybody at it; it begins once all are ready."""
        assert self._house is not None
        assert self._player is not None
        play = plan.play()
        seats = len(plan.others) + 1
        table = Table(play, seats, Clock(self.seconds, 0.0), patience=plan.patience, pause=plan.pause)
        table.seq = plan.sequence
        names = [f"other-{seat}" for seat in range(seats)]
        names[plan.seat] = "you"
        shown = list(plan.names or names)
        name = f"{self._scene.id}/{number}"
        facts = TableFacts(name, name, shown, [2**47 + 31 * seat for seat in range(seats)])
        actor = TableActor(self._house, table, facts, on_over=lambda _: self._wake())
        words = list(plan.others)
        words.insert(plan.seat, "")
        actor.on_ready = self._begin
        for seat, word in enumerate(words):
            if seat != plan.seat:
                other = self._house.players.add(Player(f"{name} {seat}", draw()))
                actor.seat(seat, other)
                self._puppets.append(Puppet(self._house, other.name, word, other.token))
        actor.seat(plan.seat, self._player)
        return actor

    def _begin(self) -> None:
        """Deal at all tables at once, so that their turns come in one frame."""
        if all(seat.ready for actor in self._actors for seat in actor.seats):
            for actor in self._actors:
                actor.begin()

    # Open tables.

    def _open_table(self, plan: Plan) -> None:
        """A table that is listed in the welcome, with guests at it."""
        assert self._house is not None
        seats = len(plan.others) + 2
        play = plan.play()
        assert isinstance(play, Cash)
        asked = TablePlan(play.stakes, seats, Clock(self.seconds, 0.0))
        actor = self._house.open_tables["table-1"] = OpenTable(self._house, asked, "table-1", seed=SEED)
        self._actors = [actor]

    async def _open_match(self, plan: Plan) -> None:
        assert self._house is not None
        assert self._player is not None
        (actor,) = self._actors
        assert isinstance(actor, OpenTable)
        for number, word in enumerate(plan.others):
            self._guest(f"guest-{number}", word)
        limit = self._loop.call_later(min(AGAIN, self.seconds), self._wake)
        until = self._loop.time() + min(AGAIN, self.seconds)
        await self._until(lambda: bool(self._player and self._player.seats) or self._loop.time() >= until)
        limit.cancel()
        if not self._player.seats and not self._broken:
            self._note("seated")
            actor.join(self._player, -1)
        if self._broken:
            return
        self._timers.append(self._loop.call_later(self.seconds, self._expect_ready))
        _, seat = self._player.seats["table-1"]
        await self._until(lambda: actor.seats[seat].ready)
        last = actor.hands + plan.hands
        await self._until(lambda: actor.hands >= last)

    def _guest(self, name: str, word: str) -> None:
        assert self._house is not None
        # The program itself is to come in by its token.
        self._house.admission.guests = True
        puppet = Puppet(self._house, name, word)
        self._house.admission.guests = False
        self._puppets.append(puppet)
        puppet.join("table-1")

    # Waiting.

    async def _until(self, done: Callable[[], bool]) -> None:
        while not self._broken and not done():
            self._news.clear()
            await self._news.wait()

    async def _left(self) -> bool:
        """Whether it is a bot that stays for one match only."""
        self.one_match = await self.program.ended(SETTLE)
        if self.one_match:
            self._exited()
        return self.one_match

    def _wake(self) -> None:
        self._news.set()

    def _give_up(self, why: str) -> None:
        self._note("gave up", why=why)
        self._broken = True
        self._wake()

    def _give_up_in(self, seconds: float, why: str) -> None:
        self._timers.append(self._loop.call_later(seconds, self._give_up, why))

    def _expect_return(self, seconds: float) -> None:
        def look() -> None:
            if self._player is not None and self._player.connection is None:
                self._give_up("it did not come back")

        self._timers.append(self._loop.call_later(seconds, look))

    def _expect_ready(self) -> None:
        for actor in self._actors:
            for seat, player in enumerate(actor.players):
                if player is self._player and not actor.seats[seat].ready:
                    self._give_up("it was not ready")
                    return

    def _exited(self) -> None:
        if self.running:
            self.running = False
            self._note("exited", code=self.program.code)
            self._broken = True
            self._wake()

    # What is said.

    def _add(self, who: Literal["S", "C", "-"], *messages: dict[str, Any]) -> None:
        """Note what was said in one frame, or an event."""
        if self._recording:
            now = self._loop.time()
            self.entries += [Entry(now, who, message) for message in messages]
        self._wake()

    def _note(self, event: str, **fields: Any) -> None:
        self._add("-", {"event": event, **fields})

    def offered(self, subprotocols: str, codec: Codec | None) -> None:
        """A handshake."""
        self._note("handshake", offered=subprotocols, taken=codec.subprotocol if codec else None)

    def connected(self, line: Line) -> None:
        """The program is there."""
        self._note("connected")

    def told(self, messages: list[dict[str, Any]]) -> None:
        """Note what is sent; a turn that was let pass, and an end, are seen here."""
        self._add("S", *messages)
        for message in messages:
            if message["type"] == "welcome":
                self._starting = False
            elif "internal" in (message.get("code"), message.get("reason")):
                self.failed(self._fault())
            elif message["type"] == "error" and message.get("fatal") and self._starting:
                self._give_up_in(min(AGAIN, self.seconds), "it was turned away")
            elif message["type"] == "acted" and message.get("forced") == "timeout" and self._is_mine(message):
                if self._excused:
                    self._excused -= 1
                else:
                    self._give_up_in(self.seconds / 2, "it did not answer in time")

    def _fault(self) -> Exception:
        """Why the house says that it has a fault."""
        failures = (actor.failure for actor in self._actors if actor.failure is not None)
        return next(failures, RuntimeError("the house has a fault"))

    def _is_mine(self, message: dict[str, Any]) -> bool:
        entry = self._player.seats.get(message["table"]) if self._player is not None else None
        return entry is not None and entry[1] == message["seat"]

    def heard(self, line: Line, payload: bytes, *, text: bool) -> None:
        """Take a frame of the program, play a trick if it is time for one, and pass it on."""
        messages = messages_of(payload, text=text)
        if messages is None:
            self._note("unreadable", text=text, frame=repr(payload[:120]))
        known = messages or []
        for message in known:
            self._add("C", message)
            tables = message.get("tables", 1)
            # Only a hello that opens the connection counts, and none that the server refuses.
            if message.get("type") == "hello" and line.connection.player is None and type(tables) is int:
                self.tables = max(1, tables)
        if self._scene.ending == "turned away" and any(one.get("type") == "hello" for one in known):
            line.connection.end("server_full")
            self._starting = False
            return
        self._deliver(line, payload, known, text=text)

    def _deliver(self, line: Line, payload: bytes, known: list[dict[str, Any]], *, text: bool) -> None:
        deliver = partial(line.connection.receive, payload, text=text)
        if not any(message.get("type") == "act" for message in known):
            deliver()
            return
        self._acts += 1
        trick = (self._scene.tricks or {}).get(self._acts, "")
        if trick:
            self._note(trick)
            self._tricks[trick](line, deliver)
        else:
            deliver()

    def too_big(self, size: int) -> None:
        """A frame that no server takes."""
        self._note("too big", bytes=size)

    def ponged(self) -> None:
        """A ping was answered."""
        self._note("pong")

    def failed(self, error: Exception) -> None:
        """Something of ours broke: the scene cannot go on."""
        self._failure = self._failure or error
        self._broken = True
        self._wake()

    def closed(self, line: Line, code: int | None) -> None:
        """The websocket is gone."""
        self._note("closed", ours=line.ours, code=code)
        if self.running and not self._scene.ending and not line.ours and not self._starting:
            self._expect_return(self.seconds)

    # Tricks: each has the line, and the act that came, to deliver or to lose.

    def _late(self, line: Line, deliver: Callable[[], None]) -> None:
        """Its time is over just before the answer is carried out."""
        for actor in self._actors:
            deadline = actor.table.deadline
            if deadline is not None and self._acting(actor):
                self._excused += 1
                actor.tick(deadline)
        deliver()

    def _acting(self, actor: TableActor) -> bool:
        seat = actor.table.turn_seat
        return seat >= 0 and actor.players[seat] is self._player

    def _drop(self, line: Line, deliver: Callable[[], None]) -> None:
        """The answer is lost with the connection."""
        line.cut()
        self._expect_return(2 * self.seconds)

    def _break(self, line: Line, deliver: Callable[[], None]) -> None:
        """The connection breaks when the answer has arrived."""
        deliver()
        line.cut()
        self._expect_return(2 * self.seconds)

    def _restart(self, line: Line, deliver: Callable[[], None]) -> None:
        """The server stops and starts again; its tables go on where they stood."""
        assert self._gate is not None
        deliver()
        self._gate.shut()
        line.connection.flush()
        line.connection.hang_up(CLOSE_GOING_AWAY, "shutting_down")
        self._reopening = self._loop.create_task(self._reopen(self._gate))
        self._expect_return(RESTART + 2 * self.seconds)

    async def _reopen(self, gate: Gate) -> None:
        await asyncio.sleep(RESTART)
        try:
            await gate.open()
        except OSError as error:
            self.failed(error)

    def _shutdown(self, line: Line, deliver: Callable[[], None]) -> None:
        """The server stops."""
        assert self._gate is not None
        deliver()
        self._gate.shut()
        for actor in self._actors:
            actor.stop("shutting_down")
        self._actors = []
        line.connection.end("shutting_down", CLOSE_GOING_AWAY)

    def _replace(self, line: Line, deliver: Callable[[], None]) -> None:
        """Somebody else comes in with its token."""
        assert self._house is not None
        assert self._player is not None
        deliver()
        self._puppets.append(Puppet(self._house, "you", "c", self._player.token))
        self._actors = []

    def _leaves(self, line: Line, deliver: Callable[[], None]) -> None:
        deliver()
        self._puppets[0].leave("table-1")

    def _comes(self, line: Line, deliver: Callable[[], None]) -> None:
        deliver()
        self._guest("guest-new", "cr")

    # Endings.

    async def _end(self, ending: str) -> None:
        assert self._house is not None
        assert self._player is not None
        if ending == "goodbye":
            self._note("goodbye")
            self._house.dismiss(self._player)
        if ending == "turned away":
            await self._ended(AGAIN)
            return
        if await self._ended(GRACE) and ending == "goodbye":
            left = await self.program.left_behind()
            self._note("left behind", processes=left)

    async def _ended(self, seconds: float) -> bool:
        ended = await self.program.ended(seconds)
        if ended:
            self._exited()
        else:
            self._note("still running")
        return ended
