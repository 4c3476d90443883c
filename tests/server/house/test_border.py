"""Whatever comes in is carried out or refused with a documented code, and nobody else notices."""

from __future__ import annotations

import time
import tracemalloc
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.codec import CODECS, JSON, MAX_FRAME, MAX_MESSAGES, MSGPACK, Codec
from protocol.errors import CODES
from protocol.session import MAX_REFUSALS
from server.auth.policy import AdmissionPolicy
from server.auth.tokens import AccessList, Quota
from server.bots.processes import ProcessManager
from server.house.house import House
from server.house.lobby import MAX_OWN_TABLES, Lobby
from server.net.connection import CLOSE_POLICY
from server.tables.config import TableConfig
from server.tables.player import Player
from tests.protocol.generate import any_frames
from tests.support.houses.people import PATIENT, STAKES, Memory, Message, at_table, packed

both = pytest.mark.parametrize("codec", CODECS.values(), ids=lambda codec: codec.subprotocol)


class Scene:
    """Two in a match, one of them the attacker, and an open table for others."""

    def __init__(self, codec: Codec) -> None:
        # Without house bots: nothing is started however many tables are asked for.
        self.lobby = Lobby(ProcessManager(), make_house=partial(House, guests=True, grace=1000.0))
        self.house = self.lobby.house
        self.attacker = Memory(self.house, codec)
        self.victim = Memory(self.house, JSON if codec is MSGPACK else MSGPACK)
        self.match = at_table(
            self.house, [Player("attacker", "a-token"), Player("victim", "v-token")], hands=10**6
        )
        self.open = self.lobby.open(TableConfig(STAKES, 3, PATIENT, pause=5.0))
        self.victim.say("hello", name="victim", token="v-token")
        self.victim.say("ready", table="m")

    def seated(self) -> None:
        self.attacker.say("hello", name="attacker", token="a-token", tables=2)
        self.attacker.say("ready", table="m")

    def others_are_served(self) -> None:
        """Somebody else can come in, sit down and be refused politely; the opponent's match goes on."""
        guest = Memory(self.house, JSON)
        [welcome] = guest.say("hello", name="guest")
        assert welcome["type"] == "welcome"
        free = welcome["tables"][0]["free"]
        if free:
            assert guest.say("join", table="table-1")[0]["type"] == "match_start"
        [error] = guest.say("act", table="nowhere", turn=0, action="call")
        assert error["code"] == "unknown_table"
        guest.say("leave", table="table-1")
        self.house.remove_player(self.house.players["guest"])
        for message in self.victim.news():
            assert message["type"] != "error", message
        self.victim_plays()

    def victim_plays(self) -> None:
        """The victim acts if it is his turn; his act is accepted."""
        table = self.match.table
        if table.turn_seat != 1:
            return
        seq = table.seq
        news = self.victim.say("act", table="m", turn=table.turn, action="call")
        assert not any(message["type"] == "error" for message in news)
        assert table.seq > seq

    def close(self) -> None:
        self.house.close()
        assert not self.house.connections
        assert not self.house.players


def lawful(scene: Scene, news: list[Message]) -> None:
    """What the attacker heard: messages of the protocol, errors with documented codes."""
    for message in news:
        if message["type"] == "error":
            assert message["code"] in CODES
            assert message["code"] != "internal"
            assert message["message"]
    if scene.attacker.closed is not None:
        code, reason = scene.attacker.closed
        assert code == CLOSE_POLICY
        assert reason in CODES
        assert news[-1]["fatal"] is True
        assert news[-1]["code"] == reason


@both
@pytest.mark.parametrize("seated", [False, True], ids=["a stranger", "a player"])
@settings(max_examples=60)
@given(data=st.data())
async def test_any_frames(codec: Codec, seated: bool, data: st.DataObject) -> None:
    scene = Scene(codec)
    try:
        if seated:
            scene.seated()
        for frame in data.draw(st.lists(any_frames(codec), min_size=1, max_size=8)):
            before = scene.match.table.seq
            news = scene.attacker.throw(frame)
            lawful(scene, news)
            if not seated:
                assert scene.match.table.seq == before
            scene.others_are_served()
            if scene.attacker.closed is not None:
                break
    finally:
        scene.close()


