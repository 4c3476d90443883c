from __future__ import annotations

import pytest
from hypothesis import Phase, find, settings

from protocol.codec import CODECS, JSON, MSGPACK, Codec
from protocol.errors import CODES, MalformedFrame, Refused
from protocol.messages import ClientMessage, Hello
from protocol.session import MAX_REFUSALS, REFUSALS, TRANSITIONS, ServerSession, SessionState
from tests.protocol.generate import CLIENT, messages

#: The simplest message of every type that a client may send, ``hello`` first.
ONE_OF_EACH: tuple[ClientMessage, ...] = tuple(
    find(
        messages(kind),
        lambda _: True,
        settings=settings(max_examples=1, phases=[Phase.generate], database=None, derandomize=True),
    )
    for kind in CLIENT
)


@pytest.mark.parametrize("message", ONE_OF_EACH, ids=lambda message: type(message).__name__)
@pytest.mark.parametrize("state", SessionState)
def test_a_message_moves_the_session_or_is_refused(state: SessionState, message: ClientMessage) -> None:
    session = ServerSession(JSON)
    session.state = state
    after = TRANSITIONS.get((state, type(message)))
    if after is not None:
        session.advance(message)
        assert session.state is after
        return
    with pytest.raises(Refused) as refusal:
        session.advance(message)
    assert refusal.value.code in CODES
    assert session.state is state


def test_hello_comes_first_and_once() -> None:
    session = ServerSession(JSON)
    for message in ONE_OF_EACH[1:]:
        with pytest.raises(Refused, match=CODES["hello_first"]):
            session.advance(message)
    session.advance(ONE_OF_EACH[0])
    with pytest.raises(Refused, match=CODES["hello_again"]):
        session.advance(ONE_OF_EACH[0])
    for message in ONE_OF_EACH[1:]:
        session.advance(message)


def test_all_codes_of_the_table_are_documented() -> None:
    assert set(REFUSALS.values()) <= set(CODES)


@pytest.mark.parametrize("codec", CODECS.values(), ids=lambda codec: codec.subprotocol)
def test_the_kind_of_frame_must_be_that_of_the_subprotocol(codec: Codec) -> None:
    session = ServerSession(codec)
    frame = codec.encode(Hello(name="me"))
    assert list(session.receive(frame, text=codec.text)) == [Hello(name="me")]
    with pytest.raises(MalformedFrame) as refusal:
        session.receive(frame, text=not codec.text)
    assert refusal.value.code == "wrong_frame_kind"
    assert session.state is SessionState.NEW


def test_patience_ends() -> None:
    session = ServerSession(MSGPACK)
    assert [session.count_refusal() for _ in range(MAX_REFUSALS)] == [False] * (MAX_REFUSALS - 1) + [True]
