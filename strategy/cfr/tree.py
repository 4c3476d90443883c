"""The betting tree of a game as arrays: every sequence of actions is a node, cards are ignored.

Betting states with the same continuation are computed once, with ``dealer.rules.betting``; numpy then unfolds
them into the tree. So three-player limit hold'em with its 24 million nodes takes seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.rules.actions import CALL, FOLD, RAISE, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.errors import GameError
from dealer.rules.games import Game
from strategy.errors import StrategyError

ACTIONS = "fcr"
"""Fold, call (or check) and raise: the index is the action's number."""

Actions = Literal["limit", "push_fold"]

MAX_NODES = 1 << 25
"""Maximum size of a tree; a larger one would need more than 1.5 GB."""
MAX_STATES = 40_000
MAX_STEPS = 250
"""Maximum length of the betting."""


class TreeError(StrategyError):
    """A sequence of actions that is not in the tree. The code is ``no_such_history``."""

    code = "no_such_history"


class BettingTree(NamedTuple):
    """Nodes in depth-first order, actions in the order fold, call, raise; the root is node 0.

    * ``player`` int8[size]: player to act, -1 at a terminal; ``street`` int8[size], the last one at a
      showdown
    * ``child`` int32[size, 3], -1 if illegal; ``parent`` int32[size] and ``action`` int8[size], the action
      that led here, -1 at the root
    * ``paid`` int32[size, players]: chips of the hand, including antes and blinds; ``live`` bool[size,
      players]: players who have not folded
    * ``decision`` int32[size]: the running number among the decisions, -1 at a terminal; ``decisions``
      int32[n] is the inverse
    * ``state`` int32[size]: nodes with the same number differ only in their history, and their subtrees are
      alike
    """

    game: Game
    players: int
    size: int
    player: NDArray[np.int8]
    street: NDArray[np.int8]
    child: NDArray[np.int32]
    parent: NDArray[np.int32]
    action: NDArray[np.int8]
    paid: NDArray[np.int32]
    live: NDArray[np.bool_]
    decision: NDArray[np.int32]
    decisions: NDArray[np.int32]
    state: NDArray[np.int32]


def compile_tree(
    game: Game, *, stacks: Sequence[int] | None = None, free_folds: bool = False, actions: Actions = "limit"
) -> BettingTree:
    """Return the betting tree of a limit game, or of a no-limit game whose only raise is all-in.

    With ``free_folds`` a player may fold when a check is free. With ``push_fold`` nobody calls before
    somebody has gone all-in, except a player who cannot raise. Raises GameError: ``tree_too_large``;
    ``unsolvable_game`` if ``actions`` does not fit the game or there are no decisions; ``bad_stacks``.
    """
    if game.limit == (actions == "push_fold"):
        raise GameError("unsolvable_game", f"{game.name}: a limit game, or push/fold of a no-limit game")
    states = _States(game, free_folds=free_folds, push_fold=actions == "push_fold")
    states.add(Betting(game, stacks))
    if states.bettings[-1].over:
        raise GameError("unsolvable_game", f"{game.name}: with these stacks nobody has a decision")
    return _unfold(game, states)


def find_node(tree: BettingTree, kinds: Iterable[str]) -> int:
    """Return the node after these actions, ``f``, ``c`` and ``r``. Raises TreeError if there is none."""
    node = 0
    for step, kind in enumerate(kinds):
        number = ACTIONS.find(kind) if len(kind) == 1 else -1
        node = int(tree.child[node, number]) if number >= 0 else -1
        if node < 0:
            raise TreeError(f"{tree.game.name}: action {step + 1}, {kind[:20]!r}, is not possible")
    return node


