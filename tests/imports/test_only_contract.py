"""The contract that guards the rooms can be broken by each of the imports it is there to refuse."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import grimp
import pytest

from tests.imports.only_contract import OnlyContract, Refused

ROOTS = ["dealer", "server", "strategy"]
MODULES = [
    "strategy",
    "strategy.baseline.simple",
    "dealer",
    "dealer.rules",
    "dealer.rules.cards",
    "dealer.deck",
]


def refused(*imports: tuple[str, str], **options: Any) -> list[Refused]:
    graph = grimp.ImportGraph()
    for module in MODULES:
        graph.add_module(module)
    for line, (importer, imported) in enumerate(imports, start=1):
        graph.add_import(
            importer=importer, imported=imported, line_number=line, line_contents=f"import {imported}"
        )
    contract = OnlyContract("rooms", {"root_packages": ROOTS}, {"room": "strategy", **options})
    found: list[Refused] = contract.check(graph, verbose=False).metadata["refused"]
    return found


def test_what_is_listed_is_allowed() -> None:
    assert not refused(
        ("strategy.baseline.simple", "strategy"),
        ("strategy.baseline.simple", "dealer.rules.cards"),
        ("strategy.baseline.simple", "dealer.rules"),
        ("strategy.baseline.simple", "math"),
        ("strategy.baseline.simple", "numpy"),
        rooms=["dealer.rules"],
        libraries=["numpy"],
        never=["asyncio"],
    )


@pytest.mark.parametrize("imported", ["dealer.deck", "dealer", "server", "websockets", "asyncio"])
def test_everything_else_is_refused(imported: str) -> None:
    found = refused(
        ("strategy.baseline.simple", imported), rooms=["dealer.rules"], libraries=["numpy"], never=["asyncio"]
    )
    assert found == [Refused("strategy.baseline.simple", imported, (1,))]


def test_without_a_list_of_libraries_any_is_allowed_but_no_other_room() -> None:
    found = refused(("strategy.baseline.simple", "websockets"), ("strategy", "dealer.rules"))
    assert [refusal.imported for refusal in found] == ["dealer.rules"]


def test_a_room_with_a_similar_name_is_another_room() -> None:
    assert refused(("strategy", "dealer.rules_of_thumb"), rooms=["dealer.rules"])


def test_every_room_but_the_front_door_has_a_contract() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    options = project["tool"]["importlinter"]
    guarded = {contract.get("room") for contract in options["contracts"]}
    assert guarded >= set(options["root_packages"]) - {"pokerd"}
