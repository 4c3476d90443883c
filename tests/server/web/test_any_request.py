"""Whatever is asked of the port for people is answered or refused with a code that is told, and soon; nothing
changes, nothing is a fault of the server's, and it plays on.

Behind the port is all that there can be: an open table where somebody plays, hands in the archive, a finished
competition, administration, metrics.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import re
import socket
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from dealer.rules.games import holdem
from server.auth.policy import AdmissionPolicy
from server.auth.tokens import edit_access, make_quota
from server.house import admin as administration
from server.house.admin import Administration
from server.house.house import House
from server.people.same_deals import SameDeals
from server.storage.hand_store import HandStore
from server.web.competitions.reader import CompetitionCatalog
from server.web.health_checks import HealthMonitor
from server.web.identity import Identities, load_secret
from server.web.site import serve_web
from tests.dealer.records.played import random_hand
from tests.docs.pages import ROOT, code, rows, section
from tests.support.bot_programs import until
from tests.support.competitions.results import make
from tests.support.houses.http_client import pages
from tests.support.houses.people import Memory, open_table

API = ROOT / "docs" / "api.md"
CODES = {name for _, codes, *_ in rows(section(API, "## Errors")) for name in code(codes)}
ADMIN = administration.CODES
#: What there may be at all: no status of a fault, and none that means a part of an answer.
STATUSES = {101, 200, 202, 304, 400, 401, 403, 404, 405, 408, 409, 426}
#: Seconds for one answer. Without shrinking: a fault would cost this a hundred times.
SOON = 9.0
FEW = settings(
    max_examples=60, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck)
)

METHODS = st.sampled_from([b"GET", b"GET", b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"BREW"])
SPRING = b"/api/competitions/spring"
PLACES = st.sampled_from(
    [
        *(b"/", b"/table/table-1", b"/healthz", b"/metrics", b"/api/version", b"/api/bots", b"/api/bots.csv"),
        *(b"/api/tables", b"/api/tables.csv", b"/api/tables/table-1", b"/api/tables/table-1.1"),
        *(b"/api/tables/table-1/hands", b"/api/tables/table-1/hands.csv", b"/api/hands/table-1.1.1"),
        *(b"/api/hands/table-1.1.1.phh", b"/api/hands/table-1.1.2.ohh", b"/api/challenges/x.1"),
        *(b"/api/days/today", b"/api/days/2025-02-30", b"/api/links/x.1.y"),
        *(b"/api/competitions", b"/api/competitions.csv", SPRING, SPRING + b"/standings.csv"),
        *(SPRING + b"/curves", SPRING + b"/curves.csv", SPRING + b"/sessions", SPRING + b"/sessions.csv"),
        *(SPRING + b"/sessions/duel/m0000-l000-s0/hands", SPRING + b"/sessions/cup/m0000-l000-s0/hands.csv"),
        *(
            SPRING + b"/sessions/kuhn/m0000-l000-s0/hands/0",
            SPRING + b"/sessions/duel/m0000-l000-s0/hands/1.txt",
        ),
        *(b"/api/competitions/../../etc", b"/api/competitions/%2e%2e", b"/api/admin", b"/api/admin/drain"),
        *(
            b"/static/lobby/lobby.js",
            b"/static/../secret",
            b"/static/%2e%2e/cookie.secret",
            b"/ws",
            b"//",
            b"*",
        ),
    ]
)
LETTERS = st.binary(max_size=30).map(lambda data: re.sub(rb"[\x00-\x20#?\x7f-\xff]", b"%41", data))
RESTS = st.one_of(st.just(b""), st.just(b""), LETTERS)
NAMES = st.sampled_from([b"limit", b"before", b"offset", b"division", b"bot", b"seating", b"x", b"%ff"])
GOOD = [b"1", b"200", b"duel", b"ann", b"table-1.1.2", b"0"]
WRONG = [
    b"",
    b"-1",
    b"201",
    b"1" * 400,
    b"%ff",
    b"1e9",
    b"%00",
    b"%D9%A3",
    b"+1",
    b"table-1.1.999999999999999999",
]
VALUES = st.one_of(LETTERS, st.sampled_from(GOOD + WRONG))
QUERIES = st.lists(st.tuples(NAMES, VALUES), max_size=3).map(
    lambda pairs: b"?" * bool(pairs) + b"&".join(name + b"=" + value for name, value in pairs)
)
LINES = st.binary(max_size=60).map(lambda data: re.sub(rb"[\x00-\x1f\x7f]", b"", data).strip())
RANGES = st.one_of(
    st.sampled_from(
        [b"bytes=0-0", b"bytes=-1", b"bytes=5-2", b"bytes=0-1,2-3", b"bytes=0-" + b"9" * 300, b"x=1-2"]
    ),
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=200).map(
        lambda pairs: b"bytes=" + b",".join(b"%d-%d" % pair for pair in pairs)
    ),
)
FIELDS = st.sampled_from(
    [b"Cookie", b"Origin", b"If-None-Match", b"If-Range", b"Authorization", b"X-Forwarded-Proto", b"Accept"]
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["connection", "name", "address", "table", "x"]), inner, max_size=4)
    ),
)
BODIES = st.one_of(
    st.binary(max_size=100),
    JSON.map(lambda data: json.dumps(data).encode()),
    st.sampled_from([b"[" * 4000, b" " * 5000, b'{"name":"' + b"a" * 9000 + b'"}', b'{"connection":1e999}']),
)


def nearly(secret: str) -> st.SearchStrategy[bytes]:
    """That secret, spoilt somewhere."""
    return st.tuples(st.integers(0, len(secret) - 1), st.binary(max_size=2)).map(
        lambda it: (
            secret[: it[0]].encode()
            + re.sub(rb"[\x00-\x1f\x7f;,]", b"%", it[1])
            + secret[it[0] + 1 :].encode()
        )
    )


class Place:
    """A port with everything behind it, and somebody who plays."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        data = folder / "data"
        make(folder / "results" / "spring")
        with edit_access(data) as access:
            self.root = access.issue("root", make_quota(), admin=True)
            self.member = access.issue("member", make_quota())
        self.identities = Identities(load_secret(data))
        self.house = House(admission=AdmissionPolicy(access, guests=True))
        self.table = open_table(self.house)
        self.archive = HandStore(data / "hands.sqlite3")
        game = holdem(3, 5, 10, stack=300)
        recorder = self.archive.open_table("table-1", mode="cash", game=game, seats=3, commitment="c")
        for number in (1, 2):
            recorder.begin(game, [("ann", ""), ("bob", ""), ("cleo", "")])
            recorder.record_hand(random_hand(game, random.Random(number), number).events)
        self.players = [Memory(self.house) for _ in range(2)]
        for name, one in zip(("ann", "bob"), self.players, strict=True):
            one.say("hello", name=name)
            one.say("join", table="table-1")
            one.say("ready", table="table-1")
        self.watch = HealthMonitor(self.house, data)
        self.web = serve_web(
            self.house,
            "127.0.0.1",
            0,
            data,
            archive=self.archive,
            same_deals=SameDeals(self.archive, bytes(32)),
            competitions=CompetitionCatalog(folder / "results"),
            monitor=self.watch,
            administration=Administration(self.house, data),
            folder=pages(folder / "pages"),
        )

    async def state(self) -> Any:
        """All that must stay as it is, in memory and on the disk."""
        house, table = self.house, self.table
        files = {
            str(path.relative_to(self.folder)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in self.folder.rglob("*")
            if path.is_file() and not path.name.startswith("hands.")  # of these a copy may be under way
        }
        return (
            (
                set(house.players),
                set(house.players.by_identity),
                set(house.connections),
                dict(house.open_tables),
            ),
            (
                list(table.facts.names),
                table.paused,
                table.table.seq,
                house.admission.access,
                house.admission.closing,
            ),
            files,
            await self.archive.hands(1, None, 100),
        )

    def plays_on(self) -> None:
        """Whose turn it is acts, and is not refused."""
        table = self.table.table
        seat = table.turn_seat
        assert seat is not None
        name = self.table.facts.names[seat]
        [one] = [one for one in self.players if one.connection.player.name == name]
        seq = table.seq
        news = one.say("act", table="table-1", turn=table.turn, action="fold")
        assert not [message for message in news if message["type"] == "error"]
        assert table.seq > seq

    async def close(self) -> None:
        await self.web.close()
        await self.watch.close()
        await self.archive.close()


@pytest.fixture
async def place(tmp_path: Path, no_error_logged: list[str]) -> AsyncIterator[Place]:
    place = Place(tmp_path)
    try:
        before = await place.state()
        yield place
        await until(lambda: len(place.house.connections) == 2)
        assert await place.state() == before
        assert not no_error_logged
        place.plays_on()
    finally:
        await place.close()


def asked(port: int, request: bytes, until: bytes = b"never", *, done: bool = False) -> bytes:
    """All that is answered to these bytes, or until some of it has come. ``done``: nothing else is sent."""
    begun = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), SOON) as connection:
        connection.sendall(request)
        if done:
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        while until not in answer and (part := connection.recv(65536)):
            answer += part
    assert time.monotonic() - begun < SOON
    return answer


