"""``pokerd sprt`` with real bots."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.bot_programs import TELLER
from tests.support.called import called
from tests.support.programs import PYTHON, ROOT, Program, outcome

POKERD = (PYTHON, "-m", "pokerd")
BOUNDS = ("--bounds", "0", "600", "--deal-sets", "40")
#: So close that no test decides between them soon.
UNDECIDED = ("--bounds", "0", "1")


def state(out: Path) -> dict[str, object]:
    read: dict[str, object] = json.loads((out / "sprt.json").read_text(encoding="utf-8"))
    return read


def test_it_stops_by_itself_and_its_result_stays(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = (*POKERD, "sprt", "fair", "call", *BOUNDS, "--out", out)
    done = outcome(*command)
    assert done.returncode == 0, done.stdout + done.stderr
    found = state(out)
    assert found["decision"] == "better"
    # Nothing more is played: it is decided.
    again = outcome(*command)
    assert again.returncode == 0
    assert state(out) == found
    assert called("verify", out / "matches" / "000" / "2").returncode == 0
    other = called("sprt", "call", "fair", *BOUNDS, "--out", out)
    assert "[other_test]" in other.stderr
    # So does one that was begun when dice counted, and does not know of them.
    del found["dice"]
    (out / "sprt.json").write_text(json.dumps(found), encoding="utf-8")
    assert outcome(*command).returncode == 0
    assert state(out)["test"] == found["test"]


def test_versions_in_folders_of_the_same_name_meet_others_with_the_same_cards(tmp_path: Path) -> None:
    text = (ROOT / "clients" / "examples" / "caller.py").read_text(encoding="utf-8")
    for version in ("v7", "v8"):
        (tmp_path / version / "mybot").mkdir(parents=True)
        (tmp_path / version / "mybot" / "bot.py").write_text(text, encoding="utf-8")
    out = tmp_path / "out"
    done = outcome(
        *POKERD, "sprt", tmp_path / "v8" / "mybot", tmp_path / "v7" / "mybot", "--against", "call,raise",
        "--game", "holdem.limit.3p", "--deal-sets", "40", "--most", "40", "--out", out,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout + done.stderr
    found = state(out)
    test = found["test"]
    assert isinstance(test, dict)
    # The same program against the same bots, which throw no dice, with the same cards.
    assert (test["count"], test["total"]) == (40, 0)


def test_declared_dice_are_out_of_the_difference_unless_they_are_others(tmp_path: Path) -> None:
    for name, real in (("true", 0.5), ("untrue", 0.9)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text(TELLER.format(real=real), encoding="utf-8")
    out = tmp_path / "out"
    command = (
        *POKERD, "sprt", tmp_path / "true", tmp_path / "untrue", "--deal-sets", "10", "--out", out, "--most",
    )  # fmt: skip
    done = outcome(*command, "10")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "untrue does not play with the chances that it declares" in done.stdout
    found = state(out)
    dice = found["dice"]
    assert isinstance(dice, dict)
    assert (dice["declarers"], list(dice["untrue"])) == (["true", "untrue"], ["untrue"])
    # Only the liar's dice are left in what is tested.
    test = found["test"]
    assert isinstance(test, dict)
    assert test["total"] == dice["sums"][0] + dice["sums"][2]
    # It goes on from there.
    assert outcome(*command, "20").returncode == 3
    after = state(out)["dice"]
    assert isinstance(after, dict)
    assert list(after["untrue"]) == ["untrue"]
    assert after["chances"]["true"][0] > dice["chances"]["true"][0]


def test_a_course_that_is_interrupted_goes_on_to_the_same_result(tmp_path: Path) -> None:
    out, whole = tmp_path / "out", tmp_path / "whole"
    command = (*POKERD, "sprt", "random", "raise", "--deal-sets", "10", "--most", "30", "--out")
    with Program(*command, out, *UNDECIDED) as begun:
        begun.says("deal sets", times=2)
        assert begun.stop() == 130
    key = state(out)["key"]
    assert state(out)["matches"] in (1, 2)
    assert outcome(*command, out, *UNDECIDED).returncode == 3
    found = state(out)
    assert (found["matches"], found["key"]) == (3, key)
    # The same cards from the beginning, in one go.
    test = found["test"]
    assert isinstance(test, dict)
    whole.mkdir()
    fresh = {**found, "matches": 0, "test": {**test, "count": 0, "total": 0, "squares": 0}}
    del fresh["dice"]
    (whole / "sprt.json").write_text(json.dumps(fresh), encoding="utf-8")
    assert outcome(*command, whole, *UNDECIDED).returncode == 3
    assert state(whole) == found


def test_a_folder_that_was_edited_is_another_program(tmp_path: Path) -> None:
    text = (ROOT / "clients" / "examples" / "caller.py").read_text(encoding="utf-8")
    # A folder may be called what no bot may be called.
    bot, out = tmp_path / "_my bot (2)" / "bot.py", tmp_path / "_my bot (2)" / "out"
    bot.parent.mkdir()
    bot.write_text(text, encoding="utf-8")
    command = (*POKERD, "sprt", bot.parent, "call", "--deal-sets", "10", "--out", out)
    assert outcome(*command, "--most", "10").returncode == 3
    bot.write_text(text + "# better\n", encoding="utf-8")
    refused = called(*command[3:], "--most", "20")
    assert "[changed_program]" in refused.stderr, refused.stderr
    assert state(out)["matches"] == 1
    bot.write_text(text, encoding="utf-8")
    assert outcome(*command, "--most", "20").returncode == 3
    assert state(out)["matches"] == 2
    for damaged in ("{", "[]", "{}"):
        (out / "sprt.json").write_text(damaged, encoding="utf-8")
        assert "[damaged_test]" in outcome(*command, "--most", "20").stderr
    for name in ("remote:", "remote:a b"):
        assert "[unknown_bot]" in outcome(*POKERD, "sprt", name, "call", "--out", tmp_path / "none").stderr
