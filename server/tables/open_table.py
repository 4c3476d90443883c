"""A table that plays an endless cash game, or tournaments that start when all seats are taken. Its matches
are recorded and continue after a restart. Players come and go: see ``server.tables.joinable_table``. See also
``server.tables.challenge``.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from dealer.deck import SEED_BYTES, commitment
from dealer.formats.format import Eliminated, LevelRaised, TableEvent
from dealer.ratings.style import count_hand
from dealer.rules.events import Event, HandEnded, HandStarted, start_of
from dealer.table import Table
from protocol.messages import ServerMessage
from protocol.people import FaceUpCards, PersonScore, PlayStyle, PlayStyles, Series, SeriesMatch, UndealtCards
from server import view
from server.net.connection import Connection
from server.storage.hand_store import TableRecorder
from server.tables.actor import TableActor, TableHost
from server.tables.attendance import FirstHandTimer, IdleTimer, needs_pause
from server.tables.audience import broadcast
from server.tables.chat import TableChat
from server.tables.config import TableConfig, challenge_seeds, player_seeds
from server.tables.joinable_table import JoinableTable
from server.tables.phases import Phase, Step
from server.tables.player import Player
from server.tables.practice import Practice
from server.tables.scoring import Scoring, is_against_house, lone_person
from server.tables.snapshot import SeatHolder, TableSnapshot, match_snapshot, restore_match, save_table
from server.tables.table_updates import TableDetails, TableFacts

#: Seconds that a full table waits for players who are not ``ready``.
READY_TIME: Final = 10.0
#: Length of the display of a tournament's result, in pauses.
RESULT_PAUSES: Final = 3


class OpenTable(JoinableTable):
    """An open table. ``seed`` is that of the match, secret until the match is over. ``idle``: seconds until
    an empty table is closed; None: never. ``owner``: who opened it. ``make_recorder`` opens the record of
    every match. ``on_played``: see ``Scoring``. ``snapshot``: the state of the table in another process, with
    this config and seed; ``restore`` must follow.
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
        on_played: Callable[[OpenTable, Player], None] | None = None,
        snapshot: TableSnapshot | None = None,
    ) -> None:
        #: Whose limit of open tables it counts against: see ``AdmissionPolicy.quota_key``.
        self.source = None if snapshot is None else snapshot.source
        self.seed = secrets.token_bytes(SEED_BYTES) if seed is None else seed
        self.match = 1 if snapshot is None else snapshot.match
        #: Number of the record to continue; 0: a new one.
        self.run = 0 if snapshot is None else snapshot.run
        seats = config.seats
        seeds = challenge_seeds(self.seed, seats) if config.mode == "challenge" else player_seeds(seats)
        facts = TableFacts(name, name, [""] * seats, seeds)
        super().__init__(house, config, self._new_table(config), facts, owner=owner, on_over=on_over)
        self.record: TableRecorder | None = None
        self._make_recorder = make_recorder
        self.results: list[SeriesMatch] = []
        self.scoring = Scoring(None if on_played is None else partial(on_played, self))
        #: Seconds for which people who return after a restart find a result.
        self._return_time = 0.0
        self.chat = TableChat(self, lambda: None if self.practice.again else self.record)
        self._first_hand = FirstHandTimer(self)
        self._seated: list[tuple[str, str]] = []
        self._idle = IdleTimer(house, idle, lambda: self.stop("closed"))
        self.practice = Practice(self, 0 if snapshot is None else snapshot.hints, self._save)
        #: By an administrator.
        self.paused = snapshot is not None and snapshot.paused
        house.register_table(self)
        if snapshot is None:
            self._first_hand.start()
            self._open()

    def _new_table(self, config: TableConfig) -> Table:
        """Create the table of a match."""
        table_format = config.make_format(self.seed)
        self._stakes = table_format.stakes
        return Table(table_format, config.seats, config.clock)

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
            hints=self.practice.hints,
        )

    def restore(
        self, snapshot: TableSnapshot, player_of: Callable[[SeatHolder], Player], wait: float
    ) -> None:
        """Continue from a stored state. Players have ``wait`` seconds to return; until then no hand starts,
        and the player to act has his full time. Raises ``RecordError`` (``bad_table``).
        """
        restore_match(self, snapshot.match_state, player_of)
        self.practice.again = bool(snapshot.match_state.table.kept)
        if self.match > 1:
            self.facts = self.facts._replace(match=f"{self._id}/{self.match}")
        self._stakes = self.table_format.stakes
        self.results += snapshot.results
        self.scoring.runs += snapshot.result_runs
        self.scoring.score = snapshot.score
        if snapshot.resting:
            self.step(Step.FINISH)
        self._begin_record()
        if self.table.hand is not None and self.record is not None and not self.practice.again:
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

    def _save(self, events: Sequence[Event | TableEvent] = ()) -> None:
        save_table(self, self.record, self.snapshot, events)

    def attach(self, seat: int, connection: Connection) -> None:
        if self.seats[seat].awaited and self.table.turn_seat == seat:
            self.table.reopen_turn(self.house.clock())
            self.updates.send_action_on()
        super().attach(seat, connection)
        score = self.scoring.score
        if score is not None and seat == len(self.seats) - 1:
            connection.send(score, urgent=True)
        self.practice.attach(seat, connection)
        self.reevaluate()

    def play_again(self, seat: int, hand: int, keep: int | None) -> None:
        """Let the last hand come again: see ``Practice.plan_again``. Raises ``Refused`` (``no_practice``)."""
        if self.practice.plan_again(seat, hand, keep):
            self._publish_and_ask(self.table.give_up_hand(self.house.clock()))

    # What people see.

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
            self.config.practice,
            self.practice.again,
            self.config.all_ins,
            self.agreed,
        )

    def open_cards(self) -> FaceUpCards | None:
        served = all(player is not None and player.is_house_bot for player in self.players)
        if not (self.config.exhibition and served and self.progress.events):
            return None
        return view.faceup_message(self._id, start_of(self.progress.events))

    def after_hand(self) -> Sequence[ServerMessage]:
        told = [self._undealt_cards(), self._styles()]
        return [message for message in told if message is not None]

    def _undealt_cards(self) -> UndealtCards | None:
        if self.config.mode == "challenge" or not self.progress.events:
            return None
        start = start_of(self.progress.events)
        game, deals = self.table_format.game_and_deals(len(start.seats), self._stakes)
        cards = deals.deal(start.hand)
        streets = [cards.board(street) for street in range(game.rounds)]
        return view.undealt_message(self._id, self.progress.events, streets)

    def _styles(self) -> PlayStyles | None:
        """Return how the holders of the seats have played while people were here."""
        if not self.config.hud:
            return None
        seats = []
        for number, seat in enumerate(self.seats):
            if seat.player is not None and seat.styled is seat.player:
                shares = seat.style.shares()
                told = [shares[key] for key in ("vpip", "pfr", "three_bet", "aggression")]
                seats.append(PlayStyle(number, seat.style.hands, *told))
        return PlayStyles(self._id, seats) if seats else None

    def extra_messages(self) -> Sequence[ServerMessage]:
        series = [self._series()] if self.config.mode == "tournament" else []
        styles = self._styles()
        return [*self.chat.showed, *series, *self.chat.lines, *([styles] if styles else [])]

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
            self.practice.begin_hand(event)
            if self.record is not None and not self.practice.again:
                game = self.table_format.game_and_deals(len(event.seats), self._stakes)[0]
                identities = [player.identity if player else "" for player in self.players]
                self._seated = list(zip(self.facts.names, identities, strict=True))
                dealt = [self.players[seat] for seat in event.seats]
                self.record.begin(
                    game, self._seated, against_house=is_against_house(dealt, event, self._stakes.big_blind)
                )
        elif isinstance(event, LevelRaised):
            self._stakes = self.table_format.stakes_of(event)
        super()._on_event(event, seq)

    def _on_hand_ended(self, event: HandEnded) -> None:
        if self.practice.again:
            return
        super()._on_hand_ended(event)
        if self.config.hud and self.audience.people:
            start = start_of(self.progress.events)
            for seat, counts in zip(start.seats, count_hand(self.progress.events), strict=True):
                self.seats[seat].add_style(counts)

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
            self._notify_feeds()

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
        self.table = self._new_table(self.config)
        names = [name if player else "" for name, player in zip(self.facts.names, self.players, strict=True)]
        match = f"{self._id}/{self.match}"
        self.facts = self.facts._replace(
            match=match, names=names, seeds=player_seeds(len(names)), reset=self.config.memory == "match"
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
