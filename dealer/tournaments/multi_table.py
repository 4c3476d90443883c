"""A tournament over several tables. Pure: the time is an argument, and cards are dealt elsewhere.

The owner tells the end of every hand (``end_hand``), and then asks what follows (``go_on``): who finishes,
who moves, which tables close, and which deal their next hand. Entrants are numbers of the owner's choice.

Moves follow rules 10 and 11 of the Tournament Directors Association (2024). When tables are balanced, the
player who would have the next big blind at the fullest table moves, to the seat of the shortest table that
has the big blind soonest. Players of a table that is broken draw their seats; nobody comes to sit between
the button and the small blind if another seat is free. A table waits while it is three players short.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from dealer.formats.tournament import Level
from dealer.tournaments.payouts import points, shares_for

#: Hands by which a table may be ahead of the slowest one: else bots would play through all the levels while
#: a person thinks.
LEAD: Final = 3
#: A table that is short of so many players waits.
SHORT: Final = 3

#: Why somebody gets a seat: the tournament starts, he is late, he balances the tables, his table is broken,
#: or only the final table is left.
Reason = Literal["start", "late", "balance", "broken", "final"]


class Structure(NamedTuple):
    """The settings of a tournament. ``seats`` of a table; ``stack``: chips at the start. A level lasts
    ``level_seconds``, or, if that is 0, its ``hands`` at the table that has played most. Entries are taken
    until ``late_levels`` levels are over. A break of ``break_seconds`` follows every ``break_every`` levels;
    0: there are none.
    """

    seats: int
    stack: int
    levels: tuple[Level, ...]
    level_seconds: float = 0.0
    late_levels: int = 0
    break_every: int = 0
    break_seconds: float = 0.0

    def level(self, number: int) -> Level:
        """Return a level, from 0. Beyond the last, blinds and ante double from level to level."""
        last = self.levels[-1]
        if number < len(self.levels):
            return self.levels[number]
        factor: int = 2 ** min(number - len(self.levels) + 1, 28 - (last.big_blind + last.ante).bit_length())
        return Level(last.small_blind * factor, last.big_blind * factor, last.ante * factor, last.hands)


class Seated(NamedTuple):
    """An entrant gets a seat. ``origin``: the table that he comes from; 0: none."""

    entrant: int
    table: int
    seat: int
    origin: int
    reason: Reason


class Finished(NamedTuple):
    """An entrant has lost his last chip, or won. The ``place`` counts from 1."""

    entrant: int
    table: int
    seat: int
    place: int


class Closed(NamedTuple):
    """A table is closed: nobody sits there any more."""

    table: int


class Dealt(NamedTuple):
    """A table deals its next hand, with the ``button`` at that seat."""

    table: int
    button: int


News = Seated | Finished | Closed | Dealt


@dataclass(slots=True)
class TableState:
    """A table: the entrants by seat, the seat that has or had the last button, and the hands so far."""

    seats: list[int | None]
    button: int
    hands: int = 0
    playing: bool = False

    @property
    def players(self) -> int:
        """Return how many sit here."""
        return sum(entrant is not None for entrant in self.seats)

    def next_order(self, newcomer: int = -1) -> list[int]:
        """Return the seats of the next hand by position, as if ``newcomer`` were taken, too; the last has the
        button.
        """
        live = [seat for seat, holder in enumerate(self.seats) if holder is not None or seat == newcomer]
        button = next((seat for seat in live if seat > self.button), live[0])
        after = live.index(button) + 1
        return live[after:] + live[:after]

    def next_big_blind(self) -> int:
        """Return the seat of the next big blind."""
        order = self.next_order()
        return order[1 if len(order) > 2 else 0]

    def free_seats(self) -> list[int]:
        """Return the free seats; the one that has the big blind soonest comes first. Where others would have
        to pay twice comes last: see ``puts_others_off``.
        """
        free = [seat for seat, holder in enumerate(self.seats) if holder is None]
        return sorted(free, key=lambda seat: (self.puts_others_off(seat), self._position(seat)))

    def puts_others_off(self, seat: int) -> bool:
        """Return whether a newcomer in this seat would get the button or the small blind, and with it put off
        those behind him: they would have the same blind again.
        """
        return self.players > 1 and not 0 < self._position(seat) < self.players

    def _position(self, newcomer: int) -> int:
        return self.next_order(newcomer).index(newcomer)


@dataclass
class MultiTable:
    """A tournament. Its fields are plain data, and all there is to it. ``seed`` draws the seats.

    ``stacks``: everybody's chips as of his last hand's end. ``tables``: by number, from 1. ``out``: who has
    finished, in order; those of one group share a place. ``level`` counts from 0, and ends at ``level_end``,
    a time or a number of hands. ``broke``: who lost his last chip, with his chips before that, and waits for
    his place until the hand is over at all tables.
    """

    structure: Structure
    seed: str
    stacks: dict[int, int] = field(default_factory=dict)
    tables: dict[int, TableState] = field(default_factory=dict)
    out: list[list[int]] = field(default_factory=list)
    level: int = 0
    level_end: float = 0.0
    rests_until: float = 0.0
    hand_for_hand: bool = False
    broke: list[tuple[int, int]] = field(default_factory=list)
    last_table: int = 0
    draws: int = 0

    def __post_init__(self) -> None:
        #: What ``go_on`` returns next. It is empty whenever the state may be stored.
        self.news: list[News] = []

    # What is known.

    @property
    def entrants(self) -> int:
        """Return how many have entered."""
        return len(self.stacks)

    @property
    def left(self) -> list[int]:
        """Return the entrants who still have chips."""
        return [entrant for entrant, stack in self.stacks.items() if stack > 0]

    @property
    def started(self) -> bool:
        """Return whether the seats have been drawn."""
        return self.last_table > 0

    @property
    def over(self) -> bool:
        """Return whether somebody has won."""
        return self.started and sum(map(len, self.out)) == self.entrants

    @property
    def takes_entries(self) -> bool:
        """Return whether somebody may enter late."""
        return self.started and self.level < self.structure.late_levels and len(self.left) > 1

    @property
    def blinds(self) -> Level:
        """Return the level at which hands are dealt now."""
        return self.structure.level(self.level)

    @property
    def next_break(self) -> int:
        """Return the number of the level before which the next break comes, from 0; -1: there is none."""
        every = self.structure.break_every
        return (self.level // every + 1) * every if every else -1

    def place(self, entrant: int) -> int:
        """Return the place of an entrant; 0: he has not finished. Before entries are closed it is that of now
        among those who have entered.
        """
        behind = 0
        for group in self.out:
            behind += len(group)
            if entrant in group:
                return self.entrants - behind + 1
        return 0

    def points(self, entrant: int) -> float:
        """Return the points of an entrant: 0 before he has finished."""
        group = next((group for group in self.out if entrant in group), None)
        return points(self.entrants, self.place(entrant), len(group)) if group else 0.0

    def seat_of(self, entrant: int) -> tuple[int, int] | None:
        """Return table and seat of an entrant."""
        for number, table in self.tables.items():
            if entrant in table.seats:
                return number, table.seats.index(entrant)
        return None

    # What happens.

    def start(self, entrants: Sequence[int], now: float) -> None:
        """Draw the seats: as many tables as are needed, which differ by one player at most."""
        order = list(entrants)
        self._draw().shuffle(order)
        self.stacks = dict.fromkeys(entrants, self.structure.stack)
        for _ in range(-(-len(order) // self.structure.seats)):
            self._open()
        for place, entrant in enumerate(order):
            seat, table = divmod(place, len(self.tables))
            self._seat(entrant, table + 1, seat, 0, "start")
        self._start_level(now if self.structure.level_seconds else 0.0)

    def enter(self, entrant: int) -> None:
        """Seat a latecomer with a full stack at the shortest table, or at a new one that others come to."""
        assert self.takes_entries
        assert entrant not in self.stacks
        self.stacks[entrant] = self.structure.stack
        number = self._shortest(self.tables)
        if self.tables[number].players == self.structure.seats:
            number = self._open()
        self._seat(entrant, number, self.tables[number].free_seats()[0], 0, "late")

    def end_hand(self, number: int, stacks: Mapping[int, int]) -> None:
        """Note the end of a hand, and everybody's chips after it. Who has lost his last chip is placed by his
        chips before the hand.
        """
        table = self.tables[number]
        table.playing = False
        table.hands += 1
        self.broke += [(entrant, self.stacks[entrant]) for entrant in stacks if not stacks[entrant]]
        self.stacks.update(stacks)
        if not self.hand_for_hand:
            self._place()

    def go_on(self, now: float) -> list[News]:
        """Return what follows, in order."""
        playing = any(table.playing for table in self.tables.values())
        if self.started and not playing:
            self._place()
        if self.started and not self.over and not (playing and self.hand_for_hand):
            self._raise_level(now)
            breaking = self._break_tables()
            staying = [number for number in self.tables if number != breaking]
            self._balance(staying)
            if now >= self.rests_until:
                self._deal(staying)
        news, self.news = self.news, []
        return news

    def shift(self, seconds: float) -> None:
        """Let all clocks end so much later."""
        self.rests_until += seconds
        if self.structure.level_seconds:
            self.level_end += seconds

    # Places and levels.

    def _place(self) -> None:
        """Place those who are broke: more chips before the hand are better, and the same share a place."""
        for stack in sorted({stack for _, stack in self.broke}):
            self._finish([entrant for entrant, before in self.broke if before == stack])
        self.broke = []
        left = self.left
        if len(left) == 1 and not self.over:
            self._finish(left)
        paid = len(shares_for(self.entrants))
        several = len(self.tables) > 1 and not self.takes_entries
        self.hand_for_hand = several and len(left) == paid + 1

    def _finish(self, group: list[int]) -> None:
        self.out.append(group)
        for entrant in group:
            where = self.seat_of(entrant)
            assert where is not None
            number, seat = where
            self.tables[number].seats[seat] = None
            self.news.append(Finished(entrant, number, seat, self.place(entrant)))

    def _start_level(self, start: float) -> None:
        self.level_end = start + (self.structure.level_seconds or self.blinds.hands)

    def _raise_level(self, now: float) -> None:
        seconds, every = self.structure.level_seconds, self.structure.break_every
        played = now if seconds else max(table.hands for table in self.tables.values())
        while played >= self.level_end:
            self.level += 1
            if every and self.level % every == 0:
                # What is late in coming does not make the break shorter.
                self.rests_until = now + self.structure.break_seconds
                self._start_level(self.rests_until if seconds else self.level_end)
                return
            self._start_level(self.level_end)

    # Seats.

    def _draw(self) -> random.Random:
        self.draws += 1
        return random.Random(f"{self.seed} {self.draws}")

    def _open(self) -> int:
        hands = min((table.hands for table in self.tables.values()), default=0)
        self.last_table += 1
        button = self._draw().randrange(self.structure.seats)
        self.tables[self.last_table] = TableState([None] * self.structure.seats, button, hands)
        return self.last_table

    def _seat(self, entrant: int, number: int, seat: int, origin: int, reason: Reason) -> None:
        self.tables[number].seats[seat] = entrant
        self.news.append(Seated(entrant, number, seat, origin, reason))

    def _move(self, origin: int, seat: int, number: int, to: int, reason: Reason) -> None:
        entrant = self.tables[origin].seats[seat]
        assert entrant is not None
        self.tables[origin].seats[seat] = None
        self._seat(entrant, number, to, origin, reason)

    def _shortest(self, numbers: Iterable[int]) -> int:
        return min(numbers, key=lambda number: (self.tables[number].players, number))

    def _break_tables(self) -> int:
        """Break the newest tables while the others have seats for all. Returns the one that is to be broken
        when its hand is over; 0: none.
        """
        while len(self.tables) > 1:
            number = max(self.tables)
            table = self.tables[number]
            others = [other for other in self.tables if other != number]
            if sum(one.players for one in self.tables.values()) > len(others) * self.structure.seats:
                return 0
            if table.playing:
                return number
            source = self._draw()
            leaving = [seat for seat, holder in enumerate(table.seats) if holder is not None]
            source.shuffle(leaving)
            for seat in leaving:
                to = self._shortest(others)
                free = self.tables[to].free_seats()
                good = [one for one in free if not self.tables[to].puts_others_off(one)]
                reason: Reason = "final" if len(others) == 1 else "broken"
                self._move(number, seat, to, source.choice(good or free), reason)
            del self.tables[number]
            self.news.append(Closed(number))
        return 0

    def _balance(self, numbers: Sequence[int]) -> None:
        """Move players from the fullest tables whose hand is over until no two differ by more than one."""
        while waiting := [number for number in numbers if not self.tables[number].playing]:
            full = max(waiting, key=lambda number: (self.tables[number].players, number))
            short = self._shortest(numbers)
            if self.tables[full].players - self.tables[short].players < 2:
                return
            to = self.tables[short].free_seats()[0]
            self._move(full, self.tables[full].next_big_blind(), short, to, "balance")

    # Hands.

    def _deal(self, numbers: Sequence[int]) -> None:
        """Let tables deal that have waited long enough."""
        most = max(self.tables[number].players for number in numbers)
        slowest = min((one.hands for one in self.tables.values() if one.players > 1), default=0)
        for number in numbers:
            table = self.tables[number]
            waits = table.players < 2 or table.players <= most - SHORT or table.hands - slowest >= LEAD
            if not (table.playing or waits):
                table.playing, table.button = True, table.next_order()[-1]
                self.news.append(Dealt(number, table.button))
