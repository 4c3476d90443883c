"""A challenge: one person plays a number of hands, and a house bot plays the same deals from the same seat,
with the same bots in the other seats. Nothing is told of the rival's run before both runs are over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from msgspec import structs

from dealer.errors import RecordError
from dealer.formats.format import TableEvent
from dealer.intervals import mean_interval
from dealer.rules.events import Event, HandEnded, HandStarted
from dealer.seats import Attendance
from dealer.table import Clock, Table
from protocol.errors import Refused
from protocol.messages import Challenge, ChallengeHand, ServerMessage
from server.tables.actor import Pulse, TableActor
from server.tables.audience import tell
from server.tables.config import TablePlan
from server.tables.open_table import READY_TIME, OpenTable
from server.tables.phases import Phase
from server.tables.player import Player
from server.tables.recorder import TableRecord
from server.tables.saving import play_of, take_up
from server.tables.snapshot import Holder, LastingPlay, LastingTable, Rivalry
from server.tables.table_updates import TableFacts

__all__ = ["ChallengeTable"]

#: The rival and his opponents are bots of ours: they have all the time that they need, so that no deadline
#: decides for them and the run can be repeated.
PATIENT: Final = Clock(60.0, 0.0)


class _Tally:
    """What one seat won or lost in every hand."""

    def __init__(self, seat: int) -> None:
        self.nets: list[float] = []
        self._seat = seat

    def hand(self, events: Sequence[Event]) -> None:
        started, ended = events[0], events[-1]
        assert isinstance(started, HandStarted)
        assert isinstance(ended, HandEnded)
        self.nets.append(ended.values[started.seats.index(self._seat)])


class _Run(TableActor):
    """The rival's run."""

    on_change: Callable[[], None]

    def _settle(self, events: Sequence[Event | TableEvent]) -> None:
        self.on_change()
        super()._settle(events)


