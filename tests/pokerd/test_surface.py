"""No module imports a private name of another. That it imports from where a name is defined, mypy sees to."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("clients", "dealer", "pokerd", "protocol", "server", "strategy", "studies")


def test_no_module_imports_a_private_name() -> None:
    private = [
        f"{path.relative_to(ROOT)}:{node.lineno} imports {alias.name}"
        for room in ROOMS
        for path in sorted((ROOT / room).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.startswith("__")
    ]
    assert private == []
