"""How long the rest of a check will take. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from server.check.model import TranscriptEntry

__all__ = ["Forecast", "time_left_text"]


class Forecast:
    """What the program needed until now, for a start and for a turn.

    Turns are those that a program is asked for which only calls: one that folds has fewer, and needs less
    time for as many of them.
    """

    def __init__(self) -> None:
        self._turns = 0
        self._playing = 0.0
        self._starts = 0
        self._starting = 0.0

    def add(self, turns: int, seconds: float, entries: Sequence[TranscriptEntry]) -> None:
        """A scene was played: so many turns in so many seconds, the program's start included."""
        start = _start(entries)
        if start:
            self._starts += 1
            self._starting += start
        self._turns += turns
        self._playing += max(0.0, seconds - start)

    def estimate(self, turns: int, starts: int) -> float | None:
        """For so many turns and starts; None as long as nothing is known."""
        if not self._turns:
            return None
        start = self._starting / self._starts if self._starts else 0.0
        return turns * self._playing / self._turns + starts * start


def time_left_text(seconds: float | None) -> str:
    """As ``, about 12 min left``; nothing when nothing is known."""
    if seconds is None:
        return ""
    if seconds < 90:
        return f", about {max(1, round(seconds / 10)) * 10} s left"
    return f", about {round(seconds / 60)} min left"


def _start(entries: Sequence[TranscriptEntry]) -> float:
    """Seconds from the start of the process to its first words; 0 when it was not started in this scene."""
    began = next((one.at for one in entries if one.message.get("event") == "started"), None)
    said = next((one.at for one in entries if one.who == "C"), None)
    return said - began if began is not None and said is not None and said > began else 0.0
