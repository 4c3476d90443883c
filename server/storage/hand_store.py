"""The hands of open tables, stored in one SQLite file (``server.storage.hand_db``).

A *run* is one match of a table, from its opening to its closing; in a series, one tournament. It continues
after a restart. ``table-1.7`` is a run, ``table-1.7.33`` one of its hands. The seed is stored in its row when
the match is over, never before.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec import structs

from dealer.errors import DealerError
from dealer.records.journal import hand_line
from dealer.rules.events import Event, HandEnded, HandStarted, ends_of, event_from_data, start_of
from dealer.rules.games import Game, parse_game
from protocol.codec import JSON
from protocol.people import ChallengeResult
from server.storage.hand_db import HandDatabase
from server.storage.stored_hands import (
    HandSums,
    OwnHand,
    PlayedDay,
    StoredChallenge,
    StoredHand,
    StoredRun,
    StoredSeat,
    archived_name,
    player_key,
)

#: Hands stored per run: bots that play on forever would fill any disk.
MAX_HANDS_PER_RUN: Final = 100_000
#: Hands stored of all runs: every start of the server adds some.
MAX_HANDS: Final = 1_000_000
#: Hands between two deletions of the oldest, and how many are deleted at once: more than are added, so that a
#: file that is too long shrinks, and few enough that nobody waits.
_PRUNE_EVERY: Final = 100
_PRUNE_COUNT: Final = 200


class HandStore(HandDatabase):
    """The hands in the file at ``path``: the last ``max_per_run`` of every run, and the last ``max_hands`` of
    all. ``shared``: workers write to it as well; ``worker`` as in ``HandDatabase``. Raises
    ``HandStoreError``.
    """

    def __init__(
        self,
        path: Path,
        *,
        max_per_run: int = MAX_HANDS_PER_RUN,
        max_hands: int = MAX_HANDS,
        shared: bool = False,
        worker: int = 0,
    ) -> None:
        super().__init__(path, worker)
        self._shared = shared or worker > 0
        self.max_per_run = max_per_run
        self.max_hands = max_hands
        self._last_run = self.query_number("SELECT ifnull(max(run), 0) FROM runs")
        self._hand_count = self.query_number("SELECT count(*) FROM hands")

    def start_recorder(self, run: StoredRun, name: str = "") -> TableRecorder:
        """Return the recorder of a run: a new one if its number is 0, otherwise an existing one. ``name``: of
        its table, if the run has another.
        """
        if run.number:
            return TableRecorder(self, run, name)
        run = run._replace(opened_at=_now())
        game = run.game
        values = (*run[1:3], game.name, game.text(), run.seats, run.commitment, run.opened_at, run.kind)
        if self._shared:
            return TableRecorder(self, run._replace(number=self.insert_run(values)), name)
        self._last_run += 1
        self.queue_write("run", (self._last_run, *values))
        return TableRecorder(self, run._replace(number=self._last_run), name)

    def open_table(
        self, name: str, *, mode: str, game: Game, seats: int, commitment: str, kind: str = "", run: int = 0
    ) -> TableRecorder:
        """Record the opening of a table, or its continuation as ``run``. Return the recorder of its hands."""
        run_name = archived_name(name)
        opened = StoredRun(run, run_name, mode, game, seats, commitment, "", 0, None, kind)
        return self.start_recorder(opened, name)

    def add_hand(
        self,
        run: int,
        number: int,
        values: Sequence[str | int],
        owners: Sequence[StoredSeat] = (),
        won: float | None = None,
    ) -> None:
        """Store a hand that these people played, and delete old ones from time to time. ``won``: what one
        person won from bots alone, in big blinds.
        """
        self._hand_count += 1
        now = _now()
        self.queue_write("hand", (run, number, now, *values))
        for owner in owners:
            if won is None:
                self.queue_write("own_hand", (owner.identity, now, run, number))
            else:
                self.queue_write("hand_won", (owner.identity, now, run, number, owner.name, won))
        if not number % _PRUNE_EVERY:
            self.queue_write("old_of_run", (run, number - self.max_per_run), self._on_deleted)
        elif number % _PRUNE_EVERY == 1 and self._hand_count > self.max_hands:
            self.queue_write(
                "oldest", (min(_PRUNE_COUNT, self._hand_count - self.max_hands),), self._on_deleted
            )

    def count_hands(self, hands: int) -> None:
        """Count hands that workers have stored, and delete as many of the oldest as are too many."""
        self._hand_count += hands
        if hands and self._hand_count > self.max_hands:
            most = max(_PRUNE_COUNT, 2 * hands)
            self.queue_write("oldest", (min(most, self._hand_count - self.max_hands),), self._on_deleted)

    def _on_deleted(self, hands: int) -> None:
        self._hand_count -= hands

    async def run(self, number: int) -> StoredRun | None:
        """Return a run by its number."""
        return await self.query(lambda db: _load_run(db, number))

    async def latest_run(self, table: str) -> StoredRun | None:
        """Return the last run of a table of that name."""

        def find(db: sqlite3.Connection) -> StoredRun | None:
            name = archived_name(table)
            found = db.execute("SELECT max(run) FROM runs WHERE table_name = ?", (name,)).fetchone()
            return None if found[0] is None else _load_run(db, found[0])

        return await self.query(find)

    async def find_hand(self, run: int, number: int) -> StoredHand | None:
        """Return a hand with its neighbours."""

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

    def hand_now(self, run: int, number: int) -> StoredHand | None:
        """Return a hand at once, without its neighbours; None if it is not there, or damaged."""
        return next(iter(self.query_now(lambda db: _read_hands(db, [(run, number)]))), None)

    async def hands(self, run: int, before: int | None, limit: int) -> list[StoredHand]:
        """Return the last hands of a run, newest first; with ``before``, only lower numbers."""

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

    async def own_hands(self, identity: str, most: int) -> list[OwnHand]:
        """Return the newest ``most`` hands of a person, in the order of play."""

        def find(db: sqlite3.Connection) -> list[OwnHand]:
            rows = db.execute(
                "SELECT run, number, won IS NOT NULL FROM own_hands WHERE identity = ?"
                " ORDER BY at DESC, run DESC, number DESC LIMIT ?",
                (identity, most),
            )
            return msgspec.convert(rows.fetchall(), list[OwnHand], strict=False)[::-1]

        return await self.query(find)

    async def sums_against_bots(self, start: int, end: int) -> list[HandSums]:
        """Return what everybody has won against bots alone, at cash tables, in these milliseconds since 1970;
        a person has an entry for each table's bots.
        """

        def find(db: sqlite3.Connection) -> list[HandSums]:
            rows = db.execute(
                "SELECT identity, name, count(*), total(won), total(won * won), max(at), seated"
                " FROM own_hands JOIN runs USING (run) JOIN hands USING (run, number)"
                " WHERE won IS NOT NULL AND at >= ? AND at < ? AND table_name NOT LIKE 'private-%'"
                " GROUP BY identity, seated",
                (start, end),
            )
            return [HandSums._make([*row[:6], _bots_of(row[6])]) for row in rows]

        return await self.query(find)

    async def day_results(self, first: str, last: str) -> list[PlayedDay]:
        """Return the first tries of everybody with the hands of these days that were played to their end."""

        def find(db: sqlite3.Connection) -> list[PlayedDay]:
            rows = db.execute(
                "SELECT who, plays.at, deals, result FROM plays JOIN challenges USING (run)"
                " WHERE deals >= ? AND deals <= ? AND net IS NOT NULL ORDER BY deals",
                (first, last),
            )
            return [PlayedDay(who, at, day, _decode_result(result)) for who, at, day, result in rows]

        return await self.query(find)

    async def read_hands(self, keys: Sequence[tuple[int, int]]) -> list[StoredHand]:
        """Return the hands with these runs and numbers; without those that are gone or damaged."""

        return await self.query(lambda db: _read_hands(db, keys))

    async def challenge(self, run: int) -> StoredChallenge | None:
        """Return the result of a challenge."""
        return await self.query(lambda db: self.find_challenge(db, run))

    @staticmethod
    def find_challenge(db: sqlite3.Connection, run: int) -> StoredChallenge | None:
        """Return the result of a challenge, for ``query``."""
        whole = _load_run(db, run)
        row = db.execute("SELECT at, result, setup FROM challenges WHERE run = ?", (run,)).fetchone()
        if whole is None or row is None:
            return None
        at, result, setup = msgspec.convert(row, tuple[int, str, str])
        return StoredChallenge(whole, at, _decode_result(result), setup)


class TableRecorder:
    """Records the hands of one table. ``run`` is the id of the run, such as ``table-1.7``; ``name`` is the
    table's, if the run has another.
    """

    def __init__(self, archive: HandStore, opened: StoredRun, name: str = "") -> None:
        self.number = opened.number
        self._name = name or opened.table
        self.run = opened.id
        self._run = opened
        self._archive = archive
        self._game = opened.game
        self._seated = (StoredSeat(""),) * opened.seats
        self._against_house = False
        self._rival: TableRecorder | None = None

    def begin(self, game: Game, seated: Sequence[tuple[str, str]], *, against_house: bool = False) -> None:
        """Start a hand: its game, name and identity by seat, and whether a person plays against house bots
        alone, as they are, with usual stacks.
        """
        self._game = game
        self._against_house = against_house
        self._seated = tuple(StoredSeat(*one) for one in seated)

    def record_hand(self, events: Sequence[Event]) -> None:
        """Store a finished hand."""
        started = start_of(events)
        # Who may see the rival's hands did not play them.
        owners = [] if self._run.is_rival else [self._seated[seat] for seat in started.seats]
        people = [owner for owner in owners if owner.identity]
        self._archive.add_hand(
            self.number,
            started.hand,
            (self._game.name, self._game.text(), json.dumps(self._seated), hand_line(events)),
            people,
            self._won_from_bots(events, owners.index(people[0])) if len(people) == 1 else None,
        )

    def _won_from_bots(self, events: Sequence[Event], position: int) -> float | None:
        """Return what a person won, in big blinds, where hands count for leaders: at cash tables, none of
        which is for practice.
        """
        if not self._against_house or self._run.mode != "cash" or self._run.kind:
            return None
        return ends_of(events)[1].values[position] / max(*self._game.blinds, self._game.ante, 1)

    def record_cards_shown(self, hand: int, seat: int, cards: Sequence[int]) -> None:
        """Record that a player showed cards of a finished hand by choice."""
        self._archive.queue_write("showed", (json.dumps([seat, list(cards)]), self.number, hand))

    def rival_recorder(self, number: int = 0) -> TableRecorder:
        """Return a recorder for the other run of a challenge, secret until it is closed: a new one if
        ``number`` is 0, otherwise an existing one.
        """
        run = self._run._replace(table=f"{self._run.table}-rival", kind=f"rival {self._run.day}".rstrip())
        self._rival = self._archive.start_recorder(run._replace(number=number))
        return self._rival

    def begin_challenge(self, deals: str, identity: str, most: int) -> None:
        """Note that a person with that identity plays ``deals``, "" for those of this run. Only his first
        try counts, and only those of the first ``most`` people.
        """
        if identity:
            self._archive.queue_write("play", (deals or self.run, player_key(identity), self.number, most))

    def conclude(self, result: ChallengeResult, setup: bytes = b"", identity: str = "") -> ChallengeResult:
        """Store the result of the challenge that was played here, with the ids of both runs. ``setup`` and
        ``identity``: what others need who play the same deals, and who played.
        """
        rival_run = result.rival_run if self._rival is None else self._rival.run
        result = structs.replace(result, run=self.run, rival_run=rival_run)
        self._archive.queue_write("challenge", (self.number, _now(), JSON.encode(result).decode()))
        self._archive.queue_write("setup", (setup.decode(), self.number))
        if identity and len(result.hands) == result.of:
            who = (result.deals or self.run, player_key(identity), self.number)
            self._archive.queue_write("played", (_now(), result.player_net, *who))
        return result

    def save_state(self, state: Callable[[], bytes]) -> None:
        """Note that the table has changed: store the result of ``state`` after the current step."""
        self._archive.save_table(self._name, state)

    def append_step(self, state: Callable[[], bytes], line: bytes) -> None:
        """Record a step of the hand as ``line``; otherwise like ``save_state``."""
        self._archive.append_line(self._name, state, line)

    def release(self) -> None:
        """Leave the table as last stored."""
        self._archive.discard_changes(self._name)

    def forget(self) -> None:
        """Delete the closed table."""
        self._archive.delete_table(self._name)

    def close(self, seed: bytes) -> None:
        """Record the end of the match, with its seed unless that is of a day, when others may play it."""
        self._archive.queue_write("over", ("" if self._run.day else seed.hex(), _now(), self.number))


#: Rows as they are read, with JSON in them.
_RunRow = tuple[int, str, str, str, str, int, str, str, int, int | None, str]
_HandRow = tuple[int, int, str, str, str, str, str]
_decode_result = msgspec.json.Decoder(ChallengeResult).decode
_decode_seated = msgspec.json.Decoder(tuple[StoredSeat, ...]).decode
_decode_showed = msgspec.json.Decoder(tuple[tuple[int, tuple[int, ...]], ...]).decode
_SELECT_HANDS: Final = (
    "SELECT number, played_at, game, game_text, seated, events, showed FROM hands WHERE run = ?"
)


def _bots_of(seated: str) -> frozenset[str]:
    """Return the bots among those who are seated, without their numbers; one without a name if that is
    damaged.
    """
    with suppress(ValueError):
        bots = [one.name for one in _decode_seated(seated) if one.name and not one.identity]
        return frozenset(name.rpartition("-")[0] for name in bots)
    return frozenset([""])


def _load_run(db: sqlite3.Connection, number: int) -> StoredRun | None:
    row = db.execute(
        "SELECT run, table_name, mode, game, game_text, seats, commitment, seed, opened_at, closed_at,"
        " kind FROM runs WHERE run = ?",
        (number,),
    ).fetchone()
    if row is None:
        return None
    run, table, mode, name, text, *rest = msgspec.convert(row, _RunRow)
    return StoredRun(run, table, mode, parse_game(text, name), *rest)


def _read_hands(db: sqlite3.Connection, keys: Sequence[tuple[int, int]]) -> list[StoredHand]:
    found = []
    runs: dict[int, StoredRun | None] = {}
    for run, number in keys:
        with suppress(ValueError, TypeError, LookupError, RecursionError, DealerError):
            whole = runs[run] if run in runs else runs.setdefault(run, _load_run(db, run))
            row = db.execute(f"{_SELECT_HANDS} AND number = ?", (run, number)).fetchone()
            if whole is not None and row is not None:
                found.append(_parse_hand(whole, row))
    return found


def _parse_hand(run: StoredRun, row: object) -> StoredHand:
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
