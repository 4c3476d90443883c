"""The parameters of the bots that use a heads-up strategy at larger tables."""

from __future__ import annotations

from dataclasses import dataclass

from strategy.blueprint.parameters import BlueprintParameters
from strategy.parameters import bool_field, choice_field, int_field


@dataclass(frozen=True)
class MappingParameters(BlueprintParameters):
    """``nan``: for decisions that the heads-up strategy never reaches, use its answer anyway (define) or the
    next nearest (skip), as the document does. Raises BadParameters.
    """

    nearest: int = int_field("histories that are averaged", 1, 1, 1000, stranger_high=100)
    weighted: bool = bool_field("weighs them by 1 / (1 + distance)", False)
    nan: str = choice_field(
        "decisions that the strategy never reaches: plays or skips them", "define", "define", "skip"
    )
    argmax: bool = bool_field("always takes the likeliest action", False)


@dataclass(frozen=True)
class HbbParameters(MappingParameters):
    """``bias`` of the folds with three active players, as in ``strategy.mapping_bots.bias``. Raises
    BadParameters.
    """

    bias: str = choice_field(
        "with three left, folds as often as this bot", "none", "none", "hyperborean", "hbb6"
    )


@dataclass(frozen=True)
class MaxParameters(HbbParameters):
    """As ``HbbParameters``, but for ``argmax``. Raises BadParameters."""

    argmax: bool = bool_field("always takes the likeliest action", True)


@dataclass(frozen=True)
class HybridParameters(HbbParameters):
    """``when`` the mapping decides: always, once two are left, or only if they were before the flop. Raises
    BadParameters.
    """

    when: str = choice_field("when the mapping plays", "folded", "always", "folded_preflop", "folded")
