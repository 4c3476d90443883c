from __future__ import annotations

import pytest

from protocol.codec import CODECS, JSON, MSGPACK, Codec
from protocol.errors import CODES, MalformedFrame, Refused
from protocol.messages import Act, ClientMessage, Hello, Join, Leave, Ready, SitIn
from protocol.people import CreateTable, Invite, SendChat, ShowCards, SitOut, Spectate
from protocol.session import MAX_REFUSALS, REFUSALS, TRANSITIONS, ServerSession, SessionState
from tests.protocol.generate import CLIENT

ONE_OF_EACH: tuple[ClientMessage, ...] = (
    Hello(name="me"),
    Join("t"),
    Leave("t"),
    Ready("t"),
    Act("t", 1, "call"),
    SitIn("t"),
    Spectate("t"),
    SitOut("t"),
    SendChat("t", "good evening"),
    ShowCards("t", 1, ["Ah"]),
    CreateTable(),
    Invite("t", "fair"),
)


def test_the_examples_are_all_there_are() -> None:
    assert {type(message) for message in ONE_OF_EACH} == set(CLIENT)


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
