"""The initialisers, crossovers and mutations that the document has tried and given up (chapter 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from strategy.evolution.players import MOST, ComplexPlayers, Genes, PlayerKind, SimplePlayers, VariablePlayers
from studies.funke.document import EQUILIBRIUM


@dataclass(frozen=True)
class RandomCells(ComplexPlayers):
    """3.2.2: every cell begins as a random 0 or 1."""

    def initialise(self, count: int, draw: Generator) -> Genes:
        """Return the genes of a first population."""
        return draw.integers(0, 2, (count, 2, 169)).astype(np.int8)


@dataclass(frozen=True)
class OnePoint(ComplexPlayers):
    """3.2.3: the usual crossover of matrices; all cells from a random one on are exchanged."""

    def cross(self, genes: Genes, draw: Generator) -> Genes:
        """Return two children of each two parents."""
        fathers, mothers = genes[::2], genes[1::2]
        exchanged = np.arange(169) >= draw.integers(0, 170, (len(fathers), 2, 1))
        children = np.empty_like(genes)
        children[::2] = np.where(exchanged, mothers, fathers)
        children[1::2] = np.where(exchanged, fathers, mothers)
        return children


@dataclass(frozen=True)
class RandomCaps(VariablePlayers):
    """3.3.2: every cap begins as one of 1 to 10."""

    def initialise(self, count: int, draw: Generator) -> Genes:
        """Return the genes of a first population."""
        return draw.integers(1, MOST + 1, (count, 2, 169)).astype(np.int8)


@dataclass(frozen=True)
class OneCap(VariablePlayers):
    """3.3.2, second attempt: the best r % and c % of hands begin with one random cap of 1 to 10 for each
    table.
    """

    def initialise(self, count: int, draw: Generator) -> Genes:
        """Return the genes of a first population."""
        genes = super().initialise(count, draw)
        return np.where(genes > 0, draw.integers(1, MOST + 1, (count, 2, 1)), 0).astype(np.int8)


@dataclass(frozen=True)
class AnyCap(VariablePlayers):
    """3.3.4: a cap that mutates becomes any of 1 to 10."""

    def mutate(self, genes: Genes, draw: Generator) -> Genes:
        """Return the players with random changes."""
        moved = draw.random(genes.shape) < self.mutation
        return np.where(moved, draw.integers(1, MOST + 1, genes.shape), genes).astype(np.int8)


@dataclass(frozen=True)
class WithEquilibrium(SimplePlayers):
    """Simple players, one of whom begins as 57/37."""

    def initialise(self, count: int, draw: Generator) -> Genes:
        """Return the genes of a first population."""
        genes = super().initialise(count, draw)
        genes[0] = np.array(EQUILIBRIUM) / 100
        return genes


ABANDONED: dict[str, type[ComplexPlayers | VariablePlayers]] = {
    "random-cells": RandomCells,
    "one-point": OnePoint,
    "random-caps": RandomCaps,
    "one-cap": OneCap,
    "any-cap": AnyCap,
}

VARIANTS: dict[str, Callable[..., PlayerKind]] = {**ABANDONED, "equilibrium": WithEquilibrium}
"""All players that are not the usual ones."""
