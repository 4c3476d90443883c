"""Whatever is asked of the port for people is answered or refused with a code; nothing changes."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from server.house import House
from server.web.site import serve_web
from tests.docs.pages import ROOT, code, rows, section
from tests.server.people import Memory, open_table
from tests.server.web.browser import pages

API = ROOT / "docs" / "api.md"
CODES = {name for _, codes, *_ in rows(section(API, "## Errors")) for name in code(codes)}
#: Seconds for one answer; without shrinking, so that a fault does not cost this a hundred times.
SOON = 5.0
FEW = settings(
    max_examples=120, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck)
)

METHODS = st.sampled_from([b"GET", b"HEAD", b"POST", b"PUT", b"BREW"])
PLACES = st.sampled_from(
    [
        *(b"/", b"/table/table-1", b"/api/tables", b"/api/tables/table-1/hands", b"/api/hands/table-1.1.1"),
        *(b"/api/bots.csv", b"/api/competitions", b"/api/competitions/x/curves", b"/api/challenges/x.1"),
        *(b"/api/admin", b"/static/../secret", b"/static/%2e%2e/cookie.secret", b"/api/hands/a.1.1.phh"),
    ]
)
LETTERS = st.binary(max_size=30).map(lambda data: re.sub(rb"[\x00-\x20#?\x7f-\xff]", b"%41", data))
NAMES = st.sampled_from([b"limit", b"before", b"offset", b"division", b"bot", b"seating", b"x"])
VALUES = st.one_of(LETTERS, st.sampled_from([b"-1", b"1" * 400, b"%ff", b"1e9", b"%00", b"%D9%A3"]))
QUERIES = st.one_of(st.just(b""), st.builds(lambda name, value: b"?" + name + b"=" + value, NAMES, VALUES))
LINES = st.binary(max_size=60).map(lambda data: re.sub(rb"[\x00-\x1f\x7f]", b"", data).strip())
COOKIES = LINES.map(lambda data: b"pokerd_id_00000000=" + data)
FIELDS = st.sampled_from([b"Cookie", b"Origin", b"If-None-Match", b"Authorization", b"X-Forwarded-Proto"])
HEADERS = st.lists(st.tuples(FIELDS, st.one_of(LINES, COOKIES, st.just(b"a" * 5000))), max_size=4)


def asked(port: int, request: bytes) -> bytes:
    """All that is answered to these bytes, until the server has nothing more to say."""
    with socket.create_connection(("127.0.0.1", port), SOON) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        parts = []
        while part := connection.recv(65536):
            parts.append(part)
    return b"".join(parts)


def lawful(answer: bytes) -> int:
    """An answer of ours, and no fault; below ``/api`` a refusal has one of the codes that are told."""
    head, _, body = answer.partition(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    assert 200 <= status < 500, answer[:400]
    if status >= 400 and body and b"application/json" in head:
        assert json.loads(body)["code"] in CODES, body
    return status


async def test_any_request(tmp_path: Path, no_error_logged: list[str]) -> None:
    house = House(guests=True)
    table = open_table(house)
    ann = Memory(house)
    ann.say("hello", name="ann")
    ann.say("join", table="table-1")
    web = serve_web(house, "127.0.0.1", 0, tmp_path / "data", folder=pages(tmp_path))
    before = set(house.players), list(table.facts.names), dict(house.open_tables)
    answered: set[int] = set()

    @FEW
    @given(METHODS, PLACES, LETTERS, QUERIES, HEADERS, st.binary(max_size=50))
    def requests(
        method: bytes,
        place: bytes,
        rest: bytes,
        query: bytes,
        headers: list[tuple[bytes, bytes]],
        body: bytes,
    ) -> None:
        sent = [(b"Host", b"localhost"), (b"Connection", b"close"), (b"Content-Length", b"%d" % len(body))]
        lines = b"".join(name + b": " + value + b"\r\n" for name, value in [*sent, *headers])
        first = method + b" " + place + rest + query + b" HTTP/1.1\r\n"
        answered.add(lawful(asked(web.port, first + lines + b"\r\n" + body)))

    @FEW
    @given(st.binary(max_size=300))
    def bytes_alone(data: bytes) -> None:
        answer = asked(web.port, data + b"\r\n\r\n")
        assert not answer or lawful(answer) >= 400

    await asyncio.to_thread(requests)
    await asyncio.to_thread(bytes_alone)
    assert {200, 404, 405} <= answered
    assert (set(house.players), list(table.facts.names), dict(house.open_tables)) == before
    assert not no_error_logged
    await web.close()
