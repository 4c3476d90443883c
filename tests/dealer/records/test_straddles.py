"""Which formats can tell a straddle."""

from __future__ import annotations

import io
import random

import pytest
from pokerkit import HandHistory

from dealer.deck import secure_deals
from dealer.errors import RecordError
from dealer.records.convert import FORMATS
from dealer.records.hands import HandRecord
from dealer.records.sentences import hand_sentences
from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.games import holdem
from dealer.rules.hand import HandState
from tests.dealer.records.played import random_action, random_hand
from tests.dealer.rules.play import cards

NAMES = ["Ann", "Bob", "Cy", "Di", "Ed", "Flo"]
GAME = holdem(4, 5, 10, straddle=20, stack=500)
DEALT = cards("AhAd|KhKs|2c7s|9c9d", "KdQs2h/3s/7c")


def record_of(hand: HandState) -> HandRecord:
    return HandRecord(hand.game, hand.events, {seat: NAMES[seat] for seat in hand.seats})


def played() -> HandState:
    hand = HandState(GAME, DEALT)
    for action in (raise_to(40), FOLD, FOLD, CALL, *[CALL] * 6):
        hand.act(action)
    assert hand.over
    return hand


@pytest.mark.parametrize("name", ["journal", "ohh", "phh", "phhs"])
def test_it_is_read_as_it_was_written(name: str) -> None:
    source = random.Random(name)
    for number in range(30):
        game = holdem(source.randint(4, 6), 5, 10, straddle=20, ante=source.choice((0, 2)), stack=400)
        record = record_of(random_hand(game, source, number))
        if name == "ohh":
            seats = sorted(record.started.seats)
            record = record_of(_clockwise(record, seats))
        text = "".join(FORMATS[name].write([record]))
        (again,) = FORMATS[name].read(io.StringIO(text), None)
        assert again.events[0] == record.events[0]
        assert again.events[-1] == record.events[-1]
        assert again.game.straddle == 20


def _clockwise(record: HandRecord, seats: list[int]) -> HandState:
    """The same actions with seats that go round the table, and nobody timed out."""
    deal = cards("AhAd|KhKs|2c7s|9c9d|JhJs|5c4d"[: 5 * len(seats) - 1], "KdQs2h/3s/7c")
    hand = HandState(record.game, deal, seats=seats)
    while not hand.over:
        hand.act(CALL)
    return hand


def test_pokerkit_plays_it_alike() -> None:
    hand = played()
    text = "".join(FORMATS["phh"].write([record_of(hand)]))
    assert "blinds_or_straddles = [5, 10, 20, 0]" in text
    *_, state = HandHistory.loads(text)
    assert list(state.stacks) == list(hand.final_stacks)


def test_pokerstars_text_cannot_tell_it() -> None:
    with pytest.raises(RecordError) as refused:
        list(FORMATS["pokerstars"].write([record_of(played())]))
    assert refused.value.code == "not_in_pokerstars"


def test_sentences_name_it() -> None:
    lines = hand_sentences("Hand 1", played().events, GAME, NAMES).splitlines()
    assert lines[1] == "holdem.nolimit.4p (no-limit), blinds 5/10, straddle 20"
    assert "Seat 3: Cy with 500, straddle 20, 2c 7s" in lines


def test_a_journal_tells_it_where_players_come_and_go() -> None:
    source = random.Random(4)
    records = []
    for number, players in enumerate((4, 3, 5, 4, 6)):
        game = holdem(players, 5, 10, straddle=20, stack=400)
        hand = HandState(game, secure_deals(bytes(32), 0, game).deal(number), number=number)
        while not hand.over:
            hand.act(random_action(hand, source))
        records.append(HandRecord(game, hand.events, dict(enumerate(NAMES))))
    text = "".join(FORMATS["journal"].write(records))
    again = list(FORMATS["journal"].read(io.StringIO(text), None))
    assert [one.events for one in again] == [one.events for one in records]
    assert [one.game.straddle for one in again] == [20, 0, 20, 20, 20]
