"""The variants of counterfactual regret minimization (CFR) for games with explicit deals.

All variants use regret matching and update the players one after the other in every iteration. They average
each information set's strategies weighted by the player's own reach probability:

``cfr``
    Zinkevich, Johanson, Bowling and Piccione 2007.
``cfr+``
    Tammelin 2014: regrets never fall below 0, and iteration t counts t times in the average, from the first.
``dcfr``
    Brown and Sandholm 2019: after iteration t positive regrets are multiplied by t^1.5 / (t^1.5 + 1),
    negative ones by 1/2, and the sums of the average by (t / (t + 1))^2.
``es-mccfr``
    Lanctot, Waugh, Zinkevich and Bowling 2009: for each player one deal and one action of each other player
    are drawn, and all the player's own actions are tried. The average comes from another deal, in which the
    player's actions are drawn and all the others' are tried, so that it is correct for any number of players.

An iteration passes forwards through the decisions for reach probabilities and backwards for values:
depth-first order has parents first. At each decision all deals are processed together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.cfr.small import Floats, Ints, SmallGame
from strategy.jit import jit
from strategy.poker.kernels import State, uniform

ALPHA, BETA, GAMMA = 1.5, 0.0, 2.0
"""Exponents of ``dcfr``."""

_NAMES = ("cfr", "cfr+", "dcfr")


class Nodes(NamedTuple):
    """A game in the form that compiled loops read; see ``BettingTree`` and ``SmallGame``.

    Per node: ``player``, ``street``, ``child``, ``decision``. Per decision: ``node``; ``before`` and
    ``action``, the previous decision (-1: none) and the action taken there; ``legal``. Per deal:
    ``probability``, and ``reached``, the cumulative sum of probabilities. ``info`` int32[players, streets,
    deals] and ``payoff`` float64[players, size, deals]. ``holder`` int32[players, streets, cards] is a deal
    with that card state, -1 if there is none.
    """

    player: NDArray[np.int8]
    street: NDArray[np.int8]
    child: Ints
    decision: Ints
    node: Ints
    before: Ints
    action: NDArray[np.int8]
    legal: NDArray[np.bool_]
    probability: Floats
    reached: Floats
    info: Ints
    payoff: Floats
    holder: Ints


class TrainingTables(NamedTuple):
    """Learnt tables, float64[decisions, cards, 3] each: regrets, current strategy, sums of the average."""

    regret: Floats
    current: Floats
    average: Floats


def compile_nodes(game: SmallGame) -> Nodes:
    """Return a game in the form that compiled loops read."""
    tree = game.tree
    players, streets, deals = game.info.shape
    holder = np.full((players, streets, game.cards), -1, np.int32)
    for player in range(players):
        for street in range(streets):
            holder[player, street, game.info[player, street]] = np.arange(deals)
    parent = tree.parent[tree.decisions]
    return Nodes(
        player=tree.player,
        street=tree.street,
        child=tree.child,
        decision=tree.decision,
        node=tree.decisions,
        before=np.where(parent < 0, np.int32(-1), tree.decision[parent]),
        action=tree.action[tree.decisions],
        legal=tree.child[tree.decisions] >= 0,
        probability=game.probability,
        reached=np.cumsum(game.probability),
        info=game.info,
        payoff=game.payoff,
        holder=holder,
    )


def iterate(nodes: Nodes, sums: TrainingTables, variant: str, done: int, count: int, state: State) -> None:
    """Do ``count`` iterations after ``done`` ones. ``state`` is the generator of ``es-mccfr``."""
    if variant == "es-mccfr":
        _sample(nodes, sums, count, state)
    else:
        _iterate(nodes, sums, _NAMES.index(variant), done, count)


@jit
def match_regrets(
    regret: Floats, legal: NDArray[np.bool_], row: int, first: int, end: int, strategy: Floats
) -> None:
    """Match regrets for some card states of a decision: write the strategies that follow from the regrets.

    Each action gets its share of the sum of positive regrets; if none is positive, all legal actions get the
    same. The tables are [decisions, cards, 3], ``legal`` is [decisions, 3].
    """
    count = legal[row, 0] + legal[row, 1] + legal[row, 2]
    for card in range(first, end):
        total = 0.0
        for a in range(3):
            # The regrets of illegal actions stay 0.
            total += max(regret[row, card, a], 0.0)
        share = 1.0 / total if total > 0 else 1.0 / count
        for a in range(3):
            if total > 0:
                strategy[row, card, a] = max(regret[row, card, a], 0.0) * share
            else:
                strategy[row, card, a] = share if legal[row, a] else 0.0


@jit
def _iterate(nodes: Nodes, sums: TrainingTables, variant: int, done: int, count: int) -> None:
    decisions, deals = len(nodes.node), len(nodes.probability)
    mine, others = np.empty((decisions, deals)), np.empty((decisions, deals))
    # The values of the terminals never change.
    value = nodes.payoff.copy()
    for iteration in range(done + 1, done + count + 1):
        for player in range(len(nodes.info)):
            _reach(nodes, sums.current, player, mine, others)
            _learn(nodes, sums.regret, sums.current, player, others, value[player])
            _finish(nodes, sums, player, mine, variant, iteration)


@jit
def _reach(nodes: Nodes, current: Floats, player: int, mine: Floats, others: Floats) -> None:
    """Write the probabilities with which the player, and with which chance and the others, reach each
    decision.
    """
    deals = len(nodes.probability)
    for deal in range(deals):
        mine[0, deal] = 1.0
        others[0, deal] = nodes.probability[deal]
    for row in range(1, len(nodes.node)):
        before, action = nodes.before[row], nodes.action[row]
        node = nodes.node[before]
        actor, street = nodes.player[node], nodes.street[node]
        moved, still = (mine, others) if actor == player else (others, mine)
        for deal in range(deals):
            chance = current[before, nodes.info[actor, street, deal], action]
            moved[row, deal] = moved[before, deal] * chance
            still[row, deal] = still[before, deal]


@jit
def _learn(nodes: Nodes, regret: Floats, current: Floats, player: int, others: Floats, value: Floats) -> None:
    """Add the player's regrets."""
    deals = len(nodes.probability)
    # In the smallest games views would cost more than the work on them.
    for row in range(len(nodes.node) - 1, -1, -1):
        node = nodes.node[row]
        actor, street = nodes.player[node], nodes.street[node]
        for deal in range(deals):
            value[node, deal] = 0.0
        for a in range(3):
            after = nodes.child[node, a]
            if after >= 0:
                for deal in range(deals):
                    value[node, deal] += current[row, nodes.info[actor, street, deal], a] * value[after, deal]
        if actor != player:
            continue
        for a in range(3):
            after = nodes.child[node, a]
            if after >= 0:
                for deal in range(deals):
                    gain = others[row, deal] * (value[after, deal] - value[node, deal])
                    regret[row, nodes.info[player, street, deal], a] += gain


