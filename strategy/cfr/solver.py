"""The solver of small games: any variant, any number of players, and its file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from strategy.cfr.files import SolveError, count_in, read_arrays, write_arrays
from strategy.cfr.response import exploitability, values
from strategy.cfr.small import Floats, SmallGame, push_fold_game, small_game
from strategy.cfr.training import VARIANTS, Task
from strategy.cfr.variants import TrainingTables, compile_nodes, iterate, match_regrets
from strategy.poker.kernels import State, rng
from strategy.progress import ProgressCallback

_KIND = "small"


class SmallSolver:
    """Solves a small game; see ``Solver``. Raises GameError and SolveError."""

    def __init__(self, task: Task) -> None:
        if task.variant not in VARIANTS:
            raise SolveError("bad_variant", f"variants are {', '.join(VARIANTS)}, not {task.variant!r}")
        if task.buckets:
            raise SolveError("bad_setting", f"{task.game.name} is solved as it is, without buckets")
        self.task = task
        self.iterations = 0
        self.game = push_fold_game(task.game, task.push_fold) if task.push_fold else small_game(task.game)
        self._nodes = compile_nodes(self.game)
        shape = self.game.shape
        self._sums = TrainingTables(np.zeros(shape), self._uniform(), np.zeros(shape))
        self._state: State = rng(task.game.text(), task.variant, task.seed)

    def _uniform(self) -> Floats:
        legal = self._nodes.legal[:, None, :]
        return np.repeat(legal / legal.sum(axis=2, keepdims=True), self.game.cards, axis=1)

    def prepare(self, report: ProgressCallback) -> None:
        """Compile."""
        self.iterate(0)

    def iterate(self, n: int) -> None:
        """Do ``n`` iterations."""
        iterate(self._nodes, self._sums, self.task.variant, self.iterations, n, self._state)
        self.iterations += n

    @property
    def strategy(self) -> Floats:
        """Return the average strategy, float64[decisions, cards, 3]; see ``average_strategy``."""
        return average_strategy(self.game, self._sums)

    def exploitability(self) -> float:
        """Return the exploitability of the average strategy, in chips."""
        return exploitability(self.game, self.strategy)

    def value(self) -> list[float]:
        """Return each position's result with the average strategy, in chips."""
        return [float(chips) for chips in values(self.game, self.strategy)]

    def save(self, path: Path) -> None:
        """Save all that is needed to continue. Raises OSError."""
        header = {"kind": _KIND, **self.task.header(), "iterations": self.iterations}
        arrays = {"regret": self._sums.regret, "current": self._sums.current, "average": self._sums.average}
        write_arrays(path, header, {**arrays, "state": self._state})

    @classmethod
    def load(cls, path: Path) -> SmallSolver:
        """Load a file of ``save``. Raises SolveError, GameError and OSError."""
        header, arrays = read_arrays(path)
        if header.get("kind") != _KIND:
            raise SolveError("other_game", f"{path} is not of a game that is solved deal by deal")
        solver = cls(Task.from_header(header))
        solver.iterations = count_in(header, "iterations")
        for name, target in (*solver._sums._asdict().items(), ("state", solver._state)):
            if name not in arrays or arrays[name].shape != target.shape:
                raise SolveError("wrong_file", f"{path} has no {name} of this game")
            target[...] = arrays[name]
        return solver


def average_strategy(game: SmallGame, sums: TrainingTables) -> Floats:
    """Return the average over all iterations; in unreached states the current strategy, never NaN."""
    legal = game.tree.child[game.tree.decisions] >= 0
    total = sums.average.sum(axis=2, keepdims=True)
    current = np.empty(game.shape)
    for row in range(game.shape[0]):
        match_regrets(sums.regret, legal, row, 0, game.cards, current)
    strategy: Floats = np.where(total > 0, sums.average / np.where(total > 0, total, 1), current)
    return strategy
