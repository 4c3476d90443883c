"""The shuffled deck: the deals of a seed. Bots may not import this module, which knows undealt cards; the
server and studies do.

For a game, a deal is a pure function of (seed, match, hand): anybody who has the seed can redeal every hand.
Two kinds:

* ``acpc_deals``: the same cards as the ACPC reference dealer 1.0.42 for the same 32-bit seed. Such a seed can
  be computed from a few known hands, so use these deals for comparisons, not against programs that may cheat.
* ``secure_deals``: from a 256-bit seed, unbiased; the seed's ``commitment`` is published before the match,
  the seed after it.

In both the deck is ordered by suits, a shuffle draws cards by swapping with the last, position 0 gets all its
hole cards first, then position 1, ..., then the board of every street in order, whether or not it is reached.
No card is burned. A hand that is run twice goes on with the next cards of the same deck.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Callable, Sequence
from itertools import accumulate, chain, pairwise
from operator import itemgetter
from random import Random
from typing import NamedTuple

from dealer.errors import DeckError
from dealer.rules.cards import cards_text, parse_cards
from dealer.rules.errors import CardError
from dealer.rules.games import Game

#: Length of the seed of secure deals, in bytes.
SEED_BYTES = 32

_WORD = 1 << 32
_DRAW = 1 << 16
_SKIPPED_AT_ONCE = 1 << 16
_SECURE_DOMAIN = b"pokerd secure deal 1\x00"
_DRAW_DOMAIN = b"pokerd draw 1\x00"


class Deal(NamedTuple):
    """All cards of one hand: ``hole`` by position, ``streets`` the new board cards of every street.

    Its ``repr`` shows no cards, so that a logged deal reveals nothing; ``text`` does.
    """

    hole: tuple[tuple[int, ...], ...]
    streets: tuple[tuple[int, ...], ...]

    def board(self, street: int) -> tuple[int, ...]:
        """Return the new board cards of that street (0 = preflop)."""
        return self.streets[street]

    def text(self) -> str:
        """Return the deal as in an ACPC log, with the whole board: ``5d5c|9hQd/8dAs8s/4h/6d``."""
        holes = "|".join(map(cards_text, self.hole))
        return holes + "/".join(map(cards_text, self.streets))

    def __repr__(self) -> str:
        return f"<Deal for {len(self.hole)} players>"


def parse_deal(text: str, game: Game) -> Deal:
    """Parse the text of ``Deal.text``.

    Raises ``DeckError`` (``bad_deal``) if it is not a complete deal of that game.
    """
    first, *later = text.split("/")
    try:
        hole = tuple(tuple(parse_cards(part)) for part in first.split("|"))
        streets = ((), *[tuple(parse_cards(part)) for part in later])
    except CardError as error:
        raise DeckError("bad_deal", f"{text!r} is not a deal: {error}") from None
    cards = [card for group in (*hole, *streets) for card in group]
    wanted = ([game.hole_cards] * game.players, list(game.board_cards))
    if ([len(group) for group in hole], [len(group) for group in streets]) != wanted:
        raise DeckError("bad_deal", f"{text!r} does not have the hole and board cards of {game.name}")
    if len(set(cards)) < len(cards) or not set(cards) <= set(game.deck):
        raise DeckError(
            "bad_deal", f"{text!r} has a card twice, or one that is not in the deck of {game.name}"
        )
    return Deal(hole, streets)


class _Layout:
    """Where each drawn card goes, computed once per game."""

    __slots__ = ("_deck", "_hole", "_streets", "count", "sizes")

    def __init__(self, game: Game, *, boards: int = 1) -> None:
        groups = [game.hole_cards] * game.players + list(game.board_cards) * boards
        ends = list(accumulate(groups, initial=0))
        spans = [slice(start, end) for start, end in pairwise(ends)]
        self._deck = list(game.deck)
        self._hole = _slicer(spans[: game.players])
        self._streets = _slicer(spans[game.players :])
        self.count = ends[-1]
        # Number of cards left in the deck before each draw.
        self.sizes = tuple(range(len(self._deck), len(self._deck) - self.count, -1))

    def deal(self, numbers: tuple[int, ...]) -> Deal:
        """Shuffle and deal: the k-th card is the one at index ``numbers[k]`` modulo the cards left."""
        deck = self._deck.copy()
        left = len(deck)
        drawn = []
        for number in numbers:
            place = number % left
            left -= 1
            drawn.append(deck[place])
            deck[place] = deck[left]
        cards = tuple(drawn)
        return tuple.__new__(Deal, (self._hole(cards), self._streets(cards)))


def _slicer(spans: list[slice]) -> Callable[[tuple[int, ...]], tuple[tuple[int, ...], ...]]:
    if len(spans) == 1:
        return lambda cards: (cards[spans[0]],)
    return itemgetter(*spans)


def _draw_number(prefix: bytes, hand: int, choices: int) -> int:
    """Return a number from 0 to ``choices`` - 1 for a hand, from 256 bits of SHAKE-256 over a label,
    ``prefix`` and the hand as 8 bytes: the bias is below 2**-224.
    """
    _check_hand(hand)
    stream = hashlib.shake_256(_DRAW_DOMAIN + prefix + hand.to_bytes(8, "big"))
    return int.from_bytes(stream.digest(32), "big") % choices


class AcpcDeals:
    """Deals of the ACPC reference dealer 1.0.42 for one seed.

    Increasing hand numbers are cheapest. Going back restarts the generator and skips the hands between, about
    50 ns each: give every table that plays at its own pace its own object.
    """

    __slots__ = ("_bits", "_layout", "_next", "_random", "_seed", "_start", "_unpack", "_width")

    def __init__(self, seed: int, game: Game) -> None:
        self._seed = seed_bytes(seed)
        self._layout = _Layout(game)
        count = self._layout.count
        self._bits = 32 * count
        self._width = 4 * count
        self._unpack = struct.Struct(f"<{count}I").unpack
        # CPython's generator is the reference's MT19937; only its seeding differs, so the state is set from
        # outside.
        self._start = (3, _mersenne_state(seed), None)
        self._random = Random()
        self._random.setstate(self._start)
        self._next = 0

    def deal(self, hand: int) -> Deal:
        """Return the cards of that hand, as in the reference. Raises ``DeckError`` (``bad_hand``)."""
        if hand != self._next:
            self._seek(hand)
        self._next = hand + 1
        # The deal uses these words modulo the deck's size, with the reference's own, very slight bias.
        words = self._random.getrandbits(self._bits).to_bytes(self._width, "little")
        return self._layout.deal(self._unpack(words))

    def draw(self, hand: int, choices: int) -> int:
        """As ``SecureDeals.draw``; the reference has nothing like it."""
        return _draw_number(self._seed, hand, choices)

    def _seek(self, hand: int) -> None:
        _check_hand(hand)
        if hand < self._next:
            self._random.setstate(self._start)
            self._next = 0
        words = (hand - self._next) * self._layout.count
        while words > 0:
            step = min(words, _SKIPPED_AT_ONCE)
            self._random.getrandbits(32 * step)
            words -= step


def acpc_deals(seed: int, game: Game) -> AcpcDeals:
    """Return the reference dealer's deals for a seed (0 to 2**32 - 1). Raises ``DeckError``
    (``bad_seed``).
    """
    return AcpcDeals(seed, game)


def acpc_match_seed(seed: int, match: int) -> int:
    """Return the seed of match ``match`` (0, 1, ...) of a series that starts with ``seed``: ``seed XOR
    mix(match)``.

    ``mix`` is a bijection of the 32-bit numbers with ``mix(0) = 0``, so match 0 uses the seed itself and no
    two of 2**32 matches share their cards. (Matches that did spoiled results of the ACPC in 2016.) Raises
    ``DeckError``.
    """
    _check_seed(seed)
    if not 0 <= match < _WORD:
        raise DeckError("bad_match", f"a match number is an integer from 0 to {_WORD - 1}, not {match}")
    # The finalizer of MurmurHash3 (Austin Appleby, public domain): every step is invertible, hence a
    # bijection.
    mixed = match
    mixed = (mixed ^ mixed >> 16) * 0x85EBCA6B % _WORD
    mixed = (mixed ^ mixed >> 13) * 0xC2B2AE35 % _WORD
    return seed ^ mixed ^ mixed >> 16


class SecureDeals:
    """Unbiased deals of one match from a 256-bit seed.

    The choices come from SHAKE-256 over a label, the seed, and match and hand as 8 bytes each (big endian),
    read as big-endian 16-bit numbers; numbers that would cause bias are skipped. All hands cost the same.
    """

    __slots__ = ("_game", "_layout", "_length", "_limits", "_prefix", "_safe", "_unpack")

    def __init__(self, seed: bytes, match: int, game: Game) -> None:
        _check_seed(seed)
        if not 0 <= match < 1 << 64:
            raise DeckError("bad_match", f"a match number is an integer from 0 to 2**64 - 1, not {match}")
        self._game = game
        self._layout = _Layout(game)
        self._prefix = _SECURE_DOMAIN + seed + match.to_bytes(8, "big")
        self._length = 2 * self._layout.count
        self._unpack = struct.Struct(f">{self._layout.count}H").unpack
        self._limits = _limits(self._layout.sizes)
        self._safe = min(self._limits)

    def deal(self, hand: int) -> Deal:
        """Return the cards of that hand. Raises ``DeckError`` (``bad_hand``)."""
        if not 0 <= hand < _WORD:
            _check_hand(hand)
        stream = hashlib.shake_256(self._prefix + hand.to_bytes(8, "big"))
        numbers = self._unpack(stream.digest(self._length))
        if max(numbers) < self._safe:
            return self._layout.deal(numbers)
        return self._layout.deal(_choices(stream.digest(4 * self._length + 64), self._layout.sizes))

    def second_board(self, hand: int) -> tuple[int, ...]:
        """Return the cards of the deck that follow the board of that hand, as many as a whole board has.
        Raises ``DeckError`` (``bad_hand``).
        """
        _check_hand(hand)
        layout = _Layout(self._game, boards=2)
        stream = hashlib.shake_256(self._prefix + hand.to_bytes(8, "big"))
        streets = layout.deal(_choices(stream.digest(8 * layout.count + 64), layout.sizes)).streets
        return tuple(chain.from_iterable(streets[len(streets) // 2 :]))

    def draw(self, hand: int, choices: int) -> int:
        """Return a number from 0 to ``choices`` - 1 (at most 2**32) for the hand, independent of its cards.
        Raises ``DeckError`` (``bad_hand``).
        """
        return _draw_number(self._prefix, hand, choices)


def _limits(sizes: Sequence[int]) -> list[int]:
    """Return where numbers end that may be used: from there on they would favour low choices, because 2**16
    is not a multiple of the deck's size.
    """
    return [_DRAW - _DRAW % size for size in sizes]


def _choices(stream: bytes, sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the choices where a number may have to be skipped (fewer than one hand in 100)."""
    # A stream of twice the numbers and 64 bytes cannot run out: fewer than one in 1,000 is skipped.
    numbers = iter([number for (number,) in struct.iter_unpack(">H", stream)])
    return tuple(
        [
            next(number for number in numbers if number < limit) % size
            for size, limit in zip(sizes, _limits(sizes), strict=True)
        ]
    )


