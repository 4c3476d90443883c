"""The web port: pages, API and websocket, by Starlette on uvicorn in the server's event loop."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from secrets import token_bytes
from typing import TYPE_CHECKING, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from websockets.http11 import Request as Handshake

from server.auth.hosts import ANY_HOST, HostPolicy, RequestRejected, is_same_origin
from server.house.admin import Administration, AdminRefusal
from server.house.hand_coach import HandCoach
from server.house.house import House
from server.net.listener import ConnectionLimiter
from server.net.tls import TlsConfig
from server.net.web_socket import Admitted, WebSocketProtocol
from server.people.results import PeopleResults
from server.people.same_deals import SameDeals
from server.storage.hand_store import HandStore
from server.telemetry.version import VERSION
from server.tournaments.desk import TournamentDesk
from server.web import schemas
from server.web.admin_api import AdminApi, on_refusal
from server.web.competitions.api import CompetitionApi
from server.web.competitions.reader import CompetitionCatalog
from server.web.health import health_routes
from server.web.health_checks import HealthMonitor
from server.web.http_server import HttpServer, not_found, open_http
from server.web.identity import Identities, load_secret
from server.web.languages import choose_language, translate_page
from server.web.people.challenges import ChallengeApi
from server.web.people.leaders import LeadersApi
from server.web.people.own_play import OwnPlayApi
from server.web.people.players import PlayersApi
from server.web.people.push_fold import PushFoldApi, PushFoldSolver
from server.web.people.results import PeopleApi
from server.web.people.tournaments import TournamentApi
from server.web.responses import HttpError, cached_response, json_response, problem
from server.web.security_headers import SecurityMiddleware
from server.web.static_files import PAGES, PAGES_WITHOUT_ID, TABLE_PAGES, Files, read_files
from server.web.tables_api import TableApi

if TYPE_CHECKING:
    from server.ladder.ladder import Ladder

#: The folder of the pages.
WEB: Final = Path(__file__).parents[2] / "clients" / "web"


class Site:
    """What is served: the pages, the API and the browser's websocket.

    ``home`` is the address that ``/`` redirects to on a server that only plays a competition; such a server
    has no table pages and sets no cookie. Empty: ``/`` is the lobby. ``hosts``: the host names that requests
    may use.
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
        catalog: CompetitionCatalog,
        watch: HealthMonitor | None = None,
        administration: Administration | None = None,
        people: PeopleResults | None = None,
        ladder: Ladder | None = None,
        same_deals: SameDeals | None = None,
        push_fold: PushFoldSolver | None = None,
        desk: TournamentDesk | None = None,
        hand_coach: HandCoach | None = None,
    ) -> Starlette:
        """Return the application."""
        paths = [f"/{first}" for first in PAGES_WITHOUT_ID] + [
            f"/{first}/{{rest:path}}" for first in PAGES if first
        ]
        paths = [path for path in paths if ladder is not None or path.split("/")[1] != "ladder"]
        pages = [Route(path, self.page) for path in paths]
        ladder_routes: list[Route] = []
        if ladder is not None:
            # Most servers have none, and start without.
            from server.web.ladder.api import LadderApi
            from server.web.ladder.matches import MatchCatalog
            from server.web.ladder.organiser import OrganiserApi
            from server.web.ladder.requests import names_for

            catalog = MatchCatalog(ladder.folder, partial(names_for, ladder))
            pages.insert(0, Route("/competition/match-{number}", _redirect_match))
            ladder_routes = [*LadderApi(ladder).routes(), *OrganiserApi(ladder).routes()]
        app = Starlette(
            routes=[
                *pages,
                Route("/static/{name:path}", self.static),
                Route("/api/version", self.version),
                *TableApi(self.house, archive, self.identities, same_deals, hand_coach).routes(),
                *(TournamentApi(desk, self.identities).routes() if desk is not None else ()),
                *(
                    ChallengeApi(self.house, archive, self.identities, same_deals).routes()
                    if archive is not None and same_deals is not None
                    else ()
                ),
                *(OwnPlayApi(archive, self.identities).routes() if archive is not None else ()),
                *(PlayersApi(self.house, archive, self.identities).routes() if archive is not None else ()),
                *(LeadersApi(archive, self.identities).routes() if archive is not None else ()),
                *(PeopleApi(people).routes() if people is not None else ()),
                *(PushFoldApi(push_fold).routes() if push_fold is not None else ()),
                *CompetitionApi(catalog).routes(),
                *ladder_routes,
                *(AdminApi(administration, archive).routes() if administration is not None else ()),
                *(health_routes(watch) if watch is not None else ()),
            ],
            middleware=[Middleware(SecurityMiddleware, hosts=self.hosts)],
            exception_handlers={HTTPException: self.refuse, HttpError: self.refuse, AdminRefusal: on_refusal},
        )
        app.router.redirect_slashes = False
        return app

    async def page(self, request: Request) -> Response:
        """Serve a page. Set a cookie if the browser has none, unless there are no tables to play at."""
        first = request.scope["path"].split("/")[1]
        if self.home and not first:
            return RedirectResponse(self.home, 303, {"Cache-Control": "no-store"})
        if self.home and first in TABLE_PAGES:
            raise HttpError(404, "not_found", "no tables are open here: this server only lets bots play")
        if first == "table" and self.house.report(request.path_params["rest"]) is None:
            raise HttpError(404, "not_found", "There is no such table, or it has been closed.")
        file = self.files.page(first, self.language(request))
        if file is None:
            raise HttpError(404, "not_found", self.files.missing())
        answer = cached_response(request, file, "private, no-cache")
        if not self.home and not self.identities.identity(request.headers.get("cookie", "")):
            cookie = self.identities.issue(secure=request.scope["scheme"] == "https")
            answer.headers["Set-Cookie"] = cookie
        return answer

    def language(self, request: Request) -> str:
        """Return the language to answer in."""
        wishes = (request.headers.get(name, "") for name in ("cookie", "accept-language"))
        return choose_language(self.files.catalogues, *wishes)

    async def refuse(self, request: Request, error: Exception) -> Response:
        """Answer what cannot be answered; people are told in their language."""
        if not isinstance(error, HttpError):
            answer = await not_found(request, error)
        else:
            answer = problem(request.scope["path"], error.status, error.code, error.detail)
        language = self.language(request)
        if answer.media_type != "text/html" or language not in self.files.catalogues:
            return answer
        page = translate_page(bytes(answer.body).decode(), language, self.files.catalogues[language])
        headers = {name: value for name, value in answer.headers.items() if name != "content-length"}
        return Response(page, answer.status_code, headers)

    async def static(self, request: Request) -> Response:
        """Serve a static file. An address that contains the version never changes."""
        name = request.path_params["name"]
        versioned = name.removeprefix(f"{self.files.version}/")
        file = self.files.get(versioned)
        if file is None:
            raise HttpError(404, "not_found", "no such file")
        return cached_response(
            request, file, "no-cache" if versioned == name else "public, max-age=31536000, immutable"
        )

    async def version(self, _: Request) -> Response:
        """Return the versions of server, protocol and pages."""
        return json_response(schemas.VersionResponse(VERSION, "pokerd.v1", self.files.version))

    def admit(self, handshake: Handshake) -> Admitted:
        """Return who opens a websocket. Raises ``RequestRejected`` for other origins: other sites must not
        act for their visitors. Programs send no origin and have no cookie. ``/ws?anonymous`` is for pages
        that look on: whatever its cookie, it does not replace its visitor's connection, and only watches.
        """
        path, _, query = handshake.path.partition("?")
        if path != "/ws":
            raise RequestRejected(404, "not_found", "websockets are at /ws")
        headers = handshake.headers
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        self.hosts.verify_host(hosts)
        if origins and not is_same_origin(hosts, origins):
            raise RequestRejected(403, "foreign_origin", "this page is not from this server")
        if query == "anonymous":
            return Admitted(spectator=True)
        return Admitted(self.identities.identity("; ".join(headers.get_all("Cookie"))))


