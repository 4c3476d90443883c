"""What connections of ``pokerd.v1.batch`` share: who may open tables, what deals there, and records.

The server deals at its tables itself, but not here: compiled loops do (``strategy.batch``), which the command
hands in as it does house bots. They are imported when the first client asks for them.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, Protocol

from dealer.records.acpc import Score, log_name
from dealer.records.acpc_log import log_head
from dealer.rules.errors import GameError
from dealer.rules.games import GAMES, Game, load_game, parse_game
from protocol.batch import VERSION, Open
from protocol.errors import Refused
from server.auth.addresses import client_key

#: Bytes of a connection's records, after which no more hands are dealt to it, and of all records in the
#: folder, from which on no more are begun.
MAX_RECORD: Final = 1 << 30
MAX_RECORDS: Final = 16 << 30


class BatchTables(Protocol):
    """Tables with one client's seat at each; ``strategy.batch.service.ServedTables`` describes them.

    ``deadline``: when time is over for a turn; ``refused`` and ``ended``: rows of the last frame;
    ``row_size``: bytes of a row; ``totals``: chips won by seat.
    """

    deadline: float
    refused: int
    ended: int
    row_size: int

    @property
    def over(self) -> bool:
        """Return whether all hands are played."""
        ...

    @property
    def totals(self) -> Sequence[float]:
        """Return the chips that each seat has won in recorded hands."""
        ...

    def begin(self, clock: Callable[[], float]) -> bytes:
        """Return the first frame. Time begins when it is made."""
        ...

    def answer(self, frame: bytes, now: float) -> bytes:
        """Return the frame after an answer. Raises ``CodedError`` with a code of the protocol."""
        ...

    def force(self, now: float) -> bytes:
        """Return the frame after the policy has acted for turns whose time is over."""
        ...

    def stop_dealing(self) -> None:
        """Let every hand in progress be the last."""

    def finish(self) -> None:
        """Let the policy end the hands in progress."""


class BatchRequest(NamedTuple):
    """What is to be dealt. ``limit``: seconds for a turn; ``entropy``: random bytes for the cards, unless
    there is a ``seed``; ``write``: takes the lines of finished hands, None without records; ``names``: by
    seat, as they stand in the lines.
    """

    game: Game
    tables: int
    opponents: Sequence[str]
    hands: int
    history: int
    limit: float
    entropy: Callable[[int], bytes]
    seed: int | None
    write: Callable[[memoryview], object] | None
    names: Sequence[str]


#: Makes tables. Raises ``CodedError`` for those that cannot be.
BatchMaker = Callable[[BatchRequest], BatchTables]


class BatchLimits(NamedTuple):
    """``connections`` at once, half as many of one address; ``decision_time``: seconds for a turn; ``seeds``:
    whether clients may choose the cards; ``records``: the folder of records, None for none.
    """

    connections: int
    decision_time: float
    seeds: bool = False
    records: Path | None = None


class Record:
    """The log of one connection's hands, complete after ``close``."""

    def __init__(self, path: Path, game: Game, names: Sequence[str]) -> None:
        self.name = path.name
        self._path = path
        self._names = names
        # Written at once: a hand is in the file before its player knows how it ended.
        self._file: BinaryIO = path.open("xb", buffering=0)
        self.size = self._head = 0
        try:
            self.write(memoryview(log_head(game, path.stem).encode()))
        except OSError:
            self.abandon()
            raise
        self._head = self.size

    @property
    def full(self) -> bool:
        """Return whether no more hands fit."""
        return self.size >= MAX_RECORD

    def write(self, lines: memoryview) -> None:
        """Append lines, all of them or none. Raises ``OSError``."""
        written = 0
        try:
            while written < len(lines):
                written += self._file.write(lines[written:])
        except OSError:
            # Half a line can pass for a whole one, and then no line of the log is believed.
            self._file.truncate(self.size)
            raise
        self.size += written

    def abandon(self) -> None:
        """Close the file as it is, and remove it if no hand is in it."""
        self._file.close()
        if self.size == self._head:
            self._path.unlink()

    def close(self, totals: Sequence[float]) -> None:
        """Append the score, chips by seat."""
        with self._file:
            self.write(memoryview(Score(tuple(totals), tuple(self._names)).text().encode()))


class BatchRoom:
    """Admits connections, makes their tables, and opens their records."""

    def __init__(self, make: BatchMaker, limits: BatchLimits) -> None:
        self.make = make
        self.limits = limits
        self._playing: Counter[str] = Counter()

    def enter(self, address: str) -> None:
        """Count a connection until ``leave``. Raises ``Refused``."""
        who, limit = client_key(address), self.limits.connections
        if self._playing.total() >= limit:
            raise Refused("server_full", f"{limit} batches are played at once")
        if self._playing[who] >= max(1, limit // 2):
            raise Refused("too_many_connections", "too many batches are played from your address")
        self._playing[who] += 1

    def leave(self, address: str) -> None:
        """Count a connection that has ended."""
        self._playing[client_key(address)] -= 1
        self._playing += Counter()  # drops keys with a count of 0

    def open(self, message: Open, name: str) -> tuple[BatchRequest, Record | None]:
        """Return what a client named ``name`` asks for. Raises ``Refused`` and ``OSError``."""
        if message.version != VERSION:
            refusal = f"frames have version {VERSION} here, not {message.version}"
            raise Refused("bad_table", refusal, field="version")
        try:
            game = _game_of(message)
        except GameError as error:
            raise Refused("bad_table", str(error), field="game") from error
        opponents = (
            message.opponents * (game.players - 1) if len(message.opponents) == 1 else message.opponents
        )
        if message.seed is not None and not self.limits.seeds:
            raise Refused("bad_table", "this server lets no player choose the cards", field="seed")
        names = [name, *(f"{other}-{seat}" for seat, other in enumerate(opponents, 1))]
        names = [log_name(text) for text in names]
        if names[0] in names[1:]:  # each line tells seats by their names
            names[0] += "-0"
        record = self._record(game, names) if message.records else None
        request = BatchRequest(
            game,
            message.tables,
            opponents,
            message.hands,
            message.history,
            self.limits.decision_time,
            secrets.token_bytes,
            message.seed,
            None if record is None else record.write,
            names,
        )
        return request, record

    def _record(self, game: Game, names: Sequence[str]) -> Record:
        folder = self.limits.records
        if folder is None:
            raise Refused("bad_table", "this server records no batches", field="records")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if sum(path.stat().st_size for path in folder.glob("*.log")) >= MAX_RECORDS:
            raise Refused("server_full", "there is no room for more records")
        stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%S}"
        return Record(folder / f"batch-{stamp}-{secrets.token_hex(4)}.log", game, names)


def _game_of(message: Open) -> Game:
    """Return the game with the stacks that are asked for. Raises ``GameError``."""
    name = message.game
    if "\n" in name:
        game = parse_game(name)
    elif name in {path.stem for path in GAMES.glob("*.game")}:
        game = load_game(name)
    else:  # a stranger names no file
        raise GameError("unknown_game", f"no game is called {name[:64]!r}")
    return game if message.stacks is None else replace(game, stacks=tuple(message.stacks))
