from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.rules.events import Chips, PotAward
from dealer.rules.hand import HandState
from dealer.rules.pots import FOLDED, open_pots, settle
from tests.dealer.rules.play import any_action, any_table, deal


def test_the_last_player_takes_back_what_nobody_called_and_wins_the_rest() -> None:
    settled = settle([50, 300, 100], [FOLDED, 0, FOLDED], fractions=False)
    assert settled.returned == (1, 200)
    assert settled.pots == (PotAward(250, (1,), ((1, 250),)),)
    assert settled.values == (-50, 150, -100)


def test_the_best_hand_wins_the_pot() -> None:
    settled = settle([100, 100, 20], [5, 7, FOLDED], [4, 0, 2], fractions=False)
    assert settled.returned is None
    assert settled.pots == (PotAward(220, (4, 0), ((0, 220),)),)
    assert settled.values == (-100, 120, -20)


def test_who_is_all_in_wins_from_each_only_what_he_paid() -> None:
    settled = settle([100, 300, 300, 50], [9, 5, 5, FOLDED], fractions=False)
    assert settled.pots == (
        PotAward(350, (0, 1, 2), ((0, 350),)),
        PotAward(400, (1, 2), ((1, 200), (2, 200))),
    )
    assert settled.values == (250, -100, -100, -50)


def test_there_are_as_many_side_pots_as_there_are_all_ins() -> None:
    settled = settle([10, 20, 30, 30], [4, 3, 2, 1], fractions=False)
    assert [(pot.amount, pot.seats) for pot in settled.pots] == [
        (40, (0, 1, 2, 3)),
        (30, (1, 2, 3)),
        (20, (2, 3)),
    ]
    assert settled.values == (30, 10, -10, -30)


def test_the_part_of_a_bet_that_nobody_could_call_is_returned() -> None:
    settled = settle([1000, 300, 200], [1, 2, 3], fractions=False)
    assert settled.returned == (0, 700)
    assert [(pot.amount, pot.wins) for pot in settled.pots] == [(600, ((2, 600),)), (200, ((1, 200),))]
    assert settled.values == (-300, -100, 400)


@pytest.mark.parametrize(
    ("spent", "ranks", "values"),
    [
        ([5, 5, 5], [1, 1, FOLDED], (3, 2, -5)),
        ([5, 5, 5], [FOLDED, 1, 1], (-5, 3, 2)),
        # Robert's Rules of Poker 11, ties 3: no player may receive more than one odd chip.
        ([5, 5, 5, 2], [1, 1, 1, FOLDED], (1, 1, 0, -2)),
        # Ties 5: main pot and side pots are split by themselves; here each has an odd chip for position 0.
        ([2, 2, 1, 2, 1], [3, 3, 1, FOLDED, FOLDED], (3, 1, -1, -2, -1)),
    ],
)
def test_odd_chips_go_left_of_the_button(spent: list[int], ranks: list[int], values: tuple[int, ...]) -> None:
    assert settle(spent, ranks, fractions=False).values == values


def test_under_acpc_rules_an_odd_chip_is_halved() -> None:
    settled = settle([5, 5, 5], [1, 1, FOLDED], fractions=True)
    assert settled.returned is None
    assert settled.pots == (PotAward(15, (0, 1), ((0, 7.5), (1, 7.5))),)
    assert settled.values == (2.5, 2.5, -5)


def test_under_acpc_rules_values_are_whole_numbers_where_they_can_be() -> None:
    values = settle([100, 100, 50], [1, 1, FOLDED], fractions=True).values
    assert values == (25, 25, -50)
    assert all(type(value) is int for value in values)


def test_acpc_values_are_the_doubles_of_the_reference() -> None:
    # Three share the 40,000 of three others: the reference prints 13333.333333.
    values = settle([20000] * 6, [5, 1, 5, 2, 5, FOLDED], fractions=True).values
    assert values == (60000 / 3, -20000, 60000 / 3, -20000, 60000 / 3, -20000)
    values = settle([20000, 20000, 20000, 10000, 10000], [5, 5, 5, FOLDED, FOLDED], fractions=True).values
    assert [f"{value:.6f}" for value in values] == ["6666.666667"] * 3 + ["-10000.000000"] * 2


