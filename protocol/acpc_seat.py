"""A seat at a pokerd table as seen by a player of the ACPC protocol 2.0.0, without any I/O.

``receive`` takes server messages and returns lines for the program; ``receive_line`` takes a line from the
program and returns a message for the server. As with the ACPC reference dealer 1.0.42, there is one line per
action: an action that ends a street is shown with the ``/`` and the new cards, and one that ends the hand
with all shown cards. The server sends related messages in one frame, so a line is held back until the next
action, the player's own turn, or the end of the frame.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from protocol.acpc import (
    FAULTS,
    Fault,
    interpret_action,
    is_comment,
    is_exact,
    line_text,
    matchstate,
    parse_answer,
    parse_cards,
)
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


class LineResult(NamedTuple):
    """The result of a program's line: a message for the server, if any, and the fault, if any. Both are set
    if the action was corrected the way the reference dealer does it.
    """

    message: Act | SitIn | None = None
    fault: Fault = ""

    @property
    def fault_text(self) -> str:
        """Describe the fault."""
        if not self.fault:
            return ""
        taken = "" if self.message is None else f" It is taken for {_action_text(self.message)}."
        return FAULTS[self.fault] + taken


def _action_text(message: Act | SitIn) -> str:
    return "the smallest or largest raise" if isinstance(message, Act) and message.to else "a call"


class AcpcSeat:
    """The seat assigned by ``start``. With ``exact``, a valid answer in a different spelling is a fault, too.

    Readable attributes: ``table``; ``line``, the last line shown or due, without its line end, empty before
    the first hand; ``playing``, whether that hand is still in progress. If the first frame describes a hand
    in progress, only the latest line is due.
    """

    def __init__(self, start: MatchStart, *, exact: bool = False) -> None:
        game = start.game
        self.table = start.table
        self.line = ""
        self.playing = False
        self._exact = exact
        self._seat = start.seat
        self._limit = game.betting == "limit"
        self._hole_cards = game.hole_cards
        self._board_cards = game.board_cards
        self._position = 0
        self._hand = 0
        self._seats: tuple[int, ...] = ()
        #: Chips paid in this hand, by seat. The server's amounts per street are relative to ``_base``.
        self._spent: dict[int, int] = {}
        self._base = 0
        self._betting = ""
        self._hole: list[str] = []
        self._board = ""
        self._line_due = False
        self._catching_up = True
        self._turn: YourTurn | None = None
        #: The answer to the line shown, from the end of its state.
        self._answered: str | None = None
        self._absent = False
        self._handlers: Final[dict[type[ServerMessage], Callable[[Any], list[str]]]] = {
            PlayerActed: self._on_acted,
            Board: self._on_board,
            YourTurn: self._on_turn,
            HandStart: self._on_hand_start,
            Showdown: self._on_shown,
            HandEnd: self._on_hand_end,
        }

    # From the server to the program.

    def receive(self, message: ServerMessage) -> list[str]:
        """Process a message of this table; return the lines now due."""
        hearer = self._handlers.get(type(message))
        return [] if hearer is None else hearer(message)

    def end_frame(self) -> list[str]:
        """Process the end of a server frame; return the lines now due."""
        self._catching_up = False
        return self._flush_line()

    def repeat_answer(self) -> Act | None:
        """Return the answer that the program gave before the latest ``YourTurn``, if any.

        Lines and turns may arrive in different frames, and a turn is repeated after a reconnect.
        """
        return self._interpret()[0] if self._answered is not None and self._turn is not None else None

    def _flush_line(self) -> list[str]:
        if not self._line_due or self._catching_up:
            return []
        self._line_due = False
        self._answered = None
        self.line = matchstate(self._position, self._hand, self._betting, self._hole, self._board)
        return [self.line]

    def _on_hand_start(self, message: HandStart) -> list[str]:
        self._turn = None
        self.playing = self._line_due = self._seat in message.seats
        if not self.playing:
            return []
        self._seats = message.seats
        self._position = message.seats.index(self._seat)
        self._hand = message.hand
        self._spent = dict(zip(message.seats, map(int.__add__, message.antes, message.blinds), strict=True))
        self._base = message.antes[self._position]
        self._betting = self._board = ""
        self._hole = [""] * len(message.seats)
        self._hole[self._position] = "".join(message.hole)
        return []

    def _on_acted(self, message: PlayerActed) -> list[str]:
        if not self.playing:
            return []
        lines = self._flush_line()
        self._turn = None
        self._spent[message.seat] += message.paid
        self._betting += message.action[0]
        if message.action == "raise" and not self._limit:
            self._betting += str(self._spent[message.seat])
        if message.seat == self._seat:
            self._absent = message.forced == "absent"
        self._line_due = True
        return lines

    def _on_board(self, message: Board) -> list[str]:
        if self.playing:
            self._betting += "/"
            self._board += "/" + "".join(message.cards)
            self._base = self._spent[self._seat]
        return []

    def _on_turn(self, message: YourTurn) -> list[str]:
        self._catching_up = self._absent = False
        lines = self._flush_line()
        self._turn = message
        return lines

    def _on_shown(self, message: Showdown) -> list[str]:
        if self.playing:
            for hand in message.hands:
                if hand.cards:
                    self._hole[self._seats.index(hand.seat)] = "".join(hand.cards)
        return []

    def _on_hand_end(self, _: HandEnd) -> list[str]:
        self._catching_up = False
        lines = self._flush_line() if self.playing else []
        self.playing = False
        return lines

    # From the program to the server.

    def receive_line(self, line: bytes) -> LineResult:
        """Process a line from the program, with or without its line end. Never raises.

        Lines that do not answer the current state are dropped, and faulty actions are corrected. A player who
        was treated as absent returns with the first readable answer.
        """
        if is_comment(line):
            return LineResult()
        text = line_text(line)
        rest, fault = self._after_state(text)
        if self._absent and fault != "bad_state":
            self._absent = False
            return LineResult(SitIn(self.table))
        if not fault and (self._answered is not None or not self.playing):
            fault = "unrequested"
        if fault:
            return LineResult(fault=fault)
        self._answered = rest
        result = LineResult(*self._interpret()) if self._turn is not None else LineResult()
        if self._exact and not result.fault and not is_exact(text, self.line, limit=self._limit):
            return result._replace(fault="inexact")
        return result

    def _after_state(self, text: str) -> tuple[str, Fault]:
        """Return the text after the current state, or the fault if the line has a different state."""
        if self.line and text.startswith(f"{self.line}:"):
            return text[len(self.line) :], ""
        answer = parse_answer(text, limit=self._limit)
        if answer is None:
            return "", "bad_state"
        expected = (self._position, self._hand, self._betting.replace("/", ""))
        if not self.line or answer[:3] != expected:
            return "", "unrequested"
        board_cards = self._board_cards[: self._betting.count("/") + 1]
        cards = parse_cards(answer.rest, len(self._seats), self._hole_cards, board_cards)
        if cards is None:
            return "", "bad_state"
        own = cards.hole[self._position], "".join(cards.board)
        if own != (self._hole[self._position], self._board.replace("/", "")):
            return "", "unrequested"
        return cards.rest, ""

    def _interpret(self) -> tuple[Act, Fault]:
        turn = self._turn
        assert turn is not None
        assert self._answered is not None
        bounds = turn.raise_to
        totals = None if bounds is None else (bounds[0] + self._base, bounds[1] + self._base)
        verdict = interpret_action(self._answered, limit=self._limit, fold=turn.fold, raises=totals)
        to = verdict.total - self._base if verdict.action == "raise" else 0
        return Act(self.table, turn.turn, verdict.action, to), verdict.fault
