"""The hands of open tables, kept in one SQLite file (``server.storage.hand_db``).

A *run* is one match of a table: from its opening to its closing, and of a series one tournament. It goes on
when the server starts again. ``table-1.7`` is a run; its hands are ``table-1.7.33``. Its seed comes into its
row when the match is over, never before.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
from msgspec import structs

from dealer.records.journal import hand_line
from dealer.rules.events import Event, HandEnded, HandStarted, event_from_data
from dealer.rules.games import Game, parse_game
from protocol.codec import JSON
from protocol.people import ChallengeResult
from server.storage.hand_db import HandDatabase, HandStoreError

__all__ = [
    "HandStore",
    "HandStoreError",
    "TableRun",
    "StoredSeat",
    "StoredHand",
    "TableRecorder",
    "split_hand",
    "split_run",
]

#: Hands of one run that are kept: bots at an open table, left to themselves, would fill any disk.
MAX_HANDS_PER_RUN: Final = 100_000
#: Hands of all runs that are kept: every start of the server adds some.
MAX_HANDS: Final = 1_000_000
#: Hands after which those beyond it are deleted, and how many of the oldest go at once: more than came, so
#: that a file that is too long already shrinks, and not so many that anybody waits for it.
_PRUNE_EVERY: Final = 100
_PRUNE_COUNT: Final = 200


class StoredSeat(NamedTuple):
    """Who sits in a seat: the name shown, and the identity of the cookie (empty: a bot, or nobody knows)."""

    name: str
    identity: str = ""


class TableRun(NamedTuple):
    """One table from its opening to its closing. ``seed`` is empty until then; times are milliseconds since
    1970. ``kind`` is ``exhibition`` where only house bots played, ``rival`` for the other run of a challenge.
    """

    number: int
    table: str
    mode: str
    game: Game
    seats: int
    commitment: str
    seed: str
    opened_at: int
    closed_at: int | None
    kind: str = ""

    @property
    def secret(self) -> bool:
        """Nothing may be told of it (yet): somebody may still be playing its deals."""
        return self.kind == "rival" and self.closed_at is None

    @property
    def id(self) -> str:
        """As in ``table-1.7``."""
        return f"{self.table}.{self.number}"


class StoredHand(NamedTuple):
    """A finished hand. ``seated`` is by seat; ``showed`` are seats and cards shown after it by choice;
    ``before`` and ``after`` the numbers of its neighbours, or None.
    """

    run: TableRun
    number: int
    played_at: int
    game: Game
    seated: tuple[StoredSeat, ...]
    events: tuple[Event, ...]
    showed: tuple[tuple[int, tuple[int, ...]], ...]
    before: int | None = None
    after: int | None = None

    @property
    def started(self) -> HandStarted:
        """Its first event."""
        started = self.events[0]
        assert isinstance(started, HandStarted)
        return started

    @property
    def id(self) -> str:
        """As in ``table-1.7.33``."""
        return f"{self.run.id}.{self.number}"


def split_run(text: str) -> tuple[str, int] | None:
    """Table and number of a run, or None if that is no run's id."""
    table, dot, number = text.rpartition(".")
    return (table, int(number)) if dot and _is_number(number) else None


def split_hand(text: str) -> tuple[str, int, int] | None:
    """Table, run and number of a hand, or None if that is no hand's id."""
    run, dot, number = text.rpartition(".")
    found = split_run(run)
    return (*found, int(number)) if dot and found is not None and _is_number(number) else None


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 15


