"""``docs/bots.md`` against the registry and the parameters of the bots in it."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase

import pytest

from pokerd.__main__ import main
from server.competition.schema import BotEntry
from strategy.parameters import settings_of
from strategy.registry import house_bots, parameters_of, parameters_type, strategy_names
from tests.docs.pages import BOTS, blocks, code, numbers, rows, section


def test_the_command_lists_every_house_bot_and_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for line, bot in zip(lines, house_bots(), strict=True):
        assert line.split()[0] == bot.name
        assert bot.does
        assert line.endswith(bot.does)


def documented() -> Iterator[tuple[str, str, str, str, str]]:
    """Bot, key, default, what is allowed and what it means, of every row of the table of parameters."""
    patterns: list[str] = []
    for bots, key, default, allowed, meaning in rows(section(BOTS, "## Parameters")):
        patterns = code(bots) or patterns
        for name in strategy_names():
            if any(fnmatchcase(name, pattern) for pattern in patterns):
                yield name, code(key)[0], default, allowed, meaning.replace("`", "")


def test_every_parameter_is_documented_as_the_program_has_it() -> None:
    known = {
        (name, key): (f"`{json.dumps(setting.default)}`", bounds(setting.allowed), setting.meaning)
        for name in strategy_names()
        if (kind := parameters_type(name)) is not None
        for key, setting in settings_of(kind).items()
    }
    assert {
        (name, key): (default, bounds(allowed), meaning)
        for name, key, default, allowed, meaning in documented()
    } == known
    assert len(list(documented())) == len(known)


def bounds(text: str) -> tuple[list[float], list[str]]:
    """The numbers and the quoted words in a text on what is allowed."""
    return numbers(text), re.findall('"(.*?)"', text)


def test_the_example_can_be_played() -> None:
    (block,) = [block for block in blocks(BOTS, "text") if "[[bots]]" in block.text]
    (entry,) = tomllib.loads(block.text)["bots"]
    assert set(entry) <= set(BotEntry.__struct_fields__)
    assert parameters_of(entry["run"], entry["parameters"])
