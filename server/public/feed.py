"""What the bus is told: open tables and their finished hands, and how a competition goes.

A competition's hands are told late. Other line-ups and seatings are dealt the same cards, so a hand is public
only when nobody will be dealt it any more.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal

import structlog

from dealer.match import Session
from dealer.rules.events import Event, HandEnded, HandStarted
from protocol.public import (
    TABLES,
    DivisionProgress,
    DivisionStandings,
    Progress,
    PublicEvent,
    Ranked,
    Seated,
    Standings,
    TableInfo,
    Tables,
    TableStandings,
    Winnings,
    topic_of,
)
from server.competition.file import Competition
from server.competition.progress import Progress as Played
from server.competition.runner import Runner
from server.house.house import House
from server.public.bus import Bus
from server.tables.open_table import OpenTable
from server.view import public_hand

__all__ = ["Announcer", "OpenTableFeed", "final_of", "progress_of"]

log = structlog.get_logger("pokerd.announce")

#: Names whose winnings at one open table are remembered; guests may come under ever new ones.
MAX_NAMES: Final = 100
#: Seconds that a finished competition waits for its hands to be told.
PATIENCE: Final = 30.0


class OpenTableFeed:
    """Tells of one open table. It is the table's recorder, and ``watch`` must be called once."""

    def __init__(self, bus: Bus, house: House, table: str, seats: int) -> None:
        self._bus = bus
        self._house = house
        self._table = table
        # The last name in each seat: who leaves during a hand was in it all the same.
        self._names = [""] * seats
        self._won: OrderedDict[str, tuple[int, float]] = OrderedDict()
        standings = self._standings()
        self._topic = topic_of(standings)
        bus.publish(standings)

    def watch(self, actor: OpenTable) -> None:
        """Tell of the table that was made with this feed as its recorder."""
        actor.on_seats = partial(self._seats, actor)
        self._seats(actor)

    def _seats(self, actor: OpenTable) -> None:
        self._names = [name or last for name, last in zip(actor.facts.names, self._names, strict=True)]
        self._bus.gather(TABLES, partial(_tables, self._house))
        if self._table not in self._house.open_tables:
            # It was closed. This is its result; nobody who comes later needs it.
            self._bus.publish(self._standings())
            self._bus.forget(self._topic)

    def hand(self, events: Sequence[Event]) -> None:
        """Tell of a finished hand. The table goes on whatever happens here."""
        try:
            self._count(events)
            if self._bus.watched:
                self._bus.publish(public_hand(self._table, self._names, events))
        except Exception:
            log.exception("hand cannot be told", table=self._table, hand=_number(events))

    def _count(self, events: Sequence[Event]) -> None:
        start, end = events[0], events[-1]
        assert isinstance(start, HandStarted)
        assert isinstance(end, HandEnded)
        for seat, net in zip(start.seats, end.values, strict=True):
            name = self._names[seat]
            hands, chips = self._won.pop(name, (0, 0))
            self._won[name] = hands + 1, chips + net
        while len(self._won) > MAX_NAMES:
            self._won.popitem(last=False)
        self._bus.gather(self._topic, self._standings)

    def _standings(self) -> TableStandings:
        ranking = sorted(self._won.items(), key=lambda entry: -entry[1][1])
        players = [Winnings(name=name, hands=hands, chips=chips) for name, (hands, chips) in ranking]
        return TableStandings(table=self._table, players=tuple(players))


def _number(events: Sequence[Event]) -> int | None:
    return events[0].hand if events and isinstance(events[0], HandStarted) else None


def _tables(house: House) -> Tables:
    return Tables(tables=tuple(_info(actor) for actor in house.open_tables.values()))


def _info(actor: OpenTable) -> TableInfo:
    play = actor.play
    stakes = play.stakes
    return TableInfo(
        table=actor.facts.table,
        game=play.game.name,
        mode=play.mode,
        seats=len(actor.players),
        small_blind=stakes.small_blind,
        big_blind=stakes.big_blind,
        stack=stakes.most,
        ante=stakes.ante,
        seated=tuple(
            Seated(seat=seat, name=player.name, bot=player.servant)
            for seat, player in enumerate(actor.players)
            if player is not None
        ),
    )


