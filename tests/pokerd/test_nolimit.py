"""``pokerd train nolimit``, and ``pokerd exploitability`` of what it trained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pokerd.__main__ import main
from strategy.lbr import files, search
from strategy.nolimit.training import NoLimitSolver, holdem_task
from strategy.nolimit_bots.parameters import SearchParameters
from tests.strategy.nolimit.games import ClassCards

LEDUC = ("leduc.limit.2p", "--menu", "1,1/1,1", "--cards", "exact")


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    values: dict[str, Any] = json.loads(capsys.readouterr().out)
    return values


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main([*arguments]) == 2
    return capsys.readouterr().err.strip().rpartition(" ")[2].strip("[]")


def test_a_strategy_is_trained_continued_and_judged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, kept = str(tmp_path / "x.npz"), str(tmp_path / "kept.npz")
    train = ("train", "nolimit", *LEDUC, "--out", file, "--iterations")
    assert told(capsys, *train, "2")["iterations"] == 2
    assert told(capsys, *train, "5", "--workers", "2")["iterations"] == 5
    base = told(capsys, "exploitability", LEDUC[0], file)
    assert base["batches"] == 5
    assert sum(base["value"]) == pytest.approx(0, abs=1e-9)
    assert sum(base["won"]) / 2 == base["exploitability"] > 0
    again = ("exploitability", LEDUC[0], file, "--resolve", "turn", "--method", "unsafe", "--out", kept)
    solved = told(capsys, *again)
    assert solved["exploitability"] < base["exploitability"] / 5
    assert told(capsys, *again) == solved
    assert refused(capsys, *again, "--iterations", "10") == "other_setting"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), "unknown_game"),
        (("leduc.limit.2p", "--depth", "100"), "unknown_game"),
        (("leduc.limit.2p", "--menu", "1/1/1"), "bad_menu"),
        (("kuhn.limit.3p", "--menu", "1"), "unsolvable_game"),
        (("holdem.nolimit.2p.reverse_blinds",), "tree_too_large"),
    ],
)
def test_what_cannot_be_trained(
    arguments: tuple[str, ...], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert refused(capsys, "train", "nolimit", *arguments) == code


def test_a_file_is_of_its_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "x.npz")
    told(capsys, "train", "nolimit", *LEDUC, "--out", file, "--iterations", "1")
    assert refused(capsys, "exploitability", "kuhn.limit.2p", file) == "other_game"


HOLDEM = "holdem.nolimit.2p.reverse_blinds"


def test_a_local_best_response_plays_with_the_stacks_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The card states of hold'em take a minute.
    monkeypatch.setattr(files, "make_cards", lambda seed, report: ClassCards())
    file = tmp_path / "x.npz"
    NoLimitSolver(holdem_task(10, "1/1/1/1")).save(file)
    command = ("exploitability", HOLDEM, str(file), "--lbr", "2")
    found = {bets: told(capsys, *command, "--lbr-bets", bets) for bets in ("fc", "fcpa", "56")}
    for bets, values in found.items():
        assert (values["lbr_bets"], values["lbr_deals"], values["stack"]) == (bets, 2, 10)
        assert abs(values["lbr_mbb"]) < 10_000
    assert told(capsys, *command) == found["fcpa"] != found["56"]
    assert main([*command]) == 0
    assert f"{found['fcpa']['lbr_mbb']:.0f} +- " in capsys.readouterr().out
    for game in ("leduc.limit.2p", "holdem.limit.2p.reverse_blinds", "holdem.pushfold.2p"):
        assert refused(capsys, "exploitability", game, *command[2:]) == "bad_setting"
    assert refused(capsys, *command, "--resolve", "river") == "bad_setting"


def test_a_local_best_response_plays_either_bot(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Turns take seconds.
    monkeypatch.setattr(search, "SearchParameters", lambda: SearchParameters(5, turn_iterations=0))
    trained, solved = (
        told(capsys, "exploitability", HOLDEM, bot, "--lbr", "2") for bot in ("nolimit", "nolimit+search")
    )
    assert trained["stack"] == solved["stack"] == 200
    assert trained["lbr_mbb"] != solved["lbr_mbb"]


def test_a_local_best_response_needs_holdem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(tmp_path / "x.npz")
    told(capsys, "train", "nolimit", *LEDUC, "--out", file, "--iterations", "1")
    assert refused(capsys, "exploitability", HOLDEM, file, "--lbr", "2") == "bad_setting"
