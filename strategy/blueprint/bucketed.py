"""Heads-up limit hold'em with cards in buckets, solved in vectors: all card states of a node at once.

At a terminal node a player's values are the product of a matrix, of deals or of wins
(``strategy.abstraction.deals``), with the opponent's reach probabilities; all terminals of a street take one
multiplication. Each iteration updates the regrets of one player, then of the other (alternating updates). A
best response within the abstraction takes one such pass with maxima instead of means, and is exact.

Variants: ``cfr`` (Zinkevich et al. 2007), ``cfr+`` (Tammelin 2014: regrets never below 0, averages weighted
by the number of the iteration), ``dcfr`` (Brown and Sandholm 2019, alpha 1.5, beta 0, gamma 2).
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import numpy as np

from strategy.abstraction.abstraction import SHIPPED, load_abstraction
from strategy.abstraction.deals import DealCounts, count_sampled_deals
from strategy.cfr.files import SolveError, count_in, read_arrays, write_arrays
from strategy.cfr.training import Task, is_holdem
from strategy.cfr.tree import BettingTree, compile_tree
from strategy.cfr.vectors import BEST, EXPECT, LEARN, Vectors, backward, forward, make_layout, normalise
from strategy.progress import ProgressCallback, no_progress

_VARIANTS = ("cfr", "cfr+", "dcfr")
_KIND = "heads-up hold'em in buckets"
_MAX_SLOTS = 1 << 28
"""Maximum size of a strategy in numbers: with regrets, averages and two sets of vectors about 4 GB."""


class BucketedGame:
    """A two-player betting tree over card states: the values of strategies, in chips per hand.

    A strategy is float32[slots] in the order of ``layout``; it need not be normalised. ``buckets`` are the
    numbers of card states per street, each a multiple of the one before. The rows of ``deals`` are player 0's
    states, the columns player 1's; they are alike only where both can hold the same hands.
    """

    def __init__(self, tree: BettingTree, buckets: tuple[int, ...], deals: DealCounts) -> None:
        self.tree, self.buckets = tree, buckets
        self.layout, self._ends = make_layout(tree, buckets)
        total = deals.counts.sum()
        counts = deals.counts / total
        # By player 1's states and then by player 0's, for multiplication from the right.
        self._chances: list[Vectors] = [
            counts.T.reshape(states, len(counts) // states, states, -1).sum(axis=(1, 3)).astype(np.float32)
            for states in buckets
        ]
        self._wins = np.ascontiguousarray((deals.wins / total).T, np.float32)
        self._reach, self._values = (np.zeros(self.layout.size, np.float32) for _ in range(2))

    def learn(
        self,
        player: int,
        regrets: Vectors,
        averages: Vectors,
        weight: float,
        keep: tuple[float, float, float],
    ) -> None:
        """Update the player's regrets and, with this weight, the opponent's average."""
        forward(self.layout, regrets, 1 - player, self._reach, averages, weight)
        self._evaluate_terminals(player)
        backward(self.layout, regrets, player, self._values, LEARN, keep)

    def values(self, strategy: Vectors) -> tuple[float, float]:
        """Return the value of ``strategy`` for each player if both play it."""
        return self._strategy_value(strategy, 0, EXPECT), self._strategy_value(strategy, 1, EXPECT)

    def best_responses(self, strategy: Vectors) -> tuple[float, float]:
        """Return the value of each player's best response to ``strategy``."""
        return self._strategy_value(strategy, 0, BEST), self._strategy_value(strategy, 1, BEST)

    def exploitability(self, strategy: Vectors) -> float:
        """Return the value of a best response, averaged over both positions."""
        return sum(self.best_responses(strategy)) / 2

    def _strategy_value(self, strategy: Vectors, player: int, mode: int) -> float:
        forward(self.layout, strategy, 1 - player, self._reach, strategy, 0.0)
        self._evaluate_terminals(player)
        backward(self.layout, strategy, player, self._values, mode, (1.0, 1.0, 0.0))
        start = self.layout.at[0]
        return float(self._values[start : start + self.layout.width[0]].sum(dtype=np.float64))

    def _evaluate_terminals(self, player: int) -> None:
        for ends, chances in zip(self._ends, self._chances, strict=True):
            rows = ends.showdowns + ends.folds
            here = slice(ends.start, ends.start + rows * ends.width)
            reach, values = (one[here].reshape(rows, ends.width) for one in (self._reach, self._values))
            if ends.showdowns:
                shown = values[: ends.showdowns]
                np.matmul(reach[: ends.showdowns], self._wins if player == 0 else self._wins.T, out=shown)
                if player == 1:
                    np.negative(shown, out=shown)
            folded = values[ends.showdowns :]
            np.matmul(reach[ends.showdowns :], chances if player == 0 else chances.T, out=folded)


