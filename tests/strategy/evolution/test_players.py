"""The players of the document's chapter 3, algorithm by algorithm."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from strategy.evolution.players import ComplexPlayers, PlayerKind, SimplePlayers, VariablePlayers, top_tables
from strategy.pushfold.rankings import STRENGTH, top_range

KINDS: list[PlayerKind] = [SimplePlayers(), ComplexPlayers(), VariablePlayers()]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_algorithm_1_initialises_every_player_by_his_kind(kind: PlayerKind) -> None:
    genes = kind.initialise(12, default_rng(1))
    assert len(genes) == 12
    assert len({player.tobytes() for player in genes}) == 12


def test_algorithm_6_draws_both_shares_uniformly() -> None:
    genes = SimplePlayers().initialise(4000, default_rng(1))
    assert genes.min() >= 0
    assert genes.max() <= 1
    # Four standard errors of the mean and of the quarter points.
    assert abs(genes.mean(axis=0) - 0.5).max() < 4 * 0.289 / 4000**0.5
    assert abs((genes < 0.25).mean(axis=0) - 0.25).max() < 4 * 0.433 / 4000**0.5


def test_algorithm_7_exchanges_calls() -> None:
    genes = np.array([[0.1, 0.2], [0.3, 0.4]])
    assert SimplePlayers().cross(genes, default_rng(1)).tolist() == [[0.1, 0.4], [0.3, 0.2]]


def test_the_crossover_of_the_prose_mixes_the_seats() -> None:
    genes = np.array([[0.1, 0.2], [0.3, 0.4]])
    assert SimplePlayers(mixes_raises_and_calls=True).cross(genes, default_rng(1)).tolist() == [
        [0.4, 0.2],
        [0.3, 0.1],
    ]


def test_algorithm_8_swaps_raise_and_call_of_some() -> None:
    genes = np.tile([0.1, 0.9], (1000, 1))
    mutated = SimplePlayers(mutation=0.3).mutate(genes, default_rng(1))
    swapped = (mutated == [0.9, 0.1]).all(axis=1)
    assert (swapped | (mutated == genes).all(axis=1)).all()
    assert 240 < swapped.sum() < 360


def test_jitter_is_ours_and_stays_within_0_and_1() -> None:
    genes = default_rng(1).random((500, 2))
    assert (SimplePlayers(mutation=0).mutate(genes, default_rng(2)) == genes).all()
    moved = SimplePlayers(mutation=0, jitter=1).mutate(genes, default_rng(2))
    assert (moved != genes).any(axis=1).all()
    assert (moved >= 0).all()
    assert (moved <= 1).all()


@pytest.mark.parametrize(("kind", "value"), [(ComplexPlayers(), 1), (VariablePlayers(), 10)])
def test_algorithms_9_and_12_begin_with_the_best_hands(kind: PlayerKind, value: int) -> None:
    genes = kind.initialise(300, default_rng(1))
    assert set(np.unique(genes)) == {0, value}
    ranked = genes[:, :, STRENGTH]
    assert (np.diff(ranked, axis=2) <= 0).all()
    assert 0.4 < (genes / value).mean() < 0.6


@pytest.mark.parametrize("kind", [ComplexPlayers(crossing=0.25), VariablePlayers(crossing=0.25)])
def test_algorithm_10_exchanges_cells_with_the_same_cell(kind: PlayerKind) -> None:
    genes = np.zeros((40, 2, 169), np.int8)
    genes[1::2] = 1
    children = kind.cross(genes, default_rng(1))
    assert (children[::2] + children[1::2] == 1).all()
    assert 0.22 < children[::2].mean() < 0.28


def test_algorithm_11_swaps_cells_within_a_table() -> None:
    players = ComplexPlayers(mutation=0.1)
    genes = players.initialise(100, default_rng(1))
    before = genes.copy()
    mutated = players.mutate(genes, default_rng(2))
    assert (genes == before).all()
    assert (mutated.sum(axis=2) == genes.sum(axis=2)).all()
    assert (mutated != genes).any(axis=(1, 2)).mean() > 0.9


def test_flips_are_ours_and_change_how_many_hands_are_played() -> None:
    genes = np.zeros((100, 2, 169), np.int8)
    assert not ComplexPlayers(mutation=0.1).mutate(genes, default_rng(1)).any()
    flipped = ComplexPlayers(mutation=0, flips=0.02).mutate(genes, default_rng(1))
    assert 0.017 < flipped.mean() < 0.023


def test_algorithm_13_moves_caps_by_up_to_two_and_stays_in_0_to_10() -> None:
    genes = np.full((200, 2, 169), 9, np.int8)
    mutated = VariablePlayers(mutation=1.0).mutate(genes, default_rng(1))
    assert set(np.unique(mutated)) == {7, 8, 9, 10}
    kept = (VariablePlayers(mutation=0.1).mutate(genes, default_rng(1)) == genes).mean()
    assert 0.91 < kept < 0.93


def test_algorithm_13_as_printed_lets_caps_leave_their_range() -> None:
    genes = np.full((50, 2, 169), 10, np.int8)
    assert VariablePlayers(mutation=1.0, unclamped=True).mutate(genes, default_rng(1)).max() == 12
    assert VariablePlayers(mutation=1.0, unclamped=True).mutate(genes * 0, default_rng(1)).min() == -2


def test_simple_players_play_the_top_of_the_ranking() -> None:
    tables = top_tables(np.array([[0.57, 0.37], [0.0, 1.0]]), (5.0, 10.0))
    assert tables.jam.shape == (2, 2, 169)
    for level in (0, 1):
        assert np.allclose(tables.jam[0, level], top_range(57), atol=1e-12)
        assert np.allclose(tables.call[0, level], top_range(37), atol=1e-12)
    assert not tables.jam[1].any()
    assert (tables.call[1] == 1).all()


def test_variable_players_play_up_to_their_cap() -> None:
    genes = np.zeros((1, 2, 169), np.int8)
    genes[0, 0, 0], genes[0, 1, 3] = 4, 10
    tables = VariablePlayers().tables(genes, tuple(map(float, range(1, 11))))
    assert tables.jam[0, :, 0].tolist() == [1] * 4 + [0] * 6
    assert tables.call[0, :, 3].all()
    assert tables.jam.sum() + tables.call.sum() == 14
