"""TLS at every door: real certificates, real handshakes."""

from __future__ import annotations

import asyncio
import http.client
import socket
import ssl
from pathlib import Path
from typing import Any

import pytest
import structlog
from structlog.testing import LogCapture
from websockets.asyncio.client import connect

from pokerd.__main__ import main
from pokerd_bot.net.channel import ConnectError
from pokerd_bot.net.connection import connect as sdk_connect
from protocol.codec import JSON, MSGPACK
from server.house.house import House
from server.net import gateway
from server.net.tls import TlsConfig, TlsError, load_tls
from server.web.site import serve_web
from tests.support.bot_programs import until
from tests.support.certificates import make_certificate
from tests.support.houses.http_client import pages
from tests.support.houses.people import Remote, open_table
from tests.support.programs import PYTHON, ROOT, Program, outcome


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_certificate(tmp_path_factory.mktemp("tls"))


def trusting(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=certificate)


def name_at(port: int) -> str:
    """What the certificate that is shown there says of itself."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port), 10) as raw, context.wrap_socket(raw) as shown:
        data = shown.getpeercert(binary_form=True)
    assert data is not None
    return "second" if b"second" in data else "first"


async def test_bots_come_by_wss_and_ours_without(pair: tuple[Path, Path]) -> None:
    house = House(guests=True)
    open_table(house)
    entrance = await gateway.serve(house, "127.0.0.1", 0, TlsConfig(*pair))
    url = f"wss://127.0.0.1:{entrance.port}"
    async with connect(url, ssl=trusting(pair[0])) as socket:
        one = Remote(socket, JSON)
        await one.say("hello", name="ann")
        assert (await one.hear("welcome"))["tables"]
        assert {connection.address for connection in house.connections} == {"127.0.0.1"}
    async with connect(entrance.internal_url) as socket:
        await Remote(socket, JSON).say("hello", name="bob")
        await Remote(socket, JSON).hear("welcome")
    with pytest.raises(ssl.SSLCertVerificationError):
        await connect(url)
    with pytest.raises((OSError, EOFError, Exception)):  # no language that the other side speaks
        await connect(url.replace("wss", "ws"), open_timeout=5)
    await until(lambda: not house.connections)
    await entrance.close()


async def test_a_connection_that_is_ended_by_the_server_ends_in_order(pair: tuple[Path, Path]) -> None:
    house = House(guests=True)
    entrance = await gateway.serve(house, "127.0.0.1", 0, TlsConfig(*pair))
    async with connect(f"wss://127.0.0.1:{entrance.port}", ssl=trusting(pair[0])) as socket:
        one = Remote(socket, JSON)
        await one.say("hello", name="ann", token="wrong")
        assert (await one.hear("error"))["code"] == "bad_token"
        await socket.wait_closed()
        assert socket.close_code == 1008
    await entrance.close()


async def test_the_sdk_trusts_whom_it_is_told_to(pair: tuple[Path, Path], tmp_path: Path) -> None:
    house = House(guests=True)
    entrance = await gateway.serve(house, "127.0.0.1", 0, TlsConfig(*pair))
    url = f"wss://127.0.0.1:{entrance.port}"
    channel = await sdk_connect(url, MSGPACK, lambda frame, send: None, str(pair[0]))
    channel.close()
    await channel.wait_closed()
    (tmp_path / "nothing").write_text("")
    for trusted in ("", str(tmp_path / "missing"), str(tmp_path / "nothing")):
        with pytest.raises(ConnectError):
            await sdk_connect(url, MSGPACK, lambda frame, send: None, trusted)
    await until(lambda: not house.connections)
    await entrance.close()


async def test_people_come_by_https(pair: tuple[Path, Path], tmp_path: Path) -> None:
    house = House(guests=True)
    web = serve_web(house, "127.0.0.1", 0, tls=TlsConfig(*pair), folder=pages(tmp_path))

    def page() -> tuple[int, str]:
        browser = http.client.HTTPSConnection("127.0.0.1", web.port, timeout=10, context=trusting(pair[0]))
        browser.request("GET", "/")
        answer = browser.getresponse()
        told = answer.status, answer.headers["Set-Cookie"]
        browser.close()
        return told

    status, cookie = await asyncio.to_thread(page)
    assert status == 200
    assert "; Secure" in cookie
    address = f"wss://127.0.0.1:{web.port}/ws"
    origin: Any = f"https://127.0.0.1:{web.port}"
    async with connect(address, ssl=trusting(pair[0]), origin=origin) as socket:
        one = Remote(socket, JSON)
        await one.say("hello", name="ann", person=True)
        await one.hear("welcome")
    await until(lambda: not house.connections)
    await web.close()


async def test_a_renewed_certificate_is_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.net.tls.POLL_INTERVAL", 0.02)
    first, second = make_certificate(tmp_path, "first"), make_certificate(tmp_path, "second")
    entrance = await gateway.serve(House(), "127.0.0.1", 0, TlsConfig(*first))
    assert await asyncio.to_thread(name_at, entrance.port) == "first"
    logged = LogCapture()
    structlog.configure(processors=[logged], wrapper_class=structlog.make_filtering_bound_logger(0))
    second[0].replace(first[0])  # the key does not fit yet: the old pair holds
    await until(lambda: [one["event"] for one in logged.entries] == ["cannot renew certificate"])
    assert await asyncio.to_thread(name_at, entrance.port) == "first"
    second[1].replace(first[1])
    shown = ""
    async with asyncio.timeout(10):
        while shown != "second":
            shown = await asyncio.to_thread(name_at, entrance.port)
    assert [one["event"] for one in logged.entries][1:] == ["certificate renewed"]
    await entrance.close()


def test_files_that_cannot_be_used(tmp_path: Path, pair: tuple[Path, Path]) -> None:
    other = make_certificate(tmp_path, "other")
    locked = make_certificate(tmp_path, "locked", password="secret")
    junk = tmp_path / "junk"
    junk.write_text("none")
    for certificate, key in (
        (tmp_path / "missing", pair[1]),
        (pair[0], tmp_path),
        (pair[0], other[1]),
        (junk, pair[1]),
        (pair[0], junk),
        locked,
    ):
        with pytest.raises(TlsError) as refusal:
            TlsConfig(certificate, key)
        assert refusal.value.code == "bad_certificate"
    for half in ((pair[0], None), (None, pair[1])):
        with pytest.raises(TlsError):
            load_tls(*half)
    assert load_tls(None, None) is None


def test_a_server_with_tls_and_its_bots(pair: tuple[Path, Path], tmp_path: Path) -> None:
    """House bots come by a door of their own, a guest by wss with the authority that he is told."""
    certificate, key = pair
    serve = (PYTHON, "-m", "pokerd", "serve", "--port", "0", "--web-port", "0", "--data", tmp_path / "data")
    with Program(*serve, "--tls-cert", certificate, "--tls-key", key, "--bots", "call") as server:
        url = server.says(r"listens at (wss://\S+)")[1]
        server.says(r"people: https://")
        caller = (PYTHON, ROOT / "clients" / "examples" / "caller.py", "--url", url)
        ours = {"PYTHONPATH": str(ROOT)}
        refused = outcome(*caller, variables=ours)
        assert refused.returncode == 1
        assert "self-signed certificate" in refused.stderr
        with Program(*caller, "--ca", certificate, "--join", "table-1", variables=ours) as bot:
            bot.says("10 hands")
    assert not server.said("Traceback")


def test_a_wrong_pair_starts_nothing(
    pair: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(ROOT / "games" / "example.toml")
    for command in (["serve"], ["compete", file, "--out", str(tmp_path / "out")]):
        assert main([*command, "--tls-cert", str(pair[0])]) == 2
        assert capsys.readouterr().err.endswith("[bad_certificate]\n")
    assert not (tmp_path / "out").exists()
