"""``docs/fleet.md`` names the tables, columns and codes that there are, and its lines for PostgreSQL work."""

from __future__ import annotations

import re
from pathlib import Path

from server.fleet.coordinator import NODE_TIMEOUT, WINDOW
from server.fleet.database import TIMEOUT
from server.fleet.errors import FleetError
from server.fleet.ledger import PART
from server.fleet.node_registry import SILENCE
from server.fleet.schema import STEPS
from tests.docs.pages import ROOT, code, read, rows, section

FLEET = ROOT / "docs" / "fleet.md"


def test_the_tables_and_their_columns() -> None:
    made: dict[str, set[str]] = {}
    for name, body in re.findall(r"CREATE TABLE pokerd\.(\w+) \((.*?)\n    \);", "".join(STEPS), re.DOTALL):
        made[name] = set(re.findall(r"^        ([a-z]+) ", body, re.MULTILINE))
    for name, body in re.findall(r"ALTER TABLE pokerd\.(\w+)\s(.*?);", "".join(STEPS), re.DOTALL):
        made[name] |= set(re.findall(r"ADD COLUMN ([a-z]+) ", body))
    told = {code(name)[0]: columns for name, columns in rows(section(FLEET, "## The database"))}
    assert set(told) == set(made)
    for name, columns in told.items():
        assert set(code(re.sub(r"\([^)]*\)", "", columns))) == made[name], name


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


def test_the_numbers() -> None:
    text = read(FLEET)
    assert f"silent for {NODE_TIMEOUT:g} seconds" in text
    assert re.search(rf"after {TIMEOUT} seconds \(`idle_in_transaction_session_timeout`\)", text)
    assert f"silent for {SILENCE:g} seconds" in text
    assert f"at most {WINDOW} at a time" in text
    assert f"up to {PART} hands" in text
