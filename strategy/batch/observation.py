"""What a player sees, as a row of numbers for a learner.

``fields`` is the one description of that row: the compiled code takes the places from it, and so does the
documentation. The row is written in pieces, because most of it stays from one decision to the next: ``clear``
when a hand begins, ``record`` at every action, ``view`` for a player.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.rules.games import Game
from strategy.batch.betting import FOLD, LegalActions, act
from strategy.batch.layout import (
    BET,
    FOLDED,
    MIN_BET,
    NUMBER,
    PLAYED,
    RAISES,
    SPENT,
    STACKS,
    STREET,
    STREET_START,
    STREETS,
    TO_ACT,
    Rows,
)
from strategy.errors import StrategyError
from strategy.jit import lean_jit as jit

Row = NDArray[np.float32]
Cards = NDArray[np.int8]

HISTORY = 32
"""Actions that the history holds where nothing else is said."""

_LONGEST = 1000
_CARDS, _KINDS = 52, 3


class BadHistory(StrategyError):
    """A history that holds no action, or far more than a hand has."""

    code = "bad_history"


class Field(NamedTuple):
    """A part of the row: ``size`` numbers from ``start`` on."""

    name: str
    start: int
    size: int
    meaning: str


_FIXED = (
    ("own", _CARDS, "1 for each of the player's own cards; a card is 4 rank + suit, rank 0 is the deuce"),
    ("flop", _CARDS, "1 for each card of the flop"),
    ("turn", _CARDS, "1 for the turn card"),
    ("river", _CARDS, "1 for the river card"),
    ("street", STREETS, "1 for the street: before the flop, flop, turn, river"),
    ("pot", 1, "all chips paid in this hand"),
    ("price", 1, "what a call costs, 0 for a check"),
    ("min_raise", 1, "the smallest raise, as a total of the street; 0 if none is allowed"),
    ("max_raise", 1, "the largest raise, as a total of the street; 0 if none is allowed"),
    ("bet", 1, "what a player must have paid on this street to have called"),
    ("cut", 1, "how many of the oldest actions the history has lost"),
)
_PER_POSITION = (
    ("position", "1 for the player's own position"),
    ("to_act", "1 for the position to act"),
    ("stacks", "chips still behind"),
    ("bets", "chips paid on this street, blinds included and antes not"),
    ("paid", "chips paid in this hand"),
    ("folded", "1 for who has folded"),
    ("all_in", "1 for who is all-in"),
)
_ACTION = (
    "for each action, oldest first: 1 for its street (4), 1 for who acted (one a position), 1 for fold, "
    "check or call, or raise (3), and the street total after it (0 for a fold)"
)


def fields(players: int, history: int = HISTORY) -> tuple[Field, ...]:
    """Return what the row of a game has, in order. All chips are in big blinds, positions begin left of the
    button (heads-up with reversed blinds: position 1 has the button).

    Raises BadHistory for a history of less than one action or more than 1000.
    """
    if not 1 <= history <= _LONGEST:
        raise BadHistory(f"a history holds 1 to {_LONGEST} actions, not {history}")
    sizes = [
        *_FIXED,
        *((name, players, f"{meaning}, by position") for name, meaning in _PER_POSITION),
        ("history", history * (STREETS + players + _KINDS + 1), _ACTION),
    ]
    found: list[Field] = []
    start = 0
    for name, size, meaning in sizes:
        found.append(Field(name, start, size, meaning))
        start += size
    return tuple(found)


def observation_size(game: Game, history: int = HISTORY) -> int:
    """Return the length of the row. Raises BadHistory."""
    last = fields(game.players, history)[-1]
    return last.start + last.size


def largest(players: int, stack: float) -> float:
    """Return a bound of all numbers in the row, for stacks of at most so many big blinds."""
    # A raise adds at least a big blind unless it is all-in, and everybody answers it once.
    return players * (stack + players + STREETS)


_starts = {field.name: field.start for field in fields(1)}
_OWN, _FLOP, _TURN, _RIVER, _STREET = (_starts[name] for name in ("own", "flop", "turn", "river", "street"))
_POT, _PRICE, _MIN_RAISE, _MAX_RAISE = (_starts[name] for name in ("pot", "price", "min_raise", "max_raise"))
_BET, _CUT, _POSITIONS = _starts["bet"], _starts["cut"], _starts["position"]
_blocks = {name: block for block, (name, _) in enumerate(_PER_POSITION)}
_TO_ACT, _STACKS, _BETS = _blocks["to_act"], _blocks["stacks"], _blocks["bets"]
_PAID, _OUT, _ALL_IN, _BLOCKS = _blocks["paid"], _blocks["folded"], _blocks["all_in"], len(_blocks)


@jit
def clear(game: Rows, played: int, seen: Row) -> None:
    """Take the last hand, of ``played`` actions, out of the row."""
    players = game[NUMBER]
    start = _POSITIONS + _BLOCKS * players
    end = start + played * (STREETS + players + _KINDS + 1)
    for place in range(min(end, len(seen))):
        seen[place] = 0.0


@jit
def record(game: Rows, row: Rows, kind: int, to: int, seen: Row) -> bool:
    """Do as ``strategy.batch.betting.act``, and put the action into the history of ``seen``."""
    position, street, raises, start = row[TO_ACT], row[STREET], row[RAISES], row[STREET_START]
    played = row[PLAYED]
    if not act(game, row, kind, to):
        return False
    if kind != FOLD:
        # Where every raise is all-in, a call can count as one.
        kind += row[STREET] == street and row[RAISES] > raises and kind == 1
    players = game[NUMBER]
    size = STREETS + players + _KINDS + 1
    first = _POSITIONS + _BLOCKS * players
    place = first + played * size
    if place + size > len(seen):
        seen[_CUT] += 1
        place = len(seen) - size
        for at in range(first, place):
            seen[at] = seen[at + size]
        for at in range(place, len(seen)):
            seen[at] = 0.0
    seen[place + street] = 1.0
    seen[place + STREETS + position] = 1.0
    seen[place + STREETS + players + kind] = 1.0
    if kind != FOLD:
        seen[place + size - 1] = (row[SPENT + position] - start) / game[MIN_BET]
    return True


@jit
def view(game: Rows, row: Rows, cards: Cards, position: int, legal: LegalActions, seen: Row) -> None:
    """Write what the player in ``position`` sees. ``cards`` are as in ``strategy.batch.hands``, of which only
    those that he may know are looked at; ``legal`` is his, or (False, 0, 0, 0) if he is not to act.
    """
    players, street = game[NUMBER], row[STREET]
    scale = 1.0 / game[MIN_BET]
    for card in range(_OWN, _FLOP):
        seen[card] = 0.0
    seen[_OWN + int(cards[2 * position])] = 1.0
    seen[_OWN + int(cards[2 * position + 1])] = 1.0
    board = 2 * players
    if street > 0:
        for card in range(board, board + 3):
            seen[_FLOP + int(cards[card])] = 1.0
    if street > 1:
        seen[_TURN + int(cards[board + 3])] = 1.0
    if street > 2:
        seen[_RIVER + int(cards[board + 4])] = 1.0
    for other in range(STREETS):
        seen[_STREET + other] = other == street
    _, call, low, high = legal
    start = row[STREET_START]
    seen[_PRICE] = call * scale
    seen[_MIN_RAISE] = low * scale
    seen[_MAX_RAISE] = high * scale
    seen[_BET] = (row[BET] - start) * scale
    pot = 0
    for other in range(players):
        at = _POSITIONS + other
        spent, behind = row[SPENT + other], row[STACKS + other] - row[SPENT + other]
        pot += spent
        seen[at] = other == position
        seen[at + _TO_ACT * players] = other == row[TO_ACT]
        seen[at + _STACKS * players] = behind * scale
        seen[at + _BETS * players] = max(0, spent - start) * scale
        seen[at + _PAID * players] = spent * scale
        seen[at + _OUT * players] = row[FOLDED + other]
        seen[at + _ALL_IN * players] = behind == 0 and not row[FOLDED + other]
    seen[_POT] = pot * scale
