"""A seat as an ACPC program sees it: line for line what the ACPC reference dealer 1.0.42 sent, and every line
of a program taken as the reference took it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.deck import acpc_deals, secure_deals
from dealer.formats.cash import Cash
from dealer.formats.fixed import FixedStacks
from dealer.formats.format import Stakes
from dealer.rules.actions import CALL, FOLD, Action
from dealer.rules.games import Game, load_game
from dealer.rules.notation import parse_betting
from dealer.table import Clock, Table
from protocol.acpc import FAULTS
from protocol.acpc_seat import AcpcSeat, LineResult
from protocol.event_messages import game_info, turn_message
from protocol.messages import (
    Act,
    Board,
    HandEnd,
    HandStart,
    MatchStart,
    PlayerActed,
    ServerMessage,
    Showdown,
    SitIn,
    YourTurn,
)
from server import view
from tests.protocol.generate import SERVER, messages
from tests.support.golden import GOLDEN, MATCHES

PLAYED = {match["name"]: match for match in MATCHES}
WIRES = sorted((GOLDEN / "wire").glob("*.err"))
#: What the reference says of a line that is not right.
WARNINGS = {
    "bad state format in response": "bad_state",
    "ignoring un-requested response": "unrequested",
    "bad action format in response, changed to call": "bad_action",
    "invalid action, changed to call": "invalid_action",
}


class Seats:
    """A table of which every seat is an ACPC program's; what it says to them goes over no wire."""

    def __init__(self, table: Table, seats: int, *, exact: bool = False) -> None:
        self.table = table
        self.seats = [AcpcSeat(self.start(seat), exact=exact) for seat in range(seats)]
        self.board: tuple[int, ...] = ()
        for seat in self.seats:
            assert seat.end_frame() == []
        self.tell(table.start(0.0))

    def start(self, seat: int) -> MatchStart:
        play = self.table.table_format
        info = game_info(play.game)
        names = [""] * info.players
        return MatchStart("t", "t", seat, names, info, play.hands, True, 0, play.mode, 1000, 1000)

    def tell(self, events: list[Any]) -> None:
        """Send what happened, each viewer his messages in one frame; ``lines`` are what they are shown."""
        table = self.table
        self.lines: list[list[str]] = []
        board = self.board
        for number, seat in enumerate(self.seats):
            heard: list[str] = []
            self.board = board
            for at, event in enumerate(events):
                if event.__class__.__name__ == "HandStarted":
                    self.board = ()
                elif event.__class__.__name__ == "BoardDealt":
                    self.board += event.cards
                message = view.event_message(event, "t", table.seq - len(events) + at, number, self.board)
                heard += seat.receive(message)
            if table.turn_seat == number:
                assert table.hand is not None
                legal, pot = table.legal(), table.hand.betting.pot
                heard += seat.receive(turn_message("t", table.turn, legal, pot, 1.0, 1.0))
            heard += seat.end_frame()
            self.lines.append(heard)

    def shown(self) -> Iterator[tuple[int, str]]:
        """The lines in the reference's order: every state to all seats, then the next."""
        for state in zip_longest(*self.lines):
            for seat, line in enumerate(state):
                assert line is not None, "every seat is shown every state"
                yield seat, line

    def say(self, seat: int, line: str) -> LineResult:
        """A program's line, carried out."""
        said = self.seats[seat].receive_line(line.encode())
        if isinstance(said.message, Act):
            self.act(said.message)
        return said

    def act(self, act: Act) -> None:
        action = (
            Action("raise", act.to) if act.action == "raise" else {"call": CALL, "fold": FOLD}[act.action]
        )
        self.tell(self.table.act(self.table.turn_seat, act.turn, action, 0.0))


def golden(name: str) -> Seats:
    match = PLAYED[name]
    game = load_game(match["game"])
    play = FixedStacks(game, acpc_deals(match["seed"], game), match["hands"])
    return Seats(Table(play, game.players, Clock()), game.players)


