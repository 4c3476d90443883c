"""The bot SDK: subclass ``Bot``, write ``act``, call ``run``.

One connection may hold many tables; each table has a ``Bot`` object of its own, made anew at every
``match_start`` that asks for a reset, so a bot that keeps its memory in ``self`` forgets when it must.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from msgspec import structs

from clients.sdk.connection import ConnectError, connect
from clients.sdk.options import parse_options
from clients.sdk.redirects import Redirects
from clients.sdk.running import run_loop, run_until_stopped
from clients.sdk.turn import Hand, Match, Turn
from dealer.rules.actions import Action
from protocol import messages
from protocol.codec import JSON, MSGPACK, Codec

__all__ = ["Bot", "Client", "play", "run", "log_line"]

#: Seconds of work on one frame, and number of answers, after which those that are ready are sent without
#: waiting for the rest: the server can go on with these tables while the bot thinks about the others.
MAX_DELAY: Final = 0.005
MAX_BATCH: Final = 16
_ACTION_KINDS: Final = ("fold", "check", "call", "raise")
#: Refusals of ``join`` that leave a bot with nothing to do.
_JOIN_REFUSALS: Final = ("no_seat", "unknown_table")
#: Seconds after which a connection counts as good, so that the next reconnect is tried without delay.
STABLE_AFTER: Final = 5.0
#: Seconds after which what the server dropped because it came too fast is sent again, and frames kept for it.
RESEND_DELAY: Final = 1.0
MAX_SENT_FRAMES: Final = 64
#: Table and turn of the first act in a frame, if there is one, and the frame.
_SentFrame = tuple[tuple[str, int | None], bytes]


class Bot:
    """A player at one table, for one match. Override ``act``; the other methods only if you need them."""

    def __init__(self, match: Match) -> None:
        self.match = match

    def act(self, turn: Turn) -> Action:
        """Your decision."""
        return turn.check_or_fold()

    def hand_started(self, hand: Hand) -> None:
        """A new hand was dealt."""

    def board_dealt(self, hand: Hand, board: messages.Board) -> None:
        """New board cards (``hand.board`` has them already)."""

    def acted(self, hand: Hand, action: messages.PlayerActed) -> None:
        """Somebody acted (you too)."""

    def hand_ended(self, hand: Hand, shown: messages.Showdown | None, end: messages.HandEnd) -> None:
        """The hand is over; ``shown`` holds the cards of a showdown."""

    def refused(self, turn: Turn, error: messages.Error) -> Action:
        """The server refused what ``act`` returned; the clock still runs. By default: check, else fold."""
        log_line(f"refused ({error.code}): {error.message}")
        return turn.check_or_fold()


class _TableSeat:
    """A table's bot, the hand in progress, the open turn, and how it went so far."""

    __slots__ = ("bot", "hand", "hands", "match", "next_report", "returning", "seq", "shown", "turn", "won")

    def __init__(self, match: Match, bot: Bot) -> None:
        self.match = match
        self.bot = bot
        self.hand: Hand | None = None
        self.shown: messages.Showdown | None = None
        self.turn: Turn | None = None
        self.returning = False
        #: Of the last event; after a reconnect the hand in progress is told again from its start.
        self.seq = -1
        self.hands = 0
        self.won: float = 0
        self.next_report = 1

    def is_new(self, seq: int) -> bool:
        """Whether this event was not told before; it counts as told from now on."""
        if seq <= self.seq:
            return False
        self.seq = seq
        return True

    def add_result(self, end: messages.HandEnd) -> None:
        """Add a hand's result, unless the player was not dealt in; tell of the 1st, 10th, 100th, ... hand."""
        assert self.hand is not None
        if self.match.seat in self.hand.seats:
            self.hands += 1
            self.won += end.net[self.hand.seats.index(self.match.seat)]
            if self.hands == self.next_report:
                self.next_report *= 10
                hands = "1 hand" if self.hands == 1 else f"{self.hands:,} hands"
                log_line(f"{end.table}: {hands}, {self.won:+,g} chips")


def _verify_hooks(bot: Bot) -> None:
    """Raises ``TypeError``, which names method and line, for one that nobody would wait for."""
    for name in ("hand_started", "board_dealt", "acted", "hand_ended"):
        method = getattr(bot, name)
        if inspect.iscoroutinefunction(method):
            raise TypeError(f"{_describe_method(method)} is a coroutine: write def, not async def")


