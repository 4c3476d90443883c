"""The messages as other languages know them say of real conversations what the program says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from protocol.codec import JSON
from protocol.errors import MalformedFrame
from protocol.messages import ClientMessage, ServerMessage
from protocol.schema import go_types, json_schema, typescript_types

#: What check-bot heard and said: of right programs and of wrong ones.
DIALOGUES = sorted((Path(__file__).parents[1] / "server" / "check" / "recorded" / "native").glob("*.jsonl"))
SCHEMA = json_schema()


def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator({"$defs": SCHEMA["$defs"], "$ref": f"#/$defs/{name}"})


CLIENT, SERVER = validator("ClientFrame"), validator("ServerFrame")


def lines(side: str) -> Iterator[dict[str, Any]]:
    """All messages of the recorded conversations that one side sent."""
    for path in DIALOGUES:
        for text in path.read_text("utf-8").splitlines()[1:]:
            match json.loads(text):
                case [_, str(who), {"type": _} as message] if who == side:
                    yield message


def test_the_published_schema_is_that_of_the_program() -> None:
    path = Path(__file__).parents[2] / "docs" / "messages.schema.json"
    assert json.loads(path.read_text("utf-8")) == json.loads(json.dumps(SCHEMA))


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_everything_that_the_server_said_is_valid() -> None:
    # Some bots are told of a type that no version has.
    said = [message for message in lines("S") if not message["type"].startswith("x_")]
    assert len({message["type"] for message in said}) >= 9
    for message in said:
        SERVER.validate(message)
    SERVER.validate(said[:5])


def test_what_the_program_takes_of_a_client_is_valid() -> None:
    taken = 0
    for message in lines("C"):
        try:
            JSON.decode_client(json.dumps(message))
        except MalformedFrame:
            continue
        CLIENT.validate(message)
        taken += 1
    assert taken > 500


@pytest.mark.parametrize(
    "frame",
    [
        {"type": "act", "table": "m", "turn": 1, "action": "bet"},
        {"type": "act", "table": "m", "turn": -1, "action": "call"},
        {"type": "act", "table": "m", "action": "call"},
        {"type": "ready", "table": ""},
        {"type": "unheard of"},
        {"type": "hello", "name": "x", "tables": 0},
        "hello",
    ],
)
def test_what_the_program_refuses_is_not_valid(frame: Any) -> None:
    with pytest.raises(MalformedFrame):
        JSON.decode_client(json.dumps(frame))
    assert not CLIENT.is_valid(frame)


@pytest.mark.parametrize("text", [go_types(), typescript_types()], ids=["go", "typescript"])
def test_every_message_has_a_type(text: str) -> None:
    for kind in (*get_args(ClientMessage), *get_args(ServerMessage)):
        assert f" {kind.__name__} " in text


def test_a_go_field_is_left_out_only_where_its_zero_is_the_default() -> None:
    join = go_types().split("type Join struct {")[1].split("}")[0].splitlines()
    (seat,) = (line.split() for line in join if "seat" in line)
    assert seat == ["Seat", "*int64", '`json:"seat,omitempty"`']
