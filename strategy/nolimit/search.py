"""Rivers solved at the table, with all hands of both players and the bets that were really made.

The ranges at the start of the river are those of the trained strategy. The opponent's hands are ``combined``
(``strategy.nolimit.resolve``): beside its range there are others, which come if they win more than by the
trained strategy, so that an opponent with another range gains little. An opponent's bet that the menu does
not have is put into the tree, and the river is solved again from its start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.rules.actions import CALL, Action, raise_to
from dealer.rules.betting import Betting
from strategy.nolimit.follow import Path
from strategy.nolimit.policy import NoLimitPolicy
from strategy.nolimit.resolve import gadget_of, solve_last
from strategy.nolimit.streets import EXPECT, Street, Vectors, last_values, street_from, streets_of
from strategy.nolimit.tree import BettingTree, parse_menu, subtree
from strategy.poker.combos import CARDS, HANDS
from strategy.poker.kernels import TABLE, Ints, keys_of
from strategy.poker.strengths import order_of, rank_hands
from strategy.situation import Situation

RIVER: Final = 3
_MENU: Final = parse_menu("a/a/a/0.33 0.75 1.5 a,0.75 a,a", 4)
_ITERATIONS: Final = 200
_BOARDS: Final = (0, 3, 4, 5)


class RiverHands(NamedTuple):
    """The hands that a board of five cards leaves, by rank: their numbers ``hands`` int64[n] and ``cards``
    int64[n, 2], and ``ends`` int64[n], where those of a hand's rank end.
    """

    hands: Ints
    cards: Ints
    ends: Ints


class Solution(NamedTuple):
    """A solved river: its ``tree``, ``street`` and ``hands``, and how often the player takes each action with
    each hand, ``sums`` float32[rows, most, hands].
    """

    tree: BettingTree
    street: Street
    hands: RiverHands
    sums: Vectors

    def chances(self, actual: Sequence[int]) -> NDArray[np.float64]:
        """Return the probabilities of the actions after those taken, float64[choices, 1326]; all alike for
        hands that never come there, 0 for hands that the board does not leave.
        """
        node = self.node(actual)
        count = int(self.street.choices[node])
        rows = self.sums[self.street.row[node], :count].astype(np.float64)
        total = rows.sum(axis=0)
        found = np.zeros((count, HANDS))
        found[:, self.hands.hands] = np.where(total > 0, rows / np.where(total > 0, total, 1), 1 / count)
        return found

    def actions(self, actual: Sequence[int]) -> list[Action]:
        """Return the actions after those taken."""
        return self.tree.actions(int(self.street.node[self.node(actual)]))

    def node(self, actual: Sequence[int]) -> int:
        """Return the decision after actions that were taken, by its number in ``street``."""
        node = 0
        for to in actual:
            node = int(self.tree.child[node, self.tree.to[node].tolist().index(to)])
        return int(self.street.node.tolist().index(node))


def river_hands(board: tuple[int, ...]) -> RiverHands:
    """Return the hands on a board of five cards."""
    hands, ranks = np.empty(HANDS, np.int64), np.empty(HANDS, np.int64)
    count = rank_hands(TABLE, *keys_of(board), hands, ranks)
    order = order_of(ranks[:count])
    sorted_ranks = ranks[order]
    ends = np.searchsorted(sorted_ranks, sorted_ranks, side="right").astype(np.int64)
    return RiverHands(hands[order], CARDS[hands[order]].astype(np.int64), ends)


def ranges_at(policy: NoLimitPolicy, path: Path, board: tuple[int, ...], street: int) -> NDArray[np.float64]:
    """Return how likely both players come to a street with each hand, float64[2, 1326]; the largest is 1, and
    all hands are alike for a player who never comes there.
    """
    reach = np.ones((2, HANDS))
    for node, action in path.steps:
        if policy.tree.street[node] >= street:
            break
        states = policy.cards.all_states(board[: _BOARDS[policy.tree.street[node]]])
        reach[policy.tree.player[node]] *= policy.rows(node, states)[:, action]
    reach[reach.max(axis=1) <= 0] = 1
    found: NDArray[np.float64] = reach / reach.max(axis=1, keepdims=True)
    return found


class RiverSearch:
    """Rivers solved for the player who asks. The last ones are kept."""

    def __init__(self) -> None:
        self._solved = lru_cache(4)(_solve)

    def solution(
        self, policy: NoLimitPolicy, path: Path, start: Betting, actual: tuple[int, ...], situation: Situation
    ) -> Solution:
        """Return the river of a situation, solved for its player.

        ``path``: the hand's way through the strategy; ``start``: the betting at the start of the river;
        ``actual``: the actions since, as in ``BettingTree.to``.
        """
        above = tuple(step for step in path.steps if policy.tree.street[step.node] < RIVER)
        first = next((node for node, _ in path.steps if policy.tree.street[node] == RIVER), path.node)
        key = _Spot(Path(above, first), situation.board, situation.position, _bets_in(actual))
        return self._solved(policy, key, _Start(start))


class _Spot(NamedTuple):
    path: Path
    board: tuple[int, ...]
    position: int
    actual: tuple[int, ...]


class _Start:
    """A betting that is equal to another with the same history and stacks."""

    def __init__(self, betting: Betting) -> None:
        self.betting = betting
        self._key = betting.stacks, tuple(betting.history)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Start) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


def _bets_in(actual: tuple[int, ...]) -> tuple[int, ...]:
    """Return the actions up to the last raise: those after it are in every tree."""
    return actual[: max((place + 1 for place, to in enumerate(actual) if to > 0), default=0)]


def _solve(policy: NoLimitPolicy, spot: _Spot, start: _Start) -> Solution:
    target, opponent = spot.position, 1 - spot.position
    tree = subtree(start.betting, _MENU, spot.actual)
    (street,) = streets_of(tree)
    hands = river_hands(spot.board)
    reach = ranges_at(policy, spot.path, spot.board, RIVER)[:, hands.hands]
    offer = _offer(policy, spot, hands, reach[target], min(start.betting.spent))
    rival = reach[opponent][np.newaxis]
    gadget = gadget_of("unsafe", rival, rival) if offer is None else gadget_of("combined", rival, offer)
    regrets, sums = np.zeros((2, street.rows, street.child.shape[1], len(hands.hands)), np.float32)
    own = reach[target].astype(np.float32)[np.newaxis]
    solve_last(street, target, hands.cards, hands.ends, own, gadget, _ITERATIONS, regrets, sums)
    return Solution(tree, street, hands, sums)


def _offer(
    policy: NoLimitPolicy, spot: _Spot, hands: RiverHands, own: NDArray[np.float64], paid: int
) -> NDArray[np.float64] | None:
    """Return what the opponent's hands win where both play the trained strategy, in chips of the hand; None
    if its betting is over. ``paid``: chips that each has paid before the river.
    """
    tree, first, opponent = policy.tree, spot.path.node, 1 - spot.position
    if tree.player[first] < 0:
        return None
    here = street_from(tree, RIVER, [first])
    states = policy.cards.all_states(spot.board)[hands.hands]
    weights = np.zeros((here.rows, here.child.shape[1], len(states)))
    for node, row, count in zip(here.node.tolist(), here.row.tolist(), here.choices.tolist(), strict=True):
        if row >= 0:
            weights[row, :count] = policy.rows(node, states).T
    reach, values = np.empty((2, len(here.node), len(states)))
    reach[0] = own
    last_values(here, opponent, hands.cards, hands.ends, weights, reach, values, EXPECT)
    scale = paid / int(tree.paid[first].min())
    return values[:1] * scale


def river_start(
    situation: Situation, blinds: Sequence[int], antes: Sequence[int]
) -> tuple[Betting, tuple[int, ...]]:
    """Return the betting at the start of the river, and the actions since, as in ``BettingTree.to``."""
    stacks = tuple(left + paid for left, paid in zip(situation.stacks, situation.paid, strict=True))
    betting = Betting(replace(situation.game, blinds=tuple(blinds), ante=max(antes)), stacks)
    for step in situation.history:
        if step.street < RIVER:
            betting.act(raise_to(step.to) if step.kind == "raise" else CALL)
    since = (step for step in situation.history if step.street == RIVER)
    return betting, tuple(step.to if step.kind == "raise" else 0 for step in since)
