"""The API of competitions: overview, standings, sessions, hands and curves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from typing import Any, Final, Literal, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dealer.errors import DealerError
from dealer.match import Session
from dealer.rules.events import start_of
from server.competition.file import CompetitionError
from server.competition.luck import hand_game
from server.competition.schema import BotEntry
from server.competition.store import StoreError
from server.storage.sqlite import StateError
from server.web import schemas
from server.web.competitions.anonymized import anonymized
from server.web.competitions.reader import CompetitionCatalog, CompetitionReader
from server.web.exports import FORMATS, export_response
from server.web.replay import ReplayHand, hand_summary, told_hand
from server.web.responses import MAX_LIMIT, HttpError, csv_response, int_parameter, json_response
from server.web.tables_api import HAND_COLUMNS, hand_rows

_T = TypeVar("_T")

_MOST: Final = 10**9
#: Seconds that a request waits for curves, and of each step that blocks other requests.
WAIT: Final = 2.0
STEP: Final = 0.1
_ESTIMATE: Final = ("mbb", "ci95", "units", "decided")
_SESSION: Final = (
    "session", "match", "line_up", "seating", "hands", "seat", "bot", "net", "place", "released",
)  # fmt: skip


class CompetitionApi:
    """The API of competitions. Only one thread at a time reads files, however many requests there are."""

    def __init__(self, catalog: CompetitionCatalog) -> None:
        self._catalog = catalog
        self._read_lock = asyncio.Lock()

    def routes(self) -> list[Route]:
        """Return the routes."""
        base = "/api/competitions"
        one = f"{base}/{{competition}}"
        session = f"{one}/sessions/{{division}}/{{session}}/hands"
        return [
            Route(base, self.competitions),
            Route(f"{base}.csv", self.competitions_csv),
            Route(one, self.competition),
            Route(f"{one}/standings.csv", self.standings_csv),
            Route(f"{one}/finishes.csv", self.finishes_csv),
            Route(f"{one}/runoff.csv", self.runoff_csv),
            Route(f"{one}/crosstable.csv", self.crosstable_csv),
            Route(f"{one}/incidents.csv", self.incidents_csv),
            Route(f"{one}/curves", self.curves),
            Route(f"{one}/curves.csv", self.curves_csv),
            Route(f"{one}/sessions", self.sessions),
            Route(f"{one}/sessions.csv", self.sessions_csv),
            Route(session, self.hands),
            Route(f"{session}.csv", self.hands_csv),
            Route(f"{session}/{{number}}", self.hand),
        ]

    async def competitions(self, _: Request) -> Response:
        """List all competitions."""
        return json_response(schemas.CompetitionsResponse(await self._read(self._catalog.entries)))

    async def competitions_csv(self, _: Request) -> Response:
        """List all competitions as CSV."""
        rows = [
            (one.competition, one.name, one.status, one.at, " ".join(one.bots), " ".join(one.divisions))
            for one in await self._read(self._catalog.entries)
        ]
        return csv_response(
            "competitions", ("competition", "name", "status", "at", "bots", "divisions"), rows
        )

    async def competition(self, request: Request) -> Response:
        """Return one competition."""
        contest = await self._find_competition(request)
        return json_response(await self._read(lambda: _competition(contest)))

    async def standings_csv(self, request: Request) -> Response:
        """Return the rankings by total bankroll."""
        contest = await self._find_competition(request)
        rows = [
            (
                standings["division"],
                *(place[key] for key in ("place", "tied", "bot", "chips", "hands")),
                *_estimate(place["rate"]),
                *_estimate(place["ahead"]),
                *_decisions(standings, place["bot"]),
            )
            for standings in await self._read(contest.standings)
            for place in standings["ranking"]
        ]
        ahead = (f"ahead_{name}" for name in _ESTIMATE)
        decisions = ("decisions", "forced", "marked")
        header = ("division", "place", "tied", "bot", "chips", "hands", *_ESTIMATE, *ahead, *decisions)
        return csv_response(f"{contest.name}-standings", header, rows)

    async def finishes_csv(self, request: Request) -> Response:
        """Return how often each bot came first, second and so on in tournaments, a row per place."""
        contest = await self._find_competition(request)

        def find() -> list[tuple[object, ...]]:
            return [
                (division, bot, place, count)
                for division in contest.competition.divisions
                for bot, counts in contest.finishes(division).items()
                for place, count in enumerate(counts, 1)
            ]

        return csv_response(
            f"{contest.name}-finishes", ("division", "bot", "place", "count"), await self._read(find)
        )

    async def runoff_csv(self, request: Request) -> Response:
        """Return the run-offs, a row for every bot that is left in a round."""
        contest = await self._find_competition(request)
        rows = []
        for standings in await self._read(contest.standings):
            run_off = standings["run_off"] or {"ranking": [], "rounds": []}
            places = {one["bot"]: (one["place"], one["tied"]) for one in run_off["ranking"]}
            rows += [
                (standings["division"], number, bot, chips, bot in one["dropped"], *places[bot])
                for number, one in enumerate(run_off["rounds"], 1)
                for bot, chips in one["bankrolls"].items()
            ]
        header = ("division", "round", "bot", "bankroll", "dropped", "place", "tied")
        return csv_response(f"{contest.name}-runoff", header, rows)

    async def crosstable_csv(self, request: Request) -> Response:
        """Return the crosstables, a row per cell."""
        contest = await self._find_competition(request)
        rows = [
            (standings["division"], row, column, *_estimate(cell))
            for standings in await self._read(contest.standings)
            for row, cells in standings["crosstable"].items()
            for column, cell in cells.items()
        ]
        return csv_response(f"{contest.name}-crosstable", ("division", "row", "column", *_ESTIMATE), rows)

    async def incidents_csv(self, request: Request) -> Response:
        """Return the incidents, a row per kind."""
        contest = await self._find_competition(request)
        rows = [
            (division, bot, kind, count)
            for division, bots in (await self._read(contest.incidents)).items()
            for bot, kinds in bots.items()
            for kind, count in kinds.items()
        ]
        return csv_response(f"{contest.name}-incidents", ("division", "bot", "incident", "count"), rows)

    async def curves(self, request: Request) -> Response:
        """Return the winnings over deal sets."""
        return json_response((await self._curves(request))[1])

    async def curves_csv(self, request: Request) -> Response:
        """Return the winnings over deal sets as CSV."""
        contest, curves = await self._curves(request)
        rows = [
            (curves.division, one.bot, kind, count, *point)
            for one in curves.bots
            for kind, curve in (("raw", one.raw), ("duplicate", one.duplicate))
            for count, point in zip(
                curves.sets, zip(curve.mean, curve.low, curve.high, strict=True), strict=True
            )
        ]
        header = ("division", "bot", "curve", "sets", "mean", "low", "high")
        return csv_response(f"{contest.name}-curves", header, rows)

    async def sessions(self, request: Request) -> Response:
        """List the finished sessions."""
        _, found = await self._sessions(request)
        return json_response(found)

    async def sessions_csv(self, request: Request) -> Response:
        """List the finished sessions as CSV, a row per seat."""
        contest, found = await self._sessions(request)
        rows = [
            (one.session, one.match, one.line_up, one.seating, one.hands, seat, bot, net, place, one.released)
            for one in found.sessions
            for seat, (bot, net, place) in enumerate(zip_longest(one.players, one.net, one.places))
        ]
        return csv_response(f"{contest.name}-sessions", _SESSION, rows)

    async def hands(self, request: Request) -> Response:
        """List the hands of a session."""
        return json_response((await self._hands(request))[1])

    async def hands_csv(self, request: Request) -> Response:
        """List the hands of a session as CSV, a row per player."""
        session, found = await self._hands(request)
        return csv_response(f"{session.name}-hands".replace("/", "-"), HAND_COLUMNS, hand_rows(found.hands))

    async def hand(self, request: Request) -> Response:
        """Return one hand, or a file of it."""
        contest, session, total = await self._session(request)
        text, _, suffix = request.path_params["number"].partition(".")
        if not (text.isascii() and text.isdigit() and len(text) < 10) or (suffix and suffix not in FORMATS):
            raise HttpError(404, "not_found", f"no hand {request.path_params['number']!r}")
        index = int(text) - _first_number(contest, session)
        found = await self._read(lambda: _recorded(contest, session, index, 1, total)) if index >= 0 else []
        if not found:
            first = _first_number(contest, session)
            raise HttpError(404, "not_found", f"no hand {text}: there are {total}, the first is {first}")
        return await export_response(found[0], suffix) if suffix else json_response(await told_hand(found[0]))

    async def _read(self, question: Callable[[], _T]) -> _T:
        async with self._read_lock:
            try:
                return await asyncio.to_thread(question)
            except (DealerError, CompetitionError, StateError, StoreError, OSError):
                raise HttpError(404, "not_found", "the records of this competition cannot be read") from None

    async def _find_competition(self, request: Request) -> CompetitionReader:
        name = request.path_params["competition"]
        found = await self._read(lambda: self._catalog.find(name))
        if found is None:
            raise HttpError(404, "not_found", f"no competition {name!r}")
        return anonymized(found)

    async def _curves(self, request: Request) -> tuple[CompetitionReader, schemas.CurvesResponse]:
        contest = await self._find_competition(request)
        divisions = contest.competition.divisions
        name = request.query_params.get("division", next(iter(divisions)))
        if name not in divisions:
            raise HttpError(400, "bad_parameter", f"no division {name!r}")
        seating = int_parameter(request, "seating", 0, most=divisions[name].seatings - 1)
        clock = asyncio.get_running_loop().time
        until = clock() + WAIT
        while True:
            done, total = await self._read(lambda: contest.extend_curves(name, STEP))
            if done == total:
                return contest, await self._read(lambda: contest.curves(name, seating))
            if clock() >= until:
                raise HttpError(202, "computing", f"{done} of {total} sessions are read; try again")

    async def _sessions(self, request: Request) -> tuple[CompetitionReader, schemas.SessionsResponse]:
        contest = await self._find_competition(request)
        division = request.query_params.get("division", "")
        bots = set(request.query_params.getlist("bot"))
        if division and division not in contest.competition.divisions:
            raise HttpError(400, "bad_parameter", f"no division {division!r}")
        if bots - contest.competition.bots.keys():
            raise HttpError(400, "bad_parameter", "bot must be the name of a bot of this competition")
        first = int_parameter(request, "offset", 0, most=_MOST)
        limit = int_parameter(request, "limit", 50, least=1, most=MAX_LIMIT)

        def find() -> schemas.SessionsResponse:
            plan = [
                session
                for session in contest.competition.sessions
                if contest.is_over(session)
                and (not division or session.division == division)
                and bots.issubset(session.players)
            ]
            return schemas.SessionsResponse(
                [_session(contest, one) for one in plan[first : first + limit]], len(plan)
            )

        return contest, await self._read(find)

    async def _session(self, request: Request) -> tuple[CompetitionReader, Session, int]:
        """Return a session whose hands may be viewed, and their number."""
        contest = await self._find_competition(request)
        name = f"{request.path_params['division']}/{request.path_params['session']}"

        def find() -> tuple[Session, int] | None:
            session = contest.sessions.get(name)
            if session is None or not contest.is_released(session):
                return None
            result = contest.result(session)
            return None if result is None else (session, result[0])

        found = await self._read(find)
        if found is None:
            raise HttpError(404, "not_found", f"no session {name!r} whose hands may be viewed")
        return contest, *found

    async def _hands(self, request: Request) -> tuple[Session, schemas.SessionHandsResponse]:
        contest, session, total = await self._session(request)
        first = int_parameter(request, "offset", 0, most=_MOST)
        limit = int_parameter(request, "limit", 50, least=1, most=MAX_LIMIT)
        found = await self._read(lambda: _recorded(contest, session, first, limit, total))
        return session, schemas.SessionHandsResponse([hand_summary(hand) for hand in found], total)


def _estimate(estimate: dict[str, Any] | None) -> Iterator[Any]:
    for name in _ESTIMATE:
        yield None if estimate is None else estimate[name]


def _decisions(standings: Mapping[str, Any], bot: str) -> tuple[int | None, int | None, bool]:
    """Return all decisions, forced ones, and whether the bot is marked. Results of earlier versions lack
    these.
    """
    made = standings.get("decisions", {}).get(bot, {})
    return made.get("all"), made.get("forced"), bot in standings.get("marked", ())


def _competition(contest: CompetitionReader) -> schemas.CompetitionResponse:
    planned = contest.competition
    return schemas.CompetitionResponse(
        competition=contest.name,
        name=planned.name,
        status=contest.status,
        at=contest.at,
        deck=planned.entry.deck,
        commitment=contest.commitment,
        seed=planned.seed_text if contest.status == "finished" else "",
        anonymous=planned.entry.anonymous,
        bots=[schemas.BotInfo(bot.name, _kind(bot)) for bot in planned.bots.values()],
        divisions=[_division(contest, name) for name in planned.divisions],
        standings=contest.standings(),
        finishes={name: contest.finishes(name) for name in planned.divisions},
        incidents=contest.incidents(),
    )


def _kind(bot: BotEntry) -> Literal["house", "program", "remote"]:
    return "house" if bot.run else "program" if bot.command else "remote"


def _division(contest: CompetitionReader, name: str) -> schemas.DivisionInfo:
    planned = contest.competition.divisions[name]
    sessions, hands = contest.counts_done(name)
    return schemas.DivisionInfo(
        division=name,
        game=contest.competition.games[name].name,
        mode=_mode(contest, name),
        players=planned.players,
        bots=list(planned.bots),
        line_ups=planned.sessions // planned.matches // planned.seatings,
        matches=planned.matches,
        seatings=planned.seatings,
        hands=planned.hands,
        sessions=planned.sessions,
        sessions_done=sessions,
        hands_done=hands,
    )


def _mode(contest: CompetitionReader, division: str) -> Literal["fixed", "cash", "tournament"]:
    table = contest.competition.division_entry(division).table
    return "fixed" if table is None else table.mode


def _first_number(contest: CompetitionReader, session: Session) -> int:
    """Return the number of the first hand: 0 with fixed stacks, otherwise 1."""
    return 0 if _mode(contest, session.division) == "fixed" else 1


def _session(contest: CompetitionReader, session: Session) -> schemas.SessionSummary:
    result = contest.result(session)
    assert result is not None
    return schemas.SessionSummary(
        session=session.name,
        division=session.division,
        match=session.match,
        line_up=session.line_up,
        seating=session.seating,
        players=list(session.players),
        hands=result[0],
        net=list(result[1]),
        places=list(contest.places().get(session.name, ())),
        released=contest.is_released(session),
    )


def _recorded(
    contest: CompetitionReader, session: Session, first: int, count: int, total: int
) -> list[ReplayHand]:
    found = []
    for index, events in enumerate(contest.hands(session, first, count), first):
        number = start_of(events).hand
        found.append(
            ReplayHand(
                id=f"{session.name}/{number}",
                table=session.name,
                match=session.name,
                mode=_mode(contest, session.division),
                game=hand_game(contest.competition, session, events),
                names=session.players,
                events=events,
                open=True,
                previous=f"{session.name}/{number - 1}" if index else "",
                next=f"{session.name}/{number + 1}" if index + 1 < total else "",
            )
        )
    return found
