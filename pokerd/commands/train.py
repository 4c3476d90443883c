"""``pokerd train``: compute a strategy. Also prints the results of ``exploitability``."""

from __future__ import annotations

import argparse
import json
import math
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from pokerd.options.arguments import positive

if TYPE_CHECKING:
    from dealer.rules.games import Game
    from strategy.cfr.training import Solver, Task, TrainingProgress

HELP = "compute a strategy for a game"

_DEFAULT_ITERATIONS = 1000
_ENDLESS = sys.maxsize
_FIRST_LINE, _NEXT_LINE = 5.0, 30.0
"""Seconds until the first progress line, and between later ones."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=train)
    parser.add_argument("method", choices=("cfr",), metavar="cfr", help="the family of methods")
    parser.add_argument("game", metavar="GAME", help="a file, or the name of one in games/")
    parser.add_argument(
        "--variant", choices=("cfr", "cfr+", "dcfr", "es-mccfr"), default="cfr+", help="(%(default)s)"
    )
    parser.add_argument(
        "--iterations", type=positive, metavar="N", help="iterations in all (1000; with --seconds no limit)"
    )
    parser.add_argument(
        "--seconds", type=_seconds, metavar="S", help="seconds of solving in this run (no limit)"
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="save the strategy there, and resume from there (not saved)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="random seed (%(default)s)")
    parser.add_argument(
        "--buckets",
        type=positive,
        metavar="K",
        help="card states that each one splits into (5); with es-mccfr: clusters per street (none)",
    )
    parser.add_argument(
        "--push-fold", type=_seconds, metavar="STACK", help="all-in or fold, with this stack in big blinds"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def _seconds(text: str) -> float:
    number = float(text)
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError("must be more than 0, and finite")
    return number


def train(options: argparse.Namespace) -> int:
    """Run the command. Raises GameError, SolveError and OSError."""
    from strategy.cfr.training import resume
    from strategy.cfr.training import train as solve

    solver = resume(_task(options), options.out)
    limit = options.iterations or (_ENDLESS if options.seconds else _DEFAULT_ITERATIONS)
    try:
        with _stop_on_signal() as raise_if_stopped, _show_progress(solver.iterations, limit) as show:

            def tell(now: TrainingProgress) -> None:
                show(now.iterations, _exploitability_text(now))
                raise_if_stopped()

            def say(what: str, done: float) -> None:
                show(solver.iterations, f"{what} {done:.0%}")
                raise_if_stopped()

            curve = solve(
                solver, limit, seconds=options.seconds, out=options.out, on_progress=tell, report=say
            )
    except _StopRequested:
        if options.out is not None:
            print(f"stopped after {solver.iterations:,} iterations, saved in {options.out}", file=sys.stderr)
        return 130
    end = curve[-1]
    result = {
        **facts(solver),
        "seconds": end.seconds,
        "cpu_seconds": end.cpu_seconds,
        **quality(solver, end.exploitability),
        "curve": [[point.iterations, point.seconds, json_number(point.exploitability)] for point in curve],
    }
    print_result(result, as_json=options.json)
    return 0


def _task(options: argparse.Namespace) -> Task:
    from dealer.rules.games import load_game
    from strategy.cfr.training import Task

    game = load_game(options.game)
    stack = _chips(game, options.push_fold) if options.push_fold else 0
    if not stack and game.rules == "pushfold" and len(set(game.stacks)) == 1:
        stack = game.stacks[0]
    return Task(game, options.variant, options.buckets or 0, stack, options.seed)


def _chips(game: Game, big_blinds: float) -> int:
    from strategy.cfr.files import SolveError

    found = big_blinds * max(game.blinds)
    # Decimals such as 1.1 are inexact: 1.1 * 100 is 110.00000000000001. Large numbers may become infinite.
    chips = round(found) if math.isfinite(found) else 0
    if not math.isclose(found, chips, rel_tol=1e-12):
        raise SolveError(
            "bad_setting", f"{big_blinds:g} big blinds of {max(game.blinds)} are not a whole number of chips"
        )
    return chips


def facts(solver: Solver) -> dict[str, Any]:
    """Return what was solved, and for how many iterations."""
    task = solver.task
    return {"game": task.game.name, "variant": task.variant, "iterations": solver.iterations}


def quality(solver: Solver, found: float | None) -> dict[str, Any]:
    """Return the exploitability ``found``, in chips and mbb, and the value of each position."""
    blind = max(solver.task.game.blinds)
    number = json_number(found)
    return {
        "exploitability": number,
        "exploitability_mbb": None if number is None or not blind else 1000 * number / blind,
        "value": [json_number(value) for value in solver.value()],
    }


def json_number(value: float | None) -> float | None:
    """Return a number that JSON can represent, or None."""
    return None if value is None or math.isnan(value) else value


def print_result(result: dict[str, Any], *, as_json: bool) -> None:
    """Print a result for a person, or as JSON."""
    if as_json:
        print(json.dumps(result))
        return
    print(f"{result['game']}, {result['variant']}, {result['iterations']:,} iterations")
    if "seconds" in result:
        print(f"{'solving':<20}{result['seconds']:.2f} s")
    found = result["exploitability"]
    text = "not computed" if found is None else f"{found:.6g} chips"
    if result["exploitability_mbb"] is not None:
        text += f", {result['exploitability_mbb']:.4g} mbb/hand"
    if result.get("recorded"):
        text += ", according to its side file"
    print(f"{'exploitability':<20}{text}")
    for position, value in enumerate(result["value"]):
        text = "not computed" if value is None else f"{value:+.6g} chips"
        print(f"{f'value, position {position}':<20}{text}")
    if "lbr_mbb" in result:
        error = result["lbr_mbb_error"]
        text = "" if error is None else f" +- {error:.0f}"
        won = f"LBR wins {result['lbr_mbb']:.0f}{text} mbb/hand"
        print(f"{'real game':<20}{won}; a best response wins at least as much")


class _StopRequested(Exception):
    """The user wants to stop; raised between two iterations."""


@contextmanager
def _stop_on_signal() -> Iterator[Callable[[], None]]:
    """Provide a function that raises ``_StopRequested`` after a signal to stop; a second signal stops at
    once.

    Signals that are ignored stay ignored, as under nohup.
    """
    stop_requested = False

    def request_stop(number: int, frame: FrameType | None) -> None:
        nonlocal stop_requested
        if stop_requested:
            raise KeyboardInterrupt
        stop_requested = True

    def raise_if_stopped() -> None:
        if stop_requested:
            raise _StopRequested

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    caught = {number: old for number, old in before.items() if old is not signal.SIG_IGN}
    for number in caught:
        signal.signal(number, request_stop)
    try:
        yield raise_if_stopped
    finally:
        for number, old in caught.items():
            signal.signal(number, old)


def _exploitability_text(now: TrainingProgress) -> str | None:
    if now.exploitability is None:
        return None
    return "" if math.isnan(now.exploitability) else f"exploitability {now.exploitability:.4g} chips"


@contextmanager
def _show_progress(start: int, limit: int) -> Iterator[Callable[[int, str | None], None]]:
    """Provide a function of iterations and a text that shows them on standard error: as a progress bar, or as
    a line now and then if that is not a terminal. If the text is None, the last one stays.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    endless = limit == _ENDLESS
    count = TextColumn("{task.completed:,.0f} iterations") if endless else MofNCompleteColumn()
    columns = (BarColumn(), count, TimeElapsedColumn(), TextColumn("{task.fields[words]}"))
    due = time.monotonic() + _FIRST_LINE
    with Bar(*columns, console=console, disable=not console.is_terminal) as bar:
        shown = bar.add_task("", total=None if endless else limit, completed=start, words="")

        def show(iterations: int, words: str | None) -> None:
            nonlocal due
            bar.update(shown, completed=iterations)
            if words is not None:
                bar.update(shown, words=words)
            if not console.is_terminal and time.monotonic() >= due:
                due = time.monotonic() + _NEXT_LINE
                said = bar.tasks[shown].fields["words"]
                text = f"{iterations:,} iterations"
                print(f"{text}, {said}" if said else text, file=sys.stderr, flush=True)

        yield show
