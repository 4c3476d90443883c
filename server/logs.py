"""Structured logs: one event a line, as a JSON object, or as text for a person who reads along. Hand records
hold no times; logs do. What belongs to a table says which, which match is played there, and which hand.

An event costs some 15 microseconds, so there is one for each hand and none for each decision.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import IO, Any, Final, Literal

import msgspec
import structlog
from structlog.typing import EventDict, Processor

__all__ = ["FORMATS", "LEVELS", "Format", "configure"]

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


def configure(path: Path | None, *, level: str = "info", style: Format = "json") -> IO[bytes]:
    """Send logs from ``level`` on to ``path`` (appended), or to standard error. Returns the stream, to be
    closed by the caller if it is a file. Raises ``OSError``.
    """
    stream: Any
    if path is None:
        stream = sys.stderr.buffer
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = path.open("ab")
    told = [structlog.processors.format_exc_info, _json] if style == "json" else [_console(stream.isatty())]
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *told,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.BytesLoggerFactory(stream),
        cache_logger_on_first_use=False,
    )
    return stream  # type: ignore[no-any-return]
