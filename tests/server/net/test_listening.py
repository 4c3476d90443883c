"""Places for connections: counted from ``accept`` on, given back at the end, refused where there is none."""

from __future__ import annotations

import asyncio
import os
import resource
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import LogCapture
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from server.auth.addresses import client_key, parse_network
from server.auth.policy import Capacity
from server.house.house import House
from server.net import gateway, handshake
from server.net import listener as listening
from server.net.listener import ConnectionLimiter, Listener, ListenError, limiter_for, listen
from server.net.tls import TlsConfig
from server.telemetry.metrics import REJECTED_SOCKETS, SOCKETS
from server.web.site import serve_web
from tests.support.bot_programs import until
from tests.support.certificates import make_certificate
from tests.support.houses.people import Entrance

WAYS: list[Entrance] = ["picows", "web"]
ways = pytest.mark.parametrize("way", WAYS)
#: Seconds in which a closed connection must be seen to be closed.
SOON = 30.0


@pytest.mark.parametrize(
    ("address", "counts_as"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("anything", "anything"),
    ],
)
def test_what_counts_as_one_address(address: str, counts_as: str) -> None:
    assert client_key(address) == counts_as


@given(st.integers(1, 8), st.integers(0, 5), st.lists(st.tuples(st.booleans(), st.sampled_from("abc"))))
def test_places_are_as_many_as_they_are_whatever_happens(
    total: int, of_one: int, course: list[tuple[bool, str]]
) -> None:
    limiter = ConnectionLimiter(total, of_one)
    here: list[str] = []
    for comes, who in course:
        if comes:
            reason = limiter.acquire(who)
            full = len(here) >= total
            assert reason == ("server" if full else "address" if of_one and here.count(who) >= of_one else "")
            here += [] if reason else [who]
        elif who in here:
            here.remove(who)
            limiter.release(who)
        assert limiter.in_use == len(here)