class _States:
    """The distinct states of the betting; children come before their parents."""

    def __init__(self, game: Game, *, free_folds: bool, push_fold: bool) -> None:
        self.game = game
        self.free_folds = free_folds
        self.push_fold = push_fold
        self.bettings: list[Betting] = []
        self.children: list[list[int]] = []
        self.sizes: list[int] = []
        self._known: dict[object, int] = {}

    def add(self, betting: Betting) -> int:
        """Return the number of a state; add it and its successors if they are new."""
        key = betting.key()
        known = self._known.get(key)
        if known is not None:
            return known
        self._check(len(betting.history) <= MAX_STEPS)
        children, size = [-1, -1, -1], 1
        for number, after in self._after(betting):
            children[number] = self.add(after)
            size += self.sizes[children[number]]
        self._check(size <= MAX_NODES and len(self.sizes) < MAX_STATES)
        self.bettings.append(betting)
        self.children.append(children)
        self.sizes.append(size)
        self._known[key] = len(self.sizes) - 1
        return len(self.sizes) - 1

    def _check(self, holds: bool) -> None:
        if not holds:
            raise GameError("tree_too_large", f"the betting tree of {self.game.name!r} is too large to solve")

    def _after(self, betting: Betting) -> Iterator[tuple[int, Betting]]:
        if betting.over:
            return
        for number, action in enumerate(self._actions(betting)):
            if action is not None:
                after = betting.copy()
                if number == 0 and not betting.legal().fold:
                    _fold_free(after)
                else:
                    after.act(action)
                yield number, after

    def _actions(self, betting: Betting) -> tuple[Action | None, Action | None, Action | None]:
        legal = betting.legal()
        fold = FOLD if legal.fold or self.free_folds else None
        if not self.push_fold:
            return fold, CALL, None if legal.max_raise is None else RAISE
        pushed = any(action.kind == "raise" for _, _, action in betting.history)
        call = CALL if pushed or legal.max_raise is None else None
        return fold, call, None if legal.max_raise is None else raise_to(legal.max_raise)


def _fold_free(betting: Betting) -> None:
    """Fold where the rules have no fold: pretend that the player has paid one chip less."""
    position = betting.to_act
    betting.spent[position] -= 1
    betting.act(FOLD)
    betting.spent[position] += 1


def _unfold(game: Game, states: _States) -> BettingTree:
    """Assign an index to every node: a child follows its parent and its elder siblings' subtrees."""
    children = np.array(states.children, np.int32)
    sizes = np.array(states.sizes, np.int32)
    size = int(sizes[-1])
    state = np.empty(size, np.int32)
    child = np.full((size, 3), -1, np.int32)
    parent = np.full(size, -1, np.int32)
    action = np.full(size, -1, np.int8)
    nodes, kinds = np.zeros(1, np.int32), np.array([len(sizes) - 1], np.int32)
    while len(nodes):
        state[nodes] = kinds
        place = nodes + 1
        new_nodes, new_kinds = [], []
        for number in range(3):
            legal = children[kinds, number] >= 0
            found, kind = place[legal], children[kinds[legal], number]
            child[nodes[legal], number] = found
            parent[found] = nodes[legal]
            action[found] = number
            place[legal] += sizes[kind]
            new_nodes.append(found)
            new_kinds.append(kind)
        nodes, kinds = np.concatenate(new_nodes), np.concatenate(new_kinds)
    player = np.array([betting.to_act for betting in states.bettings], np.int8)[state]
    decisions = np.flatnonzero(player >= 0).astype(np.int32)
    decision = np.full(size, -1, np.int32)
    decision[decisions] = np.arange(len(decisions), dtype=np.int32)
    return BettingTree(
        game=game,
        players=game.players,
        size=size,
        player=player,
        street=np.array([betting.street for betting in states.bettings], np.int8)[state],
        child=child,
        parent=parent,
        action=action,
        paid=np.array([betting.spent for betting in states.bettings], np.int32)[state],
        live=~np.array([betting.folded for betting in states.bettings], np.bool_)[state],
        decision=decision,
        decisions=decisions,
        state=state,
    )
