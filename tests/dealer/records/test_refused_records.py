"""What is no record, or tells something else than the rules say, is refused with a code and nothing else.

That ``docs/formats.md`` tells all codes is tested with that page.
"""

from __future__ import annotations

import io
import json
import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dealer.errors import RecordError
from dealer.records.convert import FORMATS
from dealer.records.hands import HandMetadata, HandRecord
from dealer.records.replay import MAX_CHARACTERS
from dealer.rules.actions import CALL, raise_to
from dealer.rules.games import holdem, load_game
from dealer.rules.hand import HandState
from tests.dealer.records.tables import normal, random_records

NAMES = [f"p{seat}" for seat in range(10)]
READABLE = ("acpc", "phhs", "ohh", "pokerstars", "journal")


def written(record: HandRecord, name: str) -> str:
    return "".join(FORMATS[name].write([record]))


def read(text: str, name: str) -> list[HandRecord]:
    return list(FORMATS[name].read(io.StringIO(text), None))


def refusal(text: str, name: str) -> str:
    with pytest.raises(RecordError) as error:
        read(text, name)
    return error.value.code


def examples(name: str) -> list[HandRecord]:
    """Some hands that the format can tell; in an ACPC log at a table as the reference dealer has it."""
    records = random_records(random.Random(1), 400, names=NAMES)
    told = [record for record in records if record.game.rules == "standard"]
    if name == "acpc":
        told = [record for record in told if record.meta.table == "fixed-1" and record.started.hand == 0]
    return told[:8]


#: What is neither compared nor kept: numbers of the text itself, and those that follow from others.
IGNORED = {
    "acpc": r"^#.*",
    "phhs": r"^\[\d+\]",
    "ohh": r'"(spec_version|internal_version|start_date_utc)": "[^"]*"|\{"id": \d+, "street"'
    r'|"(bet_cap|table_size|action_number|number|initial_stack|round_time)": \d+',
    "pokerstars": r"\d+-max|side pot-\d|Side pot-\d|\$0\+\$0|\d+/\d+/\d+ .*",
    "journal": r'^\{.*|journal 1|"definition".*?"game"',
}


def changes(text: str, ignored: str) -> Iterator[str]:
    """The text with one number after the other changed by one."""
    spared = [match.span() for match in re.finditer(ignored, text, re.MULTILINE)]
    for match in re.finditer(r"(?<![\w.])\d+(?![\w.]*[cdhs]\b)", text):
        if not any(start <= match.start() < end for start, end in spared):
            yield f"{text[: match.start()]}{int(match[0]) + 1}{text[match.end() :]}"


@pytest.mark.parametrize("name", READABLE)
def test_every_number_counts(name: str) -> None:
    """A number that is changed is refused, or it could be otherwise, as a seat's, and is taken over."""
    refused = kept = 0
    for record in examples(name):
        text = written(record, name)
        (right,) = read(text, name)
        for changed in changes(text, IGNORED[name]):
            try:
                (back,) = read(changed, name)
            except RecordError:
                refused += 1
            else:
                assert (normal(back), back.meta) != (normal(right), right.meta), changed
                kept += 1
    assert refused > 3 * kept


@pytest.mark.parametrize("name", READABLE)
def test_every_line_counts(name: str) -> None:
    """A line that is left out or comes twice is refused, or makes no difference to the hand."""
    for record in examples(name):
        lines = written(record, name).splitlines(keepends=True)
        for index in range(len(lines)):
            for times in (0, 2):
                text = "".join([*lines[:index], *(lines[index : index + 1] * times), *lines[index + 1 :]])
                with suppress(RecordError):
                    for back in read(text, name):
                        assert back.ended.values == record.ended.values


# One thing wrong.


def example(name: str) -> str:
    game = holdem(2, 5, 10, stack=100)

    class Cards:
        hole = ((0, 5), (10, 15))

        def board(self, street: int) -> tuple[int, ...]:
            return ((), (20, 25, 30), (35,), (40,))[street]

    hand = HandState(game, Cards(), number=3)
    for action in (CALL, CALL, raise_to(10), CALL, CALL, CALL, CALL, CALL):
        hand.act(action)
    return written(HandRecord(game, hand.events, {0: "ann", 1: "bob"}, HandMetadata("t")), name)


def replaced(name: str, old: str, new: str) -> str:
    text = example(name)
    assert old in text
    return text.replace(old, new)


def ohh(change: Callable[[dict[str, object]], object]) -> str:
    value = json.loads(example("ohh"))
    change(value["ohh"])
    return json.dumps(value)


def mucked() -> str:
    """The one who must show first mucks."""
    text = re.sub(r"bob: shows .*", "bob: mucks hand", example("pokerstars"))
    return re.sub(r"showed (\[4h 5s\]) .*", r"mucked \1", text)


