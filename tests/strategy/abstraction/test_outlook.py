"""Card states from the outlook of a hand: by hand, by brute force, and for all hands at once."""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from dealer.rules.cards import parse_cards
from strategy.abstraction import moment_tables as outlook_tables
from strategy.abstraction.holdem_deals import HoldemDeals
from strategy.abstraction.moment_tables import (
    BoardForms,
    MomentTables,
    board_forms,
    board_index,
    completed_boards,
    form_of,
    make_states,
    rename_suits,
)
from strategy.poker.combos import CARDS, HANDS, MathError, combo_index
from strategy.poker.kernels import TABLE, rng
from strategy.poker.strength import exact_equity, field
from strategy.poker.strength_moments import MAX_POINTS, cut_at, make_cuts, moments, state_of
from strategy.poker.strengths import all_points
from strategy.progress import no_progress


@pytest.mark.parametrize(
    ("hole", "board", "points"),
    [
        ("AhKh", "QhJhTh2c3d", MAX_POINTS),
        ("2c3d", "AsKsQsJsTs", 990),  # everybody plays the board
        ("2c3d", "AhKhQhJh9c", None),
    ],
)
def test_points_on_the_river(hole: str, board: str, points: int | None) -> None:
    total, squares = moments(parse_cards(hole), parse_cards(board))
    found = field(parse_cards(hole), parse_cards(board))
    assert total == 2 * found.ahead + found.tied
    assert squares == total * total
    assert points is None or total == points


def test_the_sum_is_the_equity_and_a_draw_has_more_squares_for_it() -> None:
    board = parse_cards("2h7hKc")
    pair, draw = parse_cards("KdTc"), parse_cards("QhJh")
    for hole in (pair, draw):
        total, squares = moments(hole, board)
        assert total / (1081 * MAX_POINTS) == pytest.approx(exact_equity(hole, board))
        assert squares >= total * total / 1081
    turn = parse_cards("2h7hKc3d")
    spread = [moments(hole, turn)[1] / moments(hole, turn)[0] ** 2 for hole in (pair, draw)]
    assert spread[1] > spread[0]


@pytest.mark.parametrize(
    ("hole", "board", "code"),
    [("AhKh", "QhJh", "bad_board"), ("AhKh", "AhJh2c", "duplicate_card"), ("Ah", "QhJh2c", "bad_hole")],
)
def test_what_is_refused(hole: str, board: str, code: str) -> None:
    with pytest.raises(MathError) as refusal:
        moments(parse_cards(hole), parse_cards(board))
    assert refusal.value.code == code


