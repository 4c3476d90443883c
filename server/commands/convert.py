"""``pokerd convert``: converts files of hand records, and writes the target only if everything went well."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, NamedTuple, TextIO

from dealer.errors import RecordError
from dealer.records.convert import convert, find_format
from dealer.rules.games import load_game

#: Seconds between updates of the progress line.
_EVERY = 0.5


class ConvertOptions(NamedTuple):
    """Options of ``pokerd convert``. Paths may be ``-`` for standard input and output; an empty string is an
    option that was not given.
    """

    source: str
    target: str
    before: str = ""
    after: str = ""
    game: str = ""
    currency: str = ""
    tournament: str = ""
    force: bool = False


def convert_file(options: ConvertOptions) -> int:
    """Convert, and return the number of hands. Leave no target if it fails.

    Raises ``RecordError``: ``unknown_format``, ``out_exists``, ``not_utf8``, ``no_hands`` and the codes of
    the formats; GameError for ``game``; OSError.
    """
    before = find_format(options.source, options.before)
    after = find_format(options.target, options.after)
    game = load_game(options.game) if options.game else None
    hands = 0
    with _source(options.source) as (binary, size), _target(options.target, force=options.force) as out:
        # Skip a byte order mark, and accept any kind of line end.
        source = TextIOWrapper(binary, encoding="utf-8-sig")
        progress_line = _ProgressLine(binary, size)

        def progress(number: int) -> None:
            nonlocal hands
            hands = number
            progress_line.hand(number)

        try:
            for text in convert(
                source,
                before,
                after,
                game=game,
                folder=None if options.source == "-" else Path(options.source).parent,
                currency=options.currency,
                tournament=options.tournament,
                progress=progress,
            ):
                out.write(text)
            out.flush()
        except UnicodeError as error:
            raise RecordError("not_utf8", f"{options.source}: after {hands} hands: {error}") from error
        except RecordError as error:
            raise RecordError(error.code, f"{options.source}: {error.detail}") from error
        finally:
            source.detach()
            progress_line.end()
    return hands


@contextmanager
def _source(path: str) -> Iterator[tuple[IO[bytes], int]]:
    """Open the input; yield it and its size, or 0 if that is unknown."""
    if path == "-":
        yield sys.stdin.buffer, 0
        return
    with Path(path).open("rb") as file:
        yield file, os.fstat(file.fileno()).st_size


@contextmanager
def _target(path: str, *, force: bool) -> Iterator[TextIO]:
    """Open the output. A file is written beside its place and moved there if all goes well."""
    if path == "-":
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
        yield sys.stdout
        return
    place = Path(path)
    _verify_free(place, force=force)
    part = place.with_name(f".{place.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8", newline="\n") as file:
            yield file
        _verify_free(place, force=force)
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def _verify_free(place: Path, *, force: bool) -> None:
    if place.exists() and not force:
        raise RecordError("out_exists", f"{place} exists; --force replaces it")


class _ProgressLine:
    """Shows progress on standard error if that is a terminal and the conversion takes a while."""

    def __init__(self, binary: IO[bytes], size: int) -> None:
        self._binary = binary
        self._size = size
        self._next = time.monotonic() + _EVERY if sys.stderr.isatty() else float("inf")
        self._printed = False

    def hand(self, number: int) -> None:
        if number % 64 == 0 and time.monotonic() >= self._next:
            share = f", {100 * self._binary.tell() // self._size} %" if self._size else ""
            sys.stderr.write(f"\r{number:,} hands{share} ")
            sys.stderr.flush()
            self._next = time.monotonic() + _EVERY
            self._printed = True

    def end(self) -> None:
        if self._printed:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
