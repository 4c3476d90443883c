"""Limit hold'em for two or three players by external sampling: what is trained, kept and played.

Betting is the graph of ``strategy.cfr.graph``, cards are the class before the flop and the outlook after it
(``strategy.cfr.outlook``), neither with perfect recall. How much such a strategy could lose at most is not
known: with three players there is no way to tell, and a best response would have to remember everything.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dealer.rules.errors import GameError
from strategy.cfr.files import Arrays, SolveError, read_arrays, write_arrays
from strategy.cfr.graph import BettingGraph, compile_graph
from strategy.cfr.holdem_deals import HoldemDeals
from strategy.cfr.outlook_tables import make_outlooks, make_states
from strategy.cfr.sampling import Floats, Sampler
from strategy.cfr.training import Task, is_holdem

__all__ = ["SHAPE", "TREMBLE", "ThreeSolver"]

SHAPE = ((40, 5), (40, 4), (100, 1))
"""Rows and columns of card states on flop, turn and river."""

TREMBLE = 0.02
_HANDS = 200_000
# Of an estimate of the value: a standard error of some 0.1 chips at blinds of 5 and 10.


class ThreeSolver:
    """A solver (``strategy.cfr.training.Solver``) of limit hold'em for three players, or for two; one
    iteration is one deal.

    Making one takes some twenty seconds, for the outlook of every hand on every board, and a gigabyte for a
    while. Raises GameError ``unsolvable_game``, SolveError ``bad_variant`` and ``bad_setting``.
    """

    def __init__(self, task: Task) -> None:
        game = task.game
        if not is_holdem(game) or not game.limit or game.players > 3:
            raise GameError("unsolvable_game", f"{game.name}: sampling is for limit hold'em, 2 or 3 players")
        if task.variant != "es-mccfr":
            raise SolveError("bad_variant", f"{game.name} is solved by es-mccfr only, not {task.variant}")
        if task.buckets or task.push_fold:
            raise SolveError("bad_setting", "the card states of es-mccfr are given, and nobody is all-in")
        self.task = task
        self.graph: BettingGraph = compile_graph(game)
        self.cuts, table = make_states(make_outlooks(), SHAPE, task.seed)
        flop, turn, river = (cuts.states for cuts in self.cuts)
        deals = HoldemDeals(game.players, table, (flop, turn, river))
        self._sampler = Sampler(self.graph, deals, task.seed, tremble=TREMBLE)

    @property
    def iterations(self) -> int:
        """Deals from which everybody has learned."""
        return self._sampler.done

    def iterate(self, n: int) -> None:
        """Learn from so many more deals; see ``Sampler.run``."""
        self._sampler.run(n)

    def exploitability(self) -> float:
        """Not known: NaN."""
        return math.nan

    def value(self) -> list[float]:
        """Chips a hand of each position when all play the average strategy, from a fixed sample of hands."""
        return [float(one) for one in self.play(self.policy(), _HANDS).mean(axis=0)]

    def play(self, policy: Floats, hands: int) -> NDArray[np.float64]:
        """What each position wins in a fixed sample of hands, float64[hands, players], when all play this
        strategy, which has the rows of ``policy``.
        """
        return self._sampler.values(policy, hands, self.task.seed)

    def policy(self) -> Floats:
        """The average strategy, float32[rows, 3]; ``rows_of`` tells which row is which."""
        return self._sampler.policy()

    def save(self, path: Path) -> None:
        """Keep everything; see ``strategy.cfr.files``."""
        sampler = self._sampler
        arrays: Arrays = {"random": sampler.random, "table": sampler.table}
        write_arrays(path, {**self.task.header(), "deals": self.iterations, "shape": SHAPE}, arrays)

    @classmethod
    def load(cls, path: Path) -> ThreeSolver:
        """What ``save`` wrote, to go on with. Raises SolveError and OSError."""
        header, arrays = read_arrays(path)
        solver = cls(Task.from_header(header))
        sampler = solver._sampler
        kept = {name: array.shape for name, array in arrays.items()}
        wanted = {name: getattr(sampler, name).shape for name in ("random", "table")}
        if kept != wanted or header.get("shape") != [list(one) for one in SHAPE]:
            raise SolveError("wrong_file", f"{path} was made with other card states")
        sampler.done = int(header["deals"])
        sampler.random, sampler.table = arrays["random"], arrays["table"]
        return solver
