"""Who did best against bots at the cash tables here, month by month.

Ordered by the lower end of the 95 % interval: few lucky hands do not lead.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.people.performance import per_100_hands
from server.storage.hand_store import HandStore, HandSums
from server.web import schemas
from server.web.identity import Identities
from server.web.responses import HttpError, json_response

#: Hands that a person must have played in the month.
LEAST_HANDS: Final = 100
#: The first entries are shown, and who asks.
MOST: Final = 100
#: Seconds for which an answer is kept, and months that are.
KEPT: Final = 60.0
_MONTHS: Final = 13


class LeadersApi:
    """The address ``/api/leaders``."""

    def __init__(
        self, archive: HandStore, identities: Identities, clock: Callable[[], float] = time.time
    ) -> None:
        self._archive = archive
        self._identities = identities
        self._clock = clock
        self._turn = asyncio.Lock()
        #: By month: when it was computed, and the order.
        self._seasons: OrderedDict[str, tuple[float, list[tuple[str, schemas.Leader]]]] = OrderedDict()

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [Route("/api/leaders", self.leaders)]

    async def leaders(self, request: Request) -> Response:
        """Return the leaders of a ``season`` such as ``2026-11``; of this month without one."""
        now = self._clock()
        season = request.query_params.get("season") or datetime.fromtimestamp(now, UTC).strftime("%Y-%m")
        order = await self._order(season, now)
        identity = self._identities.identity(request.headers.get("cookie", ""))
        found = [
            schemas.Leader(leader.name, leader.hands, leader.bb100, own=bool(identity) and who == identity)
            for who, leader in order
        ]
        shown = found[:MOST] + [leader for leader in found[MOST:] if leader.own]
        return json_response(schemas.LeadersResponse(season, LEAST_HANDS, shown))

    async def _order(self, season: str, now: float) -> list[tuple[str, schemas.Leader]]:
        start, end = _span(season, now)
        async with self._turn:
            computed, order = self._seasons.get(season, (-KEPT, []))
            if not computed <= now < computed + KEPT:
                sums = await self._archive.leaders(start, end, LEAST_HANDS)
                leaders = [(one.identity, _leader(one)) for one in sums]
                order = sorted(leaders, key=lambda one: -(one[1].bb100.low or 0.0))
                self._seasons[season] = now, order
                self._seasons.move_to_end(season)
                if len(self._seasons) > _MONTHS:
                    self._seasons.popitem(last=False)
        return order


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


def _leader(sums: HandSums) -> schemas.Leader:
    bb100 = per_100_hands(sums.hands, sums.won, sums.squares)
    return schemas.Leader(sums.name, sums.hands, bb100, own=False)
