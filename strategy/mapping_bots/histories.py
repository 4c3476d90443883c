"""The 6,378 heads-up histories that mappings choose from."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.blueprint.blueprint import GAME
from strategy.cfr.tree import ACTIONS, BettingTree, compile_tree

_STREETS = 4
_SMALL_BLIND = min(GAME.blinds)


class Histories(NamedTuple):
    """The decisions of heads-up limit hold'em in the order of its tree, each a row of every array.

    * ``node`` int32: of ``tree``; ``rounds``: the actions on each street so far, as words of ``f``, ``c`` and
      ``r``; ``row_of`` is the inverse
    * ``street`` int8; ``pot`` and ``to_call`` int32, in small blinds; ``hero`` int8, the position to act (0:
      big blind, 1: button); ``can_raise`` bool
    * ``own`` and ``other`` int16[rows, 4]: by street, the actions of the player to act and of the other one,
      as indices into ``words``; ``raises`` int8[rows, 4]: the number of raises by street
    """

    tree: BettingTree
    rounds: tuple[tuple[str, ...], ...]
    row_of: dict[tuple[str, ...], int]
    node: NDArray[np.int32]
    street: NDArray[np.int8]
    pot: NDArray[np.int32]
    to_call: NDArray[np.int32]
    hero: NDArray[np.int8]
    can_raise: NDArray[np.bool_]
    own: NDArray[np.int16]
    other: NDArray[np.int16]
    words: tuple[str, ...]
    raises: NDArray[np.int8]


def list_distance(first: str, second: str) -> int:
    """Return the distance of two lists of a player's actions: places with different actions, and the
    difference of the lengths (Glöckner 2013, 4.3).
    """
    different = sum(one != two for one, two in zip(first, second, strict=False))
    return different + abs(len(first) - len(second))


@lru_cache(4096)
def word_distances(word: str) -> NDArray[np.float64]:
    """Return the distance of a list of actions from each of the ``words`` of all histories."""
    return np.array([list_distance(word, known) for known in histories().words], np.float64)


@cache
def histories() -> Histories:
    """Return all histories, computed at the first call in a few tenths of a second."""
    tree = compile_tree(GAME)
    node = tree.decisions
    paid = tree.paid[node] // _SMALL_BLIND
    hero = tree.player[node]
    row = np.arange(len(node))
    lists = _lists(tree)
    words: dict[str, int] = {}
    places = np.array(
        [[[words.setdefault(word, len(words)) for word in part] for part in lists[one]] for one in node],
        np.int16,
    )
    rounds = _rounds(tree)
    return Histories(
        tree=tree,
        rounds=rounds,
        row_of={one: number for number, one in enumerate(rounds)},
        node=node,
        street=tree.street[node],
        pot=paid.sum(axis=1),
        to_call=paid[row, 1 - hero] - paid[row, hero],
        hero=hero,
        can_raise=tree.child[node, 2] >= 0,
        own=places[row, hero],
        other=places[row, 1 - hero],
        words=tuple(words),
        raises=np.array(
            [[word.count("r") for word in one] + [0] * (_STREETS - len(one)) for one in rounds], np.int8
        ),
    )


def _lists(tree: BettingTree) -> list[tuple[tuple[str, ...], ...]]:
    """Return at each node the actions of each position: a word per position and street."""
    empty = ("",) * _STREETS
    lists: list[tuple[tuple[str, ...], ...]] = [(empty, empty)]
    for node in range(1, tree.size):
        parent = int(tree.parent[node])
        player, street = int(tree.player[parent]), int(tree.street[parent])
        before = lists[parent]
        mine = list(before[player])
        mine[street] += ACTIONS[tree.action[node]]
        lists.append((before[0], tuple(mine)) if player else (tuple(mine), before[1]))
    return lists


def _rounds(tree: BettingTree) -> tuple[tuple[str, ...], ...]:
    words: list[tuple[str, ...]] = [("",)]
    for node in range(1, tree.size):
        parent = int(tree.parent[node])
        *done, last = words[parent]
        last += ACTIONS[tree.action[node]]
        opened = int(tree.street[node]) - int(tree.street[parent])
        words.append((*done, last, *[""] * opened))
    return tuple(words[node] for node in tree.decisions)
