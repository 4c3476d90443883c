"""Public events at a real broker: what a subscriber hears, and that nobody waits for the broker."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from msgspec import structs

from dealer.records.journal import read_journal
from dealer.rules.events import BoardDealt, Event, HandEnded, HandStarted, Shown
from protocol.public import (
    STATUS,
    TABLES,
    CompetitionStandings,
    FinishedHand,
    HandPlayer,
    ProgressReport,
    ServerStatus,
    TableList,
    TableStandings,
    encode,
    topic_of,
)
from server.competition.verify import verify_directory
from server.public.bus import QUEUE_LIMIT, EventBus
from server.public.mqtt import EXPIRY, BrokerError, MqttLink, parse_broker
from server.public.mqtt import BrokerAddress as Address
from tests.support.bot_programs import until
from tests.support.broker import Broker, listening_to, retained
from tests.support.competitions.arena import bot, competition, division
from tests.support.competitions.plain import by_plain_calls
from tests.support.houses.visible_cards import CARDS, strings, texts
from tests.support.paced import PACED
from tests.support.ports import free_port
from tests.support.programs import PYTHON, Program, eventually, outcome

POKERD = (PYTHON, "-m", "pokerd")
STANDINGS = f"{TABLES}/table-1/standings"
SPECTATOR = "clients/examples/mqtt_spectator.py"
PAIR = [bot(name, run=name, reset="message", tables=4) for name in ("call", "random")]


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    with Broker(tmp_path) as running:
        yield running


@contextmanager
def serving(*options: str, **variables: str) -> Iterator[Program]:
    """A server with a house bot at each of its tables."""
    settings = ("--port", "0", "--web-port", "0", "--seats", "3", "--bots", "call")
    with (
        TemporaryDirectory() as data,
        Program(*POKERD, "serve", *settings, "--data", data, *options, variables=variables) as server,
    ):
        yield server
    assert not server.said("Traceback"), "\n".join(server.lines)


def address(server: Program) -> str:
    return server.says(r"pokerd listens at (ws://\S+)")[1]


def guest(server: Program) -> Program:
    return Program(*PACED, "--url", address(server), "--join", "table-1")


# The address.


@pytest.mark.parametrize(
    ("url", "parsed"),
    [
        ("mqtt://broker", Address("broker", 1883, False, None, None)),
        ("mqtt://127.0.0.1:1884/", Address("127.0.0.1", 1884, False, None, None)),
        ("mqtts://me:a%40b%3Ac@broker.example", Address("broker.example", 8883, True, "me", "a@b:c")),
        ("mqtt://me@[::1]:1", Address("::1", 1, False, "me", None)),
    ],
)
def test_an_address(url: str, parsed: Address) -> None:
    assert parse_broker(url) == parsed
    assert str(parsed) == f"{parsed.host}:{parsed.port}"


NO_ADDRESS = """
broker 127.0.0.1:1883 http://broker mqtt:// mqtt:broker mqtt://broker:x mqtt://broker:70000 mqtt://[::1
mqtt://me:secret@broker/topic mqtt://broker?x=1 mqtt://broker#x
"""


@pytest.mark.parametrize("url", NO_ADDRESS.split())
def test_what_is_no_address_is_refused_and_not_repeated(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from pokerd.__main__ import main

    with pytest.raises(BrokerError) as refusal:
        parse_broker(url)
    assert refusal.value.code == "bad_broker"
    file = tmp_path / "c.toml"
    file.write_text(competition(PAIR, [division(hands=1)]))
    for command in (["serve", "--port", "0"], ["compete", str(file), "--out", str(tmp_path / "out")]):
        assert main([*command, "--mqtt", url]) == 2
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.endswith("[bad_broker]\n")
        assert "secret" not in told.err
    assert not (tmp_path / "out").exists()


# An open table.


async def test_a_served_table_is_heard_and_told_in_sentences(broker: Broker) -> None:
    with Program(PYTHON, SPECTATOR, broker.url) as spectator:
        async with listening_to(broker.url) as ears:
            with serving("--mqtt", broker.url, "--bots", "random") as server, guest(server):
                await ears.hear(ServerStatus, lambda event: event.status == "online")
                seated = await ears.hear(
                    TableList, lambda event: any(len(t.seated) > 1 for t in event.tables)
                )
                table = await ears.hear(
                    TableStandings, lambda event: any(one.hands >= 20 for one in event.players)
                )
                spectator.says(r"^table-1, hand 20, button ")
                spectator.says(r"^standings of table-1$")
                # Who comes late is told how things stand.
                late = await retained(broker.url, STATUS, TABLES, STANDINGS)
                assert structs.asdict(late[STATUS])["status"] == "online"
                known = late[STANDINGS]
                assert isinstance(known, TableStandings)
                assert {one.name for one in known.players} == {"random-1", "paced"}
                assert server.stop() == 130
            await ears.hear(ServerStatus, lambda event: event.status == "offline")
        # What was won in the night can still be read the next morning.
        late = await retained(broker.url, STATUS, STANDINGS)
        assert structs.asdict(late[STATUS])["status"] == "offline"
        assert isinstance(late[STANDINGS], TableStandings)
        spectator.says(r"^pokerd 0\.1\.0 is offline$")
        assert not spectator.said("Traceback")
        assert spectator.stop() == 130
    assert [(one.name, one.bot) for one in seated.tables[0].seated] == [("random-1", True), ("paced", False)]
    assert not seated.tables[1].seated[1:]
    assert [event.hand for event in ears.hands[:20]] == list(range(1, 21))
    # What was won is what the hands say.
    count = max(one.hands for one in table.players)
    for one in table.players:
        won = sum(
            player.net for event in ears.hands[:count] for player in event.players if player.name == one.name
        )
        assert one.chips == won
    for event in ears.hands:
        check_hand(event)
    kept = {heard.topic for heard in ears.heard if not isinstance(heard.event, FinishedHand)}
    assert kept == {STATUS, TABLES, STANDINGS, "pokerd/v1/tables/table-2/standings"}
    for heard in ears.heard:
        assert heard.properties["ContentType"] == "application/json"
        assert heard.properties.get("MessageExpiryInterval") == EXPIRY.get(type(heard.event))


def check_hand(event: FinishedHand) -> None:
    """Chips add up, and the board is as long as its streets."""
    assert sum(player.net for player in event.players) == 0
    for player in event.players:
        paid = sum(move.paid for street in event.streets for move in street.moves if move.seat == player.seat)
        won = sum(chips for pot in event.pots for seat, chips in pot.wins if seat == player.seat)
        back = event.returned[1] if event.returned and event.returned[0] == player.seat else 0
        assert player.net == won + back - paid - player.ante - player.blind
    assert [len(street.cards) for street in event.streets] == [0, 3, 1, 1][: len(event.streets)]


async def test_a_server_contradicts_who_says_that_it_is_offline_and_is_when_killed(broker: Broker) -> None:
    """As the last will of its connection before this one does, when the broker was slow to miss that."""
    async with listening_to(broker.url, STATUS) as ears:
        with serving("--mqtt", broker.url, "--bots", "") as server:
            online = await ears.hear(ServerStatus)
            assert online.status == "online"
            lie = structs.replace(online, status="offline", since="before")
            await ears.client.publish(STATUS, encode(lie), qos=1, retain=True)
            assert await ears.hear(ServerStatus) == lie
            assert await ears.hear(ServerStatus) == online
            # Its own last will is true.
            assert server.stop(signal.SIGKILL) == -signal.SIGKILL
            offline = await ears.hear(ServerStatus)
    assert offline == structs.replace(online, status="offline")
    assert (await retained(broker.url, STATUS))[STATUS] == offline


# A broker that is not there, goes, or is slow.


def last_hand(server: Program) -> int:
    """The last hand in a server's log."""
    return max((int(found[1]) for found in server.said(r'"hand":(\d+)')), default=0)


