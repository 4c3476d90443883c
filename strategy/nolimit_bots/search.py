"""Turns and rivers solved at the table, with all hands of both players and the bets that were really made.

The ranges at the start of a street are those of the trained strategy, the player's own those of the street
solved before it. The opponent's hands are ``combined`` (``strategy.nolimit.resolve``): beside its range there
are others, which come if they win more than by the trained strategy, so an opponent with another range gains
little. A bet that the menu does not have is put into the tree, and the street is solved again from its start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.rules.actions import CALL, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.games import DEFAULT_STACK, Game
from strategy.nolimit.resolve import Below, gadget_of, solve_last, solve_two, two_streets
from strategy.nolimit.streets import EXPECT, Street, Vectors, last_values, street_from, streets_of
from strategy.nolimit.tree import BettingTree, parse_menu, subtree
from strategy.nolimit_bots.follow import Path, Step
from strategy.nolimit_bots.parameters import SearchParameters
from strategy.nolimit_bots.policy import Bytes, NoLimitPolicy
from strategy.poker.combos import CARDS, HANDS, live
from strategy.poker.kernels import TABLE, Ints, keys_of
from strategy.poker.strengths import order_of, rank_hands
from strategy.situation import Situation

TURN: Final = 2
RIVER: Final = 3

_MENUS: Final = {
    TURN: parse_menu("a/a/0.5 1 a,a/0.75 a,a", 4),
    RIVER: parse_menu("a/a/a/0.33 0.75 1.5 a,0.75 a,a", 4),
}
_LEAST: Final = 1e-4
"""How likely the player's unlikeliest hands count as, so that the solution has an answer for them."""
_RARE: Final = 0.02
_BOARDS: Final = (0, 3, 4, 5)

Floats = NDArray[np.float64]


class Hands(NamedTuple):
    """The hands that a board leaves: their numbers ``hands`` int64[n] and ``cards`` int64[n, 2]. On the river
    they stand by rank, and ``ends`` int64[n] tells where those of a hand's rank end; before, it is empty.
    """

    hands: Ints
    cards: Ints
    ends: Ints


class Spot(NamedTuple):
    """A street of a hand. ``actions``: each with its street; ``steps`` and ``first``: the hand's way through
    the trained strategy, and where it leads.

    To be solved (``at``), it ends with the last raise of its street, and the way where the street begins.
    """

    game: Game
    stacks: tuple[int, ...]
    actions: tuple[tuple[int, Action], ...]
    board: tuple[int, ...]
    position: int
    street: int
    steps: tuple[Step, ...]
    first: int

    def start(self) -> Betting:
        """Return the betting at the start of the street."""
        betting = Betting(self.game, self.stacks)
        for street, action in self.actions:
            if street < self.street:
                betting.act(action)
        return betting

    def at(self, tree: BettingTree, street: int) -> Spot:
        """Return this street or an earlier one of the hand; ``tree``: that of the strategy."""
        raises = [n for n, (at, one) in enumerate(self.actions, 1) if at == street and one.kind == "raise"]
        before = sum(at < street for at, _ in self.actions)
        there = [node for node, _ in self.steps if tree.street[node] == street]
        return self._replace(
            actions=self.actions[: max([before, *raises])],
            board=self.board[: _BOARDS[street]],
            street=street,
            steps=tuple(step for step in self.steps if tree.street[step.node] < street),
            first=there[0] if there else self.first,
        )

    def least(self) -> Spot:
        """Return the spot without the last actions of its street, as far as its tree has them anyway."""
        taken, start = self.taken(), self.start()
        before = len(self.actions) - len(taken)
        for count in range(len(taken)):
            if _has(subtree(start, _MENUS[self.street], taken[:count]), taken):
                return self._replace(actions=self.actions[: before + count])
        return self

    def taken(self) -> tuple[int, ...]:
        """Return the actions on the street, as in ``BettingTree.to``."""
        return tuple(_to(action) for at, action in self.actions if at == self.street)


def spot_at(
    tree: BettingTree, path: Path, situation: Situation, blinds: Sequence[int], antes: Sequence[int]
) -> Spot:
    """Return the street of a situation. ``path``: the hand's way through ``tree``."""
    actions = (
        (step.street, raise_to(step.to) if step.kind == "raise" else CALL) for step in situation.history
    )
    return Spot(
        # That of a tournament may be for more players, with stacks that late blinds exceed.
        game=replace(
            situation.game,
            players=2,
            blinds=tuple(blinds),
            ante=max(antes),
            stacks=(DEFAULT_STACK,) * 2,
            first_player=(1, 0, 0, 0),
        ),
        stacks=situation.whole_stacks,
        actions=tuple(actions),
        board=situation.board,
        position=situation.position,
        street=situation.street,
        steps=path.steps,
        first=path.node,
    )


