from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgpack
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codec import CODECS, JSON, MAX_MESSAGES, MSGPACK, Codec
from protocol.errors import CODES, MalformedFrame
from tests.protocol.generate import CLIENT, any_frames

both = pytest.mark.parametrize("codec", CODECS.values(), ids=lambda codec: codec.subprotocol)

ACT: dict[str, Any] = {"type": "act", "table": "t", "turn": 1, "action": "call"}


def refused(codec: Codec, frame: bytes | str) -> str:
    with pytest.raises(MalformedFrame) as refusal:
        codec.decode_client(frame)
    assert 0 < len(str(refusal.value)) < 500
    assert refusal.value.code in CODES
    return refusal.value.code


@both
@settings(max_examples=300)
@given(data=st.data())
def test_any_bytes_are_messages_or_refused(codec: Codec, data: st.DataObject) -> None:
    frame = data.draw(any_frames(codec))
    for decode in (codec.decode_client, codec.decode_server):
        code = ""
        messages: Sequence[object] = ()
        try:
            messages = decode(frame)
        except MalformedFrame as refusal:
            code = refusal.code
        assert not code or code in CODES
        assert decode == codec.decode_server or all(isinstance(message, CLIENT) for message in messages)


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b" ",
        b"null",
        b"7",
        b'"hello"',
        b"{}",
        b"[[]]",
        b"[{}]",
        b'{"type":null}',
        b'{"type":"welcome","name":"a","resume":"","grace":1,"server":"me"}',
        b'{"type":"hello"}',
        b'{"type":"hello","name":""}',
        b'{"type":"hello","name":"' + b"n" * 65 + b'"}',
        b'{"type":"hello","name":"a\\u0000b"}',
        b'{"type":"hello","name":"a\\nb"}',
        b'{"type":"hello","name":"\\ud800"}',
        b'{"type":"hello","name":"\xff\xfe"}',
        b'{"type":"hello","name":"\xed\xa0\x80"}',
        b'{"type":"hello","name":"a","tables":0}',
        b'{"type":"hello","name":"a","tables":4097}',
        b'{"type":"hello","name":"a","tables":true}',
        b'{"type":"hello","name":"a","tables":1.5}',
        b'{"type":"hello","name":"a","tables":"1"}',
        b'{"type":"hello","name":"a","token":"' + b"t" * 257 + b'"}',
        b'{"type":"join","table":"t","seat":10}',
        b'{"type":"join","table":"t","seat":-2}',
        b'{"type":"act","table":"t","turn":-1,"action":"call"}',
        b'{"type":"act","table":"t","turn":NaN,"action":"call"}',
        b'{"type":"act","table":"t","turn":Infinity,"action":"call"}',
        b'{"type":"act","table":"t","turn":1e400,"action":"call"}',
        b'{"type":"act","table":"t","turn":1,"action":"bet"}',
        b'{"type":"act","table":"t","turn":1,"action":"raise","to":-5}',
        b'{"type":"act","table":"t","turn":1,"action":"raise","to":1e300}',
        b'{"type":"act","table":"t","turn":1,"action":"raise","to":9007199254740992}',
        b'{"type":"act","table":"t","turn":1,"action":"raise","to":' + b"9" * 60_000 + b"}",
        b'{"type":"act","table":"t","turn":1,"action":"raise","to":"5"}',
        b'{"type":"act","table":["t"],"turn":1,"action":"call"}',
        b'{"type":"act","table":"t","turn":1,"action":"call"}{}',
        b'{"type":"act","table":"t","turn":1,"action":"call"',
        b"[" * 60_000,
        b"[" * 30_000 + b"]" * 30_000,
        b'{"type":' * 8_000,
        b'{"type":"ready","table":"t","x":' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    ],
    ids=lambda frame: frame[:60].decode("latin-1"),
)
def test_bad_json_is_malformed(frame: bytes) -> None:
    assert refused(JSON, frame) == "malformed_frame"


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\xc1",
        b"\x81\xa4type",
        b"\x91" * 60_000,
        b"\x83\xa4type\xa5ready\xa5table\xa1t\xa1x" + b"\x91" * 60_000,
        b"\x83\xa4type\xa5ready\xa5table\xa1t\xa1x" + b"\x81\xa1x" * 20_000,
        b"\xdc\xff\xff",
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\x82\xa4type\xa5ready\xa5table\xdb\xff\xff\xff\xff",
        b"\x82\xa4type\xa5ready\xa5table\xa2\xff\xfe",
        b"\x82\xa4type\xa5ready\xa5table\xc4\x01t",
        msgpack.packb({**ACT, "turn": float("nan")}),
        msgpack.packb({**ACT, "turn": 2**64 - 1}),
        msgpack.packb({**ACT, "turn": -(2**63)}),
        msgpack.packb({**ACT, "to": 1.5}),
        msgpack.packb({**ACT, "table": b"t"}),
        msgpack.packb({**ACT, "turn": msgpack.Timestamp(1)}),
        msgpack.packb(ACT) + b"\x00",
        msgpack.packb(ACT)[:-1],
        msgpack.packb([[ACT]]),
        msgpack.packb([ACT, None]),
    ],
    ids=lambda frame: repr(frame[:30]),
)
def test_bad_messagepack_is_malformed(frame: bytes) -> None:
    assert refused(MSGPACK, frame) == "malformed_frame"


@both
def test_every_cut_of_a_frame_is_malformed(codec: Codec) -> None:
    frame = json.dumps([ACT, ACT]).encode() if codec is JSON else msgpack.packb([ACT, ACT])
    for length in range(len(frame)):
        assert refused(codec, frame[:length]) == "malformed_frame"


@both
def test_too_many_messages_in_a_frame(codec: Codec) -> None:
    acts: list[dict[str, Any]] = [ACT] * (MAX_MESSAGES + 1)
    frame = json.dumps(acts).encode() if codec is JSON else msgpack.packb(acts)
    assert refused(codec, frame) == "too_many_messages"


@both
def test_one_bad_message_spoils_the_frame(codec: Codec) -> None:
    messages: list[Any] = [ACT, {**ACT, "action": "bet"}, ACT]
    frame = json.dumps(messages).encode() if codec is JSON else msgpack.packb(messages)
    assert refused(codec, frame) == "malformed_frame"


@both
@pytest.mark.parametrize(
    ("said", "named"),
    [
        ({"type": "act", "table": "m", "turn": 7, "action": "raise", "to": 337.5}, ("m", 7)),
        ({"type": "act", "table": "m", "turn": 7, "action": "jump"}, ("m", 7)),
        ({"type": "act", "table": "m", "turn": -7, "action": "call"}, ("m", None)),
        ({"type": "act", "table": "", "turn": 7, "action": "call"}, ("", 7)),
        ({"type": "act", "table": ["m"], "turn": "7", "action": "call"}, ("", None)),
        ({"type": "ready", "table": 1}, ("", None)),
        ({"type": []}, ("", None)),
        (None, ("", None)),
    ],
)
def test_a_wrong_act_is_refused_with_its_table_and_turn(
    codec: Codec, said: object, named: tuple[str, int | None]
) -> None:
    """Its turn stays open: a client of many tables must know at which one to answer again."""
    module = msgspec.json if codec.text else msgspec.msgpack
    good = {"type": "act", "table": "other", "turn": 3, "action": "call"}
    for frame in (said, [good, said]):
        with pytest.raises(MalformedFrame) as refusal:
            codec.decode_client(module.encode(frame))
        assert (refusal.value.table, refusal.value.turn) == named