def test_without_its_broker_a_server_plays_all_the_same() -> None:
    nowhere = f"mqtt://me:secret@127.0.0.1:{free_port()}"
    with serving("--mqtt", nowhere, "--tables", "1") as server, guest(server) as player:
        server.says(r"^no broker at 127\.0\.0\.1:\d+ \(.*\): continuing without it and retrying$")
        player.says("10 hands")
        assert server.stop() == 130
    assert len(server.said("no broker at")) == 1
    assert not server.said("secret")


async def test_a_broker_that_goes_costs_the_events_and_no_more(broker: Broker) -> None:
    """Be it that it ends, or that it hangs."""
    options = ("--mqtt", broker.url, "--log-level", "info", "--tables", "1")
    ways: list[tuple[Callable[[], None], Callable[[], None]]] = [
        (broker.stop, broker.start),
        (partial(broker.signal, signal.SIGSTOP), partial(broker.signal, signal.SIGCONT)),
    ]
    with serving(*options) as server, guest(server) as player:
        for number, (goes, comes) in enumerate(ways, 1):
            then = last_hand(server)
            async with listening_to(broker.url) as ears:
                await ears.hear(FinishedHand, lambda event: event.hand >= then + 5)  # noqa: B023
            goes()
            server.says("no broker at", times=number)
            then = last_hand(server)
            eventually(lambda: last_hand(server) > then + 5)  # noqa: B023
            comes()
            server.says("public events go to the broker", times=number + 1)
            async with listening_to(broker.url) as ears:
                assert (await ears.hear(FinishedHand)).hand > then + 5
                await ears.hear(TableStandings, lambda event: event.table == "table-1")
            found = await retained(broker.url, STATUS, TABLES)
            assert structs.asdict(found[STATUS])["status"] == "online"
        assert server.stop() == 130
    assert not player.said("refused")


