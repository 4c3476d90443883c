"""No-limit hold'em with three to ten players: situations that count as one, and the strategy for them.

There are too many ways to bet for a tree. What counts in a situation is a few facts, each in few steps
(``key_of``): before the flop the bet in big blinds, who called it, who is still to act, what the player has
put in, position and stacks; later the opponents, the bet as a price, position, who bet last on the street
before, and the stacks as a multiple of the pot; and the card state (``policy``). A raise is half the pot, the
pot, or all-in.

A hand's betting is an array by position, int64[6, n], with the rows ``PAID`` to ``ACTED``, and the facts
``STREET`` to ``BIG``, int64[8]. ``ring_training`` plays with the same functions.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from strategy.jit import lean_jit
from strategy.nolimit.holdem import STATES
from strategy.nolimit_bots.policy import CARDS_FILE, PARTS, Bytes
from strategy.packed_files import read_packed
from strategy.poker.kernels import Ints
from strategy.situation import Situation

PAID, BET, STACK, OUT, WAITS, ACTED = range(6)
"""Rows: chips in the hand, on the street, and left; whether a player has folded, is still to act on the
street (as is the actor), and has acted on it.
"""
STREET, ACTOR, RAISES, RAISER, LEADER, CALLERS, STEP, BIG = range(8)
"""Facts: raises on the street, who made the last (-1: nobody), and on the street before; calls after it; the
least raise; the big blind.
"""
ACTIONS: Final = 5
"""Fold, call, raise half the pot, the pot, all-in."""
NONE: Final = -2
"""An action that is not there."""

_CLASSES: Final = 169
_EARLY: Final = 5 * 3 * 5 * 4 * 2 * 4
_LATER: Final = 2 * 4 * 3 * 3 * 4
KEYS: Final = _EARLY + 3 * _LATER
_MERGED: Final = 5
"""So many neighbouring card states after the flop count as one."""
LATE_STATES: Final = STATES // _MERGED
LATE_AT: Final = _EARLY * _CLASSES
ROWS: Final = LATE_AT + 3 * _LATER * LATE_STATES
RING_FILE: Final = CARDS_FILE.with_name("nolimit-ring.json")

_ALL_IN = 4.0
"""The most pots that an all-in raise may be."""
_NEAR = 0.7
"""A raise of this share of all that is left is all-in."""
_MOST_RAISES = 4
"""After so many raises on a street there is no other than all-in."""


@lean_jit
def key_of(seats: Ints, now: Ints) -> int:
    """Return the number of the actor's situation, without the cards: below ``KEYS``."""
    me, big = now[ACTOR], now[BIG]
    level = most = pot = opponents = behind = 0
    for place in range(seats.shape[1]):
        level = max(level, seats[BET, place])
        pot += seats[PAID, place]
        if place != me and not seats[OUT, place]:
            opponents += 1
            behind += seats[WAITS, place]
            most = max(most, seats[BET, place] + seats[STACK, place])
    own = seats[BET, me]
    call = min(seats[STACK, me], level - own)
    stack = min(own + seats[STACK, me], most)
    callers = min(2, now[CALLERS])
    raised = now[RAISER] >= 0
    last = raised and me > now[RAISER]
    if now[STREET] == 0:
        bet = (level > big) + (level > 5 * big) + (level > 14 * big) + (level > 45 * big)
        left = behind if behind < 3 else 3 + (behind > 4)
        part = 3 if seats[ACTED, me] else 0 if own == 0 else 1 if own < big else 2
        depth = (stack > 13 * big) + (stack > 30 * big) + (stack > 70 * big)
        found = (((bet * 3 + callers) * 5 + left) * 4 + part) * 2 + last
        return int(found * 4 + depth)
    facing = 0
    if call > 0:
        facing = 3 if now[RAISES] > 1 else 1 + (call > 0.3 * (pot + call))
        place = 2 if behind else int(last)
    else:
        place = min(behind, 2)
    leader = 0 if now[LEADER] < 0 else 1 if now[LEADER] == me else 2
    rest = max(0, stack - own - call) / max(1, pot + call)
    ratio = (rest > 0.5) + (rest > 1.6) + (rest > 5.0)
    found = ((((opponents > 1) * 4 + facing) * 3 + place) * 3 + leader) * 4 + ratio
    return int(_EARLY + (now[STREET] - 1) * _LATER + found)


