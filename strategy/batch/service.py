"""Tables for a player at the other end of a wire: as ``strategy.batch.learning``, in the frames of
``strategy.batch.wire``.

A frame shows what the player's seat may know and nothing else. Hands can be recorded, each as a STATE line of
an ACPC log (``dealer.records.acpc``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.rules.games import Game
from strategy.batch.betting import CALL, FOLD, LegalActions, act, legal, open_hand
from strategy.batch.hands import BOARD, DECK, HOLE, Cards, deal_cards, pay
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
    TABLE_SIZE,
    TO_ACT,
    Rows,
    game_row,
)
from strategy.batch.learning import playable_stacks
from strategy.batch.opponents import ASKED, Classes, Styles, UnknownOpponent, decide, preflop_classes, styles
from strategy.batch.payout import Chips
from strategy.batch.wire import (
    ANSWER,
    FORCED,
    HEADER,
    ILLEGAL,
    LAST,
    MAX_CHIPS,
    MAX_HISTORY,
    NO_TABLE,
    REFUSAL,
    REPLY,
    STALE,
    UNKNOWN,
    VERSION,
    row_type,
)
from strategy.checks import require_holdem
from strategy.errors import StrategyError
from strategy.jit import lean_jit as jit
from strategy.poker.kernels import TABLE, Ranks, State, rng

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint32]

#: Kinds of actions beside those of the rules: none yet, and what the policy does when time is over.
_NONE, _POLICY = -1, -2
#: Least room for lines between two writes, and most for the betting of all hands in progress.
_LOG_ROOM = 1 << 20
_BETTING_ROOM = 1 << 26
_UNLIMITED = 1 << 62
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


class BadAnswer(StrategyError):
    """An answer that no row of can be carried out; ``code`` is one of the protocol's."""

    at_fault = "player"


class BadBatch(StrategyError):
    """Tables that cannot be served; the message says why."""

    code = "bad_batch"


class Recording(NamedTuple):
    """Where lines go, and the players' names by seat, which must be fit for an ACPC log."""

    write: Callable[[memoryview], object]
    names: Sequence[str]


class _Arrays(NamedTuple):
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


_OVERS, _TURNS, _REFUSED, _LOGGED = range(4)


