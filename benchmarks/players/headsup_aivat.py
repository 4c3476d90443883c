"""AIVAT for heads-up limit hold'em (``strategy.cfr.aivat``), if all cards of a hand are known in the end.

The value function sees both hands, and assumes that both players play as they do, the blueprint or one of
``PLAIN``: from the flop on it is exact; before the flop it is an estimate, fitted beforehand and stored in
``aivat.json`` beside this file. The corrections cover the hole cards, the board cards, and the actions of
players whose probabilities are given. ``python -m benchmarks.players.headsup_aivat`` fits them and reports
the gain.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from benchmarks.players.full_information_value import (
    FACTS,
    PLAIN,
    FullInformationValues,
    StreetValues,
    facts_of_groups,
    facts_on,
    mean_facts,
)
from strategy.blueprint.blueprint import Blueprint, load_blueprint
from strategy.blueprint.endgame import Floats
from strategy.cfr.aivat import Aivat
from strategy.cfr.tree import find_node
from strategy.poker.combos import CLASSES, combo_index
from strategy.poker.kernels import Ints

_PATH = Path(__file__).with_name("aivat.json")
_SURE = np.ones(1)

Chances = Callable[[int, Sequence[int], Sequence[int]], Sequence[float]]
"""Function of node, hole cards and the board of its street; returns the probabilities of fold, call and
raise.
"""


class RevealedHand(NamedTuple):
    """A hand: the hole cards of both positions, the board cards dealt, and the actions, each ``f``, ``c`` or
    ``r``.
    """

    holes: tuple[tuple[int, int], tuple[int, int]]
    board: tuple[int, ...]
    kinds: str


class ValueFit(NamedTuple):
    """The fit for two players.

    It has the dependence of values before the flop on the facts, float64[2, FACTS], per chip paid and in
    chips; and the mean of the value over all hole cards, in chips to position 0.
    """

    slopes: Floats
    mean: float


@cache
def load_value_fits() -> dict[tuple[str, str], ValueFit]:
    """Return the stored fits by the players at the two positions."""
    told = json.loads(_PATH.read_text("ascii"))["expected"]
    return {(one, other): ValueFit(np.array(slopes), mean) for one, other, slopes, mean in told}


class HeadsUpAivat:
    """Estimates hands of the blueprint's game between two ``players``, ``cfr`` or one of ``PLAIN``, by
    position; takes about 50 ms for a hand that sees the flop. The estimate is unbiased for any players.
    """

    def __init__(
        self,
        players: tuple[str, str] = ("cfr", "cfr"),
        blueprint: Blueprint | None = None,
        expected: ValueFit | None = None,
    ) -> None:
        self._foresight = FullInformationValues(load_blueprint() if blueprint is None else blueprint, players)
        self._expected = load_value_fits()[players] if expected is None else expected
        self._tree = self._foresight.blueprint.tree
        self._worth = _FlopEstimator(self._foresight, self._expected.slopes)

    def chances(self, node: int, hole: Sequence[int], board: Sequence[int]) -> Sequence[float]:
        """Return the probabilities of fold, call and raise of the player to act at a node."""
        return self._foresight.chances(node, hole, board)

    def payoff(self, played: RevealedHand) -> float:
        """Return position 0's result in chips."""
        tree, end = self._tree, find_node(self._tree, played.kinds)
        if not tree.live[end].all():
            folder = int(np.argmin(tree.live[end]))
            return float(tree.paid[end, folder]) * (-1 if folder == 0 else 1)
        hands, board = _hands(played), played.board
        return float(tree.paid[end, 0]) * self._foresight.showdown(hands, board)

    def estimate(self, played: RevealedHand, chances: Sequence[Chances | None]) -> float:
        """Return position 0's result in chips, with luck removed; unbiased.

        ``chances`` are those of the two positions, None if unknown. Raises AivatError for actions of
        probability 0.
        """
        tree, hand = self._tree, Aivat(_SURE)
        after: StreetValues | None = None
        street, start, node = 0, 0, 0
        worth = self._worth(mean_facts(_hands(played)))
        values = before = self._foresight.preflop_values(_hands(played), worth)
        hand.deal(np.array([self._expected.mean]), _SURE, values[:1])
        for kind in played.kinds:
            if tree.street[node] == 1 and after is None:
                guess = self._worth(facts_on(_hands(played), played.board[:3]))
                hand.deal(values[node : node + 1], _SURE, guess[node : node + 1])
                after = self._foresight.flop_values(node, _hands(played), played.board)
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
        return hand.end(np.array([self.payoff(played)]))

    def _next(self, node: int, start: int, values: Floats, before: Floats) -> Floats:
        """Return the values of a node's children, float64[3, 1]."""
        tree, result = self._tree, np.zeros((3, 1))
        for action, child in enumerate(tree.child[node].tolist()):
            if child >= 0:
                same = tree.street[child] == tree.street[node]
                result[action] = (values if same else before)[child - start]
        return result