@contextmanager
def descriptors(soft: int) -> Iterator[None]:
    """This process may have so many, for a while."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def most_used() -> int:
    return max(int(path.name) for path in Path("/proc/self/fd").iterdir())


@contextmanager
def all_used() -> Iterator[None]:
    """There is no descriptor left."""
    used = []
    with suppress(OSError):
        while True:
            used.append(os.open(os.devnull, os.O_RDONLY))
    try:
        yield
    finally:
        for descriptor in used:
            os.close(descriptor)


def test_a_server_takes_the_descriptors_that_it_may_have_and_keeps_some() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = listening.UNLIMITED if hard == resource.RLIM_INFINITY else hard
    with descriptors(256):
        limiter = limiter_for(Capacity(most, 1))
        assert resource.getrlimit(resource.RLIMIT_NOFILE) == (most, hard)
    assert limiter.total == most - most // 4
    assert limiter.per_client == 1 + listening.EXTRA_PER_ADDRESS


@pytest.mark.parametrize(
    ("limit", "capacity", "total", "of_one"),
    [
        (20_000, Capacity(), 10_000, 1256),
        (20_000, Capacity(10_000, 0), 10_000, 0),
        (20_000, Capacity(500, 1000), 500, 250),
        (1024, Capacity(), 768, 384),
        (200, Capacity(), 136, 68),
        (64, Capacity(), 32, 16),
        (2, Capacity(), 1, 1),
    ],
)
def test_the_places_of_a_server(
    limit: int, capacity: Capacity, total: int, of_one: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listening, "_raise_descriptor_limit", lambda: limit)
    limiter = limiter_for(capacity)
    assert (limiter.total, limiter.per_client) == (total, of_one)


async def test_a_proxy_may_have_all_places() -> None:
    limiter = ConnectionLimiter(
        3, 1, [network for text in ("127.0.0.1",) if (network := parse_network(text))]
    )
    [door] = listen("127.0.0.1", 0, limiter)
    try:
        port = door.getsockname()[1]
        with ExitStack() as stack:
            for address in ("127.0.0.1", "127.0.0.1", "127.0.0.2"):
                stack.enter_context(idle(port, address))
                stack.enter_context(door.accept()[0])
            assert limiter.in_use == 3
        assert not limiter.in_use
    finally:
        door.close()


def test_where_nobody_can_listen(tmp_path: Path) -> None:
    async def twice() -> None:
        [first] = listen("127.0.0.1", 0)
        try:
            for host, port in (("127.0.0.1", first.getsockname()[1]), ("192.0.2.1", 0), ("no such host", 0)):
                with pytest.raises(ListenError):
                    listen(host, port)
        finally:
            first.close()

    asyncio.run(twice())


async def test_every_address_of_a_name_is_listened_at() -> None:
    doors = listen("", 0)
    try:
        assert len({door.getsockname()[1] for door in doors}) == 1
        assert len({door.family for door in doors}) == len(doors)
    finally:
        for door in doors:
            door.close()


@asynccontextmanager
async def opened(
    way: Entrance, limiter: ConnectionLimiter, tls: TlsConfig | None = None
) -> AsyncIterator[tuple[House, int]]:
    """A house behind one of the doors, and its port."""
    house = House(guests=True)
    entrance: Any
    if way == "web":
        entrance = serve_web(house, "127.0.0.1", 0, tls=tls, limiter=limiter)
        await until(lambda: entrance._http._server.started)
    else:
        entrance = await gateway.serve(house, "127.0.0.1", 0, tls, limiter)
    try:
        yield house, entrance.port
    finally:
        await entrance.close()
    assert (limiter.in_use, house.connections) == (0, set())


def idle(port: int, address: str = "127.0.0.1") -> socket.socket:
    """Somebody who connects, and says nothing."""
    connection = socket.create_connection(("127.0.0.1", port), SOON, (address, 0))
    connection.setblocking(False)
    return connection


async def rest(connection: socket.socket) -> bytes:
    """All that is heard until the other side closes."""
    heard = b""
    async with asyncio.timeout(SOON):
        try:
            while part := await asyncio.get_running_loop().sock_recv(connection, 4096):
                heard += part
        except ConnectionResetError:
            pass
    return heard


def nodelay(client: Any) -> list[int]:
    """TCP_NODELAY of the server's end of a connection: it is in this process."""
    found = []
    for path in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            if not path.is_socket():
                continue
            with socket.socket(fileno=os.dup(int(path.name))) as one:
                if one.getpeername() == client.getsockname():
                    found.append(one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
    return found


@pytest.mark.parametrize("secure", [False, True], ids=["plain", "TLS"])
@ways
async def test_small_frames_leave_at_once_at_every_port(way: Entrance, secure: bool, tmp_path: Path) -> None:
    pair = make_certificate(tmp_path) if secure else None
    house, limiter = House(guests=True), ConnectionLimiter(5)
    entrance: Any
    if way == "web":
        entrance = serve_web(house, "127.0.0.1", 0, tls=pair and TlsConfig(*pair), limiter=limiter)
        await until(lambda: entrance._http._server.started)
    else:
        entrance = await gateway.serve(house, "127.0.0.1", 0, pair and TlsConfig(*pair), limiter)
    context = ssl.create_default_context(cafile=pair[0]) if pair else None
    try:
        async with connect(f"{'wss' if pair else 'ws'}://127.0.0.1:{entrance.port}/ws", ssl=context) as there:
            assert nodelay(there.transport.get_extra_info("socket")) == [1]
        if way != "web":
            async with connect(entrance.internal_url) as there:
                assert nodelay(there.transport.get_extra_info("socket")) == [1]
    finally:
        await entrance.close()


@ways
async def test_who_says_nothing_has_a_place_and_beyond_the_last_one_is_told(way: Entrance) -> None:
    limiter = ConnectionLimiter(5, 3)
    before, refused = (
        SOCKETS._value.get(),
        {why: count._value.get() for why, count in REJECTED_SOCKETS.items()},
    )
    async with opened(way, limiter) as (_, port):
        with ExitStack() as stack:
            several = ["127.0.0.1"] * 3 + ["127.0.0.2"] * 2
            held = [stack.enter_context(idle(port, address)) for address in several]
            await until(lambda: limiter.in_use == 5)
            assert SOCKETS._value.get() == before + 5
            with idle(port, "127.0.0.3") as late:
                await asyncio.get_running_loop().sock_sendall(
                    late, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
                )
                answer = await rest(late)
            assert answer.startswith(b"HTTP/1.1 503 ")
            assert answer.endswith(b"\r\n\r\nserver_full: too many connections\n")
            held.pop().close()
            await until(lambda: limiter.in_use == 4)
            with pytest.raises(InvalidStatus) as refusal:
                await connect(f"ws://127.0.0.1:{port}/ws")
            assert refusal.value.response.body.startswith(b"too_many_connections: ")
            async with connect(f"ws://127.0.0.1:{port}/ws", local_addr=("127.0.0.9", 0)):
                assert limiter.in_use == 5
            await until(lambda: limiter.in_use == 4)
        await until(lambda: not limiter.in_use)
        assert SOCKETS._value.get() == before
    counted = {why: count._value.get() - refused[why] for why, count in REJECTED_SOCKETS.items()}
    assert counted == {"server": 1, "address": 1, "descriptors": 0}


@ways
@pytest.mark.parametrize("drip", [False, True], ids=["silent", "a byte at a time"])
async def test_a_handshake_that_does_not_come_is_waited_for_a_while(
    way: Entrance, drip: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handshake, "HANDSHAKE_TIMEOUT", 0.3)
    monkeypatch.setattr("server.web.http_timeouts.REQUEST", 0.3)
    limiter = ConnectionLimiter(5)
    async with opened(way, limiter) as (house, port):
        with idle(port) as connection:
            await until(lambda: limiter.in_use == 1)
            ended = asyncio.ensure_future(rest(connection))
            for byte in b"GET /ws HTTP/1.1\r\nHost: " + b"a" * 3000:
                if ended.done():
                    break
                if drip:
                    await asyncio.get_running_loop().sock_sendall(connection, bytes([byte]))
                await asyncio.wait([ended], timeout=0.02)
            await ended
        await until(lambda: not limiter.in_use)
        assert not house.connections


@ways
async def test_a_handshake_of_tls_that_does_not_come_is_waited_for_a_while(
    way: Entrance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handshake, "HANDSHAKE_TIMEOUT", 0.3)
    pair = make_certificate(tmp_path)
    limiter = ConnectionLimiter(2)
    async with opened(way, limiter, TlsConfig(*pair)) as (_, port):
        with idle(port) as silent, idle(port) as half:
            # The head of a greeting that announces more than ever comes.
            await asyncio.get_running_loop().sock_sendall(half, b"\x16\x03\x01\x02\x00\x01")
            await until(lambda: limiter.in_use == 2)
            with idle(port) as late:
                assert await rest(late) == b""  # without TLS there is nothing to say
            assert await rest(silent) == b""
            await rest(half)
        await until(lambda: not limiter.in_use)
        trusting = ssl.create_default_context(cafile=pair[0])
        async with connect(f"wss://127.0.0.1:{port}/ws", ssl=trusting):
            pass


async def test_bots_of_our_own_always_find_a_place() -> None:
    house = House(guests=True)
    entrance = await gateway.serve(house, "127.0.0.1", 0, None, ConnectionLimiter(0))
    with pytest.raises(InvalidStatus):
        await connect(f"ws://127.0.0.1:{entrance.port}")
    async with connect(entrance.internal_url):
        assert len(house.connections) == 1
    await entrance.close()


async def test_a_house_does_not_wait_long_for_those_who_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handshake, "CLOSE_TIMEOUT", -0.9)
    limiter = ConnectionLimiter(5)
    entrance = await gateway.serve(House(), "127.0.0.1", 0, None, limiter)
    with idle(entrance.port):
        await until(lambda: limiter.in_use == 1)
        async with asyncio.timeout(handshake.HANDSHAKE_TIMEOUT / 2):
            await entrance.close()
    await until(lambda: not limiter.in_use)


