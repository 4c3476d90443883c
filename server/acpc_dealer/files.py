"""What a match leaves behind: its log, its transaction log and its transcript, as the ACPC reference dealer
1.0.42 writes them.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, NamedTuple

from server.acpc_dealer.options import AcpcDealerError, DealerOptions
from server.storage.locks import open_locked

__all__ = ["MatchLog", "Transaction", "TransactionLog", "Transcript"]


class MatchLog:
    """``NAME.log``. With ``append`` the hands that it holds already are not written again."""

    def __init__(self, options: DealerOptions) -> None:
        self._file: IO[str] | None = None
        self._logged = -1
        if options.log:
            self._file, text = _open(Path(f"{options.name}.log"), append=options.append)
            self._logged = _last_hand(text)

    def write(self, text: str) -> None:
        """Header and score: on disk with the next hand, or at the end."""
        if self._file is not None:
            self._file.write(text)

    def write_hand(self, number: int, line: str) -> None:
        """A finished hand."""
        if self._file is not None and number > self._logged:
            self._file.write(line)
            self._file.flush()

    def close(self) -> None:
        """Write what is not on disk yet."""
        if self._file is not None:
            self._file.close()


def _last_hand(text: str) -> int:
    """The highest number of a hand in a log; -1 without one."""
    return max(
        (int(line.split(":", 2)[1]) for line in text.splitlines() if line.startswith("STATE:")), default=-1
    )


def _open(path: Path, *, append: bool) -> tuple[IO[str], str]:
    """A file to add to, and what it holds: nothing, unless ``append``. A last line that was never finished is
    cut off. Raises AcpcDealerError ``in_use`` when another match writes it.
    """
    in_use = AcpcDealerError("in_use", f"another match writes {path}")
    descriptor = open_locked(path, in_use, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    # Names may have any bytes, as the reference takes them.
    file = os.fdopen(descriptor, "a", encoding="utf-8", errors="surrogateescape", newline="\n")
    data = path.read_bytes() if append else b""
    whole = data[: data.rfind(b"\n") + 1]
    file.truncate(len(whole))
    return file, whole.decode("utf-8", "surrogateescape")


class Transaction(NamedTuple):
    """An action as it was taken: a word as in betting, hand, and when the player was asked and answered
    (seconds since 1970).
    """

    word: str
    hand: int
    sent: float
    received: float

    def text(self) -> str:
        """The line; ``TransactionLog`` reads it back."""
        return f"{self.word} {self.hand} {self.sent:.6f} {self.received:.6f}\n"


_TRANSACTION: Final = re.compile(
    r"([fc]|r[0-9]{0,10}) ([0-9]{1,10}) ([0-9]{1,12}\.[0-9]{6}) ([0-9]{1,12}\.[0-9]{6})", re.ASCII
)


class TransactionLog:
    """``NAME.tlog``: every action, from which a match can be resumed. ``earlier`` are those it held."""

    def __init__(self, options: DealerOptions) -> None:
        self._file: IO[str] | None = None
        self.previous: list[Transaction] = []
        if options.transactions:
            path = Path(f"{options.name}.tlog")
            self._file, text = _open(path, append=options.append)
            self.previous = list(_parse_transactions(path.name, text))

    def write(self, transaction: Transaction) -> None:
        """Add an action; it is on disk when this returns."""
        if self._file is not None:
            self._file.write(transaction.text())
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def _parse_transactions(name: str, text: str) -> Iterator[Transaction]:
    for number, line in enumerate(text.splitlines(), 1):
        found = _TRANSACTION.fullmatch(line)
        if found is None:
            raise AcpcDealerError(
                "bad_tlog", f"{name}, line {number}: not an action with its hand and times: {line[:60]!r}"
            )
        yield Transaction(found[1], int(found[2]), float(found[3]), float(found[4]))


class Transcript:
    """Standard error: what was said to whom and when, warnings, errors."""

    #: Lines that wait until the match waits for somebody, or until there are this many.
    MAX_BUFFERED: Final = 200

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        # Without Python's buffer, which would be written again, or fail again, at the end. -1: it was closed
        # before the start.
        self._stream = -1 if sys.stderr is None else sys.stderr.fileno()
        self._lines: list[str] = []

    def write(self, text: str) -> None:
        """Something that is always said."""
        self._lines.append(text)
        self.flush()

    def write_timed(self, what: str, line: bytes = b"") -> None:
        """What happens now, with the time, and the line as it is said, its end included."""
        if not self.quiet:
            said = line.split(b"\0", 1)[0].decode("latin-1")
            end = "" if said.endswith("\n") else "\n"
            self._lines.append(f"{what} at {time.time():.6f}{' ' if line else ''}{said}{end}")
            if len(self._lines) > self.MAX_BUFFERED:
                self.flush()

    def write_unless_quiet(self, text: str) -> None:
        """A line between the others, without a time."""
        if not self.quiet:
            self._lines.append(text)

    def flush(self) -> None:
        """Write what was noted."""
        lines, self._lines = self._lines, []
        # A match does not end because nobody can be told of it.
        if lines and self._stream >= 0:
            with contextlib.suppress(OSError):
                os.write(self._stream, "".join(lines).encode("utf-8", "surrogateescape"))
