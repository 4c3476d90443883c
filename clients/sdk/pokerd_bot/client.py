"""The tables of one connection: takes frames from the server, returns frames for it. No sockets."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

from msgspec import structs

from pokerd_bot.bot import LOG, Bot, verify_hooks
from pokerd_bot.hand import Match
from pokerd_bot.seat import NO_TURN, TableSeat
from pokerd_bot.workers import Answer, TaskWorker, ThreadWorker, Worker
from protocol import messages
from protocol.codec import Codec

#: Seconds of work on one frame, and number of answers, after which finished answers are sent without waiting
#: for the rest, so that the server can continue those tables while the bot decides at the others.
MAX_DELAY: Final = 0.005
MAX_BATCH: Final = 16
#: Refusals of ``join`` that leave the bot nothing to do.
_JOIN_REFUSALS: Final = ("no_seat", "unknown_table")
#: Delay in seconds before resending what the server dropped as too fast, and how many frames are kept for it.
RESEND_DELAY: Final = 1.0
MAX_SENT_FRAMES: Final = 64
#: Bots whose match has ended that are kept for another match without a memory reset.
MAX_FORMER: Final = 64
#: Seconds that bots have to finish their work after the last match.
CLOSE_TIMEOUT: Final = 30.0
#: A frame, preceded by the table and turn of its first act (if any).
_SentFrame = tuple[tuple[str, int | None], bytes]
_Handler = Callable[[Any], messages.ClientMessage | None]


class Client:
    """Play all tables of one connection.

    Pass server frames to ``handle``, which sends the answers. Answers of bots that run in a thread or task
    are sent when they are ready.
    """

    def __init__(self, factory: Callable[[Match], Bot], codec: Codec, join: str = "") -> None:
        self.factory = factory
        self.join = join
        self.joining = False
        self.codec = codec
        self.seats: dict[str, TableSeat] = {}
        self._former: dict[str, Bot] = {}
        self.resume = ""
        self.grace = 0.0
        self.welcome: messages.Welcome | None = None
        self.fatal: messages.Error | None = None
        self.failure: BaseException | None = None
        self.ended = 0
        #: Whether there is a connection.
        self.online = False
        #: Whether the bot has no token: a guest's seats are not held when it leaves.
        self.guest = False
        #: Whether it is redirected for a bot without a token.
        self._for_guest = False
        self.hang_up: Callable[[], None] = lambda: None
        #: Runs a callback after a delay in seconds.
        self.call_later: Callable[[float, Callable[[], None]], object] = lambda delay, call: None
        #: Connects to the other server on which a table is played.
        self.follow_redirect: Callable[[messages.Redirect], None] = lambda message: None
        self._workers: dict[TableSeat, Worker] = {}
        self._finishing: set[Worker] = set()
        self._tables_to_join: list[str] = []
        #: Frames that the server dropped and that must be sent again.
        self._to_resend: list[_SentFrame] = []
        #: The latest frames sent.
        self._sent_frames: deque[_SentFrame] = deque(maxlen=MAX_SENT_FRAMES)
        self._send: Callable[[bytes], None] = lambda frame: None
        #: When the current frame arrived, by ``time.monotonic``.
        self._received = 0.0
        self._handlers: dict[type[messages.ServerMessage], _Handler] = {
            messages.YourTurn: self._on_turn,
            messages.PlayerActed: self._on_acted,
            messages.Board: self._on_event,
            messages.HandStart: self._on_event,
            messages.Showdown: self._on_event,
            messages.HandEnd: self._on_hand_end,
            messages.MatchStart: self._on_match_start,
            messages.MatchEnd: self._on_match_end,
            messages.PlayerList: self._on_players,
            messages.Welcome: self._on_welcome,
            messages.Redirect: self._on_redirect,
            messages.Error: self._on_error,
        }

    def handle(self, frame: bytes, send: Callable[[bytes], None]) -> None:
        """Handle one frame and send the answers, in one frame unless deciding takes long."""
        self._send = send
        try:
            self._handle(frame)
        except Exception as error:
            # The websocket library would swallow the exception; a bot with a bug must end with its traceback.
            self.failure = error
            self.leave()
            raise

    def send_hello(
        self, send: Callable[[bytes], None], hang_up: Callable[[], None], hello: messages.Hello
    ) -> None:
        """Say hello on a new connection."""
        self._send, self.hang_up = send, hang_up
        self.call_later = asyncio.get_running_loop().call_later
        self.online, self.guest = True, self._for_guest or not hello.token
        for seat in self.seats.values():
            seat.started = False
        send(self.codec.encode(structs.replace(hello, resume=self.resume)))

    def leave(self) -> None:
        """Give up a guest's seats. A player with a token keeps them and may reconnect."""
        if self.guest and self.seats:
            self._send(self.codec.encode([messages.Leave(table) for table in self.seats]))

    async def finish(self) -> None:
        """Let the bots process what arrived before their matches ended, and stop the others.

        Raises the exception of a bot that failed.
        """
        for worker in self._workers.values():
            worker.cancel()
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_TIMEOUT):
                for worker in list(self._finishing):
                    await worker.done.wait()
        if self.failure is not None:
            raise self.failure

    def _handle(self, frame: bytes) -> None:
        answers: list[messages.ClientMessage] = []
        self._to_resend = []
        handlers = self._handlers
        begun = self._received = time.monotonic()
        for message in self.codec.decode_server(frame):
            handler = handlers.get(type(message))
            answer = handler(message) if handler is not None else None
            if answer is not None:
                answers.append(answer)
                if len(answers) >= MAX_BATCH or time.monotonic() - begun > MAX_DELAY:
                    self._send_answers(answers)
                    answers = []
                    begun = time.monotonic()
        # Wait for the rest of the frame that held ``welcome``: it may already contain a seat.
        if self._tables_to_join and not self.seats:
            self.joining = True
            answers.append(messages.Join(self._tables_to_join[0]))
        self._tables_to_join = []
        if answers:
            self._send_answers(answers)
        for late in self._to_resend:
            self.call_later(RESEND_DELAY, partial(self._resend, late))

    def _send_answers(self, answers: Sequence[messages.ClientMessage]) -> None:
        frame = self.codec.join([self.codec.encode(answer) for answer in answers])
        first = next((one for one in answers if type(one) is messages.Act), None)
        self._sent_frames.append((("", None) if first is None else (first.table, first.turn), frame))
        self._send(frame)

    def _resend(self, late: _SentFrame) -> None:
        self._sent_frames.append(late)
        self._send(late[1])

    # Between the connection and the bots.

    def _deliver(self, seat: TableSeat, message: messages.ServerMessage) -> messages.ClientMessage | None:
        """Pass a message to the seat's bot; return the answer if it is available at once."""
        worker = self._workers.get(seat) if self._workers else None
        if worker is None:
            return seat.handle(message, self._received)
        worker.put(message, self._received)
        return None

    def _on_answer(
        self, seat: TableSeat, message: messages.ServerMessage, answer: Answer | BaseException
    ) -> None:
        """Handle the answer of a bot that runs in a thread or task."""
        if isinstance(answer, BaseException):
            self.failure = self.failure or answer
            self.leave()
            self.hang_up()
        elif type(answer) is messages.Act and seat.open_turn != answer.turn:
            took = time.monotonic() - seat.turn.received if seat.turn is not None else 0.0
            LOG.warning("%s: too late, the table has acted after %.1f s", answer.table, took)
        elif answer is not None:
            if type(answer) is messages.Act:
                seat.act = answer
            # Before the table's state is here, the answer waits for it: it repeats the turn.
            if self.online and seat.started:
                self._send_answers([answer])

    def _start_worker(self, seat: TableSeat) -> None:
        is_async = verify_hooks(seat.bot)
        if is_async:
            self._workers[seat] = TaskWorker(seat, self._on_answer)
        elif seat.bot.threaded:
            self._workers[seat] = ThreadWorker(seat, self._on_answer)

    def _stop_worker(self, seat: TableSeat) -> None:
        worker = self._workers.pop(seat, None)
        if worker is not None:
            self._finishing = {one for one in self._finishing if not one.done.is_set()} | {worker}
            worker.close()

    # Messages from the server.

    def _on_turn(self, message: messages.YourTurn) -> messages.ClientMessage | None:
        seat = self.seats.get(message.table)
        if seat is None:
            return None
        if seat in self._workers and seat.open_turn == message.turn:
            # Asked again after a reconnect: the bot is still thinking, or its answer was lost.
            return seat.act if seat.act is not None and seat.act.turn == message.turn else None
        seat.open_turn = message.turn
        return self._deliver(seat, message)

    def _on_acted(self, message: messages.PlayerActed) -> messages.ClientMessage | None:
        seat = self.seats.get(message.table)
        if seat is None or not seat.mark_seen(message.seq):
            return None
        if message.seat == seat.seat:
            seat.open_turn = NO_TURN
        return self._deliver(seat, message)

    def _on_event(
        self, message: messages.Board | messages.HandStart | messages.Showdown
    ) -> messages.ClientMessage | None:
        seat = self.seats.get(message.table)
        return self._deliver(seat, message) if seat is not None and seat.mark_seen(message.seq) else None

    def _on_hand_end(self, message: messages.HandEnd) -> messages.ClientMessage | None:
        seat = self.seats.get(message.table)
        if seat is None or not seat.mark_seen(message.seq):
            return None
        seat.open_turn = NO_TURN
        return self._deliver(seat, message)

    def _on_match_start(self, message: messages.MatchStart) -> messages.ClientMessage | None:
        self.joining = False
        seat = self.seats.get(message.table)
        if seat is not None and message.resumed:
            seat.started = True
            # Otherwise it is still preparing, and will report ready itself.
            return messages.Ready(message.table) if seat.prepared else None
        if seat is not None:
            self._stop_worker(seat)
        match = Match(message)
        bot = self._former.pop(message.table, None)
        if bot is None or message.reset or message.resumed:
            bot = self.factory(match)
        bot.match = match
        seat = self.seats[message.table] = TableSeat(match, bot)
        others = ", ".join(name or "nobody" for name in message.players)
        LOG.info("%s: %s, seat %s among %s", message.table, message.game.name, message.seat, others)
        self._start_worker(seat)
        return self._deliver(seat, message)

    def _on_players(self, message: messages.PlayerList) -> messages.ClientMessage | None:
        seat = self.seats.get(message.table)
        return None if seat is None else self._deliver(seat, message)

    def _on_match_end(self, message: messages.MatchEnd) -> messages.ClientMessage | None:
        self.ended += 1
        seat = self.seats.pop(message.table, None)
        if seat is not None:
            seat.open_turn = NO_TURN
            self._deliver(seat, message)
            self._stop_worker(seat)
            self._former[message.table] = seat.bot
            if len(self._former) > MAX_FORMER:
                del self._former[next(iter(self._former))]
        return None

    def _on_welcome(self, message: messages.Welcome) -> None:
        self.welcome = message
        LOG.info("connected to pokerd %s as %s", message.server, message.name)
        self.resume = message.resume
        self.grace = message.grace
        free = [open_table.table for open_table in message.tables if open_table.free]
        if message.tables:
            self._tables_to_join = [self.join or (free or [message.tables[0].table])[0]]

    def _on_redirect(self, message: messages.Redirect) -> None:
        self.joining = False
        self.follow_redirect(message)

    def redirect_client(self) -> Client | None:
        """Return a client for a table on another server."""
        client = Client(self.factory, self.codec)
        client._for_guest = self.guest
        return client

    def _on_error(self, message: messages.Error) -> messages.ClientMessage | None:
        if message.fatal or (message.code in _JOIN_REFUSALS and self.joining):
            self.fatal = message
            self.hang_up()
        if message.code == "too_fast":
            # The server dropped a whole frame: the one whose first act it names.
            dropped = message.table, message.turn
            sent = next((one for one in reversed(self._sent_frames) if one[0] == dropped), None)
            if sent is not None:
                self._sent_frames.remove(sent)
                self._to_resend.append(sent)
            return None
        seat = self.seats.get(message.table)
        if message.code == "illegal_action" and seat is not None and seat.open_turn != NO_TURN:
            return self._deliver(seat, message) if message.turn == seat.open_turn else None
        if message.code != "stale_turn":
            LOG.warning("%s: %s", message.code, message.message)
        return None
