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
from operator import sub
from pathlib import Path
from typing import Final, NamedTuple

from dealer.errors import ScoreError

_STREETS: Final = 4
_FLOP_SHAPES: Final = 5
SIDES: Final = 11
_LEADS: Final = 8
#: The number of terms of a closed street, and of an open turn.
CLOSED_SIZE: Final = 18
OPEN_SIZE: Final = 21

#: Where the terms of each kind of node begin: after the flop, turn and river; closed streets; open turns.
FLOP: Final = 0
TURN: Final = FLOP + 3 * _FLOP_SHAPES
_CARD: Final = 3 * SIDES + _LEADS
RIVER: Final = TURN + _CARD
CLOSED: Final = RIVER + _CARD
OPEN: Final = CLOSED + 3 * CLOSED_SIZE
TERMS: Final = OPEN + 2 * _STREETS * OPEN_SIZE
"""The number of terms, and of weights."""


_PATH: Final = Path(__file__).with_name("value.json")
_FORMAT: Final = "pokerd value function 1"


class ValueFunction(NamedTuple):
    """A value function: its weights (``TERMS`` numbers) in ``limit`` games and the others, and the SHA-256 of
    its text, which names it.
    """

    limit: tuple[float, ...]
    nolimit: tuple[float, ...]
    digest: str

    def weights(self, *, limit: bool) -> tuple[float, ...]:
        """Return the weights of a kind of games."""
        return self.limit if limit else self.nolimit


def value_text(limit: Sequence[float], nolimit: Sequence[float], learned_from: str) -> str:
    """Return the text of a value function: JSON, with weights of six digits."""
    rounded = {
        kind: [float(f"{weight:.6g}") for weight in weights]
        for kind, weights in (("limit", limit), ("nolimit", nolimit))
    }
    return json.dumps({"format": _FORMAT, "learned_from": learned_from, **rounded}, indent=0) + "\n"


def parse_value(text: str) -> ValueFunction:
    """Return the value function of a ``value_text``. Raises ``ScoreError`` (``bad_value_function``)."""
    try:
        told = json.loads(text)
        weights = [tuple(map(float, told[kind])) for kind in ("limit", "nolimit")]
        right = told["format"] == _FORMAT and all(
            len(numbers) == TERMS and all(map(isfinite, numbers)) for numbers in weights
        )
    except (KeyError, RecursionError, TypeError, ValueError):
        right, weights = False, []
    if not right:
        raise ScoreError("bad_value_function", f"not a {_FORMAT!r} with {TERMS} weights each")
    return ValueFunction(weights[0], weights[1], sha256(text.encode()).hexdigest())


@cache
def shipped_value() -> ValueFunction:
    """Return the value function that comes with pokerd."""
    return parse_value(_PATH.read_text("ascii"))


class Money(NamedTuple):
    """Chips at a node: ``pot`` that both can win, ``behind`` what both can still bet, more or less."""

    pot: float
    behind: float


class Shapes(NamedTuple):
    """What terms depend on beside the chips: ``sides`` change their sign if the two hands are exchanged,
    ``both`` do not.
    """

    sides: tuple[float, ...]
    both: tuple[float, ...] = ()

    def minus(self, other: Shapes) -> Shapes:
        """Return the difference."""
        return Shapes(tuple(map(sub, self.sides, other.sides)), tuple(map(sub, self.both, other.both)))


def card_terms(money: Money, shapes: Shapes, place: float, lead: float) -> list[float]:
    """Return the terms after cards. ``place``: 1 if the first acts last, otherwise -1; ``lead``: 1 if it
    raised last, -1 if the other did, or 0.
    """
    pot, behind = money
    root, least = sqrt(pot * behind), min(pot, behind)
    sides = shapes.sides
    # The base has the pot times the equity already.
    terms = [pot * behind / (pot + behind) * sides[0], *[pot * shape for shape in sides[1:]]]
    terms += [root * shape for shape in sides]
    terms += [least * shape for shape in sides]
    terms += [root * place * shape for shape in shapes.both]
    terms += [root * lead * shape for shape in shapes.both]
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
