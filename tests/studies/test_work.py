"""Units of work: whatever happens in between, the results are the same, and nothing is done twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from studies.work import Unit, do, program_mark

MARK = {"study": "test", "seed": 1}


def square(number: int) -> dict[str, Any]:
    return {"square": number * number, "pair": (number, number)}


def units(count: int) -> list[Unit]:
    return [Unit(f"unit/{number}", square, (number,), number + 1.0) for number in range(count)]


WANTED = {f"unit/{number}": {"square": number * number, "pair": [number, number]} for number in range(6)}


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_by_key_in_the_order_of_the_units(workers: int, tmp_path: Path) -> None:
    done: list[str] = []
    found = do(
        units(6),
        workers=workers,
        store=tmp_path / "deep" / "work.jsonl",
        mark=MARK,
        on_done=lambda unit: done.append(unit.key),
    )
    assert list(found.items()) == list(WANTED.items())
    assert sorted(done) == sorted(WANTED)


def test_without_a_store_nothing_is_written() -> None:
    assert do(units(6)) == WANTED


class Interrupted(Exception):
    pass


def test_what_is_finished_is_not_done_again(tmp_path: Path) -> None:
    store = tmp_path / "work.jsonl"
    seen: list[str] = []

    def stop(unit: Unit) -> None:
        seen.append(unit.key)
        if len(seen) == 3:
            raise Interrupted

    with pytest.raises(Interrupted):
        do(units(6), store=store, mark=MARK, on_done=stop)
    assert len(store.read_text().splitlines()) == 4
    # What was done is read back; were it done again, this would show.
    lines = store.read_text().splitlines()
    lines[1] = json.dumps(["unit/0", "kept"])
    store.write_text("\n".join(lines) + '\n["unit/3", {"squ', encoding="utf-8")  # cut off while writing
    found = do(units(6), store=store, mark=MARK)
    assert found == {**WANTED, "unit/0": "kept"}
    assert len(store.read_text().splitlines()) == 7
    assert do(units(6), store=store, mark=MARK) == found


def test_results_of_another_mark_are_thrown_away(tmp_path: Path) -> None:
    store = tmp_path / "work.jsonl"
    store.write_text('["mark", {"study": "test", "seed": 2}]\n["unit/0", "old"]\n', encoding="utf-8")
    assert do(units(6), store=store, mark=MARK) == WANTED
    assert do(units(6), store=store, mark=MARK) == WANTED


def test_a_unit_that_fails_ends_the_work(tmp_path: Path) -> None:
    wrong = Unit("wrong", square, ("a",))
    with pytest.raises(TypeError):
        do([*units(2), wrong], store=tmp_path / "work.jsonl", mark=MARK)
    with pytest.raises(TypeError):
        do([*units(2), wrong], workers=2, store=tmp_path / "work.jsonl", mark=MARK)


def test_the_mark_of_the_program_stays_while_the_program_does() -> None:
    assert program_mark() == program_mark()
    assert len(program_mark()) == 16