KUHN = "# name/game/hands/seed m kuhn.limit.2p 0 0\n"
JOURNAL = '{"format":"pokerd journal 1","game":"kuhn.limit.2p"}\n'
WRONG = [
    ("acpc", "game_unknown", lambda: "STATE:0:rf:Ah|Ks:1|-1:a|b\n"),
    ("acpc", "game_unknown", lambda: "# name/game/hands/seed m bridge.game 0 0\nSTATE:0:rf:Ah|Ks:1|-1:a|b\n"),
    ("acpc", "bad_header", lambda: "# name/game/hands/seed m\n"),
    ("acpc", "bad_state_line", lambda: example("acpc") + "STATE:1\n"),
    ("acpc", "bad_score_line", lambda: example("acpc") + "SCORE:1\n"),
    ("acpc", "replay_differs", lambda: KUHN + "STATE:0:rcc:Qs|Js|Ks:-2|-2|4:a|b|c\n"),
    ("acpc", "bad_state_line", lambda: replaced("acpc", ":ann|bob\nSCORE", ":ann\nSCORE")),
    ("acpc", "cards_unknown", lambda: replaced("acpc", "2c3d|4h5s", "|4h5s")),
    ("acpc", "bad_blinds", lambda: replaced("acpc", "# blind = 10 5", "# blind = 1000 5")),
    ("phhs", "bad_hand", lambda: replaced("phhs", "actions = [", "actions = ")),
    ("phhs", "bad_hand", lambda: replaced("phhs", '"p2 cc"', '"p3 cc"')),
    ("phhs", "bad_hand", lambda: replaced("phhs", "starting_stacks", "stacks")),
    ("phhs", "bad_hand", lambda: replaced("phhs", "[100, 100]", "[1e9999, 100]")),
    ("phhs", "bad_hand", lambda: replaced("phhs", "[100, 100]", "[99.999, 100]")),
    ("phhs", "unsupported", lambda: replaced("phhs", '"NT"', '"PO"')),
    ("phhs", "unsupported", lambda: replaced("phhs", "antes = [0, 0]", "antes = [0, 10]")),
    ("phhs", "unsupported", lambda: replaced("phhs", "min_bet = 10", "min_bet = 20")),
    ("phhs", "unsupported", lambda: replaced("phhs", "[5, 10]", "[10, 5]")),
    ("phhs", "cards_unknown", lambda: replaced("phhs", "dh p1 2c3d", "dh p1 ????").replace("sm 2c3d", "sm")),
    ("phhs", "replay_differs", lambda: replaced("phhs", '"p1 cbr 10"', '"p1 cbr 5"')),
    ("phhs", "replay_differs", lambda: replaced("phhs", '"d db Ts"', '"d db 2c"')),
    ("phhs", "replay_differs", lambda: replaced("phhs", ', "d db Qc"', "")),
    ("phhs", "bad_card", lambda: replaced("phhs", "Qc", "Qx")),
    ("ohh", "bad_hand", lambda: example("ohh")[:-20]),
    ("ohh", "bad_hand", lambda: '{"ohh": {}}'),
    ("ohh", "bad_hand", lambda: "[1, 2]"),
    ("ohh", "bad_hand", lambda: ohh(lambda hand: hand.update(pots=None))),
    ("ohh", "unsupported", lambda: ohh(lambda hand: hand.update(game_type="Omaha"))),
    ("ohh", "unsupported", lambda: ohh(lambda hand: hand.update(flags=["Run_It_Twice"]))),
    ("ohh", "unsupported", lambda: ohh(lambda hand: hand.update(dealer_seat=7))),
    ("ohh", "unsupported", lambda: replaced("ohh", '"rake": 0', '"rake": 1')),
    ("ohh", "unsupported", lambda: replaced("ohh", '"Post SB"', '"Post Dead"')),
    ("ohh", "cards_unknown", lambda: replaced("ohh", '["2c", "3d"]', "[]")),
    ("ohh", "replay_differs", lambda: replaced("ohh", '"is_allin": false', '"is_allin": true')),
    ("pokerstars", "unsupported", lambda: replaced("pokerstars", "Hold'em No Limit", "Omaha Pot Limit")),
    ("pokerstars", "unsupported", lambda: replaced("pokerstars", "| Rake 0", "| Rake 1")),
    ("pokerstars", "unsupported", lambda: replaced("pokerstars", "Seat #2 is the", "Seat #3 is the")),
    ("pokerstars", "bad_hand", lambda: replaced("pokerstars", "bob: checks", "bob: sings")),
    ("pokerstars", "bad_hand", lambda: example("pokerstars").partition("*** SUMMARY")[0]),
    ("pokerstars", "bad_hand", lambda: "something else\n"),
    ("pokerstars", "cards_unknown", lambda: re.sub(r"Dealt to bob.*\n|(?<=mucked) .*", "", mucked())),
    ("pokerstars", "replay_differs", mucked),
    ("pokerstars", "replay_differs", lambda: replaced("pokerstars", "bob: calls 10", "bob: folds")),
    ("journal", "bad_header", lambda: "{}\n"),
    ("journal", "bad_header", lambda: replaced("journal", '"players":["ann","bob"]', '"players":[1]')),
    ("journal", "game_unknown", lambda: JOURNAL.replace("kuhn.limit.2p", "bridge") + "[]\n"),
    ("journal", "bad_hand", lambda: example("journal") + "[]\n"),
    ("journal", "cut_off", lambda: example("journal")[:-9]),
    ("journal", "not_a_hand", lambda: JOURNAL + '[["board_dealt",1,"Ah2c3d"]]\n'),
    ("journal", "replay_differs", lambda: re.sub(r',\["hand_ended".*', "]", example("journal"))),
    ("journal", "replay_differs", lambda: replaced("journal", '"call",10,5', '"call",10,6')),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "code", "text"), WRONG, ids=[f"{one[0]}-{one[1]}-{i}" for i, one in enumerate(WRONG)]
)
def test_what_is_wrong_has_a_code(name: str, code: str, text: Callable[[], str]) -> None:
    assert refusal(text(), name) == code


