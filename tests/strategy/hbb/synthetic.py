"""A heads-up strategy made of random numbers, and spots written as words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from dealer.rules.actions import parse_action
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import Game, load_game
from strategy.cfr.tree import BettingTree
from strategy.mapping_bots.histories import histories
from strategy.situation import Situation, situation_at

THREE = load_game("holdem.limit.3p")
BOARD = "7s8s9s2c3d"


class Synthetic:
    """Every decision is reached, except where its number and the card state add up to a multiple of four."""

    buckets = (5, 25, 125, 625)

    @property
    def tree(self) -> BettingTree:
        return histories().tree

    def card_state(self, hole: Sequence[int], board: Sequence[int]) -> int:
        street = (0, 3, 4, 5).index(len(board))
        return sum((*hole, *board)) % self.buckets[street]

    def table(self, node: int) -> NDArray[np.float32]:
        return _table(node)

    def reached(self, node: int, state: int) -> bool:
        return (int(self.tree.decision[node]) + state) % 4 != 0


@cache
def _table(node: int) -> NDArray[np.float32]:
    tree = histories().tree
    numbers = np.random.default_rng(node).random((625, 3)) * (tree.child[node] >= 0)
    table: NDArray[np.float32] = (numbers / numbers.sum(axis=1, keepdims=True)).astype(np.float32)
    return table


def situation(actions: str, hole: str = "AhKd", *, game: Game = THREE, hand: int = 0) -> Situation:
    """What the player to act knows after ``actions``, streets divided by ``/``."""
    betting = Betting(game)
    for street, word in enumerate(actions.split("/")):
        assert betting.street == street, actions
        for kind in word:
            betting.act(parse_action(kind))
    board = parse_cards(BOARD)[: (0, 3, 4, 5)[betting.street]]
    return situation_at(betting, parse_cards(hole), board, hand=hand)
