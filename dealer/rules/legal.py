"""What a player is allowed to say, as data."""

from __future__ import annotations

from typing import NamedTuple


class Legal(NamedTuple):
    """What the player to act may do.

    ``call`` is always allowed and costs ``call`` chips (0: a check; never more than his stack).
    ``min_raise`` and ``max_raise`` are street totals, as ``Action.to``: both None when he may not raise,
    equal in limit games.
    """

    fold: bool
    call: int
    min_raise: int | None
    max_raise: int | None
