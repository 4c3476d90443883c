"""The examples that learn, as their readers run them: they learn, save, are measured, and play as bots."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

from dealer.formats.fixed import FixedStacks
from dealer.rules.games import load_game
from protocol.codec import JSON
from server.tables.player import Player
from tests.support.bot_programs import program, until
from tests.support.deals import deals_for
from tests.support.houses.people import at_table, listening

EXAMPLES = Path("clients/examples/learners")
#: Seconds for what a quiet machine does in twenty.
PATIENCE = 300.0


async def learned(script: str, out: Path, decisions: int) -> list[str]:
    """Let an example learn; what it prints, the end of which it also adds to its report."""
    report = out.with_name("report.md")
    options = ("--decisions", decisions, "--minutes", 4, "--matches", 2, "--out", out, "--report", report)
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(EXAMPLES / script), *map(str, options), stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE):
        told, _ = await process.communicate()
    assert process.returncode == 0
    lines, reported = told.decode().splitlines(), report.read_text("utf-8").splitlines()
    assert f"    python {script} --minutes 4.0 --decisions {decisions} --seed 1 --matches 2" in reported
    assert lines[-4:] == reported[-4:]
    return lines


def won(lines: list[str], against: str) -> tuple[float, float, int, str]:
    """What is measured at the end: mbb/hand, the interval, illegal actions, and the verdict."""
    (line,) = (line for line in lines if line.startswith(f"| `{against}` |"))
    mean, half, _, illegal, verdict = (cell.strip().removeprefix("+- ") for cell in line.split("|")[2:-1])
    return float(mean), float(half), int(illegal), verdict


async def sits_down(policy: str, file: Path) -> None:
    """Play what was learned against a caller, as a process at a real server."""
    game = load_game("holdem.limit.2p.reverse_blinds")
    async with listening() as (house, come):
        bot = Player("learned", "secret")
        play = FixedStacks(game, deals_for(game), 30)
        actor = at_table(house, [bot, Player("me", "m")], play=play)
        words = [str(word) for word in (EXAMPLES / "learned_bot.py", EXAMPLES / policy, file)]
        settings = {"POKERD_URL": come.url, "POKERD_TOKEN": "secret"}
        async with program(*words, **settings) as running, come(JSON) as me:
            await me.say("hello", name="me", token="m")
            await me.play(hands=30)
            await until(lambda: actor.table.over)
            house.remove_player(bot)
            assert await running.ended() == 0
        assert not any(seat.incidents for seat in actor.seats)
        acts = [message for message in me.heard if message["type"] == "acted"]
        assert "raise" in {act["action"] for act in acts if act["seat"] == 0}
        assert "Traceback" not in running.err


def won_while_learning(line: str) -> int:
    """What a line of progress says that it wins of the two opponents that play well, in mbb/hand."""
    return sum(int(mean) for mean in re.findall(r"quick(?:-tight)? ([+-]\d+)", line))


async def test_a_net_learns_by_ppo_and_sits_down(tmp_path: Path) -> None:
    lines = await learned("learn_ppo.py", tmp_path / "ppo.npz", 150_000)
    first, *_, last = [won_while_learning(line) for line in lines if "mbb/hand against" in line]
    assert last > first + 200
    assert won(lines, "call")[2] == won(lines, "fair")[2] == 0
    await sits_down("net_policy.py:policy", tmp_path / "ppo.npz")


async def test_a_table_learns_by_cfr_and_sits_down(tmp_path: Path) -> None:
    """It beats ``call``. For ``fair`` it needs some 60 million decisions, 1.5 minutes of a core: too long
    here, but the report of the full run has it.
    """
    lines = await learned("learn_cfr.py", tmp_path / "cfr.npz", 1_000_000)
    mean, half, illegal, verdict = won(lines, "call")
    assert mean > half
    assert verdict == "beaten"
    assert illegal == won(lines, "fair")[2] == 0
    await sits_down("learn_cfr.py:policy", tmp_path / "cfr.npz")