@pytest.mark.parametrize("path", WIRES, ids=lambda path: path.name.split(".")[0])
def test_the_lines_are_those_of_the_reference(path: Path) -> None:
    """Every line to every seat, in order, and the verdict on every line that a program said."""
    seats = golden(path.name.split(".")[0])
    due = seats.shown()
    fault = ""
    told = warned = 0
    for line in path.read_text("ascii").splitlines():
        found = re.match(r"(TO|FROM) ([0-9]+) at [0-9.]+ (.*)", line)
        if line.startswith("WARNING: "):
            assert fault == WARNINGS.get(line.removeprefix("WARNING: "), "raise_adjusted")
            fault = ""
            warned += 1
        if found is None:
            continue
        told += 1
        assert not fault
        if found[1] == "TO":
            assert next(due) == (int(found[2]) - 1, found[3])
        else:
            assert next(due, None) is None, "every seat is told before one is heard"
            said = seats.say(int(found[2]) - 1, found[3])
            fault = said.fault
            if said.message is not None:
                due = seats.shown()
    assert told > 1300
    assert bool(warned) == ("wild" in PLAYED[path.name.split(".")[0]]["players"])


def test_there_are_transcripts_of_every_kind_of_game() -> None:
    assert {path.name[:3] for path in WIRES} >= {"g01", "g03", "g05", "g10", "g12", "g13", "g15", "g18"}


# Answers.


def heads_up(*, exact: bool = False, limit: bool = False) -> Seats:
    """The first decision is seat 1's: he has posted the small blind of 50."""
    game = load_game(f"holdem.{'limit' if limit else 'nolimit'}.2p.reverse_blinds")
    play = FixedStacks(game, acpc_deals(0, game), 10)
    return Seats(Table(play, 2, Clock()), 2, exact=exact)


def test_amounts_are_totals_of_the_hand() -> None:
    seats = heads_up()
    assert seats.seats[1].line == "MATCHSTATE:1:0::|9hQd"
    assert seats.say(1, f"{seats.seats[1].line}:r300").message == Act("t", 1, "raise", 300)
    assert seats.say(0, f"{seats.seats[0].line}:c").message == Act("t", 2, "call")
    assert seats.seats[0].line == "MATCHSTATE:0:0:r300c/:5d5c|/8dAs8s"
    assert seats.say(0, f"{seats.seats[0].line}:r700").message == Act("t", 4, "raise", 400)
    assert seats.seats[1].line == "MATCHSTATE:1:0:r300c/r700:|9hQd/8dAs8s"


@pytest.mark.parametrize(
    ("line", "action", "fault"),
    [
        ("{}:c", "call", ""),
        ("{}:K", "call", ""),
        ("{}:F", "fold", ""),
        ("{}:b250", "raise 250", ""),
        ("{}:r 250xyz", "raise 250", ""),
        ("{}:r150", "raise 200", "raise_adjusted"),
        ("{}:r99999", "raise 20000", "raise_adjusted"),
        ("{}:r", "call", "bad_action"),
        ("{}", "call", "bad_action"),
        ("{} :c", "call", "bad_action"),
        ("{}bad_state", "call", "bad_action"),
        ("{}:x", "call", "invalid_action"),
        ("{}:", "call", "invalid_action"),
        ("matchstate:1:0::|9hQd:c", "", "bad_state"),
        ("MATCHSTATE:1:0::|9hQd\0{}:c", "call", "bad_action"),
        ("MATCHSTATE:1:0::|9HqD:c", "call", ""),
        ("MATCHSTATE:1:0::9hQd:c", "", "unrequested"),
        ("MATCHSTATE:1:0::AsAd|9hQd:c", "call", ""),
        ("MATCHSTATE:1:0::AsAd9hQd:c", "call", ""),
        ("MATCHSTATE:01:00::|9hQd:c", "call", ""),
        ("MATCHSTATE:1:0:c:|9hQd:c", "", "unrequested"),
        ("MATCHSTATE:0:0::|9hQd:c", "", "unrequested"),
        ("MATCHSTATE:1:1::|9hQd:c", "", "unrequested"),
        ("MATCHSTATE:1:0::|9hQs:c", "", "unrequested"),
        ("MATCHSTATE:1:0::|9h:c", "", "bad_state"),
        ("MATCHSTATE:1:0:", "", "bad_state"),
        ("", "", "bad_state"),
        ("# anything", "", ""),
        ("; anything", "", ""),
        ("\xff\xfe", "", "bad_state"),
    ],
)
def test_what_a_line_comes_to(line: str, action: str, fault: str) -> None:
    seats = heads_up()
    said = seats.seats[1].receive_line(line.format(seats.seats[1].line).encode("latin-1"))
    assert said.fault == fault
    assert bool(said.fault_text) == bool(fault)
    if not action:
        assert said.message is None
        return
    word, _, amount = action.partition(" ")
    assert said.message == Act("t", 1, word, int(amount or 0))  # type: ignore[arg-type]
    # It is answered now, whatever else is said.
    assert seats.seats[1].receive_line(f"{seats.seats[1].line}:f".encode()).fault == "unrequested"


