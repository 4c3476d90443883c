"""The three kinds of players that evolve (the document, chapter 3), many of a kind at once.

The genes of n players are one array, whose first axis is the players. Row 0 is crossed with row 1, row 2 with
row 3, and so on. Where the document is open or wrong there is a setting. The document's wording is the
default, except for evident errors: there the correct reading is, and the error is optional
(``mixes_raises_and_calls``, ``unclamped``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from strategy.pushfold.game import combinations
from strategy.pushfold.kernel import PushFoldTables
from strategy.pushfold.rankings import STRENGTH

Genes = NDArray[Any]
MOST = 10
"""The largest cap of a variable-cap player, in big blinds."""
_CELLS = 169


class PlayerKind(Protocol):
    """A kind of players. ``ranked``: each of its tables is a top percentage of ``STRENGTH``."""

    name: ClassVar[str]
    ranked: ClassVar[bool]

    def initialise(self, count: int, draw: Generator) -> Genes:
        """Return the genes of a first population (algorithm 1)."""
        ...

    def cross(self, genes: Genes, draw: Generator) -> Genes:
        """Return two children of each two parents; the number of rows is even."""
        ...

    def mutate(self, genes: Genes, draw: Generator) -> Genes:
        """Return the players with random changes."""
        ...

    def tables(self, genes: Genes, caps: Sequence[float]) -> PushFoldTables:
        """Return their tables at each of the caps."""
        ...


def top_tables(shares: Genes, caps: Sequence[float]) -> PushFoldTables:
    """Return tables that play top shares, from 0 to 1, of ``STRENGTH``: float64[n, 2], raise and call."""
    # As ``rankings.top_range``, for all at once.
    counts = combinations()[list(STRENGTH)]
    tables = np.empty((*shares.shape, _CELLS))
    tables[..., STRENGTH] = np.clip(
        (shares[..., None] * counts.sum() - np.cumsum(counts) + counts) / counts, 0, 1
    )
    return _spread(tables, caps)


def _spread(both: NDArray[np.float64], caps: Sequence[float]) -> PushFoldTables:
    """Repeat the tables [n, 2, 169] at every cap."""
    every = np.repeat(both[:, :, None], len(caps), axis=2)
    return PushFoldTables(np.ascontiguousarray(every[:, 0]), np.ascontiguousarray(every[:, 1]))


@dataclass(frozen=True)
class SimplePlayers:
    """Two shares from 0 to 1: the top share of hands to jam and to call (3.1). Genes: float64[n, 2].

    ``mutation``: the probability of a swap (algorithm 8). ``mixes_raises_and_calls``: crossover as in
    sections 2.7 and 3.1.3, which exchanges the raise of one with the call of the other, instead of algorithm
    7. ``jitter``: not in the document, whose players only ever recombine the first shares: the probability
    that a share moves by a normal number, of a size anywhere from 0.0001 to 0.1.
    """

    mutation: float = 0.01
    jitter: float = 0.0
    mixes_raises_and_calls: bool = False
    name: ClassVar[str] = "simple"
    ranked: ClassVar[bool] = True

    def initialise(self, count: int, draw: Generator) -> Genes:
        """Return uniform shares (algorithm 6)."""
        return draw.random((count, 2))

    def cross(self, genes: Genes, draw: Generator) -> Genes:
        """Exchange the calls (algorithm 7)."""
        children = genes.copy()
        fathers, mothers = children[::2], children[1::2]
        if self.mixes_raises_and_calls:
            fathers[:, 0], mothers[:, 1] = genes[1::2, 1], genes[::2, 0]
        else:
            fathers[:, 1], mothers[:, 1] = genes[1::2, 1], genes[::2, 1]
        return children

    def mutate(self, genes: Genes, draw: Generator) -> Genes:
        """Swap raise and call (algorithm 8)."""
        swapped = draw.random(len(genes)) < self.mutation
        genes = np.where(swapped[:, None], genes[:, ::-1], genes)
        moved = draw.random(genes.shape) < self.jitter
        steps = draw.standard_normal(genes.shape) * 10 ** draw.uniform(-4, -1, genes.shape)
        return np.clip(genes + moved * steps, 0, 1)

    def tables(self, genes: Genes, caps: Sequence[float]) -> PushFoldTables:
        """Return the tables of the best hands, the same at every cap."""
        return top_tables(genes, caps)


def _cross_cells(genes: Genes, chance: float, draw: Generator) -> Genes:
    """Exchange random cells of both tables with the other parent's (algorithm 10)."""
    fathers, mothers = genes[::2], genes[1::2]
    exchanged = draw.random(fathers.shape) < chance
    children = np.empty_like(genes)
    children[::2] = np.where(exchanged, mothers, fathers)
    children[1::2] = np.where(exchanged, fathers, mothers)
    return children


