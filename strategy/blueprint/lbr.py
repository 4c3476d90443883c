"""Local best response: the winnings of a simple opponent who knows the strategy, in the real game.

Lisý and Bowling, "Equilibrium Approximation Quality of Current No-Limit Poker Bots" (2017). The opponent
knows the strategy's action probabilities with every hand, and so by Bayes' rule the distribution of its
hands. The opponent takes the action that wins the most if both check and call from then on; a raise also wins
the pot when the strategy folds to it. The result is a lower bound of the exploitability: a best response wins
at least as much.

The opponent's own cards, the board and the strategy's actions before the river are sampled. The strategy's
cards and its actions on the river are not: the mean over them is computed. A control variate removes the luck
of the opponent's own cards that is linear in the winnings: the subtracted term has mean 0 over all cards,
whatever the strategy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from random import Random

import numpy as np

from strategy.blueprint.blueprint import Blueprint
from strategy.blueprint.bucketed import BucketedSolver
from strategy.blueprint.endgame import Floats
from strategy.blueprint.river import RIVER, blueprint_rows
from strategy.cfr.tree import BettingTree
from strategy.jit import jit
from strategy.poker.allin import all_in_table
from strategy.poker.batch import all_strengths
from strategy.poker.combos import CLASSES, HANDS, combo_index, live
from strategy.poker.kernels import HAND_KEYS, HAND_MASKS, TABLE, Ints, Ranks, keys_of, rank_of, runouts

Rows = Callable[[int, Sequence[int]], Floats]
"""Function of a node and the board of its street; returns the probabilities of fold, call and raise with
every hand, float64[1326, 3].
"""

_BOARD = (0, 3, 4, 5)
_FEWEST = 100
"""Minimum number of deals for learning how winnings depend on the cards."""


def rows_of_blueprint(blueprint: Blueprint) -> Rows:
    """Return the rows of a blueprint. A ``RiverBlueprint`` has its own ``rows``."""
    return partial(blueprint_rows, blueprint)


def rows_of_solver(solver: BucketedSolver) -> Rows:
    """Return the rows of a solver's average strategy."""
    layout, average, tree = solver.game.layout, solver.average(), solver.tree

    def rows(node: int, board: Sequence[int]) -> Floats:
        states = solver.abstraction.all_states(board[: _BOARD[tree.street[node]]])
        found = np.zeros((HANDS, 3))
        for action, slot in enumerate(layout.slot[node].tolist()):
            if slot >= 0:
                found[:, action] = np.where(states >= 0, average[slot + states], 0.0)
        return found

    return rows


def local_best_response(
    tree: BettingTree, rows: Rows, *, deals: int, seed: int = 0, paths: int = 4
) -> list[float]:
    """Return the winnings in mbb/hand, averaged over both positions, for each of ``deals`` deals.

    At each deal the strategy's actions are drawn ``paths`` times in each position. With the same ``seed``,
    two strategies that differ only on the river meet the same draws before it. The mean is unbiased; for its
    confidence interval the deals count as independent.
    """
    unit = 1000 / max(tree.game.blinds)
    won, luck = np.zeros(deals), np.zeros((deals, _FACTS))
    for deal in range(deals):
        cards = Random(f"lbr {seed} {deal}").sample(range(52), 7)
        hole, board = (cards[0], cards[1]), cards[2:]
        hand = _LbrDeal(tree, rows, hole, board)
        total = 0.0
        for path in range(2 * paths):
            hand.random = Random(f"lbr {seed} {deal} {path}")
            total += hand.play(path % 2)
        won[deal] = total * unit / (2 * paths)
        luck[deal] = _luck_features(combo_index(*hole), board)
    steadied: list[float] = _reduce_variance(won, luck).tolist()
    return steadied


_POWERS = (1, 3, 9)
_FACTS = 4 * len(_POWERS)


def _luck_features(hand: int, board: Sequence[int]) -> list[float]:
    """Return how good the cards are on each street: powers of the strength against any hand, less their means
    over all hands that could have been dealt instead.
    """
    facts = []
    for cards in _BOARD:
        seen = board[:cards]
        strength = all_strengths(seen) if cards else _preflop()
        there = live(seen)
        for power in _POWERS:
            raised = strength**power
            facts.append(float(raised[hand] - raised[there].mean()))
    return facts


@cache
def _preflop() -> Floats:
    table = all_in_table()
    found: Floats = ((table.equity * table.pairs).sum(axis=1) / table.pairs.sum(axis=1))[CLASSES]
    return found