def _describe_method(method: Callable[..., object]) -> str:
    """A method of a bot, and where it stands."""
    code = getattr(method, "__code__", None)
    place = f" ({code.co_filename}, line {code.co_firstlineno})" if code is not None else ""
    return f"{getattr(method, '__qualname__', method)}{place}"


def _act_message(turn: Turn, action: object, decide: Callable[..., object]) -> messages.Act:
    """The message for what ``decide``, a method of the bot, returned. Raises ``TypeError``, which names the
    method and its line, if that is no action.
    """
    asked = turn.message
    if isinstance(action, Action) and type(action.to) is int and action.kind in _ACTION_KINDS:
        return messages.Act(asked.table, asked.turn, action.kind, action.to)  # type: ignore[arg-type]
    if inspect.iscoroutine(action):
        action.close()
        what = "is a coroutine: write def, not async def"
    else:
        what = f"returned {action!r}: return turn.fold(), turn.call() or turn.raise_to(amount)"
    raise TypeError(f"{_describe_method(decide)} {what}")


def log_line(text: str) -> None:
    """A word to whoever watches the bot's terminal, or reads its log."""
    print(text, file=sys.stderr)


class Client:
    """Plays every table of one connection. Feed it server frames with ``handle``; it returns the frame to
    answer with.
    """

    def __init__(self, factory: Callable[[Match], Bot], codec: Codec, join: str = "") -> None:
        self.factory = factory
        self.join = join
        self.joining = False
        self.codec = codec
        self.seats: dict[str, _TableSeat] = {}
        self.resume = ""
        self.grace = 0.0
        self.welcome: messages.Welcome | None = None
        self.fatal: messages.Error | None = None
        self.failure: Exception | None = None
        self.ended = 0
        #: There is a connection.
        self.online = False
        #: Came without a token: nobody waits for him when he is gone.
        self.guest = False
        self._tables_to_join: list[str] = []
        #: Frames that the server dropped, and that are to be sent again.
        self._to_resend: list[_SentFrame] = []
        self.hang_up: Callable[[], None] = lambda: None
        #: Calls later, in so many seconds.
        self.call_later: Callable[[float, Callable[[], None]], object] = lambda delay, call: None
        #: Frames sent last, with table and turn of the first act in each.
        self._sent_frames: deque[_SentFrame] = deque(maxlen=MAX_SENT_FRAMES)
        #: Goes to another server, where a table is.
        self.follow_redirect: Callable[[messages.Redirect], None] = lambda message: None
        self._handlers: dict[type[messages.ServerMessage], Callable[[Any], messages.ClientMessage | None]] = {
            messages.YourTurn: self._on_turn,
            messages.PlayerActed: self._on_acted,
            messages.Board: self._on_board,
            messages.HandStart: self._on_hand_start,
            messages.Showdown: self._on_shown,
            messages.HandEnd: self._on_hand_end,
            messages.MatchStart: self._on_match_start,
            messages.MatchEnd: self._on_match_end,
            messages.PlayerList: self._on_players,
            messages.Welcome: self._on_welcome,
            messages.Redirect: self._on_redirect,
            messages.Error: self._on_error,
        }

    def handle(self, frame: bytes, send: Callable[[bytes], None]) -> None:
        """Take one frame and send the answers, together unless thinking takes long."""
        try:
            self._handle(frame, send)
        except Exception as error:
            # The websocket library would swallow it; a bot with a bug should end with its traceback.
            self.failure = error
            self.leave(send)
            raise

    def leave(self, send: Callable[[bytes], None]) -> None:
        """Give up the seats of a guest. Who has a token keeps his and may come back."""
        if self.guest and self.seats:
            send(self.codec.encode([messages.Leave(table) for table in self.seats]))

    def _handle(self, frame: bytes, send: Callable[[bytes], None]) -> None:
        answers: list[messages.ClientMessage] = []
        self._to_resend = []
        handlers = self._handlers
        begun = time.monotonic()
        for message in self.codec.decode_server(frame):
            handler = handlers.get(type(message))
            answer = handler(message) if handler is not None else None
            if answer is not None:
                answers.append(answer)
                if len(answers) >= MAX_BATCH or time.monotonic() - begun > MAX_DELAY:
                    self._send_answers(answers, send)
                    answers = []
                    begun = time.monotonic()
        # Not before all is read that came with ``welcome``: perhaps there is a seat already.
        if self._tables_to_join and not self.seats:
            self.joining = True
            answers.append(messages.Join(self._tables_to_join[0]))
        self._tables_to_join = []
        if answers:
            self._send_answers(answers, send)
        for late in self._to_resend:
            self.call_later(RESEND_DELAY, partial(self._resend, late, send))

    def _send_answers(self, answers: Sequence[messages.ClientMessage], send: Callable[[bytes], None]) -> None:
        frame = self.codec.join([self.codec.encode(answer) for answer in answers])
        first = next((one for one in answers if type(one) is messages.Act), None)
        self._sent_frames.append((("", None) if first is None else (first.table, first.turn), frame))
        send(frame)

    def _resend(self, late: _SentFrame, send: Callable[[bytes], None]) -> None:
        self._sent_frames.append(late)
        send(late[1])

    def _on_turn(self, message: messages.YourTurn) -> messages.ClientMessage | None:
        seat = self.seats.get(message.table)
        if seat is None or seat.hand is None:
            return None
        seat.returning = False
        turn = seat.turn = Turn(seat.match, seat.hand, message)
        return _act_message(turn, seat.bot.act(turn), seat.bot.act)

    def _on_acted(self, message: messages.PlayerActed) -> messages.ClientMessage | None:
        seat = self.seats.get(message.table)
        if seat is None or seat.hand is None or not seat.is_new(message.seq):
            return None
        seat.hand.actions.append((seat.hand.street, message))
        seat.bot.acted(seat.hand, message)
        if message.forced != "absent" or message.seat != seat.match.seat or seat.returning:
            return None
        seat.returning = True
        return messages.SitIn(message.table)

    def _on_board(self, message: messages.Board) -> None:
        seat = self.seats.get(message.table)
        if seat is not None and seat.hand is not None and seat.is_new(message.seq):
            seat.hand.board += message.cards
            seat.hand.street = message.street
            seat.bot.board_dealt(seat.hand, message)

    def _on_hand_start(self, message: messages.HandStart) -> None:
        seat = self.seats.get(message.table)
        if seat is not None and seat.is_new(message.seq):
            seat.hand = Hand(message)
            seat.shown = seat.turn = None
            seat.bot.hand_started(seat.hand)

    def _on_shown(self, message: messages.Showdown) -> None:
        seat = self.seats.get(message.table)
        if seat is not None and seat.is_new(message.seq):
            seat.shown = message

    def _on_hand_end(self, message: messages.HandEnd) -> None:
        seat = self.seats.get(message.table)
        if seat is not None and seat.hand is not None and seat.is_new(message.seq):
            seat.turn = None
            seat.add_result(message)
            seat.bot.hand_ended(seat.hand, seat.shown, message)

    def _on_match_start(self, message: messages.MatchStart) -> messages.ClientMessage | None:
        self.joining = False
        before = self.seats.get(message.table)
        match = Match(message)
        if before is None or not message.resumed:
            bot = self.factory(match)
            _verify_hooks(bot)
            self.seats[message.table] = _TableSeat(match, bot)
            others = ", ".join(name or "nobody" for name in message.players)
            log_line(f"{message.table}: {message.game.name}, seat {message.seat} among {others}")
        return messages.Ready(message.table)

    def _on_players(self, message: messages.PlayerList) -> None:
        seat = self.seats.get(message.table)
        if seat is not None:
            seat.match.players = message.players

    def _on_match_end(self, message: messages.MatchEnd) -> None:
        self.ended += 1
        seat = self.seats.pop(message.table, None)
        if seat is not None:
            log_line(f"{message.table}: {message.reason} after {seat.hands} hands, {seat.won:+,g} chips")

    def _on_welcome(self, message: messages.Welcome) -> None:
        self.welcome = message
        log_line(f"connected to pokerd {message.server} as {message.name}")
        self.resume = message.resume
        self.grace = message.grace
        free = [open_table.table for open_table in message.tables if open_table.free]
        if message.tables:
            self._tables_to_join = [self.join or (free or [message.tables[0].table])[0]]

    def _on_redirect(self, message: messages.Redirect) -> None:
        self.follow_redirect(message)

    def redirect_client(self) -> Client | None:
        """Who plays at a table of another server, if we can play there."""
        return Client(self.factory, self.codec)

    def _on_error(self, message: messages.Error) -> messages.ClientMessage | None:
        if message.fatal or (message.code in _JOIN_REFUSALS and self.joining):
            self.fatal = message
            self.hang_up()
        if message.code == "too_fast":
            # The server has dropped a whole frame: the one whose first act it names.
            dropped = message.table, message.turn
            sent = next((one for one in reversed(self._sent_frames) if one[0] == dropped), None)
            if sent is not None:
                self._sent_frames.remove(sent)
                self._to_resend.append(sent)
            return None
        seat = self.seats.get(message.table)
        if message.code != "illegal_action" or seat is None or seat.turn is None:
            if message.code != "stale_turn":
                log_line(f"{message.code}: {message.message}")
            return None
        turn = seat.turn
        if turn.message.turn != message.turn:
            return None
        return _act_message(turn, seat.bot.refused(turn, message), seat.bot.refused)


