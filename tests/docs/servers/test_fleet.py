"""``docs/fleet.md`` names the tables, columns and codes that there are, and its lines for PostgreSQL work."""

from __future__ import annotations

import re
from pathlib import Path

from server.fleet.errors import FleetError
from server.fleet.schema import STEPS
from tests.docs.pages import FLEET, ROOT, code, merged, rows, section


def test_the_tables_and_their_columns() -> None:
    made: dict[str, set[str]] = {}
    for name, body in re.findall(r"CREATE TABLE pokerd\.(\w+) \((.*?)\n    \);", "".join(STEPS), re.DOTALL):
        made[name] = set(re.findall(r"^        ([a-z]+) ", body, re.MULTILINE))
    for name, body in re.findall(r"ALTER TABLE pokerd\.(\w+)\s(.*?);", "".join(STEPS), re.DOTALL):
        made[name] |= set(re.findall(r"ADD COLUMN ([a-z]+) ", body))
    assert merged(rows(section(FLEET, "## The database"))) == made


def test_the_codes() -> None:
    told = {code(first)[0] for first, _ in rows(section(FLEET, "## Errors"))}
    assert told == set(re.findall(r"``([a-z_]+)``:", FleetError.__doc__ or ""))
    raised = {
        found
        for path in (
            *(ROOT / "server" / "fleet").glob("*.py"),
            ROOT / "server" / "commands" / "node.py",
            ROOT / "pokerd" / "commands" / "coordinator.py",
            ROOT / "pokerd" / "commands" / "node.py",
        )
        for found in re.findall(r'FleetError\(\s*"([a-z_]+)"', Path(path).read_text("utf-8"))
    }
    assert raised == told
