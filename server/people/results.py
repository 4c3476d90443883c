"""Results of people against house bots: read from the archive when a challenge is over, and kept there with
the person's consent. A kept result has no name, address or token. Who has its random key can delete it; the
key itself is not stored, only its SHA-256.
"""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from dealer.luck.adjusted import adjusted_net, boards_for
from dealer.rules.events import Acted, ends_of
from server.people.performance import PlayedMatch, PlaySetting, PlaySums, sums_of, total
from server.storage.hand_store import HandStore
from server.storage.stored_hands import StoredHand

#: Challenges per day that are scored for one address or token: scoring takes time, keeping takes space.
MAX_SCORED_PER_DAY: Final = 50
#: Addresses and tokens that are counted per day; others are not scored then.
MAX_SOURCES: Final = 10_000
#: Hands of a challenge that is scored: all its tournaments together.
MAX_SCORED_HANDS: Final = 10_000
#: Results, and hands in them, that are kept in all. When one of them is reached, none is added.
MAX_RESULTS: Final = 10_000
MAX_RESULT_HANDS: Final = 2_000_000

#: Seconds for which sums of all results are not read again.
SUMS_AGE: Final = 10.0
#: Hands that are read from the archive at a time.
HANDS_AT_ONCE: Final = 200
#: Seconds after which another result has its turn.
TURN: Final = 0.1

_KEY_BYTES: Final = 16
_encode = msgspec.json.Encoder().encode
_Row = tuple[int, str, str, str]


class Played(NamedTuple):
    """A challenge that is over: the runs of its matches in the archive, the person's places in them (0 in a
    challenge), and his seat.
    """

    runs: Sequence[int]
    places: Sequence[int]
    seat: int


class KeptResult(Struct, frozen=True):
    """A kept result. ``result`` is its public number; ``day`` is in UTC, as in ``2025-11-25``."""

    result: int
    day: str
    setting: PlaySetting
    matches: list[PlayedMatch]


