"""Random hands against PokerKit; ``tests/oracle`` does the same with a million."""

from __future__ import annotations

from tests.oracle.pokerkit_oracle import run


def test_five_hundred_hands_without_disagreement() -> None:
    report = run(500, 0)
    assert report.hands == 500
    # The comparison is worth something only if the hands are varied.
    assert report.decisions > 3000
    assert report.showdowns > 200
    assert min(report.short_blind, report.short_all_in) > 20
