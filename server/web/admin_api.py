"""The administration API: a bearer token authenticates, the path names the action, a JSON body its target."""

from __future__ import annotations

import asyncio
import time
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.auth.tokens import AccessError
from server.house.admin import CODES, Administration, AdminRefusal, AdminRequest
from server.storage.hand_store import HandStore
from server.storage.player_results import KnownPlayer, known_players, player_results
from server.telemetry.logger import get_logger
from server.web.responses import MAX_LIMIT, HttpError, int_parameter, json_response, problem

log = get_logger("pokerd.administration")

#: Maximum number of bytes of a request.
MAX_BODY: Final = 4096
#: Maximum and default of ``days``, which statistics go back.
MAX_DAYS: Final = 3650
DEFAULT_DAYS: Final = 30
#: The kinds of tables that statistics can be limited to.
_MODES: Final = ("cash", "tournament", "challenge")
_DAY_MS: Final = 86_400_000
_BEARER: Final = "bearer "


class AdminActionResponse(msgspec.Struct, frozen=True, omit_defaults=True):
    """The action that was taken, its target, and the token that it made, if any."""

    action: str
    target: str
    token: str = ""


class PlayersResponse(msgspec.Struct, frozen=True):
    """Who played at open tables, house bots left out; the last one first."""

    players: list[KnownPlayer]


class AdminApi:
    """The addresses under ``/api/admin``. Without an archive there are no statistics."""

    def __init__(self, administration: Administration, archive: HandStore | None) -> None:
        self._administration = administration
        self._archive = archive
        # Statistics read many hands: one question at a time.
        self._reading = asyncio.Lock()

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/api/admin", self.overview, methods=["GET"]),
            Route("/api/admin/players", self.players, methods=["GET"]),
            Route("/api/admin/statistics", self.statistics, methods=["GET"]),
            Route("/api/admin/{action}", self.act, methods=["POST"]),
        ]

    async def overview(self, request: Request) -> Response:
        """Return an overview of the server."""
        self._admin(request)
        return json_response(self._administration.overview())

    async def players(self, request: Request) -> Response:
        """List who played lately."""
        self._admin(request)
        archive, since = self._archived(), _since(request)
        async with self._reading:
            found = await known_players(archive, since=since)
        guests = [one for one in found if not self._administration.is_house_bot(one.player)]
        return json_response(PlayersResponse(guests[:MAX_LIMIT]))

    async def statistics(self, request: Request) -> Response:
        """Return the results of one player."""
        self._admin(request)
        archive, since = self._archived(), _since(request)
        player, mode = request.query_params.get("player", ""), request.query_params.get("mode", "")
        if not 1 <= len(player) <= 64:
            raise HttpError(400, "bad_parameter", "player must be a name of 1 to 64 characters")
        if mode and mode not in _MODES:
            raise HttpError(400, "bad_parameter", f"mode must be one of {', '.join(_MODES)}")
        async with self._reading:
            return json_response(await player_results(archive, player, since=since, mode=mode))

    def _archived(self) -> HandStore:
        if self._archive is None:
            raise HttpError(404, "not_found", "this server stores no hands")
        return self._archive

    async def act(self, request: Request) -> Response:
        """Execute an action."""
        by, action = self._admin(request), request.path_params["action"]
        try:
            done = await self._administration.execute(action, await _order(request), by)
        except (AccessError, OSError) as error:
            log.warning("cannot save bans", error=str(error))
            return problem(request.url.path, 500, "not_kept", str(error))
        return json_response(AdminActionResponse(action, done.target, done.token))

    def _admin(self, request: Request) -> str:
        given = request.headers.getlist("authorization")
        bearer = given[0] if len(given) == 1 and given[0][: len(_BEARER)].lower() == _BEARER else ""
        return self._administration.authenticate(bearer[len(_BEARER) :].strip())


def _since(request: Request) -> int:
    """Return the time so many ``days`` ago, in milliseconds since 1970. Raises ``HttpError``."""
    days = int_parameter(request, "days", DEFAULT_DAYS, least=1, most=MAX_DAYS)
    return time.time_ns() // 1_000_000 - days * _DAY_MS


async def _order(request: Request) -> AdminRequest:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise AdminRefusal("bad_order", f"the body may have at most {MAX_BODY} bytes")
    try:
        return msgspec.json.decode(bytes(body) or b"{}", type=AdminRequest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise AdminRefusal("bad_order", f"invalid body: {error}") from None


async def on_refusal(request: Request, refusal: Exception) -> Response:
    """Answer with a refusal."""
    assert isinstance(refusal, AdminRefusal)
    # Never log the token or any part of it.
    log.info("administration refused", path=request.url.path[:80], code=refusal.code, limited=True)
    answer = problem(request.url.path, CODES[refusal.code], refusal.code, str(refusal))
    if CODES[refusal.code] == 401:
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer
