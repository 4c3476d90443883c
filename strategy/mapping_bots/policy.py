"""What a mapping needs of a heads-up strategy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from strategy.cfr.tree import BettingTree

__all__ = ["Policy"]


class Policy(Protocol):
    """A strategy for heads-up limit hold'em, such as ``strategy.blueprint.blueprint.Blueprint``."""

    @property
    def tree(self) -> BettingTree:
        """The betting that its nodes are of: that of ``Histories``."""
        ...

    def card_state(self, hole: Sequence[int], board: Sequence[int]) -> int:
        """The place of these cards in a ``table`` of their street."""
        ...

    def table(self, node: int) -> NDArray[np.float32]:
        """Chances of fold, call and raise at a decision: float32[card states, 3], without NaN."""
        ...

    def reached(self, node: int, state: int) -> bool:
        """Whether the strategy itself ever comes to this decision with these cards. Where it does not, the
        document's program had no answer.
        """
        ...
