"""The card states of ``nolimit`` by the seed they record: 40 seconds."""

from __future__ import annotations

import json
import lzma

from strategy.nolimit.holdem import make_cards
from strategy.nolimit_bots.policy import CARDS_FILE, packed_cards


def test_the_shipped_card_states_come_out_again() -> None:
    facts = json.loads(CARDS_FILE.read_text("ascii"))
    shipped = lzma.decompress(CARDS_FILE.with_suffix(".xz").read_bytes())
    assert packed_cards(make_cards(facts["seed"])) == shipped
