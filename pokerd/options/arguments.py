"""Kinds of options that several commands take."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def positive(text: str) -> int:
    """A whole number from 1 on. Raises ArgumentTypeError."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, not {text[:40]!r}") from None
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def whole(least: int, most: int) -> Callable[[str], int]:
    """What reads a whole number from ``least`` to ``most``. It raises what argparse understands."""

    def number(text: str) -> int:
        found = int(text)
        if not least <= found <= most:
            raise argparse.ArgumentTypeError(f"must be from {least} to {most}")
        return found

    return number
