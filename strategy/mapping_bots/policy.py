"""The interface of a heads-up strategy for mappings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from strategy.cfr.tree import BettingTree


class Policy(Protocol):
    """A strategy for heads-up limit hold'em, such as ``strategy.blueprint.blueprint.Blueprint``."""

    @property
    def tree(self) -> BettingTree:
        """Return the betting tree of its nodes: that of ``Histories``."""
        ...

    def card_state(self, hole: Sequence[int], board: Sequence[int]) -> int:
        """Return the row of these cards in a ``table`` of their street."""
        ...

    def table(self, node: int) -> NDArray[np.float32]:
        """Return the probabilities of fold, call and raise at a decision: float32[card states, 3], without
        NaN.
        """
        ...

    def reached(self, node: int, state: int) -> bool:
        """Return whether the strategy itself ever reaches this decision with these cards. If not, the
        document's program had no answer.
        """
        ...
