"""Studies that are interrupted, whose processes are killed, or whose file is damaged."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

import studies
from pokerd.__main__ import main
from studies.harness.report import Row, StudyReport
from studies.harness.runner import Study
from studies.harness.work import Unit
from tests.support.programs import eventually

#: A FIFO into which units write their process's number, before they wait for ever.
FIFO = "POKERD_TEST_FIFO"
PROGRAM = """
import sys
import studies
from pokerd.__main__ import main
if __name__ == "__main__":
    studies.__path__.append(sys.argv[2])
    sys.exit(main(["study", "tiny", "--out", sys.argv[1]]))
"""


def work(number: int) -> int:
    """The first two are done at once; the others wait for ever where there is a FIFO."""
    fifo = os.environ.get(FIFO)
    if fifo and number > 1:
        with open(fifo, "w", encoding="ascii") as file:  # noqa: PTH123 (a FIFO)
            file.write(f"{os.getpid()}\n")
        signal.pause()
    return number


def _units(quick: bool, seed: int) -> Sequence[Unit]:
    return [Unit(f"{number}", work, (number,)) for number in range(6)]


def _report(quick: bool, seed: int, results: Mapping[str, Any]) -> StudyReport:
    row = Row("sum", "1", "the sum", None, sum(results.values()), "beyond")
    return StudyReport("tiny", "Tiny", quick, {"seed": seed}, [], [row])


STUDY = Study("Tiny", _units, _report)


def tiny_study(place: Path) -> str:
    """A folder that has the study as a module."""
    folder = place / "studies"
    folder.mkdir(exist_ok=True)
    module = f"from {__name__} import STUDY\n"
    (folder / "tiny.py").write_text(module, encoding="utf-8")
    return str(folder)


class Running:
    """The study in a process of its own, in a session of its own, and the two processes that wait."""

    def __init__(self, place: Path) -> None:
        self.out = place / "out"
        fifo = place / "fifo"
        os.mkfifo(fifo)
        program = place / "program.py"
        program.write_text(PROGRAM, encoding="utf-8")
        root = Path(__file__).resolve().parents[3]
        self.process = subprocess.Popen(
            [sys.executable, str(program), str(self.out), tiny_study(place)],
            env={**os.environ, FIFO: str(fifo), "PYTHONPATH": str(root)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.workers: list[psutil.Process] = []
        while len(self.workers) < 2:
            self.workers += [psutil.Process(int(line)) for line in fifo.read_text("ascii").splitlines()]
        eventually(lambda: len(self.kept()) >= 2)

    def ended(self) -> tuple[int, str, str]:
        """The exit code and what was said, when all of its processes are gone."""
        out, err = self.process.communicate(timeout=30)
        assert psutil.wait_procs(self.workers, timeout=30)[1] == []
        return self.process.returncode, out, err

    def kept(self) -> list[str]:
        """Keys of the units that are finished."""
        lines = (self.out / "work.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line)[0] for line in lines[1:]]


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    one = Running(tmp_path)
    yield one
    for process in one.workers:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    one.process.kill()
    one.process.communicate()


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Runs the study in this process."""
    monkeypatch.setattr(studies, "__path__", [*studies.__path__, tiny_study(tmp_path)])
    return lambda *arguments: main(["study", "tiny", "--workers", "1", *arguments])


def test_ctrl_c_ends_it_with_all_its_processes(running: Running) -> None:
    os.killpg(running.process.pid, signal.SIGINT)
    code, _, err = running.ended()
    assert (code, err) == (130, "")
    assert sorted(running.kept()) == ["0", "1"]


def test_a_process_that_is_killed_ends_it_and_the_same_command_goes_on(
    running: Running, study: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    running.workers[0].kill()
    code, _, err = running.ended()
    assert code == 2
    assert err.endswith("[worker_died]\n")
    assert "Traceback" not in err
    assert sorted(running.kept()) == ["0", "1"]
    assert study("--out", str(running.out)) == 0
    assert json.loads((running.out / "report.json").read_text("utf-8"))["rows"][0]["measured"] == 15
    assert "work.jsonl.old" not in capsys.readouterr().out


def test_no_process_outlives_it_when_it_is_killed(running: Running) -> None:
    running.process.kill()
    assert running.ended()[0] == -signal.SIGKILL


def test_another_seed_is_said_to_begin_anew(
    study: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert study("--out", str(tmp_path)) == 0
    assert study("--out", str(tmp_path)) == 0
    assert "work.jsonl.old" not in capsys.readouterr().out
    assert study("--out", str(tmp_path), "--seed", "3") == 0
    assert "work.jsonl.old" in capsys.readouterr().out


def test_a_damaged_file_is_refused_with_its_line(
    study: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert study("--out", str(tmp_path)) == 0
    store = tmp_path / "work.jsonl"
    store.write_text(store.read_text("utf-8") + "garb\n", encoding="utf-8")
    assert study("--out", str(tmp_path)) == 2
    said = capsys.readouterr().err
    assert re.search(r"work\.jsonl.*\b8\b", said)
    assert said.endswith("[bad_work]\n")
