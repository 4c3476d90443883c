"""Hand ranks and win probabilities, without numpy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from dealer.rules.cards import CARD_TEXTS, parse_cards
from dealer.rules.evaluation import hand_label, rank_hand

_BOARD_CARDS = 5


def _numbers(cards: str | Iterable[str]) -> tuple[int, ...]:
    return parse_cards(cards if isinstance(cards, str) else "".join(cards))


def hand_rank(cards: str | Iterable[str]) -> int:
    """Return the rank of the best five of 5 to 7 cards: higher wins, equal ranks split the pot.

    Cards are text: ``"AhKd2c3c4c"``, or a list such as ``["Ah", "Kd", ...]``. Raises ``CardError`` (a
    ``ValueError``).
    """
    return rank_hand(_numbers(cards))


def hand_name(cards: str | Iterable[str]) -> str:
    """Return the hand's name, such as ``two pair, kings and tens``. Raises like ``hand_rank``."""
    return hand_label(_numbers(cards))


def equity(
    hole: str | Sequence[str],
    board: str | Sequence[str] = (),
    *,
    opponents: int = 1,
    samples: int = 1000,
    rng: Random | None = None,
) -> float:
    """Return the average share of the pot, 0 to 1, that a hold'em hand wins in a showdown against
    ``opponents`` random hands.

    The estimate is the mean of ``samples`` random deals; its standard error is at most 0.5 / sqrt(samples).
    Pass ``match.rng`` as ``rng`` for reproducible results. Raises ``CardError`` (a ``ValueError``) for
    invalid cards, and ``ValueError`` unless there are 2 hole cards, at most 5 board cards and 1 to 9
    opponents.
    """
    own, shown = _numbers(hole), _numbers(board)
    if len(own) != 2 or len(shown) > _BOARD_CARDS or not 1 <= opponents <= 9 or samples < 1:
        raise ValueError("2 hole cards, at most 5 on the board, 1 to 9 opponents, 1 or more samples")
    known = {*own, *shown}
    if len(known) != len(own) + len(shown):
        raise ValueError("a card is both in the hand and on the board")
    rest = [card for card in range(len(CARD_TEXTS)) if card not in known]
    missing = _BOARD_CARDS - len(shown)
    sample = (rng or Random()).sample
    total = 0.0
    for _ in range(samples):
        drawn = sample(rest, missing + 2 * opponents)
        full = (*shown, *drawn[:missing])
        mine = rank_hand(own + full)
        others = [rank_hand((*drawn[at : at + 2], *full)) for at in range(missing, len(drawn), 2)]
        best = max(others)
        if mine > best:
            total += 1
        elif mine == best:
            total += 1 / (1 + others.count(best))
    return total / samples
