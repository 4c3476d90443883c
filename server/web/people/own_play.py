"""How somebody did at the open tables here: winnings, also with all-ins paid by equity, and how he plays.

Of single hands only what he has seen is counted: cards that nobody showed him could be told from anything
computed with them. Without all luck, by the cards of everybody, only sums are told: of days that are over,
with many hands each, against house bots alone. They never change, so two of them differ by a whole day.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from typing import Final, Literal, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dealer.luck.adjusted import LEAST_BOARDS, adjusted_net, all_in_net
from dealer.ratings.style import StyleCounts, by_position, count_hand, position_names
from dealer.rules.events import ends_of
from server.auth.hosts import is_same_origin
from server.storage.hand_store import HandStore
from server.storage.player_results import GroupResult, PlayedHand, PlayerResults, summarize
from server.storage.stored_hands import OwnHand, StoredHand
from server.web import schemas
from server.web.identity import DEVICE_SECONDS, Identities
from server.web.replay import masked, viewed_hand
from server.web.responses import HttpError, csv_response, json_response

#: Hands of a person that are counted: the newest.
MAX_HANDS: Final = 5_000
#: People whose hands are kept in memory.
MAX_PEOPLE: Final = 32
#: Hands that are read at once.
HANDS_AT_ONCE: Final = 200
#: Requests that are answered or wait.
MAX_ASKING: Final = 16
#: Hands of a day against house bots, from which on their sum without luck is told.
LEAST_OF_DAY: Final = 50
#: Seconds that a request computes; who asks again gets more.
WAIT: Final = 1.0
#: Entries in the list of the largest pots won and lost.
_BIGGEST: Final = 10
COLUMNS: Final = ("hand", "at", "mode", "game", "position", "won", "adjusted", "big_blind")
Unit = Literal["big_blinds", "chips"]


class _Counted(NamedTuple):
    """A hand, in chips. ``without_luck``: chips won without any luck, a secret; None unless it was against
    house bots alone.
    """

    row: schemas.OwnHand
    run: str
    counts: StyleCounts
    without_luck: float | None


class OwnPlayApi:
    """The addresses under ``/api/me``."""

    def __init__(self, archive: HandStore, identities: Identities) -> None:
        self._archive = archive
        self._identities = identities
        #: By identity, then by run and number; who asked last is last. A damaged hand is None.
        self._people: OrderedDict[str, dict[OwnHand, _Counted | None]] = OrderedDict()
        self._turn = asyncio.Lock()
        self._asking = 0

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/api/me", self.summary),
            Route("/api/me/hands.csv", self.hands_csv),
            Route("/api/me/device", self.device_token, methods=["POST"]),
            Route("/api/me/device/{token}", self.become, methods=["POST"]),
        ]

    async def summary(self, request: Request) -> Response:
        """Return how the person did. ``complete``: all hands are counted; ask again otherwise."""
        unit = _unit_parameter(request)
        async with self._one_at_a_time():
            hands, missing, cut = await self._hands(request)
            found = await asyncio.to_thread(_summary, hands, unit, complete=not missing, cut=cut)
        return json_response(found)

    async def hands_csv(self, request: Request) -> Response:
        """Return the person's hands that are counted so far as CSV."""
        unit = _unit_parameter(request)
        async with self._one_at_a_time():
            hands, *_ = await self._hands(request)
        rows = [[getattr(row, column) for column in COLUMNS] for row in _rows(hands, unit)]
        return csv_response("my-hands", COLUMNS, rows)

    @asynccontextmanager
    async def _one_at_a_time(self) -> AsyncIterator[None]:
        """Wait for one's turn: counting holds up the other threads. Raises ``HttpError`` (``busy``)."""
        if self._asking >= MAX_ASKING:
            raise HttpError(503, "busy", "too many people look at their results; try again in a moment")
        self._asking += 1
        try:
            async with self._turn:
                yield
        finally:
            self._asking -= 1

    async def device_token(self, request: Request) -> Response:
        """Return what takes the person to another browser, for a while."""
        identity = self._identity_of_own_page(request)
        if not identity:
            raise HttpError(404, "not_found", "this browser has no results: it has no cookie of this server")
        now = time.time()
        token = self._identities.device_token(identity, now)
        return json_response(schemas.DeviceResponse(token, int((now + DEVICE_SECONDS) * 1000)))

    async def become(self, request: Request) -> Response:
        """Make this browser the person's who was given the token."""
        self._identity_of_own_page(request)
        identity = self._identities.identity_of_device(request.path_params["token"], time.time())
        if not identity:
            raise HttpError(404, "not_found", "this link is too old, or of another server: make a new one")
        cookie = self._identities.issue(secure=request.scope["scheme"] == "https", identity=identity)
        return Response(status_code=204, headers={"Set-Cookie": cookie, "Cache-Control": "no-store"})

    def _identity_of_own_page(self, request: Request) -> str:
        """Return who asks. Raises ``HttpError`` for others' pages: they must not act for their visitors."""
        origins = request.headers.getlist("origin")
        if origins and not is_same_origin(request.headers.getlist("host"), origins):
            raise HttpError(403, "foreign_origin", "this page is not from this server")
        return self._identities.identity(request.headers.get("cookie", ""))

    async def _hands(self, request: Request) -> tuple[list[_Counted], int, bool]:
        """Return the hands that are counted, how many are not yet, and whether older ones were left out."""
        identity = self._identities.identity(request.headers.get("cookie", ""))
        keys = await self._archive.own_hands(identity, MAX_HANDS) if identity else []
        if not keys:
            return [], 0, False
        known = self._people.get(identity, {})
        counted = {key: known[key] for key in keys if key in known}
        missing = [key for key in keys if key not in known]
        until = time.monotonic() + WAIT
        while missing:
            some = missing[:HANDS_AT_ONCE]
            read = await self._archive.read_hands([(one.run, one.number) for one in some])
            found = {(hand.run.number, hand.number): hand for hand in read}
            portion = [(found.get((one.run, one.number)), one.against_house) for one in some]
            done = await asyncio.to_thread(_count, portion, identity, until)
            counted |= dict(zip(some, done, strict=False))
            del missing[: len(done)]
            if time.monotonic() > until:
                break
        self._people[identity] = counted
        self._people.move_to_end(identity)
        if len(self._people) > MAX_PEOPLE:
            self._people.popitem(last=False)
        hands = [hand for key in keys if (hand := counted.get(key)) is not None]
        return hands, len(missing), len(keys) == MAX_HANDS