class ServedTables:
    """``size`` tables for seat 0, with ``opponents`` (``strategy.batch.opponents``) at the others.

    ``stacks`` are chips by position (default: the game's), ``hands`` how many to play at all tables together
    (0: no end), ``limit`` the seconds for a turn, after which ``force`` lets the policy check, or else fold.
    Cards follow from ``seed``, as in ``LearningTables``, or without one from ``entropy``, which returns so
    many random bytes and is asked before every frame.

    ``deadline`` is when time is over for a turn, infinity while there is none; ``refused`` and ``ended``:
    rows of the last frame; ``row_size``: bytes of a row.

    Raises UnplayableGame, UnknownOpponent, GameError as ``playable_stacks`` does, and BadBatch.
    """

    def __init__(
        self,
        game: Game,
        size: int,
        opponents: Sequence[str],
        *,
        limit: float,
        history: int,
        entropy: Callable[[int], bytes],
        seed: object = None,
        stacks: Sequence[int] | None = None,
        hands: int = 0,
        recording: Recording | None = None,
    ) -> None:
        require_holdem("a batch", game)
        players = game.players
        if len(opponents) != players - 1:
            raise UnknownOpponent(f"{players - 1} opponents are needed, not {len(opponents)}")
        if not 1 <= history <= MAX_HISTORY:
            raise BadBatch(f"a history is 1 to {MAX_HISTORY} actions, not {history}")
        chips = playable_stacks(game, stacks)
        most = min(max(chips), _most_paid(game)) if game.limit else max(chips)
        if max(chips) >= 2**32 or most > MAX_CHIPS:
            raise BadBatch(f"at most {MAX_CHIPS} chips of a player fit into a row, not {most}")
        by_seat = np.zeros((players, 4))
        by_seat[1:] = styles(opponents)
        self._limit, self._recording = limit, recording
        self._entropy = entropy if seed is None else None
        self._frame = 0
        room = 0 if recording is None else _betting_room(game, chips)
        if room * size > _BETTING_ROOM:
            raise BadBatch("stacks as deep as this allow too many raises for a record")
        names = [] if recording is None else [name.encode() for name in recording.names]
        line = 64 + room + players * (4 + HOLE * 2) + sum(map(len, names)) + players * 20
        row = row_type(players, history)
        # Whoever is first to act is asked, and everybody is that once in so many hands as there are players.
        overs = np.zeros((size * (players + 1), row.itemsize), np.uint8)
        turns = np.zeros((size, row.itemsize), np.uint8)
        places = np.arange(size)
        self._arrays = arrays = _Arrays(
            ranks=TABLE,
            classes=preflop_classes(),
            styles=by_seat,
            game=game_row(game),
            stacks=np.array(chips, np.int64),
            rows=np.zeros((size, TABLE_SIZE), np.int64),
            cards=np.zeros((size, HOLE * players + BOARD), np.int8),
            numbers=places - 1,
            left=hands // size + (places < hands % size) if hands else np.full(size, _UNLIMITED),
            states=np.array(
                [[rng(use, seed, place)[0] for use in ("batch", "opponents")] for place in range(size)]
            ),
            waiting=np.zeros(size, np.bool_),
            asked_at=np.full(size, np.inf),
            answered=np.zeros(size, np.int64),
            history=np.zeros((size, history), np.uint32),
            kinds=np.full(size, _NONE, np.int64),
            to=np.zeros(size, np.int64),
            answers=np.zeros(size, np.int64),
            betting=np.zeros((size, room), np.uint8),
            written=np.zeros(size, np.int64),
            log=np.zeros(max(_LOG_ROOM, 2 * (players + 1) * line) if room else 0, np.uint8),
            names=np.frombuffer(bytearray(b"".join(names)), np.uint8),
            name_ends=np.cumsum([0, *map(len, names)], dtype=np.int64),
            totals=np.zeros(players),
            counts=np.zeros(4, np.int64),
            over_bytes=overs,
            over_words=overs.view("<u4"),
            over_values=overs.view("<f8"),
            turn_bytes=turns,
            turn_words=turns.view("<u4"),
            refused=np.zeros((size, REFUSAL.itemsize // 2), np.uint16),
            deck=np.zeros(DECK, np.int8),
            orders=np.zeros(players, np.int64),
            values=np.zeros(players),
        )
        #: From how many bytes in the log on it is written.
        self._full = len(arrays.log) - (players + 1) * line if room else 1
        self.row_size = row.itemsize
        self.deadline = np.inf
        self.refused = self.ended = 0

    @property
    def over(self) -> bool:
        """Return whether all hands are played."""
        return not self._arrays.waiting.any()

    @property
    def totals(self) -> list[float]:
        """Return the chips that each seat has won in recorded hands."""
        totals: list[float] = self._arrays.totals.tolist()
        return totals

    def begin(self, clock: Callable[[], float]) -> bytes:
        """Deal, and return the first frame. Time, which ``clock`` tells, begins when it is made: the first
        call of all compiles.
        """
        arrays = self._arrays
        _take(arrays, np.zeros((0, 2), np.uint32))
        frame = self._next_frame(0.0, 0, first=True)
        arrays.asked_at[arrays.waiting] = now = clock()
        self.deadline += now
        return frame

    def answer(self, frame: bytes, now: float) -> bytes:
        """Do what an answer says, and return the next frame. Raises BadAnswer, and changes nothing then."""
        rows = len(frame) - REPLY.itemsize
        if rows < 0 or rows % ANSWER.itemsize:
            raise BadAnswer("malformed_frame", f"no answer has {len(frame)} bytes")
        head = np.frombuffer(frame, REPLY, 1)[0]
        if head["version"] != VERSION or rows // ANSWER.itemsize > len(self._arrays.rows):
            raise BadAnswer("malformed_frame", "another version, or more rows than tables")
        if head["frame"] != self._frame:
            code = "stale_turn" if head["frame"] < self._frame else "not_your_turn"
            raise BadAnswer(code, f"the frame to answer is {self._frame}")
        said = np.frombuffer(bytearray(frame), "<u4", offset=REPLY.itemsize).reshape(-1, 2)
        _take(self._arrays, said)
        return self._next_frame(now, 0)

    def force(self, now: float) -> bytes:
        """Let the policy act where time is over, and return the next frame."""
        arrays = self._arrays
        late = arrays.waiting & (arrays.asked_at + self._limit <= now)
        arrays.kinds[late] = _POLICY
        return self._next_frame(now, FORCED)

    def stop_dealing(self) -> None:
        """Let every hand in progress be the last of its table."""
        self._arrays.left[:] = 0

    def finish(self) -> None:
        """Let the policy play the hands in progress to their end."""
        self.stop_dealing()
        arrays = self._arrays
        while arrays.waiting.any():
            arrays.kinds[arrays.waiting] = _POLICY
            self._step(0.0)

    def _step(self, now: float, *, first: bool = False) -> None:
        """Play until the player is asked everywhere, and write records."""
        arrays = self._arrays
        if self._entropy is not None:
            arrays.states[:] ^= np.frombuffer(self._entropy(arrays.states.nbytes), np.uint64).reshape(-1, 2)
        arrays.counts[:2] = 0
        place = 0
        while place < len(arrays.rows):
            place = _play(arrays, place, now, first, self._full)
            if self._recording is not None:
                self._recording.write(arrays.log[: arrays.counts[_LOGGED]].data)
            arrays.counts[_LOGGED] = 0

    def _next_frame(self, now: float, flags: int, *, first: bool = False) -> bytes:
        self._step(now, first=first)
        arrays = self._arrays
        _show(arrays)
        overs, turns, refused, _ = arrays.counts.tolist()
        arrays.counts[_REFUSED] = 0
        self.ended, self.refused = overs, refused
        self.deadline = float(arrays.asked_at.min()) + self._limit
        self._frame += not first
        header = np.zeros(1, HEADER)
        header["version"], header["frame"] = VERSION, self._frame
        header["over"], header["turns"], header["refused"] = overs, turns, refused
        header["flags"] = flags if turns else flags | LAST
        header["time_ms"] = max(0, int(1000 * (self.deadline - now))) if turns else 0
        return b"".join(
            (
                header.data,
                arrays.over_bytes[:overs].data,
                arrays.turn_bytes[:turns].data,
                arrays.refused[:refused].data,
            )
        )


def _most_paid(game: Game) -> int:
    """Return a bound of what a player pays in a hand of a limit game, whatever he has."""
    pairs = zip(game.max_raises[: game.rounds], game.raise_sizes[: game.rounds], strict=True)
    return game.ante + max(game.blinds) + sum(raises * size for raises, size in pairs)


def _betting_room(game: Game, stacks: Sequence[int]) -> int:
    """Return a bound of the characters of a hand's betting."""
    # A raise adds at least the smallest bet, unless it is all-in; everybody answers each one once.
    least = min(game.raise_sizes[: game.rounds]) if game.limit else game.min_bet
    raises = min(sum(game.max_raises[: game.rounds]), max(stacks) // max(1, least) + game.players)
    return (raises + game.rounds) * game.players * (2 + len(str(max(stacks))))


@jit
def _refuse(arrays: _Arrays, row: int, table: int, code: int) -> None:
    at = arrays.counts[_REFUSED]
    if at < len(arrays.refused):
        arrays.refused[at, 0] = row
        arrays.refused[at, 1] = table
        arrays.refused[at, 2] = code
        arrays.counts[_REFUSED] += 1


@jit
def _take(arrays: _Arrays, said: Words) -> None:
    """Note what an answer says for each table."""
    for row in range(len(said)):
        table, action = int(said[row, 0] & 0xFFFF), int(said[row, 0] >> 16)
        if table >= len(arrays.rows):
            _refuse(arrays, row, table, NO_TABLE)
        elif not arrays.waiting[table] or arrays.kinds[table] != _NONE:
            _refuse(arrays, row, table, STALE)
        else:
            arrays.kinds[table] = action
            arrays.to[table] = said[row, 1]
            arrays.answers[table] = row


@jit
def _play(arrays: _Arrays, start: int, now: float, first: bool, full: int) -> int:
    """Act at the tables from ``start`` on and play on until the player is asked. Return where the log is
    full, or the number of tables.
    """
    game = arrays.game
    for place in range(start, len(arrays.rows)):
        if arrays.counts[_LOGGED] >= full:
            return place
        if first:
            if arrays.left[place]:
                _deal(arrays, place)
                _go_on(arrays, place, now)
            continue
        kind = arrays.kinds[place]
        if kind == _NONE:
            continue
        arrays.kinds[place] = _NONE
        if kind == _POLICY:
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
def _deal(arrays: _Arrays, place: int) -> None:
    arrays.left[place] -= 1
    arrays.numbers[place] += 1
    arrays.answered[place] = arrays.written[place] = 0
    for at in range(arrays.history.shape[1]):
        arrays.history[place, at] = 0
    deal_cards(arrays.deck, arrays.states[place, :1], arrays.cards[place])
    open_hand(arrays.game, arrays.rows[place], arrays.stacks)


@jit
def _go_on(arrays: _Arrays, place: int, now: float) -> None:
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
def _record(arrays: _Arrays, place: int, kind: int, to: int) -> bool:
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
def _end(arrays: _Arrays, place: int) -> None:
    """Pay, and write the row and the line of a hand that is over."""
    game, row = arrays.game, arrays.rows[place]
    players, number, values = game[NUMBER], arrays.numbers[place], arrays.values
    pay(arrays.ranks, game, row, arrays.cards[place], arrays.orders, values)
    own = (-number) % players
    at = arrays.counts[_OVERS]
    arrays.counts[_OVERS] += 1
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
def _show(arrays: _Arrays) -> None:
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
    arrays.counts[_TURNS] = turns


@jit
def _write(
    arrays: _Arrays, place: int, position: int, allowed: LegalActions, found: Bytes, words: Words
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
        spent, behind, folded = (
            row[SPENT + other],
            row[STACKS + other] - row[SPENT + other],
            row[FOLDED + other],
        )
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
def _log(arrays: _Arrays, place: int) -> None:
    """Write the STATE line of a hand that is over, and add to the score."""
    game, row, log, cards = arrays.game, arrays.rows[place], arrays.log, arrays.cards[place]
    players, number, ends = game[NUMBER], arrays.numbers[place], arrays.name_ends
    end = arrays.counts[_LOGGED]
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
    arrays.counts[_LOGGED] = end + 1


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