def test_cuts_put_hands_into_rows_and_columns() -> None:
    random = np.random.default_rng(3)
    total = random.integers(0, 1000, 40_000)
    squares = random.integers(0, 10_000, 40_000)
    cuts = make_cuts(total, squares, 8, 3)
    assert cuts.states == 24
    states = np.array(
        [cut_at(cuts.squares, cuts.sums, *one) for one in zip(total.tolist(), squares.tolist(), strict=True)]
    )
    counts = np.bincount(states, minlength=24).reshape(8, 3)
    assert counts.min() > 0
    # The columns of a row hold as many hands each, and the rows get thinner.
    assert (counts.max(axis=1) / counts.min(axis=1)).max() < 1.2
    assert (np.diff(counts.sum(axis=1)) < 0).all()
    better = squares[states // 3 == 7].min()
    assert better >= squares[states // 3 == 6].max()


# All boards.


@cache
def forms(count: int) -> BoardForms:
    return board_forms(count)


@pytest.mark.parametrize(("count", "boards", "different"), [(3, 22_100, 1755), (4, 270_725, 16_432)])
def test_boards_that_differ_in_suits_are_one(count: int, boards: int, different: int) -> None:
    found = forms(count)
    assert len(found.form) == boards
    assert len(found.first) == different
    assert set(np.unique(found.form)) == set(range(different))
    random = Random(5)
    for _ in range(50):
        *board, one, two = random.sample(range(52), count + 2)
        names = random.sample(range(4), 4)
        places = set()
        for cards in ((*board, one, two), tuple(card & ~3 | names[card & 3] for card in (*board, one, two))):
            index = board_index(np.sort(np.array(cards[:count])), count)
            places.add(
                (
                    int(found.form[index]),
                    state_key(
                        rename_suits(cards[count], cards[count + 1], int(found.suits[index])), found, index
                    ),
                )
            )
        assert len({place for place, _ in places}) == 1
        assert len({key for _, key in places}) == 1


def state_key(hand: int, found: BoardForms, index: int) -> tuple[int, int]:
    """The least of the hands that the form's own symmetries make of one."""
    mask = int(found.first[found.form[index]])
    suits = [mask >> 13 * suit & 0x1FFF for suit in range(4)]
    same = [order for order in permutations(range(4)) if [suits[place] for place in order] == suits]
    cards = [int(card) for card in CARDS[hand]]
    least = min(combo_index(*(card & ~3 | order[card & 3] for card in cards)) for order in same)
    return int(found.form[index]), least


def test_a_board_has_the_index_of_its_place() -> None:
    boards = list(combinations(range(9), 3))
    indices = sorted(board_index(np.array(board), 3) for board in boards)
    assert indices == list(range(len(boards)))


def some_rivers(boards: NDArray[np.int64]) -> NDArray[np.int16]:
    return all_points(TABLE, boards).astype(np.int16)


def cards_of(mask: int) -> tuple[int, ...]:
    return tuple(card for card in range(52) if mask >> (13 * (card & 3) + (card >> 2)) & 1)


def test_all_hands_on_a_board_have_the_points_of_each() -> None:
    first = forms(5).first[[7, 50_000, 134_000]]
    for mask, row in zip(first.tolist(), some_rivers(first), strict=True):
        board = cards_of(mask)
        for hand in range(0, HANDS, 97):
            hole = tuple(map(int, CARDS[hand]))
            wanted = 0 if set(hole) & set(board) else moments(hole, board)[0]
            assert row[hand] == wanted


def rows_after(boards: NDArray[np.int64], later: BoardForms) -> NDArray[np.int64]:
    """The forms that boards may have when one more card has come."""
    return np.unique(
        [
            form_of(int(mask), later.form, later.suits)[0]
            for board in boards
            for mask in completed_boards(board, 1)
        ]
    )


def test_sums_for_all_hands_are_those_of_each() -> None:
    """On a flop, and on a turn that may come after it."""
    flop, turns, rivers = forms(3)._replace(first=forms(3).first[[900]]), forms(4), forms(5)
    total = np.zeros((len(turns.first), HANDS), np.int32)
    squares = total.astype(np.int64)
    points = np.zeros((len(rivers.first), HANDS), np.int16)
    needed = rows_after(flop.first, turns)
    some = turns._replace(first=turns.first[needed])
    rows = rows_after(some.first, rivers)
    points[rows] = some_rivers(rivers.first[rows])
    none = np.empty((0, 0), np.int64)
    found = outlook_tables._earlier_moments(some, rivers, points, none, "", no_progress)
    total[needed], squares[needed] = found
    earlier = outlook_tables._earlier_moments(flop, turns, total, squares, "", no_progress)
    for mask, (sums, second) in ((some.first[0], found), (flop.first[0], earlier)):
        board = cards_of(int(mask))
        for hand in range(0, HANDS, 41):
            hole = tuple(map(int, CARDS[hand]))
            if set(hole) & set(board):
                assert sums[0, hand] == second[0, hand] == -1
            else:
                assert (sums[0, hand], second[0, hand]) == moments(hole, board)


def made_up() -> MomentTables:
    """Numbers that follow from form and hand, quickly made; of the river there are but a few forms."""
    few = forms(5)._replace(form=forms(5).form % 500, first=forms(5).first[:500])
    found = (forms(3), forms(4), few)
    hands = np.arange(HANDS)
    totals = [
        ((np.arange(len(one.first))[:, None] * 31 + hands * 7) % 1979).astype(np.int16) for one in found
    ]
    flop, turn, river = totals
    squares = [total.astype(np.int64) ** 2 for total in (flop, turn)]
    return MomentTables(
        found, (flop.astype(np.int32), turn.astype(np.int32), river), (squares[0], squares[1])
    )


def test_deals_have_the_states_and_ranks_of_their_cards() -> None:
    outlooks = made_up()
    cuts, table = make_states(outlooks, ((6, 2), (5, 2), (10, 1)), 1)
    assert [cut.states for cut in cuts] == [12, 10, 10]
    deals = HoldemDeals(3, table, (12, 10, 10))
    assert deals.sizes == (169, 12, 10, 10)
    batch = deals.batch(rng("test"), 20_000)
    for street, size in enumerate(deals.sizes):
        counts = np.bincount(batch.states[:, :, street].ravel(), minlength=size)
        assert len(counts) == size
        assert counts.min() > 0
    pairs = 1 / 17
    assert np.isin(batch.states[:, :, 0], [14 * i for i in range(13)]).mean() == pytest.approx(
        pairs, abs=0.01
    )
    again = deals.batch(rng("test"), 20_000)
    assert (again.states == batch.states).all()
    assert (again.ranks == batch.ranks).all()
    one, two, three = batch.ranks.T
    assert (one > two).mean() == pytest.approx((two > three).mean(), abs=0.02)


def test_play_finds_the_state_of_training() -> None:
    sample = np.random.default_rng(1)
    cuts = make_cuts(sample.integers(0, 46 * 1980, 999), sample.integers(0, 46 * 1980**2, 999), 10, 3)
    hole, board = parse_cards("AhQh"), parse_cards("2h7hKc3d")
    total, squares = moments(hole, board)
    assert state_of(cuts, hole, board) == cut_at(cuts.squares, cuts.sums, total, squares)
