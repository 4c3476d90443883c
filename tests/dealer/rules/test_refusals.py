"""A refusal changes nothing, and nothing but the documented errors comes out of the rules."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.rules.actions import CALL, FOLD, RAISE, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.errors import ActionError, IllegalAction, RulesError
from dealer.rules.games import holdem
from dealer.rules.hand import HandState
from dealer.rules.notation import format_betting
from tests.dealer.rules.play import any_hand, cards, snapshot

ILLEGAL_CODES = {
    "hand_over",
    "nothing_to_call",
    "raise_not_allowed",
    "raise_too_small",
    "raise_too_large",
    "raise_size_fixed",
}

anything: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.just(10**5000),
    st.just(-(10**5000)),
)
actions = st.one_of(
    st.sampled_from([FOLD, CALL, RAISE]),
    st.integers(-10, 3000).map(raise_to),
    st.builds(Action, st.one_of(st.sampled_from(["fold", "call", "raise"]), anything), anything),
)


def refusal(hand: HandState, action: Action) -> RulesError | None:
    """Why the hand refuses the action; None when it does it."""
    try:
        hand.act(action)
    except RulesError as error:
        return error
    return None


@given(st.integers(0, 10**6), actions)
def test_any_action_is_done_or_refused_without_a_trace(seed: int, action: Action) -> None:
    hand = any_hand(seed, finish=False)
    before = snapshot(hand.betting), list(hand.events), hand.board, hand.values
    legal = hand.legal()
    error = refusal(hand, action)
    after = snapshot(hand.betting), hand.events, hand.board, hand.values
    assert (before == after) is (error is not None)
    if isinstance(error, IllegalAction):
        assert error.code in ILLEGAL_CODES
        assert error.legal == legal
    elif error is not None:
        assert isinstance(error, ActionError)
        assert error.code in {"unknown_action", "bad_amount"}


def can(betting: Betting, action: Action) -> bool:
    try:
        betting.copy().act(action)
    except IllegalAction:
        return False
    return True


@given(st.integers(0, 10**6))
def test_what_is_offered_can_be_done_and_nothing_beyond_it(seed: int) -> None:
    betting = any_hand(seed, finish=False).betting
    legal = betting.legal()
    assert can(betting, FOLD) is legal.fold
    assert can(betting, CALL) is not betting.over
    if legal.min_raise is None or legal.max_raise is None:
        assert not any(can(betting, raise_to(to)) for to in (1, 20, 100, 10**6))
        return
    assert can(betting, raise_to(legal.min_raise))
    assert can(betting, raise_to(legal.max_raise))
    assert can(betting, RAISE) is betting.game.limit
    assert not can(betting, raise_to(legal.min_raise - 1)) or betting.game.limit
    assert not can(betting, raise_to(legal.max_raise + 1))


@pytest.mark.parametrize("action", [FOLD, CALL, RAISE, raise_to(200)])
def test_when_the_hand_is_over_nothing_can_be_done(action: Action) -> None:
    hand = HandState(holdem(2, 50, 100, stack=1000), cards("AhKh|2c2d", "7h8h9h/Ts/Jc"))
    hand.act(FOLD)
    before = list(hand.events)
    with pytest.raises(IllegalAction) as caught:
        hand.act(action)
    assert caught.value.code == "hand_over"
    assert hand.events == before


@pytest.mark.parametrize("to", [200.0, 200.5, float("nan"), float("inf"), True, None, "200"])
def test_a_raise_is_to_a_whole_number(to: Any) -> None:
    betting = Betting(holdem(2, 50, 100, stack=1000))
    with pytest.raises(ActionError) as caught:
        betting.act(Action("raise", to))
    assert caught.value.code == "bad_amount"
    assert format_betting(betting) == ""


@pytest.mark.parametrize("kind", ["", "check", "bet", "CALL", "all-in", None, 7, ("call",)])
def test_other_words_are_no_actions(kind: Any) -> None:
    betting = Betting(holdem(2, 50, 100, stack=1000))
    with pytest.raises(ActionError) as caught:
        betting.act(Action(kind))
    assert caught.value.code == "unknown_action"
    assert format_betting(betting) == ""
