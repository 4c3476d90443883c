"""``docs/bots.md`` against the registry and the parameters of the bots in it."""

from __future__ import annotations

import tomllib

import pytest

from pokerd.__main__ import main
from server.competition.schema import BotEntry
from strategy.registry import house_bots, parameters_of
from tests.docs.pages import BOTS, blocks


def test_the_command_lists_every_house_bot_and_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for line, bot in zip(lines, house_bots(), strict=True):
        assert line.split()[0] == bot.name
        assert bot.does
        assert line.endswith(bot.does)


def test_the_example_can_be_played() -> None:
    (block,) = [block for block in blocks(BOTS, "text") if "[[bots]]" in block.text]
    (entry,) = tomllib.loads(block.text)["bots"]
    assert set(entry) <= set(BotEntry.__struct_fields__)
    assert parameters_of(entry["run"], entry["parameters"])
