"""``docs/rules.md`` against the code that it describes."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from dealer.rules.games import GAMES

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_every_example_is_right() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert results.attempted > 15
    assert results.failed == 0


def test_the_table_lists_every_game_file_and_no_other() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("## Games")[2].partition("`python -m")[0]
    first_cells = "".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`([\w.]+)`", first_cells)) == {path.stem for path in GAMES.glob("*.game")}
