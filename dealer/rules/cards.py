"""Cards as small integers, and as text.

A card's number is ``rank * 4 + suit``: rank 0 is the deuce and 12 the ace, suits are clubs, diamonds, hearts,
spades (the numbering of the ACPC reference dealer 1.0.42). Its text is rank and suit, as in ``Ah``.
"""

from __future__ import annotations

from collections.abc import Iterable

from dealer.rules.errors import CardError

RANKS = "23456789TJQKA"
SUITS = "cdhs"

CARD_TEXTS: tuple[str, ...] = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""The text of every card, in the order of the numbers."""

_CARDS = {text: card for card, text in enumerate(CARD_TEXTS)}


def parse_card(text: str) -> int:
    """The number of the card that ``text`` names.

    Raises CardError ``bad_card`` when it names none.
    """
    card = _CARDS.get(text)
    if card is None:
        raise CardError("bad_card", f"not a card: {text[:20]!r}")
    return card


def card_text(card: int) -> str:
    """The text of a card's number.

    Raises CardError ``bad_card`` for a number outside 0..51.
    """
    if not 0 <= card < len(CARD_TEXTS):
        raise CardError("bad_card", f"no card has the number {card}")
    return CARD_TEXTS[card]


def parse_cards(text: str) -> tuple[int, ...]:
    """The cards that ``text`` names one after the other, as in ``AhKd``; the empty text is no cards.

    Raises CardError ``bad_card``, or ``duplicate_card`` when one is named twice.
    """
    cards = tuple(parse_card(text[i : i + 2]) for i in range(0, len(text), 2))
    if len(set(cards)) != len(cards):
        raise CardError("duplicate_card", f"the same card twice: {text[:40]!r}")
    return cards


def cards_text(cards: Iterable[int]) -> str:
    """The texts of ``cards``, joined.

    Raises CardError ``bad_card``.
    """
    return "".join(map(card_text, cards))
