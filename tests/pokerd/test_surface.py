"""The shape of the tree: what modules import of each other, and how much a folder holds.

That a name is imported from the module that defines it, mypy sees to.
"""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("clients", "dealer", "pokerd", "protocol", "server", "strategy", "studies")
MODULES = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
MOST_MODULES = 15


def test_no_module_imports_a_private_name() -> None:
    private = [
        f"{path.relative_to(ROOT)}:{node.lineno} imports {alias.name}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.startswith("__")
    ]
    assert private == []


def test_no_callback_is_assigned_from_outside() -> None:
    """Whoever calls back is told by whom it is made, or has a protocol for it."""
    assigned = [
        f"{path.relative_to(ROOT)}:{node.lineno} assigns {target.attr}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute) and target.attr.startswith("on_")
        if not (isinstance(target.value, ast.Name) and target.value.id == "self")
    ]
    assert assigned == []


def test_benchmarks_import_no_tests() -> None:
    """Tests of what benchmarks compute import these; so there would be a circle."""
    for path in (ROOT / "benchmarks").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            assert not (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests")), path


def test_a_folder_can_be_taken_in_at_a_glance() -> None:
    folders = {path.parent for path in MODULES}
    counts = {
        str(folder.relative_to(ROOT)): len(
            [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        )
        for folder in folders
    }
    # There it is a file for each command.
    assert {name for name, count in counts.items() if count > MOST_MODULES} <= {"pokerd/commands"}
    for folder in folders:
        first = folder / "__init__.py"
        assert not first.exists() or ast.get_docstring(ast.parse(first.read_text("utf-8"))), folder
