"""Bots that want more than they may have: each is contained."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest

from server.bots.proc_usage import Usage, measure
from server.bots.sandbox import Limits
from server.telemetry.incidents import Incident
from tests.support.bot_programs import until
from tests.support.cage import CONFINED, WAIT, cage
from tests.support.competitions.arena import bot, competition, division, run


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.bots.processes.STOP_TIMEOUT", 0.3)
    monkeypatch.setattr("server.bots.processes.POLL_INTERVAL", 0.05)


def text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


SPY = """
import ctypes, json, mmap, os, resource, signal, sys
def tried(what):
    try:
        result = what()
    except OSError as error:
        return error.strerror
    return "done" if result is None or isinstance(result, int) else str(len(result))
server, other, secret, outside = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
libc = ctypes.CDLL(None, use_errno=True)
def ptrace(pid):
    if libc.ptrace(16, pid, None, None):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print(json.dumps({
    "seed": tried(lambda: open(secret + "/seed.json").read()),
    "list": tried(lambda: os.listdir(secret)),
    "environment of the server": tried(lambda: open(f"/proc/{server}/environ").read()),
    "environment of another": tried(lambda: open(f"/proc/{other}/environ").read()),
    "words of another": tried(lambda: open(f"/proc/{other}/cmdline").read()),
    "signal to the server": tried(lambda: os.kill(server, 0)),
    "signal to another": tried(lambda: os.kill(other, signal.SIGTERM)),
    "trace another": tried(lambda: ptrace(other)),
    "limits of the server": tried(lambda: resource.prlimit(server, resource.RLIMIT_CORE) and None),
    "limits of another": tried(lambda: resource.prlimit(other, resource.RLIMIT_CPU, (0, 0)) and None),
    "pace of another": tried(lambda: os.setpriority(os.PRIO_PROCESS, other, 19)),
    "place of another": tried(lambda: os.sched_setaffinity(other, {0})),
    "mode outside": tried(lambda: os.chmod(outside + "/old", 0o666)),
    "times outside": tried(lambda: os.utime(outside + "/old", (1, 1))),
    "mark outside": tried(lambda: os.setxattr(outside + "/old", "user.bot", b"x")),
    "memory of nobody": tried(lambda: os.close(os.memfd_create("x"))),
    "memory without a name": tried(lambda: mmap.mmap(-1, 4096).close()),
    "zeros": tried(lambda: open("/dev/zero").close()),
    "write outside": tried(lambda: open(outside + "/new", "w").close()),
    "change outside": tried(lambda: open(outside + "/old", "a").close()),
    "delete outside": tried(lambda: os.unlink(outside + "/old")),
    "write where it was started": tried(lambda: open("new", "w").close()),
    "shadow": tried(lambda: open("/etc/shadow").read()),
    "own": tried(lambda: open(os.environ["HOME"] + "/own", "w").write("x") and None),
    "temporary": os.environ["TMPDIR"] == os.environ["HOME"],
    "variables": sorted(os.environ),
}), flush=True)
signal.pause()
"""


DENIED = {"Permission denied", "Operation not permitted", "No such file or directory"}


async def test_a_spy_learns_nothing_and_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_PASSWORD", "secret")
    async with cage(tmp_path) as one:
        monkeypatch.chdir(tmp_path / "start")
        results = tmp_path / "start" / "results"
        results.mkdir()
        (results / "seed.json").write_text("{}")
        outside = tmp_path / "outside"
        outside.mkdir()
        (outside / "old").write_text("as it was")
        other = await one.start(WAIT, "other")
        await until(lambda: "up" in one.said("other"))
        words = [str(os.getpid()), str(other.pid), str(results), str(outside)]
        spy = await one.start(SPY, "spy", *words)
        await until(lambda: "\n" in one.said("spy"))
        told = json.loads(one.said("spy"))
        own = Path(spy.folder, "own")
        assert text(own) == "x"
        status = text(Path(f"/proc/{spy.pid}/status"))
        await one.processes.stop(spy)
        assert text(own) == ""
    assert told.pop("own") == "done"
    assert told.pop("temporary") is True
    variables = set(told.pop("variables"))
    assert {"HOME", "TMPDIR", "PATH", "POKERD_TOKEN", "POKERD_MANAGED"} <= variables
    assert "DATABASE_PASSWORD" not in variables
    assert "NoNewPrivs:\t1" in status
    assert f"CapEff:\t{0:016x}" in status
    if CONFINED:
        assert {what: how for what, how in told.items() if how not in DENIED} == {"list": "1"}
        assert [path.name for path in outside.iterdir()] == ["old"]
        assert (outside / "old").read_text() == "as it was"
        assert one.codes == {}
    else:  # as it is told when the server starts
        assert "can read the server's files" in one.sandbox.explain_missing([Limits()])
        assert told["seed"] == "2"


async def test_where_it_is_switched_off_all_can_be_read(tmp_path: Path) -> None:
    async with cage(tmp_path, strictness="off") as one:
        (tmp_path / "x").write_text("to be read")
        assert await one.outcome("import sys; print(open(sys.argv[1]).read())", str(tmp_path / "x")) == 0
        assert one.said() == "to be read\n"


async def test_what_cannot_be_started_says_why(tmp_path: Path) -> None:
    async with cage(tmp_path) as one:
        for word, kind in (("/no/such/program", FileNotFoundError), (str(tmp_path), PermissionError)):
            with pytest.raises(kind, match=word):
                await one.processes.start(
                    "bot",
                    [word],
                    {"POKERD_TOKEN": "x"},
                    lambda code: one.codes.update(bot=code),
                    confinement=one.sandbox.for_program([word], Limits()),
                )
        assert one.codes == {}
        assert not one.processes._running


async def test_a_limit_of_the_kernel_is_the_bot_s_own_trouble(tmp_path: Path) -> None:
    """Too much memory at once, too many files, and too large a one: refused, and nothing else happens."""
    code = (
        "import os, resource\n"
        "def tried(what):\n"
        "    try: what()\n"
        "    except MemoryError: print('no memory')\n"
        "    except OSError as error: print(error.errno)\n"
        "    else: print('done')\n"
        "tried(lambda: bytearray(2**30))\n"
        "tried(lambda: [open(os.devnull) for _ in range(100)])\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "tried(lambda: open(os.environ['HOME'] + '/big', 'wb').write(bytes(2 * 2**20)))\n"
        "def more(): resource.setrlimit(resource.RLIMIT_NOFILE, (2000, 2000))\n"
        "try: more()\n"
        "except ValueError: print('no more')\n"
        "else: print('more')\n"
        "tried(lambda: os.kill(os.getpid(), 0))\n"
    )
    async with cage(tmp_path) as one:
        assert await one.outcome(code, memory_mb=256, files=64, file_mb=1) == 0
    assert one.said().splitlines() == ["no memory", "24", "27", "no more", "done"]
    assert one.limits == []


EATER = "kept = []\nwhile True: kept.append(bytes(2**20) + b'x'); __import__('time').sleep(0.01)"


CHILDREN = (
    "import subprocess, sys\n"
    "code = 'import signal; signal.pause()'\n"
    "for n in range(9): subprocess.Popen([sys.executable, '-S', '-c', code], start_new_session=n % 2)\n"
    "import signal; signal.pause()"
)


THREADS = (
    "import threading\n"
    "end = threading.Event()\n"
    "for _ in range(9): threading.Thread(target=end.wait).start()\n"
)


@pytest.mark.parametrize(
    ("code", "limits", "kind"),
    [
        (EATER, {"memory_mb": 64}, Incident.MEMORY_LIMIT),
        (CHILDREN, {"processes": 5}, Incident.PROCESS_LIMIT),
        (THREADS, {"processes": 5}, Incident.PROCESS_LIMIT),
        ("while True: pass", {"cpu_s": 1}, Incident.CPU_LIMIT),
    ],
    ids=["memory", "processes", "threads", "computing"],
)
async def test_who_takes_more_than_he_may_is_ended(
    code: str, limits: dict[str, Any], kind: Incident, tmp_path: Path
) -> None:
    async with cage(tmp_path) as one:
        taker = await one.start(code, **limits)
        before = psutil.Process(taker.pid)
        await until(lambda: "bot" in one.codes)
        assert one.codes["bot"] in (-signal.SIGKILL, -signal.SIGXCPU)
        assert one.limits == [kind]
        assert not before.is_running()
        await until(lambda: not measure([taker.pid])[taker.pid].processes)
        assert one.limits == [kind]


async def test_what_it_started_counts_with_it(tmp_path: Path) -> None:
    async with cage(tmp_path) as one:
        father = await one.start(CHILDREN)
        await until(lambda: measure([father.pid])[father.pid].tasks == 10)
        used = measure([father.pid, 2**22 + 1])
        assert len(used[father.pid].processes) == 10
        assert used[father.pid].memory > 10 * 2**20
        assert used[2**22 + 1] == Usage()
        for child in psutil.Process(father.pid).children():
            child.kill()


async def test_memory_is_what_the_system_says(tmp_path: Path) -> None:
    held = "kept = bytes(2**25)[:] + b'x'; import signal; signal.pause()"
    async with cage(tmp_path) as one:
        bot = await one.start(held)
        await until(lambda: measure([bot.pid])[bot.pid].memory > 2**25)
        used = measure([bot.pid])[bot.pid]
        assert used.processes == (bot.pid,)
        assert used.memory == pytest.approx(psutil.Process(bot.pid).memory_info().rss, rel=0.5)


async def test_the_competition_goes_on_with_an_incident(tmp_path: Path) -> None:
    """A thief who looks for the seed, and two who take too much; the others are not touched by it."""
    thief = (
        "import glob, os, sys\n"
        "for path in glob.glob(sys.argv[1] + '/**', recursive=True):\n"
        "    try:\n"
        "        if os.path.isfile(path): open(path, 'rb').read(); print('read', path)\n"
        "    except OSError: pass\n"
        "from tests.zoo.keeper import come_in, play\n"
        "play(come_in())\n"
    )
    out = tmp_path / "out"
    bots = [
        bot("thief", command=["{python}", "-c", thief, str(out)]),
        # Slowly: a busy machine looks late, and the kernel refuses what is far beyond the limit.
        bot("eater", command=["{python}", "-c", EATER.replace("0.01", "0.05")], limits={"memory_mb": 64}),
        bot("bomber", command=["{python}", "-c", CHILDREN], limits={"processes": 5}),
        bot("steady", run="call", reset="message", tables=4),
    ]
    duels = [
        division(name, bots=[name, "steady"], hands=3, seatings="rotations")
        for name in ("thief", "eater", "bomber")
    ]
    played = await run(competition(bots, duels, time={"start_ms": 20_000}), out)
    assert played.incidents["thief"]["thief"] == {}
    assert ("read" in played.logs("thief")) is not CONFINED
    for name, kind in (("eater", "memory_limit"), ("bomber", "process_limit")):
        counted = played.incidents[name][name]
        assert counted.get(kind) == 2, (counted, played.logs(name))
        assert counted["crash"] == 2
        assert played.incidents[name]["steady"] == {}
        shown = next(one for one in played.standings["divisions"] if one["division"] == name)
        assert shown["incidents"][name][kind] == 2


async def test_the_start_costs_little(tmp_path: Path) -> None:
    """A tenth of a second of computing at the very most; usually it is two hundredths."""
    async with cage(tmp_path) as one:
        bots = [await one.start(WAIT, f"bot{n}") for n in range(3)]
        await until(lambda: all("up" in one.said(f"bot{n}") for n in range(3)))
        for started in bots:
            times = psutil.Process(started.pid).cpu_times()
            assert times.user + times.system < 0.5
