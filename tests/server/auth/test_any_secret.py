"""Whoever somebody says he is: by the very secret he is let in, else refused with a code that is told, and
soon, and nothing changes. Tokens, tickets and resume secrets at a real port, in both languages, as any value
and any bytes.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import msgpack
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from protocol.codec import CODECS, MSGPACK, Codec
from protocol.errors import CODES
from server.auth.policy import AdmissionPolicy
from server.auth.tokens import AccessList, Quota, hash_token
from server.fleet.tickets import IssuedTicket, TicketGate, TicketSeat
from server.house.house import House
from server.tables.player import Player
from tests.support.bot_programs import until
from tests.support.houses.people import PATIENCE, Entrance, Message, at_table, each_library, opened, unpacked

#: Seconds in which an answer must come. Without shrinking: a fault would cost this a hundred times.
SOON = 9.0
FEW = settings(
    max_examples=80, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck)
)
#: Secrets of one place each, the same in every run.
TOKEN, TICKET, RESUME = "t" * 43, "k" * 43, "r" * 32
GUEST = "somebody"


def spoilt(secret: str) -> st.SearchStrategy[str]:
    """Nearly that secret."""
    places, letters = st.integers(0, len(secret) - 1), st.characters(codec="utf-8")
    return st.one_of(
        places.map(lambda at: secret[:at]),
        st.tuples(places, letters).map(lambda it: secret[: it[0]] + it[1] + secret[it[0] :]),
        st.sampled_from(
            [secret.upper(), f" {secret}", f"{secret}\n", f"{secret}\x00", secret * 2, hash_token(secret)]
        ),
    )


PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(),
    st.text(max_size=80),
    st.sampled_from(["x" * 256, "x" * 257, "x" * 20_000, "é" * 300, "0", "null"]),
)
ANYTHING = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
SECRETS = st.one_of(spoilt(TOKEN), spoilt(TICKET), spoilt(RESUME), st.text(max_size=80))
ORDINARY = st.fixed_dictionaries(
    {"type": st.just("hello"), "name": st.sampled_from([GUEST, GUEST, "member", "far", "FAR", "near"])},
    optional={"token": SECRETS, "resume": SECRETS, "tables": st.integers(1, 3), "person": st.booleans()},
)
FIELDS = st.sampled_from(["name", "token", "resume", "tables", "person", "software", "protocol"])
STRANGE = st.builds(
    lambda hello, field, value: {**hello, field: value},
    ORDINARY,
    FIELDS,
    st.one_of(ANYTHING, st.binary(max_size=60)),
)
HELLOS = st.one_of(ORDINARY, ORDINARY, STRANGE)


def frame(codec: Codec, hello: Message, raw: bytes) -> bytes:
    """What is sent: a hello in which any bytes may stand where a text should."""
    if codec is MSGPACK:
        return bytes(msgpack.packb(hello))
    text = json.dumps(hello, default=lambda data: "\x00".join(map(chr, data)))
    return text.encode().replace(b'"token": ""', b'"token": "' + raw + b'"')


class Scene:
    """A house with guests, a member, and two who are expected: one by his ticket, one who was here before."""

    def __init__(self) -> None:
        access = AccessList()
        self.token = access.issue("member", Quota())
        access.issue("root", Quota(), admin=True)
        self.doors = TicketGate()
        admission = AdmissionPolicy(access, guests=True)
        self.house = House(grace=1000.0, admission=admission, tickets=self.doors)
        self.far, self.near = Player("far"), Player("near")
        self.match = at_table(self.house, [self.far, self.near])
        self.near.resume = RESUME
        self.house.players.by_resume[self.near.resume_digest] = self.near
        self.doors.open_attempt(7, 1, {"far": self.far})
        self.doors.add_tickets(
            [IssuedTicket(hash_token(TICKET), TicketSeat(7, 1, "far"), 10_000.0)], now=self.house.clock()
        )

    def state(self) -> Any:
        """All that must stay as it is. Who came as a guest without a seat is gone when his connection is."""
        house = self.house
        return (
            {name: (one.resume, one.connection, dict(one.seats)) for name, one in house.players.items()},
            (
                set(house.players.by_key),
                set(house.players.by_token),
                set(house.players.by_resume),
                set(house.players.by_identity),
            ),
            (self.doors.used, self.doors.expected_sessions, dict(self.doors._valid)),
            (house.admission.access, self.match.table.seq, self.match.started),
        )


def told(port: int, codec: Codec, sent: bytes) -> tuple[list[Message], tuple[int, str] | None]:
    """What is answered, and how it is closed if it is; every answer comes soon."""
    names = [Subprotocol(codec.subprotocol)]
    with connect(
        f"ws://127.0.0.1:{port}/ws", subprotocols=names, compression=None, close_timeout=SOON
    ) as there:
        there.send(sent, text=codec.text)
        news: list[Message] = []
        try:
            while not news or news[-1].get("fatal"):
                news += unpacked(codec, there.recv(SOON))
        except ConnectionClosed as closed:
            end = closed.rcvd
            return news, (end.code, end.reason) if end is not None else (0, "")
    return news, None


@pytest.mark.parametrize("codec", CODECS.values(), ids=lambda codec: codec.subprotocol)
@each_library
async def test_any_secret(codec: Codec, library: Entrance, no_error_logged: list[str]) -> None:
    scene = Scene()
    entrance = await opened(scene.house, library)
    before, heard = scene.state(), set()

    @FEW
    @given(HELLOS, st.binary(max_size=80))
    def hellos(hello: Message, raw: bytes) -> None:
        begun = time.monotonic()
        news, closed = told(entrance.port, codec, frame(codec, hello, raw))
        assert time.monotonic() - begun < SOON
        for message in news:
            if message["type"] == "error":
                heard.add(message["code"])
                assert message["code"] in CODES
                assert message["code"] != "internal"
            else:  # nobody but a guest, under a name that nobody has
                assert message["type"] == "welcome"
                assert message["name"] == hello["name"]
                assert message["name"] not in ("member", "root", "far", "near")
                assert not hello.get("token")
                assert not hello.get("resume")
                heard.add("welcome")
        if closed is not None:
            assert closed == (1008, news[-1]["code"])

    await asyncio.to_thread(hellos)
    await until(lambda: not scene.house.connections)
    assert scene.state() == before
    assert {"malformed_frame", "bad_token", "bad_resume", "welcome"} <= heard
    assert not no_error_logged
    # And those whom they are of come in by them, each once or as often as he may.
    async with asyncio.timeout(PATIENCE):
        for secret, name in (({"token": scene.token}, "member"), ({"resume": RESUME}, "near")):
            news, _ = await asyncio.to_thread(
                told, entrance.port, codec, frame(codec, {"type": "hello", "name": "x", **secret}, b"")
            )
            assert (news[0]["type"], news[0]["name"]) == ("welcome", name)
        for code in ("", "bad_token"):
            hello = {"type": "hello", "name": "x", "token": TICKET}
            news, _ = await asyncio.to_thread(told, entrance.port, codec, frame(codec, hello, b""))
            assert news[0].get("code", "") == code
    await entrance.close()
