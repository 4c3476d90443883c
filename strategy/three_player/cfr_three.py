"""Limit hold'em for two or three players by external sampling: training, files and play.

Betting is the graph of ``strategy.cfr.graph``. Cards are the class before the flop; after it, a state by
strength moments (``strategy.poker.strength_moments``) or a cluster (``strategy.abstraction.clusters``), all
with imperfect recall. The exploitability of such a strategy is unknown: with three players it cannot be
computed, and a best response would need perfect recall.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dealer.rules.errors import GameError
from strategy.abstraction.cluster_tables import MAX_CLUSTERS, cluster_sizes, make_cluster_states
from strategy.abstraction.holdem_deals import PREFLOP_STATES, HoldemDeals
from strategy.abstraction.moment_tables import StateTable, make_moment_tables, make_states
from strategy.cfr.files import Arrays, SolveError, count_in, read_arrays, write_arrays
from strategy.cfr.graph import BettingGraph, compile_graph
from strategy.cfr.sampling import Batch, Floats, Sampler
from strategy.cfr.training import Task, is_holdem
from strategy.poker.kernels import State
from strategy.poker.strength_moments import CardAbstraction, Slices
from strategy.progress import ProgressCallback, no_progress

SHAPE = ((40, 5), (40, 4), (100, 1))
"""Rows and columns of card states on flop, turn and river."""

TREMBLE = 0.02
_HANDS = 200_000
# Hands for an estimate of the value: a standard error of about 0.1 chips at blinds of 5 and 10.


class _LazyDeals:
    """Deals whose card states are computed on first use."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._made: tuple[CardAbstraction, HoldemDeals] | None = None
        wanted = task.buckets
        flop, turn, river = cluster_sizes(wanted) if wanted else (rows * columns for rows, columns in SHAPE)
        self.sizes = (PREFLOP_STATES, flop, turn, river)
        # From a file.
        self.shape = [wanted] if wanted else [list(one) for one in SHAPE]

    def prepare(self, report: ProgressCallback = no_progress) -> tuple[CardAbstraction, HoldemDeals]:
        if self._made is None:
            cards, table = self._make_states(report)
            self._made = cards, HoldemDeals(self._task.game.players, table, self.sizes[1:])
        return self._made

    def _make_states(self, report: ProgressCallback) -> tuple[CardAbstraction, StateTable]:
        if self._task.buckets:
            return make_cluster_states(cluster_sizes(self._task.buckets), self._task.seed, report)
        cuts, table = make_states(make_moment_tables(report), SHAPE, self._task.seed, report)
        return Slices(tuple(cuts)), table

    def batch(self, state: State, count: int) -> Batch:
        """See ``strategy.cfr.sampling.DealSource``."""
        return self.prepare()[1].batch(state, count)


class ThreeSolver:
    """A solver (``strategy.cfr.training.Solver``) of limit hold'em for three players, or for two; an
    iteration is one deal.

    ``task.buckets`` is the number of clusters per street (``strategy.abstraction.clusters``); if it is 0,
    hands are cut by their strength moments into ``SHAPE``. The states of all hands on all boards are computed
    on first use: about twenty seconds, clusters a minute or two, and temporarily a gigabyte. Raises GameError
    ``unsolvable_game``, SolveError ``bad_variant`` and ``bad_setting``.
    """

    def __init__(self, task: Task) -> None:
        game = task.game
        if not is_holdem(game) or not game.limit or game.players > 3:
            raise GameError("unsolvable_game", f"{game.name}: sampling is for limit hold'em, 2 or 3 players")
        if task.variant != "es-mccfr":
            raise SolveError("bad_variant", f"{game.name} is solved by es-mccfr only, not {task.variant}")
        if task.push_fold:
            raise SolveError("bad_setting", f"{game.name}: push/fold is for no-limit games")
        if task.buckets and not 2 <= task.buckets <= MAX_CLUSTERS:
            raise SolveError("bad_setting", f"es-mccfr takes 2 to {MAX_CLUSTERS} clusters a street")
        self.task = task
        self.graph: BettingGraph = compile_graph(game)
        self._deals = _LazyDeals(task)
        self._sampler = Sampler(self.graph, self._deals, task.seed, tremble=TREMBLE)

    @property
    def cards(self) -> CardAbstraction:
        """Return the mapping of hands to card states."""
        return self._deals.prepare()[0]

    @property
    def iterations(self) -> int:
        """Return the number of deals from which all players have learned."""
        return self._sampler.done

    def prepare(self, report: ProgressCallback) -> None:
        """Compute the card states, and compile."""
        self._deals.prepare(report)
        self._sampler.run(0)

    def iterate(self, n: int) -> None:
        """Learn from ``n`` more deals; see ``Sampler.run``."""
        self._sampler.run(n)

    def exploitability(self) -> float:
        """Return NaN: unknown."""
        return math.nan

    def value(self) -> list[float]:
        """Return each position's chips per hand if all play the average strategy, from a fixed sample of
        hands.
        """
        return [float(one) for one in self.play(self.policy(), _HANDS).mean(axis=0)]

    def play(self, policy: Floats, hands: int) -> NDArray[np.float64]:
        """Return each position's results in a fixed sample of hands, float64[hands, players], if all play
        this strategy, whose rows are those of ``policy``.
        """
        return self._sampler.values(policy, hands, self.task.seed)

    def policy(self) -> Floats:
        """Return the average strategy, float32[rows, 3]; see ``rows_of`` for the rows."""
        return self._sampler.policy()

    def save(self, path: Path) -> None:
        """Save everything; see ``strategy.cfr.files``."""
        arrays: Arrays = {"random": self._sampler.random, "table": self._sampler.table}
        header = {**self.task.header(), "deals": self.iterations, "shape": self._deals.shape}
        write_arrays(path, header, arrays)

    @classmethod
    def load(cls, path: Path) -> ThreeSolver:
        """Load a file of ``save`` to continue from it. Raises SolveError and OSError."""
        header, arrays = read_arrays(path)
        solver = cls(Task.from_header(header))
        sampler = solver._sampler
        shapes = {name: array.shape for name, array in arrays.items()}
        wanted = {name: getattr(sampler, name).shape for name in ("random", "table")}
        if shapes != wanted or header.get("shape") != solver._deals.shape:
            raise SolveError("wrong_file", f"{path} was made with other card states")
        sampler.done = count_in(header, "deals")
        sampler.random, sampler.table = arrays["random"], arrays["table"]
        return solver
