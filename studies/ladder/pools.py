"""House bots at limit and no-limit tables: what they won in a pool of deal sets is their law.

Nobody knows what such bots win on average. So each pair plays a pool of deal sets once, and matches of
simulated ladders are drawn from it, with replacement: then the means over the pool are the true values.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.random import default_rng

from dealer.luck.correction import hand_luck
from dealer.luck.value import shipped_value
from dealer.match import Division
from dealer.rules.events import Event, start_of
from dealer.rules.games import load_game
from strategy.registry import parameters_of
from studies.harness.arena import Contest, ContestEntry, FixedTable
from studies.ladder.field import Field, Floats

GAMES: Final = {"limit": "holdem.limit.2p.reverse_blinds", "nolimit": "holdem.nolimit.2p.reverse_blinds"}

_ADAPTIVE: Final = {
    f"adaptive-{name}": ("adaptive", {"raise_at": raise_at, "fold_below": fold_below})
    for name, raise_at, fold_below in (
        ("bold", 0.45, 0.2),
        ("usual", 0.55, 0.3),
        ("patient", 0.65, 0.4),
        ("shy", 0.75, 0.3),
    )
}
#: None of them remembers a hand, so deal sets are independent.
_LOKI: Final = {
    f"loki-{name}": (
        bot,
        {"model": "generic", "tightness": tightness, "bet_at": bet_at, "raise_at": raise_at},
    )
    for name, bot, tightness, bet_at, raise_at in (
        ("tight", "loki1", "tight", 0.5, 0.85),
        ("loose", "loki1", "loose", 0.5, 0.85),
        ("timid", "loki1", "moderate", 0.65, 0.95),
        ("wild", "loki1", "loose", 0.35, 0.7),
        ("triples", "loki2-b", "moderate", 0.5, 0.85),
    )
}
_ALIKE: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    **{name: (name, {}) for name in ("call", "random", "fair", "pushfold", "raise")},
    **_ADAPTIVE,
    **_LOKI,
}
#: By kind of game: names of bots, their strategies and parameters.
BOTS: Final[dict[str, dict[str, tuple[str, dict[str, Any]]]]] = {
    "limit": {**_ALIKE, "cfr": ("cfr", {}), "cfr-likeliest": ("ownbot", {"argmax": True})},
    "nolimit": {**_ALIKE, "nolimit": ("nolimit", {}), "cfr": ("cfr", {})},
}


def names_of(kind: str, bots: int) -> tuple[str, ...]:
    """Return the first ``bots`` bots of a kind of game."""
    return tuple(BOTS[kind])[:bots]


def pool(seed: int, kind: str, one: str, two: str, deal_sets: int) -> list[list[float]]:
    """Return what bot ``one`` wins from ``two`` in each deal set (mbb/hand), with all luck and without that
    of cards and declared dice. All pairs of a kind of game get the same cards.
    """
    game = load_game(GAMES[kind])
    division = Division("pool", (one, two), 2, 1, deal_sets)
    contest = Contest(
        division,
        FixedTable(game),
        {name: _entry(kind, name) for name in (one, two)},
        sha256(f"{seed} {kind}".encode()).digest(),
    )
    weights = shipped_value().weights(limit=game.limit)
    raw, adjusted = np.zeros(deal_sets), np.zeros(deal_sets)
    for session in contest.sessions:
        seat = session.players.index(one)
        rows: list[tuple[float, float]] = []

        def note(events: Sequence[Event], seat: int = seat, rows: list[tuple[float, float]] = rows) -> None:
            position = start_of(events).seats.index(seat)
            luck = hand_luck(game, events)
            rows.append((luck.won[position], luck.without(weights)[position]))

        contest.play(session, note)
        won, fair = zip(*rows, strict=True)
        raw += won
        adjusted += fair
    scale = 1000 / (contest.unit * len(contest.sessions))
    return [np.round(raw * scale, 3).tolist(), np.round(adjusted * scale, 3).tolist()]


def _entry(kind: str, name: str) -> ContestEntry:
    strategy, parameters = BOTS[kind][name]
    return ContestEntry(strategy, parameters_of(strategy, parameters) if parameters else None)


class PooledField(Field):
    """Bots whose deal sets are drawn from pools: those of all pairs, in the order of ``combinations``."""

    def __init__(self, names: Sequence[str], pools: Sequence[Sequence[Sequence[float]]]) -> None:
        truth = np.zeros((len(names), len(names)))
        self._pools: dict[tuple[int, int], tuple[Floats, Floats]] = {}
        for (one, two), (raw, adjusted) in zip(combinations(range(len(names)), 2), pools, strict=True):
            fair = np.array(adjusted)
            luck = np.array(raw) - fair
            truth[one, two], truth[two, one] = fair.mean(), -fair.mean()
            # Luck has no mean. What it has in the pool would give those who rate winners another truth.
            self._pools[one, two] = fair + luck - luck.mean(), fair
        super().__init__(names, truth)

    def draw(self, one: int, two: int, count: int, seed: int) -> tuple[Floats, Floats]:
        """Luck is that of the cards and of dice that bots declare."""
        sign = 1.0 if one < two else -1.0
        raw, adjusted = self._pools[min(one, two), max(one, two)]
        drawn = default_rng(seed).integers(0, len(raw), count)
        return sign * raw[drawn], sign * adjusted[drawn]
