"""Middleware around every response: checks the host name, adds security headers and handles server faults."""

from __future__ import annotations

import re
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.auth.hosts import HostPolicy, RequestRejected
from server.storage.hand_db import HandStoreError
from server.telemetry.logger import get_logger
from server.web.responses import problem

log = get_logger("pokerd.web")

_HOST: Final = re.compile(r"([A-Za-z0-9_.-]{1,255}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?")

_FIXED: Final = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
}


def valid_host(host: str) -> bool:
    """Return whether a ``Host`` header is a name or an address, with or without a port."""
    return _HOST.fullmatch(host) is not None


def security_headers(host: str) -> dict[str, str]:
    """Return the headers of every response; ``host`` is the request's ``Host`` header.

    Websockets are listed by name, because not every browser includes them in 'self'.
    """
    sockets = f" ws://{host} wss://{host}" if valid_host(host) else ""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"connect-src 'self'{sockets}; base-uri 'none'; form-action 'self'; "
        "frame-src 'self'; frame-ancestors 'self'; require-trusted-types-for 'script'; trusted-types lit-html"
    )
    return {"Content-Security-Policy": policy, **_FIXED}


class SecurityMiddleware:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, hosts: HostPolicy) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        added = security_headers(Headers(scope=scope).get("host", ""))
        begun = False

        async def send_guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                MutableHeaders(scope=message).update(added)
            await send(message)

        try:
            self.hosts.verify_host(Headers(scope=scope).getlist("host"))
            await self.app(scope, receive, send_guarded)
        except ClientDisconnect:
            pass  # before the request was complete: nobody is waiting for a response
        except RequestRejected as answer:
            code, _, text = answer.detail.partition(": ")
            await problem(scope["path"], answer.status, code, text)(scope, receive, send_guarded)
        except HandStoreError as error:
            if begun:
                raise
            log.error(  # noqa: TRY400
                "the archive cannot be read", path=scope["path"][:80], error=str(error), limited=True
            )
            await problem(scope["path"], 500, "bad_archive", "hands of open tables cannot be read")(
                scope, receive, send_guarded
            )
        except Exception as error:
            if begun:
                raise
            log.exception("page error", path=scope["path"][:80], exc_info=error, limited=True)
            await problem(scope["path"], 500, "internal", "internal server error; see the server's log")(
                scope, receive, send_guarded
            )
