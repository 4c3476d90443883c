"""Random hands against PokerKit; ``tests/oracle`` does the same with a million."""

from __future__ import annotations

import pytest

from tests.oracle.pokerkit_oracle import run


@pytest.mark.parametrize("seed", range(4))
def test_five_hundred_hands_without_disagreement(seed: int) -> None:
    report = run(500, seed)
    assert report.hands == 500
    # The comparison is worth something only if the hands are varied.
    assert report.decisions > 3000
    assert report.showdowns > 200
    assert min(report.short_blind, report.short_all_in) > 20
