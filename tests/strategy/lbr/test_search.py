"""The bot that solves streets, for a local best response: it plays as at a table."""

from __future__ import annotations

import pytest

from dealer.rules.actions import CALL, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.games import holdem
from strategy.lbr.response import RIVER, Freedom, raw_deals
from strategy.lbr.search import SearchStrategy
from strategy.nolimit_bots.bot import NoLimitSearchBot
from strategy.nolimit_bots.parameters import SearchParameters
from strategy.nolimit_bots.policy import load_policy
from strategy.poker.combos import combo_index
from strategy.situation import situation_at

GAME = holdem(2, 50, 100, stack=2_000)
BOARD = (0, 5, 22, 34, 3)
QUICK = SearchParameters(iterations=10, turn_iterations=2)
#: Before the flop, on the turn, and on the river against a bet of a size that no menu has.
SPOTS: tuple[tuple[Action, ...], ...] = (
    (),
    (raise_to(300), CALL, CALL, CALL),
    (raise_to(300), CALL, CALL, CALL, CALL, raise_to(450), CALL, raise_to(137)),
)


@pytest.mark.parametrize("actions", SPOTS)
def test_it_plays_as_the_bot_does_at_a_table(actions: tuple[Action, ...]) -> None:
    strategy, betting = SearchStrategy(load_policy(20), GAME, QUICK), Betting(GAME)
    position = _who_acts_after(actions)
    view = strategy.start(position)
    for action in actions:
        chance, view = max(strategy.after(view, betting, action), key=lambda pair: pair[0])
        assert chance == pytest.approx(1)
        betting.act(action)
    board = BOARD[: (0, 3, 4, 5)[betting.street]]
    told = strategy.answers(view, betting, board)
    for hole in ((40, 44), (48, 49), (9, 13)):
        bot = NoLimitSearchBot(1, GAME, QUICK)
        bot.decide(situation_at(betting, hole, board))
        chances = told.chances[combo_index(*hole)].tolist()
        found = {action: one for action, one in zip(told.actions, chances, strict=True) if one > 0}
        assert found == pytest.approx(bot.chances)


def test_a_raise_of_its_own_for_which_the_trained_strategy_has_no_place_is_followed() -> None:
    # A bet of three times the pot may count as all-in, which can only be called: the river solved raises it.
    game = holdem(2, 50, 100, stack=20_000)
    strategy = SearchStrategy(load_policy(200), game, SearchParameters(iterations=5, turn_iterations=0))
    betting, view = Betting(game), strategy.start(1)
    for action in (CALL,) * 6:
        ((_, view),) = strategy.after(view, betting, action)
        betting.act(action)
    views = strategy.after(view, betting, raise_to(600))
    betting.act(raise_to(600))
    assert len(views) == 2
    for _, view in views:
        assert max(action.to for action in strategy.answers(view, betting, BOARD).actions) == 19_900
        ((chance, _),) = strategy.after(view, betting, raise_to(19_900))
        assert chance == 1
    freedom = Freedom((3.0,), RIVER)
    won, _ = raw_deals(strategy, freedom, range(3), paths=2)
    assert len(won) == 3


def _who_acts_after(actions: tuple[Action, ...]) -> int:
    betting = Betting(GAME)
    for action in actions:
        betting.act(action)
    return betting.to_act
