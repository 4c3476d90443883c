"""Options as data, and kinds of values that several commands take."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Collection
from inspect import signature
from itertools import starmap
from typing import Any, NamedTuple, TypeVar

_T = TypeVar("_T")


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


def above_zero(text: str) -> float:
    """A finite number above 0. Raises ArgumentTypeError."""
    number = float(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError("must be more than 0, and finite")
    return number


class Option(NamedTuple):
    """An option: what it is called and means, and for one with a value, what reads that or the values to
    choose from, the default, and the value's name in the help. Without ``kind`` it is a switch.
    """

    name: str
    meaning: str
    kind: Callable[[str], object] | Collection[object] | None = None
    default: object = None
    metavar: str | None = None


def declare(parser: argparse.ArgumentParser, *options: tuple[Any, ...]) -> None:
    """Add options, each given by the fields of ``Option``. A default other than None ends its help."""
    for one in starmap(Option, options):
        if one.kind is None:
            parser.add_argument(one.name, action="store_true", help=one.meaning)
            continue
        reads: dict[str, Any] = {"type": one.kind} if callable(one.kind) else {"choices": one.kind}
        says = one.meaning if one.default is None else f"{one.meaning} (%(default)s)".lstrip()
        parser.add_argument(one.name, default=one.default, metavar=one.metavar, help=says, **reads)


def options_as(kind: Callable[..., _T], options: argparse.Namespace) -> _T:
    """Return the options that have the names of the fields of ``kind``. One that was not given keeps the
    default it has there.
    """
    given = {name: getattr(options, name, None) for name in signature(kind).parameters}
    return kind(**{name: value for name, value in given.items() if value is not None})
