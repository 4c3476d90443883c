"""Equities of all-ins before the flop, against identities, known figures and other code."""

from __future__ import annotations

import json
from math import comb
from pathlib import Path

import numpy as np
import pytest

from strategy.poker import allin
from strategy.poker.allin import BOARDS, CLASSES, AllInError, all_in_table
from strategy.poker.allin_kernel import _count, canonical_boards
from strategy.poker.combos import CARDS
from strategy.poker.combos import CLASSES as CLASS_OF
from strategy.poker.kernels import TABLE, rank_rows
from strategy.poker.preflop import HAND_CLASSES, preflop_equity


def test_a_win_and_a_loss_are_all() -> None:
    table = all_in_table()
    assert (table.points + table.points.T == 2 * BOARDS * table.pairs).all()
    assert table.equity + table.equity.T == pytest.approx(np.ones((CLASSES, CLASSES)))
    assert (table.pairs == table.pairs.T).all()
    assert table.pairs.sum() == comb(52, 2) * comb(50, 2)


@pytest.mark.parametrize(
    ("first", "second", "equity"),
    [
        ("AA", "KK", 0.819461),
        ("AKs", "QQ", 0.460485),
        ("AKo", "22", 0.473508),
        ("AA", "72o", 0.881996),
        ("KK", "AKo", 0.698805),
        ("JTs", "32o", 0.687169),
    ],
)
def test_known_equities(first: str, second: str, equity: float) -> None:
    found = all_in_table().equity[HAND_CLASSES.index(first), HAND_CLASSES.index(second)]
    assert found == pytest.approx(equity, abs=5e-7)


def test_against_a_random_hand() -> None:
    table = all_in_table()
    average = (table.points.sum(axis=1)) / (2 * BOARDS * table.pairs.sum(axis=1))
    best, worst = (HAND_CLASSES[place] for place in (average.argmax(), average.argmin()))
    assert (best, worst) == ("AA", "32o")
    assert average.max() == pytest.approx(0.85204, abs=5e-6)
    assert average.min() == pytest.approx(0.32303, abs=5e-6)
    # The sampled table of the same, for every class.
    for number, name in enumerate(HAND_CLASSES):
        hand = CARDS[np.flatnonzero(number == CLASS_OF)[0]].tolist()
        assert average[number] == pytest.approx(preflop_equity(hand, 1), abs=0.005), name


def test_boards_stand_for_all() -> None:
    boards, weights = canonical_boards()
    assert boards.shape == (134_459, 5)
    assert weights.sum() == comb(52, 5)
    assert set(weights.tolist()) <= {1, 4, 6, 12, 24}


def test_the_count_on_some_boards_is_that_of_pair_by_pair() -> None:
    boards, weights = canonical_boards()
    some = np.array([0, 5_000, 77_777, 134_458])
    found = np.zeros((CLASSES, CLASSES), np.int32)
    _count(TABLE, boards[some], weights[some], found)
    expected = np.zeros((CLASSES, CLASSES), np.int64)
    for board, weight in zip(boards[some], weights[some], strict=True):
        live = np.flatnonzero(~(CARDS[:, :, None] == board).any(axis=(1, 2)))
        cards, classes = CARDS[live], CLASS_OF[live]
        ranks = rank_rows(TABLE, np.hstack([cards, np.broadcast_to(board, (len(live), 5))]))
        wins = ranks[:, None] > ranks
        wins &= ~(cards[:, None, :, None] == cards[None, :, None, :]).any(axis=(2, 3))
        np.add.at(expected, (classes[:, None], classes[None, :]), weight * wins)
    assert (found == expected).all()


def test_a_changed_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.loads(allin._PATH.read_text("ascii"))
    text["points"][3][4] += 1
    file = tmp_path / "allin.json"
    file.write_text(json.dumps(text))
    monkeypatch.setattr(allin, "_PATH", file)
    with pytest.raises(AllInError) as caught:
        all_in_table.__wrapped__()
    assert caught.value.code == "damaged_table"
