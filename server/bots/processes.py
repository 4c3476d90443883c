"""Bots that the server starts: one process each, in its own session (process group), stopped with everything
it started.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import errno
import itertools
import os
import signal
import socket
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Final
from urllib.parse import SplitResult, urlsplit

import psutil

from server.bots import isolation, launcher, reaper
from server.bots.proc_usage import measure
from server.bots.reaper import processes_with_token, remove_folder
from server.bots.resource_monitor import ResourceMonitor
from server.bots.sandbox import Confinement
from server.bots.seat_relay import SeatRelay
from server.telemetry.incidents import Incident
from server.telemetry.logger import get_logger

log = get_logger("pokerd.managed")

#: Seconds for a bot to end by itself after its connection was closed, and again after SIGTERM.
STOP_TIMEOUT: Final = 2.0
#: Seconds between two checks of resource usage.
POLL_INTERVAL: Final = 0.5
#: Checks of disk usage happen once in so many.
DISK_CHECK_EVERY: Final = 4
#: Exit codes above this of isolated bots: ended by a signal (bwrap(1)).
_BY_SIGNAL: Final = 128
#: How far isolated bots stand back behind the server (nice(1)).
ISOLATED_NICENESS: Final = 5
#: The kernel's choice when memory is short falls on isolated bots first (proc(5)).
_KILLED_FIRST: Final = "1000"
#: ``struct ucred`` (unix(7)): process, user and group of a sender.
_CREDENTIALS: Final = struct.Struct("3i")
#: Why CPU time may be inexact.
INEXACT_REASON: Final = (
    "counters of the kernel are not allowed: kernel.perf_event_paranoid is above 2, or a container forbids"
)


class BotProcess:
    """A running bot. ``folder`` is the only one that it may write to; ``on_limit`` is called once if it
    exceeds a limit.
    """

    def __init__(
        self,
        name: str,
        process: asyncio.subprocess.Process,
        folder: str = "",
        on_limit: Callable[[Incident], None] | None = None,
    ) -> None:
        self.name = name
        self.process = process
        #: It was told to stop, so its end is no incident.
        self.stopping = False
        #: Its usage, and the limit that it exceeds.
        self.monitor: ResourceMonitor | None = None
        self.exceeded: Incident | None = None
        self.folder = folder
        #: For isolated bots: their way to the server, their processor, and a descriptor of the first process
        #: inside, which ends after all others there.
        self.relay: SeatRelay | None = None
        self.processor = -1
        self.first = -1
        self._on_limit = on_limit

    @property
    def pid(self) -> int:
        """Return the process id, which is also that of the process group."""
        return self.process.pid

    async def wait(self) -> int:
        """Wait for its end, and return its exit code; negative: the signal that ended it."""
        code = await self.process.wait()
        return _BY_SIGNAL - code if self.relay is not None and code > _BY_SIGNAL else code

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the bot and whatever it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    async def stop(self) -> None:
        """Wait a moment for it to end by itself, then stop it, then kill it."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                await asyncio.wait_for(self.process.wait(), STOP_TIMEOUT)
                break
            except TimeoutError:
                self.signal(number)
        await self.process.wait()
        # Child processes may outlive the bot; the group can still be signalled.
        self.signal(signal.SIGKILL)
        if self.first >= 0:
            first, self.first = self.first, -1
            try:
                await _wait_readable(first)
            finally:
                os.close(first)

    def report_exceeded(self, kind: Incident) -> None:
        """Report once that it exceeds a limit."""
        if self.exceeded is None and not self.stopping:
            self.exceeded = kind
            log.warning("limit", bot=self.name, limit=kind)
            if self._on_limit is not None:
                self._on_limit(kind)


class _ReaperProcess:
    """The ``reaper`` process, from the first line sent to it."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._starting = asyncio.Lock()
        self._pipe = -1

    async def send(self, line: str) -> None:
        """Send a line. Raises ``OSError`` if it cannot be started."""
        async with self._starting:
            if self._process is None:
                await self._start()
        # If somebody killed it, bots run without a reaper.
        with contextlib.suppress(BrokenPipeError):
            os.write(self._pipe, f"{line}\n".encode())

    async def _start(self) -> None:
        there, self._pipe = os.pipe()
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                # Not by its name: the working directory may have another ``server``.
                *(sys.executable, "-P", "-S", reaper.__file__),
                stdin=there,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
            )
        )
        try:
            self._process = await asyncio.shield(starting)
        except asyncio.CancelledError:
            self._process = await starting
            raise
        finally:
            os.close(there)

    async def stop(self) -> None:
        """Stop it: no bot is left."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            os.close(self._pipe)