class HandStore(HandDatabase):
    """The file at ``path``, with the last ``kept`` hands of every run and the last ``max_hands`` of them all.
    Raises ``HandStoreError``.
    """

    def __init__(
        self, path: Path, *, max_per_run: int = MAX_HANDS_PER_RUN, max_hands: int = MAX_HANDS
    ) -> None:
        super().__init__(path)
        self.max_per_run = max_per_run
        self.max_hands = max_hands
        self._last_run = self.query_number("SELECT ifnull(max(run), 0) FROM runs")
        self._hand_count = self.query_number("SELECT count(*) FROM hands")

    def start_recorder(self, run: TableRun) -> TableRecorder:
        """The recorder of a run: of a new one if its number is 0, else of one that goes on."""
        if run.number:
            return TableRecorder(self, run)
        self._last_run += 1
        run = run._replace(number=self._last_run, opened_at=_now())
        game = run.game
        self.queue_write(
            "run", (*run[:3], game.name, game.text(), run.seats, run.commitment, run.opened_at, run.kind)
        )
        return TableRecorder(self, run)

    def open_table(
        self, name: str, *, mode: str, game: Game, seats: int, commitment: str, kind: str = "", run: int = 0
    ) -> TableRecorder:
        """A table opens, or goes on with that ``run``: the recorder of its hands."""
        return self.start_recorder(TableRun(run, name, mode, game, seats, commitment, "", 0, None, kind))

    def add_hand(self, run: int, number: int, values: Sequence[str | int]) -> None:
        """Keep a hand, and tidy up from time to time."""
        self._hand_count += 1
        self.queue_write("hand", (run, number, _now(), *values))
        if not number % _PRUNE_EVERY:
            self.queue_write("old_of_run", (run, number - self.max_per_run), self._on_deleted)
        elif number % _PRUNE_EVERY == 1 and self._hand_count > self.max_hands:
            self.queue_write(
                "oldest", (min(_PRUNE_COUNT, self._hand_count - self.max_hands),), self._on_deleted
            )

    def _on_deleted(self, hands: int) -> None:
        self._hand_count -= hands

    async def run(self, number: int) -> TableRun | None:
        """A run by its number."""
        return await self.query(lambda db: _load_run(db, number))

    async def latest_run(self, table: str) -> TableRun | None:
        """The last run of a table of that name."""

        def find(db: sqlite3.Connection) -> TableRun | None:
            found = db.execute("SELECT max(run) FROM runs WHERE table_name = ?", (table,)).fetchone()
            return None if found[0] is None else _load_run(db, found[0])

        return await self.query(find)

    async def hand(self, run: int, number: int) -> StoredHand | None:
        """One hand, with its neighbours."""

        def find(db: sqlite3.Connection) -> StoredHand | None:
            whole = _load_run(db, run)
            row = db.execute(f"{_SELECT_HANDS} AND number = ?", (run, number)).fetchone()
            if whole is None or row is None:
                return None
            around = db.execute(
                "SELECT (SELECT max(number) FROM hands WHERE run = ?1 AND number < ?2),"
                " (SELECT min(number) FROM hands WHERE run = ?1 AND number > ?2)",
                (run, number),
            ).fetchone()
            return _parse_hand(whole, row)._replace(before=around[0], after=around[1])

        return await self.query(find)

    async def hands(self, run: int, before: int | None, limit: int) -> list[StoredHand]:
        """The last hands of a run, newest first; with ``before`` only those of a lower number."""

        def find(db: sqlite3.Connection) -> list[StoredHand]:
            whole = _load_run(db, run)
            if whole is None:
                return []
            rows = db.execute(
                f"{_SELECT_HANDS} AND number < ? ORDER BY number DESC LIMIT ?",
                (run, 2**62 if before is None else before, limit),
            )
            return [_parse_hand(whole, row) for row in rows]

        return await self.query(find)

    async def challenge(self, run: int) -> tuple[TableRun, int, str] | None:
        """How the challenge of that run ended: the run, when that was, and the message as JSON."""

        def find(db: sqlite3.Connection) -> tuple[TableRun, int, str] | None:
            whole = _load_run(db, run)
            row = db.execute("SELECT at, result FROM challenges WHERE run = ?", (run,)).fetchone()
            if whole is None or row is None:
                return None
            at, result = msgspec.convert(row, tuple[int, str])
            msgspec.json.decode(result, type=ChallengeResult)
            return whole, at, result

        return await self.query(find)