ANYTHING = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.sampled_from(["ready", "leave", "back", "join", "watch", "away"]),
            "table": st.sampled_from(["m", "table-1", "table-2", "x"]),
        },
        optional={"seat": st.integers(-1, 9)},
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("say"),
            "table": st.sampled_from(["m", "table-1"]),
            "text": st.one_of(st.text(max_size=8), st.just("x" * 300)),
        }
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("show"),
            "table": st.sampled_from(["m", "table-1"]),
            "hand": st.integers(0, 3),
            "cards": st.lists(st.sampled_from(["Ah", "2c", "Zz", ""]), max_size=2),
        }
    ),
    st.fixed_dictionaries(
        {"type": st.just("create")},
        optional={
            "mode": st.sampled_from(["cash", "tournament", "war"]),
            "seats": st.integers(0, 12),
            "stack": st.integers(-5, 100),
            "bots": st.lists(st.sampled_from(["fair", "../x"]), max_size=2),
            "matches": st.integers(0, 3),
        },
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("hello"),
            "name": st.sampled_from(["attacker", "victim", "guest 2"]),
            "token": st.sampled_from(["", "a-token", "wrong"]),
            "resume": st.sampled_from(["", "wrong"]),
            "tables": st.integers(1, 3),
            "person": st.booleans(),
        }
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("act"),
            "table": st.sampled_from(["m", "m", "m", "table-1", "x"]),
            "turn": st.integers(0, 30),
            "action": st.sampled_from(["fold", "call", "check", "raise"]),
            "to": st.one_of(st.integers(0, 600), st.sampled_from([20_000, 2**53 - 1])),
        }
    ),
)


@both
@settings(max_examples=100)
@given(data=st.data())
async def test_right_messages_in_any_state(codec: Codec, data: st.DataObject) -> None:
    scene = Scene(codec)
    try:
        for message in data.draw(st.lists(ANYTHING, min_size=1, max_size=25)):
            if scene.attacker.closed is not None:
                scene.attacker = Memory(scene.house, codec)
            lawful(scene, scene.attacker.throw(packed(codec, message)))
            scene.victim_plays()
        scene.others_are_served()
    finally:
        scene.close()


#: What somebody may take for a token, a name or a resume secret.
PROOFS = st.one_of(
    st.text(max_size=60), st.sampled_from(["", "a-token ", "A-TOKEN", "v-token\x00", "x" * 256])
)


@both
@settings(max_examples=150)
@given(name=PROOFS, token=PROOFS, resume=PROOFS, tables=st.integers(0, 5000))
async def test_no_words_make_one_somebody_else(
    codec: Codec, name: str, token: str, resume: str, tables: int
) -> None:
    """Without the secret there is no way to a seat, a name that is taken, or one that belongs to a token."""
    scene = Scene(codec)
    access = AccessList()
    secret = access.issue("member", Quota())
    access.issue("root", Quota(), admin=True)
    access.ban("name", "banned", "root")
    scene.house.admission = scene.house.authenticator.admission = AdmissionPolicy(
        access, guests=True, guest_quota=Quota(rate=5000, tables=2)
    )
    try:
        before = set(scene.house.players)
        hello = {"type": "hello", "name": name, "token": token, "resume": resume, "tables": tables}
        news = scene.attacker.throw(packed(codec, hello))
        lawful(scene, news)
        came = set(scene.house.players) - before
        assert came <= {name}
        assert not came & {"member", "root", "banned", "victim", "attacker"}
        assert not {one["type"] for one in news} & {"match_start", "hand_start"}
        if came:
            assert not token
            assert not resume
        for known, code in (("member", "name_taken"), ("BANNED", "banned"), ("Victim", "name_taken")):
            other = Memory(scene.house, codec)
            assert [one["code"] for one in other.say("hello", name=known)] == [code]
        member = Memory(scene.house, codec)
        assert member.say("hello", name="x", token=secret)[0]["name"] == "member"
        scene.house.remove_player(scene.house.players["member"])
        if "guest" not in came:
            scene.others_are_served()
    finally:
        scene.close()