def _unit_parameter(request: Request) -> Unit:
    """Return what results are told in. Raises ``HttpError`` (``bad_parameter``)."""
    match request.query_params.get("unit", "big_blinds"):
        case "big_blinds" | "chips" as unit:
            return unit
        case _:
            raise HttpError(400, "bad_parameter", "unit is big_blinds or chips")


def _rows(hands: Sequence[_Counted], unit: Unit) -> list[schemas.OwnHand]:
    """Return the hands in a unit, to a thousandth."""
    found = []
    for row, *_ in hands:
        chips = 1 if unit == "chips" else row.big_blind
        won, adjusted = round(row.won / chips, 3), round(row.adjusted / chips, 3)
        found.append(msgspec.structs.replace(row, won=won, adjusted=adjusted))
    return found


def _summary(hands: Sequence[_Counted], unit: Unit, *, complete: bool, cut: bool) -> schemas.OwnPlayResponse:
    rows = _rows(hands, unit)
    won = _summarized(hands, [row.won for row in rows], complete=complete)
    adjusted = _summarized(hands, [row.adjusted for row in rows], complete=complete)
    places: dict[str, StyleCounts] = {}
    for hand in hands:
        place = hand.row.position
        places[place] = places.get(place, StyleCounts()).plus(hand.counts)
    whole = StyleCounts()
    for counts in places.values():
        whole = whole.plus(counts)
    return schemas.OwnPlayResponse(
        hands=len(hands),
        complete=complete,
        total=won.total,
        adjusted=adjusted.total,
        curve=won.curve,
        adjusted_curve=adjusted.curve,
        sessions=won.sessions,
        style=whole.data(),
        positions=by_position(places),
        biggest=sorted(rows, key=lambda row: -abs(row.won))[:_BIGGEST],
        without_luck=_without_luck(hands, unit, cut=cut) if complete else None,
    )


def _without_luck(hands: Sequence[_Counted], unit: Unit, *, cut: bool) -> GroupResult | None:
    """Return the sum without luck of whole days, or None if there is none. ``cut``: older hands, perhaps of
    the first day, are missing.
    """
    days: dict[date, list[PlayedHand]] = {}
    for row, run, _, chips in hands:
        if chips is not None:
            won = chips if unit == "chips" else chips / row.big_blind
            days.setdefault(_day(row.at / 1000), []).append(PlayedHand(row.at, run, row.mode, row.game, won))
    first = _day(hands[0].row.at / 1000) if cut and hands else date.min
    whole = [one for day, one in days.items() if first < day < _day(time.time()) and len(one) >= LEAST_OF_DAY]
    played = [hand for one in whole for hand in one]
    return summarize("", played, 1, len(played), complete=True).total if played else None


def _day(at: float) -> date:
    return datetime.fromtimestamp(at, UTC).date()


def _count(
    hands: Sequence[tuple[StoredHand | None, bool]], identity: str, until: float
) -> list[_Counted | None]:
    """Return what is told of these hands, or of the first ones, at least one, if it is ``until``. Each comes
    with whether it was against house bots alone.
    """
    counted: list[_Counted | None] = []
    for hand, against_house in hands:
        counted.append(None if hand is None else _count_one(hand, identity, against_house=against_house))
        if time.monotonic() > until:
            break
    return counted


def _count_one(hand: StoredHand, identity: str, *, against_house: bool) -> _Counted | None:
    viewed = viewed_hand(hand, identity)
    if viewed.own is None:
        return None
    events = masked(viewed)
    started, ended = ends_of(events)
    position = started.seats.index(viewed.own)
    row = schemas.OwnHand(
        hand=hand.id,
        at=hand.played_at,
        mode="practice" if hand.run.kind == "practice" else hand.run.mode,
        game=hand.game.name,
        position=position_names(len(started.seats))[position],
        won=ended.values[position],
        adjusted=all_in_net(hand.game, events, viewed.own, LEAST_BOARDS),
        big_blind=max(*hand.game.blinds, hand.game.ante, 1),
    )
    without_luck = None
    if against_house:
        without_luck = adjusted_net(hand.game, hand.events, viewed.own, LEAST_BOARDS)
    return _Counted(row, hand.run.id, count_hand(events)[position], without_luck)


def _summarized(hands: Sequence[_Counted], won: Sequence[float], *, complete: bool) -> PlayerResults:
    played = [
        PlayedHand(row.at, run, row.mode, row.game, value)
        for (row, run, *_), value in zip(hands, won, strict=True)
    ]
    return summarize("", played, 1, len(hands), complete=complete)
