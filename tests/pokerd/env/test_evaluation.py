"""A policy is played in duplicate by the rules, and what it wins is told with an interval."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dealer.rules.errors import GameError
from dealer.rules.games import holdem
from pokerd.__main__ import main
from pokerd.env.errors import BadPolicy
from pokerd.env.evaluation import evaluate, load_policy
from strategy.batch.observation import BadHistory, fields

POLICIES = """
import numpy as np

def call(seen, mask):
    return np.ones(len(seen), np.int64)

def most(seen, mask):
    return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)

def wrong(seen, mask):
    return mask

def raises(seen, mask):
    from neighbour import fail
    fail()

def ends(seen, mask):
    raise SystemExit(0)

def of_one(seen):
    return call(seen, seen)

def ragged(seen, mask):
    return [[1], [1, 2]]

def unsure(seen, mask):
    return np.full(len(seen), np.nan)

def late(seen, mask):
    return np.ones(len(seen), "timedelta64[s]")

nothing = 5
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "policies.py"
    path.write_text(POLICIES)
    (tmp_path / "neighbour.py").write_text("def fail():\n    raise RuntimeError('no idea')\n")
    (tmp_path / "broken.py").write_text("import neighbour\nneighbour.fail()\n")
    return path


@pytest.fixture(autouse=True)
def _own_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a policy's folder adds is gone afterwards."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    for name in ("policies", "neighbour", "broken"):
        sys.modules.pop(name, None)


def call(seen: NDArray[np.float32], mask: NDArray[np.int8]) -> NDArray[np.int64]:
    return np.ones(len(seen), np.int64)


def fold(seen: NDArray[np.float32], mask: NDArray[np.int8]) -> NDArray[np.int64]:
    return np.zeros(len(seen), np.int64)


def test_in_duplicate_equal_play_wins_exactly_nothing() -> None:
    for game in (holdem(2, 5, 10, limit=True, stack=200), holdem(3, 1, 2, stack=40)):
        (result,) = evaluate(call, game, ["call"], matches=2, hands=20)
        assert (result.deals, result.hands) == (40, 40 * game.players)
        assert [result.won.mean, result.won.half or 0.0] == pytest.approx([0, 0], abs=1e-9)
        assert result.raw.mean == 0
        assert result.illegal == 0
        assert result.decisions > result.hands


def test_sessions_that_all_end_at_once_leave_none_out() -> None:
    """The policy is asked as often in each of them: more than are played side by side end together."""
    (result,) = evaluate(call, holdem(2, 5, 10, limit=True, stack=200), ["call"], matches=70, hands=1)
    assert (result.deals, result.hands) == (70, 140)


def test_who_folds_loses_the_blinds() -> None:
    """In the small blind half a big blind; in the big blind nothing, as call does not raise, and no fold is
    legal: that is a check.
    """
    (result,) = evaluate(fold, holdem(2, 5, 10, limit=True, stack=200), ["raise"], matches=1, hands=10)
    # The small blind folds and loses 500; the big blind faces a raise, folds and loses 1000.
    assert result.won.mean == result.raw.mean == -750
    assert result.illegal == 0


def test_all_ins_are_paid_by_equity() -> None:
    def push(seen: NDArray[np.float32], mask: NDArray[np.int8]) -> NDArray[np.int64]:
        return np.where(mask[:, -1], mask.shape[1] - 1, 1)

    (result,) = evaluate(push, holdem(2, 1, 2, stack=20), ["call"], matches=2, hands=50)
    # Both seats' hands are all-in on the same cards: nobody wins, and by equity as little.
    assert result.raw.mean == 0
    assert abs(result.won.mean) < 1e-6
    (result,) = evaluate(push, holdem(2, 1, 2, stack=20), ["fair"], matches=2, hands=50)
    assert result.won.half is not None
    assert result.raw.half is not None
    assert 0 < result.won.half < result.raw.half


def test_a_single_opponent_needs_no_list() -> None:
    (result,) = evaluate(call, against="quick", matches=1, hands=2)
    assert result.against == "quick"


