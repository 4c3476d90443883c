"""``coordinator`` and ``node``: what they refuse, with which code."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path

import pytest

from server.fleet.coordinator import prepare
from tests.pokerd.test_command_line import refused
from tests.server.broker import free_port
from tests.server.continued import TRIO, text_of, written
from tests.server.fleet import coordinator
from tests.server.postgres import Postgres, rows, until


def commands(folder: Path, database: str) -> list[list[str]]:
    file = written(folder, text_of(TRIO, hands=2))
    return [
        ["coordinator", str(file), "--out", str(folder / "out"), "--database", database],
        ["node", "--name", "one", "--data", str(folder / "data"), "--database", database],
    ]


def test_no_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for given, code in {
        "": "bad_database",
        "nonsense": "bad_database",
        f"postgresql://127.0.0.1:{free_port()}/x": "no_database",
    }.items():
        for command in commands(tmp_path, given):
            assert refused(command, capsys) == code
    assert not (tmp_path / "out").exists()


def test_a_database_of_a_later_version(
    postgres: Postgres, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = postgres.database()
    asyncio.run(prepare(url))
    rows(url, "UPDATE pokerd.schema SET version = 1000 RETURNING version")
    for command in commands(tmp_path, url):
        assert refused(command, capsys) == "newer_database"


def test_without_the_libraries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "procrastinate" else find(name)
    )
    for command in commands(tmp_path, "postgresql://127.0.0.1/x"):
        assert refused(command, capsys) == "no_fleet"


def test_a_name_that_no_node_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, command = commands(tmp_path, "postgresql://127.0.0.1/x")
    assert refused([*command, "--name", "a/b"], capsys) == "bad_node"


def test_another_database_than_the_one_it_was_begun_with(postgres: Postgres, tmp_path: Path) -> None:
    file, out = written(tmp_path, text_of(TRIO, hands=2)), tmp_path / "out"
    url = postgres.database()
    with coordinator(url, file, out) as chief:
        chief.says("deals are committed to")
        until(url, "SELECT id FROM pokerd.sessions WHERE job IS NOT NULL")
        assert chief.stop() == 130
    with coordinator(postgres.database(), out, out) as chief:
        assert chief.end() == 2
        assert chief.said(r"pokerd compete .* goes on \[unknown_competition\]$")
