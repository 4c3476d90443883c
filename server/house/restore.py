"""A house whose open tables outlast it, and go on in the next one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from server.house.house import House
from server.house.lobby import RETURN, Lobby
from server.storage.hand_db import NAME, ArchiveError
from server.storage.hand_store import Archive, TableRecorder
from server.tables.config import TablePlan
from server.tables.open_table import OpenTable
from server.tables.snapshot import decoded, followed

__all__ = ["lasting", "record_of", "taken_up"]


def lasting(house: House, folder: Path) -> Archive:
    """Let everything that is told in this house be stored before, in ``folder``. Raises ``ArchiveError``."""
    archive = Archive(folder / NAME)
    house.stored, house.lasting = archive.commit, True
    return archive


def record_of(archive: Archive, table: OpenTable) -> TableRecorder:
    """The record of an open table's match."""
    play, plan = table.play, table.plan
    return archive.open_table(
        table.facts.table,
        mode=play.mode,
        game=play.game,
        seats=plan.seats,
        commitment=table.commitment,
        kind="exhibition" if plan.exhibition else "",
        run=table.run,
    )


def taken_up(lobby: Lobby, archive: Archive, plans: Sequence[TablePlan], wait: float = RETURN) -> list[str]:
    """Go on with the tables that were open, and open one for each plan (``Lobby.take_up``): what should be
    said of it. Raises ``ArchiveError`` (``bad_archive``).
    """
    try:
        course = archive.course()
        kept = {name: followed(name, decoded(text), course) for name, text in archive.tables().items()}
        return lobby.take_up(kept, plans, wait)
    except ArchiveError:
        raise
    except ValueError as error:
        raise ArchiveError("bad_archive", f"{archive.path}: a table cannot be taken up: {error}") from None