class PeopleResults:
    """The results in an archive. Raises ``HandStoreError`` if it is damaged."""

    def __init__(self, archive: HandStore) -> None:
        self._archive = archive
        self._day = ""
        self._scored: Counter[tuple[str, str]] = Counter()
        self._results = archive.query_number("SELECT count(*) FROM people")
        self._hands = archive.query_number("SELECT ifnull(sum(hands), 0) FROM people")
        # One at a time, in turn: ranking hands holds up the other threads.
        self._turn = asyncio.Lock()
        self._sums: dict[PlaySetting, dict[int, PlaySums]] | None = None
        self._sums_until = 0.0
        self._changes = 0

    def _forget_sums(self) -> None:
        self._sums = None
        self._changes += 1

    def admit(self, source: tuple[str, str]) -> bool:
        """Count a challenge of this address or token; return whether it is scored."""
        today = _today()
        if today != self._day:
            self._day = today
            self._scored.clear()
        known = source in self._scored or len(self._scored) < MAX_SOURCES
        if not known or self._scored[source] >= MAX_SCORED_PER_DAY:
            return False
        self._scored[source] += 1
        return True

    async def read(self, played: Played, setting: PlaySetting) -> list[PlayedMatch] | None:
        """Return the matches, from their hands in the archive; None if some of these are missing, or if
        there are too many. Raises ``HandStoreError``.
        """
        seat = played.seat
        left = MAX_SCORED_HANDS
        for run in played.runs:
            async for hands in self._own_hands(run, seat, left + 1):
                left -= len(hands)
            if left < 0:
                return None
        matches, boards = [], boards_for(MAX_SCORED_HANDS - left)
        for run, place in zip(played.runs, played.places, strict=True):
            scored = _Scored(seat, boards)
            async for hands in self._own_hands(run, seat, MAX_SCORED_HANDS):
                numbers = range(len(scored.rows) + 1, len(scored.rows) + len(hands) + 1)
                # The archive deletes the oldest hands.
                if [hand.number for hand in hands] != list(numbers):
                    return None
                rest = hands
                while rest:
                    async with self._turn:
                        rest = await asyncio.to_thread(scored.add_some, rest)
            chips = sum(net for net, _, _ in scored.rows)
            matches.append(PlayedMatch(place, chips, scored.forced, scored.rows))
        return matches if all(_is_whole(match, setting) for match in matches) else None

    async def _own_hands(self, run: int, seat: int, most: int) -> AsyncIterator[Sequence[StoredHand]]:
        """Yield the first hands of a run, some at a time, up to the one in which the seat was eliminated, or
        a few more than ``most``: bots play a tournament on without the person.
        """
        for number in range(0, most, HANDS_AT_ONCE):
            hands = await self._archive.hands(run, number + HANDS_AT_ONCE + 1, HANDS_AT_ONCE)
            dealt = [hand for hand in reversed(hands) if hand.number > number and seat in hand.started.seats]
            yield dealt
            if len(dealt) < HANDS_AT_ONCE:
                break

    def keep(self, matches: Sequence[PlayedMatch], setting: PlaySetting) -> str:
        """Keep a result; it is stored with the next ``commit``. Return its key, or "" if there is no room."""
        sums = total([sums_of(match, setting) for match in matches])
        if self._results >= MAX_RESULTS or self._hands + sums.hands > MAX_RESULT_HANDS:
            return ""
        self._results += 1
        self._hands += sums.hands
        self._forget_sums()
        key = secrets.token_urlsafe(_KEY_BYTES)
        stored = [_encode(data).decode() for data in (setting, sums, matches)]
        self._archive.queue_write("person", (_digest(key), _today(), sums.hands, *stored))
        return key

    async def delete(self, key: str) -> bool:
        """Delete the result with this key; return whether there was one. Raises ``HandStoreError``."""
        found = await self.find(key)
        if found is None:
            return False
        hands = sum(len(match.hands) for match in found.matches)

        def on_deleted(results: int) -> None:
            self._results -= results
            self._hands -= results * hands
            self._forget_sums()

        self._archive.queue_write("person_gone", (_digest(key),), on_deleted)
        self._forget_sums()
        return True

    async def find(self, key: str) -> KeptResult | None:
        """Return the result with this key. Raises ``HandStoreError``."""

        def find(db: sqlite3.Connection) -> KeptResult | None:
            row = db.execute(f"{_SELECT} WHERE key = ?", (_digest(key),)).fetchone()
            return None if row is None else _decode_row(row)

        return await self._archive.query(find)

    async def page(self, after: int, limit: int) -> list[KeptResult]:
        """Return up to ``limit`` results that follow the one with the number ``after``: fewer if they have
        more hands together than a single one may have. Raises ``HandStoreError``.
        """

        def find(db: sqlite3.Connection) -> list[KeptResult]:
            found: list[KeptResult] = []
            hands = 0
            for row in db.execute(f"{_SELECT} WHERE result > ? ORDER BY result LIMIT ?", (after, limit)):
                result = _decode_row(row)
                hands += sum(len(match.hands) for match in result.matches)
                if found and hands > MAX_SCORED_HANDS:
                    break
                found.append(result)
            return found

        return await self._archive.query(find)

    async def sums(self) -> dict[PlaySetting, dict[int, PlaySums]]:
        """Return the sums of every result by number, for each setting, at most ``SUMS_AGE``
        seconds old. Raises ``HandStoreError``.
        """
        if self._sums is not None and time.monotonic() < self._sums_until:
            return self._sums

        def find(db: sqlite3.Connection) -> dict[PlaySetting, dict[int, PlaySums]]:
            groups: dict[PlaySetting, dict[int, PlaySums]] = {}
            for number, setting, sums in db.execute("SELECT result, setting, sums FROM people"):
                group = groups.setdefault(msgspec.json.decode(setting, type=PlaySetting), {})
                group[number] = msgspec.json.decode(sums, type=PlaySums)
            return groups

        changes = self._changes
        found = await self._archive.query(find)
        if changes == self._changes:
            self._sums, self._sums_until = found, time.monotonic() + SUMS_AGE
        return found


_SELECT: Final = "SELECT result, day, setting, matches FROM people"


def _decode_row(row: object) -> KeptResult:
    number, day, setting, matches = msgspec.convert(row, _Row)
    return KeptResult(
        number,
        day,
        msgspec.json.decode(setting, type=PlaySetting),
        msgspec.json.decode(matches, type=list[PlayedMatch]),
    )


class _Scored:
    """What the person in ``seat`` did in his hands so far. ``rows`` and ``forced``: see ``PlayedMatch``."""

    def __init__(self, seat: int, boards: int) -> None:
        self.rows: list[tuple[float | int, float | int, int]] = []
        self.forced = 0
        self._seat = seat
        self._boards = boards

    def add_some(self, hands: Sequence[StoredHand]) -> Sequence[StoredHand]:
        """Add hands for ``TURN`` seconds, at least one; return the others."""
        end = time.monotonic() + TURN
        for number, hand in enumerate(hands, 1):
            self._add(hand)
            if time.monotonic() > end:
                return hands[number:]
        return ()

    def _add(self, hand: StoredHand) -> None:
        seat = self._seat
        started, ended = ends_of(hand.events)
        net = ended.values[started.seats.index(seat)]
        adjusted = adjusted_net(hand.game, hand.events, seat, self._boards)
        self.rows.append((net, round(adjusted, 4), max(hand.game.blinds)))
        self.forced += sum(
            event.forced != "" for event in hand.events if isinstance(event, Acted) and event.seat == seat
        )


def _is_whole(match: PlayedMatch, setting: PlaySetting) -> bool:
    """Return whether no hand is missing."""
    if setting.mode != "tournament":
        return len(match.hands) == setting.hands
    won = setting.stack * len(setting.bots) if match.place == 1 else -setting.stack
    return bool(match.hands) and match.chips == won


def _digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
