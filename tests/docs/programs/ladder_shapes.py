"""How ``docs/api.md`` calls the shapes of the ladder's answers, and the block that tells their fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final

from msgspec import inspect

from server.web.ladder import schemas
from tests.docs.kinds import kind_text

LADDER_NAMES: Final[Mapping[str, type]] = {
    "ladder": schemas.LadderTable,
    "ladder row": schemas.LadderRow,
    "declaration": schemas.Declaration,
    "worst opponent": schemas.WorstOpponent,
    "interaction": schemas.InteractionInfo,
    "queue": schemas.LadderQueue,
    "next line-up": schemas.NextLineUp,
    "wait": schemas.Wait,
    "matches": schemas.LadderMatches,
    "match": schemas.LadderMatch,
    "single match": schemas.LadderMatchResponse,
    "ladder bot": schemas.LadderBot,
    "version": schemas.LadderVersion,
    "opponent": schemas.Opponent,
    "match errors": schemas.MatchErrors,
    "grade": schemas.LadderGrade,
    "history": schemas.BotHistory,
    "history point": schemas.HistoryPoint,
    "style": schemas.BotStyle,
    "uploads": schemas.OwnUploads,
    "deadline": schemas.OwnDeadline,
    "overview": schemas.LadderOverview,
    "roster entry": schemas.RosterEntry,
    "group's deadline": schemas.GroupDeadline,
    "tokens": schemas.NewTokens,
    "new token": schemas.NewToken,
    "grades": schemas.LadderGrades,
    "author's grades": schemas.AuthorGrades,
}


def ladder_fields() -> str:
    """The fields of all shapes with their types; of one that extends another only those that it adds."""
    return "".join(f"{line}\n" for name in LADDER_NAMES for line in _lines(name))


def _lines(name: str) -> Iterator[str]:
    shape = LADDER_NAMES[name]
    structs = {one: called for called, one in LADDER_NAMES.items()}
    base = structs.get(shape.__bases__[0])
    yield f"{name}, a {base} with" if base else name
    told = inspect.type_info(shape)
    assert isinstance(told, inspect.StructType)
    known = len(LADDER_NAMES[base].__struct_fields__) if base else 0  # type: ignore[attr-defined]
    for kind, fields in groupby(told.fields[known:], lambda field: kind_text(field.type, structs)):
        yield f"  {', '.join(field.encode_name for field in fields)}: {kind.replace('`', '')}"
