"""One of the tables of a tournament: somebody else seats the players, and lets every hand be dealt."""

from __future__ import annotations

from collections.abc import Sequence

from dealer.formats.carry_over import CarryOverStacks
from dealer.formats.format import DealsFor, Stakes, TableEvent
from dealer.rules.hand import HandState
from dealer.seats import Change


class PartOfTournament(CarryOverStacks):
    """A table whose players come with their chips and take them along when they are moved. A hand is dealt
    after each ``release``. ``stakes`` of the next hand may be changed between two hands.
    """

    def __init__(self, seats: int, stakes: Stakes, deals_for: DealsFor) -> None:
        super().__init__(seats, stakes, deals_for, muck=True)
        self.mode = "tournament"
        self.game = stakes.game(seats)
        self.hands = 0
        self.closed = False
        #: Whether the next hand may be dealt.
        self.is_released = False

    @property
    def over(self) -> bool:
        return self.closed

    def place_player(self, seat: int, stack: int) -> None:
        """Deal a player with these chips in from the next hand on."""
        self.stacks[seat] = stack
        self._change(seat, Change.SITS_IN)

    def remove_player(self, seat: int) -> int:
        """Deal a seat in no more; return its chips. It must not be in a hand."""
        stack, self.stacks[seat] = self.stacks[seat], 0
        self._change(seat, Change.LOSES_SEAT)
        return int(stack)

    def release(self, button: int) -> None:
        """Let the next hand be dealt, with the button at that seat."""
        self.button = button
        self.is_released = True

    def next_hand(self) -> HandState | None:
        if not self.is_released or self.paused or self.over:
            return None
        self.is_released = False
        live = self._dealt_in()
        after = live.index(self.button) + 1
        return self._deal(tuple(live[after:] + live[:after]))

    def finish_hand(self, hand: HandState) -> Sequence[TableEvent]:
        self._take_stacks(hand)
        return ()
