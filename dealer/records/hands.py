"""One hand in memory, whatever file it came from or goes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from dealer.errors import RecordError
from dealer.rules.errors import GameError
from dealer.rules.events import Chips, Event, HandEnded, HandStarted
from dealer.rules.games import DEFAULT_STACK, Game, holdem, parse_game


class HandMetadata(NamedTuple):
    """What is told of a hand beside the play. ``time`` is in UTC.

    ``currency`` is a code like ``USD``, empty for play money; ``unit`` chips are one of it: 100 where the
    amounts of a file have cents. ``tournament`` is its number or name, empty for a cash hand; ``level``
    counts from 1, 0 is unknown. ``id`` is what the hand is called where its number alone would not do, and
    ``hero`` the seat of whom it is told to.
    """

    table: str = ""
    site: str = ""
    currency: str = ""
    unit: int = 1
    time: datetime | None = None
    tournament: str = ""
    level: int = 0
    id: str = ""
    hero: int | None = None


class HandRecord(NamedTuple):
    """A whole hand: its game, all events, the names by seat, and what else is known.

    Hole cards may be left out for PHH and OHH, which can be written, but not read again, without them.
    """

    game: Game
    events: Sequence[Event]
    names: Mapping[int, str]
    meta: HandMetadata = HandMetadata()

    @property
    def started(self) -> HandStarted:
        """The first event. Raises ``RecordError`` ``not_a_hand`` when it is none that begins a hand."""
        first = self.events[0] if self.events else None
        if not isinstance(first, HandStarted):
            raise RecordError("not_a_hand", "the events are not those of one whole hand")
        return first

    @property
    def ended(self) -> HandEnded:
        """The last event. Raises ``RecordError`` ``not_a_hand`` when it is none that ends a hand."""
        last = self.events[-1] if self.events else None
        if not isinstance(last, HandEnded):
            raise RecordError("not_a_hand", "the events are not those of one whole hand")
        return last


class HoldemStakes(NamedTuple):
    """The stakes of a hold'em table in the words of card rooms. ``bets``: small and big bet, limit only."""

    players: int
    small: int
    big: int
    ante: int
    bets: tuple[int, int] | None
    straddle: int = 0

    def game(self, rules: str, stacks: tuple[int, ...], given: Game | None = None) -> Game:
        """The game of a hand with these stacks, or the ``given`` one if it has these stakes.

        Raises ``RecordError`` ``replay_differs`` when it has not, ``unsupported``, and GameError.
        """
        if not 0 <= self.small <= self.big or not self.big:
            raise RecordError("unsupported", f"blinds of {self.small} and {self.big}")
        if given is not None:
            if stakes_of_game(given) != self:
                raise RecordError(
                    "replay_differs", f"stakes: told {self}, but the game has {stakes_of_game(given)}"
                )
            return given
        try:
            return _game_with_stakes(self, rules, stacks)
        except GameError:
            # A game's own stacks must be able to pay the blinds, those of a hand need not.
            return _game_with_stakes(self, rules, DEFAULT_STACK)


def stakes_of_game(game: Game) -> HoldemStakes:
    """The stakes of a game of hold'em."""
    small, big = sorted(game.blinds[:2])
    bets = (game.raise_sizes[0], game.raise_sizes[-1]) if game.limit else None
    return HoldemStakes(game.players, small, big, game.ante, bets, game.straddle)


@lru_cache(maxsize=64)
def _game_with_stakes(stakes: HoldemStakes, rules: str, stacks: int | tuple[int, ...]) -> Game:
    limit = stakes.bets is not None
    game = holdem(
        stakes.players,
        stakes.small,
        stakes.big,
        ante=stakes.ante,
        limit=limit,
        stack=stacks,
        rules=rules,
        straddle=stakes.straddle,
    )
    if stakes.bets is None:
        return game
    small, big = stakes.bets
    return replace(game, raise_sizes=(small, small, big, big))


def same_game(one: Game, other: Game, *, stacks: bool = True) -> bool:
    """Whether two games are played alike, whatever they are called, and with the same ``stacks``."""
    return one is other or replace(
        one, name="", stacks=other.stacks if not stacks else one.stacks
    ) == replace(other, name="")


@lru_cache(maxsize=64)
def game_definition(game: Game) -> str:
    """The text of a game that its stakes and rule set alone would not give; empty when they would."""
    plain = _game_with_stakes(stakes_of_game(game), game.rules, DEFAULT_STACK)
    return "" if same_game(plain, game, stacks=False) else game.text()


def parse_definition(text: object) -> Game | None:
    """The way back from ``game_definition``. Raises ``RecordError`` ``bad_hand`` or GameError."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise RecordError("bad_hand", "the game's definition is not a text")
    return parse_game(text)


@lru_cache(maxsize=64)
def holdem_order(game: Game, code: str) -> tuple[int, ...]:
    """Our position of each player, from the left of the button on: the last one has the button.

    Raises ``RecordError`` with ``code`` for a game that card rooms do not know: not Texas hold'em, or not
    with the usual blinds, bets and order of play.
    """
    if game.board_cards != (0, 3, 1, 1) or (game.hole_cards, game.suits, game.ranks) != (2, 4, 13):
        raise RecordError(
            code, f"{game.name} is not Texas hold'em, and the format knows no other game of ours"
        )
    if game.limit and (
        game.raise_sizes[0] != game.raise_sizes[1] or game.raise_sizes[2] != game.raise_sizes[3]
    ):
        raise RecordError(
            code, f"the format has one bet for two streets; {game.name} bets {game.raise_sizes}"
        )
    small, big, *others = game.blinds
    order: tuple[int, ...]
    if game.players == 2:
        button = game.first_player[0]
        order = (1 - button, button)
        known = game.first_player[1:] == (1 - button,) * 3 and game.blinds[button] < game.blinds[1 - button]
    else:
        order = tuple(range(game.players))
        first = 3 if game.straddle else 2 % game.players
        known = game.first_player == (first, 0, 0, 0) and small <= big and not any(others)
    if not known or max(game.blinds) == 0:
        raise RecordError(
            code, f"the format expects the usual blinds and order of play, which {game.name} has not"
        )
    return order


def verify_clockwise(seats: Sequence[int], code: str) -> None:
    """Check that positions go round the table, for formats that tell seats and button and no order.

    Raises ``RecordError`` with ``code``.
    """
    first = seats.index(min(seats))
    around = [*seats[first:], *seats[:first]]
    if around != sorted(seats):
        raise RecordError(code, f"the seats {[seat + 1 for seat in seats]} do not go round the table")


def verify_settled_as_usual(ended: HandEnded, code: str) -> None:
    """Check that the pots went to the best hands on one board. Raises ``RecordError`` with ``code``."""
    if ended.equity or ended.second:
        how = "by equity" if ended.equity else "on two boards"
        raise RecordError(code, f"the pots were divided {how}, which the format cannot tell")


def money(chips: Chips, unit: int) -> Chips:
    """Chips as an amount in the currency of ``HandMetadata.unit``."""
    amount = chips / unit
    return int(amount) if amount == int(amount) else amount