async def test_what_is_told_faster_than_it_is_sent_is_bounded(broker: Broker) -> None:
    """The oldest are lost, the newest arrive, and nobody who published has waited."""
    bus = EventBus()
    said: list[str] = []
    link = MqttLink(parse_broker(broker.url), bus, said.append)
    many = 2 * QUEUE_LIMIT
    async with listening_to(broker.url) as ears:
        link.start()
        await ears.hear(TableList)
        await until(lambda: bus.has_subscribers)
        for number in range(many):
            player = HandPlayer(seat=0, name="a", stack=1, net=0)
            bus.publish(
                FinishedHand(table="t", hand=number, button=0, players=(player,), streets=(), pots=())
            )
        (subscription,) = bus._subscriptions
        assert len(subscription._queue) <= QUEUE_LIMIT + len(bus.state)
        await ears.hear(FinishedHand, lambda event: event.hand == many - 1)
        await link.close()
        await ears.hear(ServerStatus, lambda event: event.status == "offline")
    assert [event.hand for event in ears.hands] == list(range(many - QUEUE_LIMIT, many))
    assert subscription.dropped == many - QUEUE_LIMIT
    assert said == [f"public events go to the broker at 127.0.0.1:{broker.port}"]


async def test_a_link_that_never_connects_ends_at_once() -> None:
    bus = EventBus()
    said: list[str] = []
    link = MqttLink(parse_broker(f"mqtt://127.0.0.1:{free_port()}"), bus, said.append)
    link.start()
    await until(lambda: bool(said))
    assert not bus.has_subscribers
    await link.close()
    assert len(said) == 1


# The end of a competition.

FINAL = CompetitionStandings(competition="cup", final=True, divisions=())


