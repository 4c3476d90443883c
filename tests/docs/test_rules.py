"""``docs/rules.md`` against the code that it describes."""

from __future__ import annotations

import doctest
import json
from pathlib import Path

import pytest

from dealer.rules.games import GAMES
from pokerd.__main__ import main

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_every_example_is_right() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted > 15
    assert results.failed == 0


def test_the_command_lists_every_game_and_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    told = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert main(["rules", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == told
    assert set(told) == {path.stem for path in GAMES.glob("*.game")}
