"""The formats of hand records as data, and conversion between them.

A format is registered here only: a reader that yields ``HandRecord``s, and a writer that yields text for
them, hand by hand, so that no file has to fit into memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path, PurePath
from typing import NamedTuple

from dealer.errors import RecordError
from dealer.records.acpc_log import read_acpc, write_acpc
from dealer.records.hands import HandRecord
from dealer.records.journal_file import read_journal_file, write_journal_file
from dealer.records.ohh import write_ohh
from dealer.records.ohh_read import read_ohh
from dealer.records.phh import write_phh, write_phhs
from dealer.records.phh_read import read_phh
from dealer.records.pokerstars import write_pokerstars
from dealer.records.pokerstars_read import read_pokerstars
from dealer.records.replay import Source
from dealer.rules.games import Game


class RecordFormat(NamedTuple):
    """A format: its file suffixes, its reader (called with a game or None), and its writer."""

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Source, Game | None], Iterator[HandRecord]]
    write: Callable[[Iterable[HandRecord]], Iterator[str]]


FORMATS = {
    one.name: one
    for one in (
        RecordFormat("acpc", (".log",), read_acpc, write_acpc),
        RecordFormat("phh", (".phh",), read_phh, write_phh),
        RecordFormat("phhs", (".phhs",), read_phh, write_phhs),
        RecordFormat("ohh", (".ohh", ".json"), read_ohh, write_ohh),
        RecordFormat("pokerstars", (".txt",), read_pokerstars, write_pokerstars),
        RecordFormat("journal", (".jsonl",), read_journal_file, write_journal_file),
    )
}


def find_format(path: str, name: str = "") -> RecordFormat:
    """Return the format called ``name``, or that of a path's suffix.

    Raises ``RecordError`` ``unknown_format``.
    """
    suffix = PurePath(path).suffix.lower()
    for one in FORMATS.values():
        if one.name == name or (not name and suffix in one.suffixes):
            return one
    known = ", ".join(f"{one.name} ({', '.join(one.suffixes)})" for one in FORMATS.values())
    raise RecordError("unknown_format", f"no format for {name or path!r}; there are {known}")


def convert(
    source: Source,
    before: RecordFormat,
    after: RecordFormat,
    *,
    game: Game | None = None,
    folder: Path | None = None,
    currency: str = "",
    tournament: str = "",
    progress: Callable[[int], None] = lambda hands: None,
) -> Iterator[str]:
    """The text of a file in the format ``after``, piece by piece, from one in the format ``before``.

    ``game``: what is played, where the file does not tell; ``folder``: where the file lies. ``currency`` and
    ``tournament`` are those of hands that tell none. ``progress`` is called with the number of each hand.
    Raises ``RecordError``: ``no_hands`` and the codes of the formats.
    """
    hands = 0
    # A log names the file of its game, which may lie beside it.
    read = partial(read_acpc, folder=folder) if before.read is read_acpc else before.read

    def records() -> Iterator[HandRecord]:
        nonlocal hands
        for record in read(source, game):
            hands += 1
            progress(hands)
            meta = record.meta
            yield record._replace(
                meta=meta._replace(
                    currency=meta.currency or currency, tournament=meta.tournament or tournament
                )
            )

    yield from after.write(records())
    if not hands:
        raise RecordError("no_hands", "there is no hand to convert")
