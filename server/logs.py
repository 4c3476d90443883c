"""Structured logs: one JSON object a line, per match and per hand, with the time of day. Hand records hold no
times; logs do.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import IO, Any

import msgspec
import structlog

__all__ = ["configure"]

_encode = msgspec.json.Encoder(enc_hook=str).encode


def _render(logger: object, name: str, event: structlog.typing.EventDict) -> bytes:
    return _encode(event)


def configure(path: Path | None, *, level: str = "info") -> IO[bytes]:
    """Send logs to ``path`` (appended), or to standard error. Returns the stream, to be closed by the caller
    if it is a file.
    """
    stream: Any
    if path is None:
        stream = sys.stderr.buffer
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = path.open("ab")
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.BytesLoggerFactory(stream),
        cache_logger_on_first_use=False,
    )
    return stream  # type: ignore[no-any-return]
