"""Random hands against PokerKit; ``tests/oracle`` does the same with a million."""

from __future__ import annotations

import os

from tests.oracle.pokerkit_oracle import run


def test_hundreds_of_hands_without_disagreement() -> None:
    # As Python it is mostly PokerKit that takes the time, and the rules are the same.
    hands = 150 if os.environ.get("POKERD_PURE") else 500
    report = run(hands, 0)
    assert report.hands == hands
    # The comparison is worth something only if the hands are varied.
    assert report.decisions > 6 * hands
    assert report.showdowns > 0.4 * hands
    assert min(report.short_blind, report.short_all_in) > 0.04 * hands
