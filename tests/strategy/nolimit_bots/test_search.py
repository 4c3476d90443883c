"""The bots: trained strategies at a table, and streets solved there."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.games import holdem
from strategy.nolimit_bots.bot import NoLimitBot, NoLimitSearchBot
from strategy.nolimit_bots.parameters import SearchParameters
from strategy.nolimit_bots.policy import DEPTHS, load_cards, load_policy, nearest_depth
from strategy.nolimit_bots.search import Search, spot_at
from strategy.poker.combos import combo_index, live
from strategy.situation import Situation, situation_at

GAME = holdem(2, 50, 100, stack=2_000)
QUICK = SearchParameters(iterations=30, turn_iterations=20)
#: 2c 3d 7h Th 2s: nobody has a straight, and four twos are the best hand.
BOARD = (0, 5, 22, 34, 3)
NUTS, WORST = (1, 2), (9, 13)
TO_THE_RIVER = (raise_to(300), CALL, CALL, CALL, CALL, CALL)


def after(*actions: Action, hole: tuple[int, int] = (40, 44), stacks: int = 2_000) -> Situation:
    betting = Betting(GAME, (stacks, stacks))
    for action in actions:
        betting.act(action)
    return situation_at(betting, hole, BOARD[: (0, 3, 4, 5)[betting.street]])


def search_bot() -> NoLimitSearchBot:
    return NoLimitSearchBot(1, GAME, QUICK)


def test_the_strategy_for_the_nearest_stacks_is_played() -> None:
    assert [nearest_depth(depth) for depth in DEPTHS] == list(DEPTHS)
    assert (nearest_depth(1), nearest_depth(10_000)) == (min(DEPTHS), max(DEPTHS))
    for low, high in pairwise(DEPTHS):
        middle = (low * high) ** 0.5
        assert (nearest_depth(middle - 1), nearest_depth(middle + 1)) == (low, high)


def test_probabilities_sum_to_one_in_every_card_state() -> None:
    policy = load_policy(20)
    states = load_cards().all_states(BOARD[:3])
    node = int(np.flatnonzero((policy.tree.street == 1) & (policy.tree.player >= 0))[0])
    rows = policy.rows(node, states)
    assert np.allclose(rows[live(BOARD[:3])].sum(axis=1), 1)
    assert not rows[~live(BOARD[:3])].any()


def test_aces_are_not_folded_and_the_chances_are_told() -> None:
    bot = NoLimitBot(1, GAME)
    for actions in ((), (raise_to(300),), (raise_to(300), raise_to(2_000))):
        assert bot.decide(after(*actions, hole=(48, 49))) != FOLD
        assert sum(bot.chances.values()) == pytest.approx(1)
        assert FOLD not in bot.chances


def test_a_bet_of_another_size_is_answered_legally() -> None:
    for to in (201, 333, 777, 1_999):
        situation = after(raise_to(to))
        betting = Betting(GAME, (2_000, 2_000))
        betting.act(raise_to(to))
        for seed in range(5):
            assert betting.can(NoLimitBot(seed, GAME).decide(situation))


@pytest.mark.parametrize("street", [2, 3])
def test_on_a_solved_street_the_best_hand_never_folds_and_the_worst_does(street: int) -> None:
    before = TO_THE_RIVER[: 2 * street]
    bot = search_bot()
    for bet in (137, 1_000, 1_700):
        assert bot.decide(after(*before, raise_to(bet), hole=NUTS)) != FOLD
        assert bot.chances.get(FOLD, 0) < 0.05
    bot.decide(after(*before, raise_to(1_700), hole=WORST))
    assert bot.chances[FOLD] > 0.8


def test_a_bet_that_the_menu_does_not_have_is_in_the_tree() -> None:
    policy, search = load_policy(20), Search(QUICK)
    situation = after(*TO_THE_RIVER, raise_to(137))
    path = NoLimitBot(1, GAME).path(policy, situation)
    assert path is not None
    found = search.chances(policy, spot_at(policy.tree, path, situation, GAME.blinds, (0, 0)))
    assert [action for action, _ in found][:2] == [FOLD, CALL]
    total = sum(row for _, row in found)
    assert np.allclose(np.asarray(total)[live(BOARD)], 1)
    betting = Betting(GAME, (2_000, 2_000))
    for action in (*TO_THE_RIVER, raise_to(137)):
        betting.act(action)
    assert all(betting.can(action) for action, _ in found)


def test_the_opponent_gains_little_by_other_hands() -> None:
    """Whoever calls all-in with the best hands alone is not paid by hands that bluff always."""
    policy = load_policy(20)
    bot = NoLimitSearchBot(1, GAME, SearchParameters(iterations=200))
    situation = after(*TO_THE_RIVER)
    path = bot.path(policy, situation)
    assert path is not None
    spot = spot_at(policy.tree, path, situation, GAME.blinds, (0, 0))
    chances = dict(Search(SearchParameters(iterations=200, turn_iterations=5)).chances(policy, spot))
    shoves = chances[raise_to(1_700)]
    # The best hands are among those that move in, and weak ones are not all.
    weak = [combo_index(9, 13), combo_index(8, 12), combo_index(9, 12)]
    assert shoves[live(BOARD)].mean() < 0.5
    assert shoves[weak].mean() < 0.9


def test_a_hand_goes_on_where_the_betting_of_the_strategy_is_over() -> None:
    deep = after(raise_to(300), raise_to(900), raise_to(2_700), raise_to(8_000), CALL, stacks=50_000)
    for bot in (NoLimitBot(1, GAME), search_bot()):
        assert bot.decide(deep) == CALL


def test_the_same_seed_plays_the_same() -> None:
    situation = after(*TO_THE_RIVER, raise_to(450))
    assert len({search_bot().decide(situation) for _ in range(2)}) == 1


def test_other_tables_are_left_to_others() -> None:
    for game in (holdem(3, 50, 100), holdem(2, 50, 100, limit=True)):
        situation = situation_at(Betting(game), (48, 49), ())
        assert NoLimitBot(1, game).decide(situation) != FOLD


@pytest.mark.parametrize(("to", "solved_with"), [(450, 0), (137, 1)])
def test_a_raise_that_the_menu_has_needs_no_other_solution(to: int, solved_with: int) -> None:
    """450 is three quarters of the pot, which the river's menu has."""
    policy = load_policy(20)
    situation = after(*TO_THE_RIVER, raise_to(to))
    path = NoLimitBot(1, GAME).path(policy, situation)
    assert path is not None
    spot = spot_at(policy.tree, path, situation, GAME.blinds, (0, 0)).at(policy.tree, 3)
    assert spot.taken() == (to,)
    assert len(spot.least().taken()) == solved_with