def test_on_a_later_street_the_cards_are_compared_too() -> None:
    seats = heads_up(limit=True)
    seats.say(1, f"{seats.seats[1].line}:c")
    seats.say(0, f"{seats.seats[0].line}:c")
    assert seats.seats[0].line == "MATCHSTATE:0:0:cc/:5d5c|/8dAs8s"
    answer = seats.seats[0].receive_line
    assert answer(b"MATCHSTATE:0:0:cc/:5d5c|/8dAs8h:c") == LineResult(fault="unrequested")
    assert answer(b"MATCHSTATE:0:0:cc/:5d5c|/8dAs:c") == LineResult(fault="bad_state")
    assert answer(b"MATCHSTATE:0:0:cc:5d5c|/8das8S:r123") == LineResult(Act("t", 4, "raise", 10))


@pytest.mark.parametrize("line", ["{}:C", "{}:k", "{}:b250", "{}:r0250", "{}:c ", "MATCHSTATE:1:00::|9hQd:c"])
def test_a_strict_seat_wants_it_exactly(line: str) -> None:
    seats = heads_up(exact=True)
    said = seats.seats[1].receive_line(line.format(seats.seats[1].line).encode())
    assert said.fault == "inexact"
    assert said.fault_text.startswith(FAULTS["inexact"])
    assert heads_up(exact=True).say(1, f"{seats.seats[1].line}:r250").fault == ""


def test_an_answer_may_come_before_the_turn_and_is_given_again_with_it() -> None:
    """A line and the turn that it belongs to may come in different frames; after a broken connection the turn
    is put again.
    """
    seats = heads_up()
    seat = AcpcSeat(seats.start(1))
    table = seats.table
    assert table.hand is not None
    seat.receive(view.event_message(table.hand.events[0], "t", 0, 1))
    [line] = seat.end_frame()
    assert seat.receive_line(f"{line}:r400".encode()) == LineResult()
    assert seat.receive_line(f"{line}:c".encode()).fault == "unrequested"
    assert seat.repeat_answer() is None
    turn = turn_message("t", 1, table.legal(), 150, 1.0, 1.0)
    for _ in range(2):
        assert seat.receive(turn) == []
        assert seat.repeat_answer() == Act("t", 1, "raise", 400)


def test_who_is_played_for_is_back_with_his_next_word() -> None:
    seats = heads_up()
    asked = seats.seats[1].line
    table = seats.table
    table.max_missed_turns = 1
    assert table.deadline is not None
    seats.tell(table.tick(table.deadline))
    assert table.seats[1].is_absent
    seats.act(Act("t", table.turn, "call"))
    assert seats.seats[1].receive_line(b"garbage").message is None
    assert seats.seats[1].receive_line(b"# still thinking").message is None
    assert seats.seats[1].receive_line(f"{asked}:c".encode()) == LineResult(SitIn("t"))
    assert seats.seats[1].receive_line(f"{asked}:c".encode()).fault == "unrequested"


