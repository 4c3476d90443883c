from __future__ import annotations

from itertools import combinations, permutations
from pathlib import Path
from random import Random

import numpy as np
import pytest

from dealer.rules.cards import parse_cards
from dealer.rules.evaluation import rank_hand
from strategy.abstraction.abstraction import (
    Abstraction,
    deal_board,
    load_abstraction,
    make_abstraction,
    prepare,
    read_abstraction,
    states_on,
    write_abstraction,
)
from strategy.abstraction.deals import count_sampled_deals, count_weighted_deals
from strategy.poker.allin import all_in_table
from strategy.poker.combos import CARDS, CLASSES, MathError, card_mask, combo_index, live
from strategy.poker.kernels import TABLE, Ints, rng
from strategy.poker.preflop import HAND_CLASSES, class_combinations
from strategy.poker.strengths import (
    HAND_POINTS,
    RIVERS,
    Strengths,
    all_sums,
    make_strengths,
    place_of,
    sum_of,
)
from strategy.poker.suits import RENAMED, canonical, canonical_boards

BOARD = parse_cards("2h7hTc3d9h")


@pytest.fixture(scope="module")
def strengths() -> Strengths:
    return make_strengths()


def points(hole: tuple[int, ...], board: tuple[int, ...]) -> int:
    own = rank_hand((*hole, *board))
    others = combinations(sorted(set(range(52)) - {*hole, *board}), 2)
    ranks = [rank_hand((*other, *board)) for other in others]
    return sum(2 * (rank < own) + (rank == own) for rank in ranks)


# Suits


def test_boards_that_differ_in_suits_alone_are_one() -> None:
    assert [len(canonical_boards(cards)) for cards in (3, 4, 5)] == [1755, 16432, 134459]
    random = Random(1)
    for _ in range(50):
        board = random.sample(range(52), 4)
        form, _ = canonical(card_mask(board))
        for suits in permutations(range(4)):
            assert canonical(card_mask(card & ~3 | suits[card & 3] for card in board))[0] == form


def test_a_hand_goes_where_its_board_goes() -> None:
    random = Random(2)
    for _ in range(50):
        *board, first, second = random.sample(range(52), 6)
        form, code = canonical(card_mask(board))
        hand = CARDS[RENAMED[code, combo_index(first, second)]].tolist()
        assert canonical(card_mask([*board, first, second]))[0] == canonical(form | card_mask(hand))[0]


# Strengths


def test_the_sum_on_the_river_is_the_square_of_the_points() -> None:
    for text in ("AhKh", "2c2d", "QsJd"):
        hole = parse_cards(text)
        assert sum_of(hole, BOARD) == points(hole, BOARD) ** 2
    assert sum_of(parse_cards("AhKh"), BOARD) == HAND_POINTS**2


def test_the_sum_on_the_turn_is_that_of_all_rivers() -> None:
    hole, board = parse_cards("Th8c"), BOARD[:4]
    rivers = [card for card in range(52) if card not in {*hole, *board}]
    assert len(rivers) == RIVERS[2]
    assert sum_of(hole, board) == sum(sum_of(hole, (*board, card)) for card in rivers)


def test_before_the_flop_it_is_the_mean_over_flops(strengths: Strengths) -> None:
    hole = parse_cards("AcAd")
    random = Random(3)
    deck = sorted(set(range(52)) - set(hole))
    sample = [sum_of(hole, random.sample(deck, 3)) / RIVERS[1] / HAND_POINTS**2 for _ in range(100)]
    error = np.std(sample) / 10
    assert abs(np.mean(sample) - strengths.preflop[HAND_CLASSES.index("AA")]) < 4 * error
    assert strengths.preflop.argmax() == HAND_CLASSES.index("AA")
    assert strengths.preflop.argmin() == HAND_CLASSES.index("32o")


@pytest.mark.parametrize("cards", [3, 4, 5])
def test_all_hands_at_once_are_the_same(strengths: Strengths, cards: int) -> None:
    board = BOARD[:cards]
    sums = all_sums(board)
    assert not sums[~live(board)].any()
    for text in ("AhKh", "Th8c", "4c4s", "3s2d"):
        hole = parse_cards(text)
        assert sums[combo_index(*hole)] == sum_of(hole, board)
    if cards < 5:
        place, code = place_of(strengths.boards[cards - 3], card_mask(board))
        assert np.array_equal(strengths.sums[cards - 3][place, RENAMED[code]], sums)


# Buckets


@pytest.mark.parametrize("k", [5, 8])
def test_one_hand_all_hands_and_training_agree(strengths: Strengths, k: int) -> None:
    abstraction = load_abstraction(k)
    prepared = prepare(strengths, abstraction)
    hands, ranks, states, cards = (np.empty(size, np.int64) for size in (1326, 1326, 1326, 5))
    for number in range(3):
        deal_board(rng("test", number), cards)
        board = tuple(cards.tolist())
        for street in range(4):
            count = states_on(TABLE, prepared, cards, street, hands, ranks, states)
            seen = board[: (0, 3, 4, 5)[street]]
            all_states = abstraction.all_states(seen)
            assert np.array_equal(all_states[hands[:count]], states[:count])
            assert np.array_equal(all_states >= 0, live(seen))
            for hand in hands[:count:200]:
                hole = CARDS[hand].tolist()
                assert abstraction.card_state(hole, seen) == all_states[hand]
                assert abstraction.card_state(hole[::-1], seen) == all_states[hand]


