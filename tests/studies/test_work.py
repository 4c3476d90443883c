"""Units of work: whatever happens in between, the results are the same, and nothing is done twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studies.harness.work import DamagedStore, StoreInUse, Unit, run_units
from tests.studies.squares import MARK, WANTED, square, units


def test_without_a_store_nothing_is_written() -> None:
    assert run_units(units(6)) == WANTED


def test_the_time_of_a_unit_is_kept(tmp_path: Path) -> None:
    told: list[tuple[str, float]] = []
    for _ in range(2):
        run_units(
            units(3),
            store=tmp_path / "work.jsonl",
            mark=MARK,
            on_done=lambda unit, spent: told.append((unit.key, spent)),
        )
    assert [key for key, _ in told[:3]] == [unit.key for unit in units(3)]
    assert all(spent >= 0 for _, spent in told)
    assert told[3:] == told[:3]


class Interrupted(Exception):
    pass


def test_what_is_finished_is_not_done_again(tmp_path: Path) -> None:
    store = tmp_path / "work.jsonl"
    seen: list[str] = []

    def stop(unit: Unit, _: float) -> None:
        seen.append(unit.key)
        if len(seen) == 3:
            raise Interrupted

    with pytest.raises(Interrupted):
        run_units(units(6), store=store, mark=MARK, on_done=stop)
    assert len(store.read_text().splitlines()) == 4
    # What was done is read back; were it done again, this would show.
    lines = store.read_text().splitlines()
    lines[1] = json.dumps(["unit/0", "kept", 1.5])
    store.write_text("\n".join(lines) + '\n["unit/3", {"squ', encoding="utf-8")  # cut off while writing
    found = run_units(units(6), store=store, mark=MARK)
    assert found == {**WANTED, "unit/0": "kept"}
    assert len(store.read_text().splitlines()) == 7
    assert run_units(units(6), store=store, mark=MARK) == found


def test_results_of_another_mark_are_put_aside_and_that_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "work.jsonl"
    old = '["mark", {"study": "test", "seed": 2}]\n["unit/0", "old"]\n'
    store.write_text(old, encoding="utf-8")
    assert run_units(units(6), store=store, mark=MARK) == WANTED
    assert (tmp_path / "work.jsonl.old").read_text("utf-8") == old
    (said,) = capsys.readouterr().out.splitlines()
    assert "work.jsonl.old" in said
    assert run_units(units(6), store=store, mark=MARK) == WANTED
    assert capsys.readouterr().out == ""
    # Under a third mark, what was put aside first stays.
    assert run_units(units(6), store=store, mark={**MARK, "seed": 3}) == WANTED
    assert (tmp_path / "work.jsonl.old").read_text("utf-8") == old
    assert (tmp_path / "work.jsonl.old2").is_file()


@pytest.mark.parametrize(
    "damage",
    [
        *(b"garb", b"", b"3", b'"ab"', b"[1, 2]", b'{"a": 1}', b'{"a": 1, "b": 2}', b"\0\0\0", b"\xff"),
        *(
            b'["unit/1"]',
            b'["unit/1", null, 1.0]',
            b'["unit/1", 5]',
            b'["unit/1", {"squ',
            b'["key", 5]',
            b'["mark", {}]',
        ),
    ],
)
def test_a_damaged_line_is_named_and_nothing_is_thrown_away(damage: bytes, tmp_path: Path) -> None:
    store = tmp_path / "work.jsonl"
    run_units(units(6), store=store, mark=MARK)
    lines = store.read_bytes().splitlines()
    lines[3] = damage
    damaged = b"\n".join(lines) + b"\n"
    store.write_bytes(damaged)
    with pytest.raises(DamagedStore, match=r"work\.jsonl.*4") as refusal:
        run_units(units(6), store=store, mark=MARK)
    assert refusal.value.code == "bad_work"
    assert store.read_bytes() == damaged
    # What the message says helps.
    store.write_bytes(b"\n".join(lines[:3] + lines[4:]) + b"\n")
    assert run_units(units(6), store=store, mark=MARK) == WANTED


def test_two_do_not_work_in_one_directory(tmp_path: Path) -> None:
    store = tmp_path / "work.jsonl"
    refused = []

    def begin_another(unit: Unit, _: float) -> None:
        before = store.read_bytes()
        with pytest.raises(StoreInUse) as refusal:
            run_units(units(6), store=store, mark={"seed": 2})
        assert store.read_bytes() == before
        refused.append(refusal.value.code)

    assert run_units(units(6), store=store, mark=MARK, on_done=begin_another) == WANTED
    assert refused == ["in_use"] * 6
    assert run_units(units(6), store=store, mark=MARK) == WANTED


def test_a_damaged_first_line_is_named(tmp_path: Path) -> None:
    store = tmp_path / "work.jsonl"
    store.write_text('["unit/0", 3]\n', encoding="utf-8")
    with pytest.raises(DamagedStore, match=r"work\.jsonl.*1"):
        run_units(units(6), store=store, mark=MARK)


def test_a_file_that_was_cut_off_at_once_is_begun_anew(tmp_path: Path) -> None:
    store = tmp_path / "work.jsonl"
    store.write_text('["mark", {"stu', encoding="utf-8")
    assert run_units(units(6), store=store, mark=MARK) == WANTED


def total(first: int, squares: list[dict[str, int]]) -> int:
    return first + sum(one["square"] for one in squares)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_unit_gets_the_results_that_it_needs(workers: int, tmp_path: Path) -> None:
    store = tmp_path / "work.jsonl"
    needy = Unit("total", total, (100,), 1.0, ("unit/3", "unit/2"))
    work = [needy, *units(4)]
    assert run_units(work, workers=workers, store=store, mark=MARK)["total"] == 113
    # Also if it is the only one that is left to do.
    lines = store.read_bytes().splitlines(keepends=True)
    store.write_bytes(b"".join(line for line in lines if b"total" not in line))
    found = run_units(work, store=store, mark=MARK)
    assert list(found) == ["total", *WANTED][:5]
    assert found["total"] == 113


def test_a_unit_that_fails_ends_the_work(tmp_path: Path) -> None:
    wrong = Unit("wrong", square, ("a",))
    with pytest.raises(TypeError):
        run_units([*units(2), wrong], store=tmp_path / "work.jsonl", mark=MARK)
    with pytest.raises(TypeError):
        run_units([*units(2), wrong], workers=2, store=tmp_path / "work.jsonl", mark=MARK)
