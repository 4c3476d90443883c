"""The bridge: seats an ACPC program at ordinary tables. It is a dealer on a TCP port for the program, and a
bot for the server.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import math
import re
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from clients.acpc.program import FAILURES, AcpcProgram, ProgramFailure
from dealer.rules.errors import GameError
from dealer.rules.games import STRADDLE_PLAYERS, holdem, parse_game
from pokerd_bot.bot import LOG, Bot
from pokerd_bot.client import Client
from pokerd_bot.hand import Hand, Match
from pokerd_bot.options import add_options
from pokerd_bot.running import log_to_stderr, play, run_loop
from pokerd_bot.trace import Trace
from protocol import messages
from protocol.acpc import FAULTS
from protocol.acpc_seat import AcpcSeat
from protocol.codec import JSON, MSGPACK, Codec

#: Why a program's match ends early; faults end it under strict conduct only.
CODES: Final[dict[str, str]] = {**FAILURES, **FAULTS}
#: Reports per kind of fault; a program at fault is often so in every hand.
MAX_REPORTED: Final = 5


class BridgeSettings(NamedTuple):
    """How programs are run: see ``add_bridge_options``."""

    command: Sequence[str]
    strict: bool
    any_stacks: bool
    start_timeout: float
    output: IO[bytes] | None
    folder: Path


class _GameFiles:
    """The game file of each hand. An ACPC game has fixed players, blinds and stacks; ours may change."""

    def __init__(self, start: messages.MatchStart, *, any_stacks: bool) -> None:
        self._full = parse_game(start.game.text, start.game.name)
        self._fixed = start.mode == "fixed"
        self._any_stacks = any_stacks
        self._present = max(2, sum(map(bool, start.players)))
        blinds = sorted(self._full.blinds)
        self._stakes = (blinds[-2], blinds[-1], self._full.ante)
        self._last = self._full.text()

    def first_game(self) -> str:
        """Return the expected game of the first hand."""
        return self._text(self._present)

    def set_blinds(self, level: messages.BlindsRaised) -> None:
        """Apply new blinds."""
        self._stakes = (level.small_blind, level.big_blind, level.ante)

    def game_of(self, hand: messages.HandStart) -> str:
        """Return the game of this hand. Its posts show the blinds, unless somebody could not pay in full."""
        players = len(hand.seats)
        small, big = (1, 0) if players == 2 else (0, 1)
        posted = [
            amount if hand.antes[position] + hand.blinds[position] < hand.stacks[position] else known
            for position, amount, known in (
                (small, hand.blinds[small], self._stakes[0]),
                (big, hand.blinds[big], self._stakes[1]),
                (big, hand.antes[big], self._stakes[2]),
            )
        ]
        self._stakes = (posted[0], posted[1], posted[2])
        return self._text(players, None if self._any_stacks else list(map(int, hand.stacks)))

    def _text(self, players: int, stacks: list[int] | None = None) -> str:
        full = self._full
        if self._fixed:
            return full.text()
        small, big, ante = self._stakes
        if stacks is None:
            stacks = [max(full.stacks[0], big + ante + 1)] * players
        # A player who cannot pay his blind is all-in; a game in which he could just pay it is equivalent.
        blinds = (big, small) if players == 2 else (small, big)
        straddle = full.straddle if players >= STRADDLE_PLAYERS else 0
        posts = [*blinds, straddle, *[0] * players]
        stacks = [max(stack, post + ante, 1) for stack, post in zip(stacks, posts, strict=False)]
        with contextlib.suppress(GameError):
            game = holdem(
                players,
                small,
                big,
                ante=ante,
                limit=full.limit,
                stack=stacks,
                rules=full.rules,
                straddle=straddle,
            )
            self._last = game.text()
        return self._last  # nobody has chips left for a decision, so it makes no difference


class _BridgeTable(Bot):
    """A table, and the program that plays there."""

    threaded = False

    def __init__(self, bridge: Bridge, match: Match) -> None:
        super().__init__(match)
        self.bridge = bridge
        self.over = False
        self._seat = AcpcSeat(match.info, exact=bridge.settings.strict)
        self._games = _GameFiles(match.info, any_stacks=bridge.settings.any_stacks)
        self._faults: Counter[str] = Counter()
        self._lines: list[str] = []
        self._owes_ready = False
        self._game = self._games.first_game()
        self._program = self._start_program()

    # From the server to the program.

    def ready(self) -> messages.Ready | None:
        """Return the answer to ``match_start`` once the program has sent its version."""
        self._owes_ready = not self._program.ready
        return None if self._owes_ready else messages.Ready(self.match.table)

    def hand_started(self, hand: Hand) -> None:
        if self.match.seat in hand.seats:
            game = self._games.game_of(hand.start)
            if game != self._game:
                self._game = game
                self._program.stop()
                self._program = self._start_program()
        self._receive(hand.start)

    def board_dealt(self, hand: Hand, board: messages.Board) -> None:
        self._receive(board)

    def acted(self, hand: Hand, action: messages.PlayerActed) -> None:
        self._receive(action)

    def hand_ended(self, hand: Hand, shown: messages.Showdown | None, end: messages.HandEnd) -> None:
        if shown is not None:
            self._receive(shown)
        self._receive(end)

    def on_turn(self, turn: messages.YourTurn) -> messages.Act | None:
        """Handle a turn; return the answer if the program has sent it already."""
        self._receive(turn)
        return None if self.over else self._seat.repeat_answer()

    def on_level(self, level: messages.BlindsRaised) -> None:
        """Apply new blinds."""
        self._games.set_blinds(level)

    def _receive(self, message: messages.ServerMessage) -> None:
        self._lines += self._seat.receive(message)

    def end_frame(self) -> None:
        """Send what is due at the end of the server's frame."""
        lines, self._lines = self._lines + self._seat.end_frame(), []
        if lines:
            self._program.write(lines)

    # From the program to the server.

    def _start_program(self) -> AcpcProgram:
        settings = self.bridge.settings
        self.bridge.started += 1
        file = settings.folder / f"{self.bridge.started}.game"
        file.write_text(self._game, encoding="ascii")
        program = AcpcProgram(
            settings.command,
            file,
            start_timeout=settings.start_timeout,
            output=settings.output,
            strict=settings.strict,
            on_ready=self._on_ready,
            on_line=self._on_line,
        )
        self.bridge.run_task(self._run_program(program))
        return program

    async def _run_program(self, program: AcpcProgram) -> None:
        try:
            await program.run()
        except ProgramFailure as failure:
            if program is self._program:
                self._fail(failure.code, str(failure))

    def _on_ready(self, program: AcpcProgram) -> None:
        if program is not self._program:
            return
        if self._owes_ready:
            self._owes_ready = False
            self.bridge.send(messages.Ready(self.match.table))
        if self._seat.playing:
            program.write([self._seat.line])

    def _on_line(self, program: AcpcProgram, line: bytes) -> None:
        if program is not self._program or self.over:
            return
        result = self._seat.receive_line(line)
        if result.fault and self.bridge.settings.strict:
            self._fail(result.fault, FAULTS[result.fault])
            return
        if result.fault:
            self._faults[result.fault] += 1
            if self._faults[result.fault] <= MAX_REPORTED:
                LOG.warning("%s: %s [%s]", self.match.table, result.fault_text, result.fault)
        if result.message is not None:
            self.bridge.send(result.message)

    # The end.

    def _fail(self, code: str, detail: str) -> None:
        """End the match for this program; the policy finishes its hand."""
        if self.over:
            return
        LOG.warning("%s: %s [%s]", self.match.table, detail, code)
        self.end()
        self.bridge.failed = True
        self.bridge.send(messages.Leave(self.match.table))

    def end(self) -> None:
        """Stop the program."""
        self.over = True
        self._program.stop()
        for fault, count in self._faults.items():
            if count > MAX_REPORTED:
                LOG.warning("%s: %s times in all [%s]", self.match.table, count, fault)