def test_nothing_is_won_where_nothing_was_paid() -> None:
    settled = settle([0, 0], [3, 2], fractions=False)
    assert settled == (None, (), (0, 0))


@st.composite
def endings(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """What each spent, and ranks; a player who spent most is in the hand, as betting guarantees."""
    count = draw(st.integers(2, 10))
    spent = draw(st.lists(st.integers(0, 40), min_size=count, max_size=count))
    ranks = draw(st.lists(st.integers(-1, 3), min_size=count, max_size=count))
    ranks[spent.index(max(spent))] = draw(st.integers(0, 3))
    return spent, ranks


@given(endings(), st.booleans())
def test_no_chip_is_lost_or_made(ending: tuple[list[int], list[int]], fractions: bool) -> None:
    spent, ranks = ending
    settled = settle(spent, ranks, fractions=fractions)
    assert sum(settled.values) == pytest.approx(0, abs=1e-9)
    returned = settled.returned[1] if settled.returned else 0
    assert sum(pot.amount for pot in settled.pots) + returned == sum(spent)
    for pot in settled.pots:
        assert sum(chips for _, chips in pot.wins) == pytest.approx(pot.amount)
        assert {seat for seat, _ in pot.wins} <= set(pot.seats)


@given(endings(), st.booleans())
def test_pots_and_values_agree(ending: tuple[list[int], list[int]], fractions: bool) -> None:
    spent, ranks = ending
    settled = settle(spent, ranks, fractions=fractions)
    won: list[Chips] = [-chips for chips in spent]
    for seat, chips in (
        *[win for pot in settled.pots for win in pot.wins],
        *filter(None, [settled.returned]),
    ):
        won[seat] += chips
    assert settled.values == pytest.approx(won)


@given(endings())
def test_nobody_wins_more_from_another_than_he_paid(ending: tuple[list[int], list[int]]) -> None:
    spent, ranks = ending
    values = settle(spent, ranks, fractions=False).values
    for position, value in enumerate(values):
        others = sum(min(chips, spent[position]) for i, chips in enumerate(spent) if i != position)
        # With odd chips of side pots a tie can give a chip more in each pot.
        assert -spent[position] <= value <= others


@given(endings(), st.integers(0, 10**6))
def test_seats_only_name_the_positions(ending: tuple[list[int], list[int]], seed: int) -> None:
    spent, ranks = ending
    seats = Random(seed).sample(range(20), len(spent))
    ours = settle(spent, ranks, seats, fractions=False)
    plain = settle(spent, ranks, fractions=False)
    assert ours.values == plain.values
    assert [pot.amount for pot in ours.pots] == [pot.amount for pot in plain.pots]
    assert [pot.seats for pot in ours.pots] == [tuple(seats[i] for i in pot.seats) for pot in plain.pots]


def test_pots_that_stand_name_who_can_win_them() -> None:
    pots = open_pots([100, 300, 340, 300, 20], [False, False, False, False, True], 300, [7, 5, 3, 1, 0])
    assert pots == (PotAward(420, (7, 5, 3, 1), ()), PotAward(600, (5, 3, 1), ()))
    assert open_pots([5, 10], [False, False], 0, [0, 1]) == ()


@pytest.mark.parametrize("seed", range(150))
def test_whatever_is_not_in_a_pot_is_in_front_of_a_player(seed: int) -> None:
    """At every decision of any hand; and who can win a side pot can win those before it."""
    rng = Random(seed)
    game, stacks = any_table(rng)
    hand = HandState(game, deal(rng, game), stacks=stacks)
    betting = hand.betting
    while not hand.over:
        pots = open_pots(betting.spent, betting.folded, betting.street_start, hand.seats)
        bets = [betting.street_bet(position) for position in range(game.players)]
        assert sum(pot.amount for pot in pots) + sum(bets) == betting.pot
        assert all(pot.amount > 0 and not pot.wins for pot in pots)
        live = {hand.seats[position] for position, folded in enumerate(betting.folded) if not folded}
        for before, after in pairwise((live, *(set(pot.seats) for pot in pots))):
            assert after <= before
        hand.act(any_action(rng, hand.legal()))
