"""``pokerd``, with a ladder that rests once all have played and nobody asks for a match: one that played on
would take more time than all that is tested at it.
"""

from __future__ import annotations

import sys

from pokerd.__main__ import main
from server.ladder.ladder import Ladder
from server.ladder.records import Match

_next = Ladder._next


async def _next_asked_for(ladder: Ladder) -> Match | None:
    have_played = ladder.store.last_begun()
    if not ladder.waiting() and all(one.name in have_played for one in ladder.store.playing()):
        return None
    return await _next(ladder)


if __name__ == "__main__":
    Ladder._next = _next_asked_for  # type: ignore[method-assign, assignment]
    sys.exit(main())