def _best_cells(count: int, value: int, draw: Generator) -> Genes:
    """Give the best hands, of uniform shares, the value and the others 0 (algorithms 9 and 12)."""
    shares = draw.random((count, 2))
    # A class is among the best if at least half of it is.
    best = np.stack(top_tables(shares, (1.0,)), axis=1)[:, :, 0] >= 0.5
    genes: Genes = (best * value).astype(np.int8)
    return genes


@dataclass(frozen=True)
class ComplexPlayers:
    """Two tables of zeros and ones: the hands to jam and to call (3.2). Genes: int8[n, 2, 169].

    ``crossing`` and ``mutation``: the probabilities per cell (pCross and pMut). ``flips``: not in the
    document, whose mutation keeps the number of hands: the probability that a cell changes.
    """

    crossing: float = 0.5
    mutation: float = 0.01
    flips: float = 0.0
    name: ClassVar[str] = "complex"
    ranked: ClassVar[bool] = False

    def initialise(self, count: int, draw: Generator) -> Genes:
        """Initialise like simple players (algorithm 9)."""
        return _best_cells(count, 1, draw)

    def cross(self, genes: Genes, draw: Generator) -> Genes:
        """Cross cell by cell (algorithm 10)."""
        return _cross_cells(genes, self.crossing, draw)

    def mutate(self, genes: Genes, draw: Generator) -> Genes:
        """Swap cells with any cell of the same table (algorithm 11)."""
        genes = genes.copy()
        for player, table, cell in np.argwhere(draw.random(genes.shape) < self.mutation):
            row = genes[player, table]
            other = draw.integers(_CELLS)
            row[cell], row[other] = row[other], row[cell]
        return np.where(draw.random(genes.shape) < self.flips, 1 - genes, genes).astype(np.int8)

    def tables(self, genes: Genes, caps: Sequence[float]) -> PushFoldTables:
        """Return the tables themselves, the same at every cap."""
        return _spread(genes.astype(np.float64), caps)


@dataclass(frozen=True)
class VariablePlayers:
    """Two tables of caps from 0 to 10: the largest stack at which to jam and to call each hand (3.3).

    Genes: int8[n, 2, 169]. ``crossing`` and ``mutation``: the probabilities per cell. ``unclamped``: mutation
    as in algorithm 13, which lets caps leave 0..10.
    """

    crossing: float = 0.5
    mutation: float = 0.01
    unclamped: bool = False
    name: ClassVar[str] = "variable"
    ranked: ClassVar[bool] = False

    def initialise(self, count: int, draw: Generator) -> Genes:
        """Give the best hands a cap of 10, the others 0 (algorithm 12)."""
        return _best_cells(count, MOST, draw)

    def cross(self, genes: Genes, draw: Generator) -> Genes:
        """Cross cell by cell (algorithm 10, 3.3.3)."""
        return _cross_cells(genes, self.crossing, draw)

    def mutate(self, genes: Genes, draw: Generator) -> Genes:
        """Move cells by -2 to 2 (algorithm 13)."""
        moved = draw.random(genes.shape) < self.mutation
        # Wide enough not to overflow where nothing is clamped.
        found = genes.astype(np.int64) + moved * draw.integers(-2, 3, genes.shape)
        low, high = (-128, 127) if self.unclamped else (0, MOST)
        clamped: Genes = np.clip(found, low, high).astype(np.int8)
        return clamped

    def tables(self, genes: Genes, caps: Sequence[float]) -> PushFoldTables:
        """Return tables that play each hand up to its cap."""
        plays = (genes[:, :, None, :] >= np.array(caps)[:, None]).astype(np.float64)
        return PushFoldTables(np.ascontiguousarray(plays[:, 0]), np.ascontiguousarray(plays[:, 1]))
