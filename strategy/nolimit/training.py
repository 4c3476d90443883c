"""Training of no-limit strategies that can be stopped and continued, and their files.

A file is one of ``strategy.cfr.files`` with the arrays ``regrets`` and ``sums`` of ``Table``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dealer.rules.errors import GameError
from dealer.rules.games import Game, holdem, parse_game
from strategy.cfr.files import Arrays, SolveError, count_in, read_arrays, read_header, write_arrays
from strategy.cfr.training import TrainingProgress, is_holdem
from strategy.nolimit.boards import all_boards
from strategy.nolimit.holdem import ClusterDeals
from strategy.nolimit.sampling import BATCH, Table
from strategy.nolimit.small import SmallDeals
from strategy.nolimit.tree import BettingTree, betting_tree, parse_menu
from strategy.progress import ProgressCallback

CARDS = ("exact", "strength", "clusters")
"""Card states: all cards up to swapped suits; the same, but on the last street the hand's strength alone; or
``strategy.nolimit.holdem``, for hold'em.
"""

HOLDEM_MENU = "0.5 1 a,1 a,1 a,a/0.5 1 a,1 a,a/0.5 1 a,1 a,a/0.5 1 a,1 a,a"
SMALL_MENU = "1/1/1/1"


@dataclass(frozen=True, slots=True)
class NoLimitTask:
    """What is trained: a game, the text of a menu, card states out of ``CARDS``, and the random seed."""

    game: Game
    menu: str
    cards: str = "strength"
    seed: int = 0

    def header(self) -> dict[str, Any]:
        """Return the task as JSON."""
        settings = {name: getattr(self, name) for name in ("menu", "cards", "seed")}
        return {"method": "nolimit", "game": self.game.text(), "name": self.game.name, **settings}

    @classmethod
    def from_header(cls, header: dict[str, Any]) -> NoLimitTask:
        """Return the task of a file. Raises SolveError ``wrong_file``."""
        try:
            if header["method"] != "nolimit":
                raise KeyError(header["method"])
            game = parse_game(header["game"], header["name"])
            return cls(game, header["menu"], header["cards"], header["seed"])
        except (KeyError, TypeError, GameError) as error:
            raise SolveError("wrong_file", f"not a file of train nolimit: {error}") from error


def progress_text(
    solver: NoLimitSolver, now: TrainingProgress, iterations: int | None, seconds: float | None
) -> str:
    """Return how fast the training is, and what is left until ``iterations`` in all or for ``seconds``."""
    rate = (now.iterations - solver.started) / max(now.seconds, 1e-9)
    left = [] if iterations is None else [(iterations - now.iterations) / max(rate, 1e-9)]
    left += [] if seconds is None else [seconds - now.seconds]
    visits = rate * solver.table.visits / max(1, solver.iterations)
    text = f"{visits / 1e6:.1f} million decisions a second"
    return f"{text}, {max(0, min(left)) / 60:.0f} min left" if left else text


def training_lines(result: dict[str, Any]) -> list[str]:
    """Return a result as text: ``NoLimitSolver.facts`` and the seconds."""
    return [
        f"{result['name']}, {result['menu']}, {result['cards']}",
        f"{'batches':<20}{result['iterations']:,} of {BATCH:,} deals",
        f"{'decisions':<20}{result['visits']:,}",
        f"{'solving':<20}{result['seconds']:.2f} s",
    ]


def holdem_task(depth: int, menu: str | None = None, seed: int = 0) -> NoLimitTask:
    """Return the task of heads-up hold'em with stacks of ``depth`` big blinds."""
    return NoLimitTask(holdem(2, 50, 100, stack=100 * depth), menu or HOLDEM_MENU, "clusters", seed)


def _deals_of(task: NoLimitTask) -> SmallDeals | ClusterDeals:
    if task.cards != "clusters":
        return SmallDeals(all_boards(task.game), by_strength=task.cards == "strength")
    if not is_holdem(task.game):
        raise SolveError("bad_setting", f"{task.game.name}: clusters are for hold'em")
    return ClusterDeals(task.seed)


class NoLimitSolver:
    """A ``strategy.cfr.training.Trainable`` of sampled batches; ``workers`` threads change nothing but time.

    Raises SolveError ``bad_setting``, MenuError and GameError.
    """

    def __init__(self, task: NoLimitTask, workers: int = 1) -> None:
        if task.cards not in CARDS:
            raise SolveError("bad_setting", f"card states are one of {', '.join(CARDS)}")
        self.task, self.workers = task, workers
        self.tree: BettingTree = betting_tree(task.game, parse_menu(task.menu, task.game.rounds))
        self.deals = _deals_of(task)
        self.table = Table(self.tree, self.deals, task.seed)
        self.started = 0

    @property
    def iterations(self) -> int:
        """Batches done."""
        return self.table.batches

    def prepare(self, report: ProgressCallback) -> None:
        """Compile what training needs."""
        if isinstance(self.deals, ClusterDeals):
            self.deals.prepare(report)
        report("compiling", 0.0)
        Table(self.tree, self.deals, self.task.seed).run(1)

    def iterate(self, n: int) -> None:
        """Do ``n`` batches."""
        self.table.run(n, self.workers)

    def facts(self) -> dict[str, Any]:
        """Return what was trained and how long, by the names in JSON."""
        counts = {"iterations": self.table.batches, "visits": self.table.visits}
        return {name: value for name, value in self.task.header().items() if name != "game"} | counts

    def exploitability(self) -> float:
        """Return NaN: it takes too long to be computed during training."""
        return math.nan

    def save(self, path: Path) -> None:
        """Write the file. Raises OSError."""
        counts = {"batches": self.table.batches, "visits": self.table.visits}
        arrays: Arrays = {"regrets": self.table.regrets, "sums": self.table.sums}
        write_arrays(path, self.task.header() | counts, arrays)

    @classmethod
    def load(cls, path: Path, workers: int = 1) -> NoLimitSolver:
        """Return the solver of a file. Raises SolveError and OSError."""
        header, arrays = read_arrays(path)
        solver = cls(NoLimitTask.from_header(header), workers)
        table = solver.table
        for name, kind in (("regrets", np.int32), ("sums", np.int64)):
            if name not in arrays or arrays[name].shape != (table.layout.size,) or arrays[name].dtype != kind:
                raise SolveError("wrong_file", f"{path} does not fit its game and menu")
            setattr(table, name, arrays[name])
        table.batches, table.visits = count_in(header, "batches"), count_in(header, "visits")
        solver.started = table.batches
        return solver


def resume_nolimit(task: NoLimitTask, path: Path | None, workers: int = 1) -> NoLimitSolver:
    """Return the solver in a file if it exists, else a new one.

    Raises SolveError ``other_game`` or ``other_setting`` if the file has another task, and as ``load``.
    """
    if path is None or not path.exists():
        return NoLimitSolver(task, workers)
    stored = NoLimitTask.from_header(read_header(path))
    for name in ("game", "menu", "cards", "seed"):
        if getattr(stored, name) != getattr(task, name) and (
            name != "game" or stored.game.text() != task.game.text()
        ):
            code = "other_game" if name == "game" else "other_setting"
            raise SolveError(code, f"{path} has {name} {getattr(stored, name)}, not {getattr(task, name)}")
    return NoLimitSolver.load(path, workers)
