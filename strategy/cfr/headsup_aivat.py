"""AIVAT for heads-up limit hold'em (``strategy.cfr.aivat``), when all cards of a hand are known in the end.

The value function sees both hands (``strategy.cfr.foresight``): from the flop on it is exact for the
blueprint against itself; before the flop it is an estimate, fitted beforehand and kept in
``strategy/data/aivat.json``. Corrected are the cards of the board, and the actions of players whose chances
are told. What the own cards were worth before the flop is not: in a duplicate match that cancels.
``python -m strategy.cfr.headsup_aivat`` fits and says how much is gained.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from strategy.cfr.aivat import Aivat
from strategy.cfr.blueprint import Blueprint, load_blueprint
from strategy.cfr.endgame import Floats
from strategy.cfr.foresight import FACTS, Foresight, Street, facts_on, mean_facts
from strategy.cfr.tree import follow
from strategy.poker.combos import combo_index

__all__ = ["Chances", "HeadsUpAivat", "Played", "fit", "load_slopes", "play_hand"]

_PATH = Path(__file__).parents[1] / "data" / "aivat.json"
_SURE = np.ones(1)

Chances = Callable[[int, Sequence[int], Sequence[int]], Sequence[float]]
"""Called with node, hole cards and the board of its street: the chances of fold, call and raise."""


class Played(NamedTuple):
    """A hand: the hole cards of both positions, as much of the board as came, and the actions, each ``f``,
    ``c`` or ``r``.
    """

    holes: tuple[tuple[int, int], tuple[int, int]]
    board: tuple[int, ...]
    kinds: str


@cache
def load_slopes() -> Floats:
    """How values before the flop depend on the facts, float64[2, FACTS]: per chip paid, and in chips."""
    return np.array(json.loads(_PATH.read_text("ascii"))["slopes"])


class HeadsUpAivat:
    """Estimates hands of the blueprint's game; some 50 ms for one that sees the flop."""

    def __init__(self, blueprint: Blueprint | None = None, slopes: Floats | None = None) -> None:
        self._foresight = Foresight(load_blueprint() if blueprint is None else blueprint)
        self._slopes = load_slopes() if slopes is None else slopes
        self._tree = self._foresight.blueprint.tree
        starts = (self._tree.street == 1) & (self._tree.street[self._tree.parent] == 0)
        self._starts = np.flatnonzero(starts)

    def won(self, played: Played) -> float:
        """What position 0 won, in chips."""
        tree, end = self._tree, follow(self._tree, played.kinds)
        if not tree.live[end].all():
            folder = int(np.argmin(tree.live[end]))
            return float(tree.paid[end, folder]) * (-1 if folder == 0 else 1)
        hands, board = _hands(played), played.board
        return float(tree.paid[end, 0]) * self._foresight.showdown(hands, board)

    def estimate(self, played: Played, chances: Sequence[Chances | None]) -> float:
        """What position 0 won, in chips, with luck taken away; unbiased.

        ``chances`` are those of the two positions, None where they are not known. Raises AivatError for
        actions that have no chance.
        """
        tree, hand = self._tree, Aivat(_SURE)
        after: Street | None = None
        street, start, node = 0, 0, 0
        worth = self._worth(mean_facts(_hands(played)))
        values = before = self._foresight.before_flop(_hands(played), worth)
        for kind in played.kinds:
            if tree.street[node] == 1 and after is None:
                guess = self._worth(facts_on(_hands(played), played.board[:3]))
                hand.deal(values[node : node + 1], _SURE, guess[node : node + 1])
                after = self._foresight.after_flop(node, _hands(played), played.board)
                start, street = node, 1
                values, before = after
            elif tree.street[node] > street:
                street = int(tree.street[node])
                hand.deal(before[node - start, np.newaxis], _SURE, values[node - start, np.newaxis])
            action = "fcr".index(kind)
            told = chances[tree.player[node]]
            if told is not None:
                position, seen = int(tree.player[node]), (0, 3, 4, 5)[street]
                policy = np.array(told(node, played.holes[position], played.board[:seen]), np.float64)
                hand.act(policy[:, np.newaxis], self._next(node, start, values, before), action)
            node = int(tree.child[node, action])
        return hand.end(np.array([self.won(played)]))

    def _next(self, node: int, start: int, values: Floats, before: Floats) -> Floats:
        """The values of a node's children, float64[3, 1]."""
        tree, result = self._tree, np.zeros((3, 1))
        for action, child in enumerate(tree.child[node].tolist()):
            if child >= 0:
                same = tree.street[child] == tree.street[node]
                result[action] = (values if same else before)[child - start]
        return result

    def _worth(self, facts: Floats) -> Floats:
        """The estimates of the first decisions on the flop, float64[size]."""
        worth = np.zeros(self._tree.size)
        paid = self._tree.paid[self._starts, 0]
        worth[self._starts] = paid * float(facts @ self._slopes[0]) + float(facts @ self._slopes[1])
        return worth


