"""Every log of the reference dealer goes to every format and comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dealer.records.test_convert import HOLDEM, lines, read, written


@pytest.mark.parametrize("path", HOLDEM, ids=lambda path: path.stem)
@pytest.mark.parametrize("name", ["acpc", "phhs", "ohh", "journal"])
def test_logs_of_the_reference_dealer_keep_every_line(path: Path, name: str) -> None:
    log = path.read_text("ascii")
    there = written(read(log, "acpc"), name)
    back = written(read(there, name), "acpc")

    assert lines(back) == lines(log)
