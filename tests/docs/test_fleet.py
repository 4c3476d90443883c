"""``docs/fleet.md`` names the tables, columns and codes that there are, and its lines for PostgreSQL work."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from server.fleet.coordinator import STALLED, WINDOW
from server.fleet.database import TIMEOUT
from server.fleet.errors import FleetError
from server.fleet.ledger import PART
from server.fleet.node_registry import SILENCE
from server.fleet.schema import STEPS
from tests.docs.pages import ROOT, blocks, code, read, rows, section
from tests.support import postgres
from tests.support.programs import Program

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
    assert f"silent for {STALLED:g} seconds" in text
    assert re.search(rf"after {TIMEOUT} seconds \(`idle_in_transaction_session_timeout`\)", text)
    assert f"silent for {SILENCE:g} seconds" in text
    assert f"at most {WINDOW} at a time" in text
    assert f"up to {PART} hands" in text


def test_the_lines_for_postgresql_let_a_fleet_in_and_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    role, access, address = (block.text for block in blocks(FLEET, "sh"))
    address = address.replace("/etc/pokerd/db.crt", f"{tmp_path}/db.crt")
    url = address.split("'")[1]
    password = urlsplit(url).password or ""
    with postgres.running(superuser="postgres") as server:
        # Rules that a server has at first would let everybody of this machine in.
        (server.data / "pg_hba.conf").write_text("host all postgres 127.0.0.1/32 trust\n", encoding="utf-8")
        server.stop()
        server.start()
        server.shell(role, password, password)
        server.shell(access.replace("10.0.0.0/24", "127.0.0.1/32"))
        server.shell(f"psql -c \"CREATE ROLE other SUPERUSER LOGIN PASSWORD '{password}'\"")
        server.stop()
        server.start()
        (tmp_path / "db.crt").write_bytes((server.data / "server.crt").read_bytes())
        # The name is no machine's: this is where it would lead.
        monkeypatch.setenv("PGHOSTADDR", "127.0.0.1")
        monkeypatch.setenv("PGPORT", str(server.port))
        command = f"exec {sys.executable} -m pokerd coordinator games/fleet.toml --out {tmp_path}/out"
        with Program("sh", "-euc", address + command) as coordinator:
            coordinator.says("bots connect to")
            made = (
                "SELECT schemaname, tableowner FROM pg_tables WHERE schemaname IN ('pokerd', 'procrastinate')"
            )
            assert set(postgres.rows(url, made)) == {("pokerd", "pokerd"), ("procrastinate", "pokerd")}
            seen = "SELECT ssl FROM pg_stat_ssl NATURAL JOIN pg_stat_activity WHERE usename = 'pokerd'"
            assert set(postgres.rows(url, seen)) == {(True,)}
            coordinator.stop()
        assert postgres.rows(url, "SHOW listen_addresses") == [("*",)]
        for right, wrong, said in (
            ("//pokerd:", "//other:", "no pg_hba.conf entry"),
            ("/pokerd?", "/postgres?", "no pg_hba.conf entry"),
            ("verify-full", "disable", "no pg_hba.conf entry"),
            (password, "wrong", "password authentication failed"),
            ("db.example", "localhost", "certificate"),
        ):
            assert right in url
            with pytest.raises(psycopg.OperationalError, match=said):
                psycopg.connect(url.replace(right, wrong)).close()