class Announcer:
    """Tells of one competition while a runner plays it."""

    def __init__(self, bus: Bus, runner: Runner) -> None:
        self._bus = bus
        self._runner = runner
        self._competition = runner.competition
        self._hands: dict[str, Counter[str]] = {name: Counter() for name in self._competition.divisions}
        self._sharing: defaultdict[int, list[Session]] = defaultdict(list)
        for session in self._competition.sessions:
            self._sharing[self._competition.secret_of(session)].append(session)
        self._left = {cards: len(sessions) for cards, sessions in self._sharing.items()}
        self._count_before(runner)
        self._free: asyncio.Queue[Session] = asyncio.Queue()
        self._task = asyncio.create_task(self._tell(), name="announcer")
        runner.on_session = self._played
        states: list[Callable[[], PublicEvent]] = [self._progress]
        # Chips by name, session after session, would tell who is behind a pseudonym.
        if not self._competition.entry.anonymous:
            states.append(self._standings)
        self._states = {topic_of(state()): state for state in states}
        for state in states:
            bus.publish(state())

    def _count_before(self, runner: Runner) -> None:
        """Count what was played before a restart. Hands that could be told then are not told again."""
        for session in self._competition.sessions:
            if session.name in runner.progress.results:
                hands, _ = runner.progress.results[session.name]
                cards = self._tally(session, hands)
                if not self._left[cards]:
                    del self._sharing[cards]

    def _tally(self, session: Session, hands: int) -> int:
        """Count a session. Returns which cards it shares with others."""
        counted = 1 if self._competition.tournament(session.division) else hands
        self._hands[session.division].update(dict.fromkeys(session.players, counted))
        cards = self._competition.secret_of(session)
        self._left[cards] -= 1
        return cards

    def _played(self, session: Session, hands: int) -> None:
        cards = self._tally(session, hands)
        for topic, state in self._states.items():
            self._bus.gather(topic, state)
        if not self._left[cards]:
            for told in self._sharing.pop(cards):
                self._free.put_nowait(told)

    def _progress(self) -> Progress:
        return progress_of(self._competition, self._runner.progress)

    def _standings(self) -> Standings:
        """What is known while it is played."""
        divisions = []
        for division, chips in self._runner.progress.chips.items():
            ranking = [
                Ranked(
                    place=1 + sum(other > mine for other in chips.values()),
                    name=bot,
                    chips=mine,
                    hands=self._hands[division][bot],
                )
                for bot, mine in sorted(chips.items(), key=lambda entry: -entry[1])
            ]
            unit: Literal["hand", "tournament"] = (
                "tournament" if self._competition.tournament(division) else "hand"
            )
            divisions.append(DivisionStandings(division=division, unit=unit, ranking=tuple(ranking)))
        return Standings(competition=self._competition.name, final=False, divisions=tuple(divisions))

    async def _tell(self) -> None:
        while True:
            session = await self._free.get()
            try:
                await self._tell_hands(session)
            except Exception:
                log.exception("hands cannot be told", session=session.name)
            self._free.task_done()

    async def _tell_hands(self, session: Session) -> None:
        table, names = self._competition.shown(session)
        if not self._bus.watched:
            return
        for events in self._runner.store.hands(session):
            await self._bus.room()
            self._bus.publish(public_hand(table, names, events, competition=self._competition.name))
            # One hand at a time, between what the tables have to do.
            await asyncio.sleep(0)

    async def finish(self, standings: Mapping[str, Any]) -> None:
        """The competition is over, with these ``standings`` (of ``standings.json``): tell the rest."""
        self._bus.publish(final_of(standings))
        try:
            await asyncio.wait_for(self._free.join(), PATIENCE)
        except TimeoutError:
            log.warning("not all hands were told")

    async def close(self) -> None:
        """Tell no more."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


def progress_of(competition: Competition, progress: Played) -> Progress:
    """How far a competition is."""
    divisions = [
        DivisionProgress(
            division=name,
            sessions=sessions,
            done=progress.sessions_done[name],
            hands=progress.hands(name),
        )
        for name, sessions in progress.sessions.items()
    ]
    return Progress(competition=competition.name, divisions=tuple(divisions))


def final_of(standings: Mapping[str, Any]) -> Standings:
    """How a competition ended, from its ``standings.json``."""
    divisions = [
        DivisionStandings(
            division=division["division"],
            unit=division["unit"],
            ranking=tuple(
                Ranked(
                    place=entry["place"],
                    name=entry["bot"],
                    chips=entry["chips"],
                    hands=entry["hands"],
                    mbb=(entry["rate"] or {}).get("mbb"),
                    ci95=(entry["rate"] or {}).get("ci95"),
                )
                for entry in division["ranking"]
            ),
        )
        for division in standings["divisions"]
    ]
    return Standings(competition=standings["competition"], final=True, divisions=tuple(divisions))
