"""``pokerd train`` that is stopped by a signal."""

from __future__ import annotations

import signal
from pathlib import Path

import numpy as np
import psutil
import pytest

from pokerd.__main__ import main
from strategy.cfr.files import read_arrays, read_header
from strategy.progress import ProgressCallback, chunks
from tests.pokerd.commands import LEDUC
from tests.support.programs import PYTHON, Program, eventually


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_making_of_tables_can_be_ended(
    number: signal.Signals,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def make(say: ProgressCallback) -> None:
        for _ in chunks(3, 1, "tables", say):
            signal.raise_signal(number)
        raise AssertionError("nobody ended it")

    file = tmp_path / "three"
    monkeypatch.setattr("strategy.three_player.cfr_three.make_moment_tables", make)
    command = ("holdem.limit.3p", "--variant", "es-mccfr", "--iterations", "10", "--out", str(file))
    assert main(["train", "cfr", *command]) == 130
    assert capsys.readouterr().err.endswith(f" {file}\n")
    assert read_header(file)["deals"] == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_by_a_signal_it_keeps_what_it_has(number: signal.Signals, tmp_path: Path) -> None:
    file = tmp_path / "leduc"
    command = ("-m", "pokerd", "train", "cfr", LEDUC, "--seconds", "600", "--out", file)
    with Program(PYTHON, *command) as program:
        # The file is there before the work begins.
        eventually(file.exists)
        begun = psutil.Process(program.process.pid)
        eventually(lambda: begun.cpu_times().user > 2)
        assert program.stop(number) == 130
    (said,) = program.said(rf"^stopped after ([0-9,]+) iterations, saved in {file}$")
    # Exactly so many: a run that ends there by itself has the same sums.
    whole, count = tmp_path / "whole", said[1].replace(",", "")
    assert int(count) > 0
    assert main(["train", "cfr", LEDUC, "--iterations", count, "--out", str(whole)]) == 0
    for key, array in read_arrays(whole)[1].items():
        assert np.array_equal(array, read_arrays(file)[1][key]), key


def test_a_hangup_that_is_ignored_stays_so(tmp_path: Path) -> None:
    file = tmp_path / "leduc"
    command = ("-m", "pokerd", "train", "cfr", LEDUC, "--seconds", "1", "--out", str(file))
    with Program("nohup", PYTHON, *command) as program:
        eventually(file.exists)
        program.process.send_signal(signal.SIGHUP)
        assert program.end() == 0