class Bridge(Client):
    """Plays every table of a connection with its own program. ``persistent``: after a program failed, the
    server may have another match.
    """

    def __init__(self, settings: BridgeSettings, codec: Codec, join: str, *, persistent: bool) -> None:
        super().__init__(self._make_table, codec, join)
        self.settings = settings
        self.tables: dict[str, _BridgeTable] = {}
        self.started = 0
        self.failed = False
        self._persistent = persistent
        self._tasks: set[asyncio.Task[None]] = set()
        self._send: Callable[[bytes], None] = lambda _: None
        self._handlers[messages.BlindsRaised] = self._on_level

    def _make_table(self, match: Match) -> Bot:
        before = self.tables.pop(match.table, None)
        if before is not None:
            before.end()
        table = self.tables[match.table] = _BridgeTable(self, match)
        return table

    def run_task(self, program: Coroutine[Any, Any, None]) -> None:
        """Run a program to its end."""
        task = asyncio.ensure_future(program)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def redirect_client(self) -> None:
        """Return None: the program plays at one table at a time, and stays here."""
        return

    def send(self, message: messages.ClientMessage) -> None:
        """Send a message to the server. Nothing is sent while the connection is lost: the server
        asks again.
        """
        self._send(self.codec.encode(message))

    async def close(self) -> None:
        """Stop all programs."""
        for table in self.tables.values():
            table.end()
        await asyncio.gather(*self._tasks)

    # From the server.

    def handle(self, frame: bytes, send: Callable[[bytes], None]) -> None:
        """Handle a frame; lines for the programs are sent at its end."""
        self._send = send
        super().handle(frame, send)
        for table in self.tables.values():
            table.end_frame()

    def _on_match_start(self, message: messages.MatchStart) -> messages.ClientMessage | None:
        super()._on_match_start(message)
        table = self.tables[message.table]
        return messages.Leave(message.table) if table.over else table.ready()

    def _on_match_end(self, message: messages.MatchEnd) -> None:
        super()._on_match_end(message)
        table = self.tables.pop(message.table, None)
        if table is not None:
            table.end()
        if self.failed and not self.seats and not self._persistent:
            self.fatal = messages.Error("left", "no program is left")
            self.hang_up()

    def _on_turn(self, message: messages.YourTurn) -> messages.ClientMessage | None:
        table = self.tables.get(message.table)
        return None if table is None else table.on_turn(message)

    def _on_acted(self, message: messages.PlayerActed) -> None:
        # The program's next answer shows whether to ask again.
        super()._on_acted(message)

    def _on_level(self, message: messages.BlindsRaised) -> None:
        table = self.tables.get(message.table)
        if table is not None:
            table.on_level(message)

    def _on_error(self, message: messages.Error) -> messages.ClientMessage | None:
        super()._on_error(message)
        if message.code == "illegal_action" and message.turn is not None:
            return messages.Act(message.table, message.turn, "call")
        return None


