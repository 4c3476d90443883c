"""Exact best responses, and with them the exploitability of a strategy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from strategy.cfr.small import Floats, Ints, SmallGame
from strategy.cfr.variants import Nodes, compile_nodes
from strategy.jit import jit


def values(game: SmallGame, strategy: Floats) -> Floats:
    """Return each position's mean result in chips if all play ``strategy``: float64[players]."""
    return _values(compile_nodes(game), strategy)


def node_values(game: SmallGame, strategy: Floats, position: int) -> Floats:
    """Return a position's mean result from each node on with each deal: float64[nodes, deals]."""
    return _node_values(compile_nodes(game), strategy, position)


def reach(game: SmallGame, strategy: Floats) -> Floats:
    """Return the probability of each node with each deal: float64[nodes, deals]."""
    return _reach(compile_nodes(game), strategy, -1)


def best_response(game: SmallGame, strategy: Floats, position: int) -> tuple[float, Floats]:
    """Return a position's best result against the others' ``strategy``, and a best response.

    The latter is ``strategy`` with the position's own decisions replaced by a best action each.
    """
    response = strategy.copy()
    worth = _best(compile_nodes(game), strategy, position, response)
    return float(worth), response


def gains(game: SmallGame, strategy: Floats) -> Floats:
    """Return each position's gain in chips from a best response while the others keep ``strategy``."""
    own = values(game, strategy)
    return np.array([best_response(game, strategy, p)[0] - own[p] for p in range(game.tree.players)])


def exploitability(game: SmallGame, strategy: Floats) -> float:
    """Return the mean of ``gains``: NashConv divided by the number of players. It is 0 in an equilibrium.

    With two players it is the strategy's loss per hand, relative to the value of the game and averaged over
    both seats, against an opponent who knows it.
    """
    return float(gains(game, strategy).mean())


@jit
def _values(nodes: Nodes, strategy: Floats) -> Floats:
    players = len(nodes.info)
    result = np.zeros(players)
    # No position: the probability that all players lead there.
    reach = _reach(nodes, strategy, -1)
    for node in range(len(nodes.player)):
        if nodes.player[node] < 0:
            for player in range(players):
                result[player] += np.sum(reach[node] * nodes.payoff[player, node])
    return result


@jit
def _node_values(nodes: Nodes, strategy: Floats, player: int) -> Floats:
    value: Floats = nodes.payoff[player].copy()
    for row in range(len(nodes.node) - 1, -1, -1):
        node = nodes.node[row]
        cards = nodes.info[nodes.player[node], nodes.street[node]]
        for a in range(3):
            after = nodes.child[node, a]
            if after >= 0:
                for deal in range(len(cards)):
                    value[node, deal] += strategy[row, cards[deal], a] * value[after, deal]
    return value


@jit
def _reach(nodes: Nodes, strategy: Floats, player: int) -> Floats:
    """Return the probability that chance and all but one player lead to a node, float64[size, deals]."""
    reach = np.empty((len(nodes.player), len(nodes.probability)))
    reach[0] = nodes.probability
    for row in range(len(nodes.node)):
        node = nodes.node[row]
        actor = nodes.player[node]
        cards = nodes.info[actor, nodes.street[node]]
        for a in range(3):
            after = nodes.child[node, a]
            if after >= 0:
                for deal in range(len(cards)):
                    chance = 1.0 if actor == player else strategy[row, cards[deal], a]
                    reach[after, deal] = reach[node, deal] * chance
    return reach


@jit
def _best(nodes: Nodes, strategy: Floats, player: int, response: Floats) -> float:
    """Pass backwards through the tree with all deals at once: an action is best for all deals that look
    alike.
    """
    value = _reach(nodes, strategy, player)
    cards = strategy.shape[1]
    # The terminals' values include the others' probabilities, so the values of nodes are sums.
    for node in range(len(nodes.player)):
        if nodes.player[node] < 0:
            value[node] *= nodes.payoff[player, node]
        else:
            value[node] = 0.0
    for row in range(len(nodes.node) - 1, -1, -1):
        node = nodes.node[row]
        actor = nodes.player[node]
        held = nodes.info[player, nodes.street[node]]
        best = _choose(nodes, row, value, held, cards)
        for a in range(3):
            if actor == player:
                for card in range(cards):
                    response[row, card, a] = 1.0 if a == best[card] else 0.0
            if nodes.legal[row, a]:
                after = value[nodes.child[node, a]]
                for deal in range(len(held)):
                    if actor != player or a == best[held[deal]]:
                        value[node, deal] += after[deal]
    total: float = value[0].sum()
    return total


@jit
def _choose(nodes: Nodes, row: int, value: Floats, held: Ints, cards: int) -> NDArray[np.int64]:
    """Return the best action for each card state, the first of equal ones."""
    totals = np.zeros((cards, 3))
    best = np.empty(cards, np.int64)
    for a in range(3):
        if nodes.legal[row, a]:
            after = value[nodes.child[nodes.node[row], a]]
            for deal in range(len(held)):
                totals[held[deal], a] += after[deal]
        else:
            totals[:, a] = -np.inf
    for card in range(cards):
        best[card] = np.argmax(totals[card])
    return best
