"""Every log of the reference dealer comes back, and hands from all over it go to every format."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dealer.records.texts import HOLDEM, lines, read, some_of, written


@pytest.mark.parametrize("path", HOLDEM, ids=lambda path: path.stem)
def test_logs_of_the_reference_dealer_keep_every_line(path: Path) -> None:
    log = path.read_text("ascii")
    records = read(log, "acpc")
    assert lines(written(records, "acpc")) == lines(log)
    some = some_of(records)
    expected = lines(written(some, "acpc"))
    assert len(expected) > 100
    for name in ("acpc", "phhs", "ohh", "journal"):
        back = written(read(written(some, name), name), "acpc")
        assert lines(back) == expected, name
