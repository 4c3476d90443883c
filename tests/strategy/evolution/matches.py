"""What simulated matches are given: seeds, the same tables for all, and both ways to play."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.random import default_rng

from strategy.pushfold.kernel import play_matches
from strategy.pushfold.outcomes import draw_matches

Play = Callable[..., np.typing.NDArray[np.float64]]
both = pytest.mark.parametrize("play", [play_matches, draw_matches])


def seeds(count: int, seed: int = 1) -> np.typing.NDArray[np.uint64]:
    return default_rng(seed).integers(0, 2**64, count, np.uint64)


def same(count: int) -> np.typing.NDArray[np.int64]:
    return np.zeros((count, 2), np.int64)
