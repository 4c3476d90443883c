"""Units of work that square a number, and what all of them give."""

from __future__ import annotations

from typing import Any

from studies.harness.work import Unit

MARK = {"study": "test", "seed": 1}


def square(number: int) -> dict[str, Any]:
    return {"square": number * number, "pair": (number, number)}


def units(count: int) -> list[Unit]:
    return [Unit(f"unit/{number}", square, (number,), number + 1.0) for number in range(count)]


WANTED = {f"unit/{number}": {"square": number * number, "pair": [number, number]} for number in range(6)}
