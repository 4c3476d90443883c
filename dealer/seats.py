"""The states of a seat: three small state machines, as data.

``ARRIVAL`` says how far its player has come since he took it, ``ATTENDANCE`` whether the table waits for his
turns, ``DEALING`` whether he is dealt in where players come and go. A change that a state does not list is
ignored.
"""

from __future__ import annotations

import enum
from typing import Final


class Arrival(enum.Enum):
    """How far a player has come."""

    #: Nobody holds the seat.
    VACANT = "vacant"
    #: Its player has not got ``match_start``.
    INVITED = "invited"
    #: He has got it, and has not sent ``ready``.
    ASKED = "asked"
    READY = "ready"
    #: He was ready, and got it again over a new connection: he may send ``ready`` again.
    RESUMED = "resumed"
    #: He got it before the server restarted, and has not returned.
    AWAITED = "awaited"
    #: As AWAITED, and he was ready.
    AWAITED_READY = "awaited, ready"


class Attendance(enum.Enum):
    """Whether the table waits for a player's turns."""

    #: The table waits, as long as his clock allows.
    PRESENT = "present"
    #: As PRESENT, but ABSENT from the next hand on.
    LEAVING = "leaving"
    #: The table acts for him at once: check, else fold.
    ABSENT = "absent"


class Dealt(enum.Enum):
    """Whether a seat is dealt in."""

    IN = "in"
    #: Dealt in until it would have the big blind.
    UNTIL_BLIND = "until blind"
    OUT = "out"


class Change(enum.Enum):
    """An event that concerns a seat."""

    TAKEN = "is taken"
    FREED = "is freed"
    CONNECTS = "connects"
    SAYS_READY = "says ready"
    RESTORED = "is restored"
    RESTORED_READY = "is restored, ready"
    GIVEN_UP = "is given up"
    COMES_BACK = "comes back"
    GOES_AWAY = "goes away"
    GOES_AWAY_AFTER_HAND = "goes away after the hand"
    MISSES_TURNS = "misses too many turns"
    HAND_BEGINS = "a hand begins"
    SITS_IN = "sits in"
    SITS_OUT = "sits out"
    SITS_OUT_AT_BLIND = "sits out at the big blind"
    GETS_BLIND = "is due the big blind"
    LOSES_SEAT = "leaves or is eliminated"


ARRIVAL: Final[dict[tuple[Arrival, Change], Arrival]] = {
    **{(state, Change.TAKEN): Arrival.INVITED for state in Arrival},
    **{(state, Change.FREED): Arrival.VACANT for state in Arrival},
    (Arrival.INVITED, Change.CONNECTS): Arrival.ASKED,
    (Arrival.ASKED, Change.SAYS_READY): Arrival.READY,
    (Arrival.READY, Change.CONNECTS): Arrival.RESUMED,
    (Arrival.RESUMED, Change.SAYS_READY): Arrival.READY,
    (Arrival.VACANT, Change.RESTORED): Arrival.AWAITED,
    (Arrival.VACANT, Change.RESTORED_READY): Arrival.AWAITED_READY,
    (Arrival.AWAITED, Change.CONNECTS): Arrival.ASKED,
    (Arrival.AWAITED, Change.GIVEN_UP): Arrival.ASKED,
    (Arrival.AWAITED_READY, Change.CONNECTS): Arrival.RESUMED,
    (Arrival.AWAITED_READY, Change.GIVEN_UP): Arrival.RESUMED,
}

ATTENDANCE: Final[dict[tuple[Attendance, Change], Attendance]] = {
    (Attendance.PRESENT, Change.GOES_AWAY): Attendance.ABSENT,
    (Attendance.PRESENT, Change.GOES_AWAY_AFTER_HAND): Attendance.LEAVING,
    (Attendance.PRESENT, Change.MISSES_TURNS): Attendance.ABSENT,
    (Attendance.LEAVING, Change.GOES_AWAY): Attendance.ABSENT,
    (Attendance.LEAVING, Change.MISSES_TURNS): Attendance.ABSENT,
    (Attendance.LEAVING, Change.HAND_BEGINS): Attendance.ABSENT,
    (Attendance.LEAVING, Change.COMES_BACK): Attendance.PRESENT,
    (Attendance.ABSENT, Change.COMES_BACK): Attendance.PRESENT,
}

DEALING: Final[dict[tuple[Dealt, Change], Dealt]] = {
    (Dealt.IN, Change.SITS_OUT): Dealt.OUT,
    (Dealt.IN, Change.SITS_OUT_AT_BLIND): Dealt.UNTIL_BLIND,
    (Dealt.IN, Change.LOSES_SEAT): Dealt.OUT,
    (Dealt.UNTIL_BLIND, Change.SITS_IN): Dealt.IN,
    (Dealt.UNTIL_BLIND, Change.SITS_OUT): Dealt.OUT,
    (Dealt.UNTIL_BLIND, Change.GETS_BLIND): Dealt.OUT,
    (Dealt.UNTIL_BLIND, Change.LOSES_SEAT): Dealt.OUT,
    (Dealt.OUT, Change.SITS_IN): Dealt.IN,
}


def dealt_after(dealt: Dealt, what: Change) -> Dealt:
    """Return whether a seat is dealt in after a change."""
    return DEALING.get((dealt, what), dealt)


class SeatStatus:
    """A seat and its clock: ``missed_turns`` in a row, and seconds left in the time ``bank``."""

    __slots__ = ("attendance", "bank", "missed_turns")

    def __init__(self, bank: float) -> None:
        self.attendance = Attendance.PRESENT
        self.bank = bank
        self.missed_turns = 0

    @property
    def is_absent(self) -> bool:
        """Return whether the table acts for the player at once."""
        return self.attendance is Attendance.ABSENT

    def change(self, what: Change) -> None:
        """Change to the next state."""
        self.attendance = ATTENDANCE.get((self.attendance, what), self.attendance)
