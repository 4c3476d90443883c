"""The API: which session a request belongs to, and how many there may be."""

from __future__ import annotations

import asyncio
import re
import signal
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from uuid import uuid4

import msgspec

from clients.slumbot.http import HttpServer
from clients.slumbot.notation import SlumbotError
from clients.slumbot.session import Session, SessionSettings
from pokerd_bot.running import log_to_stderr, run_loop
from protocol import messages

_PATH: Final = re.compile(r"/(?:([\w.+-]+)/)?api/(new_hand|act|login)", re.ASCII)
#: The first part of the path that stands for ``--rival``, as in Slumbot's own addresses.
_ANYBODY: Final = (None, "slumbot")


class BridgeSettings(NamedTuple):
    """``rival``: the house bot of sessions that name none. ``sessions``: how many at once; one without a
    request for ``idle`` seconds ends.
    """

    url: str
    name: str
    rival: str
    sessions: int
    idle: float
    wait: float
    token: str = ""
    ca: str = ""


class _Body(msgspec.Struct):
    token: str | None = None
    incr: str = ""
    username: str = ""
    password: str = ""


class SlumbotBridge:
    """Slumbot's API for the clients of one port."""

    def __init__(self, settings: BridgeSettings) -> None:
        self.settings = settings
        self.sessions: dict[str, Session] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._closing: set[asyncio.Task[None]] = set()

    async def answer(self, path: str, body: bytes) -> tuple[HTTPStatus, bytes]:
        """Answer a request: a hand, a token, or ``error_msg``."""
        found = _PATH.fullmatch(path)
        if found is None:
            return HTTPStatus.NOT_FOUND, msgspec.json.encode({"error_msg": "Not Found"})
        rival = self.settings.rival if found[1] in _ANYBODY else found[1]
        try:
            request = msgspec.json.decode(body or b"{}", type=_Body)
            reply = await self._carry_out(found[2], rival, request)
        except (SlumbotError, msgspec.DecodeError, UnicodeDecodeError) as error:
            reply = {"error_msg": str(error)}
        return HTTPStatus.OK, msgspec.json.encode(reply)

    async def _carry_out(self, what: str, rival: str, request: _Body) -> dict[str, Any]:
        if what == "new_hand" and not request.token:
            session = await self._open(rival)
            try:
                return await self._ask(session, session.new_hand())
            except BaseException:
                self._end(session)  # nobody knows its token
                raise
        if what == "login":
            session = await self._open(rival, request.username, request.password)
            return {"token": session.token}
        session = self._find(request.token or "")
        return await self._ask(
            session, session.new_hand() if what == "new_hand" else session.act(request.incr)
        )

    async def _ask(self, session: Session, request: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
        session.requests += 1
        self._cancel_timer(session)
        try:
            return await request
        finally:
            session.requests -= 1
            self._start_timer(session)

    def _find(self, token: str) -> Session:
        session = self.sessions.get(token)
        if session is None:
            raise SlumbotError("Unknown token: ask for a new hand without one")
        return session

    async def _open(self, rival: str, name: str = "", password: str = "") -> Session:
        """Open a session. The author's token is the bridge's own, or else the password."""
        settings = self.settings
        for session in list(self.sessions.values()):
            # A player has one connection: who begins again without a token takes over the hand in progress.
            if session.is_over or settings.token:
                self._end(session)
        if len(self.sessions) >= settings.sessions:
            raise SlumbotError("Too many sessions: try again later")
        token = settings.token or password
        # A guest's name must be free.
        name = f"{name or settings.name}-{uuid4().hex[:6]}"
        try:
            hello = msgspec.convert(
                {"type": "hello", "name": name, "token": token, "software": "pokerd-slumbot"}, messages.Hello
            )
        except msgspec.ValidationError as error:
            raise SlumbotError(str(error)) from None
        session = Session(SessionSettings(settings.url, settings.ca, settings.wait), hello, rival)
        self.sessions[session.token] = session
        try:
            await session.connect()
        except BaseException:
            self._end(session)
            raise
        self._start_timer(session)
        return session

    # Sessions that end.

    def _start_timer(self, session: Session) -> None:
        if session.token in self.sessions and not session.requests:
            loop = asyncio.get_running_loop()
            self._timers[session.token] = loop.call_later(self.settings.idle, self._end, session)

    def _cancel_timer(self, session: Session) -> None:
        timer = self._timers.pop(session.token, None)
        if timer is not None:
            timer.cancel()

    def _end(self, session: Session) -> None:
        self._cancel_timer(session)
        if self.sessions.pop(session.token, None) is not None:
            task = asyncio.ensure_future(session.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """End all sessions."""
        for session in list(self.sessions.values()):
            self._end(session)
        await asyncio.gather(*self._closing)


async def serve(settings: BridgeSettings, host: str, port: int, announce: Callable[[str], None]) -> int:
    """Serve the API until a signal comes; ``announce`` is called with its address. Returns 130.

    Raises ``OSError`` if the address cannot be listened at.
    """
    loop = asyncio.get_running_loop()
    bridge = SlumbotBridge(settings)
    server = HttpServer(bridge.answer)
    listener = await loop.create_server(server.make_connection, host, port)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stopped.set)
    shown = f"[{host}]" if ":" in host else host
    announce(f"Slumbot's API: http://{shown}:{listener.sockets[0].getsockname()[1]}/api")
    try:
        await stopped.wait()
    finally:
        listener.close()
        server.close()
        await bridge.close()
    return 130


def run_slumbot(
    settings: BridgeSettings, host: str, port: int, log_level: str, announce: Callable[[str], None]
) -> int:
    """Run ``serve`` in an event loop of its own."""
    log_to_stderr(log_level)
    return run_loop(serve(settings, host, port, announce))
