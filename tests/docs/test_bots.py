"""``docs/bots.md`` against the registry and the parameters of the bots in it."""

from __future__ import annotations

import json
import re
import tomllib
from importlib import import_module
from typing import Any

import pytest

from server.competition.file import BotEntry
from strategy.parameters import allowed_values
from strategy.registry import _FACTORIES, parameters_of, strategy_names
from tests.docs.pages import ROOT, blocks, code, read, rows, section

BOTS = ROOT / "docs" / "bots.md"
HEAD = read(BOTS).partition("\n## ")[0]


def parameters(name: str) -> type[Any] | None:
    module, _, attribute = _FACTORIES[name].partition(":")
    kind: type[Any] | None = getattr(getattr(import_module(module), attribute), "Parameters", None)
    return kind


def test_every_house_bot_is_told_and_no_other() -> None:
    told = [name for first, *_ in rows(HEAD) for name in code(first)]
    assert sorted(told) == list(strategy_names())
    assert len(set(told)) == len(told)


def test_every_bot_with_parameters_has_a_section_and_no_other() -> None:
    told = {name for line in re.findall(r"^### (.*)$", read(BOTS), re.MULTILINE) for name in line.split(", ")}
    assert told == {name for name in strategy_names() if parameters(name) is not None}


@pytest.mark.parametrize("heading", re.findall(r"^### .*$", read(BOTS), re.MULTILINE))
def test_every_parameter_is_told_with_its_default_and_what_is_allowed(heading: str) -> None:
    for name in heading.removeprefix("### ").split(", "):
        kind = parameters(name)
        assert kind is not None
        told = {code(key)[0]: (default, allowed) for key, default, allowed, _ in rows(section(BOTS, heading))}
        known = {
            key: (f"`{json.dumps(default)}`", allowed)
            for key, (default, allowed) in allowed_values(kind).items()
        }
        assert told == known


def test_the_example_can_be_played() -> None:
    (block,) = [block for block in blocks(BOTS, "text") if "parameters" in block.text]
    (entry,) = tomllib.loads(block.text)["bots"]
    assert set(entry) <= set(BotEntry.__struct_fields__)
    assert parameters_of(entry["run"], entry["parameters"])