class ChallengeTable(OpenTable):
    """The table of a challenge. Only ``owner`` can sit down. ``send_rival`` is called when he begins, and
    calls ``play_rival``.
    """

    def __init__(
        self,
        house: Pulse,
        plan: TablePlan,
        name: str,
        *,
        owner: Player,
        send_rival: Callable[[ChallengeTable], None],
        seed: bytes | None = None,
        idle: float | None = None,
        keeper: Callable[[OpenTable], TableRecord] | None = None,
        on_over: Callable[[TableActor], None] | None = None,
        was: LastingTable | None = None,
    ) -> None:
        self._send_rival = send_rival
        #: Seat of the player, and of his rival in the other run; bots take those before it.
        self._own = plan.seats - 1
        self._player_name = owner.name
        self._nets = _Tally(self._own)
        self._rival_nets = _Tally(self._own)
        self._rival: TableActor | None = None
        self._rival_name = ""
        self._rival_record: TableRecord | None = None
        self._rival_over = False
        self._start_timer: asyncio.TimerHandle | None = None
        self._concluded = False
        self.result: Challenge | None = None
        super().__init__(
            house, plan, name, seed=seed, idle=idle, owner=owner, keeper=keeper, on_over=on_over, was=was
        )
        self.recorders.append(self._nets)

    # The player.

    def join(self, player: Player, seat: int) -> None:
        if not (player.servant or (self.owner is not None and self.owner.is_same(player))):
            raise Refused("no_seat", "the free seat is for whoever made the challenge", table=self._id)
        super().join(player, seat)

    def open_seats(self) -> int:
        return 0

    def leave(self, seat: int) -> None:
        """Give the seat up. Once the first hand is dealt that ends the challenge."""
        if not self.started:
            super().leave(seat)
            return
        self._conclude()
        self._dismiss(seat)
        self.stop("closed")

    def _wanted(self, *, watched: bool) -> bool:
        # Hands are dealt for the player alone: what he misses he could not play again.
        own = self.seats[self._own]
        here = own.player is not None and own.player.connection is not None and own.ready
        return here and self.table.seats[self._own].attendance is Attendance.PRESENT

    def _settle(self, events: Sequence[Event | TableEvent]) -> None:
        super()._settle(events)
        # He missed too many turns.
        if self.table.seats[self._own].absent and not self.play.waiting:
            self.attend()

    # The rival.

    def begin(self) -> None:
        player = self.seats[self._own].player
        assert player is not None
        self._player_name = player.name
        super().begin()
        self._send_rival(self)

    def play_rival(self, rival: Player) -> None:
        """Let the rival play the deals of this table with the same opponents."""
        self._rival_name = rival.name
        actor = self._run_of_rival()
        actor.on_ready = actor.begin
        for seat, holder in enumerate(self.players):
            bot = rival if seat == self._own else holder
            assert bot is not None
            actor.seat(seat, bot)
            if bot.ended:
                actor.give_up(seat)
        self._start_timer = self.house.call_later(READY_TIME, self._start_rival)

    def _run_of_rival(self, number: int = 0) -> TableActor:
        """His table, without anybody; ``number``: of the record of a run that goes on."""
        names = list(self.facts.names)
        names[self._own] = self._rival_name
        table = f"{self._id}-rival"
        actor = self._rival = _Run(
            self.house,
            Table(self.plan.play(self.seed), self.plan.seats, PATIENT),
            TableFacts(table, table, names, self.facts.seeds),
            self._rival_nets,
            self._rival_done,
        )
        actor.on_change = self._save
        if self.record is not None:
            self._rival_record = self.record.rival(number)
            # Who challenged him may see his cards: they were dealt to himself.
            identities = [""] * self.plan.seats
            player = self.seats[self._own].player
            identities[self._own] = player.identity if player is not None else ""
            self._rival_record.begin(self.play.game, list(zip(names, identities, strict=True)))
            actor.recorders.append(self._rival_record)
        return actor

    # Outlasting the process.

    def lasting(self) -> LastingTable:
        playing = self._rival is not None and not self._rival_over
        rivalry = Rivalry(
            player=self._player_name,
            nets=self._nets.nets,
            rival=self._rival_name,
            rival_nets=self._rival_nets.nets,
            over=self._rival_over,
            run=0 if self._rival_record is None else self._rival_record.number,
            play=play_of(self._rival) if playing and self._rival is not None else None,
        )
        return structs.replace(super().lasting(), rivalry=rivalry)

    def take_up(self, was: LastingTable, player_of: Callable[[Holder], Player], wait: float) -> None:
        rivalry = was.rivalry
        if rivalry is None:
            raise RecordError("bad_table", "this is no challenge")
        self._player_name, self._rival_name = rivalry.player, rivalry.rival
        self._nets.nets += rivalry.nets
        self._rival_nets.nets += rivalry.rival_nets
        self._rival_over = rivalry.over
        super().take_up(was, player_of, wait)
        if rivalry.rival:
            actor = self._run_of_rival(rivalry.run)
            if rivalry.play is not None:
                self._go_on(actor, rivalry.play, player_of, wait)
        if self.phase is Phase.RESULT:
            self._score()

    def _go_on(
        self, actor: TableActor, was: LastingPlay, player_of: Callable[[Holder], Player], wait: float
    ) -> None:
        take_up(actor, was, player_of)
        if actor.started:
            actor.go_on(wait)
        else:
            actor.on_ready = actor.begin
            self._start_timer = self.house.call_later(READY_TIME, self._start_rival)

    def suspend(self) -> None:
        super().suspend()
        if self._start_timer is not None:
            self._start_timer.cancel()
        if self._rival is not None and not self._rival_over and not self._concluded:
            self.house.halt(self._rival)
            for seat in range(self.plan.seats):
                self._rival.unseat(seat)

    def _start_rival(self) -> None:
        """Wait no longer for bots that are not ready."""
        if self._rival is not None and not self._rival.started:
            self._rival.begin()

    def _rival_done(self, _: TableActor) -> None:
        self._rival_over = True
        if self._start_timer is not None:
            self._start_timer.cancel()
        if self.phase is Phase.RESULT:
            self._score()

    # The end.

    def _score(self) -> None:
        if self._rival_over and not self._concluded:
            self._conclude()
            self._rest([])

    def _conclude(self) -> None:
        """Both runs are over, or are now: compare what both have finished, and tell it."""
        if self._concluded:
            return
        self._concluded = True
        if self._rival is not None and not self._rival_over:
            self._rival.stop("closed")
        if self.failure is None and (self._rival is None or self._rival.failure is None):
            self.result = self._compare()
        if self.result is not None:
            if self.record is not None:
                self.result = self.record.conclude(self.result)
            tell(self.audience.people, [self.result])
        if self._rival_record is not None:
            self._rival_record.close(self.seed)

    def _compare(self) -> Challenge | None:
        """The result; None without a hand that both have finished."""
        pairs = list(zip(self._nets.nets, self._rival_nets.nets, strict=False))
        if not pairs:
            return None
        better = mean_interval(mine - theirs for mine, theirs in pairs).from_enough()
        return Challenge(
            table=self._id,
            run="",
            rival_run="",
            player=self._player_name,
            rival=self._rival_name,
            opponents=self.facts.names[: self._own],
            game=self.play.title,
            big_blind=self.plan.stakes.big_blind,
            of=self.plan.hands,
            hands=[ChallengeHand(hand, *pair) for hand, pair in enumerate(pairs, 1)],
            player_net=sum(mine for mine, _ in pairs),
            rival_net=sum(theirs for _, theirs in pairs),
            mean=better.mean,
            half=better.half,
            decided=better.decided,
        )

    def _finish(self, reason: str) -> None:
        if reason != "complete":
            self._conclude()
        super()._finish(reason)

    def more(self) -> Sequence[ServerMessage]:
        return [*super().more(), *([] if self.result is None else [self.result])]
