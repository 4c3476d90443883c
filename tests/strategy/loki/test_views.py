from __future__ import annotations

import pytest

from dealer.rules.actions import parse_action
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.events import HandStarted
from dealer.rules.games import Game, holdem
from strategy.loki.views import View, replay
from strategy.playout.betting import bets_to_call, make_opening
from strategy.situation import SituationError, situation_at
from tests.strategy.loki.situations import LIMIT, at

NO_LIMIT = holdem(4, 5, 10, stack=1000)


def faced(game: Game, actions: str) -> View:
    situation = at(game, actions)
    now, _ = replay(situation, make_opening(situation, None))
    return now.view(situation.position)


@pytest.mark.parametrize(
    ("actions", "position", "bets", "to_call", "called"),
    [
        ("", 2, 1, 1, False),
        ("c", 3, 1, 1, False),
        ("r", 3, 2, 2, False),
        ("c r", 0, 2, 2, False),  # a small blind is no bet
        ("c r f", 1, 2, 1, False),
        ("c r f c", 2, 2, 1, True),
        ("c c c c", 0, 0, 0, False),
        ("c c c c r", 1, 1, 1, False),
        ("c c c c r r", 2, 2, 2, False),
        ("c c c c c c r r r", 1, 3, 3, False),
    ],
)
def test_bets_are_counted_with_the_big_blind_as_one(
    actions: str, position: int, bets: int, to_call: int, called: bool
) -> None:
    view = faced(LIMIT, actions)
    assert (view.position, view.bets, view.to_call, view.called) == (position, bets, to_call, called)


@pytest.mark.parametrize(
    ("actions", "waiting"),
    [("", 3), ("c", 2), ("c c c", 0), ("c c c c", 3), ("c c c c c c c", 0), ("c c c c c r", 2)],
)
def test_who_is_yet_to_act(actions: str, waiting: int) -> None:
    assert faced(LIMIT, actions).waiting == waiting


def test_prices_are_those_of_the_pot() -> None:
    assert faced(LIMIT, "").price == pytest.approx(10 / 25)
    assert faced(LIMIT, "c r f").price == pytest.approx(10 / 55)
    flop = faced(LIMIT, "c c c c")
    assert flop.price == 0
    assert flop.bluff_price == pytest.approx(20 / 80)


@pytest.mark.parametrize(("bet", "to_call"), [(20, 1), (40, 1), (60, 2), (150, 2), (200, 3), (990, 3)])
def test_no_limit_bets_are_counted_by_their_price(bet: int, to_call: int) -> None:
    assert faced(NO_LIMIT, f"c c c c r{bet}").to_call == to_call


def test_a_call_of_the_blind_is_one_bet_whatever_its_price() -> None:
    assert faced(NO_LIMIT, "").to_call == 1
    assert bets_to_call(limit=False, behind=0, bets=1, price=0.0, street=0) == 0


def test_all_in_players_count_as_opponents_and_need_not_act() -> None:
    betting = Betting(holdem(3, 5, 10), (30, 400, 400))
    for action in ("r100", "c", "c"):
        betting.act(parse_action(action))
    situation = situation_at(betting, parse_cards("AhKs"), parse_cards("2c7dTs"))
    now, _ = replay(situation, make_opening(situation, None))
    assert now.needs == [False, True, True]
    assert now.view(1).opponents == 2


def test_bets_rise_with_the_blinds_that_were_posted() -> None:
    situation = at(LIMIT, "")
    started = HandStarted(
        situation.hand,
        situation.seats,
        situation.button,
        tuple(map(int, situation.stacks)),
        (0,) * 4,
        (10, 20, 0, 0),
        ((),) * 4,
    )
    assert make_opening(situation, started).sizes == (20, 20, 40, 40)


def test_blinds_cannot_be_guessed_for_another_number_of_players() -> None:
    situation = at(LIMIT, "")._replace(game=holdem(5, 5, 10, limit=True))
    with pytest.raises(SituationError):
        make_opening(situation, None)


def test_an_action_of_a_stranger_is_refused() -> None:
    situation = at(LIMIT, "r")
    stranger = situation._replace(history=(situation.history[0]._replace(seat=9),))
    with pytest.raises(SituationError, match="9"):
        replay(stranger, make_opening(stranger, None))
