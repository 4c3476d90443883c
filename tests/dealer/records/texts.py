"""Records as texts of every format, written and read, and the logs of the reference dealer."""

from __future__ import annotations

import io
from collections.abc import Sequence

from dealer.records.convert import FORMATS
from dealer.records.hands import HandRecord
from dealer.rules.games import Game
from tests.support.golden import GOLDEN

LOGS = sorted(GOLDEN.glob("*.log"))
HOLDEM = [path for path in LOGS if "kuhn" not in path.name and "leduc" not in path.name]


def written(records: Sequence[HandRecord], name: str) -> str:
    return "".join(FORMATS[name].write(records))


def read(text: str, name: str, game: Game | None = None) -> list[HandRecord]:
    return list(FORMATS[name].read(io.StringIO(text), game))


def some_of(records: Sequence[HandRecord]) -> list[HandRecord]:
    """About 150 hands, from the first to the last; each goes from format to format alone."""
    return list(records[:: max(1, len(records) // 150)])


def lines(text: str) -> list[str]:
    """The lines of an ACPC log that count."""
    return [line for line in text.splitlines() if line.startswith(("STATE:", "SCORE:"))]
