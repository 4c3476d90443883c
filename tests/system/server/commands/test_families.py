"""A person plays with bots of every family."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import pytest

from dealer.table import Clock
from server.bots.offered import OfferedBot
from server.bots.processes import ProcessManager
from server.bots.sandbox import Limits, Sandbox
from server.commands.competition_tables import table_configs
from server.house.house import House
from server.house.lobby import Lobby
from strategy.registry import strategy_names
from tests.support.competitions.arena import all_families
from tests.support.houses.people import Remote, listening, unpacked

CLOCK = Clock(60.0, 60.0)


async def test_a_person_plays_with_every_family(tmp_path: Path) -> None:
    configs = [config._replace(pause=0.0) for config in table_configs(all_families(), CLOCK, 0)]
    processes = ProcessManager(tmp_path)
    lobby = Lobby(
        processes,
        bots=dict.fromkeys(strategy_names(), OfferedBot()),
        make_house=partial(House, guests=True),
        confinement=Sandbox().for_house_bot(Limits()),
    )
    async with listening(house=lobby.house) as (house, door):
        lobby.house_bots.on_listening(door.url)
        try:
            async with AsyncExitStack() as stack:
                # They come before the bots, whose start keeps a small machine busy for longer than a
                # handshake may take.
                people = [await stack.enter_async_context(door()) for _ in configs]
                for number, person in enumerate(people):
                    await person.say("hello", name=f"ann {number}", person=True)
                    await person.hear("welcome")
                for person, table in zip(people, [lobby.open(config) for config in configs], strict=True):
                    await two_full_hands(person, table.facts.table)
                    await person.say("leave", table=table.facts.table)
                    assert not any(seat.incidents for seat in table.seats), (
                        table.config.bots,
                        [seat.incidents for seat in table.seats],
                    )
            assert not any(player.incidents for player in house.players.values())
        finally:
            house.close()
            await lobby.close()
            await processes.close()


async def two_full_hands(ann: Remote, table: str) -> None:
    """Sit down and call, until two hands are over in which all six seats were dealt in."""
    await ann.say("join", table=table)
    full, left = False, 2
    while left:
        # Bots that have yet to start say nothing, for as long as that takes.
        for message in unpacked(ann.codec, await ann.socket.recv()):
            match message["type"]:
                case "match_start":
                    await ann.say("ready", table=table)
                case "hand_start":
                    full = len(message["seats"]) == 6
                case "turn":
                    await ann.say("act", table=table, turn=message["turn"], action="call")
                case "hand_end":
                    left -= full
                case "error":
                    pytest.fail(str(message))
