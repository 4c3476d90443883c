"""What the places of a tournament are worth, in points. There is no money."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

#: Points that each entrant adds to those that are shared out.
POINTS_PER_ENTRANT: Final = 10
#: Shares of the points by place, in percent, for tournaments of at least so many entrants.
SHARES: Final[Mapping[int, Sequence[float]]] = {
    2: (100,),
    4: (65, 35),
    7: (50, 30, 20),
    19: (40, 28, 19, 13),
    28: (35, 24, 17, 13, 11),
    37: (32, 22, 15, 12, 10, 9),
    46: (29, 19, 14, 11, 9, 7, 6, 5),
    73: (27, 17.5, 12.5, 10, 8, 6.5, 5.5, 4.5, 4.5, 4),
    101: (25, 16, 11, 8.5, 7, 5.5, 4.5, 3.5, 3.5, 3.1, 3.1, 3.1, 3.1, 3.1),
}


def shares_for(entrants: int) -> Sequence[float]:
    """Return the shares of the places that get points, in percent; their sum is 100."""
    return next((SHARES[least] for least in sorted(SHARES, reverse=True) if least <= entrants), SHARES[2])


def points(entrants: int, place: int, ties: int = 1) -> float:
    """Return the points of a place, of one of ``ties`` players who share it: the shares of the places that
    they take up, in equal parts.
    """
    shares = shares_for(entrants)[place - 1 : place - 1 + ties]
    return entrants * POINTS_PER_ENTRANT * sum(shares) / 100 / ties
