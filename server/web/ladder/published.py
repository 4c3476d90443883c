"""What everybody asks the ladder for, computed once for all who ask."""

from __future__ import annotations

import asyncio
from typing import Any

from server.ladder.field import Field, Outlook, table_data
from server.ladder.ladder import Ladder


class Published:
    """The table of a ladder, and its outlook."""

    def __init__(self, ladder: Ladder) -> None:
        self._ladder = ladder
        self._table: tuple[Field, dict[str, Any]] | None = None
        self._outlook: tuple[tuple[int, int], Outlook] | None = None
        self._tabulating, self._looking_out = asyncio.Lock(), asyncio.Lock()

    async def table(self) -> dict[str, Any]:
        """Return the ratings of the versions that play (``table_data``)."""
        ladder = self._ladder
        field, ratings = await ladder.ratings()
        async with self._tabulating:
            if self._table is None or self._table[0] is not field:
                hands = ladder.config.hands_of_set(ladder.game)
                self._table = field, await asyncio.to_thread(table_data, field, ratings, hands)
            return self._table[1]

    async def outlook(self) -> Outlook:
        """Return what would be played next (``Ladder.outlook``)."""
        async with self._looking_out:
            now = self._ladder.progress
            if self._outlook is None or self._outlook[0] != now:
                self._outlook = now, await self._ladder.outlook()
            return self._outlook[1]
