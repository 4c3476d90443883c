"""Which formats can tell a hand that was divided by equity, or run twice."""

from __future__ import annotations

import io

import pytest

from dealer.errors import RecordError
from dealer.records.convert import FORMATS
from dealer.records.hands import HandRecord
from dealer.records.sentences import hand_sentences
from dealer.rules.actions import CALL, raise_to
from dealer.rules.cards import parse_cards
from dealer.rules.games import holdem
from dealer.rules.hand import AllIns, HandState
from tests.dealer.rules.play import cards

NAMES = ["Ann", "Bob", "Cy"]
WAYS = {
    "equity": AllIns(equity=True),
    "twice": AllIns(agreed=(0, 1, 2), spare=lambda: parse_cards("AcKc3d4d5s")),
}


def record_of(way: str) -> HandRecord:
    """Three players, two pots, all-in on the flop."""
    hand = HandState(
        holdem(3, 5, 10, stack=(500, 300, 500)),
        cards("AhAd|KhKs|2c7s", "KdQs2h/3s/7c"),
        muck=True,
        all_ins=WAYS[way],
    )
    for action in (CALL, CALL, CALL, raise_to(490), CALL, CALL):
        hand.act(action)
    assert hand.over
    return HandRecord(hand.game, hand.events, dict(enumerate(NAMES)))


@pytest.mark.parametrize("way", WAYS)
def test_only_the_journal_can_tell_it(way: str) -> None:
    record = record_of(way)
    for name, one in FORMATS.items():
        if name == "journal":
            text = "".join(one.write([record]))
            (again,) = one.read(io.StringIO(text), None)
            assert again.events == record.events
        else:
            with pytest.raises(
                RecordError, match="by equity" if way == "equity" else "two boards"
            ) as refusal:
                list(one.write([record]))
            assert refusal.value.code == f"not_in_{name.removesuffix('s') if name == 'phhs' else name}"


def test_sentences_say_which_board() -> None:
    lines = hand_sentences("Hand 1", record_of("twice").events, holdem(3, 5, 10), NAMES).splitlines()
    assert "Second board: Kd Qs 2h Ac Kc" in lines
    assert [line for line in lines if "wins" in line] == [
        "Bob wins 450 from the main pot on the first board",
        "Cy wins 200 from side pot 1 on the first board",
        "Bob wins 450 from the main pot on the second board",
        "Ann wins 200 from side pot 1 on the second board",
    ]


def test_sentences_say_what_was_divided() -> None:
    lines = hand_sentences("Hand 1", record_of("equity").events, holdem(3, 5, 10), NAMES).splitlines()
    assert "The pots are divided by equity, and no more cards are dealt" in lines
    assert not any(line.startswith(("Turn", "River")) for line in lines)
