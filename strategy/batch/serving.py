"""What the compiled loops of ``strategy.batch.service`` do: betting, rows of frames, and lines of records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.batch.betting import CALL, FOLD, LegalActions, act, legal, open_hand
from strategy.batch.hands import BOARD, HOLE, Cards, deal_cards, pay
from strategy.batch.layout import (
    BET,
    FOLDED,
    LIMIT,
    LIVE,
    NUMBER,
    PLAYED,
    RAISES,
    SPENT,
    STACKS,
    STREET,
    STREET_START,
    TO_ACT,
    Rows,
)
from strategy.batch.opponents import ASKED, Classes, Styles, decide
from strategy.batch.payout import Chips
from strategy.batch.wire import ILLEGAL, NO_TABLE, STALE, UNKNOWN, row_type
from strategy.jit import lean_jit as jit
from strategy.poker.kernels import Ranks, State

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint32]

#: Kinds of actions beside those of the rules: none yet, and what the policy does when time is over.
NONE, POLICY = -1, -2
_CARDS = np.frombuffer(
    b"".join(f"{rank}{suit}".encode() for rank in "23456789TJQKA" for suit in "cdhs"), "u1"
)
_SLASH, _BAR, _COLON, _MINUS, _POINT, _ZERO, _END = (ord(character) for character in "/|:-.0\n")
_LETTERS = np.frombuffer(b"fcr", "u1")
_STATE = np.frombuffer(b"STATE:", "u1")

# The places of a row's fields: in bytes, in words of 4 bytes, in numbers of 8.
_ROW = row_type(2, 1)
_AT = {name: int(_ROW.fields[name][1]) for name in _ROW.names or ()} if _ROW.fields else {}
_POSITION, _STREET, _OWN, _BOARD, _OVER = (
    _AT[name] for name in ("position", "street", "own", "board", "over")
)
_HAND, _POT, _CALL, _MIN, _MAX, _BET = (
    _AT[name] // 4 for name in ("hand", "pot", "call", "min_raise", "max_raise", "bet")
)
_ACTIONS, _OUT, _STACKS = (_AT[name] // 4 for name in ("actions", "folded", "stacks"))
_VALUE = _AT["value"] // 8


class ServedArrays(NamedTuple):
    """What the compiled loops work on."""

    ranks: Ranks
    classes: Classes
    styles: Styles
    game: Rows
    stacks: Rows
    rows: Rows
    cards: Cards
    numbers: Rows  # of the hand: seats move on with it
    left: Rows  # hands still to be dealt
    states: State
    waiting: NDArray[np.bool_]
    asked_at: NDArray[np.float64]
    answered: Rows
    history: Words
    kinds: Rows  # what is to be done
    to: Rows
    answers: Rows  # the row of the answer that says so
    betting: Bytes  # of the hand, as in an ACPC log
    written: Rows
    log: Bytes
    names: Bytes
    name_ends: Rows
    totals: Chips
    counts: Rows  # hands that ended, turns, refusals, bytes in the log
    over_bytes: Bytes
    over_words: Words
    over_values: Chips
    turn_bytes: Bytes
    turn_words: Words
    refused: NDArray[np.uint16]
    deck: Cards  # these are room to work in
    orders: Rows
    values: Chips


OVERS, TURNS, REFUSED, LOGGED = range(4)


@jit
def _refuse(arrays: ServedArrays, row: int, table: int, code: int) -> None:
    at = arrays.counts[REFUSED]
    if at < len(arrays.refused):
        arrays.refused[at, 0] = row
        arrays.refused[at, 1] = table
        arrays.refused[at, 2] = code
        arrays.counts[REFUSED] += 1


@jit
def take(arrays: ServedArrays, said: Words) -> None:
    """Note what an answer says for each table."""
    for row in range(len(said)):
        table, action = int(said[row, 0] & 0xFFFF), int(said[row, 0] >> 16)
        if table >= len(arrays.rows):
            _refuse(arrays, row, table, NO_TABLE)
        elif not arrays.waiting[table] or arrays.kinds[table] != NONE:
            _refuse(arrays, row, table, STALE)
        else:
            arrays.kinds[table] = action
            arrays.to[table] = said[row, 1]
            arrays.answers[table] = row


@jit
def play(arrays: ServedArrays, start: int, now: float, first: bool, full: int) -> int:
    """Act at the tables from ``start`` on and play on until the player is asked. Return where the log is
    full, or the number of tables.
    """
    game = arrays.game
    for place in range(start, len(arrays.rows)):
        if arrays.counts[LOGGED] >= full:
            return place
        if first:
            if arrays.left[place]:
                _deal(arrays, place)
                _go_on(arrays, place, now)
            continue
        kind = arrays.kinds[place]
        if kind == NONE:
            continue
        arrays.kinds[place] = NONE
        if kind == POLICY:
            fold, _, _, _ = legal(game, arrays.rows[place])
            kind = FOLD if fold else CALL
            arrays.to[place] = 0
        elif kind > 2:
            _refuse(arrays, arrays.answers[place], place, ILLEGAL)
            continue
        if not _record(arrays, place, kind, arrays.to[place]):
            _refuse(arrays, arrays.answers[place], place, ILLEGAL)
            continue
        arrays.answered[place] += 1
        _go_on(arrays, place, now)
    return len(arrays.rows)


@jit
def _deal(arrays: ServedArrays, place: int) -> None:
    arrays.left[place] -= 1
    arrays.numbers[place] += 1
    arrays.answered[place] = arrays.written[place] = 0
    for at in range(arrays.history.shape[1]):
        arrays.history[place, at] = 0
    deal_cards(arrays.deck, arrays.states[place, :1], arrays.cards[place])
    open_hand(arrays.game, arrays.rows[place], arrays.stacks)


@jit
def _go_on(arrays: ServedArrays, place: int, now: float) -> None:
    """Play until the player is asked, or no more hand is dealt."""
    game, row, cards = arrays.game, arrays.rows[place], arrays.cards[place]
    while True:
        position = row[TO_ACT]
        if position < 0:
            _end(arrays, place)
            if not arrays.left[place]:
                arrays.waiting[place] = False
                arrays.asked_at[place] = np.inf
                return
            _deal(arrays, place)
            continue
        seat = (position + arrays.numbers[place]) % game[NUMBER]
        if arrays.styles[seat, 0] == ASKED:
            arrays.waiting[place] = True
            arrays.asked_at[place] = now
            return
        kind, to = decide(
            arrays.styles[seat],
            arrays.classes,
            arrays.ranks,
            game,
            row,
            cards,
            legal(game, row),
            arrays.states[place, 1:],
        )
        _record(arrays, place, kind, to)


@jit
def _record(arrays: ServedArrays, place: int, kind: int, to: int) -> bool:
    """Do as ``strategy.batch.betting.act``, and put the action into history and log."""
    game, row, history = arrays.game, arrays.rows[place], arrays.history[place]
    position, street, raises, start = row[TO_ACT], row[STREET], row[RAISES], row[STREET_START]
    played = row[PLAYED]
    if not act(game, row, kind, to):
        return False
    total = 0
    if kind != FOLD:
        # Where every raise is all-in, a call can count as one.
        kind += row[STREET] == street and row[RAISES] > raises and kind == CALL
        total = row[SPENT + position] - start
    if played >= len(history):
        for at in range(1, len(history)):
            history[at - 1] = history[at]
        played = len(history) - 1
    history[played] = street | position << 2 | kind << 6 | max(0, total) << 8
    if arrays.betting.shape[1]:
        betting, end = arrays.betting[place], arrays.written[place]
        betting[end] = _LETTERS[kind]
        end += 1
        if kind > CALL and not game[LIMIT]:
            end = _put_whole(betting, end, row[SPENT + position])
        for _ in range(street, row[STREET]):
            betting[end] = _SLASH
            end += 1
        arrays.written[place] = end
    return True


@jit
def _end(arrays: ServedArrays, place: int) -> None:
    """Pay, and write the row and the line of a hand that is over."""
    game, row = arrays.game, arrays.rows[place]
    players, number, values = game[NUMBER], arrays.numbers[place], arrays.values
    pay(arrays.ranks, game, row, arrays.cards[place], arrays.orders, values)
    own = (-number) % players
    at = arrays.counts[OVERS]
    arrays.counts[OVERS] += 1
    _write(arrays, place, own, (False, 0, 0, 0), arrays.over_bytes[at], arrays.over_words[at])
    arrays.over_values[at, _VALUE] = values[own]
    found = arrays.over_bytes[at]
    found[_OVER] = 1
    shown = 4 * (_STACKS + 3 * players)
    if row[LIVE] > 1:
        for position in range(players):
            if not row[FOLDED + position]:
                for card in range(HOLE):
                    found[shown + HOLE * position + card] = arrays.cards[place, HOLE * position + card]
    if arrays.betting.shape[1]:
        _log(arrays, place)


@jit
def show(arrays: ServedArrays) -> None:
    """Write the rows of all turns."""
    turns = 0
    players = arrays.game[NUMBER]
    for place in range(len(arrays.rows)):
        if arrays.waiting[place]:
            row = arrays.rows[place]
            _write(
                arrays,
                place,
                (-arrays.numbers[place]) % players,
                legal(arrays.game, row),
                arrays.turn_bytes[turns],
                arrays.turn_words[turns],
            )
            turns += 1
    arrays.counts[TURNS] = turns


@jit
def _write(
    arrays: ServedArrays, place: int, position: int, allowed: LegalActions, found: Bytes, words: Words
) -> None:
    """Write what the player in ``position`` may know of a table; nothing of it is another's cards."""
    game, row, cards = arrays.game, arrays.rows[place], arrays.cards[place]
    players, street, start = game[NUMBER], row[STREET], row[STREET_START]
    words[0] = place
    found[_POSITION] = position
    found[_STREET] = street
    words[_HAND] = arrays.numbers[place] - place
    _, call, low, high = allowed
    words[_CALL] = call
    words[_MIN] = low
    words[_MAX] = high
    words[_BET] = row[BET] - start
    words[_ACTIONS] = row[PLAYED] | arrays.answered[place] << 16
    pot = out = all_in = 0
    for other in range(players):
        spent, folded = row[SPENT + other], row[FOLDED + other]
        behind = row[STACKS + other] - spent
        pot += spent
        out |= folded << other
        all_in |= (behind == 0 and not folded) << other
        words[_STACKS + other] = behind
        words[_STACKS + players + other] = max(0, spent - start)
        words[_STACKS + 2 * players + other] = spent
    words[_POT] = pot
    words[_OUT] = out | all_in << 16
    for card in range(HOLE):
        found[_OWN + card] = cards[HOLE * position + card]
    seen = 0 if street == 0 else street + 2
    for card in range(BOARD):
        found[_BOARD + card] = cards[HOLE * players + card] if card < seen else UNKNOWN
    found[_OVER] = 0
    shown = 4 * (_STACKS + 3 * players)
    for card in range(HOLE * players):
        found[shown + card] = UNKNOWN
    history = arrays.history[place]
    first = (shown + HOLE * players + 3) // 4
    for at in range(len(history)):
        words[first + at] = history[at]


