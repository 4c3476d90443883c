"""What the pages of challenges, of days and of people's results are told by the server."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from dealer.intervals import mean_interval
from tests.browser.site import Message

WELCOME: Message = {"type": "welcome", "name": "ann", "resume": "r", "grace": 30, "server": "x"}
DAY = datetime.now(UTC).date().isoformat()


def ended(hands: int = 40, *, of: int | None = None, shift: int = 0, **more: Any) -> dict[str, object]:
    """A result as the API tells it."""
    source = random.Random(hands)
    pairs = [(source.randint(-300, 300) + shift, source.randint(-300, 300)) for _ in range(hands)]
    better = mean_interval(a - b for a, b in pairs)
    result = {
        "type": "challenge",
        "table": "table-5",
        "run": "table-5.8",
        "rival_run": "table-5-rival.9",
        "player": "ann",
        "rival": "fair-4",
        "opponents": ["call-1", "fair-2", "call-3"],
        "game": "no-limit hold'em 5/10",
        "big_blind": 10,
        "of": of or hands,
        "hands": [
            {"hand": number, "player_net": a, "rival_net": b} for number, (a, b) in enumerate(pairs, 1)
        ],
        "player_net": sum(a for a, _ in pairs),
        "rival_net": sum(b for _, b in pairs),
        "mean": better.mean,
        "half": better.half,
        "decided": better.decided,
    }
    return {"challenge": "table-5.8", "at": 1_790_000_000_000, "result": {**result, **more}}


def day(**more: Any) -> dict[str, Any]:
    """A day as the API tells it: of today, and nobody has played."""
    end = int(time.time() * 1000) + 3_600_000
    return {
        "day": DAY,
        "ends_at": end,
        "published_at": end + 3_600_000,
        "published": False,
        "hands": 20,
        "opponents": ["hbb5-1", "loki2-2", "loki1-3", "pushfold-4", "cfr-5"],
        "rival": "sartre-6",
        "big_blind": 10,
        "commitment": "ab" * 32,
        "seed": "",
        "players": 0,
        "mean": None,
        "own": None,
        "streak": 0,
        "replay": "",
    } | more


LEADERS = [
    {"name": "Ann", "hands": 1200, "bb100": {"mean": 9.5, "low": 2.25, "high": 16.75}, "own": False},
    {"name": "<b>Bob</b>", "hands": 150, "bb100": {"mean": 80.0, "low": -12.5, "high": 172.5}, "own": True},
]
DAYS = [{"name": "Ann", "days": 12, "won": 9, "bb100": LEADERS[0]["bb100"], "own": False}]


STYLE = {
    "hands": 1200, "decided": 1000, "entered": 240, "raised": 180, "faced": 100, "reraised": 7, "flops": 300,
    "bets": 80, "calls": 60, "folds": 60, "showdowns": 0, "won": 0, "vpip": 0.24, "pfr": 0.18,
    "three_bet": 0.07, "aggression": 0.4, "went_to_showdown": 0.0, "won_at_showdown": None,
}  # fmt: skip
PLAYERS = [
    {"name": name, "bot": bot, "own": own, "bb100": {"mean": 9.5, "low": low, "high": high}, "style": STYLE,
     "positions": []}
    for name, bot, own, low, high in [
        ("fair-1", True, False, 2.25, 16.75), ("<b>Bob</b>", False, True, None, None),
        ("akuma", True, False, -12410.0, 24500.0),
    ]
]  # fmt: skip


def leaders_of(season: str, leaders: Sequence[object] = (), days: Sequence[object] = ()) -> dict[str, object]:
    """The lists of a season as the API tells them."""
    return {"season": season, "least": 100, "leaders": leaders, "least_days": 5, "day_leaders": days}