def run(
    factory: Callable[[Match], Bot],
    *,
    url: str | None = None,
    token: str | None = None,
    name: str | None = None,
    tables: int | None = None,
    join: str | None = None,
    json: bool | None = None,
    label: str | None = None,
    ca: str | None = None,
    arguments: Sequence[str] | None = None,
) -> int:
    """Connect and play until the server has no more matches; reconnect by itself when the connection breaks.

    What is not given is taken from the command line (``--url --token --name --tables --join --json --ca``),
    else from the environment (``POKERD_URL``, ``POKERD_TOKEN``, ``POKERD_NAME``, ``POKERD_TABLES``);
    ``label`` is the name when none is given, ``arguments`` replaces the command line. Returns 0 when the
    server said goodbye, 1 when it refused or cannot be reached, 130 when stopped by a signal. A guest that is
    stopped, by Ctrl-C or SIGTERM, or fails leaves its tables: no seat is held for it.
    """
    options = parse_options(arguments if arguments is not None else [] if url is not None else sys.argv[1:])
    url = url or options.url
    codec = JSON if (json if json is not None else options.json) else MSGPACK
    client = Client(factory, codec, join if join is not None else options.join)
    hello = messages.Hello(
        name=name or options.name or label or getattr(factory, "__name__", "bot").lower(),
        token=token if token is not None else options.token,
        tables=tables or options.tables,
        software="pokerd-python",
    )
    try:
        return run_loop(run_until_stopped(play(client, url, hello, ca if ca is not None else options.ca)))
    except (KeyboardInterrupt, asyncio.CancelledError):
        return 130