def test_the_same_seed_gives_the_same_result() -> None:
    one, other, third = (
        evaluate(call, against=["quick", "fair"], matches=2, hands=10, seed=seed) for seed in (1, 1, 2)
    )
    assert one == other
    assert one != third


def test_the_command_prints_what_was_won(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["evaluate", f"{file}:call", "--matches", "1", "--hands", "20", "--against", "call"]
    assert main(arguments) == 0
    _, row = capsys.readouterr().out.splitlines()
    assert row.split()[:3] == ["call", "0.0", "0.0"]
    assert (
        main([*arguments, "--against", "raise", "--json", "--game", "holdem.nolimit.3p", "--sizes", "1"]) == 0
    )
    results: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert [result["against"] for result in results] == ["call", "raise"]
    assert results[0]["hands"] == 60


@pytest.mark.parametrize(
    "name",
    [
        "{file}",
        "{file}:nobody",
        "{file}:nothing",
        *(f"{{file}}:{name}" for name in ("wrong", "of_one", "ragged", "unsure", "late")),
        "no.such.module:act",
        "missing.py:act",
        ".:act",
        "..policies:call",
    ],
)
def test_a_policy_that_is_none_is_refused(name: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", name.format(file=file), "--matches", "1", "--hands", "1"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("[bad_policy]")


@pytest.mark.parametrize(
    ("name", "frames"),
    [
        ("policies.py:raises", ["policies.py", "neighbour.py"]),
        ("policies.py:ends", ["policies.py"]),
        ("broken.py:act", ["broken.py", "neighbour.py"]),
    ],
)
def test_its_author_is_told_where_a_policy_fails(
    name: str, frames: list[str], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In his code alone, which has imported its neighbour."""
    assert main(["evaluate", str(file.with_name(name)), "--matches", "1", "--hands", "1"]) == 2
    *told, line = capsys.readouterr().err.splitlines()
    assert line.endswith("[bad_policy]")
    assert [Path(shown.split('"')[1]).name for shown in told if shown.startswith("  File ")] == frames


def test_a_module_is_looked_for_in_the_current_folder(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where ``pokerd`` is a program of its own, Python does not look there."""
    monkeypatch.chdir(file.parent)
    assert load_policy("policies:call") is not None


def test_stacks_and_the_history_are_those_that_the_policy_learned_with() -> None:
    shown: list[NDArray[np.float32]] = []

    def look(seen: NDArray[np.float32], mask: NDArray[np.int8]) -> NDArray[np.int64]:
        shown.append(seen)
        return np.ones(len(seen), np.int64)

    evaluate(look, against=["call"], matches=1, hands=1, stacks=(200, 300), history=5)
    starts = {field.name: slice(field.start, field.start + field.size) for field in fields(2, 5)}
    chips = shown[0][:, starts["stacks"]] + shown[0][:, starts["paid"]]
    assert chips.tolist() == [[20, 30]] * len(chips)
    assert shown[0].shape[1] == starts["history"].stop
    with pytest.raises(GameError):
        evaluate(look, stacks=(200,))
    with pytest.raises(BadHistory):
        evaluate(look, history=99_999_999_999)


def test_a_module_is_imported() -> None:
    assert load_policy("tests.pokerd.env.test_evaluation:call") is not None
    with pytest.raises(BadPolicy):
        load_policy("call")


def test_learners_libraries_are_imported_by_nothing_else() -> None:
    """And without them the environments say what is missing."""
    code = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('gymnasium', 'pettingzoo', 'pyspiel')))\n"
        "import pokerd.env\n"
        "from pokerd.env import evaluate\n"
        "from pokerd.env.errors import MissingLibrary\n"
        "for name in ('PokerEnv', 'PokerVectorEnv', 'PokerAECEnv', 'PokerParallelEnv'):\n"
        "    try:\n"
        "        getattr(pokerd.env, name)\n"
        "    except MissingLibrary as error:\n"
        "        print(error.code)\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["missing_library"] * 4
