from __future__ import annotations

import pytest

from tests.oracle.records_oracle import read_by_pokerkit, unexplained


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(100, 120))
def test_five_hundred_of_ten_thousand_records_end_alike_in_pokerkit(seed: int) -> None:
    counts = read_by_pokerkit(500, seed)
    assert unexplained(counts) == 0, counts
    assert counts["phhs", "written"] == 500
