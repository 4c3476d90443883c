"""The shipped strategies of hbb6 for two players who begin the flop, after the third has folded.

``strategy/data/hbb6-folds.xz`` contains the bytes of all games, one after the other, compressed: two bytes
for every decision and card state, the probabilities of a fold and of a raise in parts of 255; a call has the
rest. Both are 255 where the strategy is unknown, because no such hand gets there. The file
``strategy/data/hbb6-folds.json`` beside it describes the games, the nodes that use them and how they were
solved, and has the checksum of the bytes. ``python -m strategy.three_player.make_folds`` writes both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from strategy.abstraction.abstraction import load_abstraction
from strategy.blueprint.blueprint import quantise
from strategy.cfr.graph import BettingGraph
from strategy.cfr.vectors import VectorLayout, Vectors, forward
from strategy.packed_files import read_packed
from strategy.poker.kernels import Ints
from strategy.situation import Situation
from strategy.three_player import policy as table
from strategy.three_player.locate_node import find_subgame, walk
from strategy.three_player.policy import Bytes
from strategy.three_player.subgames import BUCKETS, K, SubgameSolver, flop_tree

FACTS = table.FACTS.with_name("hbb6-folds.json")
DATA = FACTS.with_suffix(".xz")

_WHOLE = 255


class SubgameStrategies:
    """Strategies for the flop of two: ``games`` maps a node of the graph of three to its game."""

    def __init__(self, packed: Bytes, games: Mapping[int, int]) -> None:
        # With another pot the betting is the same.
        self.tree = flop_tree(0)
        self._abstraction = load_abstraction(K)
        self._first, self._rows = _rows(self.tree.player, np.array(BUCKETS)[self.tree.street])
        self._games = games
        count = max(games.values()) + 1
        if len(packed) != 2 * count * self._rows:
            raise ValueError(
                f"{2 * self._rows} bytes are needed for each of {count} games, not {len(packed)}"
            )
        self._packed = packed.reshape(count, self._rows, 2)

    def locate(self, graph: BettingGraph, situation: Situation) -> tuple[int, int] | None:
        """Return the game and the decision in it; None if there is none. See ``find_subgame``."""
        found = find_subgame(graph, situation)
        if found is None:
            return None
        start, seats = found
        steps = [step._replace(street=step.street - 1) for step in situation.history if step.street]
        node = walk(self.tree, 0, steps, seats, situation.seat, situation.street - 1)
        return (self._games[start], node) if node >= 0 else None

    def policy(
        self, place: tuple[int, int], hole: Sequence[int], board: Sequence[int]
    ) -> tuple[float, float, float] | None:
        """Return the probabilities of fold, call and raise: they sum to 1, with 0 for illegal actions. None
        if nothing is known of such hands.
        """
        game, node = place
        state = self._abstraction.card_state(hole, board)
        fold, raise_ = self._packed[game, self._first[node] + state].tolist()
        if fold + raise_ > _WHOLE:
            return None
        return fold / _WHOLE, (_WHOLE - fold - raise_) / _WHOLE, raise_ / _WHOLE


def _rows(player: NDArray[np.int8], width: Ints) -> tuple[Ints, int]:
    """Return where the rows of each decision begin, and their total number."""
    sizes = np.where(player >= 0, width, 0)
    return np.cumsum(sizes) - sizes, int(sizes.sum())


def pack(solver: SubgameSolver) -> Bytes:
    """Return the average strategy, uint8[rows, 2]."""
    layout = solver.game.layout
    first, rows = _rows(layout.player, layout.width)
    parts = quantise(layout.slot, layout.width, solver.average())
    packed = np.zeros((rows, 2), np.uint8)
    for player in (0, 1):
        reach = np.zeros(layout.size, np.float32)
        forward(layout, parts.astype(np.float32), player, reach, reach, 0.0)
        reach *= solver.reachable_states(player)
        for node in np.flatnonzero(layout.player == player).tolist():
            here = packed[first[node] :][: layout.width[node]]
            for column, slot in enumerate(layout.slot[node, ::2].tolist()):
                if slot >= 0:
                    here[:, column] = parts[slot : slot + layout.width[node]]
            here[reach[layout.at[node] :][: layout.width[node]] == 0] = _WHOLE
    return packed


def unpack(layout: VectorLayout, packed: Bytes) -> Vectors:
    """Return the strategy of ``pack``, float32[slots], not normalised; it calls where nothing is known."""
    first, _ = _rows(layout.player, layout.width)
    strategy = np.zeros(layout.slots, np.float32)
    for node in np.flatnonzero(layout.player >= 0).tolist():
        here = packed[first[node] :][: layout.width[node]].astype(np.float32)
        here[here.sum(axis=1) > _WHOLE] = 0
        policy = (here[:, 0], _WHOLE - here.sum(axis=1), here[:, 1])
        for action, slot in enumerate(layout.slot[node].tolist()):
            if slot >= 0:
                strategy[slot : slot + layout.width[node]] = policy[action]
    return strategy


@cache
def load_subgame_strategies() -> SubgameStrategies:
    """Return the shipped strategies. Raises OSError; ValueError if the files do not match, or are of another
    hbb6.
    """
    facts, data = read_packed(FACTS)
    games = {int(node): game for node, game in facts["game_of_node"].items()}
    return SubgameStrategies(data, games)
