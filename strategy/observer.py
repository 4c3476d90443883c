"""Keeping track of a hand from what one player is told, to make a situation when it is his turn."""

from __future__ import annotations

from collections.abc import Sequence

from dealer.rules.actions import Legal
from dealer.rules.events import Acted, BoardDealt, Event, HandStarted
from dealer.rules.games import Game
from strategy.situation import PastAction, Situation

__all__ = ["Observer"]


class Observer:
    """One player's view of a table, fed with the events of each hand in their order.

    Feed it with ``observe``; who has the parts of the events at hand may call ``hand_started``,
    ``board_dealt`` and ``acted`` instead. Ask for the ``situation`` when the player is to act. Events that
    are out of order are not detected. Where blinds or the number of players change between hands, set
    ``game`` first.
    """

    __slots__ = (
        "_bets",
        "_board",
        "_button",
        "_folded",
        "_hand",
        "_hole",
        "_paid",
        "_positions",
        "_seats",
        "_stacks",
        "_steps",
        "_street",
        "game",
        "seat",
    )

    def __init__(self, game: Game, seat: int) -> None:
        self.game = game
        self.seat = seat
        self.hand_started(hand=0, seats=(), button=0, stacks=(), antes=(), blinds=(), hole=())

    def observe(self, event: Event) -> None:
        """Take note of an event, in which only the own hole cards need be known."""
        match event:
            case Acted():
                self.acted(event.seat, event.action, event.to, event.paid)
            case BoardDealt():
                self.board_dealt(event.street, event.cards)
            case HandStarted():
                own = event.seats.index(self.seat) if self.seat in event.seats else None
                self.hand_started(
                    hand=event.hand,
                    seats=event.seats,
                    button=event.button,
                    stacks=event.stacks,
                    antes=event.antes,
                    blinds=event.blinds,
                    hole=() if own is None else event.hole[own],
                )

    def hand_started(
        self,
        *,
        hand: int,
        seats: Sequence[int],
        button: int,
        stacks: Sequence[int],
        antes: Sequence[int],
        blinds: Sequence[int],
        hole: Sequence[int],
    ) -> None:
        """A new hand. ``stacks`` are those before antes and blinds; ``hole`` are the player's own cards."""
        self._hand = hand
        self._button = button
        self._seats = tuple(seats)
        self._positions = {seat: position for position, seat in enumerate(seats)}
        self._paid = [ante + blind for ante, blind in zip(antes, blinds, strict=True)]
        self._stacks = [stack - paid for stack, paid in zip(stacks, self._paid, strict=True)]
        self._bets = list(blinds)
        self._folded = [False] * len(seats)
        self._hole = tuple(hole)
        self._board: tuple[int, ...] = ()
        self._street = 0
        self._steps: list[PastAction] = []

    def board_dealt(self, street: int, cards: Sequence[int]) -> None:
        """A new street, with its new board cards (there may be none)."""
        self._street = street
        self._board += tuple(cards)
        self._bets = [0] * len(self._seats)

    def acted(self, seat: int, kind: str, to: int, paid: int) -> None:
        """``seat`` put in ``paid`` chips, which makes ``to`` on this street (0 for a fold)."""
        position = self._positions[seat]
        if kind == "fold":
            self._folded[position] = True
        else:
            self._bets[position] = to
            self._paid[position] += paid
            self._stacks[position] -= paid
        self._steps.append(PastAction(self._street, seat, kind, to))

    def situation(self, legal: Legal) -> Situation:
        """The decision that the player faces now; what is ``legal`` is the dealer's word."""
        return self.situation_of(self.seat, self._hole, legal)

    def situation_of(self, seat: int, hole: tuple[int, ...], legal: Legal) -> Situation:
        """The decision that the player in ``seat`` faces: all but his own cards and what is ``legal`` is
        public, so whoever knows these needs but one observer for a table.
        """
        # By position, in the order of the fields: this is on the way of every decision.
        return Situation(
            self.game,
            seat,
            self._hand,
            self._button,
            self._seats,
            hole,
            self._board,
            self._street,
            legal,
            tuple(self._stacks),
            tuple(self._paid),
            tuple(self._bets),
            tuple(self._folded),
            tuple(self._steps),
        )
