from __future__ import annotations

import pytest

from tests.oracle.records_oracle import READERS, read_by_pokerkit


@pytest.mark.parametrize("name", READERS)
def test_ten_thousand_hands_end_alike_in_pokerkit(name: str) -> None:
    reading = read_by_pokerkit(name, 10_000, 100)
    assert reading.unlike == []
    assert reading.alike == reading.written == 10_000
    if name in ("phhs", "acpc"):
        assert reading.alone > 9_800
    assert reading.ruled < 200
