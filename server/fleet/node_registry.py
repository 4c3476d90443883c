"""The roll of nodes: who has which name, and which signs of life are his."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path
from typing import Final

from server.fleet.database import Database
from server.fleet.errors import FleetError
from server.fleet.queue import JobQueue
from server.storage.locks import open_locked
from server.telemetry.version import VERSION

__all__ = ["NodeKey", "NodeRegistry"]

#: Seconds without a sign of life after which a name is free for another node.
SILENCE: Final = 15.0
#: Part of a topic and of file names.
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class NodeKey:
    """What tells a node that was started again from another of its name: a secret in its directory, which one
    process alone holds. Raises ``FleetError`` (``node_in_use``).
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        in_use = FleetError("node_in_use", f"another node plays in {folder}")
        self._file = open_locked(folder / "node.key", in_use, os.O_RDWR | os.O_CREAT)
        self.text = os.read(self._file, 64).decode("ascii", "replace")
        if not re.fullmatch("[0-9a-f]{32}", self.text):
            os.ftruncate(self._file, 0)
            os.lseek(self._file, 0, os.SEEK_SET)
            self.text = secrets.token_hex(16)
            os.write(self._file, self.text.encode())

    def close(self) -> None:
        """Let go of the directory."""
        os.close(self._file)


class NodeRegistry:
    """The names of nodes in a database that is open. Its methods raise what ``Database.retry`` waits
    for.
    """

    def __init__(self, database: Database, queue: JobQueue) -> None:
        self._database = database
        self._queue = queue

    @staticmethod
    def verify_name(name: str) -> None:
        """Raises ``FleetError`` (``bad_node``) unless a node can be called that."""
        if not _NAME.fullmatch(name):
            raise FleetError("bad_node", f"{name!r} is no name for a node: letters, digits, '_', '-', '.'")

    async def register(self, name: str, key: str, url: str) -> int:
        """Take a name: the number for signs of life. What an earlier process with this key had taken goes to
        others at once: it is dead. Raises ``FleetError`` (``node_in_use``).
        """
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "INSERT INTO pokerd.nodes (node, key, url, version) VALUES (%s, %s, %s, %s)"
                " ON CONFLICT (node) DO UPDATE SET key = excluded.key, url = excluded.url,"
                " version = excluded.version, since = now() WHERE nodes.key = excluded.key"
                " OR NOT EXISTS (SELECT FROM procrastinate_workers WHERE id = nodes.worker"
                " AND last_heartbeat > now() - make_interval(secs => %s)) RETURNING worker",
                (name, key, url, VERSION, SILENCE),
            )
            row = await cursor.fetchone()
        if row is None:
            raise FleetError("node_in_use", f"there is a node called {name}; give this one another name")
        if row[0] is not None:
            await self._queue.unregister(int(row[0]))
        worker = await self._queue.register()
        async with self._database.transaction() as connection:
            await connection.execute("UPDATE pokerd.nodes SET worker = %s WHERE node = %s", (worker, name))
        return worker

    async def heartbeat(self, name: str, key: str, worker: int) -> bool:
        """Show a sign of life. False if it was away for so long that its signs of life count no more: then it
        must sign on again. Raises ``FleetError`` (``node_in_use``) if the name is another's by now.
        """
        await self._queue.heartbeat(worker)
        async with self._database.transaction() as connection:
            cursor = await connection.execute(
                "SELECT key, EXISTS (SELECT FROM procrastinate_workers WHERE id = %s)"
                " FROM pokerd.nodes WHERE node = %s AND (worker = %s OR NOT EXISTS"
                " (SELECT FROM procrastinate_workers WHERE id = nodes.worker))",
                (worker, name, worker),
            )
            row = await cursor.fetchone()
        if row is not None and row[0] == key:
            return bool(row[1])
        raise FleetError("node_in_use", f"{name} was silent for too long: another node has its name now")
