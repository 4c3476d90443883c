from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.rules.cards import CARD_TEXTS, card_text, cards_text, parse_card, parse_cards
from dealer.rules.errors import CardError

some_cards = st.lists(st.integers(0, 51), unique=True, max_size=10).map(tuple)


@pytest.mark.parametrize(
    ("text", "card"), [("2c", 0), ("2d", 1), ("2h", 2), ("2s", 3), ("3c", 4), ("As", 51)]
)
def test_a_card_is_four_times_its_rank_plus_its_suit(text: str, card: int) -> None:
    assert parse_card(text) == card
    assert card_text(card) == text


def test_every_card_has_its_own_text() -> None:
    assert len(set(CARD_TEXTS)) == 52
    assert [parse_card(text) for text in CARD_TEXTS] == list(range(52))


@given(some_cards)
def test_cards_parse_back(cards: tuple[int, ...]) -> None:
    assert parse_cards(cards_text(cards)) == cards


@pytest.mark.parametrize(
    "text", ["", "A", "Ahh", "ah", "AH", "1h", "10h", "Ax", " Ah", "??", "Ah\n", "\uff21h"]
)
def test_other_text_is_no_card(text: str) -> None:
    with pytest.raises(CardError) as caught:
        parse_card(text)
    assert caught.value.code == "bad_card"


@pytest.mark.parametrize(
    ("text", "code"), [("AhK", "bad_card"), ("AhKx", "bad_card"), ("AhKhAh", "duplicate_card")]
)
def test_other_text_is_no_list_of_cards(text: str, code: str) -> None:
    with pytest.raises(CardError) as caught:
        parse_cards(text)
    assert caught.value.code == code


@pytest.mark.parametrize("card", [-1, 52, 10**30])
def test_other_numbers_are_no_cards(card: int) -> None:
    with pytest.raises(CardError) as caught:
        cards_text([card])
    assert caught.value.code == "bad_card"


@given(st.text(max_size=12))
def test_any_text_is_cards_or_refused(text: str) -> None:
    try:
        cards = parse_cards(text)
    except CardError:
        return
    assert cards_text(cards) == text
