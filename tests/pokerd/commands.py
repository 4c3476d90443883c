"""Commands of the program called in this process: what they print or refuse, and words for them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pokerd.__main__ import main
from tests.support.competitions.continued import TRIO, text_of, written

#: A short evolution.
QUICK = ["--population", "6", "--generations", "3", "--hands", "50"]
KUHN, LEDUC = "kuhn.limit.2p", "leduc.limit.2p"
PUSH = ("holdem.nolimit.2p.reverse_blinds", "--push-fold", "10")


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints that succeeds."""
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def trained(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The values of what was trained so."""
    values: dict[str, Any] = json.loads(told(capsys, "train", "cfr", *arguments, "--json"))
    return values


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The code of an error that is told in one line, with exit code 2 and nothing else said."""
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert told.out == ""
    found = re.fullmatch(r"pokerd: .+ \[([a-z_]+)\]\n", told.err)
    assert found, told.err
    return found[1]


def fleet_commands(folder: Path, database: str) -> list[list[str]]:
    """A coordinator and a node with this database."""
    file = written(folder, text_of(TRIO, hands=2))
    return [
        ["coordinator", str(file), "--out", str(folder / "out"), "--database", database],
        ["node", "--name", "one", "--data", str(folder / "data"), "--database", database],
    ]
