"""A remote bot that is known by the hash of its token plays a competition."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from server.auth.tokens import hash_token
from server.competition.file import without_tokens
from tests.support.competitions.arena import ROOT, bot, competition, division, hosted

TOKEN = "kZ3a-secret-of-the-far-one"


@pytest.mark.parametrize(
    "given", [{"token": TOKEN}, {"token_hash": hash_token(TOKEN)}], ids=["token", "hash"]
)
async def test_it_plays_and_leaves_no_secret_behind(given: dict[str, Any], tmp_path: Path) -> None:
    bots = [bot("far", **given), bot("steady", run="call", reset="message", tables=2)]
    async with hosted(competition(bots, [division(hands=3)]), tmp_path / "out") as runner:
        # As a file is read.
        runner.text = without_tokens(runner.text, runner.competition)
        runner.open()
        caller = ROOT / "clients" / "examples" / "caller.py"
        far = await asyncio.create_subprocess_exec(
            *(sys.executable, str(caller), "--url", runner.url, "--token", TOKEN),
            stderr=asyncio.subprocess.DEVNULL,
        )
        kept = await asyncio.to_thread(contents, tmp_path / "out")
        assert TOKEN.encode() not in kept
        async with asyncio.timeout(60):
            await runner.run()
            assert await far.wait() == 0
    assert runner.progress.incidents["duel"]["far"] == {}
    assert TOKEN.encode() not in await asyncio.to_thread(contents, tmp_path / "out")


def contents(folder: Path) -> bytes:
    """All that is in a folder."""
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