def heavy(codec: Codec) -> dict[str, bytes]:
    """Frames as large as one may be, made to be dear."""
    act = {"type": "act", "table": "m", "turn": 0, "action": "raise", "to": 1}
    many = [act] * MAX_MESSAGES
    if codec is JSON:
        return {
            "brackets": b"[" * MAX_FRAME,
            "nested objects": b'{"a":' * (MAX_FRAME // 5),
            "nested in a field": b'{"type":"ready","table":"m","x":' + b"[" * 60_000,
            "a huge number": b'{"type":"act","table":"m","action":"call","turn":' + b"9" * 60_000 + b"}",
            "a long fraction": b'{"type":"act","table":"m","action":"call","turn":0.' + b"1" * 60_000 + b"}",
            "a huge exponent": b'{"type":"act","table":"m","action":"call","turn":1e' + b"9" * 60_000 + b"}",
            "escapes": b'{"type":"hello","name":"' + b"\\u0061" * 10_000 + b'"}',
            "many fields": b"{" + b",".join(b'"%d":0' % number for number in range(7_000)) + b"}",
            "as many messages as allowed": b"["
            + b",".join([b'{"type":"back","table":"m"}'] * MAX_MESSAGES)
            + b"]",
            "too many messages": b"[" + b",".join([b'{"type":"back","table":"m"}'] * 2000) + b"]",
            "spaces": b" " * MAX_FRAME,
        }
    return {
        "brackets": b"\x91" * MAX_FRAME,
        "nested maps": b"\x81\xa1a" * (MAX_FRAME // 3),
        "nested in a field": b"\x83\xa4type\xa5ready\xa5table\xa1m\xa1x" + b"\x91" * 60_000,
        "a list that claims four thousand million": b"\xdd\xff\xff\xff\xff",
        "a list that claims two hundred million": b"\xdd\x0f\xff\xff\xff" + b"\x80" * 60_000,
        "a map that claims four thousand million": b"\xdf\xff\xff\xff\xff",
        "a text that claims four thousand million": b"\x82\xa4type\xa5ready\xa5table\xdb\xff\xff\xff\xff",
        "as many messages as allowed": packed(codec, many),
        "too many messages": packed(codec, [{"type": "back", "table": "m"}] * 2000),
        "nothing, often": b"\xc0" * MAX_FRAME,
    }


@both
async def test_a_frame_costs_bounded_time_and_memory(codec: Codec) -> None:
    for name, frame in heavy(codec).items():
        scene = Scene(codec)
        scene.seated()
        tracemalloc.start()
        begun = time.process_time()
        news = scene.attacker.throw(frame)
        seconds = time.process_time() - begun
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        lawful(scene, news)
        if name != "as many messages as allowed":
            assert [message["code"] for message in news if message["type"] == "error"] == [
                "too_many_messages" if name == "too many messages" else "malformed_frame"
            ], name
        assert seconds < 2.0, name
        assert peak < 4_000_000, name
        scene.others_are_served()
        scene.close()


@both
@pytest.mark.parametrize(
    "messages",
    [
        [{"type": "say", "table": "table-1", "text": "x" * 200}],
        [{"type": "leave", "table": "table-1"}, {"type": "watch", "table": "table-1"}],
        [{"type": "watch", "table": "table-1"}, {"type": "join", "table": "table-1"}],
        [{"type": "away", "table": "table-1"}, {"type": "back", "table": "table-1"}],
        [{"type": "create", "seats": 10}],
    ],
    ids=lambda messages: messages[0]["type"],
)
async def test_what_others_would_have_to_read_is_bounded(
    codec: Codec, messages: list[dict[str, Any]]
) -> None:
    """However much one says in a frame, another hears little of it, and soon."""
    scene = Scene(codec)
    scene.attacker.say("hello", name="attacker", token="a-token", tables=10, person=True)
    other = Memory(scene.house, codec)
    other.say("hello", name="other", tables=2, person=True)
    other.say("join", table="table-1")
    other.say("ready", table="table-1")
    scene.attacker.say("join" if messages[0]["type"] == "away" else "watch", table="table-1")
    scene.attacker.say("ready", table="table-1")
    other.news()
    count = min(
        MAX_MESSAGES // len(messages),
        (MAX_FRAME - 10) // sum(len(packed(codec, one)) + 1 for one in messages),
    )
    begun = time.process_time()
    lawful(scene, scene.attacker.throw(packed(codec, messages * count)))
    assert time.process_time() - begun < 2.0
    heard = other.news()
    assert len(heard) < 300
    assert sum(len(packed(codec, message)) for message in heard) < 200_000
    assert len(scene.house.open_tables) <= 1 + MAX_OWN_TABLES
    scene.others_are_served()
    scene.close()


@both
async def test_patience_ends_after_many_refusals(codec: Codec) -> None:
    scene = Scene(codec)
    scene.seated()
    codes: list[str] = []
    while scene.attacker.closed is None:
        codes += [message["code"] for message in scene.attacker.throw(b"\xc1") if message["type"] == "error"]
    assert codes == ["malformed_frame"] * MAX_REFUSALS + ["too_many_faults"]
    assert scene.attacker.closed == (CLOSE_POLICY, "too_many_faults")
    assert scene.house.players["attacker"].connection is None
    assert scene.house.players["attacker"].seats
    scene.others_are_served()
    scene.close()


@both
async def test_patience_ends_within_one_frame(codec: Codec) -> None:
    scene = Scene(codec)
    frame = packed(codec, [{"type": "ready", "table": "m"}] * MAX_MESSAGES)
    codes = [message["code"] for message in scene.attacker.throw(frame)]
    assert codes == ["hello_first"] * MAX_REFUSALS + ["too_many_faults"]
    scene.close()


@both
async def test_messages_of_a_frame_are_carried_out_or_refused_each_by_itself(codec: Codec) -> None:
    scene = Scene(codec)
    hello: dict[str, Any] = {"type": "hello", "name": "attacker", "token": "a-token", "tables": 2}
    ready = {"type": "ready", "table": "m"}
    bad = {"type": "join", "table": "nowhere"}
    news = scene.attacker.throw(packed(codec, [ready, hello, hello, bad, ready]))
    kinds = [message["code"] if message["type"] == "error" else message["type"] for message in news]
    assert kinds[:5] == ["hello_first", "welcome", "match_start", "hello_again", "unknown_table"]
    assert "hand_start" in kinds
    assert scene.match.started
    scene.close()


@both
async def test_a_frame_with_one_bad_message_is_dropped_whole(codec: Codec) -> None:
    scene = Scene(codec)
    hello = {"type": "hello", "name": "attacker", "token": "a-token"}
    [error] = scene.attacker.throw(packed(codec, [hello, {"type": "act", "table": "m"}]))
    assert error["code"] == "malformed_frame"
    assert scene.attacker.say("ready", table="m")[0]["code"] == "hello_first"
    scene.close()


async def test_the_wrong_kind_of_frame() -> None:
    for codec in CODECS.values():
        scene = Scene(codec)
        frame = packed(codec, {"type": "hello", "name": "x"})
        scene.attacker.connection.receive(frame, text=not codec.text)
        [error] = scene.attacker.news()
        assert error["code"] == "wrong_frame_kind"
        assert scene.attacker.say("hello", name="x")[0]["type"] == "welcome"
        scene.close()