def iteration_weights(variant: str, now: int) -> tuple[float, tuple[float, float, float]]:
    """Return an iteration's strategy weight, and the kept parts of regrets; see ``BucketedGame.learn``."""
    if variant == "cfr":
        return 1.0, (1.0, 1.0, -np.inf)
    if variant == "cfr+":
        return float(now), (1.0, 1.0, 0.0)
    before = (now - 1) ** 1.5
    return float(now) ** 2, (before / (before + 1), 0.5, -np.inf)


class BucketedSolver:
    """Counterfactual regret minimisation in a ``BucketedGame``: a ``strategy.cfr.training.Solver``.

    ``task.buckets`` is the abstraction's ``k``, 5 where it is 0; ``task.seed`` that of the deals. Raises
    SolveError ``unsolvable_game``, ``bad_variant`` and ``bad_setting``, GameError ``tree_too_large``.
    """

    def __init__(self, task: Task, deals: DealCounts | None = None) -> None:
        if task.variant not in _VARIANTS:
            raise SolveError(
                "bad_variant", f"heads-up hold'em is solved by {', '.join(_VARIANTS)}, not by {task.variant}"
            )
        k = task.buckets or SHIPPED[0]
        if k not in SHIPPED:
            raise SolveError("bad_setting", f"there are tables for {' and '.join(map(str, SHIPPED))} buckets")
        game = task.game
        if task.push_fold:
            raise SolveError("unsolvable_game", f"{game.name}: push/fold is for no-limit games")
        if game.players != 2 or not game.limit or not is_holdem(game):
            raise SolveError("unsolvable_game", f"{game.name} is not heads-up limit hold'em")
        self.task, self.iterations, self.abstraction = task, 0, load_abstraction(k)
        self.tree = compile_tree(game)
        layout, _ = make_layout(self.tree, self.abstraction.buckets)
        if layout.slots > _MAX_SLOTS:
            raise SolveError("unsolvable_game", f"{game.name} is too large for {k} buckets")
        self._deals = deals
        self._regrets, self._averages = (np.zeros(layout.slots, np.float32) for _ in range(2))

    @property
    def deals(self) -> DealCounts:
        """Return the deals; sample them on first use."""
        return self._sample_deals(no_progress)

    def _sample_deals(self, report: ProgressCallback) -> DealCounts:
        if self._deals is None:
            self._deals = count_sampled_deals(self.abstraction, seed=self.task.seed, report=report)
        return self._deals

    @cached_property
    def game(self) -> BucketedGame:
        """Return the abstract game."""
        return BucketedGame(self.tree, self.abstraction.buckets, self.deals)

    def prepare(self, report: ProgressCallback) -> None:
        """Sample the deals and compile."""
        self._sample_deals(report)
        nothing = np.zeros_like(self._regrets)
        self.game.learn(0, nothing, nothing, 0.0, (1.0, 1.0, 0.0))

    def iterate(self, n: int) -> None:
        """Do ``n`` more iterations."""
        for _ in range(n):
            self.iterations += 1
            weight, keep = iteration_weights(self.task.variant, self.iterations)
            for player in (0, 1):
                self.game.learn(player, self._regrets, self._averages, weight, keep)

    def average(self) -> Vectors:
        """Return the average strategy, float32[slots]; where it was never reached, the one from the last
        regrets.
        """
        return normalise(self.game.layout, self._averages, self._regrets)

    def exploitability(self) -> float:
        """Return the exploitability of the average strategy within the abstraction, chips/hand, mean of both
        positions.
        """
        return self.game.exploitability(self.average())

    def value(self) -> list[float]:
        """Return each position's value if both play the average strategy, in chips per hand."""
        return list(self.game.values(self.average()))

    def save(self, path: Path) -> None:
        """Save everything, including the deals. Raises OSError."""
        deals = {} if self._deals is None else self._deals._asdict()
        write_arrays(
            path,
            {"solver": _KIND, "iterations": self.iterations, **self.task.header()},
            {"regrets": self._regrets, "averages": self._averages, **deals},
        )

    @classmethod
    def load(cls, path: Path) -> BucketedSolver:
        """Load a file of ``save``. Raises SolveError ``wrong_file`` or ``damaged_file``, and OSError."""
        header, arrays = read_arrays(path)
        if header.get("solver") != _KIND:
            raise SolveError("wrong_file", f"{path} is not of heads-up hold'em in buckets")
        solver = cls(Task.from_header(header))
        slots, states = len(solver._regrets), solver.abstraction.buckets[-1]
        wanted: dict[str, tuple[int, ...]] = {"regrets": (slots,), "averages": (slots,)}
        if len(arrays) > len(wanted):
            wanted |= {"counts": (states, states), "wins": (states, states)}
        if {name: array.shape for name, array in arrays.items()} != wanted:
            raise SolveError("wrong_file", f"{path} does not fit its own game")
        if "counts" in arrays:
            solver._deals = DealCounts(arrays["counts"], arrays["wins"])
        solver._regrets, solver._averages = arrays["regrets"], arrays["averages"]
        solver.iterations = count_in(header, "iterations")
        return solver
