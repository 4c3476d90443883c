"""Units of work: done by several processes, stored as they finish, never done twice.

A unit is a function of its arguments alone, so neither the order nor the number of processes nor an
interruption changes a result. Results are JSON values, and not null. Stored results belong to a ``mark`` (the
task and the program's version): under another mark they are put aside, and all is done again.
"""

from __future__ import annotations

import fcntl
import json
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Thread
from typing import IO, Any, NamedTuple

from studies.harness.arena import Contest, ContestResult
from studies.harness.errors import StudyError

_ROOMS = ("dealer", "strategy", "studies")


class WorkerDied(StudyError):
    """A process that did units of work has died, by a signal or for lack of memory."""

    code = "worker_died"
    at_fault = "environment"


class DamagedStore(StudyError):
    """The file of finished units is damaged; the message names the line and a remedy."""

    code = "bad_work"
    at_fault = "environment"


class StoreInUse(StudyError):
    """Another process does the units of this directory."""

    code = "in_use"


class Unit(NamedTuple):
    """A call ``function(*arguments)`` to be made; both can be sent to another process.

    ``key`` is its name. ``weight`` is its relative duration, for the progress bar. ``needs``: keys of units
    that need nothing themselves; a list of their results is one more, last argument.
    """

    key: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    weight: float = 1.0
    needs: tuple[str, ...] = ()


class _Finished(NamedTuple):
    result: Any
    seconds: float


def program_digest() -> str:
    """Return a digest of the program that plays: its source and its data."""
    root = Path(__file__).resolve().parents[2]
    digest = sha256()
    for room in _ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix in (".py", ".json"):
                digest.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def run_units(
    units: Sequence[Unit],
    *,
    workers: int = 1,
    store: Path | None = None,
    mark: Mapping[str, Any] | None = None,
    on_done: Callable[[Unit, float], object] = lambda unit, seconds: None,
) -> dict[str, Any]:
    """Return the results of all units by key, in the order of ``units``.

    Results in the file ``store`` under this ``mark`` are not computed again, and every other result is added
    to it as it comes. With one worker all is done in this process. ``on_done`` is called for each unit, with
    the CPU time that it took, in seconds. Raises StoreInUse, DamagedStore, WorkerDied after everything
    finished is stored, and the units' errors.
    """
    if store is None:
        found: dict[str, _Finished] = {}
        _run_missing(units, found, workers, on_done, None)
    else:
        store.parent.mkdir(parents=True, exist_ok=True)
        with _locked(store.parent):
            found = _load_finished(store, mark, {unit.key for unit in units})
            with store.open("a" if found else "w", encoding="utf-8") as file:
                if not found:
                    _write(file, ["mark", mark])
                _run_missing(units, found, workers, on_done, file)
    return {unit.key: found[unit.key].result for unit in units}


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other processes out of the directory, until the end of the block or of this process."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            what = "another process works in"
            raise StoreInUse(f"{what} {folder}; wait until it ends, or choose another directory") from None
        yield
    finally:
        os.close(descriptor)


def _run_missing(
    units: Sequence[Unit],
    found: dict[str, _Finished],
    workers: int,
    on_done: Callable[[Unit, float], object],
    file: IO[str] | None,
) -> None:
    for unit in units:
        if unit.key in found:
            on_done(unit, found[unit.key].seconds)
    by_key = {unit.key: unit for unit in units}
    for ready in ([unit for unit in units if not unit.needs], [unit for unit in units if unit.needs]):
        left = [_with_needs(unit, found) for unit in ready if unit.key not in found]
        with closing(_iter_results(left, workers)) as done:
            for key, one in done:
                # As it will be read back, so that an interrupted run gives the same as an uninterrupted one.
                found[key] = _Finished(*json.loads(json.dumps(one)))
                if file is not None:
                    _write(file, [key, *one])
                on_done(by_key[key], one.seconds)


def _with_needs(unit: Unit, found: Mapping[str, _Finished]) -> Unit:
    """Return a unit with the results that it needs among its arguments."""
    if not unit.needs:
        return unit
    return unit._replace(arguments=(*unit.arguments, [found[key].result for key in unit.needs]))


