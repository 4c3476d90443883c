"""How bots from elsewhere get to their tables: who is let in, once, and who is not; fleets with such bots."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from protocol.messages import Redirect
from server.auth.tokens import hash_token, new_token
from server.competition.file import Competition, parse_competition
from server.competition.verify import verify_directory
from server.fleet.coordinator import RedirectQueue, SeatRedirect
from server.fleet.tickets import IssuedTicket, TicketGate, TicketSeat, TicketStore
from server.tables.player import Player
from tests.support.competitions.arena import bot, competition, division
from tests.support.competitions.continued import POKERD, TRIO, records, written
from tests.support.competitions.fleet import coordinator, finished, mid_match, node
from tests.support.competitions.plain import by_plain_calls
from tests.support.postgres import Postgres, rows, until
from tests.support.programs import Program
from tests.system.server.fleet.ledger import Fleet

SEAT = TicketSeat(7, 1, "far")
TICKET = new_token()


def issued(ticket: str = TICKET, seat: TicketSeat = SEAT, seconds: float = 10.0) -> IssuedTicket:
    return IssuedTicket(hash_token(ticket), seat, seconds)


# Doors of a node.


@pytest.fixture
def far() -> Player:
    return Player("far")


@pytest.fixture
def doors(far: Player) -> TicketGate:
    doors = TicketGate()
    doors.open_attempt(7, 1, {"far": far})
    assert doors.add_tickets([issued()], now=100.0) == [hash_token(TICKET)]
    return doors


def test_a_ticket_lets_in_once(doors: TicketGate, far: Player) -> None:
    assert doors.admit(TICKET, 105.0) is far
    assert doors.used == [hash_token(TICKET)]
    assert doors.admit(TICKET, 105.0) is None
    # Nor when the database does not know yet that it was used.
    assert doors.add_tickets([issued()], now=105.0) == []
    assert doors.admit(TICKET, 105.0) is None


def test_a_ticket_is_good_for_its_time(doors: TicketGate) -> None:
    assert doors.admit(TICKET, 110.1) is None
    assert doors.used == []


@pytest.mark.parametrize(
    "ticket",
    ["", "x", new_token(), hash_token(TICKET), TICKET[:-1], TICKET + "x"],
    # Drawn anew by each process that looks for tests: not part of their names.
    ids=["empty", "short", "another", "hash", "cut", "longer"],
)
def test_what_is_no_ticket(doors: TicketGate, far: Player, ticket: str) -> None:
    assert doors.admit(ticket, 100.0) is None
    assert doors.admit(TICKET, 100.0) is far


@pytest.mark.parametrize(
    "seat", [TicketSeat(8, 1, "far"), TicketSeat(7, 2, "far"), TicketSeat(7, 1, "other")]
)
def test_a_ticket_for_another_seat_lets_nobody_in(doors: TicketGate, seat: TicketSeat) -> None:
    other = new_token()
    assert doors.add_tickets([issued(), issued(other, seat)], now=100.0) == []
    assert doors.admit(other, 100.0) is None


def test_nobody_comes_to_an_attempt_that_is_over(doors: TicketGate) -> None:
    assert doors.expected_sessions == [7]
    doors.close_attempt(7, 1)
    assert doors.expected_sessions == []
    assert doors.admit(TICKET, 100.0) is None


# Calls of a coordinator.


def call(seat: TicketSeat = SEAT, ticket: str = TICKET) -> SeatRedirect:
    return SeatRedirect(seat, Redirect("duel/m0000-l000-s0", "ws://node", ticket))


def test_a_bot_is_called_once_and_when_the_node_is_ready() -> None:
    calls = RedirectQueue()
    assert calls.needs_ticket(SEAT)
    calls.add([call()])
    assert not calls.needs_ticket(SEAT)
    assert calls.pending_hashes == [hash_token(TICKET)]
    assert calls.pop_known([]) == []
    assert calls.pop_known([hash_token(TICKET)]) == [call()]
    assert calls.pending_hashes == []
    assert not calls.needs_ticket(SEAT)


def test_who_says_hello_again_is_called_again() -> None:
    calls = RedirectQueue()
    other = TicketSeat(7, 1, "other")
    calls.add([call(), call(other, new_token())])
    calls.forget_bot("far")
    assert (calls.needs_ticket(SEAT), calls.needs_ticket(other)) == (True, False)
    assert hash_token(TICKET) not in calls.pending_hashes


def test_nobody_is_called_to_an_attempt_that_is_over() -> None:
    calls = RedirectQueue()
    calls.add([call()])
    calls.retain_attempts({(7, 2)})
    assert calls.pending_hashes == []
    assert calls.needs_ticket(SEAT)


# The database.


async def test_tickets_in_the_database(fleet: Fleet) -> None:
    office = TicketStore(fleet.database, fleet.queue)
    started = await fleet.begin(await fleet.take())
    seat = TicketSeat(started.id, started.attempt, "call")
    late = new_token()
    for _ in range(2):
        await office.add_tickets([issued(TICKET, seat), issued(late, seat, -1.0)])
    [good] = await office.valid_tickets([started.id])
    assert (good.hash, good.seat) == (hash_token(TICKET), seat)
    assert 0 < good.seconds <= 10
    assert await office.known_tickets([good.hash]) == set()
    await office.mark_known([good.hash])
    assert await office.known_tickets([good.hash, "other"]) == {good.hash}
    await office.mark_used([good.hash])
    assert await office.valid_tickets([started.id]) == []
    assert rows(fleet.url, "SELECT present FROM pokerd.sessions WHERE state = 'playing'") == [(["call"],)]
    # What is written down is of no use to a thief.
    assert TICKET not in repr(rows(fleet.url, "SELECT * FROM pokerd.tickets"))


# A fleet.

TOKENS = {"far": "far-away-token", "off": "far-off-token"}
REMOTE = [bot(name, token=token) for name, token in TOKENS.items()]


def address(program: Program) -> str:
    """Where bots connect to."""
    return program.says(r"^bots connect to (ws://\S+)")[1]


def remote_bot(kind: str, url: str, token: str) -> Program:
    return Program(*POKERD, "bot", kind, "--url", url, "--token", token, "--tables", "2")


@contextmanager
def two_bots(url: str) -> Iterator[list[Program]]:
    with remote_bot("random", url, TOKENS["far"]) as far, remote_bot("raise", url, TOKENS["off"]) as off:
        yield [far, off]


def test_bots_from_elsewhere_leave_the_records_of_one_machine(postgres: Postgres, tmp_path: Path) -> None:
    """They are sent from node to node, one of which is killed while they play there."""
    # In a series "random" would go on with its random numbers, and plain calls begin anew.
    series = division("series", hands=30, matches=2, series=2, bots=["off", "call"])
    planned = [series, division(hands=60)]
    text = competition([*REMOTE, TRIO[0]], planned, time={"grace_ms": 60_000})
    file = written(tmp_path, text)
    plain = by_plain_calls(text, tmp_path / "plain", {"far": "random", "off": "raise"})
    url, out = postgres.migrated(), tmp_path / "out"
    with ExitStack() as stack:
        chief = stack.enter_context(coordinator(url, file, out))
        killed = stack.enter_context(node(url, "killed", tmp_path))
        bots = stack.enter_context(two_bots(address(chief)))
        mid_match(tmp_path / "killed")
        killed.stop(signal.SIGKILL)
        stack.enter_context(node(url, "other", tmp_path))
        finished(chief)
        for program in bots:
            assert program.end() == 0
            assert not program.said("Traceback")
    verify_directory(out)
    assert rows(url, "SELECT session FROM pokerd.sessions WHERE attempt > 1")
    assert_apart(url, parse_competition(text))
    assert records(out) == records(plain)
    for token in TOKENS.values():
        assert token not in repr(rows(url, "SELECT * FROM pokerd.competitions"))


def assert_apart(url: str, planned: Competition) -> None:
    """No bot that could remember met the same deals at two tables at once."""
    who = {session.name: set(session.players) & planned.remembering_bots for session in planned.sessions}
    times = rows(
        url,
        "SELECT sessions.session, attempts.begun, ended"
        " FROM pokerd.attempts JOIN pokerd.sessions ON attempts.session = id",
    )
    for (one, begun, ended), (other, later, last) in combinations(times, 2):
        if who[one] & who[other]:
            assert ended <= later or last <= begun, (one, other)


def hello(connection: ClientConnection, **more: Any) -> None:
    connection.send(json.dumps({"type": "hello", "name": "far", **more}))


def heard(connection: ClientConnection) -> Iterator[dict[str, Any]]:
    """All messages until the connection is closed."""
    try:
        while True:
            told = json.loads(connection.recv(timeout=30))
            yield from told if isinstance(told, list) else [told]
    except ConnectionClosed:
        return


def until_type(messages: Iterator[dict[str, Any]], kind: str) -> dict[str, Any]:
    return next(message for message in messages if message["type"] == kind)


def speak(url: str) -> ClientConnection:
    return connect(url, subprotocols=[Subprotocol("pokerd.v1.json")])


def test_a_program_without_the_sdk_is_sent_to_its_table(postgres: Postgres, tmp_path: Path) -> None:
    """It takes its time, comes with the ticket, and cannot with it again, nor anybody else."""
    far = {**REMOTE[0], "rate": 100}
    text = competition([far, TRIO[0]], [division(hands=5, seatings="rotations")])
    url, out = postgres.migrated(), tmp_path / "out"
    file = written(tmp_path, text)
    with node(url, "one", tmp_path), coordinator(url, file, out) as chief, speak(address(chief)) as main:
        hello(main, token=TOKENS["far"], tables=1)
        messages = heard(main)
        assert until_type(messages, "welcome")["name"] == "far"
        tables: set[str] = set()
        for _ in range(2):
            call = until_type(messages, "go_to")
            play(call)
            tables.add(call["table"])
        assert len(tables) == 2
        assert all(re.fullmatch("duel/[0-9a-f]{16}", table) for table in tables)
        finished(chief)
        assert list(messages) == []
        assert main.close_code == 1000
    verify_directory(out)
    incidents = json.loads((out / "incidents.json").read_text("utf-8"))
    assert incidents["duel"] == {"far": {"too_fast": 2}, "call": {}}
    assert rows(url, "SELECT bot, used IS NOT NULL FROM pokerd.tickets") == [("far", True)] * 2


def play(call: dict[str, Any]) -> None:
    with speak(call["url"]) as there:
        hello(there, token=call["ticket"])
        messages = heard(there)
        assert until_type(messages, "welcome")["name"] == "far"
        # More at once than it may say in a second: here as at the coordinator.
        there.send(json.dumps([{"type": "leave", "table": call["table"]}] * 101))
        refused(call["url"], call["ticket"])
        refused(call["url"], TOKENS["far"])
        for message in messages:
            if message["type"] == "match_start":
                assert message["table"] == call["table"]
                there.send(json.dumps({"type": "ready", "table": call["table"]}))
            elif message["type"] == "turn":
                answer = {"type": "act", "table": call["table"], "turn": message["turn"], "action": "call"}
                there.send(json.dumps(answer))
            elif message["type"] == "error":
                assert message["code"] == "too_fast"
    assert there.close_code == 1000


def refused(url: str, token: str) -> None:
    with speak(url) as again:
        hello(again, token=token)
        assert [message["code"] for message in heard(again)] == ["bad_token"]


def test_who_does_not_come_is_played_by_the_policy(postgres: Postgres, tmp_path: Path) -> None:
    """Neither one who never says hello, nor one who does not go where he is sent, holds up the others."""
    text = competition([*REMOTE, TRIO[0]], [division(hands=3)], time={"start_ms": 1500, "grace_ms": 500})
    url, out = postgres.migrated(), tmp_path / "out"
    file = written(tmp_path, text)
    with (
        node(url, "one", tmp_path, workers=6),
        coordinator(url, file, out) as chief,
        speak(address(chief)) as main,
    ):
        hello(main, token=TOKENS["far"], tables=6)
        assert until_type(heard(main), "go_to")
        until(url, "SELECT session FROM pokerd.sessions WHERE state = 'done'")
        finished(chief, 4)
    verify_directory(out)
    incidents = json.loads((out / "incidents.json").read_text("utf-8"))["duel"]
    assert incidents["far"]["no_show"] == incidents["off"]["no_show"] == 4
    assert incidents["call"] == {}
