from __future__ import annotations

import json
from typing import Any

import msgpack
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codec import CODECS, JSON, MSGPACK, Codec
from protocol.messages import Act, Hello
from tests.protocol.generate import CLIENT, SERVER, messages, objects

both = pytest.mark.parametrize("codec", list(CODECS.values()), ids=lambda codec: codec.subprotocol)
every_message = pytest.mark.parametrize("kind", [*CLIENT, *SERVER], ids=lambda kind: kind.__name__)
examples = settings(max_examples=15)


def decode(codec: Codec, kind: type[msgspec.Struct], frame: bytes) -> list[Any]:
    return list(codec.decode_client(frame) if kind in CLIENT else codec.decode_server(frame))


def plain(codec: Codec, frame: bytes) -> Any:
    """The frame as somebody reads it who has none of our code."""
    return json.loads(frame) if codec is JSON else msgpack.unpackb(frame)


def plainly(codec: Codec, data: Any) -> bytes:
    """A frame as somebody writes it who has none of our code."""
    written: bytes = json.dumps(data).encode() if codec is JSON else msgpack.packb(data)
    return written


# Both codecs and both readers have the same examples: what takes time is to draw them.
@every_message
@examples
@given(data=st.data())
def test_every_message_comes_back_as_it_was(kind: type[msgspec.Struct], data: st.DataObject) -> None:
    message = data.draw(messages(kind))
    for codec in CODECS.values():
        frame = codec.encode(message)
        assert decode(codec, kind, frame) == [message]
        fields = plain(codec, frame)
        assert fields["type"] == kind.__struct_config__.tag
        assert decode(codec, kind, plainly(codec, fields)) == [message]


@every_message
@examples
@given(data=st.data())
def test_unknown_fields_are_ignored(kind: type[msgspec.Struct], data: st.DataObject) -> None:
    message, values = data.draw(messages(kind)), data.draw(st.lists(plain_objects, max_size=3))
    later = {f"later_{key}": value for key, value in enumerate(values)}
    for codec in CODECS.values():
        fields = plain(codec, codec.encode(message))
        assert decode(codec, kind, plainly(codec, {**later, **fields})) == [message]
        assert decode(codec, kind, plainly(codec, {**fields, **later})) == [message]


# json.dumps writes NaN and Infinity, which are not JSON; the border's tests send those.
plain_objects = objects.filter(
    lambda value: "NaN" not in json.dumps(value) and "Infinity" not in json.dumps(value)
)


@both
@pytest.mark.parametrize("count", [0, 1, 2, 15, 16, 200, 1024])
def test_a_frame_carries_one_message_or_an_array(codec: Codec, count: int) -> None:
    acts = [Act(table="t", turn=turn, action="call") for turn in range(count)]
    parts = [codec.encode(act) for act in acts]
    if count:
        assert list(codec.decode_client(codec.join(parts))) == acts
    if count == 1:
        assert plain(codec, codec.join(parts)) == plain(codec, parts[0])
    array = plainly(codec, [plain(codec, part) for part in parts])
    assert list(codec.decode_client(array)) == acts


def test_long_arrays_are_joined_as_messagepack_wants_them() -> None:
    for count in (15, 16, 65_535, 65_536):
        assert msgpack.unpackb(MSGPACK.join([b"\xc0"] * count)) == [None] * count


@both
def test_what_is_left_out_has_its_default(codec: Codec) -> None:
    assert decode(codec, Hello, plainly(codec, {"type": "hello", "name": "me"})) == [Hello(name="me")]
    act = {"type": "act", "table": "t", "turn": 3, "action": "fold"}
    assert decode(codec, Act, plainly(codec, act)) == [Act(table="t", turn=3, action="fold", to=0)]


@both
def test_defaults_are_not_sent(codec: Codec) -> None:
    assert plain(codec, codec.encode(Act("t", 3, "fold"))) == {
        "type": "act",
        "table": "t",
        "turn": 3,
        "action": "fold",
    }
