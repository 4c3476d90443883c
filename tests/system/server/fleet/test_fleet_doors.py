"""How bots come to the machines of a fleet, and what those that a node starts can see there."""

from __future__ import annotations

import asyncio
import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from clients.examples.caller import Caller
from pokerd_bot.client import Client
from pokerd_bot.running import play
from protocol.codec import JSON
from protocol.messages import Hello, Redirect
from server.auth.tokens import hash_token
from server.bots.launcher import landlock_version
from server.competition.verify import verify_directory
from server.fleet.tickets import IssuedTicket, TicketGate, TicketSeat
from server.house.house import House
from server.net import gateway
from server.net.tls import TlsConfig
from server.tables.player import Player
from server.telemetry.logging_setup import MAX_LINES_PER_ADDRESS
from tests.support.bot_programs import until
from tests.support.certificates import make_certificate
from tests.support.competitions.arena import bot, competition, division
from tests.support.competitions.continued import POKERD, TRIO, written
from tests.support.competitions.fleet import coordinator, finished, node
from tests.support.postgres import Postgres, rows
from tests.support.programs import Program
from tests.support.strangers import harassed

Pair = tuple[Path, Path]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[Pair]:
    """Of two machines, each signed by itself."""
    folder = tmp_path_factory.mktemp("tls")
    return [make_certificate(folder, name) for name in ("chief", "node")]


def together(folder: Path, pairs: list[Pair]) -> Path:
    """Both certificates in one file."""
    file = folder / "trusted.pem"
    file.write_text("".join(certificate.read_text() for certificate, _ in pairs))
    return file


def options(pair: Pair) -> tuple[str, ...]:
    return "--tls-cert", str(pair[0]), "--tls-key", str(pair[1])


def test_a_fleet_with_tls(postgres: Postgres, tmp_path: Path, pairs: list[Pair]) -> None:
    """Its own bots need not know of it; one from elsewhere trusts both machines, and is sent to wss."""
    text = competition([bot("far", token="far-away-token"), TRIO[0]], [division(hands=5)])
    url, out = postgres.migrated(), tmp_path / "out"
    with ExitStack() as stack:
        one = stack.enter_context(node(url, "one", tmp_path, *options(pairs[1])))
        assert one.says(r"^node one plays 2 sessions at once, at (\w+)://")[1] == "wss"
        chief = stack.enter_context(coordinator(url, written(tmp_path, text), out, *options(pairs[0])))
        address = chief.says(r"^bots connect to (wss://\S+)")[1]
        command = (*POKERD, "bot", "call", "--url", address, "--token", "far-away-token", "--tables", "2")
        trusting = ("--ca", together(tmp_path, pairs))
        far = stack.enter_context(Program(*command, *trusting))
        finished(chief)
        assert far.end() == 0
        assert len(far.said(r"^duel/[0-9a-f]{16}: at wss://127\.0\.0\.1:\d+$")) == 2
    verify_directory(out)
    assert json.loads((out / "incidents.json").read_text("utf-8"))["duel"] == {"far": {}, "call": {}}
    assert rows(url, "SELECT count(*) FROM pokerd.tickets WHERE used IS NULL") == [(0,)]


@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "stranger"])
async def test_a_node_is_believed_no_more_than_a_coordinator(
    tmp_path: Path, pairs: list[Pair], caplog: pytest.LogCaptureFixture, *, trusted: bool
) -> None:
    gate, came = TicketGate(), Player("far")
    gate.open_attempt(7, 1, {"far": came})
    gate.add_tickets([IssuedTicket(hash_token("the-ticket"), TicketSeat(7, 1, "far"), 10**9)], now=0.0)
    chief, there = House(), House(tickets=gate)
    there.players.add(came)
    entrances = [
        await gateway.serve(house, "127.0.0.1", 0, TlsConfig(*pair))
        for house, pair in zip((chief, there), pairs, strict=True)
    ]
    first, second = (f"wss://127.0.0.1:{entrance.port}" for entrance in entrances)

    def send() -> None:
        assert here.connection is not None
        here.connection.send(Redirect("table", second, "the-ticket"), urgent=True)

    here = chief.players.add(Player("far", "the-token", on_hello=send))
    ca = together(tmp_path, pairs) if trusted else pairs[0][0]
    hello = Hello(name="far", token="the-token")
    playing = asyncio.create_task(play(Client(Caller, JSON), first, hello, str(ca)))
    await until(
        (lambda: came.connection is not None) if trusted else (lambda: "cannot connect to" in caplog.text)
    )
    assert (came.connection is not None) is trusted
    if not trusted:
        assert f"{second}: " in caplog.text
        assert "self-signed certificate" in caplog.text
    chief.remove_player(here)
    assert await playing == 0
    for entrance in entrances:
        await entrance.close()


#: A program that tells whether it can read a file.
SPY = (
    "import sys\ntry:\n    print('read', len(open(sys.argv[1]).read()))\n"
    "except OSError as error:\n    print('refused', error.errno)\n"
)


@pytest.mark.parametrize("how", ["auto", "off"])
def test_what_bots_of_a_node_can_see(how: str, postgres: Postgres, tmp_path: Path) -> None:
    """Nothing of the node's own files, where the system can do that; the option goes before the file."""
    secret = tmp_path / "one" / "node.key"
    spy = bot("spy", command=["{python}", "-S", "-c", SPY, str(secret)], limits={"sandbox": "auto"})
    text = competition(
        [spy, TRIO[0], bot("nobody", token="never-there")],
        [division(hands=1, seatings="rotations")],
        time={"start_ms": 2000},
    )
    url, out = postgres.migrated(), tmp_path / "out"
    with node(url, "one", tmp_path, "--sandbox", how) as one:
        with coordinator(url, written(tmp_path, text), out) as chief:
            finished(chief, 4)  # the spy does not play
        assert one.stop() == 130
    said = {path.read_text() for path in (tmp_path / "one").glob("*/logs/bots/*.spy.log")}
    standings = json.loads((out / "standings.json").read_text())
    assert standings["divisions"][0]["marked"] == ["spy", "nobody"]
    assert said == ({"refused 13\n"} if how == "auto" and landlock_version() else {"read 32\n"})
    assert bool(one.said("can read the server's files")) == (how == "auto" and not landlock_version())


def test_strangers_write_no_plain_lines(postgres: Postgres, tmp_path: Path) -> None:
    text = competition([bot("far", token="far-away-token"), TRIO[0]], [division(hands=5)])
    url, out, log = postgres.migrated(), tmp_path / "out", tmp_path / "node.log"
    with ExitStack() as stack:
        one = stack.enter_context(node(url, "one", tmp_path, "--log-file", str(log)))
        at_node = int(one.says(r"^node one plays 2 sessions at once, at ws://\S+:(\d+)$")[1])
        chief = stack.enter_context(
            coordinator(url, written(tmp_path, text), out, "--serve", "--web-port", "0")
        )
        at_chief = int(chief.says(r"^bots connect to ws://\S+:(\d+)$")[1])
        people = int(chief.says(r"http://\S+?:(\d+)/")[1])
        harassed(at_chief, people)
        harassed(at_node, people)
        for program in (one, chief):
            assert not program.said("Traceback|WS parser|Invalid HTTP|Fatal error|^{")
    for file in (log, out / "logs" / "server.jsonl"):
        lines = map(json.loads, file.read_text().splitlines())
        assert 0 < sum(line.get("address") == "127.0.0.1" for line in lines) <= MAX_LINES_PER_ADDRESS
