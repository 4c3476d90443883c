"""What the ladder remembers: authors, versions and matches; and as which texts its database has them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from dealer.luck.declared import ChanceSums
from dealer.ratings.dice import DiceSums
from dealer.ratings.results import LineUpSums
from server.storage.sqlite import Schema

#: "pkld".
LADDER_SCHEMA: Final = Schema(
    "a ladder",
    0x706B6C64,
    (
        """
        CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE authors (name TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, class TEXT NOT NULL);
        CREATE TABLE versions (
            name TEXT PRIMARY KEY, bot TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL,
            hash TEXT NOT NULL, command TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL,
            pushed_at REAL NOT NULL, settled_at REAL
        );
        CREATE INDEX versions_by_bot ON versions (bot, number);
        CREATE TABLE matches (
            number INTEGER PRIMARY KEY, season TEXT NOT NULL, line_up TEXT NOT NULL, why TEXT NOT NULL,
            counts INTEGER NOT NULL,
            asked_by TEXT NOT NULL, state TEXT NOT NULL, queued_at REAL NOT NULL, ended_at REAL,
            seconds REAL NOT NULL, result TEXT, incidents TEXT NOT NULL, reason TEXT NOT NULL
        );
        CREATE INDEX matches_by_state ON matches (state, number);
        """,
        """
        CREATE INDEX versions_by_state ON versions (state);
        ALTER TABLE matches ADD COLUMN begun INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX matches_by_begin ON matches (begun);
        CREATE INDEX matches_by_asker ON matches (asked_by, queued_at) WHERE asked_by != '';
        CREATE TABLE sums (season TEXT NOT NULL, line_up TEXT NOT NULL, result TEXT NOT NULL,
            PRIMARY KEY (season, line_up));
        CREATE TABLE work (bot TEXT PRIMARY KEY, incidents INTEGER NOT NULL, seconds REAL NOT NULL);
        CREATE TABLE seats (version TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (version, number))
            WITHOUT ROWID;
        INSERT INTO seats SELECT value, number FROM matches, json_each(line_up);
        CREATE TRIGGER seat AFTER INSERT ON matches BEGIN
            INSERT INTO seats SELECT value, NEW.number FROM json_each(NEW.line_up);
        END;
        CREATE TRIGGER unseat AFTER DELETE ON matches BEGIN
            DELETE FROM seats WHERE number = OLD.number
                AND version IN (SELECT value FROM json_each(OLD.line_up));
        END;
        """,
        # Without ``dice``, matches have the luck of dice in their results.
        """
        ALTER TABLE matches ADD COLUMN dice TEXT;
        ALTER TABLE sums ADD COLUMN dice TEXT;
        CREATE TABLE chances (version TEXT PRIMARY KEY, sums TEXT NOT NULL);
        """,
    ),
)

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
    "checking": ("ready", "refused", "received", "replaced"),
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


class MatchResult(NamedTuple):
    """The sums of a match, and by version what its declared chances came to.

    ``chances`` is None for a match that was stored before dice were luck: they are in its results, and nobody
    knows what was declared.
    """

    sums: DiceSums
    chances: Mapping[str, ChanceSums] | None


class Match(NamedTuple):
    """A match of a line-up of versions.

    ``result``, once it is done, and the ``seconds`` that it took. ``asked_by``: whose challenge it is, or "".
    Challenges count only if ``counts``.
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
    result: MatchResult | None
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


def version_of(row: Sequence[Any]) -> Version:
    """Return the version of a row of the database."""
    return Version._make((*row[:5], tuple(json.loads(row[5])), *row[6:]))


def match_of(row: Sequence[Any]) -> Match:
    """Return the match of a row of the database."""
    number, _, line_up, why, counts, *rest, sums, incidents, reason, _, dice = row
    result = None if sums is None else MatchResult(dice_sums_of(sums, dice), chances_of_match(dice))
    return Match._make(
        (number, tuple(json.loads(line_up)), why, bool(counts), *rest, result, json.loads(incidents), reason)
    )


def sums_of(text: str) -> LineUpSums:
    """Return the sums of a text, which has them without any declarer's dice."""
    deal_sets, sums, products = json.loads(text)
    return LineUpSums(deal_sets, tuple(sums), tuple(products))


def dice_sums_of(text: str, dice: str | None) -> DiceSums:
    """Return the sums of a text, and of another about dice if there is one."""
    plain = sums_of(text)
    declarers, sums, products, _ = json.loads(dice) if dice else ([], [], [], [])
    rows = LineUpSums(plain.deal_sets, tuple(sums), tuple(products)) if declarers else plain
    return DiceSums(tuple(declarers), rows)


def chances_of(text: str) -> ChanceSums:
    """Return what a version declared."""
    decisions, *sums = json.loads(text)
    return ChanceSums(decisions, tuple(sums))


def chances_of_match(dice: str | None) -> dict[str, ChanceSums] | None:
    """Return what the versions of a match declared."""
    if dice is None:
        return None
    declarers, _, _, chances = json.loads(dice)
    return {bot: ChanceSums(told[0], tuple(told[1:])) for bot, told in zip(declarers, chances, strict=True)}


def result_texts(sums: DiceSums, chances: Mapping[str, ChanceSums] | None) -> tuple[str, str | None]:
    """Return the texts of sums and, unless these are ``None``, of the chances declared in them."""
    plain = json.dumps(sums.with_dice_of(()))
    if chances is None:
        return plain, None
    rows = (sums.rows.sums, sums.rows.products) if sums.declarers else ((), ())
    told = [chances_data(chances[bot]) for bot in sums.declarers if bot in chances]
    return plain, json.dumps([sums.declarers, *rows, told])


def chances_data(chances: ChanceSums) -> list[int]:
    """Return what a version declared as data for JSON."""
    return [chances.decisions, *chances.sums]
