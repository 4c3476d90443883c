"""The compiled batch against the rules in a million random hands."""

from __future__ import annotations

import pytest

from tests.strategy.batch.walks import verify_hands


@pytest.mark.parametrize("part", range(20))
def test_a_million_hands(part: int) -> None:
    assert verify_hands(f"million {part}", 50_000) > 400_000
