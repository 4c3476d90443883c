"""Units of work in several processes, some of which die."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from studies.harness.work import Unit, WorkerDied, program_digest, run_units
from tests.studies.squares import MARK, WANTED, square, units


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_by_key_in_the_order_of_the_units(workers: int, tmp_path: Path) -> None:
    done: list[str] = []
    found = run_units(
        units(6),
        workers=workers,
        store=tmp_path / "deep" / "work.jsonl",
        mark=MARK,
        on_done=lambda unit, _: done.append(unit.key),
    )
    assert list(found.items()) == list(WANTED.items())
    assert sorted(done) == sorted(WANTED)


def die_once(marker: str) -> dict[str, Any]:
    """Kills its own process, as the system does when memory is short; but only where there is no marker."""
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return square(5)


def test_when_a_process_is_killed_that_is_said_and_what_is_finished_is_kept(tmp_path: Path) -> None:
    store = tmp_path / "work.jsonl"
    work = [*units(5), Unit("unit/5", die_once, (str(tmp_path / "marker"),))]
    with pytest.raises(WorkerDied, match=r"\b6\b") as refusal:
        run_units(work, workers=2, store=store, mark=MARK)
    assert refusal.value.code == "worker_died"
    assert multiprocessing.active_children() == []
    kept = [json.loads(line)[0] for line in store.read_text("utf-8").splitlines()]
    assert kept[0] == "mark"
    assert "unit/5" not in kept
    left = 6 - len(kept[1:])
    assert f" {left} of 6 units" in str(refusal.value)
    again: list[str] = []
    assert (
        run_units(work, workers=2, store=store, mark=MARK, on_done=lambda unit, _: again.append(unit.key))
        == WANTED
    )
    assert sorted(again) == sorted(WANTED)


def test_the_mark_of_the_program_stays_while_the_program_does() -> None:
    assert program_digest() == program_digest()
    assert len(program_digest()) == 16
