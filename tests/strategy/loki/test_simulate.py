from __future__ import annotations

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from strategy.loki import simulate as simulation
from strategy.loki.simulate import LokiEstimate, simulate
from strategy.loki.triples import ROWS
from strategy.poker.combos import combo_index, parse_range, uniform
from strategy.poker.dealing import cumulative
from strategy.poker.kernels import keys_of, rng

CALLER = (-9.0, 9.0)
"""Thresholds of one who never folds nor raises."""


def deal(
    hole: str,
    board: str,
    opponent: str,
    *,
    to_call: int = 0,
    pot: int = 40,
    thresholds: tuple[float, float] = CALLER,
    stack: int = 1000,
) -> simulation.LokiSpot:
    """Two players, bets of 20: position 1 decides; position 0 has checked or bet."""
    own, cards = parse_cards(hole), parse_cards(board)
    table = parse_range(opponent)
    paid = pot // 2
    street = len(cards) - 2
    facing = to_call > 0
    players = np.array(
        [
            [stack, stack],
            [paid + to_call, paid],
            [to_call, 0],
            [int(facing), 0],
            [int(facing), 0],
            [0, 0],
            [0, 1],
        ]
    )
    return simulation.LokiSpot(
        players=players,
        now=np.array([street, int(facing), int(facing), 1]),
        opponents=np.array([0]),
        sums=cumulative([table], (*own, *cards)),
        own=combo_index(*own),
        board_key=keys_of(cards)[0],
        board_mask=keys_of(cards)[1],
        strengths=np.full((2, 2, 1326), 0.5),
        ppots=np.zeros(1326),
        rivals=np.array([[np.flatnonzero(table * uniform(cards))] * 2] * 2),
        thresholds=np.array([thresholds, CALLER]),
        first=np.zeros(4, np.int64),
        sizes=np.array([10, 10, 20, 20]),
        caps=np.array([3, 4, 4, 4]),
        rows=CALL_ROWS,
    )


CALL_ROWS = np.zeros((2, *ROWS.shape))
CALL_ROWS[..., 1] = 1
FOLD_ROWS = CALL_ROWS.copy()
FOLD_ROWS[:, 1:5] = (1, 0, 0)
RIVER = "2c7dTsJh4c"


def run(one: simulation.LokiSpot, raise_to: int = 20, trials: int = 200) -> LokiEstimate:
    return simulate(rng("test"), one, raise_to, trials)


def test_the_nuts_on_the_river_win_the_pot_and_a_bet() -> None:
    assert run(deal("9h8h", RIVER, "AcKc")) == LokiEstimate(40, 60, 200)
    assert run(deal("9h8h", RIVER, "AcKc", to_call=20), raise_to=40) == LokiEstimate(60, 80, 200)


def test_the_worst_hand_loses_what_it_pays_and_wins_where_the_other_folds() -> None:
    assert run(deal("5h3d", RIVER, "AcKc")) == LokiEstimate(0, -20, 200)
    folding = deal("5h3d", RIVER, "AcKc")._replace(rows=FOLD_ROWS, strengths=np.zeros((2, 2, 1326)))
    assert run(folding) == LokiEstimate(0, 40, 200)


def test_equal_hands_share() -> None:
    assert run(deal("AhKh", RIVER, "AcKc")) == LokiEstimate(20, 20, 200)


def test_the_turn_is_played_on_to_the_river() -> None:
    # Nine hearts, of which none pairs the opponent's set to a full house, and no other out: 9 of 44 rivers.
    one = deal("AhKh", "2h7hTsJc", "TcTd")._replace(rows=CALL_ROWS)
    found = run(one, trials=20_000)
    wins = sum(1 for card in range(52) if card not in {*parse_cards("AhKh2h7hTsJcTcTd")} and _wins(card))
    assert found.call == pytest.approx(40 * wins / 44, abs=0.5)
    assert found.raise_ == pytest.approx((60 + 20) * wins / 44 - 20, abs=0.8)


def _wins(card: int) -> bool:
    from dealer.rules.evaluation import rank_hand

    board = (*parse_cards("2h7hTsJc"), card)
    return rank_hand((*parse_cards("AhKh"), *board)) > rank_hand((*parse_cards("TcTd"), *board))


def test_opponents_hold_what_their_tables_say() -> None:
    mixed = run(deal("QhQd", RIVER, "AcAd, 3h3d"), trials=20_000)
    assert mixed.call == pytest.approx(20, abs=0.6)


def test_a_fold_wins_nothing_and_each_trial_is_played_twice() -> None:
    # Peña 1999, 5.1: the same cards after a call and after a raise. Against one who always calls a bet of 20
    # more, the raise wins or loses exactly 20 more in each trial.
    one = deal("QhQd", RIVER, "AcAd, 3h3d")
    for trials in (1, 2, 7, 50):
        found = run(one, trials=trials)
        wins = found.call / 40
        assert found.raise_ == pytest.approx(60 * wins - 20 * (1 - wins))
        assert wins * trials == pytest.approx(round(wins * trials))


def test_a_bet_may_be_seen_in_its_branch_alone() -> None:
    # The opponent thinks his hand good while it is checked to him, and bad after a bet.
    one = deal("5h3d", RIVER, "AcKc")._replace(rows=FOLD_ROWS, thresholds=np.array([(0.5, 0.85), CALLER]))
    strengths = np.ones((2, 2, 1326))
    assert run(one._replace(strengths=strengths)).raise_ == -20
    strengths[1] = 0
    assert run(one._replace(strengths=strengths)) == LokiEstimate(0, 40, 200)


def test_no_hands_no_trials() -> None:
    one = deal("AhKh", RIVER, "QcQd")
    both = one._replace(
        players=np.hstack([one.players, one.players[:, :1]]),
        opponents=np.array([0, 2]),
        sums=np.vstack([one.sums, one.sums]),
        strengths=np.zeros((2, 3, 1326)),
        rivals=one.rivals[:, [0, 1, 0]],
        rows=CALL_ROWS[[0, 1, 0]],
        thresholds=np.vstack([one.thresholds, one.thresholds[:1]]),
    )
    assert run(both) == LokiEstimate(0, 0, 0)


def test_a_seed_gives_the_same_trials() -> None:
    one = deal("QhQd", RIVER[:6], "*")._replace(
        rows=np.array([ROWS] * 2), thresholds=np.array([(0.5, 0.85)] * 2)
    )
    assert run(one) == run(one)
    assert run(one) != simulate(rng("other"), one, 20, 200)
