"""How everybody plays at the open tables here: bots, and people by the names that they use."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from dealer.ratings.style import StyleCounts, by_position
from server.house.house import House
from server.people.performance import per_100_hands
from server.people.player_styles import PlayerPlace, StyleRow, count_styles
from server.storage.hand_store import HandStore
from server.telemetry.logger import get_logger
from server.web import schemas
from server.web.identity import Identities
from server.web.responses import HttpError, json_response

log = get_logger("pokerd.web")

#: Players that are shown, and that are remembered: those with the most hands.
MOST: Final = 100
_MAX_PLAYERS: Final = 10_000
#: Seconds for which an answer is kept.
KEPT: Final = 60.0
#: Seconds after which all processes have stored their hands.
_STORED: Final = 10.0
#: Seconds after a failure before it is tried again.
_RETRY: Final = 10.0
#: Requests that wait for the same counting.
_MAX_ASKING: Final = 100


class PlayersApi:
    """The address ``/api/players``."""

    def __init__(
        self, house: House, archive: HandStore, identities: Identities, clock: Callable[[], float] = time.time
    ) -> None:
        self._house = house
        self._archive = archive
        self._identities = identities
        self._clock = clock
        self._turn = asyncio.Lock()
        self._asking = 0
        self._counted_at = -KEPT
        self._failed_at = -_RETRY
        #: The last millisecond whose hands are counted.
        self._until = 0
        #: By name and identity; the rows by position.
        self._players: dict[tuple[str, str], dict[str, StyleRow]] = {}

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [Route("/api/players", self.players)]

    async def players(self, request: Request) -> Response:
        """Return who played most; with ``name``, all players of that name; with ``table``, who sits there."""
        if self._asking >= _MAX_ASKING:
            raise HttpError(503, "busy", "too many people ask for this; try again in a moment")
        self._asking += 1
        try:
            # Who asks while they are counted anew gets what is known.
            if not (self._turn.locked() and self._players):
                async with self._turn:
                    await self._count()
        finally:
            self._asking -= 1
        name, table = request.query_params.get("name"), request.query_params.get("table")
        identity = self._identities.identity(request.headers.get("cookie", ""))
        seats = self._seats(table)
        found = [
            _play(rows, seats.get(key, []), own=bool(identity) and key[1] == identity)
            for key, rows in self._players.items()
            if name in (None, key[0]) and (table is None or key in seats)
        ]
        return json_response(schemas.PlayersResponse(found[:MOST]))

    def _seats(self, table: str | None) -> dict[tuple[str, str], list[tuple[str, int]]]:
        """Return where players sit, by name and identity: at a table, or at all of the lobby. Who could have
        taken somebody's name is not among them. Raises ``HttpError`` (``not_found``).
        """
        names = [one.table for one in self._house.listing()] if table is None else [table]
        seats: dict[tuple[str, str], list[tuple[str, int]]] = {}
        for where in names:
            report = self._house.report(where)
            if report is None:
                raise HttpError(404, "not_found", f"no table {where!r}")
            for seat, (name, holder) in enumerate(zip(report.status.players, report.holders, strict=True)):
                if holder is not None:
                    seats.setdefault((name, holder), []).append((where, seat))
        return seats

    async def _count(self) -> None:
        now = self._clock()
        if self._counted_at <= now < self._counted_at + KEPT:
            return
        if self._failed_at <= now < self._failed_at + _RETRY:
            raise _not_counted()
        until = int((now - _STORED) * 1000)
        self._archive.checkpoint()
        try:
            new = await count_styles(self._archive.path, self._until, until)
        except OSError as error:
            log.warning("the hands of the archive cannot be counted", error=str(error))
            self._failed_at = now
            raise _not_counted() from None
        for row in new:
            places = self._players.setdefault(row.place[:2], {})
            known = places.get(row.place.position)
            places[row.place.position] = row if known is None else _add(known, row)
        most = sorted(self._players.items(), key=lambda one: -_hands(one[1]))
        self._players = dict(most[:_MAX_PLAYERS])
        self._until = max(until, self._until)
        self._counted_at = now


def _not_counted() -> HttpError:
    return HttpError(503, "not_counted", "the server cannot count its hands; its log says why")


def _add(one: StyleRow, other: StyleRow) -> StyleRow:
    sums = one.blinds + other.blinds, one.squares + other.squares
    return StyleRow(one.place, one.counts.plus(other.counts), *sums)


def _hands(places: dict[str, StyleRow]) -> int:
    return sum(row.counts.hands for row in places.values())


def _play(places: dict[str, StyleRow], seats: list[tuple[str, int]], *, own: bool) -> schemas.PlayerPlay:
    total = StyleRow(PlayerPlace("", "", ""), StyleCounts(), 0.0, 0.0)
    for row in places.values():
        total = _add(total, row)
    (name, identity, _), *_ = (row.place for row in places.values())
    return schemas.PlayerPlay(
        name=name,
        bot=not identity,
        own=own,
        seats=seats,
        bb100=per_100_hands(total.counts.hands, total.blinds, total.squares),
        style=total.counts.data(),
        positions=by_position({place: row.counts for place, row in places.items()}),
    )
