"""The match log of the ACPC reference dealer 1.0.42: a header, a STATE line for each hand, and the SCORE
line.

Lines are byte for byte those of the reference, so its tools read them. A STATE line shows all hole cards,
also those folded; the board as far as the hand went; values and names by position. SCORE is by seat.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from dealer.errors import RecordError
from dealer.rules.cards import CARD_TEXTS, cards_text, parse_cards
from dealer.rules.errors import CardError
from dealer.rules.events import Acted, BoardDealt, Chips, Event, HandEnded, HandStarted
from dealer.rules.games import Game

_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,15})(\.[0-9]{0,5}[1-9])?", re.ASCII)
_HAND = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)
_BETTING = re.compile(r"([fc]|r[0-9]{0,10}|/)*", re.ASCII)


class StateLine(NamedTuple):
    """What a STATE line says. ``board`` holds the new cards of each street that was reached, none for the
    first.

    Per position: ``hole``, ``values`` (net chips) and ``names``.
    """

    hand: int
    betting: str
    hole: tuple[tuple[int, ...], ...]
    board: tuple[tuple[int, ...], ...]
    values: tuple[Chips, ...]
    names: tuple[str, ...]

    def text(self) -> str:
        """The line; ``parse_state`` is the way back."""
        cards = "|".join(map(cards_text, self.hole)) + "/".join(map(cards_text, self.board))
        values = "|".join(map(number_text, self.values))
        return f"STATE:{self.hand}:{self.betting}:{cards}:{values}:{'|'.join(self.names)}\n"


class Score(NamedTuple):
    """What a SCORE line says, by seat: net chips of the match, and names."""

    totals: tuple[Chips, ...]
    names: tuple[str, ...]

    def text(self) -> str:
        """The line; ``parse_score`` is the way back."""
        return f"SCORE:{'|'.join(map(number_text, self.totals))}:{'|'.join(self.names)}\n"


class AcpcLog:
    """The lines of one match, hand by hand. ``names`` are by seat.

    Raises ``RecordError`` ``bad_name`` for a name that would break a line.
    """

    __slots__ = ("_limit", "names", "totals")

    def __init__(self, game: Game, names: Sequence[str]) -> None:
        for name in names:
            if name != log_name(name):
                raise RecordError(
                    "bad_name", f"{name!r} cannot stand in an ACPC log: no colons, bars or blanks"
                )
        self._limit = game.limit
        self.names = tuple(names)
        # Doubles added in the order of play, as the reference adds them.
        self.totals = [0.0] * len(self.names)

    def hand(self, events: Sequence[Event]) -> str:
        """The STATE line of a finished hand, whose values are added to the score.

        Raises ``RecordError`` ``not_a_hand`` and adds nothing when the events are not those of one whole
        hand.
        """
        started, ended = _first_and_last(events)
        seats = started.seats
        betting, board = self._middle(started, events)
        hole = "|".join([_text(cards) for cards in started.hole])
        values = "|".join(map(number_text, ended.values))
        names = "|".join([self.names[seat] for seat in seats])
        for seat, value in zip(seats, ended.values, strict=True):
            self.totals[seat] += value
        return f"STATE:{started.hand}:{betting}:{hole}{board}:{values}:{names}\n"

    def score(self) -> Score:
        """The totals so far; the SCORE line once all hands are in."""
        return Score(tuple(self.totals), self.names)

    def _middle(self, started: HandStarted, events: Sequence[Event]) -> tuple[str, str]:
        """The betting and the board. Amounts are what the player has put in during the whole hand."""
        spent = {
            seat: ante + blind
            for seat, ante, blind in zip(started.seats, started.antes, started.blinds, strict=True)
        }
        betting = ""
        board = ""
        for event in events:
            if type(event) is Acted:
                spent[event.seat] += event.paid
                betting += event.action[0]
                if event.action == "raise" and not self._limit:
                    betting += str(spent[event.seat])
            elif type(event) is BoardDealt:
                betting += "/"
                board += "/" + _text(event.cards)
        return betting, board


def log_header(
    name: str,
    game_file: str,
    hands: int,
    seed: int,
    *,
    response_ms: int = 600000,
    hand_ms: int = 600000,
    bank_ms: int = 7000,
) -> str:
    """The four comment lines at the head of a log; the defaults are the reference's time limits (bank: for
    each hand).
    """
    return (
        f"# name/game/hands/seed {name} {game_file} {hands} {seed}\n"
        f"#--t_response {response_ms}\n#--t_hand {hand_ms}\n#--t_per_hand {bank_ms}\n"
    )


def log_name(name: str) -> str:
    """Return a name that can stand in a log, from any."""
    return re.sub(r"[\s:|]", "_", name) or "_"


def number_text(value: Chips) -> str:
    """Six decimals without trailing zeros, as in ``-10``, ``2.5`` or ``13333.333333``."""
    if type(value) is int:
        return str(value)
    return f"{value:.6f}".rstrip("0").rstrip(".")


def parse_state(line: str) -> StateLine:
    """The way back from a STATE line. Raises ``RecordError`` ``bad_state_line`` for anything else."""
    try:
        kind, hand, betting, cards, values, names = line.removesuffix("\n").split(":")
        holes, *later = cards.split("/")
        state = StateLine(
            _hand(hand),
            betting,
            tuple(parse_cards(part) for part in holes.split("|")),
            ((), *map(parse_cards, later)),
            tuple(map(_parse_number, values.split("|"))),
            tuple(names.split("|")),
        )
    except (CardError, ValueError) as error:
        raise RecordError("bad_state_line", f"not a STATE line: {line[:120]!r}") from error
    sizes = {len(state.hole), len(state.values), len(state.names)}
    streets = betting.count("/") + 1
    if kind != "STATE" or len(sizes) > 1 or streets != len(state.board) or not _BETTING.fullmatch(betting):
        raise RecordError("bad_state_line", f"not a STATE line: {line[:120]!r}")
    return state


def parse_score(line: str) -> Score:
    """The way back from a SCORE line. Raises ``RecordError`` ``bad_score_line`` for anything else."""
    try:
        kind, totals, names = line.removesuffix("\n").split(":")
        score = Score(tuple(map(_parse_number, totals.split("|"))), tuple(names.split("|")))
    except ValueError as error:
        raise RecordError("bad_score_line", f"not a SCORE line: {line[:120]!r}") from error
    if kind != "SCORE" or len(score.totals) != len(score.names):
        raise RecordError("bad_score_line", f"not a SCORE line: {line[:120]!r}")
    return score


def _first_and_last(events: Sequence[Event]) -> tuple[HandStarted, HandEnded]:
    started, ended = (events[0], events[-1]) if events else (None, None)
    if not isinstance(started, HandStarted) or not isinstance(ended, HandEnded) or started.hand != ended.hand:
        raise RecordError("not_a_hand", "the events are not those of one whole hand")
    return started, ended


def _text(cards: Sequence[int]) -> str:
    return "".join([CARD_TEXTS[card] for card in cards])


def _hand(text: str) -> int:
    if not _HAND.fullmatch(text):
        raise ValueError(text)
    return int(text)


def _parse_number(text: str) -> Chips:
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    # "-0" is what the reference writes for a negative amount too small for six decimals.
    return float(text) if "." in text or text == "-0" else int(text)
