"""The port for people: pages, API and websocket, by Starlette on uvicorn in the server's own event loop."""

from __future__ import annotations

import asyncio
from pathlib import Path
from secrets import token_bytes
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from websockets.http11 import Request as Handshake

from server.auth.hosts import ANY_HOST, HostPolicy, RequestRejected, is_same_origin
from server.house.admin import Administration
from server.house.house import House
from server.net.gateway import WebSocketProtocol
from server.net.listener import ConnectionLimiter
from server.net.tls import TlsConfig
from server.storage.hand_store import HandStore
from server.telemetry.version import VERSION
from server.web import schemas as shapes
from server.web.admin_api import AdminApi
from server.web.competitions.api import CompetitionApi
from server.web.competitions.reader import CompetitionCatalog
from server.web.health import health_routes
from server.web.health_checks import HealthMonitor
from server.web.http_server import HttpServer, not_found, open_http
from server.web.identity import Identities, load_secret
from server.web.responses import Refusal, cached_response, json_response, problem
from server.web.security_headers import SecurityMiddleware
from server.web.static_files import PAGES, PAGES_WITHOUT_ID, TABLE_PAGES, Files
from server.web.tables_api import TableApi

__all__ = ["WEB", "Site", "WebServer", "serve_web"]

#: Where the pages are.
WEB: Final = Path(__file__).parents[2] / "clients" / "web"


class Site:
    """What is served: the pages, the API and the way in for browsers.

    ``home``: the address of the page that ``/`` leads to, where a competition is played and no tables are
    open: then there are no pages of tables, and nobody gets a cookie. Empty: the lobby. ``hosts``: by which
    names the server may be called.
    """

    def __init__(
        self, house: House, files: Files, identities: Identities, home: str = "", hosts: HostPolicy = ANY_HOST
    ) -> None:
        self.hosts = hosts
        self.house = house
        self.files = files
        self.identities = identities
        self.home = home

    def app(
        self,
        archive: HandStore | None,
        contests: CompetitionCatalog,
        watch: HealthMonitor | None = None,
        administration: Administration | None = None,
    ) -> Starlette:
        """The application behind the port."""
        paths = [f"/{first}" for first in PAGES_WITHOUT_ID] + [
            f"/{first}/{{rest:path}}" for first in PAGES if first
        ]
        pages = [Route(path, self.page) for path in paths]
        app = Starlette(
            routes=[
                *pages,
                Route("/static/{name:path}", self.static),
                Route("/api/version", self.version),
                *TableApi(self.house, archive, self.identities).routes(),
                *CompetitionApi(contests).routes(),
                *(AdminApi(administration).routes() if administration is not None else ()),
                *(health_routes(watch) if watch is not None else ()),
            ],
            middleware=[Middleware(SecurityMiddleware, hosts=self.hosts)],
            exception_handlers={HTTPException: not_found, Refusal: _refused},
        )
        app.router.redirect_slashes = False
        return app

    async def page(self, request: Request) -> Response:
        """A page; whoever has no cookie gets one with it, where there are tables to sit down at."""
        first = request.scope["path"].split("/")[1]
        if self.home and not first:
            return RedirectResponse(self.home, 303, {"Cache-Control": "no-store"})
        if self.home and first in TABLE_PAGES:
            raise Refusal(404, "not_found", "no tables are open here: this server plays a competition")
        if first == "table" and request.path_params["rest"] not in self.house.open_tables:
            raise Refusal(404, "not_found", "There is no such table, or it has been closed.")
        file = self.files.page(first)
        if file is None:
            raise Refusal(404, "not_found", self.files.missing())
        answer = cached_response(request, file, "private, no-cache")
        if not self.home and not self.identities.identity(request.headers.get("cookie", "")):
            cookie = self.identities.issue(secure=request.scope["scheme"] == "https")
            answer.headers["Set-Cookie"] = cookie
        return answer

    async def static(self, request: Request) -> Response:
        """A file; under its version it never changes."""
        name = request.path_params["name"]
        versioned = name.removeprefix(f"{self.files.version}/")
        file = self.files.get(versioned)
        if file is None:
            raise Refusal(404, "not_found", "no such file")
        return cached_response(
            request, file, "no-cache" if versioned == name else "public, max-age=31536000, immutable"
        )

    async def version(self, _: Request) -> Response:
        """What is running."""
        return json_response(shapes.VersionResponse(VERSION, "pokerd.v1", self.files.version))

    def admit(self, handshake: Handshake) -> str:
        """Whose websocket this is. Raises ``RequestRejected``: other sites may not talk to us in their
        visitors' names. Programs send no origin, and have no cookie.
        """
        if handshake.path.partition("?")[0] != "/ws":
            raise RequestRejected(404, "not_found", "websockets are at /ws")
        headers = handshake.headers
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        self.hosts.verify_host(hosts)
        if origins and not is_same_origin(hosts, origins):
            raise RequestRejected(403, "foreign_origin", "the page that asks is not one of this server")
        return self.identities.identity("; ".join(headers.get_all("Cookie")))


async def _refused(request: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, Refusal)
    return problem(request.scope["path"], refusal.status, refusal.code, refusal.detail)


class _WebSocketProtocol(WebSocketProtocol):
    """What uvicorn hands a connection to whose request asks for a websocket."""

    def __init__(self, site: Site, open_sockets: set[_WebSocketProtocol]) -> None:
        super().__init__(site.house, site.admit)
        self.there = open_sockets
        self.closed = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.there.add(self)
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.there.discard(self)
        self.closed.set_result(None)


class WebServer:
    """The open port; ``port`` is where. ``missing`` says what must be done before the pages work."""

    def __init__(
        self, site: Site, http: HttpServer, there: set[_WebSocketProtocol], *, secure: bool = False
    ) -> None:
        self.port = http.port
        self.secure = secure
        self.missing = site.files.missing()
        self._house = site.house
        self._http = http
        self._there = there

    async def close(self) -> None:
        """Stop listening, end every connection, and wait until the sockets are closed."""
        self._house.close()
        await self._http.close()
        await asyncio.gather(*[one.closed for one in self._there])


def serve_web(
    house: House,
    host: str,
    port: int,
    data: Path | None = None,
    *,
    archive: HandStore | None = None,
    competitions: CompetitionCatalog | None = None,
    monitor: HealthMonitor | None = None,
    administration: Administration | None = None,
    tls: TlsConfig | None = None,
    limiter: ConnectionLimiter | None = None,
    home: str = "",
    folder: Path = WEB,
) -> WebServer:
    """Open the port for people at ``host``:``port`` (0: any free one).

    ``data`` keeps the secret of the cookies; without it they are good until the server ends. ``home``: as
    for ``Site``. ``watch``: what ``/metrics`` and ``/healthz`` tell of. ``limiter``: of connections.
    Raises ``ListenError``, and ``OSError`` when ``data`` cannot be used.
    """
    secret = token_bytes(32) if data is None else load_secret(data)
    hosts = house.admission.host_config.policy_for(host, secure=tls is not None)
    site = Site(house, Files(folder), Identities(secret), home, hosts)

    there: set[_WebSocketProtocol] = set()

    class Upgraded(_WebSocketProtocol):
        """Made by uvicorn, which has arguments of its own."""

        def __init__(self, **_: object) -> None:
            super().__init__(site, there)

    app = site.app(archive, competitions or CompetitionCatalog(), monitor, administration)
    context = None if tls is None else tls.context
    http = open_http(app, host, port, house.backlogs, Upgraded, context, limiter)
    return WebServer(site, http, there, secure=tls is not None)
