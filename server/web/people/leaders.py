"""Who did best, month by month: against bots at the cash tables here, all or those that are asked for, and
with the hands of the days.

Ordered by the lower end of the 95 % interval: few lucky hands do not lead.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from math import fsum
from typing import Final, NamedTuple, TypeVar

from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from protocol.people import ChallengeResult
from server.people.performance import per_100_hands
from server.people.same_deals import publication_time
from server.storage.hand_store import HandStore
from server.storage.stored_hands import HandSums, PlayedDay, player_key
from server.web import schemas
from server.web.identity import Identities
from server.web.responses import HttpError, json_response

#: Hands that a person must have played in the month.
LEAST_HANDS: Final = 100
#: Days whose hands he must have played.
LEAST_DAYS: Final = 5
#: The first entries are shown, and who asks.
MOST: Final = 100
#: Seconds for which an answer is kept, and months that are.
KEPT: Final = 60.0
_MONTHS: Final = 13


_L = TypeVar("_L", schemas.Leader, schemas.DayLeader)


class _Season(NamedTuple):
    computed: float
    sums: list[HandSums]
    days: list[tuple[str, schemas.DayLeader]]


class LeadersApi:
    """The address ``/api/leaders``."""

    def __init__(
        self, archive: HandStore, identities: Identities, clock: Callable[[], float] = time.time
    ) -> None:
        self._archive = archive
        self._identities = identities
        self._clock = clock
        self._turn = asyncio.Lock()
        #: By month, the one used last at the end.
        self._seasons: OrderedDict[str, _Season] = OrderedDict()

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [Route("/api/leaders", self.leaders)]

    async def leaders(self, request: Request) -> Response:
        """Return the leaders of a ``season`` such as ``2026-11``; of this month without one. With ``bot``,
        which may be repeated: against these alone.
        """
        now = self._clock()
        season = request.query_params.get("season") or datetime.fromtimestamp(now, UTC).strftime("%Y-%m")
        found = await self._season(season, now)
        bots = frozenset(request.query_params.getlist("bot"))
        identity = self._identities.identity(request.headers.get("cookie", ""))
        return json_response(
            schemas.LeadersResponse(
                season,
                LEAST_HANDS,
                _shown(_ordered(_leaders(found.sums, bots)), identity),
                LEAST_DAYS,
                _shown(found.days, player_key(identity) if identity else ""),
            )
        )

    async def _season(self, season: str, now: float) -> _Season:
        start, end = _span(season, now)
        async with self._turn:
            known = self._seasons.get(season)
            if known is None or not known.computed <= now < known.computed + KEPT:
                sums = await self._archive.sums_against_bots(start, end)
                results = await self._archive.day_results(f"{season}-01", f"{season}-31")
                known = _Season(now, sums, _ordered(_day_leaders(results, now)))
                self._seasons[season] = known
                if len(self._seasons) > _MONTHS:
                    self._seasons.popitem(last=False)
            self._seasons.move_to_end(season)
        return known


def _ordered(leaders: Iterable[tuple[str, _L]]) -> list[tuple[str, _L]]:
    return sorted(leaders, key=lambda one: -(one[1].bb100.low or 0.0))


def _shown(order: Sequence[tuple[str, _L]], who: str) -> list[_L]:
    """Return the first, and who asks, who is marked."""
    found = [structs.replace(leader, own=bool(who) and key == who) for key, leader in order]
    return found[:MOST] + [leader for leader in found[MOST:] if leader.own]


def _day_leaders(results: Iterable[PlayedDay], now: float) -> Iterator[tuple[str, schemas.DayLeader]]:
    """Return how much more everybody won than the rival with the hands of the days that are over."""
    played: defaultdict[str, list[ChallengeResult]] = defaultdict(list)
    for who, at, day, result in results:
        published = publication_time(day)
        if at < published * 1000 and published <= now:
            played[who].append(result)
    for who, days in played.items():
        if len(days) < LEAST_DAYS:
            continue
        gains = [(hand.player_net - hand.rival_net) / day.big_blind for day in days for hand in day.hands]
        bb100 = per_100_hands(len(gains), fsum(gains), fsum(gain * gain for gain in gains))
        won = sum(day.player_net > day.rival_net for day in days)
        yield who, schemas.DayLeader(days[-1].player, len(days), won, bb100, own=False)


def _span(season: str, now: float) -> tuple[int, int]:
    """Return the first millisecond of a month since 1970, and that of the next.

    Raises ``HttpError`` for other months than this and the twelve before.
    """
    today = datetime.fromtimestamp(now, UTC)
    try:
        start = datetime.strptime(season, "%Y-%m").replace(tzinfo=UTC)
        back = 12 * (today.year - start.year) + today.month - start.month
        if start.strftime("%Y-%m") != season or not 0 <= back < _MONTHS:
            raise ValueError
    except ValueError:
        raise HttpError(
            400, "bad_parameter", "season must be this month or one of the twelve before"
        ) from None
    following = start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
    return int(start.timestamp() * 1000), int(following.timestamp() * 1000)


def _leaders(sums: Iterable[HandSums], bots: frozenset[str]) -> Iterator[tuple[str, schemas.Leader]]:
    """Return how everybody did who played long enough against these bots alone; none: against any."""
    played: defaultdict[str, list[HandSums]] = defaultdict(list)
    for one in sums:
        if not bots or one.opponents <= bots:
            played[one.identity].append(one)
    for identity, own in played.items():
        hands = sum(one.hands for one in own)
        if hands >= LEAST_HANDS:
            bb100 = per_100_hands(hands, fsum(one.won for one in own), fsum(one.squares for one in own))
            yield identity, schemas.Leader(max(own, key=lambda one: one.at).name, hands, bb100, own=False)
