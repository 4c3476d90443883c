"""Tables for a player at the other end of a wire: as ``strategy.batch.learning``, in the frames of
``strategy.batch.wire``.

A frame shows what the player's seat may know and nothing else. Hands can be recorded, each as a STATE line of
an ACPC log (``dealer.records.acpc``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from dealer.rules.games import Game
from protocol.batch import VERSION
from strategy.batch.hands import BOARD, DECK, HOLE
from strategy.batch.layout import TABLE_SIZE, game_row
from strategy.batch.learning import playable_stacks
from strategy.batch.opponents import UnknownOpponent, preflop_classes, styles
from strategy.batch.serving import LOGGED, NONE, POLICY, REFUSED, ServedArrays, play, show, take
from strategy.batch.wire import ANSWER, FORCED, HEADER, LAST, MAX_CHIPS, MAX_HISTORY, REFUSAL, REPLY, row_type
from strategy.checks import require_holdem
from strategy.errors import StrategyError
from strategy.poker.kernels import TABLE, rng

#: Least room for lines between two writes, and most for the betting of all hands in progress.
_LOG_ROOM = 1 << 20
_BETTING_ROOM = 1 << 26
_UNLIMITED = 1 << 62
#: Most actions between two frames at all tables together, whatever everybody does: others wait meanwhile, at
#: worst a tenth of a second.
_FRAME_ACTIONS = 1 << 21


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
        if size * _most_actions(game, chips) > _FRAME_ACTIONS:
            raise BadBatch("so many raises are possible that fewer tables, or smaller stacks, must do")
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
        self._arrays = arrays = ServedArrays(
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
            kinds=np.full(size, NONE, np.int64),
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
        take(arrays, np.zeros((0, 2), np.uint32))
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
        if head["version"] != VERSION:
            raise BadAnswer("malformed_frame", f"frames have version {VERSION}, not {head['version']}")
        if head["zero"]:
            raise BadAnswer("malformed_frame", f"bytes 2 and 3 of a header are 0, not {head['zero']}")
        if rows // ANSWER.itemsize > len(self._arrays.rows):
            raise BadAnswer("malformed_frame", f"more rows than the {len(self._arrays.rows)} tables")
        if head["frame"] != self._frame:
            code = "stale_turn" if head["frame"] < self._frame else "not_your_turn"
            raise BadAnswer(code, f"the frame to answer is {self._frame}")
        said = np.frombuffer(bytearray(frame), "<u4", offset=REPLY.itemsize).reshape(-1, 2)
        take(self._arrays, said)
        return self._next_frame(now, 0)

    def force(self, now: float) -> bytes:
        """Let the policy act where time is over, and return the next frame."""
        arrays = self._arrays
        late = arrays.waiting & (arrays.asked_at + self._limit <= now)
        arrays.kinds[late] = POLICY
        return self._next_frame(now, FORCED)

    def stop_dealing(self) -> None:
        """Let every hand in progress be the last of its table."""
        self._arrays.left[:] = 0

    def finish(self) -> None:
        """Let the policy play the hands in progress to their end."""
        self.stop_dealing()
        arrays = self._arrays
        while arrays.waiting.any():
            arrays.kinds[arrays.waiting] = POLICY
            self._step(0.0)

    def _step(self, now: float, *, first: bool = False) -> None:
        """Play until the player is asked everywhere, and write records."""
        arrays = self._arrays
        if self._entropy is not None:
            arrays.states[:] ^= np.frombuffer(self._entropy(arrays.states.nbytes), np.uint64).reshape(-1, 2)
        arrays.counts[:2] = 0
        place = 0
        while place < len(arrays.rows):
            place = play(arrays, place, now, first, self._full)
            if self._recording is not None:
                self._recording.write(arrays.log[: arrays.counts[LOGGED]].data)
            arrays.counts[LOGGED] = 0

    def _next_frame(self, now: float, flags: int, *, first: bool = False) -> bytes:
        self._step(now, first=first)
        arrays = self._arrays
        show(arrays)
        overs, turns, refused, _ = arrays.counts.tolist()
        arrays.counts[REFUSED] = 0
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


def _most_actions(game: Game, stacks: Sequence[int]) -> int:
    """Return a bound of the actions in a hand."""
    # A raise adds at least the smallest bet, unless it is all-in; everybody answers each one once.
    least = min(game.raise_sizes[: game.rounds]) if game.limit else game.min_bet
    raises = max(stacks) // max(1, least) + game.players
    if game.limit:
        raises = min(sum(game.max_raises[: game.rounds]), raises)
    return (raises + game.rounds) * game.players


def _betting_room(game: Game, stacks: Sequence[int]) -> int:
    """Return a bound of the characters of a hand's betting."""
    return _most_actions(game, stacks) * (2 + len(str(max(stacks))))
