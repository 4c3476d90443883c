"""Batches of tables are equal to ``dealer.rules``, hand for hand."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import numpy as np
import pytest

from dealer.rules.actions import Action
from dealer.rules.games import Game, holdem, load_game
from dealer.rules.hand import HandState
from strategy.batch import betting
from strategy.batch.hands import Tables
from strategy.checks import UnplayableGame
from tests.strategy.batch.walks import KINDS, any_action, verify_hands


@pytest.mark.parametrize("seed", range(4))
def test_every_state_and_pay_off_is_that_of_the_rules(seed: int) -> None:
    assert verify_hands(seed, 500) > 4000


class Dealt(NamedTuple):
    """The cards that a table of the batch has."""

    hole: tuple[tuple[int, ...], ...]
    shown: tuple[int, ...]

    def board(self, street: int) -> tuple[int, ...]:
        return self.shown[(0, 0, 3, 4)[street] : (0, 3, 4, 5)[street]]


def dealt(row: list[int], players: int) -> Dealt:
    hole = tuple((row[2 * position], row[2 * position + 1]) for position in range(players))
    return Dealt(hole, tuple(row[2 * players :]))


@pytest.mark.parametrize(
    "game",
    [
        load_game("holdem.limit.2p.reverse_blinds"),
        load_game("holdem.nolimit.3p"),
        holdem(6, 5, 10, ante=1, stack=300),
        holdem(6, 5, 10, straddle=20, stack=300),
        holdem(10, 5, 10, limit=True, stack=120),
        holdem(2, 50, 100, stack=1000, rules="pushfold"),
    ],
    ids=lambda game: f"{game.name} {game.players}",
)
def test_tables_play_whole_hands_as_the_rules_do(game: Game) -> None:
    size, random = 200, Random(game.name)
    tables = Tables(game, size, "test")
    assert all(len(set(row)) == len(row) for row in tables.cards.tolist())
    hands = [HandState(game, dealt(row, game.players)) for row in tables.cards.tolist()]
    while not tables.over.all():
        legal = tables.legal().tolist()
        asked = [Action("call") if hand.over else any_action(random, hand.betting) for hand in hands]
        for hand, said in zip(hands, legal, strict=True):
            fold, call, low, high = hand.legal()
            assert said == [fold, call, low or 0, high or 0]
        kinds = np.array([KINDS[action.kind] for action in asked], np.int8)
        done = tables.act(kinds, np.array([action.to for action in asked], np.int64))
        assert done.tolist() == [not hand.over for hand in hands]
        for hand, action in zip(hands, asked, strict=True):
            if not hand.over:
                hand.act(action)
    assert tables.values.tolist() == [list(hand.values) for hand in hands]


def test_what_is_not_legal_changes_nothing() -> None:
    tables = Tables(holdem(3, 5, 10, stack=1000), 5, "test")
    before = tables.rows.copy()
    kinds = np.array([betting.RAISE, betting.RAISE, betting.RAISE, 3, -1], np.int8)
    assert not tables.act(kinds, np.array([19, 1001, -5, 0, 0])).any()
    assert (tables.rows == before).all()


def test_cards_follow_from_the_seed_and_the_table_alone() -> None:
    game = holdem(2, 5, 10)
    few, many, other = Tables(game, 3, "a"), Tables(game, 50, "a"), Tables(game, 3, "b")
    for _ in range(3):
        assert (few.cards == many.cards[:3]).all()
        assert (few.cards != other.cards).any()
        few.deal()
        many.deal()
        other.deal()


def test_every_card_comes_everywhere_alike() -> None:
    tables = Tables(holdem(2, 5, 10), 52_000, "even")
    counts = np.array([np.bincount(column, minlength=52) for column in tables.cards.T])
    # 1,000 expected of each: the chi-square of each place has a mean of 51 and a deviation of 10.
    assert (((counts - 1000) ** 2 / 1000).sum(axis=1) < 110).all()


def test_other_games_are_refused() -> None:
    with pytest.raises(UnplayableGame):
        Tables(load_game("leduc.limit.2p"), 2, "test")
