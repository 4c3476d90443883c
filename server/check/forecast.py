"""Estimates how long the rest of a check will take. No I/O."""

from __future__ import annotations

from collections.abc import Sequence

from server.check.model import TranscriptEntry


class Forecast:
    """The time that the program has needed so far, per start and per turn.

    Turns are counted for a program that always calls; a program that folds has fewer turns and needs less
    time.
    """

    def __init__(self) -> None:
        self._turns = 0
        self._playing = 0.0
        self._starts = 0
        self._starting = 0.0

    def add(self, turns: int, seconds: float, entries: Sequence[TranscriptEntry]) -> None:
        """Add a scenario with ``turns`` that took ``seconds``, including the start of the program."""
        start = _start(entries)
        if start:
            self._starts += 1
            self._starting += start
        self._turns += turns
        self._playing += max(0.0, seconds - start)

    def estimate(self, turns: int, starts: int) -> float | None:
        """Return the seconds for this many turns and starts, or None if nothing is known yet."""
        if not self._turns:
            return None
        start = self._starting / self._starts if self._starts else 0.0
        return turns * self._playing / self._turns + starts * start


def time_left_text(seconds: float | None) -> str:
    """Return a text such as ``, about 12 min left``; empty if nothing is known."""
    if seconds is None:
        return ""
    if seconds < 5:
        return ", a few seconds left"
    if seconds < 90:
        return f", about {max(1, round(seconds / 10)) * 10} s left"
    return f", about {round(seconds / 60)} min left"


def _start(entries: Sequence[TranscriptEntry]) -> float:
    """Return the seconds from the start of the process to its first message; 0 if it was not started in this
    scenario.
    """
    began = next((one.at for one in entries if one.message.get("event") == "started"), None)
    spoke = next((one.at for one in entries if one.who == "C"), None)
    return spoke - began if began is not None and spoke is not None and spoke > began else 0.0
