"""HTTP by uvicorn, in the event loop that is there."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from ssl import SSLContext
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from server.gateway import ListenError
from server.web.answers import problem

__all__ = ["Http", "lost", "open_http"]

#: Seconds that a response under way, and a websocket's last words, may take when the server ends.
_PATIENCE: Final = 10
_WORDS: Final = {
    404: ("not_found", "there is nothing here"),
    405: ("method_not_allowed", "this is only read"),
}


async def lost(request: Request, error: Exception) -> Response:
    """What is said where there is nothing, or nothing to be done."""
    assert isinstance(error, HTTPException)
    code, text = _WORDS[error.status_code]
    answer = problem(request.scope["path"], error.status_code, code, text)
    answer.headers.update(error.headers or {})
    return answer


class _Server(uvicorn.Server):
    """One that leaves the signals to the program around it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Http:
    """An open port; ``port`` is where."""

    def __init__(self, config: uvicorn.Config, listening: socket.socket) -> None:
        self.port: int = listening.getsockname()[1]
        self._server = _Server(config)
        self._task = asyncio.create_task(self._server.serve(sockets=[listening]), name="web")

    async def close(self) -> None:
        """Stop listening, and wait until what is under way has been answered."""
        self._server.should_exit = True
        await self._task


def open_http(
    app: Starlette, host: str, port: int, websocket: Any = "none", context: SSLContext | None = None
) -> Http:
    """Serve ``app`` at ``host``:``port`` (0: any free one). ``websocket``: uvicorn's protocol for connections
    that ask for one. ``context``: of TLS. Raises ``ListenError``.
    """
    config = uvicorn.Config(
        app,
        http="h11",
        ws=websocket,
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_PATIENCE,
    )
    config.load()
    config.ssl = context
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=config.backlog)
    except OSError as error:
        raise ListenError(f"cannot listen at {host}:{port}: {error.strerror or error}") from None
    return Http(config, listening)
