"""Runs uvicorn in the existing event loop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from functools import partial
from ssl import SSLContext
from typing import Any, Final

import aiofastnet
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from server.net.backlog import BacklogMonitor
from server.net.gateway import tls_options
from server.net.listener import BACKLOG, ConnectionLimiter, Listener, listen
from server.web.http_timeouts import TimeoutHttpProtocol, enforce_timeouts
from server.web.responses import problem

#: Seconds that open responses and closing websockets may take at shutdown.
_PATIENCE: Final = 10
#: Ticks of uvicorn (0.1 s) between two checks for timeouts.
_LOOK: Final = 5
WORDS: Final = {
    404: ("not_found", "there is nothing here"),
    405: ("method_not_allowed", "this method is not allowed here"),
}


async def not_found(request: Request, error: Exception) -> Response:
    """Answer requests for unknown addresses and methods."""
    assert isinstance(error, HTTPException)
    code, text = WORDS[error.status_code]
    answer = problem(request.scope["path"], error.status_code, code, text)
    answer.headers.update(error.headers or {})
    return answer


class _UvicornServer(uvicorn.Server):
    """A uvicorn server that leaves signals to the program and listens on our own sockets, which limit
    connections.
    """

    def __init__(
        self, config: uvicorn.Config, listeners: Sequence[Listener], backlogs: BacklogMonitor
    ) -> None:
        super().__init__(config)
        self._listeners = listeners
        self._backlogs = backlogs

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def on_tick(self, counter: int) -> bool:
        if counter % _LOOK == 0:
            enforce_timeouts(list(self.server_state.connections), asyncio.get_running_loop().time())
        return await super().on_tick(counter)

    async def startup(self, sockets: object = None) -> None:
        """Listen on the sockets. By default uvicorn would let the event loop accept connections, without
        limits.
        """
        await self.lifespan.startup()
        protocol: Any = self.config.http_protocol_class
        make = partial(protocol, self.config, self.server_state, self.lifespan.state, backlogs=self._backlogs)
        context = self.config.ssl
        self.servers = [
            await aiofastnet.create_server(
                asyncio.get_running_loop(), make, sock=listener, backlog=BACKLOG, **tls_options(context)
            )
            for listener in self._listeners
        ]
        self.started = True


class HttpServer:
    """An open port; its number is ``port``."""

    def __init__(
        self, config: uvicorn.Config, listeners: Sequence[Listener], backlogs: BacklogMonitor
    ) -> None:
        self.port: int = listeners[0].getsockname()[1]
        self._server = _UvicornServer(config, listeners, backlogs)
        self._task = asyncio.create_task(self._server.serve(), name="web")

    async def close(self) -> None:
        """Stop listening, and wait until open requests have been answered."""
        self._server.should_exit = True
        await self._task


def open_http(
    app: Starlette,
    host: str,
    port: int,
    backlogs: BacklogMonitor,
    websocket: Any = "none",
    context: SSLContext | None = None,
    limiter: ConnectionLimiter | None = None,
) -> HttpServer:
    """Serve ``app`` at ``host``:``port`` (0: any free one).

    ``backlogs`` are those of the whole server; ``websocket`` is uvicorn's websocket protocol; ``context`` is
    that of TLS; ``limiter`` limits connections. Raises ``ListenError``.
    """
    config = uvicorn.Config(
        app,
        http=TimeoutHttpProtocol,
        ws=websocket,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        forwarded_allow_ips=["127.0.0.1", *map(str, limiter.proxies if limiter is not None else ())],
        timeout_graceful_shutdown=_PATIENCE,
    )
    config.load()
    config.ssl = context
    return HttpServer(config, listen(host, port, limiter, secure=context is not None), backlogs)
