"""What the processes of one competition tell each other: JSON lines over a socket pair."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeVar

import msgspec

from server.bots.sandbox import Strictness
from server.storage.competition_state import SessionOutcome
from server.telemetry.logging_setup import LogStyle

#: The longest line: the outcomes of a long series.
_MAX_LINE: Final = 2**26


class RemoteBots(msgspec.Struct, frozen=True):
    """How a process listens for remote bots, at any free port, as in ``ServerOptions``: ``tls`` are the files
    of a certificate and its key, or nothing.
    """

    host: str
    tls: list[str]
    connections: int
    per_address: int
    proxies: list[str]
    names: list[str]
    origins: list[str]


class ProcessSetup(msgspec.Struct, frozen=True, kw_only=True):
    """The first line to a process: what no bot may read, and the log (``log_file`` "": standard error)."""

    secret: list[str]
    sandbox: Strictness | None
    log_level: str
    log_file: str
    log_style: LogStyle


class Setup(ProcessSetup, frozen=True, kw_only=True):
    """The setup of a process of the competition in the directory ``out``. Without ``remote`` it only listens
    for bots that it starts.
    """

    out: str
    remote: RemoteBots | None = None


class Play(msgspec.Struct, frozen=True, tag="play"):
    """Play the series that begins with this session; of its remote bots only those ``present`` are waited
    for.
    """

    session: str
    present: list[str]


class WindDown(msgspec.Struct, frozen=True, tag="wind_down"):
    """Deal no more hands."""


class Close(msgspec.Struct, frozen=True, tag="close"):
    """Stop all bots and end; unless ``at_once``, let each end by itself first."""

    at_once: bool


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """The process can play. ``url``: where remote bots reach it, or empty."""

    url: str


class Seated(msgspec.Struct, frozen=True, tag="seated"):
    """The table of a series waits for remote bots: ``tokens`` by bot admit them."""

    session: str
    tokens: dict[str, str]


class Hands(msgspec.Struct, frozen=True, tag="hands"):
    """The number of hands so far of every session in progress. A process without any sends it, too, so that
    its parent knows that it runs.
    """

    hands: dict[str, int]


class Played(msgspec.Struct, frozen=True, tag="played"):
    """A series is over and its hands are stored: the outcomes by attempt. ``connections``: the incidents of
    this process that belong to no session, by bot.
    """

    session: str
    outcomes: dict[int, SessionOutcome]
    connections: dict[str, dict[str, int]]


class WoundDown(msgspec.Struct, frozen=True, tag="wound_down"):
    """No hand is in progress any more."""


class Closed(msgspec.Struct, frozen=True, tag="closed"):
    """The last line of a process; ``connections`` as in ``Played``."""

    connections: dict[str, dict[str, int]]


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """The process cannot go on, and nor can the competition: the code of the error, ``internal`` for a fault
    of pokerd, and its text.
    """

    code: str
    text: str


Order = Play | WindDown | Close
Report = Ready | Seated | Hands | Played | WoundDown | Closed | Failed

_T = TypeVar("_T")
_encode = msgspec.json.Encoder().encode
decode_order: Final[Callable[[bytes], Order]] = msgspec.json.Decoder(Order).decode
decode_report: Final[Callable[[bytes], Report]] = msgspec.json.Decoder(Report).decode
decode_setup: Final = msgspec.json.Decoder(Setup).decode


class Link:
    """One end of the connection between two processes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    def send(self, message: msgspec.Struct) -> None:
        """Send a message. It is lost if the other process has ended."""
        if not self._writer.is_closing():
            self._writer.write(_encode(message) + b"\n")

    async def receive(self, decode: Callable[[bytes], _T]) -> _T | None:
        """Return the next message, or None if the other process has ended."""
        try:
            return decode(await self._reader.readuntil())
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    async def close(self) -> None:
        """Send what waits, and close this end."""
        self._writer.close()
        with suppress(ConnectionError):
            await self._writer.wait_closed()


async def open_link(end: socket.socket) -> Link:
    """Return the link over one end of a socket pair."""
    return Link(*await asyncio.open_unix_connection(sock=end, limit=_MAX_LINE))
