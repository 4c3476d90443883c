"""Messages and frames at random: right ones from the types themselves, wrong ones from anything."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

from protocol.codec import Codec
from protocol.messages import ClientMessage, ServerMessage

CLIENT: tuple[type[msgspec.Struct], ...] = get_args(ClientMessage)
SERVER: tuple[type[msgspec.Struct], ...] = get_args(ServerMessage)

#: Whole numbers that every JSON reader keeps exactly.
_EXACT = 2**53 - 1


def messages(kind: type[msgspec.Struct]) -> st.SearchStrategy[Any]:
    """Any message of that type, as its type allows."""
    return _values(inspect.type_info(kind))


def _values(info: inspect.Type) -> st.SearchStrategy[Any]:
    match info:
        case inspect.IntType():
            low = -_EXACT if info.ge is None else info.ge
            return st.integers(low, _EXACT if info.le is None else info.le)
        case inspect.FloatType():
            least = -1e9 if info.ge is None else info.ge
            return st.floats(least, 1e9 if info.le is None else info.le).map(lambda value: value + 0.0)
        case inspect.StrType():
            letters = st.characters(exclude_categories=("Cs", "Cc"))
            return st.text(letters, min_size=info.min_length or 0, max_size=min(20, info.max_length or 20))
        case inspect.BoolType() | inspect.NoneType():
            return st.none() if isinstance(info, inspect.NoneType) else st.booleans()
        case inspect.LiteralType():
            return st.sampled_from(info.values)
        case inspect.UnionType():
            return st.one_of(*map(_values, info.types))
        case inspect.ListType():
            return st.lists(_values(info.item_type), max_size=min(4, info.max_length or 4))
        case inspect.DictType():
            return st.dictionaries(_values(info.key_type), _values(info.value_type), max_size=4)
        case inspect.VarTupleType():
            return st.lists(_values(info.item_type), max_size=4).map(tuple)
        case inspect.TupleType():
            return st.tuples(*map(_values, info.item_types))
        case inspect.StructType():
            return st.builds(info.cls, **{field.name: _values(field.type) for field in info.fields})
        case _:
            raise AssertionError(f"no message has a field like this: {info}")


_leaves = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["hello", "act", "table-1", "call", "raise", "turn", "welcome", "x" * 300]),
    st.sampled_from(["watch", "say", "show", "create", "away"]),
)
_keys = st.one_of(
    st.text(max_size=4),
    st.sampled_from(["type", "name", "token", "tables", "resume", "table", "turn", "action", "to", "seat"]),
    st.sampled_from(["person", "text", "hand", "cards", "at", "seats", "mode", "bots", "stack", "matches"]),
)
#: Anything that JSON or MessagePack can say, with a taste for our own words.
objects: st.SearchStrategy[Any] = st.recursive(
    _leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(_keys, inner, max_size=5)),
    max_leaves=12,
)


@st.composite
def wrong_objects(draw: st.DrawFn) -> dict[str, Any]:
    """A client's message in which one field was changed, taken away or added."""
    kind = draw(st.sampled_from(CLIENT))
    message: dict[str, Any] = msgspec.to_builtins(draw(messages(kind)))
    field = draw(st.one_of(st.sampled_from(sorted(message)), _keys))
    if draw(st.booleans()):
        message.pop(field, None)
    else:
        message[field] = draw(objects)
    return message


@st.composite
def broken_frames(draw: st.DrawFn, codec: Codec) -> bytes:
    """The frame of some good messages, with bytes cut off, changed, put in or doubled."""
    parts = [
        codec.encode(draw(messages(kind)))
        for kind in draw(st.lists(st.sampled_from(CLIENT), min_size=1, max_size=3))
    ]
    frame = bytearray(codec.join(parts))
    at = draw(st.integers(0, len(frame) - 1))
    match draw(st.sampled_from(["cut", "change", "put in", "double"])):
        case "cut":
            del frame[at:]
        case "change":
            frame[at] = draw(st.integers(0, 255))
        case "put in":
            frame[at:at] = draw(st.binary(min_size=1, max_size=4))
        case _:
            frame *= 2
    return bytes(frame)


def any_frames(codec: Codec) -> st.SearchStrategy[bytes]:
    """Frames of every sort: noise, broken ones, well-formed nonsense, and messages that are nearly right."""
    encode = codec.encode
    return st.one_of(
        st.binary(max_size=64),
        broken_frames(codec),
        objects.map(encode),
        wrong_objects().map(encode),
        st.lists(wrong_objects(), max_size=4).map(encode),
        st.sampled_from(CLIENT).flatmap(messages).map(encode),
    )
