"""What a player won at open tables over time, from the stored hands.

Hands have no index by player, so the newest ones are read back in time, a few thousand at a go: other
questions to the archive are answered in between, and SQLite, which needs no interpreter lock, sorts out those
of others.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from asyncio import to_thread
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final, NamedTuple

import msgspec

from dealer.intervals import MIN_UNITS, student_half
from dealer.rules.games import parse_game
from server.storage.hand_db import HandDatabase

#: Limits of one question: hands to look at for one player's results, and for a list of players; hands read
#: at a go; entries of a list; points of a curve.
MAX_HANDS: Final = 200_000
MAX_HANDS_OF_LIST: Final = 20_000
_STEP: Final = 2_000
MAX_ENTRIES: Final = 200
MAX_POINTS: Final = 200

#: The key by which hands are ordered in time.
_Key = tuple[int, int, int]
_NEWEST: Final[_Key] = (2**62, 0, 0)

#: How many hands of which kind of table: no run that somebody may still play is told of.
_OF_PLAYER: Final = """
    SELECT hands.played_at, runs.table_name || '.' || hands.run, runs.mode, hands.game, hands.game_text,
        hands.seated, json_extract(hands.events, '$[0][2]'), json_extract(hands.events, '$[#-1][4]')
    FROM hands JOIN runs ON runs.run = hands.run
    WHERE (hands.played_at, hands.run, hands.number) < (?, ?, ?)
        AND (hands.played_at, hands.run, hands.number) >= (?, ?, ?)
        AND instr(hands.seated, ?) AND NOT (runs.kind = 'rival' AND runs.closed_at IS NULL)
    ORDER BY hands.played_at DESC, hands.run DESC, hands.number DESC
"""
_NAMES: Final = """
    SELECT json_extract(seat.value, '$[0]'), count(*), max(hands.played_at)
    FROM hands, json_each(hands.seated) AS seat
    WHERE (hands.played_at, hands.run, hands.number) < (?, ?, ?)
        AND (hands.played_at, hands.run, hands.number) >= (?, ?, ?)
        AND seat.key IN (SELECT value FROM json_each(hands.events, '$[0][2]'))
    GROUP BY 1