class _FlopEstimator:
    """Estimates for the first decisions on the flop, float64[size], from facts."""

    def __init__(self, foresight: FullInformationValues, slopes: Floats) -> None:
        tree = foresight.blueprint.tree
        self._slopes = slopes
        self._size = tree.size
        self._starts = np.flatnonzero((tree.street == 1) & (tree.street[tree.parent] == 0))
        self._paid = tree.paid[self._starts, 0]

    def __call__(self, facts: Floats) -> Floats:
        worth = np.zeros(self._size)
        worth[self._starts] = self._paid * float(facts @ self._slopes[0]) + float(facts @ self._slopes[1])
        return worth


def _hands(played: RevealedHand) -> tuple[int, int]:
    one, other = played.holes
    return combo_index(*one), combo_index(*other)


def play_hand(
    blueprint: Blueprint, cards: Sequence[int], chances: Sequence[Chances], draw: Random
) -> RevealedHand:
    """Play a hand between two players with these probabilities; ``cards``: two each, then the board."""
    tree, node, kinds = blueprint.tree, 0, ""
    holes, board = ((cards[0], cards[1]), (cards[2], cards[3])), tuple(cards[4:9])
    while tree.player[node] >= 0:
        position, seen = int(tree.player[node]), (0, 3, 4, 5)[tree.street[node]]
        action = draw.choices(range(3), chances[position](node, holes[position], board[:seen]))[0]
        node, kinds = int(tree.child[node, action]), kinds + "fcr"[action]
    return RevealedHand(holes, board[: (0, 3, 4, 5)[tree.street[node]]], kinds)


def _player_pairs(name: str) -> list[tuple[str, str]]:
    """Return the blueprint against ``name`` at both positions; against itself they are the same."""
    return [("cfr", "cfr")] if name == "cfr" else [("cfr", name), (name, "cfr")]


def fit_values(blueprint: Blueprint, players: tuple[str, str], hands: int, seed: int = 0) -> Floats:
    """Return the slopes with the best fit to the hands that see the flop, of ``hands`` between these two."""
    foresight, tree = FullInformationValues(blueprint, players), blueprint.tree
    facts, worth = [], []
    for number in range(hands):
        draw = Random(f"aivat fit {seed} {number}")
        played = play_hand(blueprint, draw.sample(range(52), 9), (foresight.chances, foresight.chances), draw)
        node = 0
        for kind in played.kinds:
            if tree.street[node] == 1:
                break
            node = int(tree.child[node, "fcr".index(kind)])
        if tree.street[node] == 1:
            values = foresight.flop_values(node, _hands(played), played.board[:3]).values
            known = facts_on(_hands(played), played.board[:3])
            facts.append(np.concatenate((tree.paid[node, 0] * known, known)))
            worth.append(values[0])
    slopes = np.linalg.lstsq(np.array(facts), np.array(worth), rcond=None)[0]
    # Rounded here, so that the mean over all hole cards is that of the stored slopes.
    found = [float(f"{slope:.6g}") for slope in slopes]
    return np.array(found).reshape(2, FACTS)


