"""However it is said, it means the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import messages
from protocol.codec import CODECS, Codec
from server.check.wire_variants import PLAIN, WireVariant, apply_variant, wide_msgpack
from tests.support.houses.people import unpacked

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
SAID: list[Any] = [
    messages.HandStart("t", 0, 0, 1, (0, 1), (20_000, 20_000), (0, 0), (100, 50), ("Ah", "Kd")),
    messages.PlayerActed("t", 1, 1, "call", 100, 50),
    messages.YourTurn("t", 2, False, 0, (200, 20_000), 200, 5000, 0),
    messages.HandEnd("t", 9, 0, [messages.PotInfo(5, (0, 1), ((0, 2.5), (1, 2.5)))], (2.5, -2), (1, 1)),
    messages.Rebuy("t", 10, 0, 1000),
    messages.MatchEnd("t", 1, [2, -2]),
    messages.Error("stale_turn", "too late"),
]
#: All but the one in which stacks are others.
WAYS = [PLAIN, *(PLAIN._replace(**{field: True}) for field in WireVariant._fields if field != "halves")]
both = pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)


@given(VALUES)
def test_wide_messagepack_is_messagepack(value: object) -> None:
    assert msgpack.unpackb(wide_msgpack(value), strict_map_key=False) == value


def frames(codec: Codec) -> Iterator[bytes]:
    yield codec.join([codec.encode(message) for message in SAID])
    for message in SAID:
        yield codec.encode(message)


@both
@pytest.mark.parametrize(
    "style", WAYS, ids=lambda style: ",".join(field for field in style._fields if getattr(style, field))
)
def test_a_frame_means_the_same_however_it_is_said(codec: Codec, style: WireVariant) -> None:
    for frame in frames(codec):
        said = apply_variant(frame, codec, style)
        meant = [message for _, one in said for message in codec.decode_server(one)]
        assert meant == list(codec.decode_server(frame))
        # What is noted is what is sent, also what only another reader would see.
        for noted, sent in said:
            assert json.loads(json.dumps(noted)) == unpacked(codec, sent)


@both
def test_halves_are_in_every_stack_and_in_nothing_else(codec: Codec) -> None:
    for frame in frames(codec):
        ((noted, _),) = apply_variant(frame, codec, PLAIN._replace(halves=True))
        for message, plain in zip(noted, unpacked(codec, frame), strict=True):
            for field in plain.keys() & {"stack", "stacks"}:
                same = plain[field]
                more = [stack + 0.5 for stack in same] if isinstance(same, list) else same + 0.5
                assert message.pop(field) == more
                del plain[field]
            assert message == plain


@both
def test_each_way_is_another(codec: Codec) -> None:
    (frame, *_) = frames(codec)
    plain = [sent for _, sent in apply_variant(frame, codec, PLAIN)]
    assert plain == [frame]
    for style in WAYS[1:]:
        if not (style.fragments or style.pings):
            assert [sent for _, sent in apply_variant(frame, codec, style)] != plain, style
