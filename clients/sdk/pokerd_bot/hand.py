"""What a bot knows about its match and the hand in progress."""

from __future__ import annotations

import random
from functools import cached_property
from typing import NamedTuple

from dealer.rules.games import Game, parse_game, street_name
from dealer.rules.pots import open_pots
from protocol import messages

#: Names of the last positions before the button, counted backwards from it.
_LATE_POSITIONS = ("CO", "HJ", "LJ")


class Match:
    """A match, as announced by ``match_start``; ``info`` is the whole message.

    ``seat`` is your seat, ``players`` are the names by seat. ``rng`` is seeded by the server, so reruns are
    reproducible.
    """

    def __init__(self, info: messages.MatchStart) -> None:
        self.info = info
        self.table = info.table
        self.seat = info.seat
        self.players = info.players
        self.rng = random.Random(info.seed)

    @cached_property
    def game(self) -> Game:
        """The game's definition: blinds, stacks, streets, cards."""
        info = self.info.game
        return parse_game(info.text, info.name).with_rules(info.rules)

    @property
    def big_blind(self) -> int:
        """The largest blind of the game, in chips."""
        return max(self.info.game.blinds)


class PlayerState(NamedTuple):
    """A player in the hand. ``position`` is an index into ``Hand.seats``.

    In chips: ``stack`` (still behind), ``bet`` (on this street) and ``paid`` (in the whole hand, including
    blinds and antes).
    """

    seat: int
    name: str
    position: int
    stack: float | int
    bet: int
    paid: int
    folded: bool

    @property
    def all_in(self) -> bool:
        """Whether the player is still in the hand and has no chips left."""
        return self.stack == 0 and not self.folded


class Pot(NamedTuple):
    """The main pot or a side pot: ``amount`` in chips, and the ``seats`` eligible to win it."""

    amount: int
    seats: tuple[int, ...]


class Hand:
    """A hand from the bot's point of view.

    ``seats[p]`` is the seat in position ``p``; position 0 is left of the button, or heads-up the big blind.
    ``hole`` and ``board`` are cards as text ("Ah"). ``actions`` are the actions so far, as (street, message).
    """

    __slots__ = ("actions", "board", "hole", "match", "number", "seats", "start", "street")

    def __init__(self, match: Match, start: messages.HandStart) -> None:
        self.match = match
        self.start = start
        self.number = start.hand
        self.seats = start.seats
        self.hole = start.hole
        self.board: list[str] = []
        self.street = 0
        self.actions: list[tuple[int, messages.PlayerActed]] = []

    @property
    def street_name(self) -> str:
        """``preflop``, ``flop``, ``turn`` or ``river``; in other games ``round 1`` and so on."""
        return street_name(self.match.game, self.street)

    @property
    def button(self) -> int:
        """The seat with the button."""
        return self.start.button

    def position_name(self, seat: int) -> str:
        """Return ``BTN``, ``SB``, ``BB``, ``UTG``, ``UTG+1``, ``LJ``, ``HJ`` or ``CO``.

        Heads-up the small blind has the button and is ``BTN``. Raises ``ValueError`` for a seat that was not
        dealt in.
        """
        position, last = self.seats.index(seat), len(self.seats) - 1
        if last == 1:
            return ("BB", "BTN")[position]
        if position < 2:
            return ("SB", "BB")[position]
        if position == last:
            return "BTN"
        back = last - 1 - position
        # The first to act is UTG, however few players are left behind.
        if position > 2 and back < len(_LATE_POSITIONS):
            return _LATE_POSITIONS[back]
        return "UTG" if position == 2 else f"UTG+{position - 2}"

    @property
    def players(self) -> tuple[PlayerState, ...]:
        """All players dealt in, in the order of ``seats``."""
        start = self.start
        bets = list(start.blinds)
        paid = [ante + blind for ante, blind in zip(start.antes, start.blinds, strict=True)]
        folded = [False] * len(bets)
        street = 0
        for on_street, action in self.actions:
            if on_street != street:
                street, bets = on_street, [0] * len(bets)
            position = self.seats.index(action.seat)
            if action.action == "fold":
                folded[position] = True
            else:
                bets[position] = action.to
                paid[position] += action.paid
        if street != self.street:
            bets = [0] * len(bets)
        names = self.match.players
        return tuple(
            PlayerState(
                seat,
                names[seat] if seat < len(names) else "",
                position,
                start.stacks[position] - paid[position],
                bets[position],
                paid[position],
                folded[position],
            )
            for position, seat in enumerate(self.seats)
        )

    @property
    def me(self) -> PlayerState:
        """You. Raises ``ValueError`` if you were not dealt in."""
        return self.players[self.seats.index(self.match.seat)]

    @property
    def opponents(self) -> tuple[PlayerState, ...]:
        """The other players who have not folded."""
        return tuple(one for one in self.players if one.seat != self.match.seat and not one.folded)

    @property
    def pots(self) -> tuple[Pot, ...]:
        """The pots including the current bets: the main pot first, then the side pots."""
        players = self.players
        paid = [one.paid for one in players]
        pots = open_pots(paid, [one.folded for one in players], max(paid), self.seats)
        return tuple(Pot(int(pot.amount), pot.seats) for pot in pots)