def mean_value(values: FullInformationValues, slopes: Floats, pairs: Ints, facts: Floats) -> float:
    """Return the mean of the value before the first action over all hole cards, in chips to position 0.

    ``pairs`` and ``facts`` are those of ``facts_of_groups`` for the blueprint's groups of hole cards. Values
    are linear in the facts, and actions depend only on the groups, so the facts' means suffice.
    """
    worth, groups = _FlopEstimator(values, slopes), _groups(values.blueprint)
    total = 0.0
    for one, other in np.ndindex(pairs.shape):
        hands = (int(np.argmax(groups == one)), int(np.argmax(groups == other)))
        total += float(pairs[one, other] * values.preflop_values(hands, worth(facts[one, other]))[0])
    return total / float(pairs.sum())


def _groups(blueprint: Blueprint) -> Ints:
    """Return the card state before the flop of every hand, int64[1326]."""
    return np.asarray(blueprint.abstraction.preflop, np.int64)[CLASSES]


def measure(blueprint: Blueprint, name: str, deals: int, seed: int = 0) -> dict[str, float]:
    """Return standard deviations of the blueprint against ``name``, in big blinds per hand.

    They are those of single hands, of hands with AIVAT, of hands in duplicate pairs (times the root of 2, as
    a pair takes two hands), and of such pairs with AIVAT. Uses the stored fit on hands other than those that
    it was fitted to.
    """
    unit = max(blueprint.game.blinds)
    seats = [HeadsUpAivat(players, blueprint) for players in (("cfr", name), (name, "cfr"))]
    won, found = np.zeros((deals, 2)), np.zeros((deals, 2))
    for number in range(deals):
        draw = Random(f"aivat measure {seed} {number}")
        cards = draw.sample(range(52), 9)
        for position, aivat in enumerate(seats):
            chances, sign = (aivat.chances, aivat.chances), 1 - 2 * position
            played = play_hand(blueprint, cards, chances, draw)
            won[number, position] = sign * aivat.payoff(played)
            found[number, position] = sign * aivat.estimate(played, chances)
    told = {"mean": won.mean(), "mean_aivat": found.mean()}
    for word, values in (("", won), ("_aivat", found)):
        told[f"single{word}"] = values.std()
        told[f"duplicate{word}"] = values.mean(axis=1).std() * 2**0.5
    return {word: round(float(value) / unit, 3) for word, value in told.items()}


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.players.headsup_aivat", description="Fit AIVAT's values before the flop."
    )
    parser.add_argument("--hands", type=int, default=2000, help="to fit with; default: %(default)s")
    parser.add_argument("--deals", type=int, default=500, help="to measure with; default: %(default)s")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=_PATH)
    options = parser.parse_args(arguments)
    blueprint = load_blueprint()
    pairs, facts = facts_of_groups(_groups(blueprint))
    names = ("cfr", *PLAIN)
    expected = []
    for players in (players for name in names for players in _player_pairs(name)):
        slopes = fit_values(blueprint, players, options.hands, options.seed)
        mean = mean_value(FullInformationValues(blueprint, players), slopes, pairs, facts)
        expected.append([*players, slopes.tolist(), mean])
        sys.stderr.write(f"{' against '.join(players)}: {mean:.3f} chips\n")
    told = {
        "about": "Heads-up limit hold'em: how values before the flop depend on facts about both hands",
        "made_by": "python -m benchmarks.players.headsup_aivat",
        "hands": options.hands,
        "seed": options.seed,
        "deals": options.deals,
        "expected": expected,
    }
    _write(options.out, told)
    if options.out == _PATH:
        load_value_fits.cache_clear()
        told["deviation_bb"] = {name: measure(blueprint, name, options.deals, options.seed) for name in names}
        _write(_PATH, told)
        sys.stdout.write(json.dumps(told["deviation_bb"], indent=1) + "\n")


def _write(path: Path, facts: dict[str, Any]) -> None:
    path.write_text(json.dumps(facts, indent=1) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
