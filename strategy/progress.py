"""Long work in parts, between which somebody can be told how far it is, or end it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

__all__ = ["ProgressCallback", "chunks", "no_progress"]

ProgressCallback = Callable[[str, float], None]
"""Told what is being made, and which part of it is done, 0 to 1. It may end the work by an exception."""


def no_progress(what: str, done: float) -> None:
    """Say nothing."""


def chunks(count: int, size: int, what: str, report: ProgressCallback) -> Iterator[slice]:
    """All places below ``count``, ``size`` at a time; ``say`` is told before each part and in the end."""
    for start in range(0, count, size):
        report(what, start / count)
        yield slice(start, min(start + size, count))
    report(what, 1.0)
