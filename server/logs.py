"""Structured logs: one event a line, as a JSON object, or as text for a person who reads along. Hand records
hold no times; logs do. What belongs to a table says which, which match is played there, and which hand.

An event costs some 15 microseconds, so there is one for each hand and none for each decision.
"""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, Final, Literal, cast

import msgspec
import structlog
from structlog.typing import EventDict, Processor

__all__ = ["FORMATS", "LEVELS", "Enduring", "Format", "configure"]

Format = Literal["json", "console"]
FORMATS: Final = ("json", "console")
LEVELS: Final = ("debug", "info", "warning", "error")

_encode = msgspec.json.Encoder(enc_hook=str).encode


def _json(logger: object, name: str, event: EventDict) -> bytes:
    return _encode(event)


def _console(colors: bool) -> Processor:
    write = structlog.dev.ConsoleRenderer(colors=colors)

    def render(logger: Any, name: str, event: EventDict) -> bytes:
        return str(write(logger, name, event)).encode()

    return render


class Enduring:
    """Writes to a stream what can be written: a full disk costs lines of the log, not what they tell of."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def write(self, data: bytes) -> int:
        """Write and flush; whatever comes of it, it counts as done."""
        with suppress(OSError):
            self._stream.write(data)
            self._stream.flush()
        return len(data)

    def flush(self) -> None:
        """Nothing waits."""

    def isatty(self) -> bool:
        """Whether people read it at once."""
        return self._stream.isatty()

    def close(self) -> None:
        """No more."""
        with suppress(OSError):
            self._stream.close()


def configure(path: Path | None, *, level: str = "info", style: Format = "json") -> Enduring:
    """Send logs from ``level`` on to ``path`` (appended), or to standard error. Returns the stream, to be
    closed by the caller if it is a file. Raises ``OSError`` if that cannot be opened.
    """
    if path is None:
        stream = Enduring(sys.stderr.buffer)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = Enduring(path.open("ab", buffering=0))
    told = [structlog.processors.format_exc_info, _json] if style == "json" else [_console(stream.isatty())]
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *told,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.BytesLoggerFactory(cast("BinaryIO", stream)),
        cache_logger_on_first_use=False,
    )
    return stream
