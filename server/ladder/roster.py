"""The roster: names and groups in, tokens out."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from server.auth.tokens import hash_token, new_token
from server.ladder.errors import LadderError
from server.ladder.records import Author

#: As bots may be called, with room for the number of a version.
_NAME: Final = re.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


class Enrolled(NamedTuple):
    """An author, and the token if one was made: it is not kept, and cannot be told again."""

    author: Author
    token: str


def read_roster(text: str, known: Sequence[Author], taken: Iterable[str]) -> list[Enrolled]:
    """Return the authors of a CSV text: with a first line that names the columns ``name`` and, optionally,
    ``group``, or without one a name and a group on each line. Those ``known`` keep their tokens. Names that
    are ``taken`` belong to house bots.

    Raises ``LadderError`` (``bad_roster``).
    """
    lines = io.StringIO(text.removeprefix("\ufeff"), newline=None)
    try:
        rows = [row for row in csv.reader(lines) if any(map(str.strip, row))]
    except csv.Error as error:
        raise LadderError("bad_roster", f"the roster is no CSV: {error}") from None
    if not rows:
        raise LadderError("bad_roster", "the roster is empty")
    columns = [cell.strip().casefold() for cell in rows[0]]
    named = "name" in columns
    name_at = columns.index("name") if named else 0
    group_at = columns.index("group") if "group" in columns else 1 if not named else -1
    before = {author.name.casefold(): author for author in known}
    used = {bot.casefold() for bot in taken}
    found = []
    for row in rows[1:] if named else rows:
        name = row[name_at].strip() if name_at < len(row) else ""
        if not _NAME.fullmatch(name):
            raise LadderError(
                "bad_roster",
                f"{name[:64]!r} is no name: up to 40 letters, digits, '-', '_', beginning with neither",
            )
        if name.casefold() in used:
            raise LadderError("bad_roster", f"{name!r} is taken")
        used.add(name.casefold())
        group = row[group_at].strip() if 0 <= group_at < len(row) else ""
        old = before.get(name.casefold())
        if old is not None:
            found.append(Enrolled(Author(old.name, old.hash, group or old.group), ""))
        else:
            found.append(enrol(name, group))
    return found


def enrol(name: str, group: str) -> Enrolled:
    """Return an author with a new token."""
    token = new_token()
    return Enrolled(Author(name, hash_token(token), group), token)