def request(method: bytes, path: bytes, headers: list[tuple[bytes, bytes]], body: bytes = b"") -> bytes:
    sent = [(b"Host", b"localhost"), (b"Connection", b"close"), (b"Content-Length", b"%d" % len(body))]
    lines = b"".join(name + b": " + value + b"\r\n" for name, value in [*sent, *headers])
    return method + b" " + path + b" HTTP/1.1\r\n" + lines + b"\r\n" + body


def lawful(answer: bytes) -> int:
    """An answer of ours, and no fault; a refusal below ``/api`` has one of the codes that are told."""
    head, _, body = answer.partition(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    assert status in STATUSES, answer[:400]
    if status >= 400 and body and b"application/json" in head:
        assert json.loads(body)["code"] in CODES | set(ADMIN), body
    return status


async def carried_out(example: Callable[[], None]) -> None:
    """All examples, in a thread: the server has the event loop."""
    await asyncio.to_thread(example)


async def test_any_request(place: Place) -> None:
    answered: set[int] = set()

    @FEW
    @example(b"GET", b"/api/tables/table-1/hands", b"", b"?limit=x", [], b"")
    @given(METHODS, PLACES, RESTS, QUERIES, st.lists(st.tuples(FIELDS, LINES), max_size=3), BODIES)
    def requests(
        method: bytes, path: bytes, rest: bytes, query: bytes, headers: list[tuple[bytes, bytes]], body: bytes
    ) -> None:
        whole = request(method, path + rest + query, headers, body)
        answered.add(lawful(asked(place.web.port, whole)))

    await carried_out(requests)
    assert {200, 400, 404, 405} <= answered


async def test_any_range_is_of_no_account(place: Place) -> None:
    """Answers are whole; so no list of ranges makes work of a small request."""

    @FEW
    @given(st.sampled_from([b"/static/lobby/lobby.js", b"/", b"/api/hands/table-1.1.1.phh", SPRING]), RANGES)
    def ranges(path: bytes, of: bytes) -> None:
        answer = asked(place.web.port, request(b"GET", path, [(b"Range", of)]))
        assert lawful(answer) == 200
        assert len(answer) < 100_000

    await carried_out(ranges)


async def test_any_cookie(place: Place) -> None:
    """A page gives whoever has no cookie of ours a new one; nobody is made somebody else by any other."""
    cookie = place.identities.issue(secure=False).partition(";")[0]
    known = request(b"GET", b"/", [(b"Cookie", cookie.encode())])
    assert b"et-cookie" not in (await asyncio.to_thread(asked, place.web.port, known)).lower()
    name = place.identities.cookie.encode()
    sent = st.one_of(
        nearly(cookie), LINES, LINES.map(lambda line: name + b"=" + line), st.just(b"a=b;" * 2000)
    )
    places = st.sampled_from([b"/", b"/table/table-1", b"/api/hands/table-1.1.1"])

    @FEW
    @given(places, st.lists(sent, min_size=1, max_size=3))
    def cookies(path: bytes, values: list[bytes]) -> None:
        answer = asked(place.web.port, request(b"GET", path, [(b"Cookie", value) for value in values]))
        ours = any(cookie.encode() in value for value in values)
        assert lawful(answer) == 200
        assert (b"et-cookie: " in answer.partition(b"\r\n\r\n")[0].lower()) == (
            not ours and not path.startswith(b"/api")
        )

    await carried_out(cookies)


async def test_any_order_without_an_admin_token(place: Place) -> None:
    actions = ("close", "ban", "unban", "pause", "resume", "end", "drain", "x")
    tokens = st.one_of(nearly(place.root), st.just(place.member.encode()), LINES, st.just(b"a" * 8000))

    @FEW
    @given(
        st.sampled_from(actions), tokens, st.sampled_from([b"Bearer ", b"bearer ", b"Basic ", b""]), BODIES
    )
    def orders(action: str, token: bytes, kind: bytes, body: bytes) -> None:
        headers = [] if token.strip() == place.root.encode() else [(b"Authorization", kind + token)]
        answer = asked(place.web.port, request(b"POST", b"/api/admin/" + action.encode(), headers, body))
        assert lawful(answer) in (400, 401, 403)

    await carried_out(orders)


async def test_any_handshake(place: Place) -> None:
    answered: set[int] = set()
    names = [b"Cookie", b"Origin", b"Sec-WebSocket-Protocol", b"Sec-WebSocket-Extensions", b"Upgrade"]
    usual = {
        b"Upgrade": b"websocket",
        b"Sec-WebSocket-Version": b"13",
        b"Sec-WebSocket-Key": b"dGhlIHNhbXBsZSBub25jZQ==",
    }
    more = st.lists(st.tuples(st.sampled_from([*names, *usual]), LINES), max_size=2)

    @FEW
    @given(
        st.sampled_from([b"/ws", b"/ws", b"/ws?x", b"/"]),
        st.sets(st.sampled_from([*usual]), max_size=1),
        more,
    )
    def handshakes(path: bytes, left_out: set[bytes], headers: list[tuple[bytes, bytes]]) -> None:
        lines = [(name, value) for name, value in usual.items() if name not in left_out] + headers
        head = b"".join(name + b": " + value + b"\r\n" for name, value in lines)
        start = b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n"
        answered.add(lawful(asked(place.web.port, start + head + b"\r\n", b"\r\n\r\n")))

    await carried_out(handshakes)
    assert {101, 400, 403} <= answered


async def test_any_bytes(place: Place) -> None:
    @FEW
    @given(st.binary(max_size=300))
    def bytes_alone(data: bytes) -> None:
        answer = asked(place.web.port, data + b"\r\n\r\n", done=True)
        assert not answer or lawful(answer) >= 400

    await carried_out(bytes_alone)
