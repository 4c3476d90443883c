from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from dealer.rules.errors import GameError
from dealer.rules.games import Game, holdem, load_game
from dealer.rules.hand import HandState
from strategy.nolimit.tree import BettingTree, MenuError, betting_tree, parse_menu

HOLDEM5 = load_game("holdem5.nolimit.2p")


class Cards:
    """Cards from the deck's end for the players, and from its start for the board."""

    def __init__(self, game: Game) -> None:
        self.game = game
        deck = game.deck
        self.hole = tuple(tuple(deck[-2 * (seat + 1) :][: game.hole_cards]) for seat in range(2))

    def board(self, street: int) -> tuple[int, ...]:
        before = sum(self.game.board_cards[:street])
        return self.game.deck[before : before + self.game.board_cards[street]]


def paths(tree: BettingTree) -> Iterator[int]:
    yield from np.flatnonzero(tree.player < 0).tolist()


def path_to(tree: BettingTree, node: int) -> list[int]:
    found: list[int] = []
    while node:
        found.append(node)
        node = int(tree.parent[node])
    return found[::-1]


@pytest.mark.parametrize(
    ("game", "menu"),
    [
        (HOLDEM5, "1/1/1/1"),
        (HOLDEM5, "0.5 1 a,1 a,a/1 a,a/1 a/1 a"),
        (holdem(2, 50, 100, stack=1000), "0.5 1 a,a/1 a/1 a/1 a"),
        (load_game("leduc.limit.2p"), "1,1/1,1"),
    ],
)
def test_every_path_is_a_hand_with_the_same_chips(game: Game, menu: str) -> None:
    tree = betting_tree(game, parse_menu(menu, game.rounds))
    for end in paths(tree):
        hand = HandState(game, Cards(game))
        at = 0
        for node in path_to(tree, end):
            assert hand.to_act == tree.player[at]
            assert hand.betting.street == tree.street[at]
            hand.act(tree.actions(at)[tree.action[node]])
            assert hand.betting.spent == tree.paid[node].tolist()
            at = node
        assert hand.over
        loser = int(tree.loser[end])
        if loser >= 0:
            assert hand.values[loser] == -tree.paid[end, loser]
        assert hand.betting.folded == [loser == 0, loser == 1]


def test_all_in_is_there_wherever_a_raise_is_legal() -> None:
    game = HOLDEM5
    tree = betting_tree(game, parse_menu("1 a,1 a,1 a,a/1 a,1 a,a/1 a,a/1 a,a", 4))
    for node in np.flatnonzero(tree.player >= 0).tolist():
        last = int(tree.child[node, tree.choices[node] - 1])
        player = int(tree.player[node])
        facing_all_in = tree.paid[node, 1 - player] == game.stacks[1 - player]
        assert facing_all_in or tree.paid[last, player] == game.stacks[player]


def test_a_pot_is_bet_after_the_call() -> None:
    tree = betting_tree(HOLDEM5, parse_menu("1/1/1/1", 4))
    assert tree.to[0, :3].tolist() == [-1, 0, 6]
    assert sorted(set(tree.paid.min(axis=1).tolist())) == [1, 2, 6, 18, 54, 162]


@pytest.mark.parametrize("text", ["1/1", "1/1/1/x", "1/1/1/0", "1/1/1/-1", "inf/1/1/1", "1/1/1/nan"])
def test_what_is_no_menu_is_refused(text: str) -> None:
    with pytest.raises(MenuError):
        parse_menu(text, 4)


def test_three_players_are_refused() -> None:
    with pytest.raises(GameError):
        betting_tree(holdem(3, 1, 2), parse_menu("1/1/1/1", 4))
