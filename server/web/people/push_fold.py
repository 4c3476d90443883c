"""The API of the trainer for push or fold: exact tables, which are computed beside the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.web import schemas
from server.web.responses import HttpError, json_response

#: Effective stacks in big blinds that there are tables for, by their texts in addresses.
STACKS: Final = {f"{half / 2:g}": half / 2 for half in range(4, 41)}

PushFoldSolver = Callable[[float], schemas.PushFoldResponse]


class PushFoldApi:
    """The address of the tables. ``solve`` is called once a stack, in a thread."""

    def __init__(self, solve: PushFoldSolver) -> None:
        self._solve = solve
        self._known: dict[float, schemas.PushFoldResponse] = {}
        self._turn = asyncio.Lock()

    def routes(self) -> list[Route]:
        """Return the route."""
        return [Route("/api/push-fold/{stack}", self.table)]

    async def table(self, request: Request) -> Response:
        """Return the tables for a stack."""
        stack = STACKS.get(request.path_params["stack"])
        if stack is None:
            raise HttpError(404, "not_found", "there are tables for stacks of 2, 2.5, 3 ... 20 big blinds")
        async with self._turn:
            if stack not in self._known:
                self._known[stack] = await asyncio.to_thread(self._solve, stack)
        return json_response(self._known[stack])
