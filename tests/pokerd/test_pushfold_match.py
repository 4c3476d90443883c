"""``pokerd pushfold-match``: what is told of matches, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pokerd.__main__ import main
from strategy.evolution.tournaments import advantages
from strategy.pushfold.game import PushFoldError
from studies.harness.one_against_one import load_player

EVOLVED = str(Path(__file__).parents[2] / "games" / "pushfold" / "evolved.json")
FIGURE = ("59.2/36.5", "72.3/35.9")


def told(capsys: pytest.CaptureFixture[str], *arguments: str, stack: str = "10") -> str:
    assert main(["pushfold-match", "--stack", stack, *arguments]) == 0
    return capsys.readouterr().out


def numbers(capsys: pytest.CaptureFixture[str], *arguments: str, stack: str = "10") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told(capsys, *arguments, "--json", stack=stack))
    return found


def test_a_match_is_told_as_the_document_does(capsys: pytest.CaptureFixture[str]) -> None:
    # Funke 2015, figure 4.1: until one has lost 500 big blinds.
    text = told(capsys, *FIGURE, "--chips", "500", "--hands", "1000000", "--matches", "13")
    assert re.findall(r"[\d./]*\d", text.splitlines()[0]) == ["10", "59.2/36.5", "72.3/35.9"]
    matches = re.findall(
        r"^Match (\d+)\n  Hands played: (\d+)\n  Player 1 performance: (-?[\d.]+) bb/100\n"
        r"  Player 1 raised: ([\d.]+)%, Player 2 raised: ([\d.]+)%\n"
        r"  Player 1 called: ([\d.]+)%, Player 2 called: ([\d.]+)%$",
        text,
        re.MULTILINE,
    )
    assert [int(number) for number, *_ in matches] == [*range(10), 12]
    assert "\n[... 2 more]\n" in text
    for _, hands, rate, *shares in matches:
        assert abs(int(hands) * float(rate) / 100) == pytest.approx(500, abs=0.005 * int(hands) / 100)
        assert [float(share) for share in shares] == pytest.approx([59.2, 72.3, 36.5, 35.9], abs=5)
    assert re.search(r"^Player 1 performance mean: [+-][\d.]+ ± [\d.]+ bb/100 \(95 %\)$", text, re.MULTILINE)
    assert re.search(r"^All that it won, by all hands: [+-][\d.]+ ± [\d.]+ bb/100", text, re.MULTILINE)
    assert "\nExactly: +0.4893 bb/100\n" in text


def test_the_mean_of_many_hands_is_what_is_won_exactly(capsys: pytest.CaptureFixture[str]) -> None:
    found = numbers(capsys, "40/30", EVOLVED, "--hands", "100000", "--matches", "40")
    one, other = load_player("40/30", (10.0,)), load_player(EVOLVED, (10.0,))
    assert found["exact_bb_per_100"] == advantages(one, other, (10.0,))[0, 0]
    mean = found["mean_bb_per_100"]
    assert found["by_hands_bb_per_100"] == pytest.approx(mean)
    assert mean["high"] - mean["low"] < 1.5
    # The seed is fixed, so it stays within its interval.
    assert mean["low"] < found["exact_bb_per_100"] < mean["high"]
    assert len(found["matches"]) == 40
    assert (found["one"], found["other"], found["stacks"], found["chips"]) == ("40/30", EVOLVED, [10], None)


def test_the_same_seed_gives_the_same_and_another_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    first = numbers(capsys, *FIGURE, "--hands", "500")
    assert first == numbers(capsys, *FIGURE, "--hands", "500", "--seed", "0")
    assert first["matches"] != numbers(capsys, *FIGURE, "--hands", "500", "--seed", "1")["matches"]


def test_a_stack_is_drawn_for_each_hand(capsys: pytest.CaptureFixture[str]) -> None:
    found = numbers(capsys, *FIGURE, "--hands", "2000", "--matches", "1", stack="1-10")
    assert found["stacks"] == list(range(1, 11))
    assert found["mean_bb_per_100"]["low"] is None
    assert "± " not in told(capsys, *FIGURE, "--hands", "2000", "--matches", "1", stack="1-10")


def test_who_never_could_has_no_share(capsys: pytest.CaptureFixture[str]) -> None:
    (match,) = numbers(capsys, "0/0", "0/100", "--hands", "50", "--matches", "1")["matches"]
    shares = [match[f"{name}_percent"] for name in ("raised", "called", "called_other")]
    assert shares == [0, None, None]
    assert match["bb_per_100"] == 0
    text = told(capsys, "0/0", "0/100", "--hands", "50", "--matches", "1")
    assert "  Player 1 called: -, Player 2 called: -\n" in text


def test_the_curves_are_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "curves"
    text = told(capsys, *FIGURE, "--hands", "3000", "--png", str(file))
    assert file.read_bytes().startswith(b"\x89PNG\r\n")
    chart = text.splitlines()[-13:]
    assert sum(" |" in line for line in chart) == 11
    assert chart[-1].endswith("3,000 hands")
    assert sum(line.count("*") for line in chart) == 64


def test_rankings_are_used(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (*FIGURE, "--hands", "50", "--matches", "1")
    by_strength = numbers(capsys, *arguments)["exact_bb_per_100"]
    assert by_strength != numbers(capsys, *arguments, "--ranking", "sklansky-chubukov")["exact_bb_per_100"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["57/37", "nobody.json"], "bad_player"),
        (["57", "70/60"], "bad_player"),
        (["57/37", "101/50"], "bad_percent"),
        (["57/37", "nan/50"], "bad_percent"),
        (["57/37", __file__], "bad_strategy_file"),
        (["57/37", "x" * 5000], "os_error"),
        ([*FIGURE, "--hands", "0"], "bad_match"),
        ([*FIGURE, "--matches", "-1"], "bad_match"),
        ([*FIGURE, "--hands", "200000000"], "bad_match"),
        ([*FIGURE, "--chips", "nan"], "bad_match"),
        ([*FIGURE, "--chips", "-1"], "bad_match"),
        ([*FIGURE, "--seed", "-1"], "bad_match"),
        ([*FIGURE, "--stack", "0-10"], "bad_stack"),
        ([*FIGURE, "--stack", "10-1"], "bad_stack"),
        ([*FIGURE, "--stack", "1-²"], "bad_stack"),
        ([*FIGURE, "--stack", "nan"], "bad_stack"),
        ([*FIGURE, "--png", "/dev/null/curves.png"], "os_error"),
    ],
)
def test_what_is_wrong_is_said(capsys: pytest.CaptureFixture[str], arguments: list[str], code: str) -> None:
    assert main(["pushfold-match", "--stack", "10", *arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("pokerd: ")
    assert output.err.endswith(f" [{code}]\n")


def test_a_file_is_taken_before_percentages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PushFoldError):
        load_player("57-37", (10.0,))
    (tmp_path / "57-37").write_text(Path(EVOLVED).read_text("utf-8"), encoding="utf-8")
    assert (load_player("57-37", (10.0,)).jam == load_player(EVOLVED, (10.0,)).jam).all()
