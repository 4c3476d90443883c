"""Reopens the tables of an earlier process."""

from __future__ import annotations

from collections.abc import Sequence

from server.house.lobby import RETURN_TIMEOUT, Lobby
from server.storage.hand_db import HandStoreError
from server.storage.hand_store import HandStore, TableRecorder
from server.tables.config import TableConfig
from server.tables.open_table import OpenTable
from server.tables.snapshot import apply_steps, decode


def recorder_for(archive: HandStore, table: OpenTable) -> TableRecorder:
    """Return the recorder of an open table's match."""
    table_format, config = table.table_format, table.config
    return archive.open_table(
        table.facts.table,
        mode=table_format.mode,
        game=table_format.game,
        seats=config.seats,
        commitment=table.commitment,
        kind="exhibition" if config.exhibition else "",
        run=table.run,
    )


def restore_tables(
    lobby: Lobby, archive: HandStore, configs: Sequence[TableConfig], wait: float = RETURN_TIMEOUT
) -> list[str]:
    """Reopen stored tables, and open one for each of ``configs`` (``Lobby.restore``). Returns messages for
    the operator. Raises ``HandStoreError`` (``bad_archive``).
    """
    try:
        lines = archive.log_lines()
        snapshots = {
            name: apply_steps(name, decode(text), lines) for name, text in archive.table_states().items()
        }
        return lobby.restore(snapshots, configs, wait)
    except HandStoreError:
        raise
    except ValueError as error:
        raise HandStoreError("bad_archive", f"{archive.path}: a table cannot be resumed: {error}") from None
