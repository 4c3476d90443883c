"""Reopens the tables of an earlier process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from server.house.lobby import RETURN_TIMEOUT, Lobby, TablePlan, plan_tables
from server.storage.hand_db import HandStoreError
from server.storage.hand_store import HandStore, TableRecorder
from server.tables.config import TableConfig
from server.tables.open_table import OpenTable
from server.tables.snapshot import TableSnapshot, apply_steps, decode, encode


def recorder_for(archive: HandStore, table: OpenTable) -> TableRecorder:
    """Return the recorder of an open table's match."""
    table_format, config = table.table_format, table.config
    kind = f"day {config.day}" if config.day else ""
    kind = "exhibition" if config.exhibition else "practice" if config.practice else kind
    return archive.open_table(
        table.facts.table,
        mode=table_format.mode,
        game=table_format.game,
        seats=config.seats,
        commitment=table.commitment,
        kind=kind,
        run=table.run,
    )


def restore_tables(
    lobby: Lobby, archive: HandStore, configs: Sequence[TableConfig], wait: float = RETURN_TIMEOUT
) -> list[str]:
    """Reopen stored tables, and open one for each of ``configs`` (``Lobby.restore``). Returns messages for
    the operator. Raises ``HandStoreError`` (``bad_archive``).
    """
    with _naming(archive):
        return lobby.restore(stored_tables(archive), configs, wait)


def restore_for_workers(
    lobby: Lobby, archive: HandStore, configs: Sequence[TableConfig], wait: float = RETURN_TIMEOUT
) -> TablePlan:
    """Reopen stored tables, but leave those of ``configs`` to workers: their players may return here and
    find the tables stored as of now. Returns the plan. Raises as ``restore_tables``.
    """
    with _naming(archive):
        snapshots = stored_tables(archive)
        plan = plan_tables(snapshots, configs)
        lobby.open_planned(plan, snapshots, wait)
        for name in plan.permanent:
            if name in snapshots and name not in plan.closed:
                # The steps are in the log of the worker that the table had before.
                archive.save_table(name, partial(encode, snapshots[name]))
                for holder in snapshots[name].match_state.holders:
                    if holder is not None and not holder.is_house_bot:
                        lobby.restore_player(holder, wait)
        archive.checkpoint()
    return plan


def stored_tables(archive: HandStore) -> dict[str, TableSnapshot]:
    """Return the open tables as they are stored. Raises ``HandStoreError`` (``bad_archive``)."""
    with _naming(archive):
        lines = archive.log_lines()
        return {name: apply_steps(name, decode(text), lines) for name, text in archive.table_states().items()}


@contextmanager
def _naming(archive: HandStore) -> Iterator[None]:
    """Name the archive in errors."""
    try:
        yield
    except HandStoreError:
        raise
    except ValueError as error:
        raise HandStoreError("bad_archive", f"{archive.path}: a table cannot be resumed: {error}") from None
