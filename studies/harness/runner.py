"""Runs a study by its name: its units of work with a progress bar, then its report.

Finished units are kept in ``work.jsonl`` beside the report. After an interruption the same command continues,
and gives the same report.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, NamedTuple

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

import studies
from studies.harness.errors import StudyError
from studies.harness.report import StudyReport, write_report
from studies.harness.work import Unit, WorkerDied, program_digest, run_units

SEED = 2017
"""The default seed of studies."""


class UnknownStudy(StudyError):
    """No study has this name; the message lists the existing ones."""

    code = "unknown_study"


class NoDirectory(StudyError):
    """The report cannot go there: a file has this name."""

    code = "out_exists"


class Study(NamedTuple):
    """``units(quick, seed)`` is the work; ``report(quick, seed, results)`` is a function of these arguments
    alone.
    """

    title: str
    units: Callable[[bool, int], Sequence[Unit]]
    report: Callable[[bool, int, Mapping[str, Any]], StudyReport]


def study_names() -> tuple[str, ...]:
    """Return the names of all studies, sorted: the modules and packages of ``studies`` but this one."""
    return tuple(sorted(found.name for found in iter_modules(studies.__path__) if found.name != "harness"))


def study_of(name: str) -> Study:
    """Return the study of that name, ``STUDY`` of its module. Raises UnknownStudy."""
    if name not in study_names():
        raise UnknownStudy(f"no study is called {name[:64]!r}; there are {', '.join(study_names())}")
    study: Study = import_module(f"studies.{name}").STUDY
    return study


def run_study(name: str, out: Path, *, quick: bool = False, seed: int = SEED, workers: int = 2) -> int:
    """Run a study and write its report into the directory ``out``. Return the exit code: 0, or 130 if
    interrupted.

    Raises UnknownStudy, NoDirectory, DamagedStore, WorkerDied and MissingLibrary.
    """
    study = study_of(name)
    if out.exists() and not out.is_dir():
        raise NoDirectory(f"{out} is not a directory; choose another with --out")
    units = study.units(quick, seed)
    mark = {"study": name, "quick": quick, "seed": seed, "program": program_digest()}
    console = Console(highlight=False, soft_wrap=True)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    for number in handlers:
        signal.signal(number, signal.default_int_handler)
    try:
        with _progress(console) as progress:
            bar = progress.add_task(name, total=sum(unit.weight for unit in units), units=f"0/{len(units)}")
            spent: dict[str, float] = {}

            def advance(unit: Unit, seconds: float) -> None:
                spent[unit.key] = seconds
                progress.update(bar, advance=unit.weight, units=f"{len(spent)}/{len(units)}")

            results = run_units(units, workers=workers, store=out / "work.jsonl", mark=mark, on_done=advance)
    except KeyboardInterrupt:
        console.print(f"stopped: {_result_files(out)}")
        return 130
    except WorkerDied as error:
        raise WorkerDied(f"{error}; {_result_files(out)}") from None
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler or signal.SIG_DFL)
    report = study.report(quick, seed, results)
    if not quick:
        report = replace(report, seconds=spent)
    write_report(report, out)
    for row in report.rows:
        console.print(f"{row.verdict:18} {row.id}")
    console.print(f"report: {out / 'report.md'}")
    return 0


def _result_files(out: Path) -> str:
    return f"what is finished is kept in {out}; the same command goes on from there"


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[units]}"),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        console=console,
    )
