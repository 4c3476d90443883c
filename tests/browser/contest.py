"""What the API says of competitions that nobody played: any size, any result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tests.browser.site import Site

PAGE = "/competition/spring"
BASE = "/api/competitions/spring"
#: Bots for a ``mixed`` result.
FOUR = ("ann", "bob", "cleo", "dan")
Estimate = dict[str, Any] | None


def estimate(mbb: float, half: float | None = 10.0) -> dict[str, Any]:
    """An estimate as in ``standings.json``."""
    return {"mbb": mbb, "ci95": half, "units": 100, "decided": half is not None and abs(mbb) > half}


def mixed(row: int, column: int) -> Estimate:
    """Every shade: won and lost, sure and not, level, and no data."""
    if {row, column} == {0, 3}:
        return None
    if {row, column} == {1, 2}:
        return estimate(0.0)
    return estimate((column - row) * 8.0)


def competition(
    bots: Sequence[str],
    cell: Callable[[int, int], Estimate],
    *,
    status: str = "finished",
    scored: bool = True,
    tournament: bool = False,
    players: int = 2,
    order: Sequence[int] | None = None,
    done: int = 10,
) -> dict[str, Any]:
    """One division, ``duel``; ``cell(row, column)`` is the crosstable. The ranking is by the rows' sums."""
    rows = range(len(bots))
    table = {bots[row]: {bots[column]: cell(row, column) for column in rows if column != row} for row in rows}
    sums = [sum(one["mbb"] for one in table[bot].values() if one) for bot in bots]
    ranked = list(order or sorted(rows, key=lambda row: -sums[row]))
    places = [1 + sum(sums[other] > sums[row] for other in rows) for row in ranked]
    ranking = [
        {
            "place": places[at],
            "tied": places.count(places[at]) > 1,
            "bot": bots[row],
            "chips": sums[row] * 10,
            "hands": 1000 * (row + 1),
            "rate": estimate(sums[row] / max(1, len(bots) - 1)),
            "ahead": estimate(sums[row] - sums[ranked[at + 1]]) if at + 1 < len(ranked) else None,
        }
        for at, row in enumerate(ranked)
    ]
    standings = {
        "division": "duel", "players": players, "big_blind": 10,
        "unit": "tournament" if tournament else "hand", "bots": list(bots),
        "hands": 4000, "complete": status == "finished",
        "format": {"line_ups": 1, "matches": 5, "seatings": 2, "hands": 200},
        "ranking": ranking, "run_off": None, "crosstable": table,
        "crosstable_decided": {"cells": 3, "decided": 2, "by_chance": 0.15}, "interval_unit": "deal",
        "incidents": {},
    }  # fmt: skip
    division = {
        "division": "duel", "game": "holdem.nolimit.2p.reverse_blinds",
        "mode": "tournament" if tournament else "fixed",
        "players": players, "bots": list(bots), "line_ups": 1, "matches": 5, "seatings": 2, "hands": 200,
        "sessions": 10, "sessions_done": done, "hands_done": done * 200,
    }  # fmt: skip
    kinds = ("house", "program", "remote")
    return {
        "competition": "spring", "name": "spring", "status": status, "at": 1795312861000, "deck": "secure",
        "commitment": "0e" * 32, "seed": "f7" * 32 if status == "finished" else "", "anonymous": False,
        "bots": [{"bot": bot, "kind": kinds[at % 3]} for at, bot in enumerate(bots)],
        "divisions": [division], "standings": [standings] if scored else [],
        "finishes": {"duel": {bot: [3, 2][:players] for bot in bots} if tournament else {}},
        "incidents": {"": {bot: {} for bot in bots}, "duel": {bot: {} for bot in bots}},
    }  # fmt: skip


def sessions(bots: Sequence[str], count: int, total: int, released: Callable[[int], bool]) -> dict[str, Any]:
    """A page of the sessions of two bots."""
    return {
        "sessions": [
            {
                "session": f"duel/m{at // 2:04d}-l000-s{at % 2}", "division": "duel", "match": at // 2,
                "line_up": 0, "seating": at % 2, "players": list(bots[:2]), "hands": 200,
                "net": [12.5, -12.5], "places": [], "released": released(at),
            }
            for at in range(count)
        ],
        "total": total,
    }  # fmt: skip


def hands(bots: Sequence[str], count: int, total: int) -> dict[str, Any]:
    """A page of hands of two bots."""
    return {
        "hands": [
            {
                "id": f"duel/m0000-l000-s0/{at}", "hand": at, "at": 0, "players": list(bots[:2]),
                "net": [-20, 20], "board": ["Ah", "Td", "2c"] if at % 2 else [], "pot": 40,
                "cards": [["Ks", "Kd"], ["7c", "3d"]],
            }
            for at in range(count)
        ],
        "total": total,
    }  # fmt: skip


def curves(bots: Sequence[str], points: int = 100) -> dict[str, Any]:
    """Straight curves, one up, the next down, and their bands."""

    def curve(slope: float) -> dict[str, Any]:
        mean = [slope * at for at in range(1, points + 1)]
        low = [None if at < 2 else mean[at - 1] - 5 * at**0.5 for at in range(1, points + 1)]
        high = [None if at < 2 else mean[at - 1] + 5 * at**0.5 for at in range(1, points + 1)]
        return {"mean": mean, "low": low, "high": high}

    return {
        "division": "duel", "big_blind": 10, "seatings": 2, "seating": 0,
        "sets": [at * 10 for at in range(1, points + 1)],
        "bots": [
            {"bot": bot, "raw": curve(2 - at), "duplicate": curve((1 - at) * 10)}
            for at, bot in enumerate(bots)
        ],
    }  # fmt: skip


def offer(site: Site, told: dict[str, Any]) -> None:
    """Let the site have this competition, with something behind every link."""
    bots = told["divisions"][0]["bots"]
    site.api[BASE] = told
    site.api[f"{BASE}/curves"] = curves(bots)
    site.api[f"{BASE}/sessions"] = sessions(bots, 4, 120, lambda at: at < 2)
    site.api[f"{BASE}/sessions/duel/m0000-l000-s0/hands"] = hands(bots, 3, 200)
