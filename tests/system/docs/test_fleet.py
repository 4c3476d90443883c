"""The lines of ``docs/fleet.md`` for PostgreSQL work."""

from __future__ import annotations

import sys
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.docs.pages import FLEET, blocks
from tests.support import postgres
from tests.support.programs import Program


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