async def test_without_a_descriptor_who_waits_is_turned_away_and_nothing_is_torn(
    no_error_logged: list[str],
) -> None:
    loop = asyncio.get_running_loop()
    house = House(guests=True)
    entrance = await gateway.serve(house, "127.0.0.1", 0, None, ConnectionLimiter(100))
    refused = REJECTED_SOCKETS["descriptors"]._value.get()
    async with connect(f"ws://127.0.0.1:{entrance.port}") as there:
        with ExitStack() as stack:
            # They are connected as far as they know: the system does that, before anybody accepts.
            waiting = [stack.enter_context(idle(entrance.port)) for _ in range(20)]
            with descriptors(most_used() + 1), all_used():
                for connection in waiting:
                    assert await loop.sock_recv(connection, 1) == b""
                await there.send('{"type": "hello", "name": "ann"}')
                assert "welcome" in str(await there.recv())
        assert REJECTED_SOCKETS["descriptors"]._value.get() == refused + 20
        async with connect(f"ws://127.0.0.1:{entrance.port}"):
            pass
    await entrance.close()


async def test_refusals_are_told_now_and_then(no_error_logged: list[str]) -> None:
    logs = LogCapture()
    structlog.configure(processors=[logs], wrapper_class=structlog.make_filtering_bound_logger(0))
    limiter = ConnectionLimiter(0)
    for number in range(3):
        limiter.count_rejection(f"192.0.2.{number}", "server")
    told = {"event": "connections refused", "log_level": "warning", "reason": "server"}
    assert logs.entries == [{**told, "address": "192.0.2.0", "refused": 1}]
    limiter._logged_at -= listening.LOG_INTERVAL
    limiter.count_rejection("192.0.2.9", "server")
    assert logs.entries[1:] == [{**told, "address": "192.0.2.9", "refused": 3}]


async def test_a_listener_gives_others_a_turn() -> None:
    [door] = listen("127.0.0.1", 0, ConnectionLimiter(0))
    with door, ExitStack() as stack:
        for _ in range(listening.MAX_REJECTIONS_AT_ONCE + 1):
            stack.enter_context(idle(door.getsockname()[1]))
        with pytest.raises(BlockingIOError, match="a turn"):
            door.accept()
        assert len(door._rejecting) == listening.MAX_REJECTING
        with pytest.raises(BlockingIOError):
            door.accept()


async def test_a_place_is_given_back_also_if_a_connection_is_forgotten() -> None:
    limiter = ConnectionLimiter(1)
    [door] = listen("127.0.0.1", 0, limiter)
    assert isinstance(door, Listener)
    with door, idle(door.getsockname()[1]):
        accepted, _ = door.accept()
        assert limiter.in_use == 1
        with pytest.warns(ResourceWarning):
            del accepted
        assert limiter.in_use == 0
