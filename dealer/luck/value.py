"""A guess of what two players will win in the rest of a hand, if all cards are known: a weighted sum of
terms.

The base is what they would win if nobody bet any more. The terms say how betting goes on from there:
they are products of amounts (the pot, the stacks behind) with the equity and the strengths of both
hands. A correction with them is right on average whatever the weights are; good weights take out more
luck.

Source: White and Bowling 2009, "Learning a value analysis tool for agent evaluation" (IJCAI), section 3.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from math import isfinite, sqrt
from pathlib import Path
from typing import Final, NamedTuple

from dealer.errors import ScoreError

_STREETS: Final = 4
_EQUITY: Final = 3
_SHAPES: Final = 11
_LEADS: Final = 8
#: The number of terms of a closed street, and of an open turn.
CLOSED_SIZE: Final = 18
OPEN_SIZE: Final = 21

#: Where the terms of each kind of node begin: after the flop, turn and river; closed streets; open turns.
FLOP: Final = 0
TURN: Final = FLOP + _EQUITY
_CARD: Final = 3 * _SHAPES + _LEADS
RIVER: Final = TURN + _CARD
CLOSED: Final = RIVER + _CARD
OPEN: Final = CLOSED + 3 * CLOSED_SIZE
TERMS: Final = OPEN + 2 * _STREETS * OPEN_SIZE
"""The number of terms, and of weights."""


_PATH: Final = Path(__file__).with_name("value.json")
_FORMAT: Final = "pokerd value function 1"


class ValueFunction(NamedTuple):
    """A value function: its ``weights`` (``TERMS`` numbers), and the SHA-256 of its text, which names it."""

    weights: tuple[float, ...]
    digest: str


def value_text(weights: Sequence[float], learned_from: str) -> str:
    """Return the text of a value function: JSON, with weights of six digits."""
    rounded = [float(f"{weight:.6g}") for weight in weights]
    return json.dumps({"format": _FORMAT, "learned_from": learned_from, "weights": rounded}, indent=0) + "\n"


def parse_value(text: str) -> ValueFunction:
    """Return the value function of a ``value_text``. Raises ``ScoreError`` (``bad_value_function``)."""
    try:
        told = json.loads(text)
        weights = [float(weight) for weight in told["weights"]]
        right = told["format"] == _FORMAT and len(weights) == TERMS and all(map(isfinite, weights))
    except (KeyError, RecursionError, TypeError, ValueError):
        right, weights = False, []
    if not right:
        raise ScoreError("bad_value_function", f"not a {_FORMAT!r} with {TERMS} weights")
    return ValueFunction(tuple(weights), sha256(text.encode()).hexdigest())


@cache
def shipped_value() -> ValueFunction:
    """Return the value function that comes with pokerd."""
    return parse_value(_PATH.read_text("ascii"))


class Money(NamedTuple):
    """Chips at a node: ``pot`` that both can win, ``behind`` what both can still bet."""

    pot: float
    behind: float


def flop_terms(money: Money, equity: float) -> list[float]:
    """Return the terms after three cards, linear in the equity, so that their mean is that of the
    equity."""
    pot, behind = money
    lead = equity - 0.5
    return [sqrt(pot * behind) * lead, min(pot, behind) * lead, pot * lead * behind / (pot + behind)]


def card_terms(
    money: Money, equity: float, one: float, other: float, place: float, lead: float
) -> list[float]:
    """Return the terms after a single card. ``one``, ``other``: strengths of the two hands. ``place``:
    1 if the first acts last, otherwise -1; ``lead``: 1 if it raised last, -1 if the other did, or 0.
    """
    pot, behind = money
    root, least = sqrt(pot * behind), min(pot, behind)
    d = equity - 0.5
    a2, b2 = one * one, other * other
    a4, b4 = a2 * a2, b2 * b2
    high = max(a4, b4)
    low = min(a4, b4)
    shapes = (
        d, one - other, a2 - b2, a4 - b4, a4 * a4 - b4 * b4,
        d * (one + other), d * one * other, d * high, d * low, d * low * low, d * d * d,
    )  # fmt: skip
    terms = [pot * shape for shape in shapes]
    terms[0] = pot * behind / (pot + behind) * d
    terms += [root * shape for shape in shapes]
    terms += [least * shape for shape in shapes]
    gap = (one - other) * (one - other)
    for sign in (place, lead):
        terms += [
            root * sign * (one + other),
            root * sign * one * other,
            root * sign * gap,
            root * sign * d * d,
        ]
    return terms


def closed_terms(money: Money, equity: float, one: float, other: float) -> list[float]:
    """Return the terms of a street that has just been closed, before the next card."""
    pot, behind = money
    scales = (pot * behind / (pot + behind), sqrt(pot * behind), min(pot, behind))
    d = equity - 0.5
    a2, b2 = one * one, other * other
    shapes = (d, one - other, a2 - b2, a2 * a2 - b2 * b2, d * (one + other), d * one * other)
    return [scale * shape for scale in scales for shape in shapes]


def open_terms(
    money: Money, taken: float, equity: float, one: float, other: float, place: float
) -> list[float]:
    """Return the terms of a turn of the second player, after an action of the first. ``taken``: the
    chips that the first wins if the second folds; ``money``: as after a call.
    """
    pot, behind = money
    root = sqrt(pot * behind)
    d = equity - 0.5
    a2, b2 = one * one, other * other
    b4 = b2 * b2
    return [
        taken, taken * other, taken * b2, taken * b4, taken * b4 * b4, taken * one,
        pot * d, pot * d * other, pot * d * b2, pot * d * b4, pot * (one - other), pot * (a2 - b2), pot
        * b4, root * d, root * d * other, root * d * b4, root * (one - other), root * (a2 - b2), root *
        b4, root * a2 * place, root * b2 * place,
    ]  # fmt: skip