class ProcessManager:
    """All bots of a server. ``close`` leaves none behind; if they are ``guarded``, nor does the end of the
    server without it, even by ``kill -9``.
    """

    def __init__(self, logs: Path | None = None, *, guarded: bool = False) -> None:
        self._reaper = _ReaperProcess() if guarded else None
        self._logs = logs
        self._running: set[BotProcess] = set()
        self._tokens: set[str] = set()
        self._watchers: set[asyncio.Task[None]] = set()
        self._poll_task: asyncio.Task[None] | None = None
        self._warned_inexact = False

    async def start(
        self,
        name: str,
        command: Sequence[str],
        settings: Mapping[str, str],
        on_exit: Callable[[int], None] | None = None,
        *,
        confinement: Confinement | None = None,
        on_limit: Callable[[Incident], None] | None = None,
    ) -> BotProcess:
        """Start a bot. ``settings`` are added to its environment; its output goes to ``NAME.log``, or nowhere
        without a folder for logs. With a ``confinement`` it gets no more than that allows, and ``on_limit``
        is called before it is stopped for exceeding a limit; without, it has our privileges. Raises
        ``OSError``.
        """
        self._tokens.add(settings["POKERD_TOKEN"])
        await self._notify_reaper(f"token {settings['POKERD_TOKEN']}")
        if confinement is None:
            # Passwords for broker and database are for the server, not for bots; parameters are for one bot.
            private = ("POKERD_DATABASE", "POKERD_MQTT", "POKERD_PARAMETERS")
            inherited = {key: value for key, value in os.environ.items() if key not in private}
            bot = await self._spawn(name, command, {**inherited, **settings})
        else:
            bot = await self._spawn_confined(name, command, settings, confinement, on_limit)
            if self._poll_task is None:
                self._poll_task = asyncio.create_task(self._poll_limits(), name="look at bots")
        watcher = asyncio.create_task(self._wait_for_exit(bot, on_exit), name=f"watch {name} {bot.pid}")
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)
        await self._notify_reaper(f"group {bot.pid}")
        return bot

    async def _spawn_confined(
        self,
        name: str,
        command: Sequence[str],
        settings: Mapping[str, str],
        confinement: Confinement,
        on_limit: Callable[[Incident], None] | None,
    ) -> BotProcess:
        """Start a bot with the launcher, and wait until it runs."""
        folder = tempfile.mkdtemp(prefix="pokerd-bot-")
        await self._notify_reaper(f"folder {folder}")
        own = dict.fromkeys(("HOME", "TMPDIR"), folder)
        server = urlsplit(settings.get("POKERD_URL", ""))
        spec, before = confinement.launch(Path(folder), server.port or 0)
        here, there = socket.socketpair()
        try:
            # As for the reaper: not by name, and without modules that a user put beside Python.
            words = (sys.executable, "-I", "-S", launcher.__file__, str(there.fileno()), str(spec), *command)
            if before:
                here.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            with there:
                environment = {**confinement.environment, **own, **settings}
                if before:  # whatever the server's address, it is here that the launcher listens
                    inside = server._replace(netloc=f"127.0.0.1:{server.port}")
                    environment["POKERD_URL"] = inside.geturl()
                start = None if before else confinement.start
                bot = await self._spawn(
                    name, (*before, *words), environment, there.fileno(), folder, on_limit, start
                )
            failure = await self._release(bot, confinement, here, server)
        except BaseException:
            if not any(one.folder == folder for one in self._running):
                remove_folder(folder)
            raise
        finally:
            here.close()
        if failure:
            await self.stop(bot)
            number, _, text = failure.decode(errors="replace").partition(" ")
            raise OSError(int(number), text)
        return bot

    async def _release(
        self, bot: BotProcess, confinement: Confinement, report: socket.socket, server: SplitResult
    ) -> bytes:
        """Watch a bot from now on, and let its launcher start the command. Return what that reports if it
        fails.
        """
        pid, overhead = bot.pid, 0
        if confinement.isolated is not None:
            listening, pid, failure = await _receive_listener(report)
            if listening is None:
                return failure
            overhead = isolation.OVERHEAD
            bot.relay = SeatRelay(listening, server.hostname or "", server.port or 0)
            with contextlib.suppress(psutil.Error, OSError):  # it has ended
                bot.first = os.pidfd_open(psutil.Process(pid).ppid())
            self._stand_back(bot, pid)
        bot.monitor = ResourceMonitor(pid, confinement.limits, bot.folder, overhead)
        self._warn_if_inexact(bot.monitor)
        with contextlib.suppress(OSError):  # it has ended
            report.send(b"\n")
        return await _read_to_end(report.fileno())

    def _stand_back(self, bot: BotProcess, pid: int) -> None:
        """Give an isolated bot, which is about to start with this process, one processor: the one that has
        the fewest, so that nothing that it starts takes the time of a bot beside it, or of the server.
        """
        available = sorted(os.sched_getaffinity(0))
        taken = Counter(one.processor for one in self._running)
        bot.processor = min(
            available, key=lambda number: (taken[number], (number + os.getpid()) % len(available))
        )
        with contextlib.suppress(OSError):  # it has ended
            os.sched_setaffinity(pid, {bot.processor})
            os.setpriority(os.PRIO_PROCESS, pid, ISOLATED_NICENESS)
            # Where the kernel groups processes by session, the group has a niceness of its own.
            Path(f"/proc/{pid}/autogroup").write_text(str(ISOLATED_NICENESS))
        with contextlib.suppress(OSError):
            Path(f"/proc/{pid}/oom_score_adj").write_text(_KILLED_FIRST)

    def _warn_if_inexact(self, monitor: ResourceMonitor) -> None:
        """Warn once if a limit of CPU time can be evaded."""
        if monitor.limits.cpu_s and not monitor.exact and not self._warned_inexact:
            self._warned_inexact = True
            log.warning("CPU time of bots is measured incompletely", reason=INEXACT_REASON)

    async def _spawn(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        report: int = -1,
        folder: str = "",
        on_limit: Callable[[Incident], None] | None = None,
        start: str | None = None,
    ) -> BotProcess:
        with self._open_output(name) as output:
            starting = asyncio.ensure_future(
                asyncio.create_subprocess_exec(
                    *command,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    env={**environment, "POKERD_MANAGED": "1"},
                    cwd=start,
                    start_new_session=True,
                    pass_fds=() if report < 0 else (report,),
                )
            )
            try:
                process = await asyncio.shield(starting)
            except asyncio.CancelledError:
                # If this were cancelled half way, nothing would stop the bot: ``close`` does.
                with contextlib.suppress(OSError):
                    self._register(BotProcess(name, await starting, folder, on_limit))
                raise
        return self._register(BotProcess(name, process, folder, on_limit))

    def _register(self, bot: BotProcess) -> BotProcess:
        self._running.add(bot)
        return bot

    async def _notify_reaper(self, line: str) -> None:
        if self._reaper is not None:
            await self._reaper.send(line)

    def _open_output(self, name: str) -> AbstractContextManager[IO[bytes] | None]:
        if self._logs is None:
            return Path(os.devnull).open("wb")
        self._logs.mkdir(parents=True, exist_ok=True)
        return (self._logs / f"{name}.log").open("ab")

    async def _wait_for_exit(self, bot: BotProcess, on_exit: Callable[[int], None] | None) -> None:
        code = await bot.wait()
        if code == -signal.SIGXCPU:
            bot.report_exceeded(Incident.CPU_LIMIT)
        if not bot.stopping and on_exit is not None:
            on_exit(code)

    async def stop(self, bot: BotProcess) -> None:
        """Stop a bot. If this is cancelled, ``close`` does it."""
        bot.stopping = True
        await bot.stop()
        if bot.monitor is not None:
            bot.monitor.close()
        if bot.relay is not None:
            await bot.relay.close()
        if bot.folder:
            await asyncio.to_thread(remove_folder, bot.folder)
        self._running.discard(bot)
        await self._notify_reaper(f"ended {bot.pid}")

    async def _poll_limits(self) -> None:
        """Check the limits of bots as long as there are any."""
        for number in itertools.count(1):
            await asyncio.sleep(POLL_INTERVAL)
            bots = [bot for bot in self._running if bot.monitor is not None and not bot.stopping]
            if bots:
                thorough = number % DISK_CHECK_EVERY == 0
                try:
                    over = await asyncio.to_thread(_find_exceeding, bots, thorough=thorough)
                except OSError as error:  # usually no descriptor is free; the next check may succeed
                    log.warning("cannot measure bots", error=str(error))
                    continue
                for bot, kind, processes in over:
                    self._kill(bot, kind, processes)

    @staticmethod
    def _kill(bot: BotProcess, kind: Incident, processes: Sequence[int]) -> None:
        if not bot.stopping:
            bot.report_exceeded(kind)
            bot.signal(signal.SIGKILL)
            for number in processes:  # those that left its group, too
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(number, signal.SIGKILL)

    async def close(self, *, at_once: bool = True) -> None:
        """Stop all running bots; unless ``at_once``, each may end by itself first, as in ``stop``."""
        bots = list(self._running)
        for bot in bots:
            bot.stopping = True
            if at_once:
                bot.signal(signal.SIGTERM)
        await asyncio.gather(*map(self.stop, bots))
        await asyncio.gather(*self._watchers)
        looking, self._poll_task = self._poll_task, None
        if looking is not None:
            looking.cancel()
            await asyncio.wait([looking])
        self._kill_leftovers()
        if self._reaper is not None:
            await self._reaper.stop()

    def _kill_leftovers(self) -> None:
        """Kill processes that a bot moved out of its process group: they have the bot's token."""
        for process in processes_with_token(self._tokens):
            with contextlib.suppress(psutil.Error, OSError):
                log.warning("left behind by a bot", pid=process.pid)
                process.kill()


