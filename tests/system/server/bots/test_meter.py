"""What bots take in ways that are hard to see, tried by real ones; and what must not count against them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import psutil
import pytest
import structlog
from structlog.testing import LogCapture

from server.bots import cpu_counter as computing
from server.bots import proc_usage as usage
from server.bots import processes as managed
from server.bots import resource_monitor as meter
from server.bots.cpu_counter import CpuCounter, ObservedCpu
from server.bots.proc_usage import measure, proportional_memory
from server.bots.processes import INEXACT_REASON
from server.bots.resource_monitor import disk_usage
from server.telemetry.incidents import Incident
from tests.support.bot_programs import until
from tests.support.cage import Cage, cage

# Computing.

BURN = """
import ctypes, os, signal, time
def burn(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
"""
#: Each lives for a hundredth of a second, in a session of its own, is nobody's child and dies by a signal.
HIDDEN = """
ctypes.CDLL(None).prctl(31, 0, 0, 0, 0)  # PR_TASK_PERF_EVENTS_DISABLE
while True:
    end, held = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            burn(0.01)
            os.kill(os.getpid(), signal.SIGKILL)
        os._exit(0)
    os.close(held)
    os.read(end, 1)  # until the last of them is gone
    os.close(end)
"""
#: Each lives long enough to be seen; nobody waits for it.
SEEN = """
while True:
    end, held = os.pipe()
    if os.fork() == 0:
        burn(0.4)
        os._exit(0)
    os.close(held)
    os.read(end, 1)  # until it is gone
    os.close(end)
"""


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[MutableMapping[str, Any]]:
    """What the log is told."""
    capture = LogCapture()
    monkeypatch.setattr(
        managed, "log", structlog.wrap_logger(None, processors=[capture], wrapper_class=structlog.BoundLogger)
    )
    return capture.entries


def forbidden(_: int) -> None:
    raise PermissionError


async def ended(one: Cage) -> int:
    await until(lambda: "bot" in one.codes)
    return one.codes["bot"]


async def test_computing_counts_however_short_it_lives_and_wherever_it_hides(
    tmp_path: Path, said: list[MutableMapping[str, Any]]
) -> None:
    async with cage(tmp_path) as one:
        bot = await one.start(BURN + HIDDEN, cpu_s=1)
        assert bot.monitor is not None
        if bot.monitor.exact:
            assert await ended(one) == -signal.SIGKILL
            assert one.limits == [Incident.CPU_LIMIT]
    warnings = [line["reason"] for line in said if line["event"].startswith("computing")]
    assert warnings == ([] if bot.monitor.exact else [INEXACT_REASON])


async def test_where_the_kernel_does_not_count_it_what_was_seen_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: list[MutableMapping[str, Any]]
) -> None:
    monkeypatch.setattr(meter, "CpuCounter", forbidden)
    async with cage(tmp_path) as one:
        await one.start("import signal; signal.pause()", "other", cpu_s=1)
        await one.start(BURN + SEEN, cpu_s=1)
        assert await ended(one) == -signal.SIGKILL
        assert one.limits == [Incident.CPU_LIMIT]
    assert [line["reason"] for line in said if line["event"].startswith("CPU time")] == [INEXACT_REASON]


async def test_a_program_that_does_nothing_computes_nothing(tmp_path: Path) -> None:
    async with cage(tmp_path) as one:
        bot = await one.start("import signal; print('up', flush=True); signal.pause()")
        await until(lambda: "up" in one.said())
        try:
            counter = CpuCounter(bot.pid)
        except OSError:
            assert bot.monitor is not None
            assert not bot.monitor.exact
        else:
            assert counter.seconds() < 0.05
            counter.close()
            counter.close()
            assert counter.seconds() == 0.0


def test_what_is_gone_is_not_forgotten_and_what_is_there_counts_once() -> None:
    seen = ObservedCpu()
    assert seen.update({(7, 1): 1.0}) == 1.0
    assert seen.update({(7, 1): 2.0, (8, 1): 0.5}) == 2.5
    assert seen.update({(8, 1): 0.5}) == 2.5
    # The number is another process's now.
    assert seen.update({(7, 9): 0.25}) == 2.75
    assert seen.update({}) == 2.75


def test_a_machine_without_counters_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "_CALL", {})
    with pytest.raises(OSError, match="no counters"):
        CpuCounter(os.getpid())


# Memory.

SHARING = """
import os, signal
kept = bytes(60 * 2**20) .replace(b"\\0", b"x")
for _ in range(5):
    if os.fork() == 0:
        signal.pause()
print("up", flush=True)
signal.pause()
"""
TOGETHER = """
import os, signal
for _ in range(5):
    if os.fork() == 0:
        kept = bytes(40 * 2**20).replace(b"\\0", b"x")
        signal.pause()
signal.pause()
"""


async def test_memory_in_common_counts_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []

    def look(number: int) -> int:
        looked.append(number)
        return proportional_memory(number)

    monkeypatch.setattr(meter, "proportional_memory", look)
    async with cage(tmp_path) as one:
        bot = await one.start(SHARING, memory_mb=200)
        await until(lambda: "up" in one.said())
        await until(lambda: len(looked) >= 3 * 6)
        assert measure([bot.pid])[bot.pid].memory > 300 * 2**20
        assert sum(map(proportional_memory, set(looked))) < 150 * 2**20
        assert one.limits == []
        assert one.codes == {}


async def test_memory_of_all_that_a_bot_started_is_added_up(tmp_path: Path) -> None:
    async with cage(tmp_path) as one:
        await one.start(TOGETHER, memory_mb=150)
        assert await ended(one) == -signal.SIGKILL
        assert one.limits == [Incident.MEMORY_LIMIT]


def test_what_is_swapped_out_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the files of ``/proc`` have it on a machine that swaps."""
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nSwapTotal:  1000 kB\nSwapFree:   900 kB\n")
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "status").write_text("Name:\tx\nVmRSS:\t      64 kB\nVmSwap:\t     100 kB\n")
    (tmp_path / "7" / "smaps_rollup").write_text(
        "0-1 ---p [rollup]\nPss: 30 kB\nPss_Anon: 9 kB\nSwapPss: 40 kB\n"
    )
    monkeypatch.setattr(usage, "_PROC", tmp_path)
    mine = usage._Process(1, 7, 1.0, 2.0, 3, 5, 64 * 1024)
    monkeypatch.setattr(usage, "_processes", lambda: iter([(7, mine)]))
    assert measure([7])[7] == usage.Usage(164 * 1024, 2.0, 3, (7,), {(7, 5): 1.0})
    assert proportional_memory(7) == 70 * 1024
    (tmp_path / "meminfo").write_text("SwapTotal: 1000 kB\nSwapFree: 1000 kB\n")
    assert measure([7])[7].memory == 64 * 1024
    assert proportional_memory(8) == 0


