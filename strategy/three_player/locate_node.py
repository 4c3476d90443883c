"""Find the node of the three-player betting graph for a situation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strategy.cfr.graph import BettingGraph
from strategy.cfr.sampling import BettingStructure
from strategy.situation import PastAction, Situation

_NUMBERS = {"fold": 0, "call": 1, "raise": 2}


def find_node(graph: BettingGraph, situation: Situation) -> int:
    """Return the decision of the graph that matches the situation, exactly or approximately; -1 if there is
    none.

    With three players every action is followed from the start; a raise beyond the graph's maximum counts as a
    call. With more players the graph is entered at the start of the first street that at most three players
    began: at a start with as many players, the same last raiser and checks, and the most similar pot, in
    bets. There is no match while four or more began the street, or if the players to act differ from the
    graph's, as after all-ins.
    """
    if situation.players < 3:
        return -1
    if situation.players == 3:
        positions = {seat: position for position, seat in enumerate(situation.seats)}
        return walk(graph, 0, situation.history, positions, situation.seat, situation.street)
    street = _first_street(situation)
    if street is None:
        return -1
    before = [step for step in situation.history if step.street < street]
    folded = {step.seat for step in before if step.kind == "fold"}
    left = [seat for seat in situation.seats if seat not in folded]
    start, positions = _start(graph, situation, street, before, left)
    later = situation.history[len(before) :]
    return walk(graph, start, later, positions, situation.seat, situation.street)


def find_subgame(graph: BettingGraph, situation: Situation) -> tuple[int, dict[int, int]] | None:
    """Return the node where two players began the flop, exact or approximate, and by seat who acts first, 0,
    and second, 1.

    None if more began the flop, or it is not dealt yet. Nodes are found as in ``find_node``.
    """
    if situation.players < 3 or situation.street == 0:
        return None
    before = [step for step in situation.history if step.street == 0]
    folded = {step.seat for step in before if step.kind == "fold"}
    left = [seat for seat in situation.seats if seat not in folded]
    if len(left) != 2:
        return None
    if situation.players == 3:
        positions = {seat: position for position, seat in enumerate(situation.seats)}
        node = _follow(graph, 0, before, positions)
        if node < 0 or not graph.opens[node]:
            return None
    else:
        node, _ = _start(graph, situation, 1, before, left)
    return node, {seat: number for number, seat in enumerate(left)}


def walk(
    graph: BettingStructure,
    node: int,
    steps: Sequence[PastAction],
    positions: dict[int, int],
    seat: int,
    street: int,
) -> int:
    """Return where the steps lead from a node on, if that is a decision of this seat on this street; else -1.

    ``positions``: those of the graph by seat. A raise beyond the graph's maximum counts as a call.
    """
    node = _follow(graph, node, steps, positions)
    if node < 0 or graph.player[node] != positions.get(seat):
        return -1
    return node if graph.street[node] == street else -1


def _follow(
    graph: BettingStructure, node: int, steps: Sequence[PastAction], positions: dict[int, int]
) -> int:
    for step in steps:
        if graph.player[node] != positions.get(step.seat) or graph.street[node] != step.street:
            return -1
        number = _NUMBERS[step.kind]
        if number == 2 and graph.child[node, 2] < 0:
            number = 1
        node = int(graph.child[node, number])
        if node < 0:
            return -1
    return node


def _first_street(situation: Situation) -> int | None:
    """Return the first street that at most three players began; None if it is still to come."""
    folds = [0] * (situation.street + 1)
    for step in situation.history:
        folds[step.street] += step.kind == "fold"
    left = situation.players
    for street, count in enumerate(folds):
        if left <= 3:
            return street
        left -= count
    return None


def _start(
    graph: BettingGraph, situation: Situation, street: int, before: list[PastAction], left: list[int]
) -> tuple[int, dict[int, int]]:
    """Return the most similar start of a street, and the remaining players' positions there by seat."""
    nodes = np.flatnonzero(graph.opens & (graph.street == street) & (graph.live.sum(axis=1) == len(left)))
    raisers = [step.seat for step in before if step.kind == "raise"]
    order = left.index(raisers[-1]) if raisers and raisers[-1] in left else -1
    quiet = not any(step.kind == "raise" and step.street == street - 1 for step in before)
    live = [np.flatnonzero(graph.live[node]).tolist() for node in nodes]
    wanted = [positions[order] if order >= 0 else -1 for positions in live]
    pots = graph.paid[nodes].sum(axis=1) / max(graph.game.blinds)
    gaps = np.abs(pots - _pot_before(situation, street) / situation.big_blind)
    best = int(np.lexsort((gaps, graph.quiet[nodes] != quiet, graph.raiser[nodes] != wanted))[0])
    return int(nodes[best]), dict(zip(left, live[best], strict=True))


def _pot_before(situation: Situation, street: int) -> int:
    """Return the pot at the start of a street after the first."""
    later = {(step.street, step.seat): step.to for step in situation.history if step.kind != "fold"}
    return situation.pot - sum(to for (number, _), to in later.items() if number >= street)
