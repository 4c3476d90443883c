"""The loop: limits, checkpoints, going on; and files that are not what they should be."""

from __future__ import annotations

import json
import math
import zipfile
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from dealer.rules.games import Game, holdem, load_game
from strategy.cfr.files import SolveError, read_arrays, read_header, write_arrays
from strategy.cfr.solver import SmallSolver
from strategy.cfr.training import VARIANTS, Task, TrainingProgress, is_holdem, load_solver, resume, train
from strategy.progress import ProgressCallback, chunks

KUHN = load_game("kuhn.limit.2p")
LEDUC = load_game("leduc.limit.2p")


class Clockwork:
    """A solver whose iterations take a second each on a clock that is moved by hand."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, slow_look: float = 0.0) -> None:
        self.task = Task(KUHN)
        self.iterations = self.looks = self.saves = 0
        self.now = 0.0
        self.slow_look = slow_look
        monkeypatch.setattr("time.perf_counter", lambda: self.now)
        monkeypatch.setattr("time.process_time", lambda: self.now)

    def prepare(self, report: ProgressCallback) -> None:
        report("a clockwork", 0.5)

    def iterate(self, n: int) -> None:
        self.iterations += n
        self.now += n

    def exploitability(self) -> float:
        self.looks += 1
        self.now += self.slow_look
        return 1 / (1 + self.iterations)

    def value(self) -> list[float]:
        return [0.0, 0.0]

    def save(self, path: Path) -> None:
        self.saves += 1
        path.write_text(str(self.iterations))

    @classmethod
    def load(cls, path: Path) -> Clockwork:
        raise TypeError("nothing loads a clockwork")


def test_iterations_are_counted_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = Clockwork(monkeypatch)
    assert train(solver, 5)[-1] == TrainingProgress(5, 5.0, 5.0, 1 / 6)
    assert train(solver, 5)[-1].seconds == 0
    assert (solver.iterations, train(solver, 7)[-1].iterations) == (5, 7)


def test_seconds_are_those_of_solving(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = Clockwork(monkeypatch, slow_look=100.0)
    assert train(solver, 1000, seconds=6)[-1][:2] == (6, 6.0)
    # In the beginning and in the end: more looks would have taken most of the time.
    assert solver.looks == 2


def test_looks_and_checkpoints_on_the_way(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    solver = Clockwork(monkeypatch)
    told: list[TrainingProgress] = []
    out = tmp_path / "deep" / "x"
    out.parent.mkdir()
    curve = train(solver, 100, out=out, on_progress=told.append)
    assert solver.saves == 1 + 3 + 1
    assert out.read_text() == "100"
    assert [point.iterations for point in curve][:3] == [1, 2, 3]
    assert curve == sorted(curve)
    assert [point for point in told if point.exploitability is not None] == curve[:-1]
    assert {point.iterations for point in told} == set(range(1, 101))


def test_what_was_done_is_kept_when_it_is_interrupted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    solver = Clockwork(monkeypatch)

    def tell(now: TrainingProgress) -> None:
        if now.iterations == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(solver, 100, out=tmp_path / "x", on_progress=tell)
    assert (tmp_path / "x").read_text() == "3"


def test_preparing_is_told_and_can_be_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    solver = Clockwork(monkeypatch)
    told: list[tuple[str, float]] = []
    train(solver, 1, report=lambda what, done: told.append((what, done)))
    assert told == [("a clockwork", 0.5)]

    def end(what: str, done: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(solver, 9, report=end)
    assert solver.iterations == 1


def test_parts_are_all_there_is() -> None:
    told: list[float] = []
    places = [*chunks(10, 4, "x", lambda _, done: told.append(done))]
    assert [number for place in places for number in range(10)[place]] == [*range(10)]
    assert told == [0, 0.4, 0.8, 1]


def test_what_cannot_be_written_is_found_out_before_the_work(tmp_path: Path) -> None:
    solver = SmallSolver(Task(KUHN))
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        train(solver, 10**9, out=tmp_path / "file" / "x")
    assert solver.iterations == 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_going_on_is_the_same_as_not_stopping(variant: str, tmp_path: Path) -> None:
    task, file = Task(LEDUC, variant, seed=3), tmp_path / "leduc"
    for iterations in (4, 9, 9, 20):
        train(resume(task, file), iterations, out=file)
    whole = resume(task, None)
    train(whole, 20)
    kept = load_solver(LEDUC, file)
    assert kept.iterations == 20
    assert isinstance(kept, SmallSolver)
    assert isinstance(whole, SmallSolver)
    assert (kept.strategy == whole.strategy).all()
    assert kept.exploitability() == whole.exploitability()
    assert kept.task == task
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_of_a_game_with_another_name_is_the_same(tmp_path: Path) -> None:
    file = tmp_path / "x"
    SmallSolver(Task(KUHN)).save(file)
    assert load_solver(replace(KUHN, name="mine"), file).iterations == 0


@pytest.mark.parametrize(
    ("task", "code"),
    [
        (Task(LEDUC, "cfr"), "other_game"),
        (Task(replace(KUHN, raise_sizes=(2,)), "cfr"), "other_game"),
        (Task(KUHN, "cfr+"), "other_variant"),
        (Task(KUHN, "cfr", seed=1), "other_setting"),
        (Task(KUHN, "cfr", buckets=5), "other_setting"),
        (Task(KUHN, "CFR"), "other_variant"),
    ],
)
def test_going_on_with_something_else(task: Task, code: str, tmp_path: Path) -> None:
    file = tmp_path / "x"
    SmallSolver(Task(KUHN, "cfr")).save(file)
    before = file.read_bytes()
    with pytest.raises(SolveError) as caught:
        resume(task, file)
    assert caught.value.code == code
    assert file.read_bytes() == before


def test_what_a_small_game_is_not_solved_with() -> None:
    with pytest.raises(SolveError, match="cfr") as caught:
        resume(Task(KUHN, "CFR"), None)
    assert caught.value.code == "bad_variant"
    with pytest.raises(SolveError) as caught:
        resume(Task(KUHN, buckets=5), None)
    assert caught.value.code == "bad_setting"


@pytest.mark.parametrize("content", [b"", b"GAMEDEF\n", b"PK\x03\x04", b"PK\x03\x04" + bytes(500)])
def test_files_that_are_none_of_ours(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(SolveError) as caught:
        load_solver(KUHN, tmp_path / "x")
    assert caught.value.code == ("damaged_file" if content[:2] == b"PK" else "wrong_file")


def test_every_damaged_byte_is_found(tmp_path: Path) -> None:
    file = tmp_path / "x"
    made = SmallSolver(Task(KUHN))
    made.iterate(3)
    made.save(file)
    whole = file.read_bytes()
    strategy, harmless = made.strategy, 0
    for place in range(0, len(whole), 37):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with suppress(SolveError):
            # Nothing depends on some bytes of the archive, as those of times.
            loaded = load_solver(KUHN, file)
            assert isinstance(loaded, SmallSolver)
            assert (loaded.strategy == strategy).all()
            assert loaded.iterations == 3
            harmless += 1
    assert harmless < 20
    for length in range(0, len(whole), 101):
        file.write_bytes(whole[:length])
        with pytest.raises(SolveError):
            load_solver(KUHN, file)


def test_other_archives_of_arrays(tmp_path: Path) -> None:
    file = tmp_path / "x"
    with file.open("wb") as stream:
        np.savez(stream, regret=np.zeros(3))
    with pytest.raises(SolveError) as caught:
        read_arrays(file)
    assert caught.value.code == "wrong_file"
    write_arrays(file, {"kind": "small"}, {"regret": np.zeros(3)})
    with pytest.raises(SolveError) as caught:
        SmallSolver.load(file)
    assert caught.value.code == "wrong_file"
    write_arrays(file, {"kind": "large"}, {})
    with pytest.raises(SolveError) as caught:
        SmallSolver.load(file)
    assert caught.value.code == "other_game"
    write_arrays(file, {"kind": "small", **Task(KUHN).header(), "iterations": 3}, {"regret": np.zeros(3)})
    with pytest.raises(SolveError, match="regret") as caught:
        SmallSolver.load(file)
    assert caught.value.code == "wrong_file"


def rewritten(file: Path, header: dict[str, object]) -> None:
    """The file with another header and the same arrays, as nobody writes it."""
    with np.load(file) as archive:
        arrays = {name: archive[name] for name in archive.files if name != "header"}
    with file.open("wb") as stream:
        np.savez(stream, header=np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays)


@pytest.mark.parametrize("change", [{"iterations": 4}, {"seed": 5}, {"more": 1}, {"version": 1}])
def test_a_changed_header_is_found(change: dict[str, object], tmp_path: Path) -> None:
    file = tmp_path / "x"
    made = SmallSolver(Task(KUHN))
    made.iterate(3)
    made.save(file)
    rewritten(file, {**read_header(file), **change})
    with pytest.raises(SolveError) as caught:
        SmallSolver.load(file)
    assert caught.value.code == "damaged_file"


def test_files_of_version_1_are_read(tmp_path: Path) -> None:
    """There the checksum is of the arrays alone."""
    file = tmp_path / "x"
    made = SmallSolver(Task(KUHN))
    made.iterate(3)
    made.save(file)
    header, arrays = read_arrays(file)
    found = sha256()
    for name in sorted(arrays):
        found.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}\n".encode())
        found.update(np.ascontiguousarray(arrays[name]).data)
    rewritten(file, {**header, "version": 1, "sha256": found.hexdigest()})
    assert SmallSolver.load(file).iterations == 3
    assert (SmallSolver.load(file).strategy == made.strategy).all()
    rewritten(file, {**header, "version": 3, "sha256": found.hexdigest()})
    with pytest.raises(SolveError) as caught:
        SmallSolver.load(file)
    assert caught.value.code == "wrong_file"


@pytest.mark.parametrize("count", [None, -1, 2.5, "3", True, [3]])
def test_a_file_says_how_much_was_done(count: object, tmp_path: Path) -> None:
    file = tmp_path / "x"
    made = SmallSolver(Task(KUHN))
    made.save(file)
    header, arrays = read_arrays(file)
    del header["iterations"]
    write_arrays(file, header if count is None else {**header, "iterations": count}, arrays)
    with pytest.raises(SolveError, match="iterations") as caught:
        SmallSolver.load(file)
    assert caught.value.code == "wrong_file"


def test_what_is_written_is_read(tmp_path: Path) -> None:
    file = tmp_path / "new" / "x"
    arrays = {"a": np.arange(6.0).reshape(2, 3), "b": np.array([7], np.uint64)}
    write_arrays(file, {"more": [1, 2]}, arrays)
    header, read = read_arrays(file)
    assert header["more"] == [1, 2]
    assert {name: array.tolist() for name, array in read.items()} == {"a": [[0, 1, 2], [3, 4, 5]], "b": [7]}
    with zipfile.ZipFile(file) as archive:
        assert json.loads(archive.read("header.npy").split(b"\n", 1)[1])["format"] == "pokerd solution"


@pytest.mark.parametrize(
    ("game", "holdem_cards"), [(holdem(6, 1, 2), True), (holdem(2, 5, 10, limit=True), True), (KUHN, False)]
)
def test_which_cards_are_those_of_holdem(game: Game, holdem_cards: bool) -> None:
    assert is_holdem(game) == holdem_cards


def test_a_task_and_its_header() -> None:
    task = Task(holdem(2, 5, 10), "dcfr", 3, 100, 7)
    assert Task.from_header(json.loads(json.dumps(task.header()))) == task
    with pytest.raises(SolveError):
        Task.from_header({"game": "x"})
    assert not math.isnan(task.seed)
