"""By which names a server may be called, and which web pages may connect: at every port, and as options."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from websockets.exceptions import InvalidStatus

from server.auth.hosts import HostConfig, RequestRejected, parse_origin, parse_server_name
from server.auth.policy import AdmissionPolicy
from server.commands.node import NodeOptions
from server.commands.runtime import ServerOptions
from tests.support.houses.people import Entrance, listening

HERE = HostConfig()
NAMED = HostConfig(names=("poker.example",), origins=("https://bots.example", "null"))


def status(
    exposure: HostConfig, at: str, host: str | Sequence[str], *origins: str, secure: bool = False
) -> int:
    """What a handshake is answered with at a port for bots."""
    try:
        exposure.policy_for(at, secure=secure).verify([host] if isinstance(host, str) else host, origins)
    except RequestRejected as answer:
        return answer.status
    return 101


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "localhost:8000", "LOCALHOST:1", "localhost.", "127.0.0.1", "127.0.0.1:8000"),
        *("[::1]", "[::1]:8000", "192.0.2.7:80", "[2001:db8::1]:8000"),
    ],
)
def test_these_names_are_always_known(host: str) -> None:
    for exposure, at in ((HERE, "127.0.0.1"), (HERE, "localhost"), (HERE, "::1"), (NAMED, "0.0.0.0")):
        assert status(exposure, at, host) == 101
        assert status(exposure, at, host, f"http://{host}") == 101


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", "", "x:y"],
)
def test_other_names_are_refused_where_only_this_machine_comes_in_or_names_were_told(host: str) -> None:
    here = "127.0.0.1", "127.0.0.2", "127.1", "::1", "::ffff:127.0.0.1", "localhost", "LOCALHOST"
    for exposure, at in (*((HERE, at) for at in here), (NAMED, "0.0.0.0")):
        assert status(exposure, at, host) == 421
    # Any name may be that of a server which everybody reaches, or which proves it by a certificate.
    assert status(HERE, "0.0.0.0", host) == 101
    assert status(HERE, "127.0.0.1", host, secure=True) == 101
    # But a page of that name is not known to be its own.
    assert status(HERE, "0.0.0.0", host, f"http://{host}") == 403


def test_names_that_were_told() -> None:
    for host in ("poker.example", "Poker.Example:8000", "poker.example."):
        assert status(NAMED, "127.0.0.1", host) == 101
        assert status(NAMED, "0.0.0.0", host, f"https://{host}") == 101
    assert status(HERE, "server.lan", "server.lan:8000", "http://server.lan:8000") == 101
    assert status(NAMED, "127.0.0.1", ["poker.example", "evil.example"]) == 421
    # Programs may send none.
    assert status(NAMED, "127.0.0.1", []) == 101


def test_origins_that_may_play() -> None:
    host = "127.0.0.1:8000"
    for origin in (
        "http://evil.example",
        "http://127.0.0.1:3000",
        "http://127.0.0.1",
        "ws://127.0.0.1:8000",
        "",
    ):
        assert status(NAMED, "127.0.0.1", host, origin) == 403
    assert status(HERE, "127.0.0.1", host, "null") == 403
    assert status(NAMED, "127.0.0.1", host, "null") == 101
    assert status(NAMED, "127.0.0.1", host, "https://bots.example") == 101
    assert status(NAMED, "127.0.0.1", host, "https://bots.example", "http://evil.example") == 403


def test_names_and_origins_in_one_spelling() -> None:
    assert parse_server_name("Poker.Example.") == "poker.example"
    assert parse_server_name("pöker.example") == "xn--pker-5qa.example"
    assert parse_origin("HTTPS://Poker.Example:443/") == "https://poker.example"
    assert parse_origin("http://poker.example:443") == "http://poker.example:443"
    assert parse_origin("null") == "null"
    for wrong in ("", "poker.example:80", "a b", "http://poker.example", "." * 3, "x" * 64):
        with pytest.raises(ValueError, match=re.escape(repr(wrong))):
            parse_server_name(wrong)
    for wrong in ("", "poker.example", "https://", "https://poker.example/path", "*"):
        with pytest.raises(ValueError, match=re.escape(repr(wrong))):
            parse_origin(wrong)


@pytest.mark.parametrize("way", ["picows", "web"])
async def test_at_every_port_a_page_of_others_is_refused(way: Entrance) -> None:
    admission = AdmissionPolicy(guests=True, host_config=NAMED)
    async with listening(way, admission=admission) as (house, door):
        port = door.port
        for name, origin, code in (
            ("127.0.0.1", "http://evil.example", 403),
            ("evil.example", f"http://evil.example:{port}", 421),
            ("evil.example", None, 421),
        ):
            with pytest.raises(InvalidStatus) as answer:
                async with door(name=name, origin=origin):
                    pass
            assert answer.value.response.status_code == code
        assert not house.connections
        let_in = [
            ("127.0.0.1", None),
            ("localhost", f"http://localhost:{port}"),
            ("poker.example", f"http://poker.example:{port}"),
            ("poker.example", f"https://poker.example:{port}"),
        ]
        # The pages of others get no cookie of ours.
        let_in += [("localhost", "https://bots.example")] if way != "web" else []
        for number, (name, origin) in enumerate(let_in):
            async with door(name=name, origin=origin) as remote:
                await remote.say("hello", name=f"guest {number}")
                await remote.hear("welcome")


@pytest.mark.parametrize("way", ["picows", "web"])
async def test_where_everybody_comes_in_every_name_is_as_good(way: Entrance) -> None:
    async with listening(way, "0.0.0.0", guests=True) as (_, door), door(name="server") as remote:
        await remote.say("hello", name="ann")
        await remote.hear("welcome")


def test_a_node_is_known_by_the_name_that_bots_are_sent_to() -> None:
    def names(host: str, *told: str) -> tuple[str, ...]:
        options = NodeOptions(
            "", "node", url="wss://node.example:8000", server=ServerOptions(host, exposure=HostConfig(told))
        )
        return options.node_exposure().names

    assert names("127.0.0.1") == ("node.example",)
    assert names("0.0.0.0", "other.example") == ("other.example", "node.example")
    assert names("0.0.0.0") == ()
