"""What how-tos show without running it: code for libraries that pokerd does not need."""

from __future__ import annotations

import ast

from tests.docs.pages import ROOT, blocks

PANDAS = ROOT / "docs" / "howto" / "results-in-pandas.md"


def strings(text: str) -> list[str]:
    return [
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def test_columns_in_pandas_are_those_that_the_script_writes() -> None:
    (script,) = blocks(PANDAS, "python file=hands.py")
    (analysis,) = blocks(PANDAS, "python pandas")
    written = next(
        [element.value for element in node.elts if isinstance(element, ast.Constant)]
        for node in ast.walk(ast.parse(script.text))
        if isinstance(node, ast.List) and all(isinstance(one, ast.Constant) for one in node.elts)
    )
    assert "net" in written
    assert set(strings(analysis.text)) - {"hands.csv", "mean", "ci95"} <= set(written)
