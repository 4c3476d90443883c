"""``docs/protocol.md`` and ``docs/people.md`` against the messages, codes, limits and states of the program.

What only people need is told on the second page; nothing is told on both.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import msgpack
import pytest

from protocol import messages, people
from protocol.batch import BATCH
from protocol.codec import CODECS, JSON, MSGPACK
from protocol.errors import CODES, MalformedFrame, WireError
from protocol.messages import ClientMessage, ServerMessage
from strategy.registry import strategy_names
from tests.docs.fields import Documented, documented, fields_of, ordered, tag
from tests.docs.made import transcript_messages
from tests.docs.pages import PEOPLE, PROTOCOL, blocks, code, json_texts, prose, read, rows, section

CLIENT = get_args(ClientMessage)
SERVER = get_args(ServerMessage)
#: What the page calls the objects inside messages.
OBJECTS = {
    "open table": messages.LobbyTable,
    "shown hand": messages.ShownHand,
    "pot": messages.PotInfo,
    "game": messages.GameInfo,
    "seat info": people.SeatInfo,
    "open pot": people.OpenPot,
    "series match": people.SeriesMatch,
    "challenge hand": people.ChallengeHand,
    "bot choice": people.BotChoice,
    "play style": people.PlayStyle,
    "range decision": people.RangeDecision,
    "play score": people.PlayScore,
    "estimate": people.Estimate,
}
PAGES = (PROTOCOL, PEOPLE)


NAMES: dict[type, str] = {cls: name for name, cls in OBJECTS.items()}


def expected(classes: Sequence[type], common: set[str]) -> list[Documented]:
    fields = [field for cls in classes for field in fields_of(tag(cls), cls, NAMES)]
    # ``error.table`` has a default of its own and so a line of its own.
    return [field for field in fields if field.field not in common or field.default]


def told(heading: str) -> list[Documented]:
    """The fields that both pages tell of under a heading."""
    return [field for page in PAGES for field in documented(section(page, heading))]


def owners(heading: str) -> set[str]:
    """The messages and objects that have a row of their own."""
    return {first.strip("`") for page in PAGES for first, *_ in rows(section(page, heading)) if first}


def test_every_field_of_every_client_message_is_documented_and_no_other() -> None:
    heading = "## Messages of the client"
    assert ordered(told(heading)) == ordered(expected(CLIENT, {"table"}))
    assert {tag(cls) for cls in CLIENT} == owners(heading)


def test_every_field_of_every_server_message_and_object_is_documented_and_no_other() -> None:
    heading = "## Messages of the server"
    objects = [field for name, cls in OBJECTS.items() for field in fields_of(name, cls, NAMES)]
    assert ordered(told(heading)) == ordered(expected(SERVER, {"table", "seq"}) + objects)
    assert {tag(cls) for cls in SERVER} | set(OBJECTS) == owners(heading)


def test_the_fields_common_to_many_messages_are_where_the_page_says() -> None:
    def holding(name: str, classes: Sequence[type]) -> set[str]:
        return {tag(cls) for cls in classes if name in cls.__struct_fields__}  # type: ignore[attr-defined]

    client = section(PROTOCOL, "## Messages of the client").partition("|")[0]
    without = {tag(cls) for cls in CLIENT} - holding("table", CLIENT)
    assert {"table", *without} <= set(code(client))

    server = section(PROTOCOL, "## Messages of the server").partition("|")[0]
    without = {tag(cls) for cls in SERVER} - holding("table", SERVER)
    assert {"table", "seq", *without, *holding("seq", SERVER)} == set(code(server))


def test_every_message_type_has_an_example() -> None:
    shown = {json.loads(text)["type"] for _, text in examples()}
    assert shown == {tag(cls) for cls in (*CLIENT, *SERVER)}


def examples() -> list[tuple[str, str]]:
    """Every message written out on the pages: who says it ("C" or "S"), and the JSON."""
    found = list(transcript_messages(blocks(PROTOCOL, "transcript")[0].text))
    client = {tag(cls) for cls in CLIENT}
    texts = [text for page in PAGES for text in json_texts(page)]
    found += [("C" if json.loads(text)["type"] in client else "S", text) for text in texts]
    return found


def test_the_transcript_is_read_whole() -> None:
    (block,) = blocks(PROTOCOL, "transcript")
    assert block.text.count('"type"') == sum(1 for _ in transcript_messages(block.text)) == 20


@pytest.mark.parametrize(("who", "text"), examples(), ids=lambda value: value[:60])
def test_every_example_decodes_and_means_the_same_in_both_codecs(who: str, text: str) -> None:
    data = json.loads(text)
    decode: Callable[[str], Sequence[Any]] = JSON.decode_client if who == "C" else JSON.decode_server
    (message,) = decode(text)
    assert json.loads(JSON.encode(message)) == data
    packed = MSGPACK.encode(message)
    assert msgpack.unpackb(packed) == data
    again = MSGPACK.decode_client(packed) if who == "C" else MSGPACK.decode_server(packed)
    assert list(again) == [message]


def test_no_example_has_a_field_that_the_program_does_not_know() -> None:
    known = {tag(cls): {field.field for field in fields_of("", cls, NAMES)} for cls in (*CLIENT, *SERVER)}
    for _, text in examples():
        data = json.loads(text)
        assert set(data) - {"type"} <= known[data["type"]], text


def test_every_code_is_documented_and_no_other() -> None:
    documented: set[str] = set()
    at_fault: set[tuple[str, str]] = set()
    for page in PAGES:
        listed = [(code(first)[0], fault) for first, fault, _ in rows(section(page, "## Errors"))]
        names = {name for name, _ in listed}
        assert len(names) == len(listed)
        documented |= names
        at_fault |= {(fault, WireError(name).at_fault) for name, fault in listed}
    assert documented == set(CODES)
    # Each word of the pages stands for one party, and each party has one word.
    assert len(at_fault) == len({word for word, _ in at_fault}) == len({party for _, party in at_fault}) == 3


def test_the_subprotocols_are_those_of_the_program() -> None:
    named = {name for name in code(prose(PROTOCOL)) if name.startswith("pokerd.v")}
    assert named == {*CODECS, BATCH}


def test_what_the_page_promises_about_unknown_fields_and_types() -> None:
    (message,) = JSON.decode_client('{"type": "ready", "table": "t", "hat": {"feather": 1}}')
    assert message == messages.Ready("t")
    with pytest.raises(MalformedFrame):
        JSON.decode_client('[{"type": "ready", "table": "t"}, {"type": "sing"}]')


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_names_no_field_message_or_code_that_does_not_exist(page: Path) -> None:
    fields = {field.field for cls in (*CLIENT, *SERVER) for field in fields_of("", cls, NAMES)}
    fields |= {field.field for cls in OBJECTS.values() for field in fields_of("", cls, NAMES)}
    types = {tag(cls) for cls in (*CLIENT, *SERVER)}
    values = {
        "fold",
        "call",
        "check",
        "raise",
        "timeout",
        "absent",
        "fixed",
        "cash",
        "tournament",
        "complete",
        "left",
        "removed",
        "closed",
    }
    # What only people can ask for, or be.
    values |= {
        "nolimit",
        "limit",
        "normal",
        "turbo",
        "secure",
        "today",
        "last_raise",
        "bb",
        *strategy_names(),
    }
    # Of tournaments.
    values |= {"moved", "open", "registered", "unregistered", "seated", "cancelled", "slow", "hyper"}
    values |= {"start", "late", "balance", "broken", "final"}
    values |= {"waiting", "in", "away", "gone", "out", "bot"}
    known = fields | types | set(CODES) | values | {"acpc", "standard", "type", "null", "false", "true"}
    words = {word for word in code(prose(page)) if word.isidentifier() and word.islower()}
    assert words - known <= {"v1", "v2"}
    dotted = {word for word in code(prose(page)) if word.count(".") == 1 and word.split(".")[0] in types}
    assert {word.split(".")[1] for word in dotted} <= fields
    assert dotted


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_can_be_read_in_ten_minutes(page: Path) -> None:
    words = [word for line in prose(page).splitlines() if not line.startswith("|") for word in line.split()]
    assert len(words) < 2000  # at 200 words a minute
    assert len(read(page).splitlines()) <= 375  # most of them rows of tables


def test_the_transcript_is_what_the_steps_above_it_say() -> None:
    (block,) = blocks(PROTOCOL, "transcript")
    said = [(who, json.loads(text)) for who, text in transcript_messages(block.text)]
    turns = [message["turn"] for who, message in said if (who, message["type"]) == ("S", "turn")]
    answers = [message["turn"] for who, message in said if (who, message["type"]) == ("C", "act")]
    acted = {message["seq"]: message for _, message in said if message["type"] == "acted"}
    assert turns == answers
    assert all(acted[turn]["seat"] == 0 for turn in turns)
    numbers = [message["seq"] for _, message in said if "seq" in message]
    assert numbers == list(range(len(numbers)))