"""
_Row = tuple[int, str, str, str, str, str, str, str]
_decode_seated = msgspec.json.Decoder(list[tuple[str, str]]).decode
_decode_seats = msgspec.json.Decoder(list[int]).decode
_decode_values = msgspec.json.Decoder(list[int | float]).decode


class GroupResult(msgspec.Struct, frozen=True):
    """What was won in some hands of one ``label``: a game, a day or a run; "" for all. ``won`` is in big
    blinds, ``rate`` in big blinds per 100 hands, with half of its 95 % interval, which is null for fewer than
    ten hands. ``at`` is when the last hand ended.
    """

    label: str
    mode: str
    hands: int
    won: float
    rate: float
    half: float | None
    at: int


class Curve(msgspec.Struct, frozen=True):
    """Big blinds ``won`` after so many ``hands``, with half of the 95 % interval of each sum."""

    hands: list[int]
    won: list[float]
    half: list[float | None]


class PlayerResults(msgspec.Struct, frozen=True):
    """The results of a player: in all, by game, and by day (UTC) and run, newest first. ``browsers`` is the
    number of browsers that used the name. ``looked_at`` hands of all players were searched, the oldest of
    which ended at ``since``; ``complete``: no older hand was left out.
    """

    player: str
    total: GroupResult
    games: list[GroupResult]
    days: list[GroupResult]
    sessions: list[GroupResult]
    curve: Curve
    browsers: int
    looked_at: int
    complete: bool


class KnownPlayer(msgspec.Struct, frozen=True):
    """A player who was dealt ``hands`` of those looked at, the last of which ended ``at``."""

    player: str
    hands: int
    at: int


class PlayedHand(NamedTuple):
    """A hand of one player: when it ended, the run and its mode, the game, the big blinds won."""

    at: int
    run: str
    mode: str
    game: str
    won: float


async def player_results(
    archive: HandDatabase, player: str, *, since: int = 0, mode: str = ""
) -> PlayerResults:
    """Return the results of a player in hands that ended at ``since`` (milliseconds since 1970) or later, at
    tables of one ``mode`` if it is not "". Raises ``HandStoreError``.
    """
    # As in ``seated``, where a quotation mark within a name would have a backslash before it.
    sought = f"[{json.dumps(player)}, "
    played: list[PlayedHand] = []
    browsers: set[str] = set()
    looked_at, complete = 0, True
    async for newer, older, hands, last in _steps(archive, since, MAX_HANDS):
        looked_at += hands
        complete = last

        def find(db: sqlite3.Connection, ends: Sequence[int] = (*newer, *older)) -> list[Any]:
            return [_played(row, player) for row in db.execute(_OF_PLAYER, (*ends, sought))]

        for hand, identity in filter(None, await archive.query(find)):
            if not mode or hand.mode == mode:
                played.append(hand)
                browsers |= {identity} - {""}
    played.reverse()
    return await to_thread(summarize, player, played, len(browsers), looked_at, complete=complete)


async def known_players(archive: HandDatabase, *, since: int = 0) -> list[KnownPlayer]:
    """Return who played the newest hands, the latest first. Raises ``HandStoreError``."""
    hands: Counter[str] = Counter()
    last: dict[str, int] = {}
    async for newer, older, _, _ in _steps(archive, since, MAX_HANDS_OF_LIST):

        def find(
            db: sqlite3.Connection, ends: Sequence[int] = (*newer, *older)
        ) -> list[tuple[str, int, int]]:
            return msgspec.convert(db.execute(_NAMES, ends).fetchall(), list[tuple[str, int, int]])

        for name, count, at in await archive.query(find):
            hands[name] += count
            last.setdefault(name, at)
    return [KnownPlayer(name, hands[name], last[name]) for name in sorted(last, key=last.__getitem__)[::-1]]


async def _steps(archive: HandDatabase, since: int, most: int) -> AsyncIterator[tuple[_Key, _Key, int, bool]]:
    """Yield the stored hands back in time in portions: the keys between which each lies (the newer one not
    included), how many hands it has, and whether all hands since ``since`` have been seen with it.
    """
    newer = _NEWEST

    def find(db: sqlite3.Connection) -> list[_Key]:
        rows = db.execute(
            "SELECT played_at, run, number FROM hands"
            " WHERE played_at >= ? AND (played_at, run, number) < (?, ?, ?)"
            " ORDER BY played_at DESC, run DESC, number DESC LIMIT ?",
            (since, *newer, _STEP + 1),
        )
        return msgspec.convert(rows.fetchall(), list[_Key])

    for _ in range(0, most, _STEP):
        keys = await archive.query(find)
        if not keys:
            return
        here = keys[:_STEP]
        yield newer, here[-1], len(here), len(keys) <= _STEP
        if len(keys) <= _STEP:
            return
        newer = here[-1]


def _played(row: object, player: str) -> tuple[PlayedHand, str] | None:
    """Return a hand of a player and his identity; None if he was not dealt in. Raises ``ValueError``."""
    at, run, mode, game, text, seated, seats, values = msgspec.convert(row, _Row)
    dealt = dict(zip(_decode_seats(seats), _decode_values(values), strict=True))
    for seat, (name, identity) in enumerate(_decode_seated(seated)):
        if name == player and seat in dealt:
            return PlayedHand(at, run, mode, game, dealt[seat] / _big_blind(text, game)), identity
    return None


@lru_cache(maxsize=256)
def _big_blind(text: str, name: str) -> int:
    game = parse_game(text, name)
    return max(*game.blinds, game.ante, 1)


def summarize(
    player: str, played: Sequence[PlayedHand], browsers: int, looked_at: int, *, complete: bool
) -> PlayerResults:
    """Return the results of hands in the order of play."""
    games: dict[tuple[str, str], list[PlayedHand]] = {}
    days: dict[tuple[str, str], list[PlayedHand]] = {}
    runs: dict[tuple[str, str], list[PlayedHand]] = {}
    for hand in played:
        day = datetime.fromtimestamp(hand.at / 1000, UTC).date().isoformat()
        for groups, label in ((games, hand.game), (days, day), (runs, hand.run)):
            groups.setdefault((label, "" if groups is days else hand.mode), []).append(hand)
    return PlayerResults(
        player=player,
        total=_result("", "", played),
        games=[_result(*key, hands) for key, hands in sorted(games.items())],
        days=_newest(days),
        sessions=_newest(runs),
        curve=_curve([hand.won for hand in played]),
        browsers=browsers,
        looked_at=looked_at,
        complete=complete,
    )


def _newest(groups: dict[tuple[str, str], list[PlayedHand]]) -> list[GroupResult]:
    """Return a result for each group, the last one first."""
    found = [_result(*key, hands) for key, hands in groups.items()]
    return sorted(found, key=lambda one: one.at, reverse=True)[:MAX_ENTRIES]


def _result(label: str, mode: str, hands: Sequence[PlayedHand]) -> GroupResult:
    won = sum(hand.won for hand in hands)
    count = len(hands)
    half = _half(count, won, sum(hand.won**2 for hand in hands))
    per_100 = 100 / max(count, 1)
    rate_half = None if half is None else round(half * per_100, 3)
    at = hands[-1].at if hands else 0
    return GroupResult(label, mode, count, round(won, 3), round(won * per_100, 3), rate_half, at)


def _half(hands: int, won: float, squares: float) -> float | None:
    """Return half of the 95 % interval of a sum, from the sum of the squares; None if it is not known."""
    return None if hands < MIN_UNITS else student_half(squares - won * won / hands, hands)


def _curve(won: Sequence[float]) -> Curve:
    """Return the sums from 0 on, at points as evenly spread as they can be."""
    count = len(won)
    sums = array("d", accumulate(won, initial=0.0))
    squares = array("d", accumulate((one * one for one in won), initial=0.0))
    most = min(count, MAX_POINTS)
    points = [round(point * count / most) for point in range(most + 1)] if most else []
    halves = [_half(point, sums[point], squares[point]) for point in points]
    return Curve(
        points,
        [round(sums[point], 3) for point in points],
        [None if half is None else round(half, 3) for half in halves],
    )
