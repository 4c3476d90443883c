"""``pokerd train``: compute a strategy. Also prints the results of ``exploitability``."""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pokerd.options.arguments import declare, positive
from pokerd.progress import ENDLESS, StopRequested, show_progress, stop_on_signal

if TYPE_CHECKING:
    from strategy.cfr.training import TrainingProgress

HELP = "compute a strategy for a game"

_DEFAULT_ITERATIONS = 1000


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=train)
    parser.add_argument("method", choices=("cfr",), metavar="cfr", help="the family of methods")
    parser.add_argument("game", metavar="GAME", help="a file, or the name of one in games/")
    declare(
        parser,
        ("--variant", "", ("cfr", "cfr+", "dcfr", "es-mccfr"), "cfr+"),
        ("--iterations", "iterations in all (1000; with --seconds no limit)", positive, None, "N"),
        ("--seconds", "seconds of solving in this run (no limit)", _seconds, None, "S"),
        ("--out", "save the strategy there, and resume from there (not saved)", Path, None, "FILE"),
        ("--seed", "random seed", int, 0, "N"),
        ("--buckets", "card states that each one splits into (5); with es-mccfr: clusters per street (none)",
         positive, None, "K"),
        ("--push-fold", "all-in or fold, with this stack in big blinds", _seconds, None, "STACK"),
        ("--json", "print the result as JSON"),
    )  # fmt: skip


def _seconds(text: str) -> float:
    number = float(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError("must be more than 0, and finite")
    return number


def train(options: argparse.Namespace) -> int:
    """Run the command. Raises GameError, SolveError and OSError."""
    from dealer.rules.games import load_game
    from strategy.cfr.report import progress_text, result_lines, training_result
    from strategy.cfr.training import Task, resume
    from strategy.cfr.training import train as solve

    game, stack = load_game(options.game), options.push_fold or 0.0
    solver = resume(Task.of(game, options.variant, options.buckets or 0, stack, options.seed), options.out)
    limit = options.iterations or (ENDLESS if options.seconds else _DEFAULT_ITERATIONS)
    try:
        with stop_on_signal() as raise_if_stopped, show_progress(solver.iterations, limit) as show:

            def on_progress(now: TrainingProgress) -> None:
                show(now.iterations, progress_text(now))
                raise_if_stopped()

            def report(what: str, done: float) -> None:
                show(solver.iterations, f"{what} {done:.0%}")
                raise_if_stopped()

            curve = solve(
                solver,
                limit,
                seconds=options.seconds,
                out=options.out,
                on_progress=on_progress,
                report=report,
            )
    except StopRequested:
        if options.out is not None:
            print(f"stopped after {solver.iterations:,} iterations, saved in {options.out}", file=sys.stderr)
        return 130
    result = training_result(solver, curve)
    print(json.dumps(result) if options.json else "\n".join(result_lines(result)))
    return 0
