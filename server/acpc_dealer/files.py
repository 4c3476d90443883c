"""The files of a match: log, transaction log and transcript, in the format of the ACPC reference dealer
1.0.42.
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


class MatchLog:
    """``NAME.log``. With ``append``, hands that it already contains are not written again."""

    def __init__(self, options: DealerOptions) -> None:
        self._file: IO[str] | None = None
        self._logged = -1
        if options.log:
            self._file, text = _open(Path(f"{options.name}.log"), append=options.append)
            self._logged = _last_hand(text)

    def write(self, text: str) -> None:
        """Write the header or the score. It is flushed with the next hand, or at the end."""
        if self._file is not None:
            self._file.write(text)

    def write_hand(self, number: int, line: str) -> None:
        """Write and flush a finished hand."""
        if self._file is not None and number > self._logged:
            self._file.write(line)
            self._file.flush()

    def close(self) -> None:
        """Flush and close the file."""
        if self._file is not None:
            self._file.close()


def _last_hand(text: str) -> int:
    """Return the highest hand number in a log, or -1."""
    return max(
        (int(line.split(":", 2)[1]) for line in text.splitlines() if line.startswith("STATE:")), default=-1
    )


def _open(path: Path, *, append: bool) -> tuple[IO[str], str]:
    """Open a file for appending and return it with its content, which is discarded unless ``append``. An
    incomplete last line is cut off. Raises AcpcDealerError ``in_use`` if another match is writing it.
    """
    in_use = AcpcDealerError("in_use", f"another match is writing {path}")
    descriptor = open_locked(path, in_use, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    # Names may contain any bytes, as with the reference.
    file = os.fdopen(descriptor, "a", encoding="utf-8", errors="surrogateescape", newline="\n")
    data = path.read_bytes() if append else b""
    whole = data[: data.rfind(b"\n") + 1]
    file.truncate(len(whole))
    return file, whole.decode("utf-8", "surrogateescape")


class Transaction(NamedTuple):
    """An action: its word as in the betting, its hand, and when the player was asked and when it answered
    (seconds since 1970).
    """

    word: str
    hand: int
    sent: float
    received: float

    def text(self) -> str:
        """Return the line, as read by ``TransactionLog``."""
        return f"{self.word} {self.hand} {self.sent:.6f} {self.received:.6f}\n"


_TRANSACTION: Final = re.compile(
    r"([fc]|r[0-9]{0,10}) ([0-9]{1,10}) ([0-9]{1,12}\.[0-9]{6}) ([0-9]{1,12}\.[0-9]{6})", re.ASCII
)


class TransactionLog:
    """``NAME.tlog``: all actions, from which a match can be resumed. ``previous`` has those of
    earlier runs.
    """

    def __init__(self, options: DealerOptions) -> None:
        self._file: IO[str] | None = None
        self.previous: list[Transaction] = []
        if options.transactions:
            path = Path(f"{options.name}.tlog")
            self._file, text = _open(path, append=options.append)
            self.previous = list(_parse_transactions(path.name, text))

    def write(self, transaction: Transaction) -> None:
        """Write and flush an action."""
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
                "bad_tlog",
                f"{name}, line {number}: expected an action with its hand and times, not {line[:60]!r}",
            )
        yield Transaction(found[1], int(found[2]), float(found[3]), float(found[4]))


class StderrLog:
    """Standard error: what was sent and received and when, warnings, errors."""

    #: Maximum number of buffered lines; they are also flushed when the match waits for a player.
    MAX_BUFFERED: Final = 200

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        # Bypass Python's buffer, which would write, or fail, once more at exit. -1 if it was closed at start.
        self._stream = -1 if sys.stderr is None else sys.stderr.fileno()
        self._lines: list[str] = []

    def write(self, text: str) -> None:
        """Write a text, even if quiet, and flush."""
        self._lines.append(text)
        self.flush()

    def write_timed(self, what: str, line: bytes = b"") -> None:
        """Write what happens with the time, and the line as sent or received, including its end."""
        if not self.quiet:
            text = line.split(b"\0", 1)[0].decode("latin-1")
            end = "" if text.endswith("\n") else "\n"
            self._lines.append(f"{what} at {time.time():.6f}{' ' if line else ''}{text}{end}")
            if len(self._lines) > self.MAX_BUFFERED:
                self.flush()

    def write_unless_quiet(self, text: str) -> None:
        """Write a line without a time."""
        if not self.quiet:
            self._lines.append(text)

    def flush(self) -> None:
        """Write the buffered lines."""
        lines, self._lines = self._lines, []
        # A closed or full standard error must not end the match.
        if lines and self._stream >= 0:
            with contextlib.suppress(OSError):
                os.write(self._stream, "".join(lines).encode("utf-8", "surrogateescape"))