async def _redirect_match(request: Request) -> Response:
    """The replayer's way back to a match of the ladder."""
    return RedirectResponse(
        f"/ladder/matches/{request.path_params['number']}", 303, {"Cache-Control": "no-store"}
    )


class _WebSocketProtocol(WebSocketProtocol):
    """The protocol that uvicorn uses for a connection that requests a websocket."""

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
    """The open port. ``missing`` says what must be done before the pages work."""

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
        """Stop listening, close every connection, and wait until the sockets are closed."""
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
    people: PeopleResults | None = None,
    same_deals: SameDeals | None = None,
    push_fold: PushFoldSolver | None = None,
    desk: TournamentDesk | None = None,
    hand_coach: HandCoach | None = None,
    competitions: CompetitionCatalog | None = None,
    monitor: HealthMonitor | None = None,
    administration: Administration | None = None,
    tls: TlsConfig | None = None,
    limiter: ConnectionLimiter | None = None,
    home: str = "",
    ladder: Ladder | None = None,
    folder: Path = WEB,
) -> WebServer:
    """Open the web port at ``host``:``port`` (0: any free one).

    ``data`` is the folder of the cookie secret; without it, cookies are valid until the server ends.
    ``home``: see ``Site``. ``monitor``: the source of ``/metrics`` and ``/healthz``. ``limiter``: limits
    connections. Raises ``ListenError``, and ``OSError`` if ``data`` cannot be used.
    """
    secret = token_bytes(32) if data is None else load_secret(data)
    hosts = house.admission.host_config.policy_for(host, secure=tls is not None)
    site = Site(house, read_files(folder), Identities(secret), home, hosts)

    there: set[_WebSocketProtocol] = set()

    class Upgraded(_WebSocketProtocol):
        """Instantiated by uvicorn, whose arguments are not needed."""

        def __init__(self, **_: object) -> None:
            super().__init__(site, there)

    catalog = competitions or CompetitionCatalog()
    app = site.app(
        archive, catalog, monitor, administration, people, ladder, same_deals, push_fold, desk, hand_coach
    )
    context = None if tls is None else tls.context
    http = open_http(app, host, port, house.backlogs, Upgraded, context, limiter)
    return WebServer(site, http, there, secure=tls is not None)
