"""Small games, and a best response to a strategy that follows every card and every action by itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np

from dealer.rules.cards import RANKS
from dealer.rules.evaluation import rank_hand
from dealer.rules.games import Game, parse_game
from strategy.abstraction.abstraction import States
from strategy.nolimit.boards import all_boards
from strategy.nolimit.response import Profile, profile_of
from strategy.nolimit.sampling import layout_of
from strategy.nolimit.small import SmallDeals
from strategy.nolimit.tree import betting_tree, parse_menu
from strategy.poker.combos import CLASSES, combo_index, live

assert len(RANKS) == 13


def small_game(hole: int = 2, board: str = "0 1 1", stack: int = 9, ranks: int = 4, suits: int = 2) -> Game:
    rounds = len(board.split())
    text = f"""GAMEDEF
nolimit
numPlayers = 2
numRounds = {rounds}
stack = {stack} {stack}
blind = 2 1
firstPlayer = {" ".join("2" + "1" * (rounds - 1))}
numSuits = {suits}
numRanks = {ranks}
numHoleCards = {hole}
numBoardCards = {board}
END GAMEDEF
"""
    return parse_game(text, "small")


def random_profile(game: Game, menu: str, seed: int = 1, *, by_strength: bool = False) -> Profile:
    tree = betting_tree(game, parse_menu(menu, game.rounds))
    deals = SmallDeals(all_boards(game), by_strength=by_strength)
    layout = layout_of(tree, deals.sizes)
    random = np.random.default_rng(seed)
    policy = random.random(layout.size).astype(np.float32)
    for street, states in enumerate(deals.sizes):
        for node in np.flatnonzero((tree.player >= 0) & (tree.street == street)).tolist():
            for state in range(states):
                here = slice(
                    layout.slot(street, node, state),
                    layout.slot(street, node, state) + int(tree.choices[node]),
                )
                policy[here] /= policy[here].sum()
    return profile_of(tree, deals, policy)


class BruteForce:
    """The value of a best response by recursion over raw cards, without vectors and without swapped suits."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.game = profile.tree.game
        self.deck = sorted(self.game.deck)
        self._states: dict[object, int] = {}

    def value(self, player: int) -> float:
        hands = [tuple(hand) for hand in combinations(self.deck, self.game.hole_cards)]
        total = 0.0
        for own in hands:
            others = {hand: 1.0 for hand in hands if not set(hand) & set(own)}
            total += self._best(player, own, 0, (), others) / len(others)
        return total / len(hands)

    def _best(
        self,
        player: int,
        own: tuple[int, ...],
        node: int,
        board: tuple[tuple[int, ...], ...],
        others: dict[tuple[int, ...], float],
    ) -> float:
        tree = self.profile.tree
        if not others:
            return 0.0
        over = tree.player[node] < 0
        loser = int(tree.loser[node])
        stake = int(tree.paid[node].min())
        if over and loser >= 0:
            return sum(others.values()) * (stake if loser != player else -stake)
        if len(board) < tree.street[node]:
            return self._deal(player, own, node, board, others)
        if over:
            cards = [card for street in board for card in street]
            mine = rank_hand([*own, *cards])
            return sum(
                weight * stake * ((mine > theirs) - (mine < theirs))
                for other, weight in others.items()
                for theirs in [rank_hand([*other, *cards])]
            )
        children = tree.child[node, : tree.choices[node]].tolist()
        if tree.player[node] == player:
            return max(self._best(player, own, child, board, others) for child in children)
        total = 0.0
        for action, child in enumerate(children):
            kept = {hand: w * self._chance(node, action, board, hand) for hand, w in others.items()}
            total += self._best(player, own, child, board, kept)
        return total

    def _deal(
        self,
        player: int,
        own: tuple[int, ...],
        node: int,
        board: tuple[tuple[int, ...], ...],
        others: dict[tuple[int, ...], float],
    ) -> float:
        known = {*own, *(card for street in board for card in street)}
        dealt = self.game.board_cards[len(board) + 1]
        free = [card for card in self.deck if card not in known]
        ways = 1
        for place in range(dealt):
            ways = ways * (len(free) - self.game.hole_cards - place) // (place + 1)
        total = 0.0
        for cards in combinations(free, dealt):
            kept = {hand: weight for hand, weight in others.items() if not set(hand) & set(cards)}
            total += self._best(player, own, node, (*board, cards), kept)
        return total / ways

    def _chance(
        self, node: int, action: int, board: tuple[tuple[int, ...], ...], hand: tuple[int, ...]
    ) -> float:
        profile, street = self.profile, len(board)
        key = (board, hand)
        if key not in self._states:
            self._states[key] = self._state(board, hand)
        slot = profile.layout.slot(street, node, self._states[key])
        return float(profile.policy[slot + action])

    def _state(self, board: tuple[tuple[int, ...], ...], hand: tuple[int, ...]) -> int:
        profile = self.profile
        street = len(board)
        suits = sorted({card & 3 for card in self.deck})
        kept = {tuple(row): place for place, row in enumerate(profile.boards.streets[street].cards.tolist())}
        for order in permutations(suits):
            swap = {card: self.deck.index(card & ~3 | order[suits.index(card & 3)]) for card in self.deck}
            cards = tuple(card for part in board for card in sorted(swap[one] for one in part))
            if cards in kept:
                place = kept[cards]
                held = sorted(swap[card] for card in hand)
                hands = profile.boards.hands[profile.boards.streets[street].hands[place]][:, : len(held)]
                (found,) = np.flatnonzero((hands == held).all(axis=1))
                return int(profile.deals.states[street][place, found])
        raise AssertionError(board)


class ClassCards:
    """Card states of hold'em on all boards: a hand's class."""

    def state(self, hole: Sequence[int], board: tuple[int, ...]) -> int:
        return int(CLASSES[combo_index(*hole)])

    def all_states(self, board: tuple[int, ...]) -> States:
        return np.where(live(board), CLASSES, -1).astype(np.int32)
