"""What the ladder remembers: authors, versions and matches."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, Literal, NamedTuple

from dealer.ratings.results import LineUpSums

VersionState = Literal["received", "checking", "ready", "rated", "refused", "replaced"]
"""
* ``received``: stored, not yet looked at
* ``checking``: check-bot is running
* ``ready``: waits for its first matches, or plays them
* ``rated``: has met the baselines
* ``refused``: does not play; the reason says why
* ``replaced``: a newer version plays in its place, or it was a house bot that was taken out of the file;
  this one is ``rated`` again when it is back
"""
#: The states of versions that play.
PLAYING: Final = ("ready", "rated")
#: From each state to those that may follow. A stopped ladder goes on from ``received`` and ``checking``.
NEXT_STATES: Final[dict[VersionState, tuple[VersionState, ...]]] = {
    "received": ("checking", "refused"),
    "checking": ("ready", "refused", "received"),
    "ready": ("rated", "refused", "replaced"),
    "rated": ("replaced", "refused"),
    "refused": (),
    "replaced": ("rated",),
}

Kind = Literal["house", "pushed", "remote"]
Why = Literal["first", "rated", "challenge", "final"]
MatchState = Literal["queued", "playing", "done", "failed"]


class Author(NamedTuple):
    """Someone of the roster; ``hash`` is the SHA-256 of the token."""

    name: str
    hash: str
    group: str


class Version(NamedTuple):
    """A version of a bot: ``name`` is ``ann@7``; ``hash`` is that of its files; ``command`` starts it. Times
    are seconds since 1970.
    """

    name: str
    bot: str
    number: int
    kind: Kind
    hash: str
    command: tuple[str, ...]
    state: VersionState
    reason: str
    pushed_at: float
    settled_at: float | None

    @property
    def plays(self) -> bool:
        """Whether it is in the field."""
        return self.state in PLAYING


class Match(NamedTuple):
    """A match of a line-up of versions.

    ``row``: its deal sets, sums and products, and the ``seconds`` that it took, once it is done.
    ``asked_by``: whose challenge it is, or "". Challenges count only if ``counts``.
    """

    number: int
    line_up: tuple[str, ...]
    why: Why
    counts: bool
    asked_by: str
    state: MatchState
    queued_at: float
    ended_at: float | None
    seconds: float
    row: tuple[int, list[int], list[int]] | None
    incidents: dict[str, dict[str, int]]
    reason: str


class Scored(NamedTuple):
    """The result of a match that counts. ``at``: when it ended, in seconds since 1970."""

    number: int
    at: float
    line_up: tuple[str, ...]
    sums: LineUpSums


class Work(NamedTuple):
    """What the matches of a bot's versions came to: its incidents, and the seconds that they lasted."""

    incidents: int = 0
    seconds: float = 0.0


Moves = dict[str, tuple[VersionState, str]]
"""To which states versions move, and why."""


def moves_after_match(
    versions: Sequence[Version], match: Match, marked: Sequence[str], waiting: Sequence[Match]
) -> Moves:
    """Return to which states the versions of a match that has ended move: whoever has no first match left is
    rated, and refused is whoever is ``marked``. ``versions``: as they are now, as one may have been replaced
    while it played; ``waiting``: the matches that are played or queued.
    """
    others = [one for one in waiting if one.why == "first" and one.number != match.number]
    moves: Moves = {}
    for version in versions:
        if version.state != "ready":
            continue
        if version.name in marked:
            moves[version.name] = "refused", f"the server had to decide for it in match {match.number}"
        elif not any(version.name in one.line_up for one in others):
            moves[version.name] = "rated", ""
    return moves


def moves_after_failure(
    versions: Sequence[Version], match: Match, often: Collection[str], reason: str
) -> Moves:
    """Return to which states the versions of a match that has failed move: one that has not been rated yet is
    refused, and so is one whose matches fail too ``often``.
    """
    return {
        version.name: ("refused", f"match {match.number} failed: {reason}")
        for version in versions
        if version.kind != "house" and (version.state == "ready" or (version.plays and version.name in often))
    }
