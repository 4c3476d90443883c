"""A policy is played in duplicate by the rules, and what it wins is told with an interval."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dealer.rules.games import holdem
from pokerd.__main__ import main
from pokerd.env.errors import BadPolicy
from pokerd.env.evaluation import evaluate, load_policy

POLICIES = """
import numpy as np

def call(seen, mask):
    return np.ones(len(seen), np.int64)

def most(seen, mask):
    return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)

def wrong(seen, mask):
    return mask

nothing = 5
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "policies.py"
    path.write_text(POLICIES)
    return path


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
    ("name", "code"),
    [
        ("{file}", "bad_policy"),
        ("{file}:nobody", "bad_policy"),
        ("{file}:nothing", "bad_policy"),
        ("{file}:wrong", "bad_policy"),
        ("no.such.module:act", "bad_policy"),
        ("missing.py:act", "bad_policy"),
    ],
)
def test_a_policy_that_is_none_is_refused(
    name: str, code: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", name.format(file=file), "--matches", "1", "--hands", "1"]) == 2
    assert capsys.readouterr().err.endswith(f"[{code}]\n")


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