def add_bridge_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``pokerd bridge``: those of every bot, and its own."""
    add_options(parser)
    parser.add_argument(
        "--conduct",
        choices=("reference", "strict"),
        default="reference",
        help="correct and drop bad lines, or end the match (%(default)s)",
    )
    parser.add_argument(
        "--start-timeout",
        type=_seconds,
        default=60.0,
        metavar="S",
        help="seconds for the program to connect and send its version (%(default)s)",
    )
    parser.add_argument(
        "--any-stacks", action="store_true", help="accept stacks that differ from the game file"
    )
    parser.add_argument(
        "--log", type=Path, metavar="FILE", help="append the program's output to FILE (passed through)"
    )
    parser.add_argument(
        "program",
        nargs="+",
        metavar="PROGRAM",
        help="the program and its arguments, after --; {host} {port} {game} {python} are filled in",
    )


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError("must be a number of seconds above 0")
    return seconds


def run_bridge(options: argparse.Namespace) -> int:
    """Connect a program to a server until the server has no more matches; see ``pokerd_bot.run``.

    Returns 0 if the server said goodbye, 1 if it refused or is unreachable or a program failed, 130 if
    stopped by a signal. Raises ``OSError`` if the log or the trace cannot be written.
    """
    log_to_stderr(options.log_level)
    hello = messages.Hello(
        name=options.name or _program_name(options.program),
        token=options.token,
        tables=options.tables,
        software="pokerd-bridge",
    )
    with contextlib.ExitStack() as stack:
        log = None if options.log is None else stack.enter_context(options.log.open("ab"))
        trace = stack.enter_context(Trace(options.trace)) if options.trace else None
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pokerd-")))
        settings = BridgeSettings(
            options.program,
            options.conduct == "strict",
            options.any_stacks,
            options.start_timeout,
            log,
            folder,
        )
        codec = JSON if options.json else MSGPACK
        client = partial(Bridge, settings, codec, options.join, persistent=bool(options.token))
        return run_loop(_run_bridge(client, options.url, hello, options.ca, trace))


async def _run_bridge(
    make: Callable[[], Bridge], url: str, hello: messages.Hello, ca: str, trace: Trace | None
) -> int:
    client = make()
    loop = asyncio.get_running_loop()
    playing = asyncio.ensure_future(play(client, url, hello, ca, trace))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, playing.cancel)
    try:
        code = await playing
    except asyncio.CancelledError:
        code = 130
    finally:
        await client.close()
    return code or int(client.failed)


def _program_name(words: Sequence[str]) -> str:
    """Return the program's name: the first word that looks like a file name."""
    stems = [Path(word).stem for word in words if word[:1] not in ("-", "{")]
    return next(filter(re.compile(r"[\w.-]{1,64}", re.ASCII).fullmatch, stems), "bridge")
