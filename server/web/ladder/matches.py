"""Finished matches of the ladder as competitions, so that their hands open in the replayer."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec

from server.competition.file import Competition
from server.ladder.matches import match_directory
from server.web import schemas
from server.web.competitions.reader import MAX_CACHED, CompetitionCatalog, StoredCompetition
from server.web.ladder.names import Names

_NAME: Final = re.compile(r"match-([1-9][0-9]{0,8})")


class MatchCatalog(CompetitionCatalog):
    """The finished matches of the ladder in ``folder`` whose hands are kept, by names such as
    ``match-7``; they are not listed. ``names`` returns how everybody sees names now.
    """

    def __init__(self, folder: Path, names: Callable[[], Names]) -> None:
        super().__init__()
        self._folder = folder
        self._names = names
        self._matches: dict[tuple[str, bool], StoredCompetition] = {}

    def find(self, name: str) -> StoredCompetition | None:
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        out = match_directory(self._folder, int(found[1]))
        names = self._names()
        key = name, names.hides_any
        if not (out / "standings.json").is_file():
            self._matches.pop(key, None)
            return None
        if key not in self._matches:
            try:
                match = _BlindMatch(out, names) if names.hides_any else StoredCompetition(out)
            except (OSError, ValueError):
                return None
            match.name = name
            if len(self._matches) >= MAX_CACHED:
                self._matches.pop(next(iter(self._matches)))
            self._matches[key] = match
        return self._matches[key]

    def entries(self) -> list[schemas.CompetitionSummary]:
        return []


class _BlindMatch(StoredCompetition):
    """A match whose bots have pseudonyms; the ladder itself tells its result."""

    def __init__(self, out: Path, names: Names) -> None:
        super().__init__(out)
        played = self.competition
        bots = [msgspec.structs.replace(bot, name=names.of(bot.name)) for bot in played.entry.bots]
        entry = msgspec.structs.replace(played.entry, bots=bots)
        self.competition = Competition(entry, out, played.seed, played.games)

    def standings(self) -> list[dict[str, Any]]:
        return []

    def incidents(self) -> dict[str, dict[str, dict[str, int]]]:
        return {}
