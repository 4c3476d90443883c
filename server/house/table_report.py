"""What is known of an open table without its seats: for the lobby, the pages and administrators."""

from __future__ import annotations

import msgspec

from protocol.event_messages import game_info
from protocol.messages import GameInfo, LobbyTable
from server.tables.open_table import OpenTable
from server.tables.player import Player


class TableStatus(msgspec.Struct, frozen=True):
    """An open table. ``name`` is "" unless it was given one; ``stakes`` in words; ``phase`` as in ``Phase``;
    ``players`` and their ``kinds`` (``person``, ``bot``) are by seat, "" where nobody sits; ``paused``: no
    hand is dealt until somebody resumes it.
    """

    table: str
    name: str
    game: str
    stakes: str
    mode: str
    phase: str
    paused: bool
    players: list[str]
    kinds: list[str]
    spectators: int
    hands: int


class TableReport(msgspec.Struct, frozen=True):
    """An open table with its rules. ``time_ms`` and ``bank_ms``: of its clock. ``holders``, by seat: the
    identity of the player's cookie; "" for house bots and owners of tokens, whose names nobody else can take;
    None for other programs, and where nobody sits. It is for the server alone.
    """

    status: TableStatus
    listing: LobbyTable
    definition: GameInfo
    time_ms: int
    bank_ms: int
    commitment: str
    holders: list[str | None]


def status_of(table: OpenTable) -> TableStatus:
    """Return the state of a table."""
    listing = table.lobby_entry()
    return TableStatus(
        table=listing.table,
        name=table.config.name,
        game=listing.game,
        stakes=table.table_format.title,
        mode=listing.mode,
        phase=table.phase.value,
        paused=table.held,
        players=list(table.facts.names),
        kinds=list(table.info().kinds),
        spectators=len(table.spectators),
        hands=table.hands,
    )


def report_of(table: OpenTable) -> TableReport:
    """Return the state of a table, and its rules."""
    clock = table.table.clock
    return TableReport(
        status_of(table),
        table.lobby_entry(),
        game_info(table.table_format.game),
        int(clock.decision * 1000),
        int(clock.bank * 1000),
        table.commitment,
        [_holder(player) for player in table.players],
    )


def _holder(player: Player | None) -> str | None:
    return None if player is None else player.identity or (None if player.is_anonymous else "")
