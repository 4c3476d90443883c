"""The test vectors of ``docs/fairness.md``: deals step by step, as the page says. The cards that come out
must be those of ``dealer.deck``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import count

from dealer.deck import SEED_BYTES, acpc_deals, acpc_match_seed, commitment, secure_deals
from dealer.rules.cards import card_text
from dealer.rules.games import Game, load_game

_TEXT = "fairness"
_SEED = hashlib.sha256(_TEXT.encode()).digest()
_ACPC_SEED = 20111
_THREE = load_game("holdem.limit.3p")
_TWO = load_game("holdem.nolimit.2p.reverse_blinds")
_KUHN = load_game("kuhn.limit.3p")


def vectors() -> str:
    """What stands in the made block."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield f"seed        {_SEED.hex()}"
    yield f"commitment  {commitment(_SEED)}"
    yield ""
    yield "secure, three players, hold'em, match 1, hand 2"
    yield from _steps(_THREE, 1, 2)
    hand = next(hand for hand in count() if any(drawn is None for _, _, drawn in _drawn(_TWO, 0, hand)))
    yield ""
    yield f"secure, two players, hold'em, match 0, hand {hand}: a number is passed over"
    yield from _steps(_TWO, 0, hand)
    yield ""
    yield "secure, three players, Kuhn, match 0, hands 0 to 2"
    deals = secure_deals(_SEED, 0, _KUHN)
    yield from (deals.deal(hand).text() for hand in range(3))
    yield ""
    yield "secure, match 0, hand 1: big blinds drawn from 1 to 10"
    yield str(1 + deals.draw(1, 10))
    yield ""
    yield f"acpc, seed {_ACPC_SEED}, three players, hold'em, hands 0 and 1 of matches 0 and 1"
    yield f"commitment    {commitment(_ACPC_SEED)}"
    for match in range(2):
        seed = acpc_match_seed(_ACPC_SEED, match)
        yield f"match seed {match}  {seed}"
        yield from (acpc_deals(seed, _THREE).deal(hand).text() for hand in range(2))


def _message(match: int, hand: int) -> bytes:
    return b"pokerd secure deal 1\0" + _SEED + match.to_bytes(8, "big") + hand.to_bytes(8, "big")


def _drawn(game: Game, match: int, hand: int) -> Iterator[tuple[int, int, tuple[int, str] | None]]:
    """Each number of the output, the cards left, and the place and card drawn; None: it is passed over."""
    stream = hashlib.shake_256(_message(match, hand)).digest(8 * SEED_BYTES)
    deck = list(game.deck)
    cards = game.hole_cards * game.players + sum(game.board_cards)
    for at in range(0, len(stream), 2):
        number, left = int.from_bytes(stream[at : at + 2], "big"), len(deck)
        if left == len(game.deck) - cards:
            return
        if number >= 65536 - 65536 % left:
            yield number, left, None
            continue
        place = number % left
        yield number, left, (place, card_text(deck[place]))
        last = deck.pop()
        if place < len(deck):
            deck[place] = last


def _steps(game: Game, match: int, hand: int) -> Iterator[str]:
    message = _message(match, hand)
    steps = list(_drawn(game, match, hand))
    yield f"bytes   {message[:21].hex()}"
    yield f"        {message[21:53].hex()}"
    yield f"        {message[53:].hex()}"
    yield f"output  {hashlib.shake_256(message).hexdigest(2 * len(steps))}"
    yield "number  cards left  place  card"
    for number, left, drawn in steps:
        place, card = drawn or ("-", "-")
        yield f"{number:6}  {left:10}  {place:>5}  {card}"
    cards = "".join(drawn[1] for _, _, drawn in steps if drawn)
    deal = secure_deals(_SEED, match, game).deal(hand).text()
    assert cards == deal.replace("|", "").replace("/", "")
    yield f"deal    {deal}"