async def test_how_it_ended_is_not_lost_with_the_broker(broker: Broker) -> None:
    """It goes when all is over, and is told when it is back, which is waited for."""
    bus = EventBus()
    link = MqttLink(parse_broker(broker.url), bus, lambda _: None)
    link.start()
    await until(lambda: link.connected)
    broker.stop()
    bus.publish(FINAL)
    closing = asyncio.create_task(link.close(timeout=30.0))
    await until(lambda: not link.connected)
    broker.start()
    assert await closing
    topic = topic_of(FINAL)
    found = await retained(broker.url, topic, STATUS)
    assert found[topic] == FINAL
    assert structs.asdict(found[STATUS])["status"] == "offline"


async def test_a_broker_that_does_not_come_back_is_given_up(broker: Broker) -> None:
    link = MqttLink(parse_broker(broker.url), EventBus(), lambda _: None)
    link.start()
    await until(lambda: link.connected)
    broker.stop()
    assert not await link.close(timeout=0.1)
    assert link.was_connected


async def test_a_finished_competition_can_be_told_again(broker: Broker, tmp_path: Path) -> None:
    by_plain_calls(competition(PAIR, [division(hands=2)]), tmp_path / "out")
    done = outcome(*POKERD, "compete", tmp_path / "out", "--mqtt", broker.url)
    assert done.returncode == 0
    topics = [f"pokerd/v1/competitions/test/{what}" for what in ("progress", "standings")]
    found = await retained(broker.url, *topics)
    progress, standings = (found[topic] for topic in topics)
    assert isinstance(progress, ProgressReport)
    assert [(one.sessions, one.done, one.hands) for one in progress.divisions] == [(2, 2, 4)]
    assert isinstance(standings, CompetitionStandings)
    assert standings.final
    assert {one.name for one in standings.divisions[0].ranking} == {"call", "random"}


# Who may come in.


def made(*command: str | Path) -> None:
    subprocess.run([str(word) for word in command], check=True, capture_output=True, timeout=30)


async def test_a_password_and_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passwords, key, certificate = (tmp_path / name for name in ("passwords", "key.pem", "certificate.pem"))
    passwords.touch(mode=0o600)
    made("mosquitto_passwd", "-b", passwords, "pokerd", "a:b@c")
    request = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1")
    names = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    made(*request, "-nodes", "-keyout", key, "-out", certificate, *names)
    for file in (passwords, key, certificate):
        file.chmod(0o644)
    files = (f"password_file {passwords}", f"certfile {certificate}", f"keyfile {key}")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with Broker(tmp_path, *files, "allow_anonymous false", "user root") as broker:
        url = f"mqtts://pokerd:{{}}@localhost:{broker.port}"
        said: list[str] = []
        link = MqttLink(parse_broker(url.format("wrong")), EventBus(), said.append)
        link.start()
        await until(lambda: bool(said))
        await link.close()
        assert said[0].startswith("no broker at localhost")
        with serving("--bots", "", POKERD_MQTT=url.format("a%3Ab%40c")) as server:
            server.says("public events go to")
            assert server.stop() == 130
        assert not server.said("a:b@c")


# A competition.


def compete(folder: Path, text: str, *options: str) -> Program:
    (folder / "mine.toml").write_text(text)
    return Program(*POKERD, "compete", folder / "mine.toml", "--out", folder / "out", *options)


def journals(out: Path) -> dict[tuple[str, int], list[Event]]:
    """All hands of a competition by session and number."""
    found = {}
    for path in sorted((out / "hands").rglob("*.jsonl")):
        with path.open(encoding="utf-8", newline="\n") as file:
            facts, hands = read_journal(file)
            for events in hands:
                assert isinstance(events[0], HandStarted)
                found[facts["session"], events[0].hand] = events
    return found


