"""The shipped strategy of hbb6: a byte for every decision of the betting graph and card state.

``strategy/data/hbb6.xz`` contains the bytes, compressed. A byte's high four bits are the probability of a
fold and its low four that of a raise, in fifteenths; a call has the rest. ``strategy/data/hbb6.json`` beside
it describes the cuts of hands into card states and the training, and has the checksum of the bytes. ``python
-m strategy.three_player.make`` writes both.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dealer.rules.games import load_game
from strategy.cfr.graph import BettingGraph, compile_graph
from strategy.cfr.sampling import rows_of
from strategy.packed_files import read_packed
from strategy.poker.strength_moments import CardAbstraction, Cuts, Slices

FACTS = Path(__file__).parents[1] / "data" / "hbb6.json"
DATA = FACTS.with_suffix(".xz")
PARTS = 15

THREE_PLAYERS = load_game("holdem.limit.3p")
"""Limit hold'em for three, 10/20, without a limit of chips."""

Bytes = NDArray[np.uint8]


class ThreePlayerPolicy:
    """A strategy for ``graph``: a byte for every decision and card state, by ``rows_of``."""

    def __init__(self, graph: BettingGraph, cards: CardAbstraction, packed: Bytes) -> None:
        self.graph = graph
        self.card_state = cards.card_state
        self._packed = packed
        self._first, self._step, rows = rows_of(graph, cards.buckets)
        if len(packed) != rows:
            raise ValueError(f"{rows} bytes are needed, not {len(packed)}")

    def policy(self, node: int, hole: Sequence[int], board: Sequence[int]) -> tuple[float, float, float]:
        """Return the probabilities of fold, call and raise at a decision: they sum to 1, with 0 for illegal
        actions.
        """
        byte = int(self._packed[self._first[node] + self._step[node] * self.card_state(hole, board)])
        fold, raise_ = byte >> 4, byte & 15
        return fold / PARTS, (PARTS - fold - raise_) / PARTS, raise_ / PARTS


def pack(policy: NDArray[np.float32]) -> Bytes:
    """Pack strategies, float32[n, 3], in fifteenths, rounded so that they sum to one and 0 stays 0."""
    scaled = policy.astype(np.float64) * PARTS
    parts = np.floor(scaled)
    missing = PARTS - parts.sum(axis=1)
    # The missing parts go to the largest remainders.
    order = np.argsort(np.argsort(parts - scaled, axis=1, kind="stable"), axis=1)
    parts += order < missing[:, None]
    packed: Bytes = (parts[:, 0] * 16 + parts[:, 2]).astype(np.uint8)
    return packed


def unpack(packed: Bytes) -> NDArray[np.float32]:
    """Return the strategies of ``pack``, float32[n, 3]."""
    fold, raise_ = packed >> 4, packed & 15
    return np.stack([fold, PARTS - fold - raise_, raise_], axis=1).astype(np.float32) / np.float32(PARTS)


@cache
def load_policy() -> ThreePlayerPolicy:
    """Return the shipped strategy, in about a second the first time. Raises OSError; ValueError if file and
    metadata do not match.
    """
    facts, data = read_packed(FACTS)
    cuts = tuple(
        Cuts(np.array(one["squares"], np.int64), np.array(one["sums"], np.int64)) for one in facts["cuts"]
    )
    return ThreePlayerPolicy(compile_graph(THREE_PLAYERS), Slices(cuts), data)
