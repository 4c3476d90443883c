"""Hold'em hands in buckets: nested percentiles of E[HS^2], with perfect recall.

Before the flop the 169 classes are divided by their E[HS^2] into ``k`` groups of the same weight. On every
later street each group of hands with the same buckets so far is divided again into ``k`` parts of the same
size. A card state is the sequence of buckets as a number in base ``k``, so a hand remembers all its buckets.
``k`` is 5 or 8. ``python -m strategy.abstraction.abstraction`` makes a new table.

Source: Zinkevich, Johanson, Bowling and Piccione 2007, Regret minimization in games with incomplete
information, section 4; Johanson 2007, 2.5.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.jit import jit
from strategy.poker.combos import CLASSES, HANDS, combo_index, live
from strategy.poker.kernels import CARD_KEYS, CARD_MASKS, TABLE, Ints, Ranks, State, below, rng
from strategy.poker.preflop import HAND_CLASSES, class_combinations
from strategy.poker.strength import check_board, check_cards
from strategy.poker.strengths import (
    Strengths,
    all_sums,
    make_strengths,
    place_of,
    rank_hands,
    river_points,
    sum_of,
)
from strategy.poker.suits import RENAMED

SHIPPED = (5, 8)
"""The values of ``k`` whose tables come with pokerd."""

_BOARDS = (0, 3, 4, 5)
_DATA = Path(__file__).parents[1] / "data"

States = NDArray[np.int32]


class Abstraction(NamedTuple):
    """Thresholds that put hands into buckets.

    ``preflop``: int32[169], the bucket of each class. ``thresholds``: int64[k ** street, k - 1] for flop,
    turn and river; a hand's bucket is the number of thresholds that its sum (``strategy.poker.strengths``)
    reaches.
    """

    k: int
    preflop: States
    thresholds: tuple[Ints, Ints, Ints]

    @property
    def buckets(self) -> tuple[int, int, int, int]:
        """Return the number of card states on each street."""
        k = self.k
        return k, k**2, k**3, k**4

    def card_state(self, hole: Sequence[int], board: Sequence[int]) -> int:
        """Return the card state of a hand on a board of 0, 3, 4 or 5 cards, flop first.

        Takes a few milliseconds the first time a flop is seen. Raises MathError ``bad_board``, ``bad_hole``,
        ``bad_card`` or ``duplicate_card``.
        """
        check_cards(hole, board, _BOARDS)
        first, second = sorted(hole)
        state = int(self.preflop[CLASSES[combo_index(first, second)]])
        for street in range(1, _BOARDS.index(len(board)) + 1):
            total = _cached_sum((first, second), tuple(sorted(board[: street + 2])))
            state = state * self.k + int((self.thresholds[street - 1][state] <= total).sum())
        return state

    def all_states(self, board: Sequence[int]) -> States:
        """Return the card state of every hand, int32[1326] in the order of ``combo_index``, -1 if blocked.

        Takes about 25 milliseconds the first time a flop is seen. Raises MathError.
        """
        check_board(board, (), _BOARDS)
        states: States = self.preflop[CLASSES]
        for street in range(1, _BOARDS.index(len(board)) + 1):
            sums = _all_sums(tuple(sorted(board[: street + 2])))
            reached = self.thresholds[street - 1][states] <= sums[:, np.newaxis]
            states = states * self.k + reached.sum(axis=1, dtype=np.int32)
        return np.where(live(board), states, np.int32(-1))


@lru_cache(maxsize=1 << 16)
def _cached_sum(hole: tuple[int, ...], board: tuple[int, ...]) -> int:
    return sum_of(hole, board)


@lru_cache(maxsize=512)
def _all_sums(board: tuple[int, ...]) -> Ints:
    return all_sums(board)


def clear_cache() -> None:
    """Clear the cache of seen flops; benchmarks use this to measure the cost of one."""
    _cached_sum.cache_clear()
    _all_sums.cache_clear()


class Boards(NamedTuple):
    """Data that compiled loops need to put hands into buckets: ``Strengths`` and ``Abstraction``."""

    flops: Ints
    turns: Ints
    flop_sums: NDArray[np.uint32]
    turn_sums: NDArray[np.uint32]
    preflop: States
    thresholds: tuple[Ints, Ints, Ints]


def prepare(strengths: Strengths, abstraction: Abstraction) -> Boards:
    """Combine strengths and abstraction for ``states_on``."""
    return Boards(*strengths.boards, *strengths.sums, abstraction.preflop[CLASSES], abstraction.thresholds)


@jit
def deal_board(state: State, cards: Ints) -> None:
    """Write different random cards into ``cards``: flop, turn, river."""
    used = 0
    for i in range(len(cards)):
        card = below(state, 52)
        while CARD_MASKS[card] & used:
            card = below(state, 52)
        used |= CARD_MASKS[card]
        cards[i] = card


@jit
def _sums_on(boards: Boards, cards: Ints, street: int, hands: Ints, ranks: Ints, sums: Ints) -> None:
    """Write the sums of the hands on a street, 1 to 3, of a five-card board."""
    if street == 3:
        river_points(hands, ranks, sums)
        for i in range(len(hands)):
            sums[i] *= sums[i]
        return
    mask = 0
    for card in cards[: street + 2]:
        mask |= CARD_MASKS[card]
    table = boards.flop_sums if street == 1 else boards.turn_sums
    place, code = place_of(boards.flops if street == 1 else boards.turns, mask)
    for i in range(len(hands)):
        sums[i] = table[place, RENAMED[code, hands[i]]]


@jit
def states_on(
    table: Ranks, boards: Boards, cards: Ints, street: int, hands: Ints, ranks: Ints, states: Ints
) -> int:
    """Find the ranks and states of all hands that a five-card board leaves; return their number.

    Writes three arrays, each int64[1326]: the hands, their final ranks, and their states on ``street``, 0 to
    3.
    """
    key = mask = 0
    for card in cards:
        key += CARD_KEYS[card]
        mask |= CARD_MASKS[card]
    count = rank_hands(table, key, mask, hands, ranks)
    for i in range(count):
        states[i] = boards.preflop[hands[i]]
    sums = np.empty(count, np.int64)
    for now in range(1, street + 1):
        _sums_on(boards, cards, now, hands[:count], ranks[:count], sums)
        thresholds = boards.thresholds[now - 1]
        parts = thresholds.shape[1] + 1
        for i in range(count):
            bucket = 0
            for part in range(parts - 1):
                bucket += thresholds[states[i], part] <= sums[i]
            states[i] = states[i] * parts + bucket
    return count


@jit
def _sample(table: Ranks, boards: Boards, state: State, deals: int, street: int) -> Ints:
    """Return, for all hands on random boards, the state on the previous street times 2**32 plus the sum on
    ``street``.
    """
    result = np.empty(deals * 1081, np.int64)
    hands, ranks = np.empty(1326, np.int64), np.empty(1326, np.int64)
    states, sums, cards = np.empty(1326, np.int64), np.empty(1326, np.int64), np.empty(5, np.int64)
    for deal in range(deals):
        deal_board(state, cards)
        count = states_on(table, boards, cards, street - 1, hands, ranks, states)
        _sums_on(boards, cards, street, hands[:count], ranks[:count], sums)
        for i in range(count):
            result[deal * 1081 + i] = states[i] << 32 | sums[i]
    return result


def make_abstraction(k: int, strengths: Strengths, *, deals: int = 20_000, seed: int = 1) -> Abstraction:
    """Return the percentiles of all hands on ``deals`` random boards; takes a few seconds per street."""
    preflop = _preflop(k, strengths.preflop)
    thresholds = [np.zeros((k**street, k - 1), np.int64) for street in (1, 2, 3)]
    for street in (1, 2, 3):
        known = Abstraction(k, preflop, (thresholds[0], thresholds[1], thresholds[2]))
        sample = _sample(TABLE, prepare(strengths, known), rng("abstraction", seed, street), deals, street)
        sample.sort()
        ends = np.searchsorted(sample, np.arange(k**street + 1) << 32)
        for state, (start, end) in enumerate(pairwise(ends)):
            places = start + (end - start) * np.arange(1, k) // k
            thresholds[street - 1][state] = sample[places] & 0xFFFFFFFF
    return Abstraction(k, preflop, (thresholds[0], thresholds[1], thresholds[2]))


def _preflop(k: int, values: NDArray[np.float64]) -> States:
    weights = np.array([class_combinations(name) for name in HAND_CLASSES])
    order = np.argsort(values)
    middle = np.cumsum(weights[order]) - weights[order] / 2
    buckets = np.empty(len(values), np.int32)
    buckets[order] = (middle * k / HANDS).astype(np.int32)
    return buckets


def _path(k: int) -> Path:
    return _DATA / f"abstraction-k{k}.json"


def write_abstraction(path: Path, abstraction: Abstraction, **metadata: object) -> None:
    """Save an abstraction, with ``metadata`` that says how it was made."""
    lines = [
        f'"about": "Thresholds of E[HS^2], as sums of squared points: nested, {abstraction.k} a street"',
        *(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in metadata.items()),
        f'"k": {abstraction.k}',
        f'"preflop": {json.dumps(abstraction.preflop.tolist())}',
        *(
            f'"{street}": [\n'
            + ",\n".join(json.dumps(row, separators=(",", ":")) for row in table.tolist())
            + "]"
            for street, table in zip(("flop", "turn", "river"), abstraction.thresholds, strict=True)
        ),
    ]
    path.write_text("{" + ",\n".join(lines) + "}\n", encoding="ascii")


def read_abstraction(path: Path) -> Abstraction:
    """Read a file of ``write_abstraction``."""
    table = json.loads(path.read_text(encoding="ascii"))
    flop, turn, river = (np.array(table[street], np.int64) for street in ("flop", "turn", "river"))
    return Abstraction(table["k"], np.array(table["preflop"], np.int32), (flop, turn, river))


@cache
def load_abstraction(k: int = 5) -> Abstraction:
    """Return an abstraction that comes with pokerd. Raises ValueError for another ``k``."""
    if k not in SHIPPED:
        raise ValueError(f"there are tables for {' and '.join(map(str, SHIPPED))} buckets, not for {k}")
    return read_abstraction(_path(k))


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m strategy.abstraction.abstraction", description="Make the buckets."
    )
    parser.add_argument("k", type=int, help="buckets a street: 5 or 8 are loaded by the programs")
    parser.add_argument("--deals", type=int, default=20_000, help="random boards; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args(arguments)
    made = make_abstraction(options.k, make_strengths(), deals=options.deals, seed=options.seed)
    write_abstraction(
        options.out or _path(options.k),
        made,
        made_by=f"python -m strategy.abstraction.abstraction {options.k}",
        deals=options.deals,
        seed=options.seed,
    )


if __name__ == "__main__":
    main()
