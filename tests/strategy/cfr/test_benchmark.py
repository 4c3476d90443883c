"""The benchmark of the solvers, which needs no other engine."""

from __future__ import annotations

import pytest

from benchmarks.players.solvers import main


def test_the_benchmark_runs(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--quick", "--rounds", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["CFR+", "to", "exploitability", "solver", "iterations", "CPU", "s", "times"]
    assert {line.split()[0] for line in lines[1:]} == {"kuhn", "leduc"}
    assert sum("pokerd" in line for line in lines) == 2
