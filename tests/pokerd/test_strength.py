from __future__ import annotations

import json
from typing import Any

import pytest

from pokerd.__main__ import main


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["strength", *arguments]) == 0
    return capsys.readouterr().out


def numbers(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(told(capsys, *arguments, "--json"))
    return values


def test_papps_example(capsys: pytest.CaptureFixture[str]) -> None:
    values = numbers(capsys, "AdQc", "3h4cJh")
    expected = {
        "hs": 0.5851,
        "ppot1": 0.1083,
        "npot1": 0.1454,
        "ppot2": 0.2083,
        "npot2": 0.2737,
        "ehs": 0.6715,
        "ehs_full": 0.5114,
        "equity": 0.5114,
    }
    assert {name: values[name] for name in expected} == pytest.approx(expected, abs=5e-5)
    assert (values["class"], values["label"], values["opponents"]) == ("AQo", "high card, ace", 1)
    five = numbers(capsys, "AdQc", "3h4cJh", "--opponents", "5")
    assert five["hs"] == pytest.approx(0.0686, abs=5e-5)
    assert five["ppot2"] == values["ppot2"]
    assert 0.1 < five["equity"] < 0.14
    assert 0 < five["equity_error"] < 0.002
    assert numbers(capsys, "AdQc", "3h4cJh", "--opponents", "5") == five


def test_what_there_is_on_each_street(capsys: pytest.CaptureFixture[str]) -> None:
    preflop, turn, river = (numbers(capsys, "8s8d", board) for board in ("", "3h4cJh9s", "3h4cJh9s2c"))
    assert [name for name, value in preflop.items() if value is None] == [
        "hs", "ppot1", "npot1", "ehs1", "ehs1_full", "ppot2", "npot2", "ehs2", "ehs2_full", "ehs", "ehs_full",
        "equity_error",
    ]  # fmt: skip
    assert set(preflop["income_rates"]) == {"2", "4", "7"}
    assert [name for name, value in turn.items() if value is None] == [
        "ppot2", "npot2", "ehs2", "ehs2_full", "equity_error"
    ]  # fmt: skip
    assert turn["ehs"] == turn["ehs1"]
    assert [river[name] for name in ("ppot1", "npot1", "ppot2", "npot2")] == [0, 0, 0, 0]
    assert river["hs"] == river["ehs"] == river["ehs_full"] == river["equity"]


def test_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert told(capsys, "8s8d", "3h4cJh9s") == (
        "8s8d on 3h4cJh9s: pair, eights\n"
        "against 1 random hand\n"
        "\n"
        "hand strength        0.7155\n"
        "equity               0.6450\n"
        "\n"
        "look-ahead           1 card\n"
        "PPot                 0.0470\n"
        "NPot                 0.1172\n"
        "EHS, optimistic      0.7288\n"
        "EHS, full            0.6450\n"
    )
    assert "look-ahead" not in told(capsys, "8s8d", "3h4cJh9s2c")
    assert " +- 0.00" in told(capsys, "8s8d", "3h4cJh9s2c", "--opponents", "2")
    preflop = told(capsys, "8s8d", "--opponents", "3").splitlines()
    assert preflop[:2] == ["8s8d: 88", "against 3 random hands"]
    assert [line.rsplit(" ", 2)[0].split("  ")[0] for line in preflop[3:]] == [
        "equity",
        "income, 2 players",
        "income, 4 players",
        "income, 7 players",
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["AdQ"], "bad_card"),
        (["AdQx"], "bad_card"),
        (["AdQc", "3h4cJ1"], "bad_card"),
        (["AdAd"], "duplicate_card"),
        (["AdQc", "AdJhTs"], "duplicate_card"),
        (["AdQc", "JhJhTs"], "duplicate_card"),
        (["Ad"], "bad_hole"),
        (["AdQcJh"], "bad_hole"),
        (["AdQc", "3h4c"], "bad_board"),
        (["AdQc", "3h4cJh9s2c2d"], "bad_board"),
        (["AdQc", "3h4cJh", "--opponents", "0"], "bad_opponents"),
        (["AdQc", "--opponents", "10"], "bad_opponents"),
    ],
)
def test_what_is_wrong_is_said(capsys: pytest.CaptureFixture[str], arguments: list[str], code: str) -> None:
    assert main(["strength", *arguments]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith("pokerd: ")
    assert output.err.endswith(f" [{code}]\n")