@jit
def _finish(
    nodes: Nodes, sums: TrainingTables, player: int, mine: Floats, variant: int, iteration: int
) -> None:
    """Add the player's strategy to the average, and update the player's sums and strategy as the variant
    requires.
    """
    weight = float(iteration) if variant == 1 else 1.0
    up = down = fade = 1.0
    if variant == 2:
        up = iteration**ALPHA / (iteration**ALPHA + 1)
        down = iteration**BETA / (iteration**BETA + 1)
        fade = (iteration / (iteration + 1.0)) ** GAMMA
    for row in range(len(nodes.node)):
        node = nodes.node[row]
        if nodes.player[node] != player:
            continue
        for card in range(sums.regret.shape[1]):
            deal = nodes.holder[player, nodes.street[node], card]
            share = weight * mine[row, deal] if deal >= 0 else 0.0
            for a in range(3):
                sums.average[row, card, a] += share * sums.current[row, card, a]
                regret = sums.regret[row, card, a]
                if variant == 1:
                    sums.regret[row, card, a] = max(regret, 0.0)
                elif variant == 2:
                    sums.regret[row, card, a] *= up if regret >= 0 else down
                    sums.average[row, card, a] *= fade
        match_regrets(sums.regret, nodes.legal, row, 0, sums.regret.shape[1], sums.current)


