"""What modules offer: ``__all__`` says it, is right, and nobody in the project takes anything else."""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("clients", "dealer", "pokerd", "pokerd_bot", "protocol", "server", "strategy", "studies")
#: Rooms that are not at the top.
FOLDERS = {"pokerd_bot": ROOT / "clients" / "sdk" / "pokerd_bot"}


def module_names() -> Iterator[str]:
    for room in ROOMS:
        yield room
        for found in pkgutil.walk_packages([str(FOLDERS.get(room, ROOT / room))], f"{room}."):
            if not found.name.startswith("clients.examples"):  # programs
                yield found.name


MODULES = tuple(module_names())


def load(name: str) -> ModuleType:
    return import_module(name)


@pytest.mark.parametrize("name", MODULES)
def test_what_a_module_offers_is_there(name: str) -> None:
    module = load(name)
    own = {
        attribute
        for attribute, value in vars(module).items()
        if not attribute.startswith("_")
        and getattr(value, "__module__", None) == name
        and (isinstance(value, type) or callable(value))
    }
    offered = getattr(module, "__all__", None)
    if offered is None:
        assert not own, f"{name} defines {sorted(own)} and has no __all__"
        return
    assert len(set(offered)) == len(offered)
    assert not [attribute for attribute in offered if attribute.startswith("_")]
    assert [attribute for attribute in offered if not hasattr(module, attribute)] == []


def taken() -> Iterator[tuple[str, str, str]]:
    """Every name that one module of the project imports from another: importer, module, name."""
    for room in ROOMS:
        for path in sorted(FOLDERS.get(room, ROOT / room).rglob("*.py")):
            importer = path.relative_to(ROOT).as_posix()
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ROOMS:
                    assert node.level == 0
                    for alias in node.names:
                        yield importer, str(node.module), alias.name


def test_only_what_is_offered_is_taken() -> None:
    hidden = []
    for importer, name, attribute in taken():
        if f"{name}.{attribute}" not in MODULES and attribute not in load(name).__all__:
            hidden.append(f"{importer} takes {attribute} of {name}")
    assert hidden == []
