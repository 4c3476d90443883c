"""A challenge: a person plays some hands, and a house bot plays the same deals from the same seat against the
same bots. The rival's run stays secret until both runs are over. A friend who plays these deals later has the
rival's result of that time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec import structs

from dealer.errors import RecordError
from dealer.formats.format import TableEvent
from dealer.intervals import mean_interval
from dealer.rules.events import Chips, Event, ends_of
from dealer.seats import Attendance
from dealer.table import Clock, Table
from protocol.messages import ServerMessage
from protocol.people import BotChoice, ChallengeHand, ChallengeResult
from server.people.same_deals import MAX_FRIENDS, MAX_PLAYERS_PER_DAY
from server.storage.hand_store import TableRecorder
from server.tables.actor import TableActor, TableHost
from server.tables.audience import broadcast
from server.tables.config import TableConfig
from server.tables.open_table import READY_TIME, OpenTable
from server.tables.phases import Phase
from server.tables.player import Player
from server.tables.snapshot import (
    ChallengeSnapshot,
    MatchSnapshot,
    SeatHolder,
    TableSnapshot,
    match_snapshot,
    restore_match,
)
from server.tables.table_updates import TableFacts

#: The rival and the other bots have unlimited time, so that no deadline influences them and the run is
#: repeatable.
PATIENT: Final = Clock(60.0, 0.0)


class _Tally:
    """Chips that one seat won or lost, by hand."""

    def __init__(self, seat: int) -> None:
        self.nets: list[Chips] = []
        self._seat = seat

    def record_hand(self, events: Sequence[Event]) -> None:
        started, ended = ends_of(events)
        self.nets.append(ended.values[started.seats.index(self._seat)])


class _RivalRun(TableActor):
    """The run of the rival. ``on_change`` is called after each of its actions."""

    def __init__(
        self,
        house: TableHost,
        table: Table,
        facts: TableFacts,
        tally: _Tally,
        on_over: Callable[[TableActor], None],
        on_change: Callable[[], None],
    ) -> None:
        super().__init__(house, table, facts, tally, on_over, lambda run: run.begin())
        self._on_change = on_change

    def _publish_and_ask(self, events: Sequence[Event | TableEvent]) -> None:
        self._on_change()
        super()._publish_and_ask(events)


class ChallengeTable(OpenTable):
    """The table of a challenge. Only ``owner`` can sit down. When he starts, ``send_rival`` is called, which
    calls ``start_rival``. ``given``: the result of the friend whose deals these are.
    """

    def __init__(
        self,
        house: TableHost,
        config: TableConfig,
        name: str,
        *,
        owner: Player,
        send_rival: Callable[[ChallengeTable], None],
        given: ChallengeResult | None = None,
        seed: bytes | None = None,
        idle: float | None = None,
        make_recorder: Callable[[OpenTable], TableRecorder] | None = None,
        on_over: Callable[[TableActor], None] | None = None,
        on_played: Callable[[OpenTable, Player], None] | None = None,
        snapshot: TableSnapshot | None = None,
    ) -> None:
        self._send_rival = send_rival
        #: Seat of the player, and of his rival in the other run; bots have the seats before it.
        self._own = config.seats - 1
        self._player_name = owner.name
        self._nets = _Tally(self._own)
        self._rival_nets = _Tally(self._own)
        self._rival: TableActor | None = None
        self._rival_name = ""
        self._rival_record: TableRecorder | None = None
        #: The run of the friend's rival, whose result is known.
        self._given_run = ""
        self._rival_over = False
        if given is not None:
            self._take_rival(given.rival, given.rival_run, [hand.rival_net for hand in given.hands])
        self._start_timer: asyncio.TimerHandle | None = None
        self._concluded = False
        self.result: ChallengeResult | None = None
        super().__init__(
            house,
            config,
            name,
            seed=seed,
            idle=idle,
            owner=owner,
            make_recorder=make_recorder,
            on_over=on_over,
            on_played=on_played,
            snapshot=snapshot,
        )
        self.recorders.append(self._nets)

    # The player.

    def leave(self, seat: int, reason: str = "left") -> None:
        """Give up the seat. After the first hand this ends the challenge."""
        if not self.started:
            super().leave(seat, reason)
            return
        self._conclude()
        self._remove_player(seat, reason)
        self.stop("closed")

    def _should_deal(self, *, watched: bool) -> bool:
        # Deal only while the player is present: he could not play missed hands again.
        own = self.seats[self._own]
        here = own.player is not None and own.player.connection is not None and own.ready
        return here and self.table.seats[self._own].attendance is Attendance.PRESENT

    def _publish_and_ask(self, events: Sequence[Event | TableEvent]) -> None:
        super()._publish_and_ask(events)
        # He missed too many turns.
        if self.table.seats[self._own].is_absent and not self.table_format.paused:
            self.reevaluate()

    @property
    def _identity(self) -> str:
        """Return the identity of the cookie of the player, or ""."""
        return self.owner.identity if self.owner is not None else ""

    # The rival.

    def begin(self) -> None:
        player = self.seats[self._own].player
        assert player is not None
        self._player_name = player.name
        if self.record is not None:
            most = MAX_PLAYERS_PER_DAY if self.config.day else 1 + MAX_FRIENDS
            self.record.begin_challenge(self.config.deals, player.identity, most)
        super().begin()
        if not self._rival_over:
            self._send_rival(self)

    def _take_rival(self, rival: str, run: str, nets: Sequence[Chips]) -> None:
        """Take over the result of the rival of another run."""
        self._rival_name, self._given_run = rival, run
        self._rival_nets.nets += nets
        self._rival_over = True

    def start_rival(self, rival: Player) -> None:
        """Let the rival play the deals of this table against the same opponents."""
        self._rival_name = rival.name
        actor = self._new_rival_run()
        for seat, holder in enumerate(self.players):
            bot = rival if seat == self._own else holder
            assert bot is not None
            actor.seat(seat, bot)
            if bot.ended:
                actor.stop_waiting_for(seat)
        self._start_timer = self.house.call_later(READY_TIME, self._start_rival)

    def _new_rival_run(self, number: int = 0) -> TableActor:
        """Return the rival's table, empty. ``number`` is that of the record to continue, or 0."""
        names = list(self.facts.names)
        names[self._own] = self._rival_name
        table = f"{self._id}-rival"
        actor = self._rival = _RivalRun(
            self.house,
            Table(self.config.make_format(self.seed), self.config.seats, PATIENT),
            TableFacts(table, table, names, self.facts.seeds),
            self._rival_nets,
            self._on_rival_done,
            self._save,
        )
        if self.record is not None:
            self._rival_record = self.record.rival_recorder(number)
            # The challenger may see these cards: they are his own.
            identities = [""] * self.config.seats
            identities[self._own] = self._identity
            self._rival_record.begin(self.table_format.game, list(zip(names, identities, strict=True)))
            actor.recorders.append(self._rival_record)
        return actor

    # Restarts.

    def snapshot(self) -> TableSnapshot:
        playing = self._rival is not None and not self._rival_over
        rivalry = ChallengeSnapshot(
            player=self._player_name,
            nets=self._nets.nets,
            rival=self._rival_name,
            rival_nets=self._rival_nets.nets,
            over=self._rival_over,
            run=0 if self._rival_record is None else self._rival_record.number,
            rival_run=self._given_run,
            match_state=match_snapshot(self._rival) if playing and self._rival is not None else None,
        )
        return structs.replace(super().snapshot(), rivalry=rivalry)

    def restore(
        self, snapshot: TableSnapshot, player_of: Callable[[SeatHolder], Player], wait: float
    ) -> None:
        rivalry = snapshot.rivalry
        if rivalry is None:
            raise RecordError("bad_table", "this is not a challenge")
        self._player_name, self._rival_name = rivalry.player, rivalry.rival
        self._nets.nets += rivalry.nets
        self._rival_nets.nets += rivalry.rival_nets
        self._rival_over, self._given_run = rivalry.over, rivalry.rival_run
        super().restore(snapshot, player_of, wait)
        if rivalry.rival and not rivalry.rival_run:
            actor = self._new_rival_run(rivalry.run)
            if rivalry.match_state is not None:
                self._resume_rival(actor, rivalry.match_state, player_of, wait)
        if self.phase is Phase.RESULT:
            self._score()

    def _resume_rival(
        self,
        actor: TableActor,
        snapshot: MatchSnapshot,
        player_of: Callable[[SeatHolder], Player],
        wait: float,
    ) -> None:
        restore_match(actor, snapshot, player_of)
        if actor.started:
            actor.resume(wait)
        else:
            self._start_timer = self.house.call_later(READY_TIME, self._start_rival)

    def suspend(self) -> None:
        super().suspend()
        if self._start_timer is not None:
            self._start_timer.cancel()
        if self._rival is not None and not self._rival_over and not self._concluded:
            self.house.unregister_table(self._rival)
            for seat in range(self.config.seats):
                self._rival.unseat(seat)

    def _start_rival(self) -> None:
        """Stop waiting for bots that are not ready."""
        if self._rival is not None and not self._rival.started:
            self._rival.begin()

    def _on_rival_done(self, _: TableActor) -> None:
        self._rival_over = True
        if self._start_timer is not None:
            self._start_timer.cancel()
        if self.phase is Phase.RESULT:
            self._score()

    # The end.

    def _score(self) -> None:
        if self._rival_over and not self._concluded:
            self._conclude()
            self._show_result([])

    def _conclude(self) -> None:
        """End both runs, compare the hands that both have finished, and send the result."""
        if self._concluded:
            return
        self._concluded = True
        if self._rival is not None and not self._rival_over:
            self._rival.stop("closed")
        if self.failure is None and (self._rival is None or self._rival.failure is None):
            self.result = self._compare()
        if self.result is not None:
            if self.record is not None:
                setup = msgspec.json.encode(self.config)
                self.result = self.record.conclude(self.result, setup, self._identity)
                # Who is told the result may invite friends at once: for that the seed has to be stored.
                self.record.close(self.seed)
            broadcast(self.audience.people, [self.result])
        if self._rival_record is not None:
            self._rival_record.close(self.seed)

    def _compare(self) -> ChallengeResult | None:
        """Return the result, or None if both have finished no hand."""
        pairs = list(zip(self._nets.nets, self._rival_nets.nets, strict=False))
        if not pairs:
            return None
        better = mean_interval([mine - theirs for mine, theirs in pairs]).if_enough_units()
        return ChallengeResult(
            table=self._id,
            run="",
            rival_run=self._given_run,
            player=self._player_name,
            rival=self._rival_name,
            opponents=self.facts.names[: self._own],
            game=self.table_format.title,
            big_blind=self.config.stakes.big_blind,
            of=self.config.hands,
            hands=[ChallengeHand(hand, *pair) for hand, pair in enumerate(pairs, 1)],
            player_net=sum(mine for mine, _ in pairs),
            rival_net=sum(theirs for _, theirs in pairs),
            mean=better.mean,
            half=better.half,
            decided=better.decided,
            parameters={
                name: bot.parameters
                for name, bot in zip(
                    [*self.facts.names[: self._own], self._rival_name],
                    [*self.config.bots, self.config.rival],
                    strict=True,
                )
                if isinstance(bot, BotChoice)
            },
            deals=self.config.deals,
        )

    def _finish(self, reason: str) -> None:
        if reason != "complete":
            self._conclude()
        super()._finish(reason)

    def extra_messages(self) -> Sequence[ServerMessage]:
        return [*super().extra_messages(), *([] if self.result is None else [self.result])]
