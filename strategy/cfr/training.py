"""A task for a solver, and the training loop: time limit, checkpoints, progress."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from dealer.rules.errors import GameError
from dealer.rules.games import Game, parse_game
from strategy.cfr.files import SolveError, read_header
from strategy.progress import ProgressCallback, no_progress

VARIANTS = ("cfr", "cfr+", "dcfr", "es-mccfr")

_CHUNK = 0.25
"""Seconds of solving between two checks of the clock."""
_CHECKPOINT = 30.0
_SHARE = 0.05
"""Exploitability is computed during training if that takes at most this share of the time."""


@dataclass(frozen=True, slots=True)
class Task:
    """A solver's task: what an iteration does, but not the number of iterations.

    ``buckets``: in abstracted games, the number of parts into which each card state is split per street; with
    sampled deals, clusters per street (0: the solver's default). ``push_fold``: each player's stack in chips,
    if players may only go all-in or fold (0: the normal game). ``seed``: for all sampling.
    """

    game: Game
    variant: str = "cfr+"
    buckets: int = 0
    push_fold: int = 0
    seed: int = 0

    def header(self) -> dict[str, Any]:
        """Return the task as JSON for files; see ``from_header``."""
        settings = {name: getattr(self, name) for name in _SETTINGS}
        return {"game": self.game.text(), "name": self.game.name, **settings}

    @classmethod
    def of(cls, game: Game, variant: str, buckets: int, push_fold: float, seed: int) -> Task:
        """Return the task with ``push_fold`` in big blinds; 0: as the game's rules say. Raises SolveError
        ``bad_setting``.
        """
        stack = chips_of(game, push_fold)
        if not stack and game.rules == "pushfold" and len(set(game.stacks)) == 1:
            stack = game.stacks[0]
        return cls(game, variant, buckets, stack, seed)

    @classmethod
    def from_header(cls, header: dict[str, Any]) -> Task:
        """Return the task of a file. Raises SolveError ``wrong_file``."""
        try:
            game = parse_game(header["game"], header["name"])
            return cls(game, **{name: header[name] for name in _SETTINGS})
        except (KeyError, TypeError, GameError) as error:
            raise SolveError("wrong_file", f"the file does not say what it solves: {error}") from error


def chips_of(game: Game, big_blinds: float) -> int:
    """Return a stack in chips. Raises SolveError ``bad_setting`` if it is not a whole number."""
    found = big_blinds * max(game.blinds)
    # Decimals such as 1.1 are inexact: 1.1 * 100 is 110.00000000000001. Large numbers may become infinite.
    chips = round(found) if math.isfinite(found) else 0
    if not math.isclose(found, chips, rel_tol=1e-12):
        raise SolveError(
            "bad_setting", f"{big_blinds:g} big blinds of {max(game.blinds)} are not a whole number of chips"
        )
    return chips


_SETTINGS = ("variant", "buckets", "push_fold", "seed")


class Trainable(Protocol):
    """A computation that can be continued.

    ``prepare`` makes and compiles what iterations need, changes nothing, and reports progress; ``iterate(2)``
    equals ``iterate(1)`` twice. ``exploitability`` is that of the average strategy in chips, NaN if it cannot
    be computed.
    """

    @property
    def iterations(self) -> int: ...
    def prepare(self, report: ProgressCallback) -> None: ...
    def iterate(self, n: int) -> None: ...
    def exploitability(self) -> float: ...
    def save(self, path: Path) -> None: ...


class Solver(Trainable, Protocol):
    """A computation of a task; the class is called with it, and refuses unsupported ones with SolveError or
    GameError.

    ``value``: a number per position, as ``exploitability``. ``load`` reads the file of ``save`` and continues
    from there; it raises SolveError and OSError.
    """

    @property
    def task(self) -> Task: ...
    def value(self) -> list[float]: ...
    @classmethod
    def load(cls, path: Path) -> Solver: ...


class _SolverClass(Protocol):
    def __call__(self, task: Task) -> Solver: ...
    def load(self, path: Path) -> Solver: ...


def is_holdem(game: Game) -> bool:
    """Return whether the cards are those of hold'em, whatever the betting."""
    return (game.suits, game.ranks, game.hole_cards, game.board_cards) == (4, 13, 2, (0, 3, 1, 1))


_HEADS_UP = ("strategy.blueprint.bucketed", "BucketedSolver")
_SAMPLING = ("strategy.three_player.cfr_three", "ThreeSolver")
_SMALL = ("strategy.cfr.solver", "SmallSolver")


def _solver_class(game: Game, variant: str) -> _SolverClass:
    """Import the module on demand: some load large tables."""
    module, name = _SMALL
    if is_holdem(game) and game.limit and game.players <= 3:
        module, name = _HEADS_UP if game.players == 2 and variant != "es-mccfr" else _SAMPLING
    return cast("_SolverClass", getattr(import_module(module), name))


def load_solver(game: Game, path: Path) -> Solver:
    """Return the solver in a file of this game. Raises SolveError, including ``other_game``, and OSError."""
    task = Task.from_header(read_header(path))
    if task.game.text() != game.text():
        raise SolveError("other_game", f"{path} is of {task.game.name}, or of another {game.name}")
    return _solver_class(game, task.variant).load(path)


def resume(task: Task, path: Path | None) -> Solver:
    """Return the solver in a file if it exists, else a new one. Raises SolveError, GameError and OSError."""
    if path is None or not path.exists():
        return _solver_class(task.game, task.variant)(task)
    stored = Task.from_header(read_header(path))
    for name in _SETTINGS:
        found, wanted = getattr(stored, name), getattr(task, name)
        if found != wanted and stored.game.text() == task.game.text():
            code = "other_variant" if name == "variant" else "other_setting"
            raise SolveError(code, f"{path} has {name} {found}, not {wanted}")
    return load_solver(task.game, path)


class TrainingProgress(NamedTuple):
    """The progress of a computation: iterations in all, seconds and CPU seconds of solving in this run, and
    the exploitability in chips if it was just computed.
    """

    iterations: int
    seconds: float
    cpu_seconds: float
    exploitability: float | None = None


ConvergenceCurve = list[TrainingProgress]
"""Progress so far; the last entry is the final one."""


def train(
    solver: Trainable,
    iterations: int,
    *,
    seconds: float | None = None,
    out: Path | None = None,
    on_progress: Callable[[TrainingProgress], None] = lambda _: None,
    report: ProgressCallback = no_progress,
) -> ConvergenceCurve:
    """Iterate up to ``iterations`` in all, or for ``seconds`` of solving; return the curve.

    Preparation comes first and does not count; ``report`` gets its progress. At the start, every half minute
    and at the end, even an early one, the solver is saved to ``out``. ``on_progress`` is called about four
    times a second. Both may stop the training with an exception; one that comes at another time, for example
    from a signal, keeps the last save.
    """
    now, curve = TrainingProgress(solver.iterations, 0.0, 0.0), []
    saved = evaluated = 0.0
    whole = False
    if out is not None and not out.exists():
        # Find out before the work whether the file is writable.
        solver.save(out)
    try:
        solver.prepare(report)
        for now in _iterate_in_chunks(solver, iterations, seconds):
            whole = True
            on_progress(now)
            if out is not None and now.seconds >= saved + _CHECKPOINT:
                solver.save(out)
                saved = now.seconds
            if now.seconds >= evaluated and solver.iterations < iterations:
                begin = time.perf_counter()
                curve.append(now._replace(exploitability=solver.exploitability()))
                on_progress(curve[-1])
                evaluated = now.seconds + max(1.0, (time.perf_counter() - begin) / _SHARE)
                if math.isnan(curve[-1].exploitability or 0):
                    # It will never be computed.
                    curve, evaluated = [], math.inf
            whole = False
        whole = True
    finally:
        # After an interruption within an iteration the sums are inconsistent: the last save is better.
        if out is not None and whole:
            solver.save(out)
    if not curve or curve[-1].iterations < now.iterations:
        curve.append(now._replace(exploitability=solver.exploitability()))
    return curve


def _iterate_in_chunks(
    solver: Trainable, iterations: int, seconds: float | None
) -> Iterator[TrainingProgress]:
    """Solve in chunks of about ``_CHUNK`` seconds, and yield after each."""
    spent = cpu = 0.0
    chunk = 1
    while solver.iterations < iterations and (seconds is None or spent < seconds):
        start, cpu_start = time.perf_counter(), time.process_time()
        solver.iterate(min(chunk, iterations - solver.iterations))
        took = time.perf_counter() - start
        spent += took
        cpu += time.process_time() - cpu_start
        yield TrainingProgress(solver.iterations, spent, cpu)
        chunk = max(1, min(2 * chunk, int(chunk * _CHUNK / max(took, 1e-9))))
