"""``docs/bots.md`` against the registry and the parameters of the bots in it."""

from __future__ import annotations

import json
import re
import tomllib
from inspect import getdoc

import pytest

from pokerd.__main__ import main
from server.competition.file import BotEntry
from strategy.parameters import allowed_values
from strategy.registry import house_bots, parameters_of, parameters_type, strategy_names
from tests.docs.pages import ROOT, blocks, code, numbers, read, rows, section

BOTS = ROOT / "docs" / "bots.md"
HEAD = read(BOTS).partition("\n## ")[0]


def test_the_command_lists_every_house_bot_and_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for line, bot in zip(lines, house_bots(), strict=True):
        assert line.split()[0] == bot.name
        assert bot.does
        assert line.endswith(bot.does)


def test_the_table_of_published_bots_names_house_bots() -> None:
    told = [name for first, *_ in rows(HEAD) for name in code(first)]
    assert set(told) <= set(strategy_names())
    assert len(set(told)) == len(told)


def test_every_parameter_is_told_in_a_section_or_in_the_help() -> None:
    sections = {
        name for line in re.findall(r"^### (.*)$", read(BOTS), re.MULTILINE) for name in line.split(", ")
    }
    for name in strategy_names():
        kind = parameters_type(name)
        if kind is None:
            assert name not in sections
        elif name not in sections:
            assert {f"``{key}``" for key in allowed_values(kind)} <= set(
                re.findall("``.*?``", getdoc(kind) or "")
            )


@pytest.mark.parametrize("heading", re.findall(r"^### .*$", read(BOTS), re.MULTILINE))
def test_every_parameter_is_told_with_its_default_and_what_is_allowed(heading: str) -> None:
    for name in heading.removeprefix("### ").split(", "):
        kind = parameters_type(name)
        assert kind is not None
        told = {code(key)[0]: (default, allowed) for key, default, allowed, _ in rows(section(BOTS, heading))}
        known = allowed_values(kind)
        assert {key: default for key, (default, _) in told.items()} == {
            key: f"`{json.dumps(default)}`" for key, (default, _) in known.items()
        }
        for key, (_, allowed) in told.items():
            assert bounds(allowed) == bounds(known[key][1]), key


def bounds(text: str) -> tuple[list[float], list[str]]:
    """The numbers and the quoted words in a text on what is allowed."""
    return numbers(text), re.findall('"(.*?)"', text)


def test_the_example_can_be_played() -> None:
    (block,) = [block for block in blocks(BOTS, "text") if "parameters" in block.text]
    (entry,) = tomllib.loads(block.text)["bots"]
    assert set(entry) <= set(BotEntry.__struct_fields__)
    assert parameters_of(entry["run"], entry["parameters"])