def secure_deals(seed: bytes, match: int, game: Game) -> SecureDeals:
    """Return unbiased deals of a match from a 256-bit seed. Raises ``DeckError`` (``bad_seed``,
    ``bad_match``).
    """
    return SecureDeals(seed, match, game)


def seed_bytes(seed: bytes | int) -> bytes:
    """Return a seed as bytes: 32 for secure deals, 4 (big endian) for ACPC deals. Raises ``DeckError``
    (``bad_seed``).
    """
    _check_seed(seed)
    return seed if isinstance(seed, bytes) else seed.to_bytes(4, "big")


def commitment(seed: bytes | int) -> str:
    """Return what is published before the first card: the SHA-256, in hex, of the seed's bytes. Raises
    ``DeckError`` (``bad_seed``).
    """
    return hashlib.sha256(seed_bytes(seed)).hexdigest()


def verify_commitment(seed: bytes | int, published: str) -> None:
    """Check a revealed seed. Raises ``DeckError`` (``bad_seed``, ``commitment_mismatch``)."""
    if not hmac.compare_digest(commitment(seed).encode(), published.strip().lower().encode()):
        raise DeckError(
            "commitment_mismatch", f"the revealed seed does not belong to the commitment {published}"
        )


def _check_seed(seed: bytes | int) -> None:
    if isinstance(seed, int):
        if not 0 <= seed < _WORD:
            raise DeckError("bad_seed", f"an ACPC seed is an integer from 0 to {_WORD - 1}, not {seed}")
    elif len(seed) != SEED_BYTES:
        raise DeckError("bad_seed", f"the seed of secure deals has {SEED_BYTES} bytes, not {len(seed)}")


def _check_hand(hand: int) -> None:
    if not 0 <= hand < _WORD:
        raise DeckError("bad_hand", f"hands are numbered from 0 to {_WORD - 1}; there is no hand {hand}")


def _mersenne_state(seed: int) -> tuple[int, ...]:
    """Return MT19937's state for a 32-bit integer, as in Matsumoto and Nishimura's code of 2002."""
    state = [seed]
    for i in range(1, 624):
        last = state[-1]
        state.append((1812433253 * (last ^ last >> 30) + i) % _WORD)
    return (*state, 624)
