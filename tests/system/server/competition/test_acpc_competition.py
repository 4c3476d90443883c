"""ACPC programs in competitions: beside bots of every other kind and a person, and alone when they fail."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from dealer.records.acpc import AcpcLog
from dealer.rules.events import Acted, HandEnded, HandStarted
from dealer.rules.games import load_game
from server.competition.file import CompetitionError, parse_competition
from server.competition.verify import verify_directory
from tests.support.bot_programs import program
from tests.support.competitions.arena import Played, bot, competition, division, hosted, run
from tests.support.golden import golden_states

HASH = ["{python}", "-m", "tests.acpc.player", "hash", "{host}", "{port}", "--game", "{game}"]
EXAMPLES = Path("clients/examples")
SIX = "holdem.nolimit.6p"
STEADY = bot("call", run="call", reset="message", tables=4)


def zoo(habit: str) -> list[str]:
    return ["{python}", "-m", "tests.system.clients.acpc_zoo", habit, "{host}", "{port}", "{game}"]


@asynccontextmanager
async def person(url: str, token: str) -> AsyncIterator[asyncio.Task[None]]:
    """Somebody at a browser: JSON, in no hurry, and up to this and that."""

    async def play(socket: ClientConnection) -> None:
        await socket.send(json.dumps({"type": "hello", "name": "Ann", "token": token}))
        decisions = 0
        try:
            async for frame in socket:
                heard = json.loads(frame)
                for message in heard if isinstance(heard, list) else [heard]:
                    answer: dict[str, Any] = {"table": message.get("table")}
                    if message["type"] == "match_start":
                        await socket.send(json.dumps({"type": "ready", **answer}))
                    elif message["type"] == "turn":
                        decisions += 1
                        loop = asyncio.get_running_loop()
                        thought = asyncio.Event()
                        loop.call_later(0.003, thought.set)
                        await thought.wait()
                        answer |= {"type": "act", "turn": message["turn"], "action": "call"}
                        if decisions % 5 == 0 and message["raise_to"]:
                            answer |= {"action": "raise", "to": message["raise_to"][0]}
                        elif decisions % 3 == 0 and message["fold"]:
                            answer["action"] = "fold"
                        await socket.send(json.dumps(answer))
        except ConnectionClosed:
            pass

    async with connect(url) as socket:
        playing = asyncio.create_task(play(socket), name="person")
        try:
            yield playing
        finally:
            await socket.close()
            await playing


async def test_many_hands_of_every_kind_of_player(tmp_path: Path) -> None:
    """Six-max no-limit: an ACPC program behind a bridge, one over a websocket, a MessagePack bot, a JSON bot,
    a house bot and a person. Every hand is dealt again from the seed and replayed, and chips are conserved.
    """
    bots = [
        bot("bridged", command=HASH, protocol="acpc"),
        bot("websocket", token="token of websocket"),
        bot("msgpack", command=["{python}", str(EXAMPLES / "msgpack_bot.py")], reset="message"),
        bot("json", command=["{python}", str(EXAMPLES / "json_bot.py")], reset="message"),
        bot("house", run="random", reset="message"),
        bot("person", token="token of person"),
    ]
    text = competition(
        bots,
        [division("six", game=SIX, hands=8, seatings="rotations")],
        time={"start_ms": 600_000},
        workers=1,
    )
    out = tmp_path / "out"
    async with hosted(text, out) as runner, asyncio.timeout(170):
        address = f"{runner.url}/?token=token+of+websocket"
        module = ("-m", "tests.clients.acpc_over_websocket", "hash", address, SIX)
        async with program(*module) as other, person(runner.url, "token of person"):
            await runner.run()
            # Every match was a connection; the house lets nobody of that token in after the last.
            await other.ended()
    assert verify_directory(out) == (6, 48)
    played = Played(out, runner)
    chips = [one["chips"] for one in played.standings["divisions"][0]["ranking"]]
    assert sum(chips) == pytest.approx(0, abs=0.001)  # pots are split into fractions under these rules
    assert not {name: counts for name, counts in played.incidents["six"].items() if counts}
    assert played.logs("bridged").count("connected to pokerd") == 6
    did = actions(played)
    assert set(did) == {entry["name"] for entry in bots}
    assert all(sum(counts.values()) > 40 for counts in did.values())
    for name in ("bridged", "websocket", "person"):
        assert {"fold", "call", "raise"} <= set(did[name])


def actions(played: Played) -> dict[str, Counter[str]]:
    """What every bot did, over all hands; chips are counted on the way."""
    found: dict[str, Counter[str]] = {}
    for session in played.runner.competition.sessions:
        for hand in played.runner.store.hands(session):
            start, end = hand[0], hand[-1]
            assert isinstance(start, HandStarted)
            assert isinstance(end, HandEnded)
            assert sum(end.values) == pytest.approx(0, abs=0.001)
            assert sum(end.stacks) == pytest.approx(sum(start.stacks))
            for event in hand:
                if isinstance(event, Acted):
                    name = session.players[event.seat]
                    found.setdefault(name, Counter())[event.forced or event.action] += 1
    return found


@pytest.mark.parametrize("reset", ["process", "message"])
async def test_the_hands_do_not_depend_on_the_way_in(reset: str, tmp_path: Path) -> None:
    """The reference's deck, and its programs: the records are those of its own log."""
    bots = [bot(name, command=HASH, protocol="acpc", reset=reset) for name in ("p1_hash", "p2_hash")]
    divisions = [division("duel", game="holdem.nolimit.2p.reverse_blinds", hands=20)]
    played = await run(competition(bots, divisions, deck="acpc", seed=0), tmp_path / "out")
    log = AcpcLog(load_game("holdem.nolimit.2p.reverse_blinds"), ["p1_hash", "p2_hash"])
    first = played.runner.competition.sessions[0]
    written = [log.hand(hand).rstrip("\n") for hand in played.runner.store.hands(first)]
    assert written == golden_states("g05_n2_s0_hash")[:20]
    assert not any(played.incidents["duel"].values())


@pytest.mark.parametrize("reset", ["process", "message"])
async def test_a_program_that_fails_is_played_for_and_counted(reset: str, tmp_path: Path) -> None:
    """In each of its sessions anew: what one run of it does has no influence on the next."""
    bots = [bot("quits", command=zoo("quits"), protocol="acpc", reset=reset), STEADY]
    played = await run(competition(bots, [division(hands=5)]), tmp_path / "out")
    assert played.incidents["duel"]["quits"]["leave"] == 2
    assert played.logs("quits").count("[ended]") == 2
    did = actions(played)["quits"]
    assert did["call"] == 2
    assert did["absent"] > 0


async def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    bots = [bot("none", command=["/no/such/program"], protocol="acpc"), STEADY]
    played = await run(competition(bots, [division(hands=3)]), tmp_path / "out")
    assert played.incidents["duel"]["none"]["leave"] == 2
    assert "/no/such/program" in played.logs("none")


@pytest.mark.parametrize("way", [{"run": "call"}, {"token": "its own token"}])
def test_only_a_command_speaks_it(way: dict[str, str]) -> None:
    text = competition([bot("a", protocol="acpc", **way), bot("b", run="call")], [division()])
    with pytest.raises(CompetitionError, match="protocol") as refusal:
        parse_competition(text)
    assert refusal.value.code == "bad_field"