@jit
def _sample(nodes: Nodes, sums: TrainingTables, count: int, state: State) -> None:
    size, players = len(nodes.player), len(nodes.info)
    there, value = np.empty(size, np.bool_), np.empty(size)
    for _ in range(count):
        for player in range(players):
            deal = _draw_deal(nodes, state)
            _sample_nodes(nodes, sums, deal, player, False, there, state)
            _update_average(nodes, sums, deal, player, there)
            deal = _draw_deal(nodes, state)
            _sample_nodes(nodes, sums, deal, player, True, there, state)
            _learn_one(nodes, sums, deal, player, there, value)


@jit
def _draw_deal(nodes: Nodes, state: State) -> int:
    last = len(nodes.reached) - 1
    place: int = np.searchsorted(nodes.reached, uniform(state) * nodes.reached[last], side="right")
    return min(last, place)


@jit
def _sample_nodes(
    nodes: Nodes,
    sums: TrainingTables,
    deal: int,
    player: int,
    learns: bool,
    there: NDArray[np.bool_],
    state: State,
) -> None:
    """Mark the nodes of a deal that are visited; draw one action of each player who does not try all.

    When learning, the player tries all actions and the others draw one; otherwise the reverse.
    """
    there[:] = False
    there[0] = True
    for node in range(len(nodes.player)):
        actor = nodes.player[node]
        if not there[node] or actor < 0:
            continue
        if (actor == player) == learns:
            for a in range(3):
                if nodes.child[node, a] >= 0:
                    there[nodes.child[node, a]] = True
            continue
        row, card = nodes.decision[node], nodes.info[actor, nodes.street[node], deal]
        strategy = sums.current[row, card]
        match_regrets(sums.regret, nodes.legal, row, card, card + 1, sums.current)
        rest = uniform(state)
        drawn = -1
        for a in range(3):
            if strategy[a] > 0 and rest >= 0:
                drawn = a
                rest -= strategy[a]
        there[nodes.child[node, drawn]] = True


@jit
def _learn_one(
    nodes: Nodes, sums: TrainingTables, deal: int, player: int, there: NDArray[np.bool_], value: Floats
) -> None:
    """Add the player's regrets at the visited nodes."""
    for node in range(len(nodes.player) - 1, -1, -1):
        if not there[node]:
            continue
        actor = nodes.player[node]
        if actor < 0:
            value[node] = nodes.payoff[player, node, deal]
            continue
        row, card = nodes.decision[node], nodes.info[actor, nodes.street[node], deal]
        strategy = sums.current[row, card]
        if actor == player:
            match_regrets(sums.regret, nodes.legal, row, card, card + 1, sums.current)
        value[node] = 0.0
        for a in range(3):
            after = nodes.child[node, a]
            if after >= 0 and there[after]:
                value[node] += value[after] * (strategy[a] if actor == player else 1.0)
        if actor == player:
            for a in range(3):
                after = nodes.child[node, a]
                if after >= 0:
                    sums.regret[row, card, a] += value[after] - value[node]


@jit
def _update_average(
    nodes: Nodes, sums: TrainingTables, deal: int, player: int, there: NDArray[np.bool_]
) -> None:
    """Add the player's strategies at the player's visited nodes to the average."""
    for node in range(len(nodes.player)):
        if there[node] and nodes.player[node] == player:
            row, card = nodes.decision[node], nodes.info[player, nodes.street[node], deal]
            for a in range(3):
                sums.average[row, card, a] += sums.current[row, card, a]