async def test_a_competition_is_heard(broker: Broker, tmp_path: Path) -> None:
    bots = [*PAIR, bot("raise", run="raise", reset="message", tables=4)]
    text = competition(bots, [division("duel", hands=10, matches=2)], workers=3)
    with Program(PYTHON, SPECTATOR, broker.url) as spectator:
        async with listening_to(broker.url) as ears:
            with compete(tmp_path, text, "--mqtt", broker.url) as running:
                await ears.hear(ServerStatus, lambda event: event.status == "online")
                await ears.hear(ServerStatus, lambda event: event.status == "offline")
                assert running.end() == 0
        spectator.says(r"^duel/m0001-l002-s1, hand 9, button ")
        spectator.says(r"^standings of duel at the end$")
        spectator.says(r"^test: sessions duel 12/12$")
        assert spectator.stop() == 130
    # Nobody who plays notices.
    assert records(tmp_path / "out") == records(by_plain_calls(text, tmp_path / "plain"))
    played = journals(tmp_path / "out")
    # Every hand, once, and of its cards what was shown.
    assert sorted((event.table, event.hand) for event in ears.hands) == sorted(played)
    secret = 0
    for heard in ears.heard:
        found = {text for text in strings(json.loads(heard.payload)) if text in CARDS}
        if not isinstance(heard.event, FinishedHand):
            assert not found
            continue
        events = played[heard.event.table, heard.event.hand]
        public, hidden = known(events)
        assert found == public
        secret += len(hidden)
        assert heard.event.competition == "test"
        assert isinstance(events[-1], HandEnded)
        assert tuple(player.net for player in heard.event.players) == events[-1].values
    assert secret
    told = await retained(broker.url, "pokerd/v1/competitions/test/standings")
    final = told["pokerd/v1/competitions/test/standings"]
    assert isinstance(final, CompetitionStandings)
    assert final.final
    right = json.loads((tmp_path / "out" / "standings.json").read_text())["divisions"][0]["ranking"]
    assert [
        (one.place, one.name, one.chips, one.hands, one.mbb, one.ci95) for one in final.divisions[0].ranking
    ] == [
        (one["place"], one["bot"], one["chips"], one["hands"], one["rate"]["mbb"], one["rate"]["ci95"])
        for one in right
    ]
    assert told[TABLES] == TableList(tables=())
    progress = [heard.event for heard in ears.heard if isinstance(heard.event, ProgressReport)]
    assert progress[-1].divisions[0].done == progress[-1].divisions[0].sessions == 12


def known(events: list[Event]) -> tuple[set[str], set[str]]:
    """The cards of a hand that everybody saw, and those that nobody else did."""
    public: list[int] = []
    dealt: list[int] = []
    for event in events:
        if isinstance(event, HandStarted):
            dealt += [card for hole in event.hole for card in hole]
        elif isinstance(event, BoardDealt):
            public += event.cards
        elif isinstance(event, Shown):
            public += [card for _, cards in event.hands for card in cards]
    return set(texts(public)), set(texts(dealt)) - set(texts(public))


def records(out: Path) -> dict[str, bytes]:
    """All files of a competition but its logs and its state."""
    paths = (path for path in sorted(out.rglob("*")) if path.is_file())
    found = {str(path.relative_to(out)): path.read_bytes() for path in paths}
    return {name: data for name, data in found.items() if not name.startswith(("logs/", "state.db"))}


def test_the_records_are_the_same_without_a_broker_and_with_one_that_goes(tmp_path: Path) -> None:
    text = competition(PAIR, [division("duel", hands=100)], workers=1)
    alone = records(by_plain_calls(text, tmp_path / "plain"))
    for how in ("never there", "goes and comes back"):
        folder = tmp_path / how.replace(" ", "-")
        folder.mkdir()
        broker = Broker(folder)
        if how == "goes and comes back":
            broker.start()
        with compete(folder, text, "--mqtt", broker.url) as running:
            if how == "goes and comes back":
                journal = folder / "out" / "hands" / "duel" / "m0000-l000-s0.jsonl"
                eventually(lambda: journal.is_file() and journal.stat().st_size > 4096)  # noqa: B023
                broker.stop()
                running.says("no broker at")
                broker.start()
            assert running.end() == 0
        broker.stop()
        assert bool(running.said("^the broker has not heard how it ended; ")) == (how == "never there")
        assert not running.said("Traceback")
        verify_directory(folder / "out")
        assert records(folder / "out") == alone
