"""Betting menus, and the betting tree that follows from one.

A menu says which raises are considered: for each street and each number of raises before on that street,
sizes as fractions of the pot after a call, and ``a`` for all-in. Folding and calling are always considered
where ``dealer.rules`` allows them. The text of a menu has its streets separated by ``/``, the numbers of
raises by ``,`` and the sizes by blanks: ``1/1/1/1`` is one pot-sized raise on each of four streets, and
``0.5 1 a, a`` lets the first raise of a street be half the pot, the pot or all-in, and the second all-in
only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.rules.actions import CALL, FOLD, RAISE, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.errors import GameError
from dealer.rules.games import Game
from strategy.errors import StrategyError

ALL_IN = float("inf")
"""A size in a menu: all chips."""

MAX_NODES = 1 << 22
"""Maximum size of a tree."""

Menu = tuple[tuple[tuple[float, ...], ...], ...]
"""Sizes by street and number of raises before on it; no more raises than a street has entries."""


class MenuError(StrategyError):
    """A text that is no menu, or none for this game. The code is ``bad_menu``."""

    code = "bad_menu"


def parse_menu(text: str, streets: int) -> Menu:
    """Return the menu of a text (see the module). Raises MenuError."""
    menu = tuple(
        tuple(tuple(map(_size, level.split())) for level in street.split(",") if level.strip())
        for street in text.split("/")
    )
    if len(menu) != streets:
        raise MenuError(f"a menu for {streets} streets has {streets} parts, not {len(menu)}: {text[:60]!r}")
    return menu


def _size(word: str) -> float:
    try:
        size = ALL_IN if word == "a" else float(word)
    except ValueError:
        size = 0.0
    if not (word == "a" or 0 < size < ALL_IN):
        raise MenuError(f"not a size: {word[:20]!r}; sizes are fractions of the pot, or a for all-in")
    return size


class BettingTree(NamedTuple):
    """The nodes of a two-player game's betting in depth-first order; node 0 is the start.

    * ``player`` int8[n]: the position to act, -1 at the end of the betting; ``street`` int8[n], the last one
      at a showdown
    * ``choices`` int8[n]: the number of actions; ``child`` int32[n, most], -1 beyond them, and ``to``
      int32[n, most]: -1 for a fold, 0 for a call or check, else the raise to so many chips on this street.
      Folds come first, then calls, then raises by size
    * ``parent`` int32[n] and ``action`` int8[n], the number of the action that led here, -1 at the start
    * ``paid`` int32[n, 2]: chips paid in the hand; ``loser`` int8[n]: who has folded, -1 if nobody has
    """

    game: Game
    menu: Menu
    player: NDArray[np.int8]
    street: NDArray[np.int8]
    choices: NDArray[np.int8]
    child: NDArray[np.int32]
    to: NDArray[np.int32]
    parent: NDArray[np.int32]
    action: NDArray[np.int8]
    paid: NDArray[np.int32]
    loser: NDArray[np.int8]

    def actions(self, node: int) -> list[Action]:
        """Return the actions of a decision as ``dealer.rules`` writes them."""
        words = self.to[node, : self.choices[node]].tolist()
        if self.game.limit:
            return [FOLD if to < 0 else RAISE if to else CALL for to in words]
        return [FOLD if to < 0 else raise_to(to) if to else CALL for to in words]


class _Node(NamedTuple):
    betting: Betting
    parent: int
    action: int
    to: list[int]
    child: list[int]


def betting_tree(game: Game, menu: Menu) -> BettingTree:
    """Return the betting tree of a two-player game.

    In a limit game the sizes say nothing, and only the number of raises counts. Raises MenuError, and
    GameError ``unsolvable_game`` (more players) or ``tree_too_large``.
    """
    return subtree(Betting(game), menu)


def subtree(betting: Betting, menu: Menu, actual: Sequence[int] = ()) -> BettingTree:
    """Return the tree of what may follow on a betting; node 0 is its next decision.

    ``actual``: actions that were taken from there on, as in ``BettingTree.to``; the tree has them besides
    those of the menu. Raises as ``betting_tree``.
    """
    game = betting.game
    if game.players != 2:
        raise GameError("unsolvable_game", f"{game.name}: a betting tree has two players")
    if len(menu) != game.rounds:
        raise MenuError(f"{game.name} has {game.rounds} streets, and the menu {len(menu)}")
    nodes: list[_Node] = []
    _grow(nodes, betting, menu, actual, -1, -1)
    most = max(len(node.to) for node in nodes)
    table = np.full((2, len(nodes), most), -1, np.int32)
    for place, node in enumerate(nodes):
        table[0, place, : len(node.child)] = node.child
        table[1, place, : len(node.to)] = node.to
    bettings = [node.betting for node in nodes]
    return BettingTree(
        game=game,
        menu=menu,
        player=np.array([betting.to_act for betting in bettings], np.int8),
        street=np.array([betting.street for betting in bettings], np.int8),
        choices=np.array([len(node.to) for node in nodes], np.int8),
        child=table[0],
        to=table[1],
        parent=np.array([node.parent for node in nodes], np.int32),
        action=np.array([node.action for node in nodes], np.int8),
        paid=np.array([betting.spent for betting in bettings], np.int32),
        loser=np.array([b.folded.index(True) if any(b.folded) else -1 for b in bettings], np.int8),
    )


def _grow(
    nodes: list[_Node], betting: Betting, menu: Menu, actual: Sequence[int], parent: int, action: int
) -> int:
    place = len(nodes)
    if place >= MAX_NODES:
        raise GameError("tree_too_large", f"the betting tree of {betting.game.name!r} is too large")
    here = _Node(betting, parent, action, [] if betting.over else _considered(betting, menu), [])
    if actual and actual[0] not in here.to:
        here.to[:] = sorted([*here.to, actual[0]])
    nodes.append(here)
    for number, to in enumerate(here.to):
        after = betting.copy()
        if betting.game.limit and to > 0:
            after.act(RAISE)
        else:
            after.act(FOLD if to < 0 else raise_to(to) if to else CALL)
        rest = actual[1:] if actual and to == actual[0] else ()
        here.child.append(_grow(nodes, after, menu, rest, place, number))
    return place


def _considered(betting: Betting, menu: Menu) -> list[int]:
    """Return the actions of a decision as in ``BettingTree.to``."""
    legal = betting.legal()
    passive = [-1, 0] if legal.fold else [0]
    if legal.min_raise is None or legal.max_raise is None:
        return passive
    raises = sum(street == betting.street and action.kind == "raise" for street, _, action in betting.history)
    levels = menu[betting.street]
    if raises >= len(levels):
        return passive
    low, high = legal.min_raise, legal.max_raise
    called = betting.bet - betting.street_start
    pot = betting.pot + legal.call
    wanted = (high if size == ALL_IN else round(called + size * pot) for size in levels[raises])
    return passive + sorted({min(max(low, to), high) for to in wanted})
