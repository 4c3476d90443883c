from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from strategy.cfr.clusters import BINS, Clusters, Histograms, all_histograms, distances, fit, make_clusters
from strategy.cfr.strengths import HAND_POINTS, sum_of
from strategy.poker.combos import MathError, combo_index, live

BOARD = parse_cards("Th2c7hQs3d")


@pytest.fixture(scope="module")
def clusters() -> Clusters:
    return make_clusters((6, 5, 4), boards=20, hands=2000, seed=1)


def cumulative(*shares: float) -> Histograms:
    return np.cumsum([*shares, *[0.0] * (BINS - len(shares))])[np.newaxis].astype(np.float32)


def test_the_distance_is_how_far_how_much_is_moved() -> None:
    one = cumulative(0.5, 0.5)
    assert distances(one, one) == 0
    assert distances(one, cumulative(0.5, 0, 0.5))[0, 0] == pytest.approx(0.5)
    assert distances(one, cumulative(0, 0, 0.5, 0.5))[0, 0] == pytest.approx(2)


def test_a_histogram_counts_all_rivers() -> None:
    hole = parse_cards("Jh9h")
    found = np.zeros(BINS)
    for card in set(range(52)) - {*hole, *BOARD[:4]}:
        points = round(sum_of(hole, (*BOARD[:4], card)) ** 0.5)
        found[points * BINS // (HAND_POINTS + 1)] += 1 / 46
    assert np.allclose(all_histograms(BOARD[:4])[combo_index(*hole)], np.cumsum(found), atol=1e-6)


def test_on_the_river_there_is_one_strength() -> None:
    histograms = all_histograms(BOARD)[live(BOARD)]
    assert np.all((histograms == 0) | (histograms == 1))


def test_clusters_that_are_there_are_found() -> None:
    random = np.random.default_rng(1)
    middles = np.array([3, 12, 25])
    shares = np.zeros((300, BINS))
    shares[np.arange(300), random.integers(-1, 2, 300) + np.repeat(middles, 100)] = 1
    centres, mean = fit(np.cumsum(shares, axis=1).astype(np.float32), 3, seed=2)
    assert [int((centre < 0.5).sum()) for centre in centres] == middles.tolist()
    assert mean < 1


def test_more_clusters_are_nearer() -> None:
    histograms = all_histograms(BOARD[:4])[live(BOARD[:4])]
    means = [fit(histograms, size, seed=1)[1] for size in (1, 3, 9, 27)]
    assert all(more < less for less, more in pairwise(means))


def test_states(clusters: Clusters) -> None:
    assert clusters.buckets == (169, 6, 5, 4)
    hole = parse_cards("Jh9h")
    for cards, size in ((0, 169), (3, 6), (4, 5), (5, 4)):
        board = BOARD[:cards]
        states = clusters.all_states(board)
        assert np.array_equal(states >= 0, live(board))
        assert states.max() == size - 1
        assert clusters.card_state(hole, board) == states[combo_index(*hole)]
        for suits in permutations(range(4)):
            moved = [card & ~3 | suits[card & 3] for card in (*hole, *board)]
            assert clusters.card_state(moved[:2], moved[2:]) == states[combo_index(*hole)]


def test_strong_hands_are_in_the_last_cluster(clusters: Clusters) -> None:
    # A set of queens, and a hand of nothing.
    for cards in (4, 5):
        assert clusters.card_state(parse_cards("QhQd"), BOARD[:cards]) == clusters.buckets[cards - 2] - 1
    assert clusters.card_state(parse_cards("5s4c"), BOARD) == 0


def test_a_draw_is_no_middling_hand() -> None:
    board = parse_cards("Ah8h5c2d")
    histograms = all_histograms(board)
    draw, pair = (histograms[combo_index(*parse_cards(text))] for text in ("Kh3h", "9s9c"))
    # With a flush it ends among the best, without more often than the pair among the worst.
    assert draw[BINS // 3] > pair[BINS // 3] + 0.2
    assert 1 - draw[-4] > 1 - pair[-4] + 0.1
    assert distances(draw[np.newaxis], pair[np.newaxis]) > 3


def test_the_seed_decides(clusters: Clusters) -> None:
    again, other = (make_clusters((6, 5, 4), boards=20, hands=2000, seed=seed) for seed in (1, 2))
    assert all(np.array_equal(*pair) for pair in zip(clusters.centres, again.centres, strict=True))
    assert not np.array_equal(clusters.centres[0], other.centres[0])


def test_what_is_no_board_is_refused(clusters: Clusters) -> None:
    with pytest.raises(MathError) as refusal:
        clusters.all_states(BOARD[:2])
    assert refusal.value.code == "bad_board"