def _hands(played: Played) -> tuple[int, int]:
    one, other = played.holes
    return combo_index(*one), combo_index(*other)


def play_hand(blueprint: Blueprint, cards: Sequence[int], chances: Sequence[Chances], draw: Random) -> Played:
    """A hand between two who play by these chances; ``cards``: two each, then the board."""
    tree, node, kinds = blueprint.tree, 0, ""
    holes, board = ((cards[0], cards[1]), (cards[2], cards[3])), tuple(cards[4:9])
    while tree.player[node] >= 0:
        position, seen = int(tree.player[node]), (0, 3, 4, 5)[tree.street[node]]
        action = draw.choices(range(3), chances[position](node, holes[position], board[:seen]))[0]
        node, kinds = int(tree.child[node, action]), kinds + "fcr"[action]
    return Played(holes, board[: (0, 3, 4, 5)[tree.street[node]]], kinds)


def _hands_of(blueprint: Blueprint, hands: int, seed: str) -> Iterator[Played]:
    chances = (blueprint.policy, blueprint.policy)
    for number in range(hands):
        draw = Random(f"aivat {seed} {number}")
        yield play_hand(blueprint, draw.sample(range(52), 9), chances, draw)


def fit(blueprint: Blueprint, hands: int, seed: int = 0) -> Floats:
    """The slopes that fit best the hands that see the flop, of so many of the blueprint against itself."""
    foresight, tree = Foresight(blueprint), blueprint.tree
    facts, worth = [], []
    for played in _hands_of(blueprint, hands, f"fit {seed}"):
        node = 0
        for kind in played.kinds:
            if tree.street[node] == 1:
                break
            node = int(tree.child[node, "fcr".index(kind)])
        if tree.street[node] == 1:
            values = foresight.after_flop(node, _hands(played), played.board[:3]).values
            known = facts_on(_hands(played), played.board[:3])
            facts.append(np.concatenate((tree.paid[node, 0] * known, known)))
            worth.append(values[0])
    slopes = np.linalg.lstsq(np.array(facts), np.array(worth), rcond=None)[0]
    found: Floats = slopes.reshape(2, FACTS)
    return found


def measure(blueprint: Blueprint, aivat: HeadsUpAivat, deals: int, seed: int = 0) -> dict[str, float]:
    """Standard deviations in big blinds a hand, of the blueprint against itself: of single hands, of hands in
    duplicate pairs (times the root of 2, as a pair takes two hands), and of such pairs with AIVAT.
    """
    chances, unit = (blueprint.policy, blueprint.policy), max(blueprint.game.blinds)
    single, pairs, estimates = [], [], []
    for number in range(deals):
        draw = Random(f"aivat measure {seed} {number}")
        cards = draw.sample(range(52), 9)
        both = [play_hand(blueprint, cards, chances, draw) for _ in range(2)]
        won = [aivat.won(played) for played in both]
        found = [aivat.estimate(played, chances) for played in both]
        single += won
        pairs.append((won[0] - won[1]) / 2)
        estimates.append((found[0] - found[1]) / 2)
    root = 2**0.5
    deviations = [float(np.std(single)), float(np.std(pairs)) * root, float(np.std(estimates)) * root]
    names = ("single", "duplicate", "duplicate_aivat")
    return {name: round(value / unit, 3) for name, value in zip(names, deviations, strict=True)}


def main(arguments: list[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m strategy.cfr.headsup_aivat", description="Fit AIVAT's values before the flop."
    )
    parser.add_argument("--hands", type=int, default=2000, help="to fit with; default: %(default)s")
    parser.add_argument("--deals", type=int, default=500, help="to measure with; default: %(default)s")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=_PATH)
    options = parser.parse_args(arguments)
    blueprint = load_blueprint()
    slopes = fit(blueprint, options.hands, options.seed)
    told = {
        "about": "Heads-up limit hold'em: how values before the flop depend on facts about both hands",
        "made_by": "python -m strategy.cfr.headsup_aivat",
        "hands": options.hands,
        "seed": options.seed,
        "deals": options.deals,
        "deviation_bb": measure(blueprint, HeadsUpAivat(blueprint, slopes), options.deals, options.seed),
        "slopes": [[float(f"{slope:.6g}") for slope in row] for row in slopes.tolist()],
    }
    options.out.write_text(json.dumps(told, indent=1) + "\n", encoding="ascii")
    sys.stdout.write(json.dumps(told["deviation_bb"]) + "\n")


if __name__ == "__main__":
    main()