def test_the_part_of_this_process_is_not_more_than_it_has_in_memory() -> None:
    assert 0 < proportional_memory(os.getpid()) <= psutil.Process().memory_info().rss * 1.1


# Files.

#: Each takes twice what it may, and then waits for what comes.
FILES = """
import os, signal
for number in range(32):
    open(os.environ["HOME"] + f"/{number}", "wb").write(bytes(2**19))
signal.pause()
"""
UNNAMED = """
import os, signal
kept = []
for _ in range(32):
    kept.append(open(os.environ["HOME"] + "/x", "wb"))
    os.unlink(kept[-1].name)
    kept[-1].write(bytes(2**19))
signal.pause()
"""
CLOSED = """
import os, signal
os.mkdir(os.environ["TMPDIR"] + "/x", 0o300)
for number in range(32):
    open(os.environ["TMPDIR"] + f"/x/{number}", "wb").write(bytes(2**19))
signal.pause()
"""
EMPTY = """
import os, signal
for number in range(600):
    open(os.environ["HOME"] + f"/{number}", "wb").close()
signal.pause()
"""


@pytest.mark.parametrize("code", [FILES, UNNAMED, CLOSED, EMPTY], ids=["many", "deleted", "hidden", "empty"])
async def test_who_keeps_too_much_in_files_is_ended(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meter, "MAX_FILES", 300)
    async with cage(tmp_path) as one:
        bot = await one.start(code, disk_mb=8, file_mb=2)
        assert await ended(one) == -signal.SIGKILL, one.said()
        assert one.limits == [Incident.DISK_LIMIT]
    assert not os.path.exists(bot.folder)  # noqa: ASYNC240, PTH110


def test_files_count_by_what_they_take_on_the_disk(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    before = disk_usage(str(tmp_path), [])
    (tmp_path / "a" / "full").write_bytes(os.urandom(2**20))
    with (tmp_path / "a" / "sparse").open("wb") as file:
        file.truncate(2**30)
    (tmp_path / "again").hardlink_to(tmp_path / "a" / "full")
    (tmp_path / "link").symlink_to("/usr")
    assert 2**20 <= disk_usage(str(tmp_path), []) - before < 2**20 + 2**16
    assert disk_usage(str(tmp_path / "nothing"), [2**22 + 1]) == 0


def test_a_file_without_a_name_counts_as_long_as_it_is_open(tmp_path: Path) -> None:
    before = disk_usage(str(tmp_path), [os.getpid()])
    with (tmp_path / "x").open("wb", buffering=0) as file:
        file.write(os.urandom(2**20))
        assert disk_usage(str(tmp_path), [os.getpid()]) - before >= 2**20
        (tmp_path / "x").unlink()
        assert disk_usage(str(tmp_path), [os.getpid(), os.getpid()]) - before >= 2**20
    assert disk_usage(str(tmp_path), [os.getpid()]) - before < 2**20


def test_files_that_vanish_hide_no_others(tmp_path: Path) -> None:
    with (tmp_path / "x").open("wb", buffering=0) as kept:
        kept.write(os.urandom(2**20))
        (tmp_path / "x").unlink()
        stop = threading.Event()

        def flicker() -> None:
            while not stop.is_set():
                (tmp_path / "y").touch()
                with (tmp_path / "y").open("rb"):
                    (tmp_path / "y").unlink()

        restless = threading.Thread(target=flicker)
        restless.start()
        try:
            assert all(disk_usage(str(tmp_path), [os.getpid()]) >= 2**20 for _ in range(300))
        finally:
            stop.set()
            restless.join()


async def test_a_look_that_fails_is_not_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, seen = iter([OSError(24, "Too many open files")]), managed._find_exceeding

    def first_fails(*given: Any, **more: Any) -> Any:
        for error in looks:
            raise error
        return seen(*given, **more)

    monkeypatch.setattr(managed, "_find_exceeding", first_fails)
    async with cage(tmp_path) as one:
        await one.start(FILES, disk_mb=8, file_mb=2)
        assert await ended(one) == -signal.SIGKILL, one.said()
        assert one.limits == [Incident.DISK_LIMIT]
