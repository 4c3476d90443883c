"""A table where players come and go: they sit down, leave, watch, chat, sit out and show cards. It plays an
endless cash game, or tournaments that start when all seats are taken. See also ``server.tables.challenge``.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import Final, Literal

from dealer.deck import SEED_BYTES, commitment
from dealer.formats.format import Eliminated, LevelRaised, OpenFormat, TableEvent
from dealer.rules.events import Event, HandStarted
from dealer.seats import Attendance, Change
from dealer.table import Table
from protocol import messages
from protocol.errors import Refused
from protocol.messages import PlayerList, ServerMessage
from protocol.people import FaceUpCards, PersonScore, Series, SeriesMatch
from server import view
from server.net.connection import Connection
from server.storage.hand_store import TableRecorder
from server.tables.actor import TableActor, TableHost
from server.tables.attendance import FirstHandTimer, IdleTimer, needs_pause
from server.tables.audience import broadcast
from server.tables.chat import TableChat
from server.tables.config import TableConfig, player_seeds
from server.tables.persistence import match_snapshot, restore_match, save_table
from server.tables.phases import Phase, Step
from server.tables.player import Player
from server.tables.scoring import Scoring, lone_person
from server.tables.snapshot import SeatHolder, TableSnapshot
from server.tables.table_updates import TableDetails, TableFacts
from server.telemetry.incidents import Incident

#: Seconds that a full table waits for players who are not ``ready``.
READY_TIME: Final = 10.0
#: Length of the display of a tournament's result, in pauses.
RESULT_PAUSES: Final = 3


class OpenTable(TableActor):
    """An open table. ``seed`` is that of the match, secret until the match is over. ``idle``: seconds until
    an empty table is closed; None: never. ``owner``: who opened it. ``make_recorder`` opens the record of
    every match. ``snapshot``: the state of the table in another process, with this config and seed;
    ``restore`` must follow.
    """

    def __init__(
        self,
        house: TableHost,
        config: TableConfig,
        name: str,
        *,
        seed: bytes | None = None,
        idle: float | None = None,
        owner: Player | None = None,
        make_recorder: Callable[[OpenTable], TableRecorder] | None = None,
        on_over: Callable[[TableActor], None] | None = None,
        snapshot: TableSnapshot | None = None,
    ) -> None:
        self.config = config
        self.owner = owner
        #: Whose limit of open tables it counts against: see ``AdmissionPolicy.quota_key``.
        self.source = None if snapshot is None else snapshot.source
        self.seed = secrets.token_bytes(SEED_BYTES) if seed is None else seed
        self.match = 1 if snapshot is None else snapshot.match
        #: Number of the record to continue; 0: a new one.
        self.run = 0 if snapshot is None else snapshot.run
        facts = TableFacts(name, name, [""] * config.seats, player_seeds(config.seats))
        super().__init__(house, self._new_table(), facts, on_over=on_over)
        #: Called when a seat is taken or left, and when the table is closed.
        self.on_seats: Callable[[], None] | None = None
        self.record: TableRecorder | None = None
        self._make_recorder = make_recorder
        self.results: list[SeriesMatch] = []
        self.scoring = Scoring()
        #: Seconds for which people who return after a restart find a result.
        self._return_time = 0.0
        self.chat = TableChat(self, lambda: self.record)
        self.spectators: set[Player] = set()
        self._first_hand = FirstHandTimer(self)
        self._seated: list[tuple[str, str]] = []
        self._idle = IdleTimer(house, idle, lambda: self.stop("closed"))
        #: By an administrator.
        self.paused = snapshot is not None and snapshot.paused
        house.register_table(self)
        if snapshot is None:
            self._first_hand.start()
            self._open()

    def _new_table(self) -> Table:
        """Create the table of a match."""
        table_format = self.config.make_format(self.seed)
        self._stakes = table_format.stakes
        return Table(table_format, self.config.seats, self.config.clock)

    def _open(self) -> None:
        """Start a match: a cash game at once, a tournament when all players are seated."""
        if self.table_format.open_seating:
            self.step(Step.BEGIN)
        self._begin_record()
        self._on_seats_changed()

    def _begin_record(self) -> None:
        self.commitment = commitment(self.seed)
        if self._make_recorder is not None:
            self.record = self._make_recorder(self)
            self.recorders.append(self.record)
            self.run = self.record.number

    def _close(self, *, forget: bool = False) -> None:
        """End a match and publish its seed. ``forget`` closes the table, too."""
        if self.record is not None:
            if forget:
                self.record.forget()
            self.record.close(self.seed)
            self.recorders.remove(self.record)
            self.record = None
            self.run = 0

    # Restarts.

    def snapshot(self) -> TableSnapshot:
        """Return the state of the table."""
        return TableSnapshot(
            config=self.config,
            seed=self.seed.hex(),
            match=self.match,
            run=self.run,
            match_state=match_snapshot(self),
            resting=self.phase is Phase.RESULT,
            results=self.results,
            seated=self._seated,
            permanent=self._idle.seconds is None,
            owner=None if self.owner is None else SeatHolder.of(self.owner),
            source=self.source,
            paused=self.paused,
            result_runs=self.scoring.runs,
            score=self.scoring.score,
        )

    def restore(
        self, snapshot: TableSnapshot, player_of: Callable[[SeatHolder], Player], wait: float
    ) -> None:
        """Continue from a stored state. Players have ``wait`` seconds to return; until then no hand starts,
        and the player to act has his full time. Raises ``RecordError`` (``bad_table``).
        """
        restore_match(self, snapshot.match_state, player_of)
        if self.match > 1:
            self.facts = self.facts._replace(match=f"{self._id}/{self.match}")
        self._stakes = self.table_format.stakes
        self.results += snapshot.results
        self.scoring.runs += snapshot.result_runs
        self.scoring.score = snapshot.score
        if snapshot.resting:
            self.step(Step.FINISH)
        self._begin_record()
        if self.table.hand is not None and self.record is not None:
            self._seated = snapshot.seated
            self.record.begin(self.table.hand.game, snapshot.seated)
        self.table.reopen_turn(self.house.clock() + wait)
        if self.phase is Phase.RESULT:
            self._return_time = wait
            self._show_result(())
        self._on_seats_changed()

    def suspend(self) -> None:
        """Leave the table for another process, or close it if nobody would return to it. What an
        administrator has opened or paused stays so.
        """
        ordered = self._idle.seconds is None and (self.source is not None or self.paused)
        if not ordered and not self.guests() and not self.audience.spectators:
            self.stop("shutting_down")
            return
        if self.record is not None:
            self.record.release()
        self.record = None
        self.recorders.clear()
        self._cancel_timers()
        self.house.unregister_table(self)
        for player in self.spectators:
            del player.watching[self._id]
        self.spectators.clear()
        self.audience.spectators.clear()
        for seat in range(len(self.seats)):
            self.unseat(seat)

    @property
    def is_suspended(self) -> bool:
        """Return whether the table has been left to another process."""
        return self.record is None and self.phase is not Phase.CLOSED

    @property
    def table_format(self) -> OpenFormat:
        """Return the game and its settings."""
        table_format = self.table.table_format
        assert isinstance(table_format, OpenFormat)
        return table_format

    def _save(self, events: Sequence[Event | TableEvent] = ()) -> None:
        save_table(self, self.record, self.snapshot, events)

    # Seats.

    def join(self, player: Player, seat: int) -> None:
        """Seat a player in ``seat``, or with -1 in any free seat. Raises ``Refused``."""
        if self.is_reserved and not (
            player.is_house_bot or (self.owner is not None and self.owner.is_same(player))
        ):
            raise Refused("no_seat", "the free seat is for the player who opened the table", table=self._id)
        free = self._free_seats()
        if not free or (seat >= 0 and seat not in free):
            raise Refused("no_seat", table=self._id)
        seat = free[0] if seat < 0 else seat
        self._unwatch(player)
        self.table.set_absent(seat, self.table_format.open_seating, self.house.clock())
        self._rename(seat, player.name)
        self.seat(seat, player)
        self._on_seats_changed()

    def set_ready(self, seat: int) -> None:
        first = not self.seats[seat].ready
        super().set_ready(seat)
        if first:
            self.table_format.sit_in(seat)
            self._publish_and_ask(self.table.set_absent(seat, False, self.house.clock()))
        self.reevaluate()

    def leave(self, seat: int, reason: str = "left") -> None:
        """Give up a seat. The policy finishes the hand, or the tournament. The seat is free from the next
        hand, or the next tournament.
        """
        self._remove_player(seat, reason)
        if self.started and not self.table_format.open_seating:
            self.count(seat, Incident.LEAVE)
        else:
            self.table_format.leave(seat)
            self._rename(seat, "")
        self._publish_and_ask(self.table.set_absent(seat, self.started, self.house.clock()))
        self._on_seats_changed()

    def give_up_seat(self, seat: int) -> None:
        self.seats[seat].change(Change.GIVEN_UP)
        super().give_up_seat(seat)
        self.reevaluate()

    def _rename(self, seat: int, name: str) -> None:
        """Change the name of ``seat``, and tell everybody."""
        self.facts.names[seat] = name
        broadcast(self.audience.everybody, [PlayerList(self._id, list(self.facts.names))])

    def _on_seats_changed(self) -> None:
        self.reevaluate()
        if self.on_seats is not None:
            self.on_seats()

    def lobby_entry(self) -> messages.LobbyTable:
        """Return the table's entry in the lobby."""
        table_format = self.table_format
        return messages.LobbyTable(
            self._id, table_format.game.name, len(self.seats), self.open_seats(), table_format.mode
        )

    @property
    def is_reserved(self) -> bool:
        """Return whether only the owner can sit down."""
        return self.config.mode == "challenge" or self.config.research

    def open_seats(self) -> int:
        """Return the seats that are open to anybody."""
        return 0 if self.is_reserved else len(self._free_seats())

    def _free_seats(self) -> list[int]:
        """Return seats without a holder whose last hand is over; in tournaments, before the start only."""
        if self.started and not self.table_format.open_seating:
            return []
        playing = self.table.hand.seats if self.table.hand is not None else ()
        return [seat for seat, holder in enumerate(self.players) if holder is None and seat not in playing]

    def attach(self, seat: int, connection: Connection) -> None:
        if self.seats[seat].awaited and self.table.turn_seat == seat:
            self.table.reopen_turn(self.house.clock())
            self.updates.send_action_on()
        super().attach(seat, connection)
        score = self.scoring.score
        if score is not None and seat == len(self.seats) - 1:
            connection.send(score, urgent=True)
        self.reevaluate()

    def _mark_present(self, seat: int) -> None:
        # A player sits out until he sends ``back``; a bot may not know that it sits out.
        player = self.seats[seat].player
        if player is not None and not player.is_person:
            super()._mark_present(seat)

    def detach(self, connection: Connection) -> None:
        super().detach(connection)
        self.reevaluate()

    # Spectators.

    def watch(self, player: Player) -> None:
        """Add a connected player as a spectator."""
        player.watching[self._id] = self
        self.spectators.add(player)
        assert player.connection is not None
        self.add_spectator(player.connection)

    def add_spectator(self, connection: Connection) -> None:
        """Send a spectator the state of the table, and everything from now on."""
        self.audience.add_spectator(connection)
        self.updates.send_state(connection, -1)
        self.reevaluate()

    def unwatch(self, player: Player, reason: str = "left") -> None:
        """Remove a spectator, who is told ``reason``."""
        if player.connection is not None:
            player.connection.send(self._match_end(reason), urgent=True)
        self._unwatch(player)
        self.reevaluate()

    def _unwatch(self, player: Player) -> None:
        if player in self.spectators:
            self.spectators.remove(player)
            del player.watching[self._id]
            if player.connection is not None:
                self.audience.remove(player.connection)

    # Sitting out.

    def sit_out(self, seat: int, at: Literal["hand", "blind"]) -> None:
        """Let a player sit out from the next hand, or from his next big blind. In tournaments the policy
        plays for him from the next hand. Raises ``Refused`` before ``ready``.
        """
        if not self.seats[seat].ready:
            raise Refused("not_asked", table=self._id)
        if self.table_format.open_seating:
            self.table_format.sit_out(
                seat, at_blind=at == "blind" and not self.table_format.is_sitting_out(seat)
            )
        else:
            self.table.set_leaving(seat)
        self.reevaluate()

    def sit_in(self, seat: int) -> None:
        here = self.table.seats[seat].attendance is Attendance.PRESENT and self.table_format.is_sitting_in(
            seat
        )
        if here or not self.seats[seat].ready:
            raise Refused("not_asked", table=self._id)
        self.table_format.sit_in(seat)
        self._publish_and_ask(self.table.set_absent(seat, False, self.house.clock()))
        self.reevaluate()

    def is_away(self, seat: int) -> bool:
        return self.table.seats[seat].is_absent or self.table_format.is_sitting_out(seat)

    def state(self, seat: int) -> str:
        state = super().state(seat)
        hand = self.table.hand
        if state == "in" and self.table_format.open_seating and (hand is None or seat not in hand.seats):
            return "away" if self.is_away(seat) else "waiting" if hand is not None else "in"
        return state

    def info(self) -> TableDetails:
        kinds = ["" if player is None else player.kind for player in self.players]
        return TableDetails(
            self.config.name or self._id,
            self.config.pause,
            kinds,
            self.commitment,
            "secure",
            self.owner.name if self.owner else "",
            [{} if player is None else player.parameters for player in self.players],
        )

    def open_cards(self) -> FaceUpCards | None:
        served = all(player is not None and player.is_house_bot for player in self.players)
        if not (self.config.exhibition and served and self.progress.events):
            return None
        started = self.progress.events[0]
        assert isinstance(started, HandStarted)
        return view.faceup_message(self._id, started)

    def extra_messages(self) -> Sequence[ServerMessage]:
        series = [self._series()] if self.config.mode == "tournament" else []
        return [*self.chat.showed, *series, *self.chat.said]

    def _series(self) -> Series:
        return Series(self._id, self.match, self.config.matches, list(self.results))

    @property
    def held(self) -> bool:
        """Return whether no hand begins: the table is paused, or the server is about to stop."""
        return self.paused or self.house.closing

    def set_paused(self, held: bool) -> None:
        """Pause after the hand in progress, or resume."""
        self.paused = held
        self.reevaluate()

    # Attendance and time.

    def reevaluate(self) -> None:
        """React to players who came or left: deal, wait, or start to close."""
        table_format = self.table_format
        watched = any(connection.person for connection in self.audience.spectators)
        waits = any(seat.awaited for seat in self.seats) or self._first_hand.is_waiting()
        table_format.paused = self.held or waits or not self._should_deal(watched=watched)
        self.table.pause = self.config.pause if needs_pause(self, watched=watched) else 0.0
        self._idle.update(empty=not self.guests() and not self.audience.spectators)
        if self.started:
            self._publish_and_ask(self.table.start(self.house.clock()))
        else:
            self._schedule_start()
            self._publish_and_ask(())

    def _should_deal(self, *, watched: bool) -> bool:
        """Return whether to deal: house bots do not play among themselves. An absent bot learns of its
        absence from the hands it is dealt.
        """
        cash = self.table_format.open_seating
        return watched or any(
            self.seats[seat].ready and not (cash and player.is_person and self.is_away(seat))
            for seat, player in self.guests()
        )

    def guests(self) -> list[tuple[int, Player]]:
        """Return the seated players that are not house bots."""
        return [
            (seat, player) for seat, player in enumerate(self.players) if player and not player.is_house_bot
        ]

    def _schedule_start(self) -> None:
        """Start a tournament when all seats are taken: soon if all are ready, otherwise a little later."""
        wait = self.table.pause if self.settled() else READY_TIME
        begin = self.house.clock() + wait
        if self.held or any(seat.player is None or seat.awaited for seat in self.seats):
            self.table.deadline = None
        elif self.table.deadline is None or begin < self.table.deadline:
            self.table.deadline = begin

    def _cancel_timers(self) -> None:
        self._first_hand.cancel()
        self._idle.cancel()

    def tick(self, now: float) -> None:
        if self.phase is Phase.PLAYING:
            super().tick(now)
            return
        self.table.deadline = None
        if self.phase is Phase.RESULT:
            self._finish("complete")
        else:
            self.begin()

    def _publish_and_ask(self, events: Sequence[Event | TableEvent]) -> None:
        self._save(events)
        super()._publish_and_ask(events)
        out = any(isinstance(event, Eliminated) for event in events)
        # A person who missed too many turns is not dealt in. A bot is, or it would never learn of it.
        table_format = self.table_format
        if table_format.open_seating:
            for seat, player in self.guests():
                missing = self.table.seats[seat].is_absent and self.seats[seat].ready
                if player.is_person and missing and not table_format.is_sitting_out(seat):
                    table_format.sit_out(seat)
                    out = True
        if out:
            self.reevaluate()

    def _on_event(self, event: Event | TableEvent, seq: int) -> None:
        if isinstance(event, HandStarted):
            self._first_hand.cancel()
            self.chat.showed.clear()
            if self.record is not None:
                game = self.table_format.game_and_deals(len(event.seats), self._stakes)[0]
                identities = [player.identity if player else "" for player in self.players]
                self._seated = list(zip(self.facts.names, identities, strict=True))
                self.record.begin(game, self._seated)
        elif isinstance(event, LevelRaised):
            self._stakes = self.table_format.stakes_of(event)
        super()._on_event(event, seq)

    # The end of a match, and of the table.

    def _finish(self, reason: str) -> None:
        if reason == "complete" and self.step(Step.FINISH):
            self._score()
        elif reason == "complete" and self.match < self.config.matches:
            self._next_match()
        else:
            self._cancel_timers()
            super()._finish(reason)
            for player in list(self.spectators):
                self._unwatch(player)
            self._close(forget=True)
            if self.on_seats is not None:
                self.on_seats()

    def _score(self) -> None:
        places = [self.table_format.place(seat) for seat in range(len(self.seats))]
        self.results.append(SeriesMatch(self.match, list(self.facts.names), places, self.hands))
        self.scoring.runs.append(self.run)
        self._show_result([self._series()])

    def _show_result(self, result: Sequence[ServerMessage]) -> None:
        """Let people read the result. That of one person against house bots is scored first."""
        self._save()
        broadcast(self.audience.people, result)
        last = self.match == self.config.matches
        player = lone_person(self.config, self.owner, self.players, self.results) if last else None
        self.table.deadline = None if self.scoring.start(player) else self._result_deadline()

    def _result_deadline(self) -> float:
        return self.house.clock() + max(RESULT_PAUSES * self.table.pause, self._return_time)

    def show_score(self, player: Player, score: PersonScore | None) -> None:
        """Send the person his score, if there is one, and let people read the result."""
        self.scoring.finish(player, score)
        self._save()
        if self.phase is Phase.RESULT:
            self.table.deadline = self._result_deadline()

    def _next_match(self) -> None:
        """Start another tournament with those who are still here; other seats are free."""
        broadcast(self.audience.everybody, [self._match_end("complete")], urgent=True)
        self._close()
        self.step(Step.REPEAT)
        self.match += 1
        self.seed = secrets.token_bytes(SEED_BYTES)
        self.table = self._new_table()
        names = [name if player else "" for name, player in zip(self.facts.names, self.players, strict=True)]
        match = f"{self._id}/{self.match}"
        reset = self.config.memory == "match"
        self.facts = self.facts._replace(
            match=match, names=names, seeds=player_seeds(len(names)), reset=reset
        )
        self._reset()
        self.chat.showed.clear()
        for connection in self.audience.spectators:
            self.updates.send_state(connection, -1)
        for seat, player in enumerate(self.players):
            if player is not None:
                self.seat(seat, player)
                self.table.set_absent(seat, player.ended, self.house.clock())
        self._open()
