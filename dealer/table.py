"""A table: who is to act, how long he has, and what happens if he does not answer. Pure: time is an argument.

The owner of a table calls ``start``, ``act``, ``tick`` and ``set_absent``; each returns the events that
happened, in order. ``deadline`` is the latest time to call ``tick``. A refused call raises ``TurnRefused``
and changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

from dealer.errors import DealerError
from dealer.formats.format import TableEvent, TableFormat
from dealer.rules.actions import CALL, FOLD, Action
from dealer.rules.errors import IllegalAction
from dealer.rules.events import Event, Policy, Shown
from dealer.rules.hand import HandState
from dealer.rules.legal import Legal
from dealer.rules.policy import policy_problem
from dealer.seats import Change, SeatStatus

#: Maximum number of hands finished within one call when nobody has to be asked; the rest follows at the next
#: tick, so that a table of absent players does not delay others.
_HANDS_PER_CALL = 32
#: Factor of the pause after a showdown: there are cards to read.
_SHOWDOWN_PAUSE = 2.0


class Clock(NamedTuple):
    """Seconds for each decision, and seconds of time bank for the whole match (used after the former)."""

    decision: float = 10.0
    bank: float = 60.0


class TurnRefused(DealerError):
    """The action is not acceptable now. ``code``: ``not_your_turn``, ``stale_turn`` or ``bad_policy``,
    ``illegal_action`` (then with ``legal``).
    """

    at_fault = "player"

    def __init__(self, code: str, detail: str, legal: Legal | None = None) -> None:
        super().__init__(code, detail)
        self.legal = legal


def default_action(legal: Legal) -> Action:
    """Return the action for a player who does not answer: check, else fold."""
    return FOLD if legal.fold else CALL


class Table:
    """The state of a table. ``seq`` counts its events; ``turn`` numbers the open decision (the ``seq`` when
    it arose).

    After ``max_missed_turns`` timeouts in a row a player counts as absent and is no longer waited for.
    ``pause`` is the number of seconds between hands, doubled after a showdown; a change applies from the end
    of the current hand.
    """

    __slots__ = (
        "clock", "deadline", "hand", "max_missed_turns", "over", "pause", "seats", "seq",
        "table_format", "turn_seat", "turn_started",
    )  # fmt: skip

    def __init__(
        self,
        table_format: TableFormat,
        seats: int,
        clock: Clock,
        *,
        max_missed_turns: int = 3,
        pause: float = 0.0,
    ) -> None:
        self.table_format = table_format
        self.clock = clock
        self.max_missed_turns = max_missed_turns
        self.pause = pause
        self.hand: HandState | None = None
        self.seq = 0
        self.turn_seat = -1
        self.deadline: float | None = None
        self.over = False
        self.seats = [SeatStatus(clock.bank) for _ in range(seats)]
        #: When the open turn began.
        self.turn_started = 0.0

    @property
    def turn(self) -> int:
        """Return the number of the open decision."""
        return self.seq

    def legal(self) -> Legal:
        """Return the legal actions of the player to act. There must be an open turn."""
        assert self.hand is not None
        return self.hand.legal()

    def time_left(self, now: float) -> tuple[float, float]:
        """Return the seconds of decision time and of time bank that the player to act has left."""
        spent = max(0.0, now - self.turn_started)
        own = self.clock.decision - spent
        bank = self.seats[self.turn_seat].bank
        return (own, bank) if own >= 0 else (0.0, max(0.0, bank + own))

    def start(self, now: float) -> list[Event | TableEvent]:
        """Deal the next hand if none is in progress or due and the format has one."""
        events: list[Event | TableEvent] = []
        if self.hand is None and self.deadline is None and not self.over:
            self._advance(events, now, resume=True)
        return events

    def act(
        self, seat: int, turn: int, action: Action, now: float, policy: Policy = ()
    ) -> list[Event | TableEvent]:
        """Execute a player's answer to ``turn``, drawn with the chances ``policy``. Raises ``TurnRefused``
        and changes nothing if it is not acceptable.
        """
        hand = self.hand
        if seat != self.turn_seat or turn != self.seq or hand is None:
            code = "stale_turn" if turn < self.seq else "not_your_turn"
            raise TurnRefused(code, f"turn {turn} is not open for seat {seat}")
        if policy:
            problem = policy_problem(hand.betting, action, policy)
            if problem:
                raise TurnRefused("bad_policy", problem)
        try:
            # A new list each time, which callers may extend.
            events = cast("list[Event | TableEvent]", hand.act(action, "", policy))
        except IllegalAction as error:
            raise TurnRefused("illegal_action", str(error), error.legal) from None
        over = now - self.turn_started - self.clock.decision
        status = self.seats[seat]
        if over > 0:
            status.bank = max(0.0, status.bank - over)
        status.missed_turns = 0
        self.seq += len(events)
        to_act = hand.betting.to_act
        if to_act >= 0 and self._waits_for(hand.seats[to_act]):
            self._open_turn(hand.seats[to_act], now)
        else:
            self._advance(events, now)
        return events

    def give_up_hand(self, now: float) -> list[Event | TableEvent]:
        """Deal the next hand in place of the one in progress, which has no result."""
        self.hand = None
        events: list[Event | TableEvent] = []
        self._advance(events, now, resume=True)
        return events

    def tick(self, now: float) -> list[Event | TableEvent]:
        """Advance the time: after the deadline, act for a player who did not, or deal the next hand."""
        events: list[Event | TableEvent] = []
        if self.deadline is None or now < self.deadline:
            return events
        seat = self.turn_seat
        if seat >= 0:
            status = self.seats[seat]
            status.bank = 0.0
            status.missed_turns += 1
            if status.missed_turns >= self.max_missed_turns:
                status.change(Change.MISSES_TURNS)
            self._force(events, "timeout")
        self._advance(events, now, resume=True)
        return events

    def set_absent(self, seat: int, absent: bool, now: float) -> list[Event | TableEvent]:
        """Mark a player as absent (the policy acts at once) or present."""
        events: list[Event | TableEvent] = []
        status = self.seats[seat]
        status.change(Change.GOES_AWAY if absent else Change.COMES_BACK)
        if not absent:
            status.missed_turns = 0
        elif seat == self.turn_seat:
            self._advance(events, now)
        return events

    def reopen_turn(self, at: float) -> None:
        """Ask the player to act again, if there is one: his decision time begins at ``at``."""
        if self.hand is not None:
            self._open_turn(self.hand.seats[self.hand.betting.to_act], at)

    def set_leaving(self, seat: int) -> None:
        """Mark a player as absent from the next hand on, until ``set_absent`` is called."""
        self.seats[seat].change(Change.GOES_AWAY_AFTER_HAND)

    def _open_turn(self, seat: int, now: float) -> None:
        self.turn_seat = seat
        self.turn_started = now
        self.deadline = now + self.clock.decision + self.seats[seat].bank

    def _force(self, events: list[Event | TableEvent], reason: str) -> None:
        assert self.hand is not None
        new = self.hand.act(default_action(self.hand.legal()), forced=reason)
        events += new
        self.seq += len(new)

    def _advance(self, events: list[Event | TableEvent], now: float, *, resume: bool = False) -> None:
        """Continue until somebody has to be asked, a pause begins, or the table is finished."""
        self.turn_seat = -1
        self.deadline = None
        finished = 0
        rest = 0.0 if resume else self.pause
        while not self.over:
            hand = self.hand
            if hand is None:
                if rest > 0 or finished >= _HANDS_PER_CALL:
                    self.deadline = now + rest
                    return
                if not self._next_hand(events):
                    return
            elif hand.betting.to_act < 0:
                self._emit(events, self.table_format.finish_hand(hand))
                self.hand = None
                self.over = self.table_format.over
                finished += 1
                rest = self._pause_after(hand) if self.pause else 0.0
            else:
                seat = hand.seats[hand.betting.to_act]
                if self._waits_for(seat):
                    self._open_turn(seat, now)
                    return
                self._force(events, "absent")

    def _waits_for(self, seat: int) -> bool:
        """Return whether the player to act is asked; otherwise the policy acts at once."""
        return not self.seats[seat].is_absent

    def _pause_after(self, hand: HandState) -> float:
        """Return the seconds until the next hand."""
        shown = any(type(event) is Shown for event in hand.events)
        return self.pause * _SHOWDOWN_PAUSE if shown else self.pause

    def _next_hand(self, events: list[Event | TableEvent]) -> bool:
        for status in self.seats:
            status.change(Change.HAND_BEGINS)
        self.hand = self.table_format.next_hand()
        if self.hand is None:
            self.over = self.table_format.over
            return False
        self._emit(events, self.hand.events)
        return True

    def _emit(self, events: list[Event | TableEvent], new: Sequence[Event | TableEvent]) -> None:
        events += new
        self.seq += len(new)
