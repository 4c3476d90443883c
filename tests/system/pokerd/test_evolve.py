"""``pokerd evolve`` that is interrupted or killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pokerd.__main__ import main
from strategy.pushfold.files import load_chart
from tests.pokerd.commands import QUICK


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_evolution_that_is_interrupted_keeps_what_there_is(number: signal.Signals, tmp_path: Path) -> None:
    out = tmp_path / "best.json"
    command = [sys.executable, "-m", "pokerd", "evolve", "--players", "complex", "--out", str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        running.stdout.readline()
        running.send_signal(number)
        _, told = running.communicate(timeout=60)
    assert running.returncode == 130, told
    assert load_chart(out).stacks.tolist() == [10.0]


def test_an_evolution_that_is_killed_leaves_what_was_there(tmp_path: Path) -> None:
    out, history = tmp_path / "best.json", tmp_path / "best.json.history"
    assert main(["evolve", *QUICK, "--out", str(out)]) == 0
    before = out.read_bytes(), history.read_bytes()
    command = [sys.executable, "-m", "pokerd", "evolve", "--players", "complex", "--out", str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline()
        running.kill()
    assert (out.read_bytes(), history.read_bytes()) == before
    assert main(["evolve", *QUICK, "--seed", "1", "--out", str(out)]) == 0
    assert history.read_bytes() != before[1]
    assert sorted(tmp_path.iterdir()) == [out, history]
