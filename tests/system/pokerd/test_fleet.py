"""What a coordinator refuses of a database."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from server.fleet.coordinator import prepare_database
from tests.pokerd.commands import fleet_commands, refused
from tests.support.competitions.continued import TRIO, text_of, written
from tests.support.competitions.fleet import coordinator
from tests.support.postgres import Postgres, rows, until


def test_a_database_of_a_later_version(
    postgres: Postgres, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = postgres.database()
    asyncio.run(prepare_database(url))
    rows(url, "UPDATE pokerd.schema SET version = 1000 RETURNING version")
    for command in fleet_commands(tmp_path, url):
        assert refused(command, capsys) == "newer_database"


def test_another_database_than_the_one_it_was_begun_with(postgres: Postgres, tmp_path: Path) -> None:
    file, out = written(tmp_path, text_of(TRIO, hands=2)), tmp_path / "out"
    url = postgres.database()
    with coordinator(url, file, out) as chief:
        chief.says("deals are committed to")
        until(url, "SELECT id FROM pokerd.sessions WHERE job IS NOT NULL")
        assert chief.stop() == 130
    with coordinator(postgres.database(), out, out) as chief:
        assert chief.end() == 2
        assert chief.said(r"pokerd compete .* \[unknown_competition\]$")
