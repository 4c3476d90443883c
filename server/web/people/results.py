"""The API of people's results against house bots, which are kept for research: everybody may read them, and
who has a key may delete his.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.people.performance import own_score, pooled_score
from server.people.results import KeptResult, PeopleResults
from server.web import schemas
from server.web.responses import MAX_LIMIT, HttpError, csv_response, int_parameter, json_response

#: Settings that are told: of the others few have results.
MAX_GROUPS: Final = 50
_MAX_NUMBER: Final = 2**53 - 1
_SETTING: Final = (
    "mode", "game", "rival", "small_blind", "big_blind", "ante", "stack", "levels", "min_raise", "memory",
)  # fmt: skip
COLUMNS: Final = (
    "result", "day", *_SETTING, "bots",
    "match", "place", "forced", "hand", "net", "adjusted", "hand_big_blind",
)  # fmt: skip


def hand_rows(results: Sequence[KeptResult]) -> Iterator[tuple[object, ...]]:
    """Return a row for every hand of every result."""
    for result in results:
        setting = [getattr(result.setting, name) for name in _SETTING]
        for number, match in enumerate(result.matches, 1):
            for hand, (net, adjusted, blind) in enumerate(match.hands, 1):
                bots = " ".join(result.setting.bots)
                yield (
                    result.result, result.day, *setting, bots,
                    number, match.place, match.forced, hand, net, adjusted, blind,
                )  # fmt: skip


class PeopleApi(NamedTuple):
    """The addresses under ``/api/people``."""

    results: PeopleResults

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/api/people", self.groups),
            Route("/api/people/results", self.page),
            Route("/api/people/results.csv", self.page_csv),
            Route("/api/people/results/{key}", self.own, methods=["GET"]),
            Route("/api/people/results/{key}", self.delete, methods=["DELETE"]),
        ]

    async def groups(self, _: Request) -> Response:
        """Return how people did, by setting: those that most people played, these first."""
        groups = await self.results.sums()
        most = sorted(groups.items(), key=lambda one: -len(one[1]))[:MAX_GROUPS]
        found = [
            schemas.PeopleGroup(setting, score)
            for setting, sums in most
            if (score := pooled_score(list(sums.values()))) is not None
        ]
        return json_response(schemas.PeopleResponse(found))

    async def page(self, request: Request) -> Response:
        """List the results in the order in which they were kept."""
        return json_response(schemas.PeopleResultsResponse(await self._page(request)))

    async def page_csv(self, request: Request) -> Response:
        """List the hands of the results as CSV."""
        return csv_response("people", COLUMNS, hand_rows(await self._page(request)))

    async def own(self, request: Request) -> Response:
        """Return the result with a key, and how others did with the same settings."""
        result = await self.results.find(request.path_params["key"])
        if result is None:
            raise _unknown()
        same = (await self.results.sums()).get(result.setting, {})
        others = pooled_score([sums for number, sums in same.items() if number != result.result])
        own = own_score(result.matches, result.setting)
        return json_response(schemas.PersonResponse(result.result, result.day, result.setting, own, others))

    async def delete(self, request: Request) -> Response:
        """Delete the result with a key."""
        if not await self.results.delete(request.path_params["key"]):
            raise _unknown()
        return Response(status_code=204)

    async def _page(self, request: Request) -> list[KeptResult]:
        after = int_parameter(request, "after", 0, most=_MAX_NUMBER)
        limit = int_parameter(request, "limit", 50, least=1, most=MAX_LIMIT)
        return await self.results.page(after, limit)


def _unknown() -> HttpError:
    return HttpError(404, "not_found", "no result has this key: it may have been deleted")
