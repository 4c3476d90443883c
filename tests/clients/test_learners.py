"""What the learners among the examples make of observations."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from clients.examples.learners import learn_cfr
from clients.examples.learners.kernels import AT, BETTINGS, HANDS, Seen, betting_of, hand_of, strengths
from clients.examples.learners.learner import GAME
from clients.examples.learners.net_policy import features
from dealer.rules.games import load_game
from strategy.batch.learning import LearningTables
from strategy.poker.equity import equity
from strategy.poker.kernels import TABLE
from strategy.poker.preflop import hand_class


class Walk(NamedTuple):
    """Decisions of random players: what they saw, and what they might do."""

    seen: Seen
    mask: NDArray[np.int8]


@cache
def walk() -> Walk:
    random = np.random.default_rng(5)
    tables = LearningTables(load_game(GAME), 64)
    tables.reset("walk")
    seen, masks = [], []
    for _ in range(120):
        seen.append(tables.seen.copy())
        masks.append(tables.mask.copy())
        # Folds are rare, so that hands come to the river.
        tables.choose((tables.mask * random.random(tables.mask.shape) * (0.2, 1, 1)).argmax(axis=1))
    return Walk(np.concatenate(seen), np.concatenate(masks))


def cards(row: Seen) -> tuple[list[int], list[int]]:
    own, board = np.flatnonzero(row[:52]), np.flatnonzero(row[52:208])
    return own.tolist(), (board % 52).tolist()


def test_strength_is_the_equity_against_a_random_hand() -> None:
    seen = walk().seen
    rows = [row for row in seen if row[AT["street"] + 3]][:100]
    assert len(rows) == 100
    exact = np.array([equity(*cards(row), 1, random=Random(1), samples=1) for row in rows])
    found = strengths(np.array(rows))
    assert abs((found - exact).mean()) < 0.02
    assert np.abs(found - exact).max() < 0.25
    assert strengths(np.array(rows[::-1])).tolist() == found[::-1].tolist()


def test_a_number_of_the_betting_means_one_price_and_one_pot() -> None:
    meanings = defaultdict(set)
    for row, mask in zip(*walk(), strict=True):
        number = betting_of(row)
        assert 0 <= number < BETTINGS
        meanings[number].add((row[AT["price"]], row[AT["pot"]], *mask, *row[AT["street"] : AT["pot"]]))
    assert {len(meaning) for meaning in meanings.values()} == {1}
    assert len(meanings) > 100


def test_a_number_of_the_hand_before_the_flop_is_its_class() -> None:
    work = np.zeros(1, np.uint64)
    classes = defaultdict(set)
    for row in walk().seen:
        number = hand_of(TABLE, row, work)
        assert 0 <= number < HANDS
        if row[AT["street"]]:
            classes[number].add(hand_class(tuple(cards(row)[0])))
    assert {len(names) for names in classes.values()} == {1}
    assert len(set.union(*classes.values())) == len(classes) > 150


def test_a_net_is_shown_small_numbers() -> None:
    shown = features(walk().seen)
    assert len(shown) == len(walk().seen)
    assert np.isfinite(shown).all()
    assert shown.max() < 50


def test_the_table_plays_what_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    average = np.zeros((BETTINGS * HANDS, 3), np.uint8)
    average[:, 2] = 255
    np.savez_compressed(tmp_path / "raises.npz", average=average)
    monkeypatch.setenv("LEARNED", str(tmp_path / "raises.npz"))
    seen, mask = walk()
    chosen = learn_cfr.policy(seen, mask)
    assert (chosen[mask[:, 2] == 1] == 2).all()
    # Where there is no raise, all that is legal is as good.
    assert set(chosen[mask[:, 2] == 0]) <= {0, 1}
