"""The registry of nodes: which node has which name, and which heartbeats are its own."""

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

#: Seconds without a heartbeat after which another node may take the name.
SILENCE: Final = 15.0
#: Part of topics and file names.
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class NodeKey:
    """Distinguishes a restarted node from another with the same name: a secret in its directory that only one
    process can hold. Raises ``FleetError`` (``node_in_use``).
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
        """Release the directory."""
        os.close(self._file)


class NodeRegistry:
    """The names of nodes in an open database. All methods raise the errors that ``Database.retry``
    handles.
    """

    def __init__(self, database: Database, queue: JobQueue) -> None:
        self._database = database
        self._queue = queue

    @staticmethod
    def verify_name(name: str) -> None:
        """Raise ``FleetError`` (``bad_node``) unless this is a valid name for a node."""
        if not _NAME.fullmatch(name):
            raise FleetError(
                "bad_node", f"{name!r} is not a valid node name: use letters, digits, '_', '-', '.'"
            )

    async def register(self, name: str, key: str, url: str) -> int:
        """Take a name and return the worker number for heartbeats. The jobs of an earlier process with this
        key become available at once, because it is dead. Raises ``FleetError`` (``node_in_use``).
        """
        rows = await self._database.query(
            "INSERT INTO pokerd.nodes (node, key, url, version) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (node) DO UPDATE SET key = excluded.key, url = excluded.url,"
            " version = excluded.version, since = now() WHERE nodes.key = excluded.key"
            " OR NOT EXISTS (SELECT FROM procrastinate_workers WHERE id = nodes.worker"
            " AND last_heartbeat > now() - make_interval(secs => %s)) RETURNING worker",
            (name, key, url, VERSION, SILENCE),
        )
        if not rows:
            raise FleetError("node_in_use", f"a node called {name} exists already; choose another name")
        if rows[0][0] is not None:
            await self._queue.unregister(int(rows[0][0]))
        worker = await self._queue.register()
        await self._database.query("UPDATE pokerd.nodes SET worker = %s WHERE node = %s", (worker, name))
        return worker

    async def heartbeat(self, name: str, key: str, worker: int) -> bool:
        """Send a heartbeat. Return False if this node was away for so long that its worker number has
        expired; then it must register again. Raises ``FleetError`` (``node_in_use``) if another node has
        taken the name.
        """
        await self._queue.heartbeat(worker)
        rows = await self._database.query(
            "SELECT key, EXISTS (SELECT FROM procrastinate_workers WHERE id = %s)"
            " FROM pokerd.nodes WHERE node = %s AND (worker = %s OR NOT EXISTS"
            " (SELECT FROM procrastinate_workers WHERE id = nodes.worker))",
            (worker, name, worker),
        )
        if rows and rows[0][0] == key:
            return bool(rows[0][1])
        raise FleetError(
            "node_in_use", f"{name} sent no heartbeat for too long: another node has its name now"
        )
