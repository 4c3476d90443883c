import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.errors import RecordError
from dealer.records.journal import FORMAT, hand_line, journal_header, read_journal
from dealer.rules.events import Acted, HandEnded, event_to_data
from dealer.rules.hand import replay
from tests.dealer.records.played import all_kinds

FACTS: dict[str, Any] = {"game": "leduc.limit.2p", "players": ["a", "ü"], "seed": 7, "session": {"match": 0}}


def test_header_is_one_line_in_alphabetical_order() -> None:
    assert journal_header({"seed": 7, "game": "kuhn"}) == f'{{"format":"{FORMAT}","game":"kuhn","seed":7}}\n'


def test_lines_are_the_json_of_the_events_and_read_back_to_them() -> None:
    hands = list(all_kinds(random.Random(1), each=40))
    lines = [hand_line(hand.events) for hand in hands]

    for hand, line in zip(hands, lines, strict=True):
        assert (
            line == json.dumps([event_to_data(event) for event in hand.events], separators=(",", ":")) + "\n"
        )
    facts, read = read_journal([journal_header(FACTS), *lines])
    assert facts == FACTS
    assert list(read) == [hand.events for hand in hands]


def test_a_journal_is_enough_to_replay() -> None:
    hands = list(all_kinds(random.Random(2), each=10))
    _, read = read_journal([journal_header({}), *(hand_line(hand.events) for hand in hands)])

    for hand, events in zip(hands, read, strict=True):
        assert replay(hand.game, events, muck=hand._muck).values == hand.values


def test_split_pots_keep_every_digit() -> None:
    ended = HandEnded(3, None, (), (100 / 3, 100 / 3, -200 / 3), (0.1 + 0.2, 1e22, 7))
    _, read = read_journal([journal_header({}), hand_line([ended])])

    assert next(read) == [ended]


@given(st.text(max_size=20), st.booleans())
def test_any_reason_can_be_written(reason: str, all_in: bool) -> None:
    acted = Acted(1, "fold", 0, 0, all_in, reason)
    line = hand_line([acted])

    assert line.count("\n") == 1
    _, read = read_journal([journal_header({}), line])
    assert next(read) == [acted]


@pytest.mark.parametrize(
    "lines",
    [[], [""], ["\n"], ["{}\n"], ["[]\n"], ["nonsense\n"], ['{"format":"another"}\n'], ["[" * 100_000]],
    ids=["nothing", "empty", "blank", "no format", "a list", "no JSON", "other format", "deep"],
)  # fmt: skip
def test_what_does_not_begin_a_journal(lines: list[str]) -> None:
    with pytest.raises(RecordError) as error:
        read_journal(lines)

    assert error.value.code == "bad_header"


@pytest.mark.parametrize("facts", [{"x": {1, 2}}, {"x": float("nan")}, {"x": b"bytes"}])
def test_facts_that_json_cannot_tell(facts: dict[str, Any]) -> None:
    with pytest.raises(RecordError) as error:
        journal_header(facts)

    assert error.value.code == "bad_header"


@pytest.mark.parametrize(
    "line",
    ["\n", "{}\n", "[]\n", "[1]\n", "[[]]\n", '[["acted"]]\n', '[["acted",0,"fold",0,0,false]]\n',
     '[["boo",1]]\n', '[["board_dealt",1,"AhAh"]]\n', "nonsense\n", "[" * 100_000 + "\n"],
)  # fmt: skip
def test_a_bad_line_is_named_and_the_hands_before_it_are_kept(line: str) -> None:
    good = hand_line([Acted(0, "call", 10, 5, False)])
    _, read = read_journal([journal_header({}), good, line])

    assert next(read) == [Acted(0, "call", 10, 5, False)]
    with pytest.raises(RecordError, match="line 3") as error:
        next(read)
    assert error.value.code == "bad_hand"


def test_a_journal_that_was_cut_off_says_so() -> None:
    line = hand_line([Acted(0, "call", 10, 5, False)])
    _, read = read_journal([journal_header({}), line, line[:-9]])

    assert next(read)
    with pytest.raises(RecordError) as error:
        next(read)
    assert error.value.code == "cut_off"
