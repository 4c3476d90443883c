"""What requests to the ladder have in common: who asks, and refusals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeVar

import msgspec
from starlette.requests import Request

from server.bots.unpack import UnpackError
from server.ladder.errors import LadderError
from server.ladder.ladder import Ladder
from server.ladder.records import Author
from server.web.ladder.names import Names
from server.web.responses import HttpError

_T = TypeVar("_T")

#: The HTTP status of a refusal; 400 for all others.
_STATUS: Final = {
    "bad_token": 401,
    "frozen": 403,
    "not_organiser": 403,
    "unknown_bot": 404,
    "unknown_match": 404,
    "push_limit": 429,
    "challenge_limit": 429,
}


def found(ask: Callable[[], _T]) -> _T:
    """Return what ``ask`` returns; a refusal of the ladder becomes one of HTTP."""
    try:
        return ask()
    except LadderError as error:
        raise refusal(error) from None


def refusal(error: LadderError | UnpackError) -> HttpError:
    """Return a refusal of the ladder as one of HTTP."""
    return HttpError(_STATUS.get(error.code, 400), error.code, str(error))


def token_of(request: Request) -> str:
    """Return the token that a request brings, or ""."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else ""


def author_of(ladder: Ladder, request: Request) -> Author:
    """Return whose token it is. Raises ``HttpError`` (``bad_token``)."""
    token = token_of(request)
    if not token:
        raise HttpError(401, "bad_token", "send your token as Authorization: Bearer TOKEN")
    return found(lambda: ladder.author(token))


def verify_organiser(ladder: Ladder, request: Request) -> None:
    """Raise ``HttpError`` unless the organiser asks."""
    token = token_of(request)
    if not token or not ladder.is_organiser(token):
        raise HttpError(401, "bad_token", "this needs the organiser's token")


def names_for(ladder: Ladder, request: Request | None = None) -> Names:
    """Return how whoever asks sees names."""
    if not ladder.blind:
        return Names(ladder.place.key)
    token = "" if request is None else token_of(request)
    if token and ladder.is_organiser(token):
        return Names(ladder.place.key)
    author = None
    if token:
        try:
            author = ladder.author(token).name
        except LadderError:
            author = None
    return Names(ladder.place.key, {*ladder.store.house_bots(), *([author] if author else [])})


async def body_of(request: Request, most: int) -> bytes:
    """Return the body. Raises ``HttpError`` (``too_large``) if it is longer than ``most`` bytes."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise HttpError(413, "too_large", f"at most {most:,} bytes are taken")
        parts.append(part)
    return b"".join(parts)


async def order_of(request: Request, shape: type[_T]) -> _T:
    """Return the JSON object of a request. Raises ``HttpError`` (``bad_order``)."""
    try:
        return msgspec.json.decode(await body_of(request, 1_000_000), type=shape)
    except msgspec.DecodeError as error:
        raise HttpError(400, "bad_order", f"this is no such order: {error}") from None
