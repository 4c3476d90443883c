"""Trained strategies as pokerd ships them: a byte for each action of each decision and card state.

``strategy/data/nolimit-DEPTH.xz`` has the bytes, by ``sampling.Layout``: probabilities in fifteenths.
``nolimit-DEPTH.json`` beside it says how they were trained. ``nolimit-cards`` has the state of every hand on
every flop, and the clusters of turns and rivers. ``python -m strategy.nolimit_bots.make`` writes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from strategy.abstraction.abstraction import States
from strategy.abstraction.cluster_tables import earlier_states
from strategy.abstraction.clusters import BINS, Clusters, Histograms
from strategy.abstraction.moment_tables import all_forms, river_points
from strategy.abstraction.opponent_clusters import GROUPS, Groups, Rows, river_states
from strategy.jit import vector_jit
from strategy.nolimit.holdem import SIZES, STATES, HoldemCards
from strategy.nolimit.sampling import layout_of
from strategy.nolimit.training import NoLimitTask
from strategy.nolimit.tree import BettingTree, betting_tree, parse_menu
from strategy.nolimit_bots.follow import ends_all_in, raise_sizes
from strategy.packed_files import read_packed
from strategy.poker.combos import CLASSES, HANDS, MASKS, card_mask, combo_index, live
from strategy.poker.kernels import Ints
from strategy.poker.strengths import place_of
from strategy.poker.suits import RENAMED, canonical_boards
from strategy.progress import ProgressCallback, no_progress

PARTS: Final = 15

CARDS_FILE: Final = Path(__file__).parents[1] / "data" / "nolimit-cards.json"
DEPTHS: Final = tuple(sorted(int(path.stem[8:]) for path in CARDS_FILE.parent.glob("nolimit-[0-9]*.json")))
"""Stacks of the shipped strategies, in big blinds."""
_FLOPS = 1755

Bytes = NDArray[np.uint8]


class CardStates(Protocol):
    """The card states of hands of hold'em, on boards of 0, 3, 4 or 5 cards."""

    def state(self, hole: Sequence[int], board: tuple[int, ...]) -> int:
        """Return a hand's card state."""
        ...

    def all_states(self, board: tuple[int, ...]) -> States:
        """Return the card state of every hand, int32[1326], -1 if blocked."""
        ...


class ShippedCards:
    """The card states of hold'em: ``flops`` uint8[1755, 1326], the states on each canonical flop; the rest as
    in ``HoldemCards``.
    """

    def __init__(self, flops: Bytes, turn: Histograms, groups: Groups, river: Rows) -> None:
        self._flops, self._turn, self._groups, self._river = flops, turn, groups, river
        self._boards = canonical_boards(3)
        self.all_states = lru_cache(64)(self._all_states)

    def state(self, hole: Sequence[int], board: tuple[int, ...]) -> int:
        """Return a hand's card state on a board of 0, 3, 4 or 5 cards."""
        return int(self.all_states(board)[combo_index(*hole)])

    def _all_states(self, board: tuple[int, ...]) -> States:
        """Return the card state of every hand, int32[1326], -1 if blocked."""
        if not board:
            return CLASSES.astype(np.int32)
        if len(board) == 3:
            place, code = place_of(self._boards, card_mask(board))
            return np.where(live(board), self._flops[place, RENAMED[code]], np.int32(-1))
        if len(board) == 4:
            return Clusters((self._turn, self._turn, self._turn)).all_states(board)
        return river_states(list(board), self._groups, self._river)


class NoLimitPolicy:
    """A strategy for two: ``packed`` uint8, by the layout of the tree and ``SIZES``; ``batches`` made it."""

    def __init__(self, task: NoLimitTask, cards: CardStates, packed: Bytes, batches: int = 0) -> None:
        self.menu, self.batches = task.menu, batches
        self.tree: BettingTree = betting_tree(task.game, parse_menu(task.menu, task.game.rounds))
        self.sizes = raise_sizes(self.tree)
        #: Decisions whose largest raise is all-in.
        self.all_in = ends_all_in(self.tree)
        self.cards = cards
        self.depth = task.game.stacks[0] // max(task.game.blinds)
        self._layout, self._packed = layout_of(self.tree, SIZES), packed
        if len(packed) != self._layout.size:
            raise ValueError(f"{self._layout.size} bytes are needed, not {len(packed)}")

    def chances(self, node: int, state: int) -> NDArray[np.float64]:
        """Return the probabilities of the actions of a decision with a card state."""
        slot = self._layout.slot(int(self.tree.street[node]), node, state)
        return np.asarray(self._packed[slot : slot + int(self.tree.choices[node])] / PARTS)

    def parts(self, node: int, states: States) -> Bytes:
        """Return the probabilities for many states in ``PARTS``, uint8[n, choices]; 0 for the state -1."""
        street = int(self.tree.street[node])
        slots = self._layout.slot(street, node, 0) + states.astype(np.int64) * int(self._layout.width[street])
        found = self._packed[np.maximum(slots, 0)[:, np.newaxis] + np.arange(self.tree.choices[node])]
        return np.where(states[:, np.newaxis] >= 0, found, np.uint8(0))

    def rows(self, node: int, states: States) -> NDArray[np.float32]:
        """Return the probabilities for many states, float32[n, choices]; 0 for the state -1."""
        return self.parts(node, states).astype(np.float32) / np.float32(PARTS)


