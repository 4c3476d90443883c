"""Programs that were uploaded, on their way to the nodes: as archives in the database.

A competition names them by their hashes, as ``folder``; each machine has its own folder for them.
"""

from __future__ import annotations

import asyncio
import io
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final

from server.bots.unpack import unpack
from server.fleet.database import Database
from server.fleet.errors import FleetError

#: Seconds after which the database forgets a program that no competition was entered with.
RETENTION: Final = 7 * 86_400.0
#: Programs that a node keeps, besides those that play.
KEPT: Final = 200

_NAMED = re.compile(r'^folder = "([0-9a-f]{64})"$', re.MULTILINE)


def programs_in(text: str) -> set[str]:
    """Return the hashes of the programs that a text names."""
    return set(_NAMED.findall(text))


def packed(folder: Path) -> bytes:
    """Return a program's files as an archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder))
    return out.getvalue()


class ProgramStore:
    """The programs in an open database. All methods raise the errors that ``Database.retry`` handles, and may
    be repeated.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def missing(self, programs: Iterable[str]) -> set[str]:
        """Return which of the programs the database has not; it keeps the others for longer."""
        wanted = sorted(programs)
        async with self._database.transaction() as connection:
            await connection.execute(
                "DELETE FROM pokerd.programs WHERE program <> ALL(%s)"
                " AND seen < now() - make_interval(secs => %s)",
                (wanted, RETENTION),
            )
            cursor = await connection.execute(
                "UPDATE pokerd.programs SET seen = now() WHERE program = ANY(%s) RETURNING program", (wanted,)
            )
            return set(wanted).difference(program for (program,) in await cursor.fetchall())

    async def put(self, program: str, archive: bytes) -> None:
        """Store a program."""
        async with self._database.transaction() as connection:
            await connection.execute(
                "INSERT INTO pokerd.programs (program, archive) VALUES (%s, %s) ON CONFLICT DO NOTHING",
                (program, archive),
            )

    async def archive(self, program: str) -> bytes:
        """Return the archive of a program. Raises ``FleetError`` (``unknown_competition``)."""
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT archive FROM pokerd.programs WHERE program = %s", (program,)
            )
            row = await cursor.fetchone()
        if row is None:
            raise FleetError("unknown_competition", f"the database does not know the program {program}")
        return bytes(row[0])


class ProgramFolder:
    """A node's ``folder`` of programs, filled from the database."""

    def __init__(self, folder: Path, database: Database) -> None:
        self.folder = folder
        self._database = database
        self._store = ProgramStore(database)

    async def fetch(self, programs: Collection[str], playing: Collection[str]) -> None:
        """Have these programs in the folder; keep those that are ``playing``. Raises ``FleetError`` and
        ``UnpackError``.
        """
        for program in sorted(programs):
            path = self.folder / program
            if path.is_dir():
                os.utime(path)
                continue
            archive = await self._database.retry(lambda: self._store.archive(program))  # noqa: B023
            await asyncio.to_thread(self._unpack, archive, path)
        await asyncio.to_thread(self._remove_old, {*programs, *playing})

    def _unpack(self, archive: bytes, path: Path) -> None:
        with tempfile.TemporaryDirectory(dir=self.folder) as new:
            unpack(archive, Path(new)).rename(path)

    def _remove_old(self, playing: Collection[str]) -> None:
        idle = [path for path in self.folder.iterdir() if path.name not in playing]
        idle.sort(key=lambda path: path.stat().st_mtime)
        for path in idle[: max(0, len(idle) - KEPT)]:
            shutil.rmtree(path, ignore_errors=True)
