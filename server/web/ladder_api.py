"""The API of the ladder, ``/api/ladder``. What authors do needs a token (``Authorization: Bearer``)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from server.bots.unpack import MAX_ARCHIVE, UnpackError
from server.ladder.errors import LadderError
from server.ladder.field import grades_of
from server.ladder.ladder import Ladder
from server.ladder.records import Author, Match, Version
from server.web.responses import MAX_LIMIT, HttpError, int_parameter

_T = TypeVar("_T")

#: The HTTP status of a refusal; 400 for all others.
_STATUS: Final = {
    "bad_token": 401,
    "frozen": 403,
    "unknown_bot": 404,
    "unknown_match": 404,
    "push_limit": 429,
    "challenge_limit": 429,
}


class _Challenge(msgspec.Struct, forbid_unknown_fields=True):
    opponents: list[str]
    counts: bool = False


class LadderApi(NamedTuple):
    """The addresses under ``/api/ladder``."""

    ladder: Ladder

    def routes(self) -> list[Route]:
        """Return the routes."""
        base = "/api/ladder"
        return [
            Route(base, self.table),
            Route(f"{base}/queue", self.queue),
            Route(f"{base}/matches", self.matches),
            Route(f"{base}/matches/{{number:int}}", self.match),
            Route(f"{base}/bots/{{bot}}", self.bot),
            Route(f"{base}/push", self.push, methods=["POST"]),
            Route(f"{base}/mine", self.mine),
            Route(f"{base}/mine/{{version}}/log", self.log),
            Route(f"{base}/challenge", self.challenge, methods=["POST"]),
        ]

    async def table(self, _: Request) -> Response:
        """Return the ratings."""
        ladder = self.ladder
        data = await ladder.table()
        return _json(
            {
                "name": ladder.config.name,
                "season": ladder.config.season,
                "game": ladder.config.game,
                "deal_sets": ladder.config.deal_sets,
                "frozen": ladder.frozen,
                **data,
            }
        )

    async def queue(self, _: Request) -> Response:
        """Return the matches that are played or wait, in this order."""
        return _json({"matches": [_match_data(match) for match in self.ladder.waiting()]})

    async def matches(self, request: Request) -> Response:
        """Return the newest matches, of all bots or of ``bot``."""
        limit = int_parameter(request, "limit", 50, least=1, most=MAX_LIMIT)
        bot = request.query_params.get("bot")
        store = self.ladder.store
        found = store.matches("done", "failed", last=limit) if bot is None else store.matches_of(bot, limit)
        return _json({"matches": [_match_data(match) for match in reversed(found)]})

    async def match(self, request: Request) -> Response:
        """Return one match."""
        return _json(_match_data(_found(lambda: self.ladder.store.match(request.path_params["number"]))))

    async def bot(self, request: Request) -> Response:
        """Return a bot: its versions, its rating, its result against every opponent, and its errors."""
        name = request.path_params["bot"]
        ladder = self.ladder
        versions = ladder.store.versions(name)
        if not versions:
            raise HttpError(404, "unknown_bot", f"no bot is called {name[:64]!r}")
        field, ratings = await ladder.ratings()
        current = next((version for version in versions if version.plays), None)
        row, opponents, grades = None, [], []
        if ratings is not None and current is not None and current.name in field.names:
            table = await ladder.table()
            row = next(one for one in table["bots"] if one["bot"] == current.name)
            for other in field.names:
                found = None if other == current.name else ratings.against(current.name, other)
                if found is not None:
                    opponents.append(
                        {"bot": other, "mean": found.mean, "half": found.half, "deal_sets": found.units}
                    )
            grades = [grade._asdict() for grade in grades_of(ratings, current.name, ladder.config.grades)]
        return _json(
            {
                "bot": name,
                "versions": [_version_data(version) for version in versions],
                "rating": row,
                "opponents": opponents,
                "grades": grades,
                "matches": [_match_data(match) for match in reversed(ladder.store.matches_of(name, 50))],
            }
        )

    async def push(self, request: Request) -> Response:
        """Take a zip or tar file with a new version."""
        author = self._author(request)
        _found(lambda: self.ladder.verify_may_push(author))
        data = await self._body(request, MAX_ARCHIVE)
        try:
            version = await self.ladder.push(author, data)
        except (LadderError, UnpackError) as error:
            raise _refusal(error) from None
        return _json(_version_data(version), 201)

    async def mine(self, request: Request) -> Response:
        """Return the author's versions."""
        author = self._author(request)
        versions = self.ladder.store.versions(author.name)
        return _json(
            {
                "name": author.name,
                "group": author.group,
                "versions": [_version_data(version) for version in versions],
            }
        )

    async def log(self, request: Request) -> Response:
        """Return what check-bot, and then the bot itself, said of one of the author's versions."""
        author = self._author(request)
        version = _found(lambda: self.ladder.store.version(request.path_params["version"]))
        if version.bot != author.name:
            raise HttpError(404, "unknown_bot", "that is no version of yours")
        text = await asyncio.to_thread(self.ladder.log_text, version)
        return Response(text, 200, {"Cache-Control": "no-store"}, "text/plain; charset=utf-8")

    async def challenge(self, request: Request) -> Response:
        """Queue a match against bots of the author's choice."""
        author = self._author(request)
        try:
            asked = msgspec.json.decode(await self._body(request, 65_536), type=_Challenge)
        except msgspec.DecodeError as error:
            raise HttpError(400, "bad_challenge", f"this is no challenge: {error}") from None
        match = _found(lambda: self.ladder.challenge(author, asked.opponents, counts=asked.counts))
        return _json(_match_data(match), 201)

    def _author(self, request: Request) -> Author:
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not token:
            raise HttpError(401, "bad_token", "send your token as Authorization: Bearer TOKEN")
        return _found(lambda: self.ladder.author(token.strip()))

    async def _body(self, request: Request, limit: int) -> bytes:
        parts: list[bytes] = []
        size = 0
        async for part in request.stream():
            size += len(part)
            if size > limit:
                raise HttpError(413, "too_large", f"at most {limit:,} bytes are taken")
            parts.append(part)
        return b"".join(parts)


def _found(ask: Callable[[], _T]) -> _T:
    """Return what ``ask`` returns; a refusal of the ladder becomes one of HTTP."""
    try:
        return ask()
    except LadderError as error:
        raise _refusal(error) from None


def _refusal(error: LadderError | UnpackError) -> HttpError:
    return HttpError(_STATUS.get(error.code, 400), error.code, str(error))


def _version_data(version: Version) -> dict[str, Any]:
    data = version._asdict()
    # How a program is started is its author's business.
    del data["command"]
    return data


def _match_data(match: Match) -> dict[str, Any]:
    data = match._asdict()
    data["means"] = None
    if data.pop("row") is not None:
        deal_sets, sums, _ = match.row or (1, [], [])
        data["means"] = {
            bot: round(total / (1000 * deal_sets), 3) for bot, total in zip(match.line_up, sums, strict=True)
        }
    return data


def _json(data: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(data), status, {"Cache-Control": "no-store"}, "application/json")
