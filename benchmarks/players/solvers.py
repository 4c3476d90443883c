"""CPU seconds of CFR+ to a given exploitability, compared with OpenSpiel's solver in C++.

    python -m benchmarks.players.solvers [--rounds 3] [--quick]

Both solve the same game and are checked after the same numbers of iterations. OpenSpiel's time does not
include its exact exploitability; everything is compiled beforehand. Every lane takes turns and is credited
with its best turn. Without ``open_spiel`` (``pip install 'pokerd[bench]'``) there is one column less.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dealer.rules.games import load_game
from strategy.cfr.solver import SmallSolver
from strategy.cfr.training import Task
from strategy.progress import no_progress


class Goal(NamedTuple):
    """A game by both names, the exploitability in chips to reach, iterations between two checks."""

    game: str
    open_spiel: str
    target: float
    step: int


GOALS = (Goal("kuhn.limit.2p", "kuhn_poker", 1e-5, 500), Goal("leduc.limit.2p", "leduc_poker", 3e-4, 50))
QUICK = (Goal("kuhn.limit.2p", "kuhn_poker", 1e-3, 50), Goal("leduc.limit.2p", "leduc_poker", 0.1, 10))


class SolverRun(NamedTuple):
    """CPU seconds and iterations until the goal was reached, and the exploitability then."""

    seconds: float
    iterations: int
    exploitability: float


def measure(iterate: Callable[[int], object], exploitability: Callable[[], float], goal: Goal) -> SolverRun:
    """Iterate until the goal is reached; only iterations are timed."""
    spent, iterations, found = 0.0, 0, 1.0
    while found > goal.target:
        start = time.process_time()
        iterate(goal.step)
        spent += time.process_time() - start
        iterations += goal.step
        found = exploitability()
    return SolverRun(spent, iterations, found)


def ours(goal: Goal) -> SolverRun:
    """Run one turn of pokerd."""
    solver = SmallSolver(Task(load_game(goal.game), "cfr+"))
    solver.prepare(no_progress)
    return measure(solver.iterate, solver.exploitability, goal)


def theirs(goal: Goal) -> SolverRun:
    """Run one turn of OpenSpiel."""
    import pyspiel

    game: Any = pyspiel.load_game(goal.open_spiel)
    solver: Any = pyspiel.CFRPlusSolver(game)

    def iterate(count: int) -> None:
        for _ in range(count):
            solver.evaluate_and_update_policy()

    return measure(iterate, lambda: pyspiel.exploitability(game, solver.average_policy()), goal)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="What solving small games costs.")
    parser.add_argument("--rounds", type=int, default=3, help="turns per lane")
    parser.add_argument("--quick", action="store_true", help="to a rough solution only")
    options = parser.parse_args(arguments)
    lanes = {"pokerd": ours}
    if importlib.util.find_spec("pyspiel"):
        lanes["OpenSpiel"] = theirs
    print(f"{'CFR+ to exploitability':<28}{'solver':<12}{'iterations':>11}{'CPU s':>12}{'times':>9}")
    for goal in QUICK if options.quick else GOALS:
        runs: dict[str, SolverRun] = {}
        for _ in range(options.rounds):
            for name, lane in lanes.items():
                run = lane(goal)
                runs[name] = min(runs.get(name, run), run)
        for name, run in runs.items():
            what = f"{goal.game.partition('.')[0]} {goal.target:g} chips"
            ratio = f"{run.seconds / runs['pokerd'].seconds:>9.0f}"
            print(f"{what:<28}{name:<12}{run.iterations:>11,}{run.seconds:>12.5f}{ratio}")


if __name__ == "__main__":
    main()