class Solution(NamedTuple):
    """A solved street: its ``tree``, ``here`` and ``hands``, and how often the player takes each action with
    each hand, ``sums`` float32[rows, most, hands].
    """

    tree: BettingTree
    here: Street
    hands: Hands
    sums: Vectors

    def actions(self, taken: Sequence[int]) -> list[Action]:
        """Return the actions after those taken."""
        return self.tree.actions(self._after(taken))

    def chances(self, taken: Sequence[int]) -> Floats:
        """Return their probabilities, float64[choices, 1326], 0 for hands that the board does not leave. What
        is rarer than ``_RARE`` is left out: mostly it is what the first iterations tried.
        """
        node = self.here.node.tolist().index(self._after(taken))
        count = int(self.here.choices[node])
        rows = self.sums[self.here.row[node], :count].astype(np.float64)
        rows /= rows.sum(axis=0)
        rows[rows < _RARE] = 0
        found = np.zeros((count, HANDS))
        found[:, self.hands.hands] = rows / rows.sum(axis=0)
        return found

    def _after(self, taken: Sequence[int]) -> int:
        node = 0
        for to in taken:
            node = int(self.tree.child[node, self.tree.to[node].tolist().index(to)])
        return node


class Search:
    """Turns and rivers solved for one of the players. The last ``kept`` are kept."""

    def __init__(self, parameters: SearchParameters, kept: int = 8) -> None:
        self._iterations = {TURN: parameters.turn_iterations, RIVER: parameters.iterations}
        #: The first street that is solved.
        self.first = TURN if parameters.turn_iterations else RIVER
        self._solve_once = lru_cache(kept)(self._solve)

    def chances(self, policy: NoLimitPolicy, spot: Spot) -> list[tuple[Action, Floats]]:
        """Return the actions that the player may take next, each with its probability for every hand,
        float64[1326].
        """
        solution, taken = self._solved(policy, spot.at(policy.tree, spot.street)), spot.taken()
        return list(zip(solution.actions(taken), solution.chances(taken), strict=True))

    def _solved(self, policy: NoLimitPolicy, spot: Spot) -> Solution:
        """Return the solution of a street. Raises that the tree has without them change nothing."""
        return self._solve_once(policy, spot.least())

    def _solve(self, policy: NoLimitPolicy, spot: Spot) -> Solution:
        target, opponent = spot.position, 1 - spot.position
        start = spot.start()
        tree = subtree(start, _MENUS[spot.street], spot.taken())
        hands = _hands_on(spot.board)
        reach = _ranges(policy, spot)
        reach[target] = np.maximum(self._own_range(policy, spot, reach[target]), _LEAST)
        reach = reach[:, np.newaxis, hands.hands]
        below = _below(spot.board, hands) if spot.street == TURN else None
        offer = _offer(policy, spot, hands, below, reach[target], min(start.spent))
        rival = reach[opponent]
        gadget = gadget_of("unsafe", rival, rival) if offer is None else gadget_of("combined", rival, offer)
        own, streets = reach[target].astype(np.float32), streets_of(tree)
        here, count = streets[0], self._iterations[spot.street]
        regrets, sums = np.zeros((2, here.rows, here.child.shape[1], own.shape[1]), np.float32)
        if below is None:
            solve_last(here, target, hands.cards, hands.ends, own, gadget, count, regrets, sums)
        else:
            last = streets[1]
            later = np.zeros(
                (len(below.down), last.rows, last.child.shape[1], below.down.shape[1]), np.float32
            )
            # The river will be solved for itself when it comes: here its averages would only take memory.
            none = later[:0]
            solve_two(here, last, below, target, hands.cards, own, gadget, count, regrets, later, sums, none)
        return Solution(tree, here, hands, sums)

    def _own_range(self, policy: NoLimitPolicy, spot: Spot, found: Floats) -> Floats:
        """Return how likely the player comes to a street with each hand: the strategy's chances ``found`` up
        to the first street that was solved, the solutions' from there on.
        """
        if spot.street == self.first:
            return found
        above = spot.at(policy.tree, spot.street - 1)
        betting, solution = above.start(), self._solved(policy, above)
        own = self._own_range(policy, above, _ranges(policy, above)[spot.position])
        taken: tuple[int, ...] = ()
        for action in (action for at, action in spot.actions if at == above.street):
            if betting.to_act == spot.position:
                own = own * solution.chances(taken)[solution.actions(taken).index(action)]
            taken = (*taken, _to(action))
            betting.act(action)
        return own / own.max() if own.max() > 0 else found


