"""Equivalent encodings of messages: everything that the protocol allows a server to send, now or later. No
I/O.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from protocol.codec import Codec
from server.check.model import JsonMessage

#: Bytes of a large frame; a little less than the limit that the documentation guarantees.
BIG: Final = 1_000_000


#: Depth to which a program's message is recorded; deeper values are replaced by their type.
_DEEP: Final = 10


class WireVariant(NamedTuple):
    """How the server encodes messages in a scenario.

    ``floats``: whole chips have a fraction of 0. ``halves``: everybody has half a chip that cannot be bet.
    ``alone``: each message in a frame of its own, as an array of one; ``single``: without an array.
    ``fragments``: frames are sent as websocket fragments. ``pings``: with pings. ``big``: a turn comes in a
    frame of nearly 1 MiB.
    """

    unknown_fields: bool = False
    unknown_types: bool = False
    defaults: bool = False
    reverse: bool = False
    floats: bool = False
    halves: bool = False
    spelling: bool = False
    alone: bool = False
    single: bool = False
    fragments: bool = False
    pings: bool = False
    big: bool = False


PLAIN: Final = WireVariant()


def apply_variant(frame: bytes, codec: Codec, style: WireVariant) -> list[tuple[list[JsonMessage], bytes]]:
    """Return the messages of a server frame in groups, each with the frame to send for it."""
    messages = _plain(frame, codec)
    if style._replace(fragments=False, pings=False) == PLAIN:
        return [(messages, frame)]
    if style.defaults:
        messages = [_full(message) for message in codec.decode_server(frame)]
    if style.floats:
        messages = [_with_floats(message) for message in messages]
    if style.halves:
        messages = [_with_halves(message) for message in messages]
    if style.unknown_fields:
        messages = [_with_more_fields(message) for message in messages]
    if style.reverse:
        messages = [dict(reversed(message.items())) for message in messages]
    if style.unknown_types:
        messages = [more for message in messages for more in _with_more_messages(message)]
    if style.big and any(message["type"] == "turn" for message in messages):
        messages = [{"type": "x_padding", "text": "." * BIG}, *messages]
    groups = [[message] for message in messages] if style.alone or style.single else [messages]
    return [(group, _encoded(group, codec, style)) for group in groups]


def _plain(frame: bytes, codec: Codec) -> list[JsonMessage]:
    data = msgspec.json.decode(frame) if codec.text else msgspec.msgpack.decode(frame)
    return data if isinstance(data, list) else [data]


def decode_client_messages(payload: bytes, *, text: bool) -> list[JsonMessage] | None:
    """Return the messages of a program's frame as JSON data; None if it is neither JSON nor MessagePack. A
    value that is not an object becomes ``{"?": ...}``.
    """
    try:
        data = msgspec.json.decode(payload) if text else msgspec.msgpack.decode(payload)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    found = [_as_json(one, _DEEP) for one in (data if isinstance(data, list) else [data])]
    return [one if isinstance(one, dict) else {"?": one} for one in found]


def _as_json(value: object, depth: int) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if depth and isinstance(value, dict):
        return {
            key if isinstance(key, str) else repr(key): _as_json(one, depth - 1) for key, one in value.items()
        }
    if depth and isinstance(value, (list, tuple)):
        return [_as_json(one, depth - 1) for one in value]
    return f"({type(value).__name__})"


def _encoded(messages: list[JsonMessage], codec: Codec, style: WireVariant) -> bytes:
    value: object = messages if style.alone or len(messages) > 1 else messages[0]
    if style.spelling:
        return f"\r\n\t{json.dumps(value, indent=2)}\n".encode() if codec.text else wide_msgpack(value)
    return msgspec.json.encode(value) if codec.text else msgspec.msgpack.encode(value)


def _full(value: object) -> Any:
    """Return a message with all its fields, including defaults."""
    if isinstance(value, msgspec.Struct):
        tag = value.__struct_config__.tag
        fields = {name: _full(getattr(value, name)) for name in value.__struct_fields__}
        return {"type": tag, **fields} if tag is not None else fields
    return [_full(one) for one in value] if isinstance(value, (list, tuple)) else value


#: The fields of type number: whole chips may have a fraction of 0.
_NUMBERS: Final[Mapping[str, Sequence[str]]] = {
    "hand_start": ("stacks",),
    "hand_end": ("net", "stacks"),
    "refilled": ("stack",),
    "match_end": ("net",),
}


def _with_floats(message: JsonMessage) -> JsonMessage:
    changed = dict(message)
    for field in _NUMBERS.get(message["type"], ()):
        value = message[field]
        changed[field] = [float(one) for one in value] if isinstance(value, list) else float(value)
    if "pots" in message:
        changed["pots"] = [
            {
                **pot,
                "amount": float(pot["amount"]),
                "wins": [[seat, float(chips)] for seat, chips in pot["wins"]],
            }
            for pot in message["pots"]
        ]
    return changed


def _with_halves(message: JsonMessage) -> JsonMessage:
    """Return the message with all stacks half a chip higher."""
    changed = dict(message)
    if message["type"] in ("hand_start", "hand_end"):
        changed["stacks"] = [stack + 0.5 for stack in message["stacks"]]
    elif message["type"] == "refilled":
        changed["stack"] = message["stack"] + 0.5
    return changed


_MORE: Final[JsonMessage] = {
    "x_none": None,
    "x_yes": True,
    "x_number": -1.5,
    "x_text": "šachy ♠ 扑克",
    "x_list": [[], [1, [2]], {"type": "turn"}],
    "x_object": {"type": "act", "turn": 0},
}


def _with_more_fields(message: JsonMessage) -> JsonMessage:
    changed = {
        key: [_with_more_fields(one) if isinstance(one, dict) else one for one in value]
        if isinstance(value, list)
        else _with_more_fields(value)
        if isinstance(value, dict)
        else value
        for key, value in message.items()
    }
    return {**changed, **_MORE}


def _with_more_messages(message: JsonMessage) -> list[JsonMessage]:
    table = message.get("table", "")
    return [
        {"type": "x_notice", "text": "a message of a later version"},
        message,
        {"type": "x_spectators", "table": table, "count": 3, "names": ["Eve", None]},
    ]


def wide_msgpack(value: object) -> bytes:
    """Encode as MessagePack in the widest encodings: valid, although no library writes them."""
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        return (
            b"\xcf" + value.to_bytes(8, "big")
            if value >= 0
            else b"\xd3" + value.to_bytes(8, "big", signed=True)
        )
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        data = value.encode()
        return b"\xdb" + len(data).to_bytes(4, "big") + data
    if isinstance(value, (list, tuple)):
        return b"\xdd" + len(value).to_bytes(4, "big") + b"".join(map(wide_msgpack, value))
    assert isinstance(value, dict), value
    parts = [wide_msgpack(key) + wide_msgpack(one) for key, one in value.items()]
    return b"\xdf" + len(parts).to_bytes(4, "big") + b"".join(parts)
