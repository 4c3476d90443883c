"""What all tests share: the hypothesis profile, the event loop, and a guard that nothing outlives a test."""

from __future__ import annotations

import asyncio
import gc
import linecache
import logging
import os
import resource
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import suppress
from inspect import iscoroutinefunction
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import psutil
import pytest
import structlog
import uvloop
from hypothesis import settings

import pokerd  # noqa: F401 (first: it decides whether the compiled modules are the ones imported)

if TYPE_CHECKING:
    from tests.support.postgres import Postgres

# Compiled modules are kept, whatever the machine's habit: hundreds of programs are started here, and each
# would compile all of its own again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# What is collected stays until the end. To look through it again and again for what could be freed would take
# nearly as long as the rest of collecting.
gc.disable()

# An event loop that debugs keeps a stack with every callback, and would look for each of its files whether
# that has changed: a tenth and more of what servers cost in here.
setattr(linecache, "checkcache", lambda filename=None: None)  # noqa: B010 (mypy takes no other)

# The same examples on every run, and no failure because a shared machine was slow once.
settings.register_profile("pokerd", derandomize=True, deadline=None)
settings.load_profile("pokerd")

# A shell that starts this in the background makes it ignore Ctrl-C, and every program that it starts too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

#: Set for every test and inherited by whatever it starts, wherever that moves itself to; by bots too, which
#: get of the server's environment little more than the locale.
MARK = "LC_POKERD_TEST"
#: Seconds that a process which was told to end, or a task that was cancelled, may take for it.
PATIENCE = 30.0


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The loop that the server runs in."""
    return {"uvloop": uvloop.new_event_loop}


def pytest_xdist_auto_num_workers() -> int:
    """Two more than there are processors: tests of programs wait about as long as they compute."""
    return (os.cpu_count() or 1) + 2


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Free what is garbage, and look from now on only at what tests make."""
    gc.enable()
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_process_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail if a process that the test started, directly or not, is still there after it."""
    mark = uuid4().hex
    monkeypatch.setenv(MARK, mark)
    before = _children()
    yield
    # A look at all processes takes longer than most tests: only where the test started one.
    if _children() == before:
        return
    _, alive = psutil.wait_procs(marked(mark), timeout=PATIENCE)
    names = [f"{process.pid} {_command(process)}" for process in alive]
    for process in alive:
        process.kill()
    psutil.wait_procs(alive, timeout=PATIENCE)
    if names:
        pytest.fail("processes left behind: " + "; ".join(names))


def _children() -> tuple[int, set[int]]:
    """A figure that grows with every child process that has ended, and those that have not."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return ended, set()
    # psutil looks through all processes, which takes longer than most tests.
    lists = list(Path("/proc/self/task").glob("*/children"))
    with suppress(OSError):  # a thread has ended meanwhile, and another has its children
        if lists:
            return ended, {int(pid) for one in lists for pid in one.read_bytes().split()}
    return ended, {child.pid for child in psutil.Process().children()}


@pytest.fixture(autouse=True)
def no_task_left_of_a_coroutine(request: pytest.FixtureRequest) -> None:
    """The same of tasks, for the tests that have a loop."""
    if iscoroutinefunction(getattr(request, "function", None)):
        request.getfixturevalue("no_task_left")


def marked(mark: str) -> list[psutil.Process]:
    """Processes whose environment has the mark, but for this one."""
    found = []
    for process in psutil.process_iter():
        try:
            ours = process.pid != os.getpid() and _has(process, mark)
            # Python's own: started once, it stays as long as we do.
            if ours and "multiprocessing.resource_tracker" not in _command(process):
                found.append(process)
        except (psutil.Error, OSError):
            continue  # it ended meanwhile, or is somebody else's
    return found


def _has(process: psutil.Process, mark: str) -> bool:
    try:
        # To take it apart would take three times as long.
        return f"{MARK}={mark}".encode() in Path(f"/proc/{process.pid}/environ").read_bytes()
    except FileNotFoundError:  # nowhere on this system, or not any more
        return process.environ().get(MARK) == mark


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return "?"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A database server for all tests that need one: each makes a database of its own."""
    from tests.support.postgres import running

    with running() as server:
        yield server


@pytest.fixture(autouse=True)
def no_error_logged() -> Iterator[list[str]]:
    """Fail if the server logs an error: a fault of its own. A test that
    provokes one takes it off the list."""
    errors: list[str] = []

    def collect(_: Any, __: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
        errors.append(repr(event))
        raise structlog.DropEvent

    wrapper = structlog.make_filtering_bound_logger(logging.ERROR)
    structlog.configure(processors=[structlog.processors.format_exc_info, collect], wrapper_class=wrapper)
    yield errors
    structlog.reset_defaults()
    if errors:
        pytest.fail("the server logged errors:\n" + "\n".join(errors))


class _Errors(logging.Handler):
    """What libraries say instead of raising it."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        # picows calls it an error when a peer breaks the websocket protocol. That is none of ours.
        if not record.getMessage().startswith("WS parser error"):
            self.lines.append(self.format(record))


@pytest.fixture
async def no_task_left() -> AsyncIterator[None]:
    """Fail if the test leaves a task running, or if a callback of the loop raised something."""
    loop = asyncio.get_running_loop()
    trouble: list[str] = []

    def raised(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        trouble.append(f"{context['message']}: {context.get('exception')!r}")

    loop.set_exception_handler(raised)
    errors = _Errors()
    logging.getLogger().addHandler(errors)
    before = asyncio.all_tasks()
    try:
        yield
    finally:
        logging.getLogger().removeHandler(errors)
    rest = asyncio.all_tasks() - before - {asyncio.current_task()}
    if rest:
        _, pending = await asyncio.wait(rest, timeout=PATIENCE)
        trouble += [f"left running: {task!r}" for task in pending]
    if trouble or errors.lines:
        pytest.fail("\n".join(trouble + errors.lines))
