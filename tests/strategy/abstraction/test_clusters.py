from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from strategy.abstraction.cluster_tables import earlier_states, river_states
from strategy.abstraction.clusters import (
    BINS,
    Clusters,
    Histograms,
    all_histograms,
    distances,
    fit_centres,
    make_clusters,
    nearest,
)
from strategy.abstraction.moment_tables import board_forms, completed_boards, form_of
from strategy.poker.combos import MathError, combo_index, live
from strategy.poker.kernels import CARD_MASKS, TABLE
from strategy.poker.strengths import HAND_POINTS, all_points, sum_of

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
    centres, mean = fit_centres(np.cumsum(shares, axis=1).astype(np.float32), 3, seed=2)
    assert [int((centre < 0.5).sum()) for centre in centres] == middles.tolist()
    assert mean < 1


def test_more_clusters_are_nearer() -> None:
    histograms = all_histograms(BOARD[:4])[live(BOARD[:4])]
    means = [fit_centres(histograms, size, seed=1)[1] for size in (1, 3, 9, 27)]
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


def test_the_seed_decides() -> None:
    one, again, other = (make_clusters((6, 5, 4), boards=5, hands=500, seed=seed) for seed in (1, 1, 2))
    assert all(np.array_equal(*pair) for pair in zip(one.centres, again.centres, strict=True))
    assert not np.array_equal(one.centres[0], other.centres[0])


def test_what_is_no_board_is_refused(clusters: Clusters) -> None:
    with pytest.raises(MathError) as refusal:
        clusters.all_states(BOARD[:2])
    assert refusal.value.code == "bad_board"


@pytest.mark.parametrize("cards", [3, 4])
def test_training_finds_the_states_of_play(cards: int, clusters: Clusters) -> None:
    rivers, forms = board_forms(5), board_forms(cards)
    forms = forms._replace(first=forms.first[[17]])
    mask = int(forms.first[0])
    needed = [form_of(int(one), rivers.form, rivers.suits)[0] for one in completed_boards(mask, 5 - cards)]
    rows = np.unique(needed)
    river = np.zeros((len(rivers.first), 1326), np.int16)
    river[rows] = all_points(TABLE, rivers.first[rows])
    centres = clusters.centres[cards - 3]
    (found,) = earlier_states(forms, rivers, river, 5 - cards, centres)
    board = tuple(card for card in range(52) if CARD_MASKS[card] & mask)
    assert np.array_equal(np.where(live(board), found.astype(np.int32), -1), clusters.all_states(board))


def test_training_finds_the_states_of_play_on_the_river(clusters: Clusters) -> None:
    mask = sum(int(CARD_MASKS[card]) for card in BOARD)
    river = all_points(TABLE, np.array([mask])).astype(np.int16)
    (found,) = river_states(river, clusters.centres[2])
    assert np.array_equal(np.where(live(BOARD), found.astype(np.int32), -1), clusters.all_states(BOARD))


def test_the_nearest_is_that_of_least_distance(clusters: Clusters) -> None:
    histograms = all_histograms(BOARD[:4])
    centres = np.concatenate([clusters.centres[0]] * 2)
    least = distances(histograms, centres)
    found = nearest(histograms, centres)
    assert found.max() < len(clusters.centres[0])
    assert least[np.arange(1326), found] == pytest.approx(least.min(axis=1), abs=1e-5)