def _reduce_variance(won: Floats, luck: Floats) -> Floats:
    """Subtract the part of the winnings that is linear in the luck.

    Its coefficients come from the other half of the deals, so that no result is corrected with coefficients
    learnt from itself.
    """
    half = np.arange(len(won)) % 2
    left = won.copy()
    if len(won) < _FEWEST:
        return left
    for own in (0, 1):
        known = np.column_stack((np.ones((half != own).sum()), luck[half != own]))
        slopes = np.linalg.lstsq(known, won[half != own], rcond=None)[0][1:]
        left[half == own] -= luck[half == own] @ slopes
    return left


class _LbrDeal:
    """The opponent's own cards and a board; ``random`` draws the strategy's actions."""

    def __init__(self, tree: BettingTree, rows: Rows, hole: tuple[int, int], board: list[int]) -> None:
        self.random = Random()
        self._tree, self._rows, self._board = tree, rows, board
        self._unseen = live(hole).astype(np.float64)
        self._left = live((*hole, *board)).astype(np.float64)
        self._equity = [equities(hole, board[:cards]) for cards in _BOARD]

    def play(self, player: int) -> float:
        """Return the winnings in chips in this position."""
        return self._value(0, player, self._unseen) / float(self._left.sum())

    def _value(self, node: int, player: int, weights: Floats) -> float:
        """Return the winnings summed over the strategy's hands with these weights."""
        tree = self._tree
        while tree.player[node] == player:
            node = int(tree.child[node, self._best_action(node, player, weights)])
        there = weights * self._left
        if tree.player[node] < 0:
            if tree.live[node].all():
                return float(tree.paid[node, 0] * (there * (2 * self._equity[RIVER] - 1)).sum())
            lost = -tree.paid[node, player] if not tree.live[node, player] else tree.paid[node, 1 - player]
            return float(lost * there.sum())
        after = weights[:, np.newaxis] * self._rows(node, self._visible_board(node))
        parts: list[float] = (self._left @ after).tolist()
        if tree.street[node] == RIVER:
            return sum(
                self._value(int(tree.child[node, action]), player, after[:, action])
                for action in range(3)
                if parts[action] > 0
            )
        total = sum(parts)
        if not total > 0:
            return 0.0
        action = self.random.choices(range(3), parts)[0]
        return self._value(int(tree.child[node, action]), player, after[:, action]) * total / parts[action]

    def _visible_board(self, node: int) -> list[int]:
        return self._board[: _BOARD[self._tree.street[node]]]

    def _best_action(self, node: int, player: int, weights: Floats) -> int:
        """Return the action that wins the most if all check and call after it; the cheapest of equal ones."""
        tree = self._tree
        equity = self._equity[tree.street[node]]
        now = weights * live(self._visible_board(node))
        total = float(now.sum())
        if not total > 0:
            return 1
        paid = tree.paid[node]
        pot, price = float(paid.sum()), float(paid[1 - player] - paid[player])
        share = float((now * equity).sum()) / total
        gains = [0.0 if tree.child[node, 0] >= 0 else -np.inf, share * pot - (1 - share) * price, -np.inf]
        raised = int(tree.child[node, 2])
        if raised >= 0:
            size = float(tree.paid[raised, player] - paid[1 - player])
            stays = now * (1 - self._rows(raised, self._visible_board(node))[:, 0])
            rest = float(stays.sum())
            share = float((stays * equity).sum()) / rest if rest > 0 else 0.0
            won = share * (pot + size) - (1 - share) * (price + size)
            gains[2] = (1 - rest / total) * pot + rest / total * won
        return int(np.argmax(gains))


def equities(hole: tuple[int, int], board: Sequence[int]) -> Floats:
    """Return the share of the pot that a hand wins at a showdown against each other hand: float64[1326].

    Before the flop, averaged over the hands of their classes; 0.5 against impossible hands.
    """
    if not board:
        table = all_in_table().equity
        found: Floats = table[CLASSES[combo_index(*hole)]][CLASSES]
        return found
    hole_key, hole_mask = keys_of(hole)
    key, mask = keys_of(board)
    return _equities(TABLE, hole_key, hole_mask, key, mask, *runouts(hole_mask | mask, 5 - len(board)))


@jit
def _equities(
    table: Ranks, hole_key: int, hole_mask: int, board_key: int, board_mask: int, keys: Ints, masks: Ints
) -> Floats:
    points, boards = np.zeros(1326), np.zeros(1326)
    for future in range(len(keys)):
        key, mask = board_key + keys[future], board_mask | masks[future]
        own = rank_of(table, hole_key + key, hole_mask | mask)
        used = hole_mask | mask
        for other in range(1326):
            if not HAND_MASKS[other] & used:
                rank = rank_of(table, HAND_KEYS[other] + key, HAND_MASKS[other] | mask)
                points[other] += (rank < own) + (rank == own) / 2
                boards[other] += 1.0
    for other in range(1326):
        points[other] = points[other] / boards[other] if boards[other] > 0 else 0.5
    return points
