"""Tracks a hand from one player's view, and makes the situation when the player is to act."""

from __future__ import annotations

from collections.abc import Sequence

from dealer.rules.events import Acted, BoardDealt, Chips, Event, HandStarted
from dealer.rules.games import Game
from dealer.rules.legal import Legal
from strategy.situation import ObservedSituation, PastAction


class Observer:
    """One player's view of a table, fed with the events of each hand in order.

    Feed it with ``observe``; callers with the parts of events may call ``hand_started``, ``board_dealt`` and
    ``acted`` instead. Ask for the ``situation`` when the player is to act. Events out of order are not
    detected. If blinds or the number of players change between hands, set ``game`` first.
    """

    __slots__ = (
        "_bets", "_board", "_button", "_folded", "_hand", "_hole", "_paid", "_positions", "_seats",
        "_stacks", "_steps", "_street", "game", "seat",
    )  # fmt: skip

    def __init__(self, game: Game, seat: int) -> None:
        self.game = game
        self.seat = seat
        self.hand_started(hand=0, seats=(), button=0, stacks=(), antes=(), blinds=(), hole=())

    def observe(self, event: Event) -> None:
        """Observe an event, in which only the player's own hole cards need to be known."""
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
        stacks: Sequence[Chips],
        antes: Sequence[int],
        blinds: Sequence[int],
        hole: Sequence[int],
    ) -> None:
        """Start a hand. ``stacks`` are those before antes and blinds; ``hole`` are the player's own cards."""
        self._hand = hand
        self._button = button
        self._seats = tuple(seats)
        self._positions = {seat: position for position, seat in enumerate(seats)}
        self._paid = [ante + blind for ante, blind in zip(antes, blinds, strict=True)]
        self._stacks: list[Chips] = [stack - paid for stack, paid in zip(stacks, self._paid, strict=True)]
        self._bets = list(blinds)
        self._folded = [False] * len(seats)
        self._hole = tuple(hole)
        self._board: tuple[int, ...] = ()
        self._street = 0
        self._steps: list[PastAction] = []

    def board_dealt(self, street: int, cards: Sequence[int]) -> None:
        """Start a street with its new board cards, if any."""
        self._street = street
        self._board += tuple(cards)
        self._bets = [0] * len(self._seats)

    def acted(self, seat: int, kind: str, to: int, paid: int) -> None:
        """Record that ``seat`` paid ``paid`` chips, which makes ``to`` on this street (0 for a fold)."""
        position = self._positions[seat]
        if kind == "fold":
            self._folded[position] = True
        else:
            self._bets[position] = to
            self._paid[position] += paid
            self._stacks[position] -= paid
        self._steps.append(PastAction(self._street, seat, kind, to))

    def situation(self, legal: Legal) -> ObservedSituation:
        """Return the decision that the player faces now; ``legal`` comes from the dealer."""
        return self.situation_of(self.seat, self._hole, legal)

    def situation_of(self, seat: int, hole: tuple[int, ...], legal: Legal) -> ObservedSituation:
        """Return the decision that the player in ``seat`` faces.

        Only the player's cards and ``legal`` are not public, so one observer serves a whole table.
        """
        # By position, in the order of the fields: every decision passes here.
        return ObservedSituation(
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