@lean_jit
def row_of(key: int, state: int) -> int:
    """Return the row of a situation with a card state: below ``ROWS``."""
    if key < _EARLY:
        return key * _CLASSES + state
    return LATE_AT + (key - _EARLY) * LATE_STATES + state // _MERGED


@lean_jit
def find_moves(seats: Ints, now: Ints, to: Ints) -> int:
    """Write what each of the ``ACTIONS`` is: -1 for a fold, 0 for a call, for a raise the chips on the
    street, or ``NONE``; return how many there are.
    """
    me, big = now[ACTOR], now[BIG]
    level = pot = most = 0
    for place in range(seats.shape[1]):
        level = max(level, seats[BET, place])
        pot += seats[PAID, place]
        if place != me and not seats[OUT, place] and seats[STACK, place] > 0:
            most = max(most, seats[BET, place] + seats[STACK, place])
    own, stack = seats[BET, me], seats[STACK, me]
    call = min(stack, level - own)
    to[:] = NONE
    to[1] = 0
    if call > 0:
        to[0] = -1
    top = min(own + stack, most)
    if stack > call and top > level:
        room, after, least = top - level, pot + call, level + max(now[STEP], big)
        if now[RAISES] < _MOST_RAISES:
            half, full = max(least, level + after // 2), max(least, level + after)
            if half < full and half - level < _NEAR * room:
                to[2] = half
            if full - level < _NEAR * room:
                to[3] = full
        if room <= _ALL_IN * after or now[RAISES] >= _MOST_RAISES or (to[2] == NONE and to[3] == NONE):
            to[4] = top
    count = 0
    for action in range(ACTIONS):
        count += to[action] != NONE
    return count


@lean_jit
def act(seats: Ints, now: Ints, to: int) -> bool:
    """Let the actor fold, call or raise (``find_moves``); return False if nobody is to act any more."""
    me, players = now[ACTOR], seats.shape[1]
    level = 0
    for place in range(players):
        level = max(level, seats[BET, place])
    seats[WAITS, me], seats[ACTED, me] = 0, 1
    if to < 0:
        seats[OUT, me] = 1
    else:
        wanted = level if to == 0 else to
        added = max(0, min(seats[STACK, me], wanted - seats[BET, me]))
        seats[STACK, me] -= added
        seats[BET, me] += added
        seats[PAID, me] += added
        if to == 0:
            now[CALLERS] += added > 0
        else:
            now[STEP] = max(now[STEP], to - level)
            now[RAISES] += 1
            now[RAISER], now[CALLERS] = me, 0
            for place in range(players):
                seats[WAITS, place] = place != me and not seats[OUT, place] and seats[STACK, place] > 0
    live = 0
    for place in range(players):
        live += not seats[OUT, place]
    if live < 2:
        return False
    for step in range(1, players):
        place = (me + step) % players
        if seats[WAITS, place]:
            now[ACTOR] = place
            return True
    return _next_street(seats, now)


@lean_jit
def _next_street(seats: Ints, now: Ints) -> bool:
    now[STREET] += 1
    if now[STREET] == 4:
        return False
    now[LEADER], now[STEP] = now[RAISER], now[BIG]
    now[RAISES], now[RAISER], now[CALLERS], now[ACTOR] = 0, -1, 0, -1
    able = 0
    for place in range(seats.shape[1]):
        seats[BET, place] = seats[ACTED, place] = 0
        seats[WAITS, place] = not seats[OUT, place] and seats[STACK, place] > 0
        able += seats[WAITS, place]
        if seats[WAITS, place] and now[ACTOR] < 0:
            now[ACTOR] = place
    return able > 1


def betting_of(situation: Situation, big: int) -> tuple[Ints, Ints]:
    """Return a situation's array and facts; ``big``: the big blind."""
    players = situation.players
    seats, now = np.zeros((6, players), np.int64), np.zeros(8, np.int64)
    seats[PAID], seats[BET], seats[STACK] = situation.paid, situation.bets, situation.stacks
    seats[OUT] = situation.folded
    position = {seat: place for place, seat in enumerate(situation.seats)}
    now[STREET], now[ACTOR], now[BIG] = situation.street, situation.position, big
    now[RAISER] = now[LEADER] = -1
    answered: set[int] = set()
    for step in situation.history:
        place = position[step.seat]
        if step.street == situation.street:
            seats[ACTED, place] = 1
            answered.add(place)
            if step.kind == "raise":
                answered = {place}
                now[RAISES] += 1
                now[RAISER], now[CALLERS] = place, 0
            elif step.kind == "call":
                now[CALLERS] += step.to > 0
        elif step.street == situation.street - 1 and step.kind == "raise":
            now[LEADER] = place
    for place in range(players):
        seats[WAITS, place] = place not in answered and not seats[OUT, place] and seats[STACK, place] > 0
    least = situation.legal.min_raise
    now[STEP] = big if least is None else least - max(situation.bets)
    return seats, now


class RingPolicy:
    """A strategy: ``keys`` are the situations that it has, and ``packed`` uint8 the probabilities of the
    ``ACTIONS`` in ``PARTS``, by situation and card state; all 0 where nothing is known.
    """

    def __init__(self, keys: Ints, packed: Bytes) -> None:
        sizes = np.where(keys < _EARLY, _CLASSES, LATE_STATES)
        starts = np.cumsum(sizes) - sizes
        self._starts = dict(zip(keys.tolist(), starts.tolist(), strict=True))
        self._packed = packed.reshape(-1, ACTIONS)
        if len(self._packed) != sizes.sum():
            raise ValueError(f"{sizes.sum()} rows are needed, not {len(self._packed)}")

    def chances(self, key: int, state: int) -> NDArray[np.float64] | None:
        """Return the probabilities of the actions, float64[ACTIONS]; None where nothing is known."""
        start = self._starts.get(key)
        row = None if start is None else self._packed[start + (state if key < _EARLY else state // _MERGED)]
        if row is None or not row.any():
            return None
        found: NDArray[np.float64] = row / PARTS
        return found


@cache
def load_ring() -> RingPolicy:
    """Return the shipped strategy. Raises OSError; ValueError if file and metadata do not match."""
    facts, data = read_packed(RING_FILE)
    count = 4 * facts["keys"]
    return RingPolicy(np.frombuffer(data[:count].tobytes(), "<i4").astype(np.int64), data[count:])


def pack_ring(policy: NDArray[np.float32]) -> tuple[int, bytes]:
    """Return how many situations a strategy has, float32[ROWS, ACTIONS], and what ``load_ring`` reads."""
    whole = np.floor(policy * PARTS + 1e-4)
    rest = policy * PARTS - whole
    missing = np.where(policy.any(axis=1), PARTS - whole.sum(axis=1), 0)
    rank = np.argsort(np.argsort(-rest, axis=1, kind="stable"), axis=1, kind="stable")
    packed = (whole + (rank < missing[:, np.newaxis])).astype(np.uint8)
    early, late = packed[:LATE_AT].reshape(_EARLY, -1), packed[LATE_AT:].reshape(KEYS - _EARLY, -1)
    keys = np.flatnonzero(np.concatenate([early.any(axis=1), late.any(axis=1)]))
    rows = [early[key] if key < _EARLY else late[key - _EARLY] for key in keys.tolist()]
    return len(keys), keys.astype("<i4").tobytes() + b"".join(row.tobytes() for row in rows)
