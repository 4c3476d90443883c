"""The subprotocol ``acpc.2.0.0``: ACPC programs at ordinary tables, over websockets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from dealer.deck import acpc_deals
from dealer.formats.fixed import FixedStacks
from dealer.rules.games import load_game
from protocol.acpc import MAX_LINE
from protocol.codec import JSON, MAX_MESSAGES
from protocol.errors import CODES
from protocol.session import MAX_REFUSALS
from server.house.house import House
from server.net.acpc_codec import ACPC
from server.net.acpc_connection import AcpcConnection
from server.net.connection import CLOSE_NORMAL, CLOSE_POLICY, HELLO_TIMEOUT
from server.tables.actor import TableActor
from server.tables.player import Player
from tests.support.golden import golden_states
from tests.support.houses.acpc_client import VERSION, joined, play
from tests.support.houses.open_house import Kept, until
from tests.support.houses.people import Entrance, Memory, at_table, each_library, listening, open_table


class Program:
    """An ACPC program in this process: a real connection whose wire keeps what was sent."""

    def __init__(self, house: House, **query: str) -> None:
        self.lines: list[str] = []
        self.closed: tuple[int, str] | None = None
        self.house = house
        path = "/?" + "&".join(f"{key}={value}" for key, value in query.items())
        self.connection = AcpcConnection(self, house, path)
        house.connections.add(self.connection)

    def send(self, frame: bytes) -> None:
        assert self.closed is None, "sent after the end"
        assert frame, "an empty frame"
        assert frame.endswith(b"\r\n")
        self.lines += frame.decode("ascii").split("\r\n")[:-1]

    def close(self, code: int, reason: str) -> None:
        assert self.closed is None, "closed twice"
        self.closed = (code, reason)

    def unsent_bytes(self) -> int:
        return 0

    async def say(self, *lines: str) -> list[str]:
        """Send lines in one frame; what was shown until all is quiet."""
        return await self.throw("".join(lines).encode("latin-1"))

    async def throw(self, frame: bytes, *, text: bool = True) -> list[str]:
        before = len(self.lines)
        self.connection.receive(frame, text=text)
        await self.quiet()
        return self.lines[before:]

    async def quiet(self) -> None:
        """Until what is implied has been done, and what waits was sent."""
        for _ in range(4):
            done = asyncio.Event()
            self.house.call_later(0, done.set)
            await done.wait()
        self.connection.flush()


class Match:
    """An ACPC program (seat 1, who acts first) against a player of ours, and an open table."""

    def __init__(self, *, hands: int = 10**6) -> None:
        self.house = House(guests=True, grace=1000.0)
        self.kept = Kept()
        self.actor = at_table(
            self.house,
            [Player("ours", "our token"), Player("theirs", "their token")],
            hands=hands,
            recorder=self.kept,
            play=acpc_play(hands),
        )
        self.open = open_table(self.house)
        self.ours = Memory(self.house, JSON)
        self.ours.say("hello", name="ours", token="our token")
        self.ours.say("ready", table="m")
        self.program = self.come()

    def come(self) -> Program:
        return Program(self.house, token="their token")

    def answer(self) -> None:
        """Our player calls if it is his turn, and is not refused."""
        table = self.actor.table
        if table.turn_seat == 0:
            news = self.ours.say("act", table="m", turn=table.turn, action="call")
            assert not any(message["type"] == "error" for message in news)

    def incidents(self) -> dict[str, int]:
        return dict(self.actor.seats[1].incidents)

    def end(self) -> None:
        self.house.close()
        assert not self.house.connections


def acpc_play(hands: int) -> FixedStacks:
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    return FixedStacks(game, acpc_deals(0, game), hands)


ASKED = "MATCHSTATE:1:0::|9hQd"


async def test_whoever_says_his_version_is_in_the_match() -> None:
    match = Match()
    assert await match.program.say(VERSION) == [ASKED]
    assert match.actor.started
    assert await match.program.say(f"{ASKED}:r300\r\n") == ["MATCHSTATE:1:0:r300:|9hQd"]
    match.answer()
    await match.program.quiet()
    assert match.program.lines[-1] == "MATCHSTATE:1:0:r300c/:|9hQd/8dAs8s"
    match.answer()
    await match.program.quiet()
    assert await match.program.say(f"{match.program.lines[-1]}:r20000") == [
        "MATCHSTATE:1:0:r300c/cr20000:|9hQd/8dAs8s"
    ]
    match.answer()
    await match.program.quiet()
    # The rest of the board comes at once, with what is shown; then the next hand begins.
    assert match.program.lines[-2:] == [
        "MATCHSTATE:1:0:r300c/cr20000c//:5d5c|9hQd/8dAs8s/4h/6d",
        f"MATCHSTATE:0:1::{match.program.lines[-1][-5:-1]}|",
    ]
    assert match.incidents() == {}
    match.end()


async def test_several_lines_in_a_frame_with_and_without_ends() -> None:
    match = Match()
    assert await match.program.say(VERSION, "# a comment\n") == [ASKED]
    shown = await match.program.say("; gui\n", f"{ASKED}:c\r\n", "#\n", f"{ASKED}:c")
    assert shown[0] == "MATCHSTATE:1:0:c:|9hQd" or shown[0].startswith("# stale_turn: unrequested: ")
    assert len(shown) == 2
    match.end()


@pytest.mark.parametrize(
    ("line", "fault", "code"),
    [
        ("hello", "bad_state", "malformed_frame"),
        ("", "bad_state", "malformed_frame"),
        ("MATCHSTATE:1:7::|9hQd:c", "unrequested", "stale_turn"),
        (f"{ASKED}:x", "invalid_action", "illegal_action"),
        (f"{ASKED}:r", "bad_action", "illegal_action"),
    ],
)
async def test_a_fault_is_told_as_a_comment_and_counted(line: str, fault: str, code: str) -> None:
    match = Match()
    await match.program.say(VERSION)
    first, *rest = await match.program.say(f"{line}\n")
    assert first.startswith(f"# {code}: {fault}: ")
    assert match.incidents() == {code: 1}
    # What is mended was carried out.
    assert bool(rest) == (code == "illegal_action")
    assert (match.actor.table.turn_seat == 1) == (code != "illegal_action")
    match.end()


async def test_a_raise_of_a_wrong_size_is_told_and_counted_by_itself_and_is_no_refusal() -> None:
    match = Match()
    await match.program.say(VERSION)
    for _ in range(MAX_REFUSALS + 1):
        if match.actor.table.turn_seat == 1:
            comment, *_ = await match.program.say(f"{match.program.lines[-1]}:r99999\n")
            assert comment.startswith("# raise_adjusted: ")
        match.answer()
        await match.program.quiet()
    assert match.program.closed is None
    assert match.incidents() == {"raise_adjusted": sum("#" in line for line in match.program.lines)}
    assert match.incidents()["raise_adjusted"] > MAX_REFUSALS / 2
    match.end()


@pytest.mark.parametrize("line", ["hello", "", "# a comment", "VERSION:2.0", '{"type":"hello"}'])
async def test_the_first_line_must_be_a_version(line: str) -> None:
    match = Match()
    (comment,) = await match.program.say(f"{line}\n")
    assert comment.startswith("# hello_first: ")
    assert match.program.closed == (CLOSE_POLICY, "hello_first")
    match.end()


async def test_a_version_must_come_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    def soon(house: House, delay: float, callback: Callable[[], None]) -> asyncio.TimerHandle:
        waits.append(delay)
        return asyncio.get_running_loop().call_later(delay / 1000, callback)

    # Of the house: a compiled module keeps to its own HELLO_TIMEOUT.
    monkeypatch.setattr(House, "call_later", soon)
    match = Match()
    await until(lambda: match.program.closed)
    assert HELLO_TIMEOUT in waits
    assert match.program.lines == [f"# hello_first: {CODES['hello_first']}"]
    match.end()


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"token": "wrong"}, "bad_token"),
        ({"name": "ours"}, "name_taken"),
        ({"name": "x" * 65}, "malformed_frame"),
        ({"name": "a%0d%0ab"}, "malformed_frame"),
        ({"name": "guest", "table": "nowhere"}, "unknown_table"),
        ({"name": "guest", "table": "x" * 999}, "unknown_table"),
    ],
)
async def test_who_cannot_be_let_in_is_told_why(query: dict[str, str], code: str) -> None:
    match = Match()
    program = Program(match.house, **query)
    [told] = await program.say(VERSION)
    assert told.startswith(f"# {code}: ")
    assert program.closed == (CLOSE_POLICY, code)
    match.end()


@pytest.mark.parametrize("query", [{"name": "guest"}, {"name": "guest", "table": "table-1"}, {}])
async def test_a_guest_sits_down_at_an_open_table(query: dict[str, str]) -> None:
    match = Match()
    program = Program(match.house, **query)
    assert await program.say(VERSION) == []
    other = Memory(match.house, JSON)
    other.say("hello", name="other")
    other.say("join", table="table-1")
    other.say("ready", table="table-1")
    await program.quiet()
    assert len(program.lines) == 1
    assert match.open.facts.names == [query.get("name", "acpc"), "other", ""]
    assert match.open.seats[0].ready
    match.end()


async def test_people_at_the_table_are_nothing_to_a_program() -> None:
    """What they do and are told besides is in none of its lines."""
    match = Match()
    program = Program(match.house, name="guest")
    await program.say(VERSION)
    person, onlooker = Memory(match.house, JSON), Memory(match.house, JSON)
    person.say("hello", name="ann", person=True)
    onlooker.say("hello", name="bob", person=True)
    onlooker.say("watch", table="table-1")
    person.say("join", table="table-1")
    person.say("ready", table="table-1")
    await program.quiet()
    table = match.open.table
    for hand in range(1, 5):
        for talker in (person, onlooker):
            talker.say("say", table="table-1", text="MATCHSTATE:0:0::|AsAh")
        while match.open.hands < hand:
            if table.turn_seat == 0:
                await program.say(f"{program.lines[-1]}:c\n")
            else:
                person.say("act", table="table-1", turn=table.turn, action="call")
                await program.quiet()
        person.news()
        mine = [message for message in person.heard if message["type"] == "hand_start"][hand - 1]
        person.say("show", table="table-1", hand=mine["hand"], cards=list(mine["hole"]))
        await program.quiet()
    person.say("away", table="table-1")
    person.say("leave", table="table-1")
    onlooker.say("leave", table="table-1")
    await program.quiet()
    assert all(line.startswith("MATCHSTATE:") for line in program.lines)
    assert len(program.lines) == len(set(program.lines))
    assert not any("AsAh" in line for line in program.lines)
    assert match.open.seats[0].incidents == {}
    told = {message["type"] for message in [*person.heard, *onlooker.heard]}
    assert {"seats", "waiting", "said"} <= told
    match.end()


async def test_a_full_table_ends_it() -> None:
    match = Match()
    programs = [Program(match.house, name=f"guest {number}") for number in range(4)]
    told = [await program.say(VERSION) for program in programs]
    assert told[3][0].startswith("# no_seat: ")
    assert programs[3].closed == (CLOSE_POLICY, "no_seat")
    match.end()


async def test_at_the_end_of_the_match_the_connection_closes() -> None:
    match = Match(hands=1)
    await match.program.say(VERSION)
    assert await match.program.say(f"{ASKED}:f\n") == ["MATCHSTATE:1:0:f:|9hQd"]
    assert match.program.closed == (CLOSE_NORMAL, "match over")
    assert match.incidents() == {}
    match.end()


async def test_who_comes_again_is_shown_the_hand_as_it_stands() -> None:
    match = Match()
    await match.program.say(VERSION)
    await match.program.say(f"{ASKED}:r300\n")
    match.program.connection.on_disconnected()
    match.answer()
    match.answer()
    again = match.come()
    assert await again.say(VERSION) == ["MATCHSTATE:1:0:r300c/c:|9hQd/8dAs8s"]
    assert await again.say(f"{again.lines[-1]}:r600\n") == ["MATCHSTATE:1:0:r300c/cr600:|9hQd/8dAs8s"]
    assert match.incidents() == {"disconnect": 1}
    match.end()


async def test_who_was_played_for_is_back_with_his_next_answer() -> None:
    match = Match()
    match.actor.table.max_missed_turns = 1
    await match.program.say(VERSION)
    table = match.actor.table
    assert table.deadline is not None
    match.actor.tick(table.deadline)
    match.answer()
    await match.program.quiet()
    [comment] = await match.program.say("garbage\n")
    assert comment.startswith("# malformed_frame: ")
    assert [seat.is_absent for seat in table.seats] == [False, True]
    assert await match.program.say(f"{ASKED}:c\n") == []
    assert [seat.is_absent for seat in table.seats] == [False, False]
    match.answer()
    await match.program.quiet()
    assert table.turn_seat == 1
    match.end()


async def test_a_hand_of_very_many_actions_is_shown_in_one_piece() -> None:
    """More events than the server puts into a frame: who comes then is shown the last line, and no other."""
    match = Match()
    await match.program.say(VERSION)
    table = match.actor.table
    for total in range(200, 6400, 200):
        await match.program.say(f"{match.program.lines[-1]}:r{total}\n")
        match.ours.say("act", table="m", turn=table.turn, action="raise", to=total + 100)
        await match.program.quiet()
    await match.program.say(f"{match.program.lines[-1]}:c\n")
    match.answer()
    await match.program.quiet()
    before = match.program.lines[-1]
    assert before.split(":")[3].endswith("/c")
    match.program.connection.on_disconnected()
    again = match.come()
    assert await again.say(VERSION) == [before]
    match.end()


# What cannot be trusted.

WORDS = st.one_of(
    st.binary(max_size=40),
    st.text("MATCHSTATE:0123456789|/frckb#;\r\n\0", max_size=80).map(str.encode),
    st.sampled_from(
        [
            VERSION.encode(),
            f"{ASKED}:c\n".encode(),
            f"{ASKED}:r500\n".encode(),
            b"#\n",
            b"\n" * 5,
            b"{}",
            b"\xc1",
        ]
    ),
)


@pytest.mark.parametrize("seated", [False, True], ids=["a stranger", "a player"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(frames=st.lists(st.tuples(st.lists(WORDS, max_size=3).map(b"".join), st.booleans()), max_size=8))
async def test_any_frames(seated: bool, frames: list[tuple[bytes, bool]]) -> None:
    match = Match()
    try:
        if seated:
            await match.program.say(VERSION)
        for frame, text in frames:
            for line in await match.program.throw(frame, text=text):
                assert line.startswith(("MATCHSTATE:1:", "MATCHSTATE:0:", "# "))
                assert not line.startswith("# ") or line[2:].split(":")[0] in {*CODES, "raise_adjusted"}
                assert "internal" not in line
            match.answer()
            if match.program.closed is not None:
                code, reason = match.program.closed
                assert code == CLOSE_POLICY
                assert reason in CODES
                break
        guest = Memory(match.house, JSON)
        assert guest.say("hello", name="guest")[0]["type"] == "welcome"
    finally:
        match.end()


async def test_limits() -> None:
    match = Match()
    await match.program.say(VERSION)
    for frame, text, code in (
        (b"\n" * (MAX_MESSAGES + 1), True, "too_many_messages"),
        (f"{ASKED}:c".encode(), False, "wrong_frame_kind"),
    ):
        [told] = await match.program.throw(frame, text=text)
        assert told.startswith(f"# {code}: ")
    # A line is cut where the reference's is, and the rest is the next.
    shown = await match.program.say("x" * 2 * MAX_LINE, f"{ASKED}:c")
    assert [line[:16] for line in shown] == ["# malformed_fram"] * 2 + ["MATCHSTATE:1:0:c"]
    match.end()


async def test_patience_ends_after_many_refusals() -> None:
    match = Match()
    await match.program.say(VERSION)
    told = await match.program.say("\n" * MAX_MESSAGES)
    assert len(told) == MAX_REFUSALS + 1
    assert told[-1] == f"# too_many_faults: {CODES['too_many_faults']}"
    assert match.program.closed == (CLOSE_POLICY, "too_many_faults")
    assert match.incidents() == {"malformed_frame": MAX_REFUSALS, "disconnect": 1}
    match.end()


# Over real sockets.


def three(house: House, kept: Kept, hands: int) -> TableActor:
    game = load_game("holdem.nolimit.3p")
    players = [Player(name, f"token of {name}") for name in "abc"]
    return at_table(house, players, play=FixedStacks(game, acpc_deals(0, game), hands), recorder=kept)


@each_library
async def test_a_match_of_programs_is_that_of_the_reference(library: Entrance) -> None:
    """The first hands of a golden log, played by the same programs over websockets."""
    kept = Kept()
    hands = 60
    async with listening(library) as (house, door):
        actor = three(house, kept, hands)
        async with (
            joined(door.url, token="token%20of%20a") as first,
            joined(door.url, token="token+of+b") as second,
            joined(door.url, token="token%20of%20c", name="ignored") as third,
        ):
            sockets = (first, second, third)
            heard = await asyncio.gather(*(play(one, "hash", "holdem.nolimit.3p") for one in sockets))
        assert not any(seat.incidents for seat in actor.seats)
    assert len(kept.hands) == hands
    finals: list[dict[int, str]] = [{} for _ in heard]
    for number, lines in enumerate(heard):
        for line in lines:
            finals[number][int(line.split(":")[2])] = line
    for number, state in enumerate(golden_states("g10_n3_s0_hash")[:hands]):
        assert {final[number].split(":")[3] for final in finals} == {state.split(":")[2]}


@each_library
async def test_refusals_and_wild_words_over_a_socket(library: Entrance) -> None:
    """Comments, garbage, aliases, wrong amounts: dropped, mended, counted, and the match goes on."""
    kept = Kept()
    async with listening(library) as (house, door):
        actor = three(house, kept, 40)
        async with (
            joined(door.url, token="token%20of%20a") as first,
            joined(door.url, token="token%20of%20b") as second,
            joined(door.url, token="token%20of%20c") as third,
        ):
            heard = await asyncio.gather(
                play(first, "wild", "holdem.nolimit.3p"),
                play(second, "call", "holdem.nolimit.3p"),
                play(third, "raise", "holdem.nolimit.3p"),
            )
        known = {"malformed_frame", "stale_turn", "illegal_action", "raise_adjusted"}
        assert set(actor.seats[0].incidents) <= known
        comments = [line for line in heard[0] if line.startswith("#")]
        assert len(comments) == sum(actor.seats[0].incidents.values()) > 10
        assert not actor.seats[1].incidents
        assert not actor.seats[2].incidents
    assert len(kept.hands) == 40


@each_library
async def test_the_handshake(library: Entrance) -> None:
    async with listening(library, guests=True) as (house, door):
        open_table(house)
        names: list[Any] = [Subprotocol("x"), Subprotocol(ACPC), Subprotocol("pokerd.v1.json")]
        async with connect(f"{door.url}?name=me", subprotocols=names) as socket:
            assert socket.subprotocol == ACPC
            await socket.send("VERSION:2.0.0")
            await until(lambda: "me" in house.players)
            await socket.send(b"binary")
            assert (await socket.recv()).startswith("# wrong_frame_kind: ")  # type: ignore[arg-type]


# In a competition.
