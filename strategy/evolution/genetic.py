"""The genetic algorithm (the document, chapter 2): repeatedly score, scale, select, cross and mutate.

The loop is a few lines over arrays: a library would call Python for every player and hide the draws.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from strategy.evolution.players import Genes, PlayerKind
from strategy.evolution.tournaments import PopulationScorer

Floats = NDArray[np.float64]

SCALES = ("shift", "as_printed", "window", "rank")
"""Kinds of scaling from scores to selection probabilities.

* ``shift``: algorithm 4 as its text means it, ``c - min(0, all c)``
* ``as_printed``: algorithm 4 as printed, ``c + min(0, all c)``, which makes negative scores more negative;
  values that are not above 0 are never selected, unless none is
* ``window``: ``c - min(all c)``, which also separates players who all win
* ``rank``: the order of the scores instead of the scores; the best has twice the probability of the middle
"""
_LEAST = 1e-9


class Generation(NamedTuple):
    """A scored population. ``best``: the player with the most ``points``; ``hands``: the number simulated for
    the scores.
    """

    number: int
    genes: Genes
    points: Floats
    best: int
    hands: int


@dataclass(frozen=True)
class GeneticSettings:
    """``size`` players; the best ``elite`` survive; two parents are crossed with the probability
    ``crossover``.

    It ends after ``generations``, or when the highest score is stable (2.9): its mean over the last
    ``patience`` generations is within ``tolerance``, in big blinds per 100 hands, of the mean over as many
    before.
    """

    size: int = 30
    generations: int = 200
    elite: int = 0
    crossover: float = 0.9
    scale: str = "shift"
    patience: int = 20
    tolerance: float = 0.05


def scale(points: Floats, kind: str = "shift") -> Floats:
    """Scale scores (algorithm 4): return fitness, none negative and at least one above 0."""
    fitness: Floats
    if kind == "rank":
        order = np.empty(len(points))
        order[np.argsort(points, kind="stable")] = np.arange(1, len(points) + 1)
        return order
    least = points.min() if kind == "window" else min(0.0, points.min())
    if kind == "as_printed":
        fitness = np.maximum(points + least, 0)
        return fitness if fitness.any() else np.ones(len(points))
    # The roulette wheel needs a value above 0, which the worst player would not have.
    fitness = points - least + _LEAST
    return fitness


def roulette(fitness: Floats, count: int, draw: Generator) -> NDArray[np.int64]:
    """Return the indices of the selected, each with a probability in proportion to its fitness (2.6)."""
    ends = np.cumsum(fitness)
    chosen = np.searchsorted(ends, draw.random(count) * ends[-1], side="right")
    indices: NDArray[np.int64] = np.minimum(chosen, len(fitness) - 1)
    return indices


def evolve(
    players: PlayerKind,
    scorer: PopulationScorer,
    settings: GeneticSettings,
    caps: tuple[float, ...],
    draw: Generator,
) -> Iterator[Generation]:
    """Run algorithm 5: yield each generation as soon as it is scored. All randomness comes from ``draw``."""
    genes = players.initialise(settings.size, draw)
    highest: list[float] = []
    for number in range(settings.generations):
        points, hands = scorer.score(players.tables(genes, caps), draw)
        best = int(points.argmax())
        yield Generation(number, genes, points, best, hands)
        highest.append(float(points[best]))
        if _has_converged(highest, settings):
            return
        genes = _children(players, genes, points, settings, draw)


def _has_converged(highest: list[float], settings: GeneticSettings) -> bool:
    if len(highest) < 2 * settings.patience:
        return False
    before, after = np.array(highest[-2 * settings.patience :]).reshape(2, -1).mean(axis=1)
    return bool(abs(after - before) <= settings.tolerance)


def _children(
    players: PlayerKind, genes: Genes, points: Floats, settings: GeneticSettings, draw: Generator
) -> Genes:
    size = len(genes)
    parents = genes[roulette(scale(points, settings.scale), size + size % 2, draw)]
    crossed = draw.random(len(parents) // 2) < settings.crossover
    both = np.repeat(crossed, 2).reshape(-1, *[1] * (parents.ndim - 1))
    children = players.mutate(np.where(both, players.cross(parents, draw), parents), draw)[:size]
    if settings.elite:
        children[: settings.elite] = genes[np.argsort(-points, kind="stable")[: settings.elite]]
    return children