class TableRecorder:
    """Records the hands of one table. ``run`` is the id of this stretch of it, as in ``table-1.7``."""

    def __init__(self, archive: HandStore, opened: TableRun) -> None:
        self.number = opened.number
        self.run = opened.id
        self._run = opened
        self._archive = archive
        self._game = opened.game
        self._seated = (StoredSeat(""),) * opened.seats
        self._rival: TableRecorder | None = None

    def hand_id(self, hand: int) -> str:
        """The id of a hand of this table."""
        return f"{self.run}.{hand}"

    def begin(self, game: Game, seated: Sequence[tuple[str, str]]) -> None:
        """A hand begins: what is played in it, and who sits where (name and identity, by seat)."""
        self._game = game
        self._seated = tuple(StoredSeat(*one) for one in seated)

    def hand(self, events: Sequence[Event]) -> None:
        """Keep one finished hand."""
        started = events[0]
        assert isinstance(started, HandStarted)
        self._archive.add_hand(
            self.number,
            started.hand,
            (self._game.name, self._game.text(), json.dumps(self._seated), hand_line(events)),
        )

    def cards_shown(self, hand: int, seat: int, cards: Sequence[int]) -> None:
        """Somebody shows cards of a finished hand by choice."""
        self._archive.queue_write("showed", (json.dumps([seat, list(cards)]), self.number, hand))

    def rival_recorder(self, number: int = 0) -> TableRecorder:
        """A record for another run with the same deals, of which nothing is told before it is closed: a new
        one, or that with this number.
        """
        run = self._run._replace(table=f"{self._run.table}-rival", kind="rival")
        self._rival = self._archive.start_recorder(run._replace(number=number))
        return self._rival

    def conclude(self, result: ChallengeResult) -> ChallengeResult:
        """Keep how the challenge ended that was played here, with the ids of both runs in it."""
        assert self._rival is not None
        result = structs.replace(result, run=self.run, rival_run=self._rival.run)
        self._archive.queue_write("challenge", (self.number, _now(), JSON.encode(result).decode()))
        return result

    def save_state(self, state: Callable[[], bytes]) -> None:
        """The table has changed: keep what ``state`` says when all that goes on is done."""
        self._archive.save_table(self._run.table, state)

    def append_step(self, state: Callable[[], bytes], line: bytes) -> None:
        """The hand goes on by what ``line`` says; else as ``stands``."""
        self._archive.append_line(self._run.table, state, line)

    def release(self) -> None:
        """The table is left as it was kept last."""
        self._archive.discard_changes(self._run.table)

    def forget(self) -> None:
        """The table is closed for good."""
        self._archive.delete_table(self._run.table)

    def close(self, seed: bytes) -> None:
        """The match is over, and its seed no secret any more."""
        self._archive.queue_write("over", (seed.hex(), _now(), self.number))


#: Rows as they are read, and JSON in them.
_RunRow = tuple[int, str, str, str, str, int, str, str, int, int | None, str]
_HandRow = tuple[int, int, str, str, str, str, str]
_decode_seated = msgspec.json.Decoder(tuple[StoredSeat, ...]).decode
_decode_showed = msgspec.json.Decoder(tuple[tuple[int, tuple[int, ...]], ...]).decode
_SELECT_HANDS: Final = (
    "SELECT number, played_at, game, game_text, seated, events, showed FROM hands WHERE run = ?"
)


def _load_run(db: sqlite3.Connection, number: int) -> TableRun | None:
    row = db.execute(
        "SELECT run, table_name, mode, game, game_text, seats, commitment, seed, opened_at, closed_at,"
        " kind FROM runs WHERE run = ?",
        (number,),
    ).fetchone()
    if row is None:
        return None
    run, table, mode, name, text, *rest = msgspec.convert(row, _RunRow)
    return TableRun(run, table, mode, parse_game(text, name), *rest)


def _parse_hand(run: TableRun, row: object) -> StoredHand:
    number, played_at, name, text, seats, played, shown = msgspec.convert(row, _HandRow)
    game, seated, showed = parse_game(text, name), _decode_seated(seats), _decode_showed(shown)
    events = tuple(map(event_from_data, json.loads(played)))
    whole = events and type(events[0]) is HandStarted and type(events[-1]) is HandEnded
    if not whole or len(seated) != run.seats or any(not _is_shown(one, run.seats) for one in showed):
        raise ValueError(f"hand {number} of run {run.number} is none")
    return StoredHand(run, number, played_at, game, seated, events, showed)


def _is_shown(showed: tuple[int, tuple[int, ...]], seats: int) -> bool:
    seat, cards = showed
    return 0 <= seat < seats and all(0 <= card < 52 for card in cards)


def _now() -> int:
    return time.time_ns() // 1_000_000