async def play(client: Client, url: str, hello: messages.Hello, ca: str = "") -> int:
    """What ``run`` does, with a client of one's own. Cancelled, it says goodbye to the server."""
    stay = partial(_play_at, ca=ca)
    visits = Redirects(client, hello, stay)
    client.follow_redirect = visits.follow
    try:
        return await stay(client, url, hello)
    finally:
        await visits.close()


async def _play_at(client: Client, url: str, hello: messages.Hello, *, ca: str) -> int:
    """Play at one server."""
    codec = client.codec
    clock = asyncio.get_running_loop().time
    give_up = 0.0
    wait = 0.05
    while True:
        try:
            channel = await connect(url, codec, client.handle, ca)
        except ConnectError as error:
            if clock() + wait > give_up:
                log_line(str(error))
                return 1
            await asyncio.sleep(wait)
            wait = min(wait * 2, 2.0)
            continue
        opened = clock()
        client.hang_up = channel.close
        client.call_later = asyncio.get_running_loop().call_later
        client.online, client.guest = True, not hello.token
        channel.send(codec.encode(structs.replace(hello, resume=client.resume)))
        try:
            await channel.wait_closed()
        except asyncio.CancelledError:
            client.leave(channel.send)
            channel.close()
            raise
        finally:
            client.online = False
        if client.failure is not None:
            raise client.failure
        if client.fatal is not None:
            return 1
        if channel.close_code == 1000:
            return 0
        if not client.resume:
            log_line(f"{url} closed the connection without a word (code {channel.close_code})")
            return 1
        # A server that drops us at once, again and again, is not to be stormed.
        wait = 0.05 if clock() - opened > STABLE_AFTER else min(wait * 2, 2.0)
        await asyncio.sleep(wait)
        give_up = clock() + (2.0 if os.environ.get("POKERD_MANAGED") else client.grace)
