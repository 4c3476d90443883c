"""A house at a real port where tables can be opened, with bots to seat there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from pokerd.commands.serve import offered_bots
from server.bots.processes import ProcessManager
from server.house.house import House
from server.house.lobby import Lobby
from tests.support.houses.people import Door, listening

BOTS = {name: offered_bots()[name] for name in ("call", "fair", "raise", "random", "adaptive")}


@asynccontextmanager
async def opened(tmp_path: Path, **options: Any) -> AsyncIterator[tuple[Lobby, Door]]:
    """A listening house where tables can be opened."""
    processes = ProcessManager(tmp_path)
    lobby = Lobby(processes, bots=BOTS, make_house=partial(House, guests=True), **options)
    async with listening(house=lobby.house) as (house, door):
        lobby.house_bots.on_listening(door.url)
        try:
            yield lobby, door
        finally:
            house.close()
            await lobby.close()
            await processes.close()
