"""Compiled push/fold matches, played hand by hand.

A hand is two of the 1326 hands without a common card; an all-in is won, tied or lost with the exact
probabilities of the two classes, without dealing boards. The rules are those of ``pushfold``. Several threads
may play at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.jit import jit_nogil
from strategy.poker.combos import CLASSES, HANDS, MASKS
from strategy.poker.kernels import below, uniform
from strategy.pushfold.game import BIG_BLIND, SMALL_BLIND
from strategy.pushfold.ties import chances

Floats = NDArray[np.float64]


class PushFoldTables(NamedTuple):
    """The strategies of n players at L caps: probabilities of jamming and of calling, each float64[n, L,
    169].
    """

    jam: Floats
    call: Floats


class MatchRules(NamedTuple):
    """The rules of a match, in big blinds.

    ``caps``: maximum bets in a hand, ascending; if there are several, one is drawn for each hand. The
    effective stack is the minimum of it and both stacks; the tables are those of the smallest cap not below
    it. ``stack``: both players' chips at the start; 0: nobody can go bust. ``hands``: maximum length of a
    match.
    """

    caps: tuple[float, ...] = (10.0,)
    stack: float = 500.0
    hands: int = 10_000


FIELDS = ("hands", "net", "small_blinds", "jams", "jams_other", "calls", "calls_other")
"""Columns of a match: its hands, the first player's winnings in big blinds, the hands with that player in the
small blind, and how often the first player and the opponent jammed and called.
"""


def play_matches(
    tables: PushFoldTables,
    others: PushFoldTables,
    pairs: NDArray[np.int64],
    rules: MatchRules,
    seeds: NDArray[np.uint64],
    workers: int,
) -> Floats:
    """Play ``tables[i]`` against ``others[j]`` for each of the ``pairs`` int64[m, 2].

    Returns float64[m, 7], columns as in ``FIELDS``. ``seeds`` uint64[m] determine all randomness of each
    match, whatever the number of threads. The players alternate in the small blind; the first one is drawn.
    """
    return play_traced_matches(tables, others, pairs, rules, seeds, workers, (rules.hands,))[0]


def play_traced_matches(
    tables: PushFoldTables,
    others: PushFoldTables,
    pairs: NDArray[np.int64],
    rules: MatchRules,
    seeds: NDArray[np.uint64],
    workers: int,
    marks: Sequence[int],
) -> tuple[Floats, Floats]:
    """Return the result of ``play_matches`` and the state of each match after ``marks`` hands: float64[m, k,
    2].

    ``marks`` ascend to ``rules.hands``. A state is the number of hands, lower if the match had ended, and the
    first player's winnings.
    """
    trace = np.zeros((len(pairs), len(marks), 2))
    given = (*tables, *others, *chances(), np.array(marks, np.int64), trace)
    return run_matches(_play, given, pairs, rules, seeds, workers), trace


def run_matches(
    play: Callable[..., object],
    players: tuple[object, ...],
    pairs: NDArray[np.int64],
    rules: MatchRules,
    seeds: NDArray[np.uint64],
    workers: int,
) -> Floats:
    """Run the compiled ``play`` for all matches on ``workers`` threads; return its results, float64[m, 7].

    ``play`` takes ``players``, then the matches, the array for the results, and the range of matches to play.
    """
    won = np.zeros((len(pairs), len(FIELDS)))
    caps, stack = np.array(rules.caps), float(rules.stack or np.inf)
    _run_in_threads(partial(play, *players, pairs, seeds, caps, stack, rules.hands, won), len(pairs), workers)
    return won


def _run_in_threads(play: Callable[[int, int], object], count: int, workers: int) -> None:
    """Call ``play`` for all parts of ``count`` matches, with the bounds of each part."""
    if workers == 1:
        play(0, count)
        return
    # More pieces than threads, as matches end early.
    ends = np.unique(np.linspace(0, count, 8 * workers + 1).astype(int)).tolist()
    with ThreadPoolExecutor(workers) as threads:
        list(threads.map(play, ends[:-1], ends[1:]))


@jit_nogil
def _play(
    jam: Floats,
    call: Floats,
    other_jam: Floats,
    other_call: Floats,
    win: Floats,
    show: Floats,
    marks: NDArray[np.int64],
    trace: Floats,
    pairs: NDArray[np.int64],
    seeds: NDArray[np.uint64],
    caps: Floats,
    stack: float,
    limit: int,
    won: Floats,
    start: int,
    end: int,
) -> None:
    state = np.empty(1, np.uint64)
    for match in range(start, end):
        state[0] = seeds[match]
        one, two = pairs[match]
        _match(
            state,
            jam[one],
            call[one],
            other_jam[two],
            other_call[two],
            caps,
            stack,
            limit,
            win,
            show,
            marks,
            trace[match],
            won[match],
        )


@jit_nogil
def _match(
    state: NDArray[np.uint64],
    jam: Floats,
    call: Floats,
    other_jam: Floats,
    other_call: Floats,
    caps: Floats,
    stack: float,
    limit: int,
    win: Floats,
    show: Floats,
    marks: NDArray[np.int64],
    trace: Floats,
    won: Floats,
) -> None:
    # A hand's actions are inlined here: a function call would take longer than the hand.
    net = 0.0
    small_blinds = jams = jams_other = calls = calls_other = hands = 0
    side = 1 - 2 * below(state, 2)
    for place in range(len(marks)):
        stop = min(marks[place], limit)
        while hands < stop and -stack < net < stack:
            side = -side
            level = below(state, len(caps)) if len(caps) > 1 else 0
            effective = min(caps[level], stack - abs(net))
            while level > 0 and caps[level - 1] >= effective:
                level -= 1
            hands += 1
            one, two = _deal(state)
            if side > 0:
                small_blinds += 1
                may_jam, may_call = jam[level, one], other_call[level, two]
            else:
                may_jam, may_call = other_jam[level, one], call[level, two]
            if effective > SMALL_BLIND:
                if may_jam < 1 and (may_jam <= 0 or uniform(state) >= may_jam):
                    net -= SMALL_BLIND * side
                    continue
                jams, jams_other = jams + (side > 0), jams_other + (side < 0)
                if effective >= BIG_BLIND:
                    if may_call < 1 and (may_call <= 0 or uniform(state) >= may_call):
                        net += BIG_BLIND * side
                        continue
                    calls, calls_other = calls + (side < 0), calls_other + (side > 0)
            drawn = uniform(state)
            if drawn < win[one, two]:
                net += effective * side
            elif drawn >= show[one, two]:
                net -= effective * side
        trace[place, 0], trace[place, 1] = hands, net
    won[0], won[1], won[2] = hands, net, small_blinds
    won[3], won[4], won[5], won[6] = jams, jams_other, calls, calls_other


@jit_nogil
def _deal(state: NDArray[np.uint64]) -> tuple[int, int]:
    """Return the classes of two hands without a common card; one number gives both, since drawing is the
    slowest step.
    """
    mine = his = 0
    while MASKS[mine] & MASKS[his]:
        both = int(uniform(state) * (HANDS * HANDS))
        mine = both // HANDS
        his = both - HANDS * mine
    return CLASSES[mine], CLASSES[his]
