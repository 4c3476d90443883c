"""``pokerd train``: compute a strategy. Also prints the results of ``exploitability``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pokerd.options.arguments import above_zero, declare, positive
from pokerd.progress import ENDLESS, StopRequested, show_progress, stop_on_signal

if TYPE_CHECKING:
    from strategy.cfr.training import ConvergenceCurve, Trainable, TrainingProgress

HELP = "compute a strategy for a game"

_DEFAULT_ITERATIONS = 1000


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=train)
    parser.add_argument(
        "method",
        choices=("cfr", "nolimit"),
        help="what is solved: a small or abstracted game, or no-limit by a menu",
    )
    parser.add_argument("game", metavar="GAME", nargs="?", help="a file, or the name of one in games/")
    declare(
        parser,
        ("--depth", "nolimit: heads-up hold'em with these stacks, instead of GAME", positive, None, "BB"),
        ("--variant", "", ("cfr", "cfr+", "dcfr", "es-mccfr"), "cfr+"),
        ("--iterations", "iterations in all (1000; with --seconds no limit)", positive, None, "N"),
        ("--seconds", "seconds of solving in this run (no limit)", above_zero, None, "S"),
        ("--hours", "hours of solving in this run (no limit)", above_zero, None, "H"),
        ("--out", "save the strategy there, and resume from there (not saved)", Path, None, "FILE"),
        ("--seed", "random seed", int, 0, "N"),
        ("--buckets", "card states that each one splits into (5); with es-mccfr: clusters per street (none)",
         positive, None, "K"),
        ("--push-fold", "all-in or fold, with this stack in big blinds", above_zero, None, "STACK"),
        ("--menu", ("nolimit: raises, streets separated by /, raises of a street by ,; a: all-in (1/1/1/1; "
         "with --depth half the pot, the pot and all-in)"), str, None, "SIZES"),
        ("--cards", "nolimit: what the last street tells apart", ("exact", "strength"), "strength"),
        ("--workers", "nolimit: threads", positive, 1, "N"),
        ("--json", "print the result as JSON"),
    )  # fmt: skip


def train(options: argparse.Namespace) -> int:
    """Run the command. Raises GameError, SolveError, MenuError and OSError."""
    from dealer.rules.errors import GameError
    from dealer.rules.games import load_game
    from strategy.cfr.report import progress_text, result_lines, training_result
    from strategy.cfr.training import Task, resume

    if options.hours is not None:
        options.seconds = 3600 * options.hours
    if options.method == "nolimit":
        return _train_no_limit(options)
    if options.game is None:
        raise GameError("unknown_game", "train cfr needs a game")
    game, stack = load_game(options.game), options.push_fold or 0.0
    solver = resume(Task.of(game, options.variant, options.buckets or 0, stack, options.seed), options.out)
    curve = _solve(options, solver, progress_text)
    if curve is None:
        return 130
    result = training_result(solver, curve)
    print(json.dumps(result) if options.json else "\n".join(result_lines(result)))
    return 0


def _train_no_limit(options: argparse.Namespace) -> int:
    from dealer.rules.errors import GameError
    from dealer.rules.games import load_game
    from strategy.nolimit import training
    from strategy.nolimit.training import progress_text, resume_nolimit, training_lines

    if (options.game is None) == (options.depth is None):
        raise GameError("unknown_game", "train nolimit needs either a game or --depth")
    if options.depth is not None:
        task = training.holdem_task(options.depth, options.menu, options.seed)
    else:
        menu = options.menu or training.SMALL_MENU
        task = training.NoLimitTask(load_game(options.game), menu, options.cards, options.seed)
    solver = resume_nolimit(task, options.out, options.workers)
    limit = options.iterations or (None if options.seconds else _DEFAULT_ITERATIONS)
    curve = _solve(options, solver, lambda now: progress_text(solver, now, limit, options.seconds))
    if curve is None:
        return 130
    result = solver.facts() | {"seconds": curve[-1].seconds, "cpu_seconds": curve[-1].cpu_seconds}
    print(json.dumps(result) if options.json else "\n".join(training_lines(result)))
    return 0


def _solve(
    options: argparse.Namespace, solver: Trainable, words: Callable[[TrainingProgress], str | None]
) -> ConvergenceCurve | None:
    """Train until the limit, and show the progress; None if the user stopped it."""
    from strategy.cfr.training import train as solve

    limit = options.iterations or (ENDLESS if options.seconds else _DEFAULT_ITERATIONS)
    try:
        with stop_on_signal() as raise_if_stopped, show_progress(solver.iterations, limit) as show:

            def on_progress(now: TrainingProgress) -> None:
                show(now.iterations, words(now))
                raise_if_stopped()

            def report(what: str, done: float) -> None:
                show(solver.iterations, f"{what} {done:.0%}")
                raise_if_stopped()

            return solve(
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
        return None
