"""Decisions a CPU second of the environments for learners, beside OpenSpiel in the same run, on one core.

    python -m benchmarks.env [--seconds 1.0] [--rounds 3] [--tables 512]

A decision is a legal action drawn uniformly, done, and the next player's observation and legal mask written;
hands are dealt and paid in between. ``every seat``: the caller decides for all. ``against``: for one seat,
and the opponents' decisions are not counted. ``decides``: a compiled opponent alone, asked where random play
leads. OpenSpiel's ``universal_poker`` is played with and without ``information_state_tensor``; in the
no-limit game both choose among fold, call, pot and all-in. The lanes take turns, and each is credited with
its best, because any disturbance makes a measurement slower.

``two processes``: decisions a second of time of two at once, for every seat, as a multiple of one alone,
which takes turns with them; it needs two cores that do nothing else.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from random import Random

import numpy as np
from numpy.typing import NDArray

from benchmarks.rules import GAMES, LIMIT, NO_LIMIT, universal_poker
from dealer.rules.games import load_game
from strategy.batch.betting import legal
from strategy.batch.hands import Cards
from strategy.batch.layout import Rows
from strategy.batch.learning import LearningTables
from strategy.batch.menu import Mask
from strategy.batch.opponents import Classes, Styles, decide, preflop_classes, styles
from strategy.jit import jit
from strategy.poker.kernels import TABLE, Ranks, State, below, rng

TARGETS = {LIMIT: 5e6, NO_LIMIT: 3e6}
OPPONENT = "quick"
_STEPS = 20
_PATIENCE = 120.0
"""Seconds after which a process that does not answer is given up."""

Turn = Callable[[], tuple[int, float]]
"""Plays a little, and returns decisions and CPU seconds."""


@jit
def _draw(mask: Mask, state: State, choices: Rows) -> None:
    for place in range(len(mask)):
        left = below(state, mask[place].sum())
        for action in range(mask.shape[1]):
            if mask[place, action]:
                if not left:
                    choices[place] = action
                    break
                left -= 1


@jit
def _decide_all(
    style: Styles, classes: Classes, ranks: Ranks, game: Rows, rows: Rows, cards: Cards, state: State
) -> int:
    raises = 0
    for place in range(len(rows)):
        kind, _ = decide(
            style, classes, ranks, game, rows[place], cards[place], legal(game, rows[place]), state
        )
        raises += kind == 2
    return raises


def _random_turn(mask: Mask, step: Callable[[Rows], object], tables: int) -> Turn:
    """Return a turn that draws actions at so many tables and does them with ``step``."""
    state, choices = rng("benchmark"), np.zeros(tables, np.int64)

    def play() -> tuple[int, float]:
        start = time.process_time()
        for _ in range(_STEPS):
            _draw(mask, state, choices)
            step(choices)
        return _STEPS * tables, time.process_time() - start

    return play


def every_seat(game: str, tables: int, *opponents: str) -> Turn:
    """Decide at so many tables, for every seat or against ``opponents``."""
    playing = LearningTables(load_game(GAMES[game]), tables, opponents, sizes=(1.0,))
    playing.reset("benchmark")
    return _random_turn(playing.mask, playing.choose, tables)


def vector(game: str, tables: int) -> Turn | None:
    """Decide in the vector environment, against compiled opponents."""
    if not importlib.util.find_spec("gymnasium"):
        return None
    from pokerd.env import PokerVectorEnv

    env = PokerVectorEnv(tables, GAMES[game], OPPONENT, sizes=(1.0,), copy=False)
    env.reset(seed=1)
    return _random_turn(env.tables.mask, env.step, tables)


def opponent(game: str, tables: int) -> Turn:
    """Ask a compiled opponent at so many tables, at which actions are drawn at random."""
    playing = LearningTables(load_game(GAMES[game]), tables, sizes=(1.0,))
    playing.reset("benchmark")
    state, choices = rng("benchmark"), np.zeros(tables, np.int64)
    style: NDArray[np.float64] = styles([OPPONENT])[0]

    def play() -> tuple[int, float]:
        spent = 0.0
        for _ in range(_STEPS):
            _draw(playing.mask, state, choices)
            playing.choose(choices)
            start = time.process_time()
            _decide_all(style, preflop_classes(), TABLE, playing.game, playing.rows, playing.cards, state)
            spent += time.process_time() - start
        return _STEPS * tables, spent

    return play


def open_spiel(game: str, *, tensor: bool) -> Turn | None:
    """Decide in OpenSpiel's ``universal_poker``."""
    if not importlib.util.find_spec("pyspiel"):
        return None
    definition, random = universal_poker(game), Random(1)

    def play() -> tuple[int, float]:
        decisions, start = 0, time.process_time()
        for _ in range(50):
            state = definition.new_initial_state()
            while not state.is_terminal():
                choices = state.legal_actions()
                if not state.is_chance_node():
                    decisions += 1
                    if tensor:
                        state.information_state_tensor()
                state.apply_action(choices[int(random.random() * len(choices))])
            state.returns()
        return decisions, time.process_time() - start

    return play