def test_who_comes_during_a_hand_is_shown_how_it_stands() -> None:
    seats = golden("g12_n6_s3_hash")
    for _ in range(8):
        seats.act(Act("t", seats.table.turn, "call"))
    hand = seats.table.hand
    assert hand is not None
    late = AcpcSeat(seats.start(4))
    board: tuple[int, ...] = ()
    for number, event in enumerate(hand.events):
        assert late.receive(view.event_message(event, "t", number, 4, board)) == []
    assert late.end_frame() == [seats.seats[4].line]
    assert seats.seats[4].line.startswith("MATCHSTATE:4:0:cccccc/cc:||||4s8d|/")


def test_a_seat_that_is_not_dealt_in_is_shown_nothing() -> None:
    cash = Cash(3, Stakes(5, 10), lambda game: secure_deals(bytes(32), 0, game))
    cash.sit_in(0)
    cash.sit_in(2)
    seats = Seats(Table(cash, 3, Clock()), 3)
    assert seats.lines[1] == []
    assert [len(lines) for lines in seats.lines] == [1, 0, 1]
    assert seats.seats[1].receive_line(b"MATCHSTATE:0:1::AsAd|:c").fault == "unrequested"
    while seats.table.table_format.hand < 3:  # type: ignore[attr-defined]
        seats.act(Act("t", seats.table.turn, "call"))
        assert seats.lines[1] == []


def test_antes_count_and_all_in_from_the_blinds_is_shown_once() -> None:
    """As the standard rules have it: of a hand without a decision there is one line."""
    stakes = Stakes(5, 10, 2, stack=12)
    cash = Cash(2, stakes, lambda game: secure_deals(bytes(32), 0, game), hands=2)
    cash.sit_in(0)
    cash.sit_in(1)
    seats = Seats(Table(cash, 2, Clock()), 2)
    states = [line for _, line in seats.shown()]
    assert [line.split(":")[2:4] for line in states] == [["1", ""], ["1", ""]]
    seats.act(Act("t", seats.table.turn, "call"))
    for lines in seats.lines:
        assert re.match(r"MATCHSTATE:[01]:1:c///:\w{4}\|\w{4}/\w{6}/\w\w/\w\w$", lines[0])


@given(st.data())
def test_other_messages_change_nothing(data: st.DataObject) -> None:
    """What people are told of the table, and all else that says nothing of the hand."""
    seats = golden("g12_n6_s3_hash")
    others = set(SERVER) - {PlayerActed, Board, HandEnd, HandStart, Showdown, YourTurn}
    kind = data.draw(st.sampled_from(sorted(others, key=lambda one: one.__name__)))
    message: ServerMessage = data.draw(messages(kind))
    for seat in seats.seats:
        before = (seat.line, seat.playing)
        assert seat.receive(message) == seat.end_frame() == []
        assert (seat.line, seat.playing) == before


@given(st.data())
def test_no_line_does_harm(data: st.DataObject) -> None:
    """Whatever is said, the seat answers with a legal act, the way back, or nothing."""
    seats = golden(data.draw(st.sampled_from(["g05_n2_s0_hash", "g12_n6_s3_hash", "g13_kuhn3_s11_hash"])))
    for _ in range(data.draw(st.integers(1, 6))):
        number = seats.table.turn_seat
        line = seats.seats[number].line
        words = st.one_of(
            st.binary(max_size=30),
            st.text(":MATCHSTATE0123456789|/frckb AsKd", max_size=60).map(str.encode),
            st.sampled_from(
                [f"{line}:c", f"{line}:r500", f"{line}:f", line, line[:-1], f"{line}{line}:c"]
            ).map(str.encode),
        )
        for word in data.draw(st.lists(words, min_size=1, max_size=4)):
            said = seats.seats[number].receive_line(word)
            if isinstance(said.message, Act):
                seats.act(said.message)
                break
        else:
            seats.act(Act("t", seats.table.turn, "call"))
        if seats.table.turn_seat >= 0:
            assert seats.table.hand is not None
            shown = seats.seats[seats.table.turn_seat].line.split(":")[3]
            game: Game = seats.table.table_format.game
            assert parse_betting(game, shown).to_act == seats.table.hand.betting.to_act