def _load_finished(store: Path, mark: Mapping[str, Any] | None, keys: set[str]) -> dict[str, _Finished]:
    """Return the results in the file under this mark.

    A truncated last line is removed from the file, and a file of another mark is renamed. Raises DamagedStore
    for every other invalid line.
    """
    if not store.is_file():
        return {}
    whole, _, rest = store.read_bytes().rpartition(b"\n")
    lines = [_parse_line(store, number, line) for number, line in enumerate(whole.splitlines(), 1)]
    if not lines:
        return {}
    name, *stored_mark = lines[0]
    if name != "mark":
        raise _damaged_line(store, 1)
    if stored_mark != [json.loads(json.dumps(mark))]:
        old = _free_name(store)
        store.replace(old)
        print(f"what {store} has is of another program, seed or plan: kept as {old.name}, all is begun anew")
        return {}
    found = {}
    for number, (key, *one) in enumerate(lines[1:], 2):
        if key not in keys or len(one) != 2 or one[0] is None or not isinstance(one[1], float):
            raise _damaged_line(store, number)
        found[key] = _Finished(*one)
    if rest:
        store.write_bytes(whole + b"\n")
    return found


def _free_name(store: Path) -> Path:
    """Return a name beside the file that nothing has, so that what was put aside before stays."""
    number, name = 1, store.with_name(f"{store.name}.old")
    while name.exists():
        number += 1
        name = store.with_name(f"{store.name}.old{number}")
    return name


def _parse_line(store: Path, number: int, line: bytes) -> list[Any]:
    """Return the line as it was written: at least a name."""
    try:
        parts = json.loads(line)
    except ValueError:
        raise _damaged_line(store, number) from None
    if not isinstance(parts, list) or not parts or not isinstance(parts[0], str):
        raise _damaged_line(store, number)
    return parts


def _damaged_line(store: Path, number: int) -> DamagedStore:
    todo = "take the file away: all is begun anew"
    if number > 1:
        todo = f"take the line away: what it was is done again; or {todo}"
    return DamagedStore(f"{store}, line {number}: damaged, not something that was written there; {todo}")


def _write(file: IO[str], line: list[Any]) -> None:
    file.write(json.dumps(line) + "\n")
    file.flush()


def _iter_results(units: Sequence[Unit], workers: int) -> Generator[tuple[str, _Finished], None, None]:
    if workers == 1 or len(units) < 2:
        yield from map(_run_unit, units)
        return
    died = 0
    with _worker_pool(min(workers, len(units))) as executor:
        for future in as_completed([executor.submit(_run_unit, unit) for unit in units]):
            try:
                yield future.result()
            except BrokenProcessPool:
                # Every remaining unit ends like this, at once; units finished earlier may come after it.
                died += 1
    if died:
        why = "a process that computed was killed, perhaps for want of memory"
        raise WorkerDied(f"{why}: {died} of {len(units)} units are left to do")


@contextmanager
def _worker_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Start processes for units; end all of them on exit, whatever they are doing."""
    # New processes: a fork would copy threads that libraries have started here.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(workers, context, _init_worker)
    try:
        yield executor
    except BaseException:
        # Their work is not needed. The executor notices that they are gone, and drops the rest.
        for process in set(multiprocessing.active_children()) - others:
            process.kill()
        raise
    finally:
        executor.shutdown()


def _run_unit(unit: Unit) -> tuple[str, _Finished]:
    began = time.process_time()
    result = unit.function(*unit.arguments)
    return unit.key, _Finished(result, round(time.process_time() - began, 3))


def _init_worker() -> None:
    """Ignore Ctrl-C, which reaches all processes of a terminal: the first process alone decides, and ends the
    others. They also end if it is killed.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def contest_units(name: str, contest: Contest) -> list[Unit]:
    """Return a unit for each match of a contest: all line-ups and seatings; see ``contest_results``."""
    matches = range(contest.division.matches)
    weight = contest.division.sessions / len(matches) * contest.division.hands
    return [Unit(f"{name}/{match}", _play_match, (contest, match), weight) for match in matches]


def _play_match(contest: Contest, match: int) -> list[list[Any]]:
    return [[nets, places] for _, nets, places in map(contest.play, contest.match(match))]


def contest_results(name: str, contest: Contest, done: Mapping[str, Any]) -> list[ContestResult]:
    """Return the sessions that the units of ``contest_units`` have played, in order."""
    return [
        ContestResult(session, nets, places)
        for match in range(contest.division.matches)
        for session, (nets, places) in zip(contest.match(match), done[f"{name}/{match}"], strict=True)
    ]