@jit
def _log(arrays: ServedArrays, place: int) -> None:
    """Write the STATE line of a hand that is over, and add to the score."""
    game, row, log, cards = arrays.game, arrays.rows[place], arrays.log, arrays.cards[place]
    players, number, ends = game[NUMBER], arrays.numbers[place], arrays.name_ends
    end = arrays.counts[LOGGED]
    for at in range(len(_STATE)):
        log[end + at] = _STATE[at]
    end = _put_whole(log, end + len(_STATE), (number - place) * len(arrays.rows) + place)
    log[end] = _COLON
    end += 1
    betting = arrays.betting[place]
    for at in range(arrays.written[place]):
        log[end + at] = betting[at]
    end += arrays.written[place]
    for card in range(HOLE * players + (row[STREET] + 2 if row[STREET] else 0)):
        board = card - HOLE * players
        if board < 0:
            if card % HOLE == 0:
                log[end] = _BAR if card else _COLON
                end += 1
        elif board in (0, 3, 4):
            log[end] = _SLASH
            end += 1
        log[end] = _CARDS[2 * cards[card]]
        log[end + 1] = _CARDS[2 * cards[card] + 1]
        end += 2
    for position in range(players):
        log[end] = _BAR if position else _COLON
        end = _put_number(log, end + 1, arrays.values[position])
        arrays.totals[(position + number) % players] += arrays.values[position]
    for position in range(players):
        log[end] = _BAR if position else _COLON
        end += 1
        seat = (position + number) % players
        for at in range(ends[seat], ends[seat + 1]):
            log[end] = arrays.names[at]
            end += 1
    log[end] = _END
    arrays.counts[LOGGED] = end + 1


@jit
def _put_whole(text: Bytes, end: int, number: int) -> int:
    """Write a number from 0 on, and return where it ends."""
    size, rest = 1, number // 10
    while rest:
        size, rest = size + 1, rest // 10
    for at in range(end + size - 1, end - 1, -1):
        text[at] = _ZERO + number % 10
        number //= 10
    return end + size


@jit
def _put_number(text: Bytes, end: int, value: float) -> int:
    """Write chips as ``dealer.records.acpc.number_text`` does, and return where they end."""
    millionths = int(abs(value) * 1e6 + 0.5)
    if value < 0:
        text[end] = _MINUS
        end += 1
    end = _put_whole(text, end, millionths // 1_000_000)
    rest = millionths % 1_000_000
    if rest:
        text[end] = _POINT
        end += 1
        for power in (100_000, 10_000, 1_000, 100, 10, 1):
            text[end] = _ZERO + rest // power % 10
            end += 1
        while text[end - 1] == _ZERO:
            end -= 1
    return end