def _has(tree: BettingTree, taken: Sequence[int]) -> bool:
    """Return whether a tree has these actions from its root on."""
    node = 0
    for to in taken:
        choices = tree.to[node, : tree.choices[node]].tolist()
        if to not in choices:
            return False
        node = int(tree.child[node, choices.index(to)])
    return True


def _to(action: Action) -> int:
    """Return an action as in ``BettingTree.to``."""
    return action.to if action.kind == "raise" else 0


def _ranges(policy: NoLimitPolicy, spot: Spot) -> Floats:
    """Return how likely both players come to a street with each hand by the trained strategy, float64[2,
    1326]; the largest is 1, and all hands are alike for a player who never comes there.
    """
    reach = np.ones((2, HANDS))
    for node, action in spot.steps:
        states = policy.cards.all_states(spot.board[: _BOARDS[policy.tree.street[node]]])
        reach[policy.tree.player[node]] *= policy.rows(node, states)[:, action]
    reach *= live(spot.board)
    reach[reach.max(axis=1) <= 0] = live(spot.board)
    found: Floats = reach / reach.max(axis=1, keepdims=True)
    return found


def _hands_on(board: tuple[int, ...]) -> Hands:
    """Return the hands that a board of four or five cards leaves."""
    if len(board) < _BOARDS[RIVER]:
        hands = np.flatnonzero(live(board))
        return Hands(hands, CARDS[hands].astype(np.int64), np.empty(0, np.int64))
    hands, ranks = np.empty(HANDS, np.int64), np.empty(HANDS, np.int64)
    count = rank_hands(TABLE, *keys_of(board), hands, ranks)
    order = order_of(ranks[:count])
    ranks = ranks[order]
    ends = np.searchsorted(ranks, ranks, side="right").astype(np.int64)
    return Hands(hands[order], CARDS[hands[order]].astype(np.int64), ends)


def _rivers(board: tuple[int, ...]) -> list[tuple[int, ...]]:
    return [(*board, card) for card in range(52) if card not in board]


def _below(board: tuple[int, ...], hands: Hands) -> Below:
    """Return the rivers below a turn."""
    rivers = [_hands_on(river) for river in _rivers(board)]
    place = np.full(HANDS, -1, np.int64)
    place[hands.hands] = np.arange(len(hands.hands))
    down = np.array([place[river.hands] for river in rivers])
    up = np.full((len(rivers), len(hands.hands)), -1, np.int64)
    for row, hands_there in zip(up, down, strict=True):
        row[hands_there] = np.arange(len(hands_there))
    return Below(
        cards=np.array([river.cards for river in rivers]),
        ends=np.array([river.ends for river in rivers]),
        down=down,
        first=np.arange(len(rivers) + 1),
        up=up,
        # Of the 48 cards that the turn leaves, each player holds two.
        share=1 / (len(rivers) - 4),
    )


def _offer(
    policy: NoLimitPolicy, spot: Spot, hands: Hands, below: Below | None, own: Floats, paid: int
) -> Floats | None:
    """Return what the opponent's hands win where both play the trained strategy, in chips, [1, hands]; None
    if its betting is over. ``paid``: chips that each has paid before the street.
    """
    tree, opponent = policy.tree, 1 - spot.position
    if tree.player[spot.first] < 0:
        return None
    here = street_from(tree, spot.street, [spot.first])
    weights = _weights(policy, here, spot.board, hands.hands)
    reach, values = np.empty((2, len(here.node), len(hands.hands)))
    reach[:1] = own
    if below is None:
        last_values(here, opponent, hands.cards, hands.ends, weights, reach, values, EXPECT)
    else:
        last = street_from(tree, RIVER, here.node[here.ends].tolist())
        later = np.empty((len(below.down), last.rows, last.child.shape[1], below.down.shape[1]), np.uint8)
        for at, (river, down) in enumerate(zip(_rivers(spot.board), below.down, strict=True)):
            later[at] = _weights(policy, last, river, hands.hands[down])
        two_streets(
            here,
            last,
            below,
            opponent,
            hands.cards,
            weights,
            later,
            reach,
            values,
            EXPECT,
            0.0,
            weights,
            later,
        )
    return values[:1] * (paid / int(tree.paid[spot.first].min()))


def _weights(policy: NoLimitPolicy, street: Street, board: tuple[int, ...], hands: Ints) -> Bytes:
    """Return the trained strategy on a street in parts, uint8[rows, most, hands]."""
    states = policy.cards.all_states(board)[hands]
    found = np.zeros((street.rows, street.child.shape[1], len(hands)), np.uint8)
    for node, row in zip(street.node.tolist(), street.row.tolist(), strict=True):
        if row >= 0:
            parts = policy.parts(node, states)
            found[row, : parts.shape[1]] = parts.T
    return found
