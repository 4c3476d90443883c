"""Two hundred kills at random moments change nothing: not what is played, and no figure."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.programs import PYTHON, Program, outcome

KILLS, LAST = 200, 300


def test_two_hundred_kills_leave_the_same_bytes(tmp_path: Path) -> None:
    tables = []
    places: list[int] = []
    for kills in (0, KILLS):
        folder = tmp_path / f"{kills}"
        with Program(PYTHON, "-m", "tests.support.ladder_kills", folder, str(LAST), str(kills)) as program:
            assert program.process.wait(600) == 0, program.lines[-30:]
            program.end()
        places = json.loads(program.lines[-1])
        assert len(places) == kills
        shown = outcome(PYTHON, "-m", "pokerd", "ladder", "show", folder, "--json")
        assert shown.returncode == 0, shown.stderr
        tables.append(shown.stdout)
    # The kills are all over the course.
    assert len(set(places)) > KILLS / 10
    assert places[-1] > LAST / 2
    assert tables[0] == tables[1]
    rows = {row["bot"]: row for row in json.loads(tables[0])["bots"]}
    assert {"ann@7", "bob@4", "cal@5"} <= set(rows)
    assert all(row["state"] == "rated" and row["half"] is not None for row in rows.values())
