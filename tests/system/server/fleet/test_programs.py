"""Uploaded programs in the database of a fleet, and on their way to a node."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from server.fleet import programs
from server.fleet.database import Database
from server.fleet.errors import FleetError
from server.fleet.programs import ProgramFolder, ProgramStore, packed, programs_in
from tests.support.postgres import Postgres, rows

ONE, TWO, THREE = ("1" * 64, "2" * 64, "3" * 64)


def program(folder: Path, text: str) -> bytes:
    (folder / "lib").mkdir(parents=True)
    (folder / "bot.py").write_text(text)
    (folder / "lib" / "data.txt").write_text("data")
    return packed(folder)


def test_a_file_names_its_programs() -> None:
    text = f'folder = "{ONE}"\n\nfolder = "{TWO}"\ncommand = ["{{python}}", "{THREE}/bot.py"]\n'
    assert programs_in(text) == {ONE, TWO}
    assert programs_in('folder = "../etc"\ncommand = ["bot.py"]') == set()


async def test_a_node_fetches_a_program_once(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = postgres.migrated()
    database = Database(url)
    await database.open()
    try:
        store = ProgramStore(database)
        assert await store.missing([ONE, TWO]) == {ONE, TWO}
        for number, name in enumerate((ONE, TWO, THREE)):
            for _ in range(2):
                await store.put(name, program(tmp_path / f"{number}{_}", name))
        assert await store.missing([ONE, TWO]) == set()
        folder = tmp_path / "programs"
        folder.mkdir()
        node = ProgramFolder(folder, database)
        await node.fetch([ONE, TWO], [])
        assert (folder / TWO / "bot.py").read_text() == TWO
        assert (folder / ONE / "lib" / "data.txt").read_text() == "data"
        # What is there is not asked for again, and what has not played for long goes first.
        rows(url, f"WITH gone AS (DELETE FROM pokerd.programs WHERE program <> '{THREE}') SELECT")
        monkeypatch.setattr(programs, "KEPT", 1)
        os.utime(folder / ONE, (1, 1))
        await node.fetch([TWO, THREE], [])
        assert {path.name for path in folder.iterdir()} == {ONE, TWO, THREE}
        await node.fetch([THREE], [])
        assert {path.name for path in folder.iterdir()} == {TWO, THREE}
        with pytest.raises(FleetError) as refused:
            await node.fetch([ONE], [])
        assert refused.value.code == "unknown_competition"
    finally:
        await database.close()


async def test_the_database_forgets_what_no_competition_was_entered_with(
    postgres: Postgres, tmp_path: Path
) -> None:
    url = postgres.migrated()
    database = Database(url)
    await database.open()
    try:
        store = ProgramStore(database)
        for name in (ONE, TWO):
            await store.put(name, program(tmp_path / name, name))
        rows(url, "WITH old AS (UPDATE pokerd.programs SET seen = now() - interval '8 days') SELECT")
        assert await store.missing([TWO]) == set()
        assert rows(url, "SELECT program FROM pokerd.programs") == [(TWO,)]
    finally:
        await database.close()
