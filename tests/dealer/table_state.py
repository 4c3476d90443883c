"""All that a table knows."""

from __future__ import annotations

from typing import Any

from dealer.rules.notation import format_betting
from dealer.table import Table


def state(table: Table) -> dict[str, Any]:
    """Everything that a refused call must not touch."""
    hand = table.hand
    return {
        **{
            name: getattr(table, name)
            for name in ("seq", "turn_seat", "deadline", "over", "turn", "turn_started", "hand")
        },
        "seats": [(seat.attendance, seat.bank, seat.missed_turns) for seat in table.seats],
        "events": None if hand is None else list(hand.events),
        "betting": None if hand is None else format_betting(hand.betting),
        "legal": None if hand is None else hand.legal(),
        "stacks": list(getattr(table.table_format, "stacks", [])),
        "number": getattr(table.table_format, "hand", None),
    }
