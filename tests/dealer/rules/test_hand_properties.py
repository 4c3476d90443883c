"""What is true of every hand, played at random under both rule sets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.rules.events import Acted, BoardDealt, HandEnded, HandStarted, Shown
from dealer.rules.notation import format_betting, parse_betting
from tests.dealer.rules.play import any_hand

seeds = st.integers(0, 10**6)


@given(seeds)
def test_chips_are_conserved(seed: int) -> None:
    hand = any_hand(seed)
    assert sum(hand.values) == pytest.approx(0, abs=1e-6)
    if hand.game.rules == "standard":
        assert sum(hand.values) == 0
        assert all(type(value) is int for value in (*hand.values, *hand.final_stacks))
    for stack, value, final, spent in zip(
        hand.betting.stacks, hand.values, hand.final_stacks, hand.betting.spent, strict=True
    ):
        assert final == stack + value
        assert 0 <= spent <= stack
        assert -spent <= value
        assert final >= 0


@given(seeds)
def test_the_events_account_for_every_chip(seed: int) -> None:
    hand = any_hand(seed)
    started, ended = hand.events[0], hand.events[-1]
    assert isinstance(started, HandStarted)
    assert isinstance(ended, HandEnded)
    paid = dict(zip(started.seats, map(sum, zip(started.antes, started.blinds, strict=True)), strict=True))
    for event in hand.events:
        if isinstance(event, Acted):
            paid[event.seat] += event.paid
            position = started.seats.index(event.seat)
            assert event.all_in == (event.action != "fold" and paid[event.seat] == started.stacks[position])
    assert [paid[seat] for seat in started.seats] == hand.betting.spent
    returned = ended.returned[1] if ended.returned else 0
    assert sum(pot.amount for pot in ended.pots) + returned == sum(paid.values()) == hand.betting.pot
    won = {seat: -chips for seat, chips in paid.items()}
    for seat, chips in (win for pot in ended.pots for win in pot.wins):
        won[seat] += chips  # type: ignore[assignment]
    if ended.returned:
        won[ended.returned[0]] += returned
    assert [won[seat] for seat in started.seats] == pytest.approx(ended.values)


@given(seeds)
def test_events_come_in_order(seed: int) -> None:
    hand = any_hand(seed)
    assert [type(event) for event in hand.events].count(HandStarted) == 1
    assert isinstance(hand.events[0], HandStarted)
    assert isinstance(hand.events[-1], HandEnded)
    streets = [event.street for event in hand.events if isinstance(event, BoardDealt)]
    assert streets == list(range(1, len(streets) + 1))
    at_showdown = hand.betting.live > 1
    assert len(streets) == hand.betting.street
    assert any(isinstance(event, Shown) for event in hand.events) == at_showdown


@given(seeds)
def test_no_folded_hand_is_shown_and_somebody_shows(seed: int) -> None:
    hand = any_hand(seed)
    for event in hand.events:
        if isinstance(event, Shown):
            in_hand = {
                seat for seat, folded in zip(hand.seats, hand.betting.folded, strict=True) if not folded
            }
            assert {seat for seat, _ in event.hands} == in_hand
            winners = {seat for pot in hand.events[-1].pots for seat, _ in pot.wins}  # type: ignore[union-attr]
            assert winners <= {seat for seat, hole in event.hands if hole}


@given(seeds)
def test_the_betting_text_parses_back(seed: int) -> None:
    live = any_hand(seed, finish=False).betting
    again = parse_betting(live.game, format_betting(live), live.stacks)
    assert again.key() == live.key()
    assert again.legal() == live.legal()
    assert format_betting(again) == format_betting(live)


@given(seeds)
def test_what_a_player_may_do_is_within_his_chips(seed: int) -> None:
    betting = any_hand(seed, finish=False).betting
    legal = betting.legal()
    assert legal.call == betting.to_call
    if betting.over:
        return
    position = betting.to_act
    left = betting.stacks[position] - betting.spent[position]
    assert left > 0
    assert 0 <= legal.call <= left
    assert legal.fold == (legal.call > 0)
    if legal.min_raise is not None and legal.max_raise is not None:
        in_front = betting.street_bet(position)
        assert in_front + legal.call < legal.min_raise <= legal.max_raise <= in_front + left


@given(seeds)
def test_the_same_choices_give_the_same_hand(seed: int) -> None:
    assert any_hand(seed).events == any_hand(seed).events
