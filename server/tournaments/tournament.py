"""A tournament over several tables: who has entered, its tables, and what ``dealer.tournaments`` decides
about them, carried out.

A hand that ends may change every table. So nothing follows at once: the state is reviewed in the next step of
the event loop, when no table is in the middle of an action.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial
from typing import Final, Literal

from msgspec import Struct, field

from dealer.rules.events import start_of
from dealer.tournaments.multi_table import Closed, Dealt, Finished, MultiTable, News, Seated
from protocol.errors import Refused
from protocol.tournament import Entry
from server.house.lobby import RETURN_TIMEOUT, Lobby
from server.tables.player import Player
from server.tables.snapshot import SeatHolder
from server.telemetry.logger import get_logger
from server.tournaments.config import TournamentConfig
from server.tournaments.table import TournamentTable

log = get_logger("pokerd.tournament")

#: Seconds from the last entry to the start of a tournament that starts when it is full, and from a restart of
#: the server to the next hand.
COUNTDOWN: Final = 10.0
#: Seconds from the draw of the seats to the first hand, in which people come to their tables.
SEATING_TIME: Final = 6.0
#: Seconds after which a tournament is cancelled that waits for people.
WAITING_TIME: Final = 2 * 3600.0
#: Guests of one address, or players of one token, that may enter.
MAX_ENTRIES_PER_CLIENT: Final = 32

Status = Literal["open", "running", "over", "cancelled"]


class Entrant(Struct):
    """Who has entered. ``source``: whose limit he counts against."""

    number: int
    name: str
    holder: SeatHolder
    source: tuple[str, str] | None = None

    @property
    def can_return(self) -> bool:
        """Return whether he is recognised without a connection: by his cookie or his token."""
        return bool(self.holder.identity or self.holder.token)

    def is_played_by(self, player: Player) -> bool:
        """Return whether this is the player: by his cookie, his token, or his connection."""
        holder = self.holder
        if holder.is_house_bot or player.is_house_bot:
            return False
        if holder.identity or player.identity:
            return holder.identity == player.identity
        token = "" if player.grant is None else player.grant.hash
        return (
            (holder.token, holder.name) == (token, player.name)
            if token
            else holder.resume == player.resume_digest
        )


class TournamentState(Struct):
    """All that is stored of a tournament. ``starts`` and ``ended``: seconds since 1970, 0 if that is not
    known; ``clock``: when it was stored, on the clock of the process that plays it; ``source``: whose limit
    it counts against; ``opener``: who may cancel it, by the name ``owner``.
    """

    config: TournamentConfig
    seed: str
    owner: str
    starts: float
    status: Status = "open"
    entrants: list[Entrant] = field(default_factory=list)
    game: MultiTable | None = None
    ended: float = 0.0
    clock: float = 0.0
    source: tuple[str, str] | None = None
    opener: SeatHolder | None = None


class Tournament:
    """A tournament of that ``name``. ``on_changed`` is called after every change that must not be lost."""

    def __init__(
        self,
        lobby: Lobby,
        name: str,
        state: TournamentState,
        on_changed: Callable[[Tournament], object] = lambda _: None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.name = name
        self.state = state
        self.config = state.config
        self.tables: dict[int, TournamentTable] = {}
        self._lobby = lobby
        self._house = lobby.house
        self._on_changed = on_changed
        self._now = now
        #: Table and seat of every entrant who has one.
        self._seats: dict[int, tuple[int, int]] = {}
        self._review: asyncio.TimerHandle | None = None
        self._timer: asyncio.TimerHandle | None = None
        #: Whether another process goes on.
        self._is_suspended = False

    @property
    def status(self) -> Status:
        """Return whether it takes entries, runs, is over or was cancelled."""
        return self.state.status

    @property
    def game(self) -> MultiTable:
        """Return the seating of a tournament that has started."""
        assert self.state.game is not None
        return self.state.game

    @property
    def takes_entries(self) -> bool:
        """Return whether somebody may enter now."""
        if len(self.state.entrants) >= self.config.entrants:
            return False
        return self.status == "open" or (self.status == "running" and self.game.takes_entries)

    def entrant_of(self, player: Player) -> Entrant | None:
        """Return the entrant who is this player."""
        return next((one for one in self.state.entrants if one.is_played_by(player)), None)

    def is_opened_by(self, player: Player) -> bool:
        """Return whether this player opened it."""
        opener = self.state.opener
        return opener is not None and Entrant(0, self.state.owner, opener).is_played_by(player)

    def entrant_with(self, identity: str) -> Entrant | None:
        """Return the entrant whose browser has this cookie."""
        return next(
            (one for one in self.state.entrants if identity and one.holder.identity == identity), None
        )

    def seat_of(self, entrant: Entrant) -> tuple[int, int] | None:
        """Return table and seat of an entrant."""
        return self._seats.get(entrant.number)

    def table_name(self, number: int) -> str:
        """Return the name of one of its tables."""
        return f"{self.name}-{number}"

    # Entries.

    def register(self, player: Player) -> None:
        """Enter a player. Raises ``Refused`` (``no_entry``)."""
        assert player.connection is not None
        if self.entrant_of(player) is not None:
            raise Refused("no_entry", "you have entered already")
        if not self.takes_entries or self._house.closing:
            raise Refused("no_entry", "the tournament is full, or takes no entries any more")
        if any(one.name.casefold() == player.name.casefold() for one in self.state.entrants):
            raise Refused("no_entry", "somebody has entered under your name: take another one")
        source = self._house.admission.quota_key(player.connection.address, player.grant)
        if sum(one.source == source for one in self.state.entrants) >= MAX_ENTRIES_PER_CLIENT:
            raise Refused("no_entry", f"at most {MAX_ENTRIES_PER_CLIENT} can enter from one address")
        entrant = self._add(player.name, SeatHolder.of(player), source)
        self._tell(player, Entry(self.name, "registered"))
        if self.status == "running":
            self.game.enter(entrant.number)
            self._review_soon()
        else:
            self.open()
        self._on_changed(self)

    def unregister(self, player: Player) -> None:
        """Take back a player's entry. Raises ``Refused`` (``no_entry``)."""
        entrant = self.entrant_of(player)
        if entrant is None or self.status != "open":
            raise Refused("no_entry", "you have not entered, or the tournament has begun")
        self.state.entrants.remove(entrant)
        self._tell(player, Entry(self.name, "unregistered"))
        self.open()
        self._on_changed(self)

    def _add(self, name: str, holder: SeatHolder, source: tuple[str, str] | None = None) -> Entrant:
        numbers = [one.number for one in self.state.entrants]
        entrant = Entrant(max(numbers, default=0) + 1, name, holder, source)
        self.state.entrants.append(entrant)
        return entrant

    # Start and end.

    def open(self) -> None:
        """Set the time of the start, and wait for it: also after each entry, and after a restart of the
        server.
        """
        self._cancel_timers()
        config, state = self.config, self.state
        missing = config.entrants - config.house_bots - len(state.entrants)
        if config.minutes == 0:
            state.starts = 0.0 if missing > 0 else state.starts or self._now() + COUNTDOWN
        if state.starts:
            self._timer = self._house.call_later(max(0.0, state.starts - self._now()), self.start)
        else:
            self._timer = self._house.call_later(WAITING_TIME, partial(self.cancel, "nobody"))

    def start(self) -> None:
        """Seat everybody who is here or can come back, and house bots, or cancel it: two must play."""
        self._cancel_timers()
        if self.status != "open" or self._house.closing:
            return
        state = self.state
        state.entrants = [one for one in state.entrants if one.can_return or self._player_of(one)]
        for name in self._free_bots(self.config.entrants - len(state.entrants)):
            self._add(name, SeatHolder(name, is_house_bot=True))
        if len(state.entrants) < 2 or all(one.holder.is_house_bot for one in state.entrants):
            self.cancel("too few")
            return
        state.game = MultiTable(self.config.structure, state.seed)
        now = self._house.clock()
        state.game.start([one.number for one in state.entrants], now + SEATING_TIME)
        state.game.rests_until = now + SEATING_TIME
        state.status, state.starts = "running", self._now()
        log.info("tournament starts", tournament=self.name, entrants=len(state.entrants))
        self._carry_out()

    def _free_bots(self, most: int) -> list[str]:
        """Return the house bots that take part: as many as may play here now."""
        bots, names = self._lobby.house_bots, self.config.bot_names[:most]
        while names:
            try:
                bots.verify_shared(set(names), self.state.source)
            except Refused:
                names.pop()
            else:
                self._promise(names)
                break
        return names

    def _promise(self, names: list[str]) -> None:
        self._lobby.house_bots.promised[self.name] = set(names), self.state.source

    def cancel(self, reason: str) -> None:
        """End the tournament without a result."""
        log.info("tournament is cancelled", tournament=self.name, reason=reason)
        players = [self._player_of(one) for one in self.state.entrants if not one.holder.is_house_bot]
        self._end("cancelled")
        for player in players:
            if player is not None:
                self._tell(player, Entry(self.name, "cancelled"))

    def _end(self, status: Status) -> None:
        self._cancel_timers()
        self.state.status, self.state.ended = status, self._now()
        self._lobby.house_bots.promised.pop(self.name, None)
        tables, self.tables = self.tables, {}
        for table in tables.values():
            table.close()
        self._seats.clear()
        self._on_changed(self)

    def _cancel_timers(self) -> None:
        for timer in (self._timer, self._review):
            if timer is not None:
                timer.cancel()
        self._timer = self._review = None

    # After a restart of the server.

    def resume(self) -> None:
        """Go on in a new process: tables open again with the chips that everybody had before the hand in
        progress, which is void. Players have a while to come back. Raises any exception if its state makes no
        sense.
        """
        if self.status == "open":
            self.config.table(1)
            self.open()
        if self.status != "running":
            return
        self._promise([one.name for one in self.state.entrants if one.holder.is_house_bot])
        game, house = self.game, self._house
        game.shift(house.clock() - self.state.clock)
        if game.rests_until < house.clock():
            game.rests_until = house.clock() + COUNTDOWN
        for number, table in game.tables.items():
            table.playing = False
            opened = self._open_table(number)
            for seat, holder in enumerate(table.seats):
                if holder is not None:
                    entrant = self._entrant(holder)
                    player = self._returning(entrant)
                    self._place(entrant, opened, seat, player, self.config.table(number).clock.bank)
        self._review_soon()

    def _returning(self, entrant: Entrant) -> Player | None:
        holder = entrant.holder
        if holder.is_house_bot:
            return self._player_of(entrant)
        player = self._lobby.restore_player(holder, RETURN_TIMEOUT)
        # The name may be another's now.
        return player if entrant.is_played_by(player) else None

    def abandon(self) -> None:
        """Close what was opened, and change nothing that is stored."""
        self._is_suspended = True
        self._cancel_timers()
        self._lobby.house_bots.promised.pop(self.name, None)
        for table in self.tables.values():
            table.close()

    def tell_seat(self, player: Player) -> None:
        """Tell a player who is back where he has a seat that nobody holds for him."""
        entrant = self.entrant_of(player) if self.status == "running" else None
        if entrant is not None and entrant.number in self._seats:
            number, seat = self._seats[entrant.number]
            if self.tables[number].players[seat] is None:
                self._tell(player, Entry(self.name, "seated", self.table_name(number)))

    def suspend(self) -> None:
        """Leave the tournament to another process."""
        self._cancel_timers()
        self._is_suspended = True
        self.state.clock = self._house.clock()
        self._on_changed(self)

    # What the tables tell.

    def on_hand_over(self, table: TournamentTable) -> None:
        """Note the chips after a hand."""
        seats = self.game.tables[table.number].seats
        stacks = {}
        for seat in start_of(table.progress.events).seats:
            entrant = seats[seat]
            assert entrant is not None
            stacks[entrant] = int(table.part.stacks[seat])
        self.game.end_hand(table.number, stacks)
        self._review_soon()

    def is_entrant(self, table: TournamentTable, seat: int, player: Player) -> bool:
        """Return whether the chips in that seat are the player's."""
        number = self.game.tables[table.number].seats[seat]
        return number is not None and self._entrant(number).is_played_by(player)

    def on_return(self, table: TournamentTable, seat: int, player: Player) -> None:
        """Note that the player of a seat, who had left, has come back."""
        number = self.game.tables[table.number].seats[seat]
        assert number is not None
        self._entrant(number).holder = SeatHolder.of(player)

    def on_table_closed(self, table: TournamentTable) -> None:
        """End the tournament: without one of its tables it cannot go on."""
        if not self._is_suspended and self.tables.pop(table.number, None) is not None:
            self.cancel("closed")

    # What follows.

    def _review_soon(self) -> None:
        if self._review is None and not self._is_suspended:
            self._review = self._house.call_later(0, self._carry_out)

    def _carry_out(self) -> None:
        """Carry out what follows from all that has happened."""
        self._cancel_timers()
        try:
            for news in self.game.go_on(self._house.clock()):
                self._do(news)
        except Exception:
            # Other tournaments go on.
            log.exception("tournament failed", tournament=self.name)
            self.cancel("internal")
            return
        if self.game.over:
            self._end("over")
            return
        rest = self.game.rests_until - self._house.clock()
        if rest > 0:
            self._timer = self._house.call_later(rest, self._review_soon)
        self.state.clock = self._house.clock()
        self._on_changed(self)

    def _do(self, news: News) -> None:
        if isinstance(news, Seated):
            self._seat(news)
        elif isinstance(news, Finished):
            self._finish(news)
        elif isinstance(news, Closed):
            self.tables.pop(news.table).close()
        elif isinstance(news, Dealt):
            self.tables[news.table].deal(news.button, self.game.blinds)

    def _seat(self, news: Seated) -> None:
        entrant = self._entrant(news.entrant)
        table = self.tables.get(news.table) or self._open_table(news.table)
        player, bank = self._player_of(entrant), table.config.clock.bank
        if news.origin:
            before, seat = self.tables[news.origin], self._seats[news.entrant][1]
            player, bank = before.players[seat], before.table.seats[seat].bank
            self._tell(player, Entry(self.name, "seated", self.table_name(news.table), news.reason))
            before.remove_player(seat, "moved")
        else:
            self._tell(player, Entry(self.name, "seated", self.table_name(news.table), news.reason))
        self._place(entrant, table, news.seat, player, bank)

    def _place(
        self, entrant: Entrant, table: TournamentTable, seat: int, player: Player | None, bank: float
    ) -> None:
        self._seats[entrant.number] = table.number, seat
        table.place_player(seat, entrant.name, player, self.game.stacks[entrant.number], bank)
        if player is not None and player.is_house_bot:
            self._lobby.house_bots.ensure_running(player)

    def _finish(self, news: Finished) -> None:
        table = self.tables[news.table]
        table.announce_place(news.seat, news.place)
        of, points = self.game.entrants, self.game.points(news.entrant)
        player = self._player_of(self._entrant(news.entrant))
        out = Entry(self.name, "out", place=news.place, of=of, points=round(points, 1))
        self._tell(player, out)
        del self._seats[news.entrant]
        table.remove_player(news.seat, "complete")

    def _open_table(self, number: int) -> TournamentTable:
        table = self._lobby.open_as(
            self.table_name(number),
            self.config.table(number),
            make=TournamentTable,
            organiser=self,
            number=number,
        )
        assert isinstance(table, TournamentTable)
        # It stays open, whoever is there.
        table.source = ("tournament", self.name)
        self.tables[number] = table
        return table

    # Who is who.

    def _entrant(self, number: int) -> Entrant:
        return next(one for one in self.state.entrants if one.number == number)

    def _player_of(self, entrant: Entrant) -> Player | None:
        """Return the player of an entrant, if he is known to the house."""
        holder, players = entrant.holder, self._house.players
        if holder.is_house_bot:
            return self._lobby.house_bots.player(holder.name)
        found = players.by_identity.get(holder.identity) if holder.identity else players.get(holder.name)
        return found if found is not None and entrant.is_played_by(found) else None

    def _tell(self, player: Player | None, entry: Entry) -> None:
        if player is not None and player.connection is not None and not player.is_house_bot:
            player.connection.send(entry, urgent=True)
