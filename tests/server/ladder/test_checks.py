"""A ladder that ends while check-bot is at work passes nobody and refuses nobody: it checks again later."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from server.ladder.version_files import VersionFiles
from tests.support.ladder import PATIENCE, ladder_place, zipped
from tests.support.programs import eventually

#: A program that leaves a trace when it is first asked, and then thinks for ever.
SLEEPER = """\
import threading
from pathlib import Path

from pokerd_bot import Bot, run


class Sleeper(Bot):
    def act(self, turn):
        Path({trace!r}).touch()
        threading.Event().wait()


raise SystemExit(run(Sleeper))
"""


async def test_a_check_that_is_cut_short_is_done_again(tmp_path: Path) -> None:
    async with ladder_place(tmp_path) as place:
        ladder = place.ladder
        trace = tmp_path / "trace"
        program = SLEEPER.format(trace=str(trace)).encode()
        await ladder.push(ladder.author(place.tokens["ann"]), zipped(bot_py=program))
        async with asyncio.timeout(PATIENCE):
            for _ in range(2):
                running = asyncio.create_task(ladder.run())
                await asyncio.to_thread(eventually, trace.exists)
                trace.unlink()
                running.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await running
                assert ladder.store.version("ann@1").state == "checking"


async def test_a_check_that_takes_too_long_refuses_the_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.ladder.uploads.CHECK_SECONDS", 0.5)
    async with ladder_place(tmp_path) as place:
        ladder = place.ladder
        program = SLEEPER.format(trace=str(tmp_path / "trace")).encode()
        await ladder.push(ladder.author(place.tokens["ann"]), zipped(bot_py=program))
        async with asyncio.timeout(PATIENCE):
            running = asyncio.create_task(ladder.run())
            while ladder.store.version("ann@1").state != "refused":
                await ladder._wait_change(ladder._changes)
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
        assert ladder.store.version("ann@1").reason


async def test_a_program_that_is_pushed_while_the_ladder_starts_is_no_stray(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ladder_place(tmp_path) as place:
        ladder = place.ladder
        unpacked = asyncio.Event()
        loop = asyncio.get_running_loop()

        class Patient(VersionFiles):
            def _hashes_to_keep(self) -> set[str]:
                found = super()._hashes_to_keep()
                # In another thread the push would come in between.
                if threading.current_thread() is not threading.main_thread():
                    asyncio.run_coroutine_threadsafe(unpacked.wait(), loop).result(PATIENCE)
                return found

        monkeypatch.setattr(ladder.files, "__class__", Patient)
        (ladder.place.programs / "stray").mkdir(parents=True)
        running = asyncio.create_task(ladder.run())
        await asyncio.sleep(0)
        version = await ladder.push(ladder.author(place.tokens["ann"]), zipped(bot_py=b"print()"))
        unpacked.set()
        await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert [path.name for path in ladder.place.programs.iterdir()] == [version.hash]
