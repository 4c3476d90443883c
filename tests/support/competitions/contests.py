"""Divisions of a competition for the arena of the studies."""

from __future__ import annotations

from server.competition.file import Competition
from strategy.registry import parameters_of
from studies.harness.arena import CashTable, Contest, ContestEntry, FixedTable, TournamentTable


def contest_of(planned: Competition, name: str) -> Contest:
    """The same division for the arena."""
    table = planned.division_entry(name).table
    entries = {
        one.name: ContestEntry(
            one.run or "", parameters_of(one.run or "", one.parameters) if one.parameters else None
        )
        for one in planned.entry.bots
    }
    chosen: FixedTable | CashTable | TournamentTable
    if table is None:
        chosen = FixedTable(planned.games[name])
    elif table.mode == "cash":
        chosen = CashTable(table.players, table.stakes())
    else:
        chosen = TournamentTable(table.players, tuple(table.schedule()), table.stack, table.limit)
    return Contest(planned.divisions[name], chosen, entries, planned.seed)