def test_a_hand_remembers_its_buckets() -> None:
    abstraction = load_abstraction(5)
    assert abstraction.buckets == (5, 25, 125, 625)
    hole = parse_cards("AhKh")
    states = [abstraction.card_state(hole, BOARD[:cards]) for cards in (0, 3, 4, 5)]
    assert [state // 5 for state in states[1:]] == states[:-1]
    # The nuts are in the best bucket of those with its past.
    assert states[3] % 5 == 4


def test_suits_have_no_names() -> None:
    abstraction = load_abstraction(8)
    hole, board = parse_cards("Jh9h"), parse_cards("Th2c7hQs")
    for suits in permutations(range(4)):
        moved = [card & ~3 | suits[card & 3] for card in (*hole, *board)]
        assert abstraction.card_state(moved[:2], moved[2:]) == abstraction.card_state(hole, board)


def test_what_is_no_board_is_refused() -> None:
    abstraction = load_abstraction(5)
    for hole, board, code in (
        ("AhKh", "2c3c", "bad_board"),
        ("AhKh", "AhKd2c", "duplicate_card"),
        ("Ah", "", "bad_hole"),
    ):
        with pytest.raises(MathError) as refusal:
            abstraction.card_state(parse_cards(hole), parse_cards(board))
        assert refusal.value.code == code
    with pytest.raises(ValueError, match=r"5.*8"):
        load_abstraction(6)


def test_the_parts_are_of_the_same_size(strengths: Strengths) -> None:
    weights = np.array([class_combinations(name) for name in HAND_CLASSES])
    for k in (5, 8):
        abstraction = load_abstraction(k)
        # The boundary of a part is not in the middle of a class.
        parts = np.bincount(abstraction.preflop, weights) / 1326
        assert np.all(abs(parts - 1 / k) < 12 / 1326)
    prepared = prepare(strengths, load_abstraction(5))
    flops = np.zeros(25)
    for flop, times in zip(*_flops(), strict=True):
        states = load_abstraction(5).preflop[CLASSES]
        place, code = place_of(prepared.flops, int(flop))
        sums = prepared.flop_sums[place, RENAMED[code]].astype(np.int64)
        reached = (prepared.thresholds[0][states] <= sums[:, np.newaxis]).sum(axis=1)
        flops += times * np.bincount(states * 5 + reached, sums > 0, minlength=25)
    assert np.all(abs(flops / flops.sum() * 25 - 1) < 0.05)


def _flops() -> tuple[Ints, Ints]:
    masks = np.array([canonical(card_mask(flop))[0] for flop in combinations(range(52), 3)])
    return np.unique(masks, return_counts=True)


def test_made_again_from_the_same_seed_it_is_the_same(strengths: Strengths) -> None:
    first, second, other = (make_abstraction(2, strengths, deals=50, seed=seed) for seed in (1, 1, 2))
    assert _same(first, second)
    assert not _same(first, other)


def test_it_has_a_text_and_a_way_back(strengths: Strengths, tmp_path: Path) -> None:
    path = tmp_path / "two.json"
    made = make_abstraction(2, strengths, deals=50)
    write_abstraction(path, made, seed=1)
    assert _same(read_abstraction(path), made)


def _same(one: Abstraction, other: Abstraction) -> bool:
    thresholds = zip(one.thresholds, other.thresholds, strict=True)
    return (
        one.k == other.k
        and np.array_equal(one.preflop, other.preflop)
        and all(np.array_equal(first, second) for first, second in thresholds)
    )


# Deals


def test_deals_are_a_symmetric_game(strengths: Strengths) -> None:
    deals = count_sampled_deals(load_abstraction(5), strengths=strengths, boards=500, partners=1, seed=1)
    assert np.array_equal(deals.counts, deals.counts.T)
    assert np.array_equal(deals.wins, -deals.wins.T)
    assert deals.counts.sum() == 2 * 500 * 1081
    assert np.all(abs(deals.wins) <= deals.counts)
    # Better states win more.
    counts, wins = (table.reshape(5, -1).sum(axis=1) for table in deals)
    assert np.all(np.diff(wins / counts) > 0.05)


def test_weighed_deals_are_of_the_hands_that_are_held(strengths: Strengths) -> None:
    abstraction, ranges = load_abstraction(5), np.zeros((2, 1326))
    classes = [HAND_CLASSES.index(name) for name in ("AA", "KK", "AKs")]
    ranges[0] = np.equal(CLASSES, classes[0])
    ranges[1] = np.equal(CLASSES, classes[1]) + 3.0 * np.equal(CLASSES, classes[2])
    deals = count_weighted_deals(abstraction, strengths, ranges, boards=20_000, seed=1)
    first, again = (
        count_weighted_deals(abstraction, strengths, ranges, boards=500, seed=1) for _ in range(2)
    )
    assert np.array_equal(first.counts, again.counts)
    # The first digit of a state is the bucket before the flop: only what is held is dealt.
    held = [int(abstraction.preflop[number]) for number in classes]
    met = deals.counts.reshape(5, 125, 5, 125).sum(axis=(1, 3))
    assert met[held[0], sorted(set(held[1:]))].sum() == pytest.approx(met.sum())
    # So often aces win all-in.
    table = all_in_table()
    pairs = table.pairs[classes[0], classes[1:]] * [1, 3]
    won = (pairs * (2 * table.equity[classes[0], classes[1:]] - 1)).sum() / pairs.sum()
    assert deals.wins.sum() / deals.counts.sum() == pytest.approx(won, abs=0.005)
