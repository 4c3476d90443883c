"""The command of ``docs/fairness.md``, on a competition that was played."""

from __future__ import annotations

from pathlib import Path

from tests.docs.commands import REDEAL
from tests.docs.workspace import lay, shell
from tests.support.competitions.arena import bot, competition, division, run


async def test_the_command_deals_a_competition_again(tmp_path: Path) -> None:
    bots = [bot(name, run=name, reset="message", tables=2) for name in ("call", "random")]
    place = lay(tmp_path)
    await run(competition(bots, [division(hands=2)]), place / "results" / "mine")
    assert shell(REDEAL, place).startswith("results/mine: 4 hands in 2 sessions")
