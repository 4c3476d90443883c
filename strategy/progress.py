"""Long work in parts, between which somebody can be told how far it is, or end it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

__all__ = ["Say", "parts", "silent"]

Say = Callable[[str, float], None]
"""Told what is being made, and which part of it is done, 0 to 1. It may end the work by an exception."""


def silent(what: str, done: float) -> None:
    """Say nothing."""


def parts(count: int, size: int, what: str, say: Say) -> Iterator[slice]:
    """All places below ``count``, ``size`` at a time; ``say`` is told before each part and in the end."""
    for start in range(0, count, size):
        say(what, start / count)
        yield slice(start, min(start + size, count))
    say(what, 1.0)