def lanes(game: str, tables: int) -> dict[str, Turn | None]:
    """Return all lanes of a game."""
    players = load_game(GAMES[game]).players
    return {
        "every seat": every_seat(game, tables),
        f"against {OPPONENT}": every_seat(game, tables, *[OPPONENT] * (players - 1)),
        f"against {OPPONENT}, PokerVectorEnv": vector(game, tables),
        f"{OPPONENT} decides": opponent(game, tables),
        "open_spiel": open_spiel(game, tensor=False),
        "open_spiel with tensor": open_spiel(game, tensor=True),
    }


def measure(game: str, tables: int, seconds: float, rounds: int) -> dict[str, float | None]:
    """Return the decisions a CPU second of every lane; None for a library that is missing."""
    best: dict[str, float | None] = {}
    turns = lanes(game, tables)
    for turn in turns.values():
        if turn is not None:
            turn()  # compiles
    for _ in range(rounds):
        for name, turn in turns.items():
            best[name] = None if turn is None else max(best.get(name) or 0.0, _speed(turn, seconds))
    return best


def _speed(turn: Turn, seconds: float) -> float:
    decisions, spent = 0, 0.0
    while spent < seconds:
        more, took = turn()
        decisions, spent = decisions + more, spent + took
    return decisions / spent


def two_processes(game: str, tables: int, seconds: float, rounds: int) -> float:
    """Return how many times as fast as one alone two processes are together, the best of the rounds."""
    context = get_context("spawn")
    begin, end = context.Barrier(3, timeout=_PATIENCE), context.Barrier(3, timeout=_PATIENCE)
    results: SimpleQueue[float] = context.SimpleQueue()
    arguments = (game, tables, seconds, rounds, begin, end, results)
    others = [context.Process(target=_one_of_two, args=(*arguments, first)) for first in (True, False)]
    for other in others:
        other.start()
    best = [0.0, 0.0]
    for _ in range(rounds):
        for count in (1, 2):
            begin.wait()
            end.wait()
            best[count - 1] = max(best[count - 1], sum(results.get() for _ in range(count)))
    for other in others:
        other.join()
    return best[1] / best[0]


def _one_of_two(
    game: str,
    tables: int,
    seconds: float,
    rounds: int,
    begin: Barrier,
    end: Barrier,
    results: SimpleQueue[float],
    plays_alone: bool,
) -> None:
    turn = every_seat(game, tables)
    turn()  # compiles
    for _ in range(rounds):
        for plays in (plays_alone, True):
            begin.wait()
            if plays:
                decisions, start = 0, time.perf_counter()
                while time.perf_counter() < start + seconds:
                    decisions += turn()[0]
                results.put(decisions / (time.perf_counter() - start))
            end.wait()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Decisions a CPU second of the environments for learners.")
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU seconds of one turn")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each lane")
    parser.add_argument("--tables", type=int, default=512, help="tables of a batch")
    options = parser.parse_args()
    print(f"decisions a CPU second, {options.tables} tables, one core")
    for game in GAMES:
        found = measure(game, options.tables, options.seconds, options.rounds)
        ours, theirs = found["every seat"], found["open_spiel with tensor"]
        for name, figure in found.items():
            print(f"{game}, {name + ':':<32}" + (f"{figure:>14,.0f}" if figure else f"{'missing':>14}"))
        if ours:
            ratio = f", {ours / theirs:.1f} times OpenSpiel with its tensor" if theirs else ""
            print(f"{game}: {ours / TARGETS[game]:.2f} of the target{ratio}")
        both = two_processes(game, options.tables, options.seconds, options.rounds)
        print(f"{game}: two processes are {both:.2f} times as fast as one")


if __name__ == "__main__":
    main()
