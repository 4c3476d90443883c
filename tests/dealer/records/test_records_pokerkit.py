"""Our records as PokerKit reads them: some hundred hands. ``make oracle`` reads ten thousand."""

from __future__ import annotations

from tests.oracle.records_oracle import read_by_pokerkit, unexplained


def test_some_hundred_hands_end_alike_in_pokerkit() -> None:
    counts = read_by_pokerkit(400, 1)

    assert unexplained(counts) == 0, counts
    assert counts["phhs", "written"] == 400
    assert counts["phhs", "alike"] > 360
    assert counts["acpc", "alike"] > 80
    assert counts["pokerstars", "alike"] > 200