def _find_exceeding(
    bots: Sequence[BotProcess], *, thorough: bool
) -> list[tuple[BotProcess, Incident, Sequence[int]]]:
    """Return the bots that exceed a limit, with the limit and all their processes."""
    used = measure([bot.pid for bot in bots])
    found: list[tuple[BotProcess, Incident, Sequence[int]]] = []
    for bot in bots:
        assert bot.monitor is not None
        kind = bot.monitor.find_exceeded(used[bot.pid], check_disk=thorough)
        if kind is not None:
            found.append((bot, kind, used[bot.pid].processes))
    return found


async def _receive_listener(report: socket.socket) -> tuple[socket.socket | None, int, bytes]:
    """Return the socket that an isolated launcher sends, and its process as we see it; or None and why there
    is none, as the launcher reports.
    """
    report.setblocking(False)
    await _wait_readable(report.fileno())
    descriptor = array.array("i", [0])
    space = socket.CMSG_SPACE(descriptor.itemsize) + socket.CMSG_SPACE(_CREDENTIALS.size)
    text, extras, _, _ = report.recvmsg(4096, space, socket.MSG_CMSG_CLOEXEC)
    found, process = None, 0
    for _, kind, data in extras:
        if kind == socket.SCM_CREDENTIALS:
            process, _, _ = _CREDENTIALS.unpack(data)
        elif kind == socket.SCM_RIGHTS:
            descriptor.frombytes(data)
            found = socket.socket(fileno=descriptor[-1])
    if found is None:
        return None, process, text or b"%d bubblewrap failed; its log says why" % errno.EPERM
    return found, process, b""


async def _wait_readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)


async def _read_to_end(pipe: int) -> bytes:
    """Return what is written to a pipe or socket until its other end is closed."""
    os.set_blocking(pipe, False)
    text = b""
    while True:
        await _wait_readable(pipe)
        part = os.read(pipe, 4096)
        if not part:
            return text
        text += part


#: A ``dealer.py`` in the working directory is not ours.
_POKERD: Final = (sys.executable, "-P", "-m", "pokerd")


def builtin_command(name: str) -> list[str]:
    """Return the command that starts a house bot, whatever files the working directory has."""
    return [*_POKERD, "bot", name]


def bridge_command(command: Sequence[str], start: float) -> list[str]:
    """Return the command that starts an ACPC program with a bridge; the program has ``start`` seconds to
    connect.
    """
    return [*_POKERD, "bridge", "--start-timeout", f"{start:g}", "--", *command]
