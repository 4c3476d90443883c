from __future__ import annotations

import pytest

from tests.oracle.pokerkit_oracle import run


@pytest.mark.parametrize("seed", range(1000, 1200))
def test_five_thousand_of_a_million_hands_without_disagreement(seed: int) -> None:
    assert run(5000, seed).hands == 5000
