"""A table that deals a recorded session again, to compare a player's decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import cast

from dealer.errors import RecordError
from dealer.formats.format import TableEvent, TableFormat
from dealer.rules.actions import Action
from dealer.rules.betting import Betting
from dealer.rules.errors import RulesError
from dealer.rules.events import Acted, Event, Policy
from dealer.rules.hand import HandState
from dealer.seats import Change
from dealer.table import Clock, Table

#: Called with a recorded action and the player's new decision; returns whether the table continues.
OnDecision = Callable[[Acted, Acted], bool]


class RecordedTable(Table):
    """Asks the seat ``hero`` wherever it was hero when ``hands`` were recorded. Everybody acts as recorded,
    including ``hero`` itself: its new decisions go to ``on_decision`` only. There is no clock. A turn that
    timed out in the record is hero again; its recorded action is ``forced``. ``on_turn`` is called when a
    turn of ``hero`` opens, before anybody is told.

    Dealing raises ``RecordError`` (``replay_differs``) if the record does not fit the table's format and
    seed; a record that ends early ends the table.
    """

    __slots__ = ("_due", "_hands", "_hero", "_on_decision", "_on_turn", "_recorded", "last_hand")

    def __init__(
        self,
        table_format: TableFormat,
        seats: int,
        clock: Clock,
        hands: Iterable[Sequence[Event]],
        hero: int,
        on_decision: OnDecision,
        on_turn: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(table_format, seats, clock)
        self._hands = iter(hands)
        self._hero = hero
        self._on_decision = on_decision
        self._on_turn = on_turn
        self._recorded: Iterator[Acted] = iter(())
        #: The hand in progress, or the last one.
        self.last_hand: HandState | None = None
        #: The recorded action of the player to act.
        self._due: Acted | None = None
        for seat, status in enumerate(self.seats):
            if seat != hero:
                status.change(Change.GOES_AWAY)

    def time_left(self, now: float) -> tuple[float, float]:
        """Return the full decision time and time bank, in seconds."""
        return self.clock

    def act(
        self, seat: int, turn: int, action: Action, now: float, policy: Policy = ()
    ) -> list[Event | TableEvent]:
        """Compare a decision with the recorded one, and continue with the latter. Raises ``TurnRefused`` as a
        table does.
        """
        hand, due = self.hand, self._due
        if hand is None or due is None or seat != self.turn_seat or turn != self.seq:
            return super().act(seat, turn, action, now, policy)
        try:
            decided = _decided(hand.betting, seat, action)
        except RulesError:
            return super().act(seat, turn, action, now, policy)
        # What was said of the action is not the action.
        if not self._on_decision(due._replace(policy=()), decided):
            self.turn_seat = -1
            self.over = True
            return []
        events: list[Event | TableEvent] = []
        self._force(events, due.forced)
        self._advance(events, now)
        return events

    def _open_turn(self, seat: int, now: float) -> None:
        super()._open_turn(seat, now)
        self.deadline = None
        self._on_turn()

    def _waits_for(self, seat: int) -> bool:
        due = self._due
        if seat != self._hero or due is None:
            return False
        # An absent bot may return; the recorded table must agree that it was absent.
        away = due.forced not in ("", "timeout")
        self.seats[seat].change(Change.GOES_AWAY if away else Change.COMES_BACK)
        return not away

    def _force(self, events: list[Event | TableEvent], reason: str) -> None:
        hand, due = self.hand, self._due
        if hand is None or due is None or hand.to_act != due.seat:
            raise RecordError("replay_differs", f"{due} is recorded, but it is another player's turn")
        try:
            done = Action("raise", due.to) if due.action == "raise" else Action(due.action)
            new = hand.act(done, due.forced, due.policy)
        except RulesError as error:
            raise RecordError("replay_differs", f"the rules refuse the recorded {due}: {error}") from error
        self._due = next(self._recorded, None)
        self._emit(events, new)

    def _next_hand(self, events: list[Event | TableEvent]) -> bool:
        recorded = next(self._hands, None)
        if recorded is None:
            self.over = True
            return False
        dealt = super()._next_hand(events)
        if not dealt or cast("list[Event]", self.hand and self.hand.events)[0] != recorded[0]:
            raise RecordError("replay_differs", f"the seed does not deal the recorded {recorded[0]}")
        self.last_hand = self.hand
        self._recorded = iter([event for event in recorded if isinstance(event, Acted)])
        self._due = next(self._recorded, None)
        return True


def _decided(betting: Betting, seat: int, action: Action) -> Acted:
    """Return an action in its effective form: a call can be a raise. Raises ``RulesError``."""
    after = betting.copy()
    position = betting.to_act
    paid = after.act(action)
    kind = after.history[-1][2].kind
    spent = after.spent[position]
    if kind == "fold":
        return Acted(seat, kind, 0, 0, False)
    return Acted(seat, kind, spent - betting.street_start, paid, spent == betting.stacks[position])
