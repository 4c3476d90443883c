"""The adaptive player as a process of its own: in a competition by its document's rules, beside a person, and
with bad parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import pytest

from dealer.rules.events import Acted, BoardDealt, Event, HandStarted
from server.bots.offered import OfferedBot
from server.bots.processes import ProcessManager
from server.house.house import House
from server.house.lobby import Lobby
from tests.support.bot_programs import program
from tests.support.competitions.arena import bot, competition, division, run
from tests.support.houses.open_house import until
from tests.support.houses.people import listening

#: Raises as little as it wishes to, whenever it has a third of the chips or more.
CAREFUL = {
    "weight_v": 0,
    "weight_p": 0,
    "weight_b": 0,
    "weight_s": 1,
    "raise_at": 0.33,
    "fold_below": 0.1,
    "min_raise": "bb",
}
BOTS = [
    bot("careful", run="adaptive", parameters=CAREFUL, reset="message", tables=8),
    bot("best", run="adaptive", reset="message", tables=8),
    bot("random", run="random", reset="message", tables=8),
]


def small_raises(hand: Sequence[Event], seat: int) -> list[tuple[int, int]]:
    """By how much ``seat`` raised, and the raise before it, where his was smaller and not all-in."""
    found = []
    top = last = 0
    for event in hand:
        if isinstance(event, HandStarted):
            top = last = max(event.blinds)
        elif isinstance(event, BoardDealt):
            top, last = 0, 100
        elif isinstance(event, Acted) and event.action == "raise":
            if event.seat == seat and event.to - top < last and not event.all_in:
                found.append((event.to - top, last))
            last, top = max(last, event.to - top), event.to
    return found


@pytest.mark.parametrize("rules", ["bb", "standard"])
async def test_a_competition_by_the_document_s_rule_for_raises(tmp_path: Path, rules: str) -> None:
    """3.1.4: one big blind more than the bet is enough; else it is the last raise."""
    duel = division("ring", game="holdem.nolimit.3p", rules=rules, hands=20, seatings="rotations")
    played = await run(competition(BOTS, [duel]), tmp_path / "out")
    assert not any(played.incidents["ring"].values())
    found = []
    hands = 0
    for session in played.runner.competition.sessions:
        for hand in played.runner.store.hands(session):
            hands += 1
            found += small_raises(hand, session.players.index("careful"))
    assert hands == 60
    if rules == "bb":
        assert found
        assert all(step >= 100 for step, _ in found)
    else:
        assert not found


async def test_a_person_and_four_bots_at_one_table(tmp_path: Path) -> None:
    """4.1, and the table of 6.3: a tournament of 1,000 chips each, to its end."""
    async with AsyncExitStack() as stack:
        processes = ProcessManager(tmp_path)
        lobby = Lobby(processes, bots={"adaptive": OfferedBot()}, make_house=partial(House, guests=True))
        house, door = await stack.enter_async_context(listening(house=lobby.house))
        lobby.house_bots.on_listening(door.url)
        stack.push_async_callback(processes.close)
        stack.push_async_callback(lobby.close)
        ann = await stack.enter_async_context(door())
        await ann.say("hello", name="ann", person=True)
        asked = {"mode": "tournament", "seats": 5, "bots": ["adaptive"] * 4, "stack": 1000}
        await ann.say("create", **asked, levels="turbo", pause_ms=0)
        table = (await ann.hear("created"))["table"]
        await ann.say("join", table=table)
        while (message := await ann.hear("match_start", "turn", "match_end"))["type"] != "match_end":
            if message["type"] == "match_start":
                await ann.say("ready", table=table)
            else:
                await ann.say("act", table=table, turn=message["turn"], action="call")
        seats = [message for message in ann.heard if message["type"] == "seats"][-1]["seats"]
        assert sorted(seat["kind"] for seat in seats) == ["bot"] * 4 + ["person"]
        assert sorted(message["net"])[-1] == 4000
        assert sum(message["net"]) == 0
        house.close()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("raise_at = 0.2\n", "raise_at = 0.2: must be at least fold_below + gap"),
        ("weight_v = 0.9\n", "must sum to 1"),
        ("mu = [0.1, 0.2]\n", "mu = "),
        ("courage = 1\n", "courage = 1: unknown; there are raise_at, "),
        ("raise_at = \n", "not TOML"),
    ],
)
async def test_a_bad_file_of_parameters_is_refused_before_anything_is_played(
    tmp_path: Path, text: str, told: str
) -> None:
    path = tmp_path / "bold.toml"
    path.write_text(text)
    async with listening(guests=True) as (house, door):
        words = ("-m", "pokerd", "bot", "adaptive", "--url", door.url, "--parameters", str(path))
        async with program(*words) as started:
            assert await started.ended() == 2
        assert not house.players
    assert "[bad_parameters]" in started.err
    assert told in started.err
    assert started.out == ""


async def test_a_good_file_of_parameters_is_played_with(tmp_path: Path) -> None:
    path = tmp_path / "bold.toml"
    path.write_text("raise_at = 0.45\nfold_below = 0.2\n")
    async with listening(guests=True) as (house, door):
        words = ("-m", "pokerd", "bot", "adaptive", "--url", door.url, "--parameters", str(path))
        async with program(*words, "--name", "bold") as started:
            await started.said("connected")
            await until(lambda: "bold" in house.players)
