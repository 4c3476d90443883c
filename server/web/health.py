"""``/metrics`` and ``/healthz`` for operators, on the web port or on a port of their own."""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec import Struct
from prometheus_client.exposition import choose_encoder
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.auth.hosts import DEFAULT_HOST_CONFIG
from server.net.backlog import BacklogMonitor
from server.net.listener import ConnectionLimiter
from server.web.health_checks import HealthMonitor
from server.web.http_server import HttpServer, not_found, open_http
from server.web.responses import json_response
from server.web.security_headers import SecurityMiddleware

#: Maximum connections to the separate port: in all, and per address. It has its own limit, so that
#: it stays reachable when the other ports are busy.
CONNECTION_LIMITS: Final = 64, 32


class MetricsPort(NamedTuple):
    """The address of the separate port."""

    host: str
    port: int


class HealthResponse(Struct, frozen=True):
    """The response of ``/healthz``: ``ok`` or ``failed``, and for each check ``ok`` or what is wrong."""

    status: str
    checks: dict[str, str]


def health_routes(monitor: HealthMonitor) -> list[Route]:
    """Return the two routes."""

    async def scrape(request: Request) -> Response:
        encode, kind = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(monitor.registry), headers={"Content-Type": kind, "Cache-Control": "no-store"})

    async def health(_: Request) -> Response:
        found = await monitor.health()
        failed = any(found.values())
        checks = {name: wrong or "ok" for name, wrong in found.items()}
        return json_response(HealthResponse("failed" if failed else "ok", checks), 503 if failed else 200)

    return [Route("/metrics", scrape), Route("/healthz", health)]


def serve_health(monitor: HealthMonitor, at: MetricsPort) -> HttpServer:
    """Open a port for these two routes only. Raises ``ListenError``."""
    guard = Middleware(SecurityMiddleware, hosts=DEFAULT_HOST_CONFIG.policy_for(at.host, secure=False))
    app = Starlette(
        routes=health_routes(monitor), middleware=[guard], exception_handlers={HTTPException: not_found}
    )
    app.router.redirect_slashes = False
    return open_http(app, at.host, at.port, BacklogMonitor(), limiter=ConnectionLimiter(*CONNECTION_LIMITS))
