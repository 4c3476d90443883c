"""How everybody played at the open tables here, counted from the archive by processes of its own."""

from __future__ import annotations

import asyncio
import gc
import os
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from dealer.errors import DealerError
from dealer.ratings.style import StyleCounts, StyleTally, count_stored, position_names
from dealer.rules.games import parse_game
from server.storage.sqlite import connect
from server.storage.stored_hands import StoredSeat

#: Processes that count at once.
PROCESSES: Final = 2
#: Tables that others may know: no challenges, no practice, no tables that only a link leads to.
_RUNS: Final = (
    "SELECT run FROM runs WHERE mode != 'challenge' AND kind IN ('', 'exhibition')"
    " AND table_name NOT LIKE 'private-%'"
)
#: Later on only the latest are counted, which an index finds. At first all are, faster in their own order.
_HANDS: Final = (
    "SELECT run, game_text, seated, events FROM hands{order}"
    " WHERE played_at > ? AND played_at <= ? AND (run + number) % ? = ?"
)
_decode_events: Final = msgspec.json.Decoder(list[list]).decode  # type: ignore[type-arg]
_decode_seated: Final = msgspec.json.Decoder(tuple[StoredSeat, ...]).decode


class PlayerPlace(NamedTuple):
    """A player, with the identity of his cookie ("" for bots), in a position such as ``BTN``."""

    name: str
    identity: str
    position: str


class StyleRow(NamedTuple):
    """What a player did in a position, and won in ``blinds``, big ones; ``squares``: summed by hand."""

    place: PlayerPlace
    counts: StyleCounts
    blinds: float
    squares: float


async def count_styles(path: Path, since: int, until: int) -> list[StyleRow]:
    """Return what everybody did in the hands of the archive that ended in that time (milliseconds since
    1970); a player may have several rows. Raises ``OSError`` if it cannot be counted.
    """
    parts = await asyncio.gather(*(_count_part(path, since, until, part) for part in range(PROCESSES)))
    return [row for rows in parts for row in rows]


async def _count_part(path: Path, since: int, until: int, part: int) -> list[StyleRow]:
    words = (str(path), str(since), str(until), str(part), str(PROCESSES))
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pokerd.count_process", *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        output, problem = await child.communicate()
    except asyncio.CancelledError:
        child.kill()
        raise
    if child.returncode:
        raise OSError(f"the hands cannot be counted: {problem.decode(errors='replace')[-500:].strip()}")
    return msgspec.json.decode(output, type=list[StyleRow])


def count_archive(path: Path, since: int, until: int, part: int, parts: int) -> list[StyleRow]:
    """Return the sums of a part of the hands; damaged ones count for nothing. Raises ``sqlite3.Error``."""
    tallies: dict[PlayerPlace, StyleTally] = {}

    @lru_cache(maxsize=10_000)  # every table has its players in several orders
    def tallies_of(seated: bytes, seats: tuple[int, ...]) -> list[StyleTally]:
        players = _decode_seated(seated)
        names = position_names(len(seats))
        places = [PlayerPlace(*players[seat], name) for seat, name in zip(seats, names, strict=True)]
        return [tallies.setdefault(place, StyleTally()) for place in places]

    with closing(connect(path, read_only=True)) as db:
        runs = {run for (run,) in db.execute(_RUNS)}
        db.text_factory = bytes
        query = _HANDS.format(order="" if since else " NOT INDEXED")
        for run, game, seated, line in db.execute(query, (since, until, parts, part)):
            if run in runs:
                with suppress(ValueError, TypeError, LookupError, DealerError):
                    events = _decode_events(line)
                    count_stored(events, tallies_of(seated, tuple(events[0][2])), _big_blind(game))
    return [StyleRow(place, one.counts(), one.blinds, one.squares) for place, one in tallies.items()]


@lru_cache
def _big_blind(game: bytes) -> int:
    found = parse_game(game.decode())
    return max(*found.blinds, found.ante, 1)


def count_process(words: Sequence[str]) -> None:
    """Do what ``pokerd.count_process`` does: print ``StyleRow`` as JSON of a part of the hands in a file.
    ``words``: the arguments of ``count_archive``.
    """
    with suppress(OSError):  # the server comes first
        os.nice(10)
    gc.disable()  # nothing is made here that refers to itself
    path, *numbers = words
    since, until, part, parts = map(int, numbers)
    try:
        rows = count_archive(Path(path), since, until, part, parts)
    except sqlite3.Error as error:
        sys.exit(f"{path}: {error}")
    sys.stdout.buffer.write(msgspec.json.encode(rows))
