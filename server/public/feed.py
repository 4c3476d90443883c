"""Publishes events to the bus: open tables and their finished hands, and the progress of a competition.

Hands of a competition are published late. Other line-ups and seatings are dealt the same cards, so a hand
becomes public only when nobody will be dealt it any more.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal

from dealer.match import Session
from dealer.rules.events import Event, HandStarted, ends_of
from protocol.public import (
    TABLES,
    CompetitionStandings,
    DivisionProgress,
    DivisionStandings,
    ProgressReport,
    PublicEvent,
    RankedBot,
    SeatedPlayer,
    TableInfo,
    TableList,
    TableStandings,
    Winnings,
    topic_of,
)
from server.competition.file import Competition
from server.competition.progress import CompetitionProgress as Played
from server.competition.runner import Runner
from server.house.house import House
from server.public.bus import EventBus
from server.tables.open_table import OpenTable
from server.telemetry.logger import get_logger
from server.view import public_hand

log = get_logger("pokerd.announce")

#: Number of names whose winnings at an open table are kept; guests may come with ever new names.
MAX_NAMES: Final = 100
#: Seconds that a finished competition waits for its hands to be published.
PUBLISH_TIMEOUT: Final = 30.0


class OpenTableFeed:
    """Publishes one open table, which it must ``follow``."""

    def __init__(self, bus: EventBus, house: House, table: str, seats: int) -> None:
        self._bus = bus
        self._house = house
        self._table = table
        # The last name in each seat: a player who leaves during a hand still took part in it.
        self._names = [""] * seats
        self._won: OrderedDict[str, tuple[int, float]] = OrderedDict()
        standings = self._standings()
        self._topic = topic_of(standings)
        bus.publish(standings)

    def update_seats(self, names: Sequence[str]) -> None:
        """Publish who sits there."""
        self._names = [name or last for name, last in zip(names, self._names, strict=True)]
        self._bus.publish_soon(TABLES, partial(_tables_event, self._house))
        if self._table not in self._house.open_tables:
            # The table was closed. These are its final standings; later watchers do not need them.
            self._bus.publish(self._standings())
            self._bus.drop_state(self._topic)

    def record_hand(self, events: Sequence[Event]) -> None:
        """Publish a finished hand. Errors are logged and do not affect the table."""
        try:
            self._count_winnings(events)
            if self._bus.has_subscribers:
                self._bus.publish(public_hand(self._table, self._names, events))
        except Exception:
            log.exception("hand not published", table=self._table, hand=_hand_number(events))

    def _count_winnings(self, events: Sequence[Event]) -> None:
        start, end = ends_of(events)
        for seat, net in zip(start.seats, end.values, strict=True):
            name = self._names[seat]
            hands, chips = self._won.pop(name, (0, 0))
            self._won[name] = hands + 1, chips + net
        while len(self._won) > MAX_NAMES:
            self._won.popitem(last=False)
        self._bus.publish_soon(self._topic, self._standings)

    def _standings(self) -> TableStandings:
        ranking = sorted(self._won.items(), key=lambda entry: -entry[1][1])
        players = [Winnings(name=name, hands=hands, chips=chips) for name, (hands, chips) in ranking]
        return TableStandings(table=self._table, players=tuple(players))


def _hand_number(events: Sequence[Event]) -> int | None:
    return events[0].hand if events and isinstance(events[0], HandStarted) else None


def _tables_event(house: House) -> TableList:
    return TableList(
        tables=tuple(_table_info(actor) for actor in house.open_tables.values() if actor.is_listed)
    )


def _table_info(actor: OpenTable) -> TableInfo:
    table_format = actor.table_format
    stakes = table_format.stakes
    return TableInfo(
        table=actor.facts.table,
        game=table_format.game.name,
        mode=table_format.mode,
        seats=len(actor.players),
        small_blind=stakes.small_blind,
        big_blind=stakes.big_blind,
        stack=stakes.max_stack,
        ante=stakes.ante,
        straddle=stakes.straddle,
        seated=tuple(
            SeatedPlayer(seat=seat, name=player.name, bot=player.is_house_bot)
            for seat, player in enumerate(actor.players)
            if player is not None
        ),
    )


class CompetitionFeed:
    """Publishes one competition while a runner plays it, with ``on_session``."""

    def __init__(self, bus: EventBus, runner: Runner) -> None:
        self._bus = bus
        self._runner = runner
        self._competition = runner.competition
        self._hands: dict[str, Counter[str]] = {name: Counter() for name in self._competition.divisions}
        self._sessions_by_deal: defaultdict[int, list[Session]] = defaultdict(list)
        for session in self._competition.sessions:
            self._sessions_by_deal[self._competition.shared_deals_group(session)].append(session)
        self._sessions_left = {cards: len(sessions) for cards, sessions in self._sessions_by_deal.items()}
        self._count_before(runner)
        self._publishable: asyncio.Queue[Session] = asyncio.Queue()
        self._task = asyncio.create_task(self._publish_sessions(), name="announcer")
        states: list[Callable[[], PublicEvent]] = [self._progress]
        # Chips by name after each session would reveal who is behind a pseudonym.
        if not self._competition.entry.anonymous:
            states.append(self._standings)
        self._states = {topic_of(state()): state for state in states}
        for state in states:
            bus.publish(state())

    def _count_before(self, runner: Runner) -> None:
        """Count the sessions played before a restart. Hands that could be published then are not published
        again.
        """
        for session in self._competition.sessions:
            if session.name in runner.progress.results:
                hands, _ = runner.progress.results[session.name]
                cards = self._count_session(session, hands)
                if not self._sessions_left[cards]:
                    del self._sessions_by_deal[cards]

    def _count_session(self, session: Session, hands: int) -> int:
        """Count a session. Return its group of shared deals."""
        counted = 1 if self._competition.is_tournament(session.division) else hands
        self._hands[session.division].update(dict.fromkeys(session.players, counted))
        cards = self._competition.shared_deals_group(session)
        self._sessions_left[cards] -= 1
        return cards

    def on_session(self, session: Session, hands: int) -> None:
        """Publish a session that is over."""
        cards = self._count_session(session, hands)
        for topic, state in self._states.items():
            self._bus.publish_soon(topic, state)
        if not self._sessions_left[cards]:
            for finished in self._sessions_by_deal.pop(cards):
                self._publishable.put_nowait(finished)

    def _progress(self) -> ProgressReport:
        return progress_event(self._competition, self._runner.progress)

    def _standings(self) -> CompetitionStandings:
        """Return the standings so far."""
        divisions = []
        for division, chips in self._runner.progress.chips.items():
            ranking = [
                RankedBot(
                    place=1 + sum(other > mine for other in chips.values()),
                    name=bot,
                    chips=mine,
                    hands=self._hands[division][bot],
                )
                for bot, mine in sorted(chips.items(), key=lambda entry: -entry[1])
            ]
            unit: Literal["hand", "tournament"] = (
                "tournament" if self._competition.is_tournament(division) else "hand"
            )
            divisions.append(DivisionStandings(division=division, unit=unit, ranking=tuple(ranking)))
        return CompetitionStandings(
            competition=self._competition.name, final=False, divisions=tuple(divisions)
        )

    async def _publish_sessions(self) -> None:
        while True:
            session = await self._publishable.get()
            try:
                await self._publish_hands(session)
            except Exception:
                log.exception("hands not published", session=session.name)
            self._publishable.task_done()

    async def _publish_hands(self, session: Session) -> None:
        table, names = self._competition.public_names(session)
        if not self._bus.has_subscribers:
            return
        for events in self._runner.store.hands(session):
            await self._bus.wait_for_room()
            self._bus.publish(public_hand(table, names, events, competition=self._competition.name))
            # One hand at a time, so that the tables are not delayed.
            await asyncio.sleep(0)

    async def finish(self, standings: Mapping[str, Any]) -> None:
        """Publish the final ``standings`` (of ``standings.json``) and the remaining hands."""
        self._bus.publish(final_standings(standings))
        try:
            await asyncio.wait_for(self._publishable.join(), PUBLISH_TIMEOUT)
        except TimeoutError:
            log.warning("some hands were not published")

    async def close(self) -> None:
        """Stop publishing."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


def progress_event(competition: Competition, progress: Played) -> ProgressReport:
    """Return the progress of a competition."""
    divisions = [
        DivisionProgress(
            division=name, sessions=sessions, done=progress.sessions_done[name], hands=progress.hands(name)
        )
        for name, sessions in progress.sessions.items()
    ]
    return ProgressReport(competition=competition.name, divisions=tuple(divisions))


def final_standings(standings: Mapping[str, Any]) -> CompetitionStandings:
    """Return the final standings of a competition from its ``standings.json``."""
    divisions = [
        DivisionStandings(
            division=division["division"],
            unit=division["unit"],
            ranking=tuple(
                RankedBot(
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
    return CompetitionStandings(competition=standings["competition"], final=True, divisions=tuple(divisions))
