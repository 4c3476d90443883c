"""How versions play, counted from the journals of their matches, each of which is read once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from dealer.errors import DealerError
from dealer.ratings.style import StyleCounts, count_hand, position_names
from dealer.records.journal import read_journal
from dealer.rules.events import start_of
from server.ladder.matches import DIVISION, match_directory


class Styles:
    """The counts of the ladder in ``folder``, by version and position."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: set[int] = set()
        self._counts: dict[str, dict[str, StyleCounts]] = {}

    def extend(self, matches: Sequence[int], seconds: float) -> bool:
        """Read the journals of these finished matches, for about ``seconds``; return whether all are read.
        Matches whose hands are gone or damaged count for nothing.
        """
        until = time.monotonic() + seconds
        for number in matches:
            if number in self._read:
                continue
            if time.monotonic() >= until:
                return False
            for version, places in _count(match_directory(self._folder, number)).items():
                known = self._counts.setdefault(version, {})
                for place, counts in places.items():
                    known[place] = known.get(place, StyleCounts()).plus(counts)
            self._read.add(number)
        return True

    def of(self, version: str) -> dict[str, StyleCounts]:
        """Return the counts of a version, by position; those of all positions are under ""."""
        places = self._counts.get(version, {})
        total = StyleCounts()
        for counts in places.values():
            total = total.plus(counts)
        return {"": total, **places}


def _count(match: Path) -> dict[str, dict[str, StyleCounts]]:
    found: dict[str, dict[str, StyleCounts]] = {}
    try:
        for path in sorted((match / "hands" / DIVISION).glob("*.jsonl")):
            with path.open(encoding="utf-8", newline="\n") as file:
                facts, hands = read_journal(file)
                for events in hands:
                    started = start_of(events)
                    seats = started.seats
                    for seat, place, counts in zip(
                        seats, position_names(len(seats)), count_hand(events), strict=True
                    ):
                        places = found.setdefault(facts["players"][seat], {})
                        places[place] = places.get(place, StyleCounts()).plus(counts)
    except (DealerError, OSError, UnicodeDecodeError):
        return {}
    return found
