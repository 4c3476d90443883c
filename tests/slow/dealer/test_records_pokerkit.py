"""Our records as PokerKit reads them: some hundred hands. ``make oracle`` reads ten thousand of each kind."""

from __future__ import annotations

import io
import os
import random
from contextlib import redirect_stderr

import pytest
from pokerkit.notation import PokerStarsParser

from dealer.records.pokerstars import write_pokerstars
from tests.dealer.records.tables import Tables, random_records
from tests.oracle.records_oracle import READERS, read_by_pokerkit


@pytest.mark.parametrize("name", READERS)
def test_some_hundred_hands_end_alike_in_pokerkit(name: str) -> None:
    hands = 30 if os.environ.get("POKERD_PURE") else 100
    reading = read_by_pokerkit(name, hands, 1)

    assert reading.unlike == []
    assert reading.alike == reading.written == hands
    if name in ("phhs", "acpc"):
        assert reading.alone > 0.93 * hands
    assert reading.ruled < 0.08 * hands


def test_pokerkit_has_no_pattern_for_the_header_of_a_limit_game() -> None:
    """When this fails, PokerKit has learnt it: then ``docs/formats.md`` and the oracle can say so."""
    (record,) = random_records(random.Random(1), 1, tables=Tables(("cash",), limit=1))
    (text,) = write_pokerstars([record])

    with pytest.raises(ValueError, match="Unable to parse") as error, redirect_stderr(io.StringIO()):
        list(PokerStarsParser()(text, error_status=True))
    assert repr(error.value.__context__) == "ValueError('Unable to parse variant.')"
