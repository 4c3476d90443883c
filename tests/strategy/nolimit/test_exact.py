from __future__ import annotations

import pytest

from dealer.rules.games import load_game
from strategy.nolimit.resolve import River, Turn
from strategy.nolimit.response import Responder, exploitability
from strategy.nolimit.streets import EXPECT
from tests.strategy.nolimit.games import BruteForce, random_profile, small_game

LEDUC_VALUE = -0.085606
"""Chips, of the first position in equilibrium."""


@pytest.mark.parametrize(
    ("hole", "board", "menu", "by_strength"),
    [
        (2, "0 1", "1/1", False),
        (2, "0 1 1", "a/1,a/1", True),
        (1, "0 2 1", "1 a,a/0.5,a/a", False),
        (1, "0", "1,a", False),
    ],
)
def test_a_best_response_wins_what_one_by_brute_force_wins(
    hole: int, board: str, menu: str, by_strength: bool
) -> None:
    profile = random_profile(small_game(hole, board), menu, by_strength=by_strength)
    brute = BruteForce(profile)
    for player in range(2):
        assert Responder(profile, player).value() == pytest.approx(brute.value(player), abs=1e-6)


def test_what_one_player_wins_the_other_loses() -> None:
    profile = random_profile(small_game(), "1 a,a/1/1")
    first, second = (Responder(profile, player, mode=EXPECT).value() for player in range(2))
    assert first == pytest.approx(-second, abs=1e-9)
    assert Responder(profile, 0).value() > first


def test_leduc_played_by_chance_loses_what_other_programs_find() -> None:
    tree_and_cards = random_profile(load_game("leduc.limit.2p"), "1,1/1,1")
    even = tree_and_cards.policy.copy()
    layout, tree = tree_and_cards.layout, tree_and_cards.tree
    for node in range(len(tree.player)):
        if tree.player[node] >= 0:
            street = int(tree.street[node])
            for state in range(tree_and_cards.deals.sizes[street]):
                start = layout.slot(street, node, state)
                even[start : start + int(tree.choices[node])] = 1 / int(tree.choices[node])
    # OpenSpiel's NashConv of the uniform strategy, 4.747222, is twice this.
    assert exploitability(tree_and_cards._replace(policy=even))[0] == pytest.approx(4.747222 / 2, abs=1e-5)


def test_leduc_solved_again_from_the_start_is_in_equilibrium() -> None:
    profile = random_profile(load_game("leduc.limit.2p"), "1,1/1,1")
    for player, value in ((0, LEDUC_VALUE), (1, -LEDUC_VALUE)):
        games = Turn(profile, 1 - player, "unsafe", 1000)
        assert Responder(profile, player, at=0, subgames=games).value() == pytest.approx(value, abs=1e-3)


@pytest.mark.parametrize("kind", [River, Turn])
@pytest.mark.parametrize("method", ["cfr-d", "combined"])
def test_solving_again_loses_less_to_a_best_response(kind: type[River] | type[Turn], method: str) -> None:
    profile = random_profile(small_game(stack=18), "1/1/1", by_strength=True)
    before = exploitability(profile)[1]
    for player in range(2):
        games = kind(profile, 1 - player, method)
        after = Responder(profile, player, at=games.street, subgames=games).value()
        assert after < before[player] - 0.1


def test_threads_change_nothing() -> None:
    profile = random_profile(small_game(), "1/1/1")
    games = River(profile, 1, "combined", 20)
    one, two = (
        Responder(profile, 0, at=games.street, subgames=games, workers=workers).value() for workers in (1, 2)
    )
    assert one == two