def load_cards() -> ShippedCards:
    """Return the shipped card states. Raises as ``read_cards``."""
    return read_cards(CARDS_FILE)


@cache
def read_cards(file: Path) -> ShippedCards:
    """Return the card states of a metadata file. Raises OSError; ValueError if file and data do not match."""
    _, data = read_packed(file)
    flops, rest = data[: _FLOPS * HANDS].reshape(_FLOPS, HANDS), data[_FLOPS * HANDS :]
    groups, centres = rest[:HANDS].astype(np.int64), np.frombuffer(rest[HANDS:].tobytes(), "<f4")
    turn, river = centres[: STATES * BINS], centres[STATES * BINS :]
    return ShippedCards(flops, turn.reshape(STATES, BINS), groups, river.reshape(STATES, GROUPS))


def load_policy(depth: int) -> NoLimitPolicy:
    """Return the shipped strategy for stacks of one of ``DEPTHS``. Raises as ``read_policy``."""
    return read_policy(policy_file(depth))


@cache
def read_policy(file: Path) -> NoLimitPolicy:
    """Return the strategy of a metadata file, with the card states beside it; takes a second or two the first
    time.

    Raises OSError, SolveError; ValueError if files do not match.
    """
    facts, data = read_packed(file)
    task = NoLimitTask.from_header(facts)
    return NoLimitPolicy(task, read_cards(file.with_name(CARDS_FILE.name)), data, facts["batches"])


def nearest_depth(stack: float) -> int:
    """Return the depth of the shipped strategy whose stacks are nearest, as a ratio, to one in big blinds."""
    return min(DEPTHS, key=lambda depth: max(depth / stack, stack / depth) if stack > 0 else depth)


def policy_file(depth: int) -> Path:
    """Return the metadata file of a shipped strategy."""
    return CARDS_FILE.with_name(f"nolimit-{depth}.json")


def packed_cards(cards: HoldemCards, report: ProgressCallback = no_progress) -> bytes:
    """Return the data that ``load_cards`` reads; takes a minute."""
    forms = all_forms(report)
    flops = earlier_states(forms[0], forms[2], river_points(forms[2], report), 2, cards.flop, report)
    flops[(MASKS & forms[0].first[:, np.newaxis]) != 0] = 0
    centres = np.concatenate([cards.turn.ravel(), cards.river.ravel()])
    return flops.tobytes() + cards.groups.astype(np.uint8).tobytes() + centres.astype("<f4").tobytes()


def pack(tree: BettingTree, policy: NDArray[np.float32]) -> bytes:
    """Return the probabilities of a ``Table`` in ``PARTS``, rounded so that those of a decision sum to it."""
    layout = layout_of(tree, SIZES)
    packed = np.zeros(layout.size, np.uint8)
    _pack(tree.player, tree.street, tree.choices, *layout[:3], np.array(SIZES), policy, packed)
    return packed.tobytes()


@vector_jit
def _pack(
    player: NDArray[np.int8],
    street: NDArray[np.int8],
    choices: NDArray[np.int8],
    base: Ints,
    width: Ints,
    offset: Ints,
    sizes: Ints,
    policy: NDArray[np.float32],
    packed: Bytes,
) -> None:
    for node in range(len(player)):
        if player[node] < 0:
            continue
        for state in range(sizes[street[node]]):
            slot = base[street[node]] + width[street[node]] * state + offset[node]
            missing = PARTS
            for place in range(slot, slot + choices[node]):
                packed[place] = int(policy[place] * PARTS)
                missing -= packed[place]
            # The missing parts go to the largest remainders.
            for _ in range(missing):
                best, most = slot, -1.0
                for place in range(slot, slot + choices[node]):
                    rest = policy[place] * PARTS - packed[place]
                    if rest > most:
                        best, most = place, rest
                packed[best] += 1
