from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.rules.actions import CALL, FOLD, RAISE, Action, parse_action, raise_to
from dealer.rules.errors import ActionError


@pytest.mark.parametrize(
    ("text", "action"), [("f", FOLD), ("c", CALL), ("r", RAISE), ("r300", raise_to(300)), ("r1", raise_to(1))]
)
def test_actions_have_texts(text: str, action: Action) -> None:
    assert action.text() == text
    assert parse_action(text) == action


@given(st.one_of(st.sampled_from([FOLD, CALL, RAISE]), st.integers(1, 10**18 - 1).map(raise_to)))
def test_actions_parse_back(action: Action) -> None:
    assert parse_action(action.text()) == action


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "unknown_action"),
        ("x", "unknown_action"),
        ("k", "unknown_action"),
        ("F", "unknown_action"),
        ("cc", "unknown_action"),
        ("c5", "unknown_action"),
        ("300", "unknown_action"),
        ("r0", "bad_amount"),
        ("r-5", "bad_amount"),
        ("r05", "bad_amount"),
        ("r5.0", "bad_amount"),
        ("r 5", "bad_amount"),
        ("r5\n", "bad_amount"),
        ("r٣", "bad_amount"),
        ("r" + "9" * 5000, "bad_amount"),
    ],
)
def test_other_text_is_no_action(text: str, code: str) -> None:
    with pytest.raises(ActionError) as caught:
        parse_action(text)
    assert caught.value.code == code
    assert len(str(caught.value)) < 100


@given(st.text(max_size=8))
def test_any_text_is_an_action_or_refused(text: str) -> None:
    try:
        action = parse_action(text)
    except ActionError:
        return
    assert action.text() == text
