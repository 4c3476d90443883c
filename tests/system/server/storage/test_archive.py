"""The archive of a server that is killed while it writes."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from server.storage.hand_store import HandStore
from tests.support.programs import ROOT

#: Writes hands until it is killed, and says which of them a reader has already seen.
_WRITER = """
import asyncio, sys
from pathlib import Path
from server.storage.hand_store import HandStore
from tests.support.archives import numbered, opened

async def main():
    archive = HandStore(Path(sys.argv[1]))
    recorder = opened(archive)
    for number in range(1, 1000000):
        recorder.record_hand(numbered(number))
        if number % 50 == 0:
            assert await archive.find_hand(recorder.number, number) is not None
            print(number, flush=True)

asyncio.run(main())
"""


def killed_after(hands: int, path: Path) -> int:
    """Let a process write, and kill it; the last hand that it has read back."""
    with subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        seen = 0
        while seen < hands:
            seen = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
    return seen


async def test_the_file_is_whole_when_the_server_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "hands.sqlite3"
    for attempt in range(1, 4):
        seen = killed_after(200 * attempt, path)
        archive = HandStore(path)
        run = await archive.latest_run("table-1")
        assert run is not None
        assert run.number == attempt
        numbers = [hand.number for hand in await archive.hands(run.number, None, 10**6)]
        assert numbers == list(range(len(numbers), 0, -1))
        assert len(numbers) >= seen
        assert run.seed == ""
        await archive.close()
        with closing(sqlite3.connect(path)) as file:
            assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
