"""V, the value of the player's cards from 0 to 1 (Aceituno 2017, 4.2.1).

Preflop the 169 classes have an order, best first, and class number ``n`` has the value ``(168 - n) / 168``;
only the first, aces, has 1, and the last two have 0. The document prints two classes twice where the offsuit
ones are missing: number 47 is JTo, number 159 is 32o.

From the flop on a hand's category gives a band: high card from 0.1 to 0.2, and so on up to the straight flush
from 0.9 to 1. The document says that the cards decide within the band, but not how. Here the different hands
of a category are spaced evenly over its band, the best at the upper end, so that a better hand always has the
higher value and the royal flush has 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, permutations

from dealer.rules.evaluation import CATEGORIES, rank_hand
from strategy.poker.preflop import hand_class

_ORDER = """
AA KK QQ AKs JJ AQs KQs AJs KJs TT AKo ATs QJs KTs QTs JTs 99
AQo A9s KQo 88 K9s T9s A8s Q9s J9s AJo A5s 77 A7s KJo A4s A3s A6s
QJo 66 K8s T8s A2s 98s J8s ATo Q8s K7s KTo 55 JTo 87s QTo 44 33
22 K6s 97s K5s 76s T7s K4s K3s K2s Q7s 86s 65s J7s 54s Q6s 75s 96s
Q5s 64s Q4s Q3s T9o T6s Q2s A9o 53s 85s J6s J9o K9o J5s Q9o 43s 74s
J4s J3s 95s J2s 63s A8o 52s T5s 84s T4s T3s 42s T2s 98o T8o A5o A7o
73s A4o 32s 94s 93s J8o A3o 62s 92s K8o A6o 87o Q8o 83s A2o 82s 97o
72s 76o K7o 65o T7o K6o 86o 54o K5o J7o 75o Q7o K4o K3o 96o K2o 64o
Q6o 53o 85o T6o Q5o 43o Q4o Q3o 74o Q2o J6o 63o J5o 95o 52o J4o J3o
42o J2o 84o T5o T4o 32o T3o 73o T2o 62o 94o 93o 92o 83o 82o 72o
"""

ORDER = tuple(_ORDER.split())
"""The classes of starting hands, best first: Aceituno 2017, figure 12."""

_PREFLOP = {
    name: 1.0 if number == 1 else max(0, 168 - number) / 168 for number, name in enumerate(ORDER, start=1)
}

_CATEGORY_SHIFT = 24
_SHIFTS = (16, 12, 8, 4, 0)
_WHEEL_TOP = 3


@cache
def preflop_value(hole: tuple[int, ...]) -> float:
    """Return V of two hole cards, in either order."""
    return _PREFLOP[hand_class(hole)]


def postflop_value(cards: Sequence[int]) -> float:
    """Return V of the best five of 5 to 7 cards."""
    return _bands()[rank_hand(cards)]


def value(hole: tuple[int, ...], board: tuple[int, ...]) -> float:
    """Return V of two hole cards with the board so far."""
    return postflop_value((*hole, *board)) if board else preflop_value(hole)


@cache
def _bands() -> dict[int, float]:
    """Return V of each of the 7,462 ranks of five cards."""
    found = {}
    for category, name in enumerate(CATEGORIES):
        ranks = sorted(_ranks(name))
        for place, rank in enumerate(ranks, start=1):
            found[category << _CATEGORY_SHIFT | rank] = (category + 1 + place / len(ranks)) / 10
    return found


def _ranks(category: str) -> set[int]:
    """Return the low bits of ``dealer.rules.evaluation.rank_hand`` for all hands of a category."""
    everything = range(13)
    tops = range(_WHEEL_TOP, 13)
    match category:
        case "straight" | "straight flush":
            return {_packed((top,)) for top in tops}
        case "four of a kind" | "full house":
            return {_packed(pair) for pair in permutations(everything, 2)}
        case "three of a kind":
            return {
                _packed((set_, *kickers))
                for set_ in everything
                for kickers in _falling(2)
                if set_ not in kickers
            }
        case "two pair":
            return {
                _packed((*pairs, kicker))
                for pairs in _falling(2)
                for kicker in everything
                if kicker not in pairs
            }
        case "pair":
            return {
                _packed((pair, *kickers))
                for pair in everything
                for kickers in _falling(3)
                if pair not in kickers
            }
        case _:
            straights = {tuple(range(top, top - 5, -1)) for top in range(4, 13)} | {(12, 3, 2, 1, 0)}
            return {_packed(ranks) for ranks in _falling(5) if ranks not in straights}


def _falling(count: int) -> list[tuple[int, ...]]:
    return list(combinations(range(12, -1, -1), count))


def _packed(ranks: Sequence[int]) -> int:
    return sum(rank << shift for rank, shift in zip(ranks, _SHIFTS, strict=False))
