"""Made-up numbers of deals between 625 states of cards, and who wins them."""

from __future__ import annotations

import numpy as np

from strategy.abstraction.deals import DealCounts


def deals(seed: int) -> DealCounts:
    """Any deals: wins by the number of the state, with some noise."""
    random = np.random.default_rng(seed)
    counts = random.integers(1, 100, (625, 625), np.int32)
    wins = (counts * np.sign(np.subtract.outer(np.arange(625), np.arange(625)))).astype(np.int32)
    return DealCounts(counts + counts.T, wins - wins.T)


def uneven_deals(seed: int) -> DealCounts:
    """Any deals: the first holds more of the weak states, and the larger number wins."""
    random = np.random.default_rng(seed)
    counts = random.random((625, 625)) * np.linspace(2, 1, 625)[:, np.newaxis]
    return DealCounts(counts, counts * np.sign(np.subtract.outer(np.arange(625), np.arange(625))))
