"""The betting of a limit game as a graph: a betting tree in which states that continue alike share a node.

The tree of three-player limit hold'em has 9,711,806 decisions. Most are on the river and differ mainly in the
order of much earlier bets. Here two states are the same if the remaining betting is the same (player to act,
chips paid by each player, folded players, raises on this street) and if two facts about the earlier streets
agree: the last raiser, if still in the hand, and whether the last street was checked through. This leaves
about 20,000 decisions. Chips are exact, so every terminal pays what it pays in the game; a player only
forgets how the pot grew.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.rules.actions import CALL, FOLD, RAISE
from dealer.rules.betting import Betting
from dealer.rules.errors import GameError
from dealer.rules.games import Game

MAX_NODES = 2_000_000


class BettingGraph(NamedTuple):
    """Nodes in the order of discovery from the root, node 0; the fields are those of ``BettingTree``.

    * ``player`` int8[size]: player to act, -1 at a terminal; ``street`` int8[size]
    * ``child`` int32[size, 3] after fold, call and raise, -1 if illegal
    * ``paid`` int32[size, players]; ``live`` bool[size, players]
    * ``raiser`` int8[size]: the last raiser of earlier streets if still in the hand, else -1; ``quiet``
      bool[size]: whether the last street was checked through
    * ``opens`` bool[size]: whether a street begins here
    """

    game: Game
    players: int
    size: int
    player: NDArray[np.int8]
    street: NDArray[np.int8]
    child: NDArray[np.int32]
    paid: NDArray[np.int32]
    live: NDArray[np.bool_]
    raiser: NDArray[np.int8]
    quiet: NDArray[np.bool_]
    opens: NDArray[np.bool_]


class _StreetMemory(NamedTuple):
    """Memory of earlier streets, and whether this state begins a street (preflop does)."""

    raiser: int = -1
    quiet: bool = False


def compile_graph(game: Game) -> BettingGraph:
    """Return the graph of a limit game. Raises GameError ``unsolvable_game``, ``tree_too_large``."""
    if not game.limit:
        raise GameError("unsolvable_game", f"{game.name}: only limit games have such a graph")
    states: list[tuple[Betting, _StreetMemory]] = [(Betting(game), _StreetMemory())]
    known: dict[object, int] = {(states[0][0].key(), states[0][1]): 0}
    child: list[list[int]] = []
    opens = {0}
    # The list grows while it is read: a queue that keeps its old items.
    for betting, past in states:
        children = [-1, -1, -1]
        legal = betting.legal()
        for number, action in enumerate((FOLD, CALL, RAISE)):
            if betting.over or not (legal.fold, True, legal.max_raise is not None)[number]:
                continue
            after = betting.copy()
            after.act(action)
            now = _next_memory(past, betting, after)
            place = known.setdefault((after.key(), now), len(states))
            if place == len(states):
                if place == MAX_NODES:
                    raise GameError("tree_too_large", f"the betting of {game.name!r} is too large to solve")
                states.append((after, now))
            if after.street > betting.street and not after.over:
                opens.add(place)
            children[number] = place
        child.append(children)
    return _arrays(game, states, child, opens)


def _next_memory(past: _StreetMemory, before: Betting, after: Betting) -> _StreetMemory:
    """Find the ``aggressor`` of a street that ended in the state before, as only a call or fold ends a
    street.
    """
    if after.over:
        return _StreetMemory()
    raiser, quiet = past
    if after.street > before.street:
        raiser, quiet = (past.raiser, True) if before.aggressor < 0 else (before.aggressor, False)
    return _StreetMemory(-1 if raiser >= 0 and after.folded[raiser] else raiser, quiet)


def _arrays(
    game: Game, states: list[tuple[Betting, _StreetMemory]], child: list[list[int]], opens: set[int]
) -> BettingGraph:
    bettings = [betting for betting, _ in states]
    begins = np.zeros(len(states), np.bool_)
    begins[list(opens)] = True
    return BettingGraph(
        game=game,
        players=game.players,
        size=len(states),
        player=np.array([betting.to_act for betting in bettings], np.int8),
        street=np.array([betting.street for betting in bettings], np.int8),
        child=np.array(child, np.int32),
        paid=np.array([betting.spent for betting in bettings], np.int32),
        live=~np.array([betting.folded for betting in bettings], np.bool_),
        raiser=np.array([past.raiser for _, past in states], np.int8),
        quiet=np.array([past.quiet for _, past in states], np.bool_),
        opens=begins,
    )
