"""The parameters of ``polaris``."""

from __future__ import annotations

from dataclasses import dataclass

from strategy.parameters import number_field, verify_fields


@dataclass(frozen=True)
class PolarisParameters:
    """What it believes before the first hand, at limit; six times that at no-limit. Raises BadParameters."""

    caution: float = number_field(
        "mbb/hand that others are believed to be worse than the first", 300, 0, 10_000
    )
    doubt: float = number_field("mbb/hand by which that may be wrong; 0: it never moves", 500, 0, 10_000)

    def __post_init__(self) -> None:
        verify_fields(self)
