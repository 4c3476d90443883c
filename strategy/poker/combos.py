"""The 1,326 hands of two cards, tables of weights over them, and ranges in players' notation.

A hand is represented by its index here. A weight table is ``float64[1326]``: the probability of each hand, up
to a common factor. Hands with cards known to be elsewhere are not live; readers of a table ignore them,
whatever their weight.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dealer.rules.cards import CARD_TEXTS, RANKS, parse_cards
from dealer.rules.errors import CardError
from strategy.errors import StrategyError
from strategy.poker.preflop import HAND_CLASSES, class_combinations, hand_class

HANDS = 1326

Weights = NDArray[np.float64]
"""A weight for every hand, ``float64[1326]``, none negative."""


class MathError(StrategyError):
    """A question without an answer; ``code`` says why."""


CARDS: NDArray[np.int8] = np.array([(low, high) for high in range(52) for low in range(high)], np.int8)
"""The two cards of each hand, lower number first: int8[1326, 2]."""


def combo_index(first: int, second: int) -> int:
    """Return the index of the hand of two different cards, in any order."""
    low, high = (first, second) if first < second else (second, first)
    return high * (high - 1) // 2 + low


def card_mask(cards: Iterable[int]) -> int:
    """Return one bit per card, ``13 suit + rank``: a suit's cards are adjacent, as the kernels require."""
    mask = 0
    for card in cards:
        mask |= 1 << 13 * (card & 3) + (card >> 2)
    return mask


MASKS: NDArray[np.int64] = np.array([card_mask(map(int, cards)) for cards in CARDS], np.int64)
"""``card_mask`` of each hand: two hands share a card if their masks do."""

_CLASS_INDEX = {name: index for index, name in enumerate(HAND_CLASSES)}

CLASSES: NDArray[np.int16] = np.array([_CLASS_INDEX[hand_class(cards)] for cards in CARDS.tolist()], np.int16)
"""The index of each hand's class in ``HAND_CLASSES``."""


def live(dead: Iterable[int] = ()) -> NDArray[np.bool_]:
    """Return which hands use none of these cards: bool[1326]."""
    free: NDArray[np.bool_] = (MASKS & card_mask(dead)) == 0
    return free


def uniform(dead: Iterable[int] = ()) -> Weights:
    """Return weight 1 for every live hand, 0 for the others."""
    return live(dead).astype(np.float64)


def as_weights(weights: ArrayLike | None) -> Weights:
    """Return a weight table as an array; None is weight 1 for all. Raises MathError ``bad_weights``."""
    if weights is None:
        return np.ones(HANDS)
    table = np.ascontiguousarray(weights, np.float64)
    if table.shape != (HANDS,):
        raise MathError("bad_weights", f"a weight table has {HANDS} numbers, not shape {table.shape}")
    if not np.all((table >= 0) & (table < np.inf)):
        raise MathError("bad_weights", "weights must be finite and not negative")
    return table


def per_class(values: ArrayLike) -> Weights:
    """Return the values of the 169 classes, one for each of their hands."""
    return np.asarray(values, np.float64)[CLASSES]


# Ranges as text.

_TERM = re.compile(
    rf"(?P<high>[{RANKS}])(?P<low>[{RANKS}])(?P<suits>[so]?)"
    rf"(?:(?P<plus>\+)|-(?P<high2>[{RANKS}])(?P<low2>[{RANKS}])(?P<suits2>[so]?))?"
)


def parse_range(text: str) -> Weights:
    """Return the weights of a range such as ``QQ+, A5s-A2s, 87s-65s, AK, AhQh:0.5``.

    Terms are separated by commas: a class (``AKs``, ``AKo``, both as ``AK``), a class and all better ones
    with the same high card (``A9s+``) or all higher pairs (``QQ+``), all classes between two with the same
    high card or the same gap, a hand of two cards, or ``*`` for all. ``:`` and a number give a term a weight
    other than 1; where terms overlap, the last counts. Raises MathError ``bad_range``.
    """
    table = np.zeros(HANDS)
    for part in filter(None, map(str.strip, text.split(","))):
        term, colon, number = part.partition(":")
        try:
            weight = float(number) if colon else 1.0
            chosen = list(_term_hands(term.strip()))
        except (ValueError, CardError):
            raise MathError("bad_range", f"not part of a range: {part[:40]!r}") from None
        if not 0 <= weight < np.inf:
            raise MathError("bad_range", f"not a weight: {part[:40]!r}")
        table[chosen] = weight
    return table


def _term_hands(term: str) -> Iterator[int]:
    if term == "*":
        yield from range(HANDS)
        return
    match = _TERM.fullmatch(term)
    if match is None:
        first, second = parse_cards(term) if len(term) == 4 else ()
        yield combo_index(first, second)
        return
    ends = [sorted((RANKS.index(match["high"]), RANKS.index(match["low"])))]
    (low, high), suits = ends[0], match["suits"]
    if low == high and suits:
        raise ValueError(term)
    if match["plus"]:
        ends.append([12, 12] if low == high else [high - 1, high])
    elif match["high2"]:
        if match["suits2"] != suits:
            raise ValueError(term)
        ends.append(sorted((RANKS.index(match["high2"]), RANKS.index(match["low2"]))))
    (low, high), (low2, high2) = min(ends), max(ends)
    step = 0 if high == high2 else 1
    if step and high2 - high != low2 - low:
        raise ValueError(term)
    for offset in range(low2 - low + 1):
        yield from _class_hands(high + step * offset, low + offset, suits)


def _class_hands(high: int, low: int, suits: str) -> Iterator[int]:
    for first in range(4):
        for second in range(first) if high == low else range(4):
            if not suits or (first == second) == (suits == "s"):
                yield combo_index(4 * high + first, 4 * low + second)


def format_range(weights: ArrayLike) -> str:
    """Return the text of a weight table, for ``parse_range``. Raises MathError ``bad_weights``."""
    table = as_weights(weights)
    parts: list[str] = []
    for weight in sorted(set(table.tolist()) - {0.0}, reverse=True):
        suffix = "" if weight == 1 else f":{weight!r}"
        parts += [f"{term}{suffix}" for term in _terms(table == weight)]
    return ", ".join(parts)


def _terms(chosen: NDArray[np.bool_]) -> Iterator[str]:
    if chosen.all():
        yield "*"
        return
    counts = np.bincount(CLASSES[chosen], minlength=len(HAND_CLASSES))
    full = {
        name for name, count in zip(HAND_CLASSES, counts, strict=True) if count == class_combinations(name)
    }
    yield from _spans([(f"{rank}{rank}", f"{rank}{rank}" in full) for rank in RANKS])
    for suits in "so":
        for high in range(12, 0, -1):
            names = [f"{RANKS[high]}{RANKS[low]}{suits}" for low in range(high)]
            yield from _spans([(name, name in full) for name in names])
    for hand in np.flatnonzero(chosen):
        if HAND_CLASSES[CLASSES[hand]] not in full:
            low, high = CARDS[hand]
            yield CARD_TEXTS[high] + CARD_TEXTS[low]


def _spans(row: list[tuple[str, bool]]) -> Iterator[str]:
    """Yield the runs of a row of classes, weakest first, as terms; the best first."""
    last = len(row) - 1
    end = -1
    for place in range(last, -1, -1):
        name, chosen = row[place]
        if chosen and end < 0:
            end = place
        if chosen and (place == 0 or not row[place - 1][1]):
            yield name if place == end else f"{name}+" if end == last else f"{row[end][0]}-{name}"
            end = -1