def test_errors_name_the_place_and_the_first_difference() -> None:
    text = example("pokerstars") + replaced("pokerstars", "Total pot 40", "Total pot 41")
    with pytest.raises(RecordError, match=r"41.*40"):
        read(text, "pokerstars")
    with pytest.raises(RecordError, match=r"\['1', '-1'\]"):
        read(replaced("acpc", ":0|0:ann|bob\nS", ":1|-1:ann|bob\nS"), "acpc")
    with pytest.raises(RecordError, match=r"1.*2.*3.*raise 5"):
        read(replaced("phhs", "cbr 10", "cbr 5"), "phhs")


def test_a_hand_is_played_by_the_game_that_is_given() -> None:
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    for name in ("phhs", "ohh", "pokerstars"):
        with pytest.raises(RecordError) as error:
            list(FORMATS[name].read(io.StringIO(example(name)), game))
        assert error.value.code == "replay_differs"  # other blinds


# Anything at all.


@pytest.mark.parametrize("name", READABLE)
@pytest.mark.parametrize("text", ["[", "{", '{"a":"x', "x\n", ' said, "', "a: ", "1"], ids=repr)
def test_what_has_no_end_is_refused_in_time(name: str, text: str) -> None:
    head = JOURNAL if name == "journal" else ""
    source = io.StringIO(head + text * (4 * MAX_CHARACTERS // len(text)))
    begun = time.process_time()
    with suppress(RecordError):
        assert list(FORMATS[name].read(source, None)) == []
    assert time.process_time() - begun < 20


STRANGE = ("", "\x00", "9" * 30, "-1", "1e99999", '"', "]", "\ud800", "p11", "\n", "0.005")


def _mixed(text: str, source: random.Random) -> str:
    """The text cut, doubled, or with characters of its own or strange ones in wrong places."""
    for _ in range(source.randint(1, 3)):
        at, to = sorted(source.randrange(len(text) + 1) for _ in range(2))
        piece = text[at : min(to, at + source.choice((1, 5, 200)))]
        strange = source.choice(
            ("", piece * 2, "\x00", "9" * 30, "-1", "1e99999", '"', "]", "\ud800", "p11", "\n")
        )
        text = source.choice((text[:at], text[:at] + strange + text[at + len(piece) :]))
    return text


@pytest.mark.parametrize("name", READABLE)
def test_garbled_text_is_read_or_refused(name: str) -> None:
    source = random.Random(name)
    texts = [written(record, name) for record in examples(name)]
    for _ in range(600):
        text = _mixed(source.choice(texts), source)
        with suppress(RecordError):
            read(text, name)


@pytest.mark.parametrize("name", READABLE)
@given(text=st.text(max_size=200))
@settings(max_examples=60)
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    heads = ("", example(name).partition("\n")[0] + "\n")
    for head in heads:
        with suppress(RecordError):
            read(head + text, name)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(value=json_values, place=st.integers(0, 10_000))
@settings(max_examples=300)
def test_any_value_in_any_place_of_a_json_hand_is_read_or_refused(value: object, place: int) -> None:
    data = json.loads(example("ohh"))
    spots: list[tuple[object, object]] = []

    def walk(node: object) -> None:
        keys = node.keys() if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            spots.append((node, key))
            walk(node[key])  # type: ignore[index]

    walk(data)
    node, key = spots[place % len(spots)]
    node[key] = value  # type: ignore[index]
    with suppress(RecordError):
        read(json.dumps(data), "ohh")
