"""The administration API: a bearer token authenticates, the path names the action, a JSON body its target."""

from __future__ import annotations

from typing import Final

import msgspec
import structlog
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.auth.tokens import AccessError
from server.house.admin import CODES, Administration, AdminRefusal, AdminRequest
from server.web.responses import json_response, problem

log = structlog.get_logger("pokerd.administration")

#: Maximum number of bytes of a request.
MAX_BODY: Final = 4096
_BEARER: Final = "bearer "


class AdminActionResponse(msgspec.Struct, frozen=True):
    """The action that was taken, and its target."""

    action: str
    target: str


class AdminApi:
    """The addresses under ``/api/admin``."""

    def __init__(self, administration: Administration) -> None:
        self._administration = administration

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/api/admin", self.overview, methods=["GET"]),
            Route("/api/admin/{action}", self.act, methods=["POST"]),
        ]

    async def overview(self, request: Request) -> Response:
        """Return an overview of the server."""
        try:
            self._admin(request)
            return json_response(self._administration.overview())
        except AdminRefusal as refusal:
            return _refuse(request, refusal)

    async def act(self, request: Request) -> Response:
        """Execute an action."""
        try:
            by = self._admin(request)
            action = request.path_params["action"]
            target = await self._administration.execute(action, await _order(request), by)
        except AdminRefusal as refusal:
            return _refuse(request, refusal)
        except (AccessError, OSError) as error:
            log.warning("cannot save bans", error=str(error))
            return problem(request.url.path, 500, "not_kept", str(error))
        return json_response(AdminActionResponse(action, target))

    def _admin(self, request: Request) -> str:
        given = request.headers.getlist("authorization")
        bearer = given[0] if len(given) == 1 and given[0][: len(_BEARER)].lower() == _BEARER else ""
        return self._administration.authenticate(bearer[len(_BEARER) :].strip())


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


def _refuse(request: Request, refusal: AdminRefusal) -> Response:
    # Never log the token or any part of it.
    log.info("administration refused", path=request.url.path[:80], code=refusal.code, limited=True)
    answer = problem(request.url.path, CODES[refusal.code], refusal.code, str(refusal))
    if CODES[refusal.code] == 401:
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer
