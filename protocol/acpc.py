"""Read and write the lines of the ACPC protocol 2.0.0 like its reference dealer 1.0.42.

A dealer sends ``MATCHSTATE:position:hand:betting:cards``; a player answers with the same line, a colon and an
action. Amounts are totals of the whole hand, including blinds. This module does not know whose turn it is or
what is legal: callers pass that to ``interpret_action``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

VERSION: Final = (2, 0, 0)
#: Maximum bytes per line, including its end. Longer lines are split there.
MAX_LINE: Final = 4095

Fault = Literal["", "bad_state", "unrequested", "bad_action", "invalid_action", "raise_adjusted", "inexact"]

FAULTS: Final[dict[str, str]] = {
    "bad_state": "The line is no answer: it does not begin with a game state that the rules allow.",
    "unrequested": "The answer is for another hand, position, betting or cards than those asked for.",
    "bad_action": "After the state there is no action: no colon, or in no-limit a raise without an amount.",
    "invalid_action": "The action is unknown, or the rules do not allow it now.",
    "raise_adjusted": "The amount of the raise is smaller or larger than the rules allow.",
    "inexact": "The line is not the state exactly as it was sent, a colon, and f, c or r with its amount.",
}


class LineReader:
    """Split received data into lines, regardless of how the network segmented it."""

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Return the lines completed by ``data``, including their ends."""
        if data and not self._rest and data.find(b"\n") == len(data) - 1 and len(data) <= MAX_LINE:
            return [data]
        *lines, rest = (self._rest + data).split(b"\n")
        whole = []
        for line in lines:
            whole += _split_line(line + b"\n")
        *more, self._rest = _split_line(rest)
        return whole + more

    def flush(self) -> bytes:
        """Return an unterminated last line, which a dealer accepts, too."""
        rest, self._rest = self._rest, b""
        return rest


def _split_line(line: bytes) -> list[bytes]:
    """Split a line the way the reference dealer's buffer does."""
    if len(line) < MAX_LINE:
        return [line]
    return [line[start : start + MAX_LINE] for start in range(0, len(line), MAX_LINE)]


def line_text(line: bytes) -> str:
    """Return the text of a line, up to its end or to a NUL byte, which ends it early."""
    return line.split(b"\0", 1)[0].rstrip(b"\r\n").decode("latin-1")


def encode_lines(lines: Sequence[str]) -> bytes:
    """Encode lines for sending, adding line ends."""
    return "".join([f"{line}\r\n" for line in lines]).encode("ascii")


def is_comment(line: bytes) -> bool:
    """Return whether a line is a comment, which is ignored."""
    return line.startswith((b"#", b";"))


_VERSION = re.compile(r"VERSION:\s*\+?([0-9]{1,10})\.\s*\+?([0-9]{1,10})\.\s*\+?([0-9]{1,10})", re.ASCII)


def parse_version(text: str) -> tuple[int, int, int] | None:
    """Return the version in a player's first line, or None if there is none."""
    found = _VERSION.match(text)
    if found is None:
        return None
    major, minor, revision = map(int, found.groups())
    return major, minor, revision


def speaks_version(version: tuple[int, int, int]) -> bool:
    """Return whether a player of this version understands a dealer of ``VERSION``."""
    return version[0] == VERSION[0] and version[1] <= VERSION[1]


def matchstate(position: int, hand: int, betting: str, hole: Sequence[str], board: str) -> str:
    """Return the line that shows a hand to one player, without its line end.

    ``hole``: the cards per position, empty where the player must not see them. ``board``: the cards of later
    streets, each preceded by a ``/``.
    """
    return f"MATCHSTATE:{position}:{hand}:{betting}:{'|'.join(hole)}{board}"


class AnswerLine(NamedTuple):
    """A player's line. ``betting`` is in the dealer's spelling, but without the ``/`` between streets;
    ``rest`` is what follows the betting: cards and an action.
    """

    position: int
    hand: int
    betting: str
    rest: str


_ANSWER = re.compile(r"MATCHSTATE:\s*\+?([0-9]{1,20}):\s*\+?([0-9]{1,20}):([^:]*):", re.ASCII)
_LIMIT_BETTING = re.compile(r"[fck/rb]*", re.ASCII | re.IGNORECASE)
_NOLIMIT_BETTING = re.compile(r"(?:[fck/]|[rb]\s*[+-]?[0-9]+)*", re.ASCII | re.IGNORECASE)
_RAISES = re.compile(r"[rb]\s*([+-]?[0-9]+)", re.ASCII | re.IGNORECASE)
_LETTERS: Final = str.maketrans(
    {"F": "f", "C": "c", "k": "c", "K": "c", "R": "r", "b": "r", "B": "r", "/": ""}
)


def parse_answer(text: str, *, limit: bool) -> AnswerLine | None:
    """Split an answer into its parts; return None if it does not start like an answer.

    The caller checks whether the betting is legal and the cards are those dealt.
    """
    found = _ANSWER.match(text)
    if found is None:
        return None
    betting = found[3]
    if limit:
        if not _LIMIT_BETTING.fullmatch(betting):
            return None
    else:
        if not _NOLIMIT_BETTING.fullmatch(betting):
            return None
        betting = _RAISES.sub(lambda amount: f"r{_as_int32(amount[1])}", betting)
    return AnswerLine(int(found[1]), int(found[2]), betting.translate(_LETTERS), text[found.end() :])


class AnswerCards(NamedTuple):
    """The cards of an answer: per position (empty if not shown), per street, and the text after them."""

    hole: list[str]
    board: list[str]
    rest: str


_CARD = re.compile(r"[2-9TJQKA][CDHS]", re.ASCII | re.IGNORECASE)


def parse_cards(rest: str, players: int, hole_cards: int, board_cards: Sequence[int]) -> AnswerCards | None:
    """Parse the cards of an answer; return None if there are too few.

    ``board_cards`` are the numbers of cards dealt on each street so far. Upper and lower case are accepted,
    ``|`` and ``/`` may be missing, and other players' cards are optional.
    """
    at = 0

    def take(count: int, separator: str) -> str:
        nonlocal at
        if separator and rest.startswith(separator, at):
            at += 1
        start = at
        while at < start + 2 * count and _CARD.match(rest, at):
            at += 2
        cards = rest[start:at]
        return "".join(map(str.__add__, cards[::2].upper(), cards[1::2].lower()))

    hole = [take(hole_cards, "|" if position else "") for position in range(players)]
    board = [take(count, "/" if street else "") for street, count in enumerate(board_cards)]
    if any(len(cards) not in (0, 2 * hole_cards) for cards in hole):
        return None
    if any(len(cards) != 2 * count for cards, count in zip(board, board_cards, strict=True)):
        return None
    return AnswerCards(hole, board, rest[at:])


class InterpretedAction(NamedTuple):
    """The interpretation of an action: ``fold``, ``call`` or ``raise``; a no-limit raise is to ``total``
    chips for the whole hand. If the player requested something else, ``fault`` is set and ``requested`` is
    the amount.
    """

    action: Literal["fold", "call", "raise"]
    total: int = 0
    fault: Fault = ""
    requested: int = 0


_EXACT_LIMIT = re.compile(r":[fcr]", re.ASCII)
_EXACT_NOLIMIT = re.compile(r":(?:f|c|r[1-9][0-9]{0,9})", re.ASCII)


def is_exact(text: str, sent: str, *, limit: bool) -> bool:
    """Return whether an answer to the line ``sent`` is spelled exactly as the protocol specifies."""
    exact = _EXACT_LIMIT if limit else _EXACT_NOLIMIT
    return text.startswith(sent) and exact.fullmatch(text, len(sent)) is not None


_AMOUNT = re.compile(r"\s*([+-]?[0-9]+)", re.ASCII)


def interpret_action(
    rest: str, *, limit: bool, fold: bool, raises: tuple[int, int] | None
) -> InterpretedAction:
    """Interpret the text after the cards as the reference dealer does, given whether a fold is allowed and
    the range of totals for ``raises``.

    An unreadable or illegal action becomes a call; an illegal amount becomes the nearest legal one. Text
    after the action is ignored.
    """
    if not rest.startswith(":"):
        return InterpretedAction("call", fault="bad_action")
    letter = rest[1:2].lower()
    if letter in ("c", "k"):
        return InterpretedAction("call")
    if letter == "f":
        return InterpretedAction("fold") if fold else InterpretedAction("call", fault="invalid_action")
    if letter not in ("r", "b"):
        return InterpretedAction("call", fault="invalid_action")
    requested = 0
    if not limit:
        amount = _AMOUNT.match(rest, 2)
        if amount is None:
            return InterpretedAction("call", fault="bad_action")
        requested = _as_int32(amount[1])
    if raises is None:
        return InterpretedAction("call", fault="invalid_action", requested=requested)
    low, high = raises
    if limit:
        return InterpretedAction("raise", low)
    total = min(max(requested, low), high)
    return InterpretedAction("raise", total, "raise_adjusted" if total != requested else "", requested)


def _as_int32(digits: str) -> int:
    """Read a number like C's ``scanf("%d")``: parse it as 64 bits, saturating, and keep the lower 32."""
    number = min(max(int(digits), -(2**63)), 2**63 - 1)
    return (number + 2**31) % 2**32 - 2**31
