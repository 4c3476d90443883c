"""Structured logs: one event per line, as a JSON object, or as text for people. Hand records have no times;
logs do. Events of a table have its name, the match and the hand.

An event costs some 15 microseconds, so there is one per hand and none per decision.

Messages of libraries are included, from warnings on. Events that strangers can cause are ``limited`` to a few
per minute and address.
"""

from __future__ import annotations

import logging
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final, Literal, NamedTuple, cast

import msgspec

from server.telemetry.logger import get_logger, structlog

if TYPE_CHECKING:
    from structlog.typing import EventDict, Processor

log = get_logger("pokerd.logs")

LogStyle = Literal["json", "console"]

#: Lines of limited events per minute: of one address, and of all together.
MAX_LINES_PER_ADDRESS: Final = 3
MAX_LINES: Final = 60
#: Address of the connection whose bytes are being handled, or "". A listener sets it when it accepts a
#: connection; all callbacks and tasks that follow inherit it.
CLIENT_ADDRESS: Final[ContextVar[str]] = ContextVar("address", default="")

_encode = msgspec.json.Encoder(enc_hook=str).encode


def _json(logger: object, name: str, event: EventDict) -> bytes:
    return _encode(event)


def _console(colors: bool) -> Processor:
    write = structlog.dev.ConsoleRenderer(colors=colors)

    def render(logger: Any, name: str, event: EventDict) -> bytes:
        return str(write(logger, name, event)).encode()

    return render


class LogConfig(NamedTuple):
    """What is logged: from which level on, where (None: standard error, or the default file), and in which
    format.
    """

    level: str = "info"
    file: Path | None = None
    style: LogStyle = "json"

    @contextmanager
    def activate(self, default: Path | None = None, most: int = 0) -> Iterator[None]:
        """Log with these settings until the end of the context. ``default``: the file, if none is set, which
        begins anew after ``most`` bytes unless that is 0. Raises ``OSError``.
        """
        path = self.file or default
        stream = configure(path, level=self.level, style=self.style, most=0 if self.file else most)
        try:
            yield
        finally:
            if path is not None:
                stream.close()


DEFAULT_LOG_CONFIG: Final = LogConfig()


class _RateLimitProcessor:
    """A processor that drops limited events above their limit, and counts them in the next one."""

    def __init__(self) -> None:
        self._since = -60.0
        self._counts: Counter[str] = Counter()
        self._dropped = 0

    def __call__(self, logger: object, name: str, event: EventDict) -> EventDict:
        if not event.pop("limited", False):
            return event
        now = time.monotonic()
        if now - self._since >= 60.0:
            self._since = now
            self._counts.clear()
        address = CLIENT_ADDRESS.get()
        # Events without an address have their own limit, which strangers cannot use up.
        others = self._counts.total() - self._counts[""] if address else self._counts[""]
        if others >= MAX_LINES or (address and self._counts[address] >= MAX_LINES_PER_ADDRESS):
            self._dropped += 1
            raise structlog.DropEvent
        self._counts[address] += 1
        event.update(address=address, left_out=self._dropped)
        self._dropped = 0
        return event


class _LibraryHandler(logging.Handler):
    """Passes on messages of libraries. An error without an exception, while reading from a connection, is the
    peer's fault.
    """

    def emit(self, record: logging.LogRecord) -> None:
        name, text = record.name, record.getMessage()
        if record.exc_info:
            log.error("library", logger=name, text=text, exc_info=record.exc_info, limited=True)
        elif CLIENT_ADDRESS.get():
            log.info("library", logger=name, text=text, limited=True)
        else:
            log.warning("library", logger=name, text=text, limited=True)


_LIBRARY_HANDLER: Final = _LibraryHandler()


class SafeStream:
    """A stream that ignores write errors: a full disk costs log lines, and nothing else. If it is the file
    ``path``, that begins anew after ``most`` bytes, unless that is 0; the ones before are in ``NAME.1``.
    """

    def __init__(self, stream: IO[bytes], path: Path | None = None, most: int = 0) -> None:
        self._stream = stream
        self._path = path
        self._most = most

    def write(self, data: bytes) -> int:
        """Write and flush; ignore errors."""
        with suppress(OSError, ValueError):  # a full disk, or a closed stream
            if self._path is not None and 0 < self._most < self._stream.tell():
                self._path.replace(f"{self._path}.1")
                before, self._stream = self._stream, self._path.open("ab", buffering=0)
                before.close()
            self._stream.write(data)
            self._stream.flush()
        return len(data)

    def flush(self) -> None:
        """Do nothing: writes are flushed."""

    def isatty(self) -> bool:
        """Return whether people read it at once."""
        return self._stream.isatty()

    def close(self) -> None:
        """Close the stream."""
        with suppress(OSError):
            self._stream.close()


def configure(
    path: Path | None, *, level: str = "info", style: LogStyle = "json", most: int = 0
) -> SafeStream:
    """Send logs from ``level`` on to ``path`` (appended, ``most`` as in ``SafeStream``) or to standard error;
    those of libraries from warnings on. Returns the stream, which the caller closes if it is a file. Raises
    ``OSError`` if the file cannot be opened.
    """
    if path is None:
        stream = SafeStream(sys.stderr.buffer)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = SafeStream(path.open("ab", buffering=0), path, most)
    renderers = (
        [structlog.processors.format_exc_info, _json] if style == "json" else [_console(stream.isatty())]
    )
    structlog.configure(
        processors=[
            _RateLimitProcessor(),
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *renderers,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.BytesLoggerFactory(cast("BinaryIO", stream)),
        cache_logger_on_first_use=False,
    )
    libraries = logging.getLogger()
    libraries.setLevel(logging.WARNING)
    libraries.addHandler(_LIBRARY_HANDLER)
    return stream
