"""``pokerd pushfold``: numbers, grids with and without colours, pictures, and what is refused."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

from dealer.rules.actions import Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.games import load_game
from pokerd.__main__ import main
from strategy.poker.preflop import HAND_CLASSES, hand_class
from strategy.pushfold.bot import PushFoldBot
from strategy.pushfold.files import PushFoldChart, save_chart
from strategy.pushfold.parameters import PushFoldParameters
from strategy.pushfold.rankings import STRENGTH, top_range
from strategy.situation import situation_at


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["pushfold", *arguments]) == 0
    return capsys.readouterr().out


def numbers(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told(capsys, *arguments, "--json"))
    return found


def test_the_equilibrium_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(capsys, "--stack", "10").splitlines()
    assert re.findall(r"\d+", lines[0]) == ["10"]
    assert lines[4].split()[:4] == ["equilibrium", "58.284", "37.376", "-45.3708"]
    assert all(float(word) < 1e-6 for word in lines[4].split()[4:])
    assert lines[5].split() == ["of", "top", "tables", "56.561", "35.596", "-52.8896", "10.38", "3.678"]
    jam, call = lines.index("jam 58.28 %"), lines.index("call 37.38 %")
    assert lines[jam + 2] == "A  AA AKs AQs AJs ATs A9s A8s A7s A6s A5s A4s A3s A2s"
    assert lines[jam + 12].split() == ["4", "A4o", "K4o", *"." * 8, "44", "71%", "."]
    assert lines[call + 4].split()[-6:] == ["Q7s", "40%", *"...."]
    assert not any("\x1b" in line for line in lines)


def test_the_grid_is_coloured_at_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = told(capsys, "--stack", "10")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    coloured = told(capsys, "--stack", "10")
    # Foreground and background together, for terminals of any colour.
    assert "\x1b[1;37;48;5;" in coloured
    assert "\x1b[30;48;5;" in coloured
    parts = coloured.split("\x1b[")
    bare = parts[0] + "".join(part.partition("m")[2] for part in parts[1:])
    assert [line.rstrip() for line in bare.splitlines()] == [line.rstrip() for line in plain.splitlines()]


def test_the_equilibrium_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    found = numbers(capsys, "--stack", "7.37")
    assert (found["stack"], found["ranking"], found["against"]) == (7.37, "strength", None)
    fair = found["equilibrium"]
    assert fair["value_mbb"] == pytest.approx(9.0456, abs=5e-5)
    assert fair["exploitability_mbb"] < 1e-6
    assert tuple(fair["jam"]) == tuple(fair["call"]) == HAND_CLASSES
    assert (fair["jam"]["AA"], fair["call"]["72o"]) == (1, 0)
    assert found["ranked"]["value_mbb"] < fair["value_mbb"]
    assert found["ranked"]["exploitability_mbb"] < 1e-6
    by_numbers = numbers(capsys, "--stack", "7.37", "--ranking", "sklansky-chubukov")
    assert by_numbers["equilibrium"] == fair
    assert by_numbers["ranked"]["value_mbb"] != found["ranked"]["value_mbb"]


def test_answers_to_a_player(capsys: pytest.CaptureFixture[str]) -> None:
    against = numbers(capsys, "--stack", "10", "--against", "70/60")["against"]
    wins = {name: against[name]["wins_bb_per_100"] for name in ("best", "best_ranked", "equilibrium")}
    assert wins == pytest.approx({"best": 9.073, "best_ranked": 8.818, "equilibrium": 5.221}, abs=5.1e-4)
    assert (against["jam_percent"], against["call_percent"]) == pytest.approx((70, 60))
    lost = against["jam_exploitability_mbb"] + against["call_exploitability_mbb"]
    # Over both seats: 1000 mbb are a big blind, and each has every second hand the small blind.
    assert against["exploitability_mbb"] == lost == pytest.approx(20 * wins["best"], rel=1e-9)
    text = told(capsys, "--stack", "10", "--against", "57/37")
    assert ["opponent", "57.000", "37.000", "-52.6421", "10.94", "2.366"] in map(str.split, text.splitlines())
    assert ["best", "answer", "57.768", "36.652", "+0.6655"] in map(str.split, text.splitlines())
    # The grids show what to play against him.
    assert "\njam 57.77 %\n" in text
    assert "\ncall 36.65 %\n" in text


def test_answers_to_what_is_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "57-37.json"
    jam, call = top_range(57, STRENGTH), top_range(37, STRENGTH)
    save_chart(file, PushFoldChart(np.array([10.0]), jam[None], call[None]), {})
    by_file, by_shares = (
        numbers(capsys, "--stack", "10", "--against", player)["against"] for player in (str(file), "57/37")
    )
    for name in ("jam_percent", "call_percent", "exploitability_mbb", "value_mbb"):
        assert by_file[name] == pytest.approx(by_shares[name], abs=1e-6)
    assert by_file["best"]["wins_bb_per_100"] == pytest.approx(by_shares["best"]["wins_bb_per_100"], abs=1e-6)
    file.write_text("{}")
    assert main(["pushfold", "--stack", "10", "--against", str(file)]) == 2
    assert capsys.readouterr().err.endswith("[bad_strategy_file]\n")


@pytest.mark.parametrize("stack", ["0.4", "0.75", "1"])
def test_stacks_no_larger_than_the_blind(stack: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = told(capsys, "--stack", stack).splitlines()
    assert lines[4].split() == ["equilibrium", "100.000", "100.000", "+0.0000", "0", "0"]


def test_the_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tables"
    told(capsys, "--stack", "10", "--png", str(file))
    assert file.read_bytes().startswith(b"\x89PNG\r\n")
    picture = imread(file, format="png")
    height, width, _ = picture.shape
    assert (height, width) == (594, 1144)
    # The corners of the two grids: aces are played (dark), 32s below its pair is not (light).
    assert picture[30:50, 10:560, :3].mean() < 0.5 < picture[560:575, 60:400, :3].mean()


@pytest.mark.parametrize("against", [None, "70/60"])
def test_what_is_shown_is_saved_and_the_bot_plays_it(
    against: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "strategy.json"
    asked = [] if against is None else ["--against", against]
    found = numbers(capsys, "--stack", "10", *asked, "--save", str(file))
    shown = found["equilibrium"] if against is None else found["against"]["best"]
    game = load_game("holdem.pushfold.2p")
    bot = PushFoldBot(1, game, PushFoldParameters(strategy=str(file)))
    seats: tuple[tuple[str, tuple[Action, ...], str], ...] = (
        ("jam", (), "raise"),
        ("call", (raise_to(1000),), "call"),
    )
    for seat, actions, plays in seats:
        betting = Betting(game, (1000, 1000))
        for action in actions:
            betting.act(action)
        for hole in combinations(range(52), 2):
            chance = shown[seat][hand_class(hole)]
            # A class that is mixed is drawn hand by hand.
            if not 1e-9 < chance < 1 - 1e-9:
                assert (bot.decide(situation_at(betting, hole, ())).kind == plays) == (chance > 0.5)
    assert json.loads(file.read_text("utf-8"))["made"].get("against") == against


def test_a_stack_that_no_file_may_have_is_not_saved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pushfold", "--stack", "1001", "--save", str(tmp_path / "strategy.json")]) == 2
    assert capsys.readouterr().err.endswith(" [bad_stack]\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--stack", "ten"], "bad_stack"),
        (["--stack", ""], "bad_stack"),
        (["--stack", "0"], "bad_stack"),
        (["--stack", "-3"], "bad_stack"),
        (["--stack", "nan"], "bad_stack"),
        (["--stack", "inf"], "bad_stack"),
        (["--stack", "2000000"], "bad_stack"),
        (["--stack", "10", "--against", "57"], "bad_percent"),
        (["--stack", "10", "--against", "57/x"], "bad_percent"),
        (["--stack", "10", "--against", "57/101"], "bad_percent"),
        (["--stack", "10", "--against", "nan/37"], "bad_percent"),
        (["--stack", "10", "--against=-1/50"], "bad_percent"),
        (["--stack", "10", "--against=-.5/50"], "bad_percent"),
        (["--stack", "10", "--against", "1/2/3"], "bad_percent"),
        (["--stack", "10", "--against", "no-such-file.json"], "bad_percent"),
        (["--stack", "10", "--png", "/dev/null/tables.png"], "os_error"),
        (["--stack", "10", "--save", "/dev/null/strategy.json"], "os_error"),
        (["--stack", "10", "--save", ""], "os_error"),
    ],
)
def test_what_is_wrong_is_said(capsys: pytest.CaptureFixture[str], arguments: list[str], code: str) -> None:
    assert main(["pushfold", *arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("pokerd: ")
    assert output.err.endswith(f" [{code}]\n")
