"""The study's games: duplicate contests of limit hold'em."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.intervals import Interval, mean_interval
from dealer.match import Division
from dealer.rules.games import holdem
from strategy.loki.parameters import LokiParameters
from strategy.registry import strategy_names
from studies.harness.arena import Contest, ContestEntry, FixedTable, deal_totals
from studies.harness.work import Unit, contest_results, contest_units
from studies.loki.jobs import CALLS, LIKELIEST, MENDS, ChangedContest, count_actions

VARIANTS: Mapping[str, str] = {
    "B": "loki2-b",
    "R": "loki2-r",
    "BR": "loki2-br",
    "S": "loki2-s",
    "BRS": "loki2",
}
"""The enhancements, and the players that have them."""

STYLES: Mapping[str, LokiParameters] = {
    "tight, passive": LokiParameters(tightness="tight", raise_at=0.95),
    "tight, aggressive": LokiParameters(tightness="tight"),
    "loose, passive": LokiParameters(tightness="loose", raise_at=0.95),
    "loose, aggressive": LokiParameters(tightness="loose"),
}
"""The pairs of a mixed field. Passive: a raise takes an EHS of .95 instead of .85; ours."""

PAIRS = ("tight, passive", "tight, passive", "tight, aggressive", "loose, passive", "loose, aggressive")
"""The styles of the five pairs of a mixed field (Peña 1999, 4.3.2)."""

LEARNS_NOTHING = LokiParameters(model="generic")
"""Takes every opponent for an ordinary one, so that nobody is caught who bets weak hands."""

TRIALS_OF_B: Mapping[str, tuple[LokiParameters, LokiParameters]] = {
    "seldom": (LokiParameters(triples="cautious"), LokiParameters()),
    "example": (LokiParameters(triples="example"), LokiParameters()),
    "hard": (LokiParameters(soft=0.01), LokiParameters()),
    "seldom-hard": (LokiParameters(triples="cautious", soft=0.01), LokiParameters()),
    "unlearning": (LEARNS_NOTHING, LEARNS_NOTHING),
}
"""Why B gains what it gains: with fewer weak bets, with the example's triples, with hard edges and so on;
each with its controls.
"""

FIELDS = ("homogeneous", "mixed")
DUELS: tuple[tuple[str, str], ...] = (
    ("loki2-b", "loki1"),
    *(
        (hero, other)
        for hero in ("loki1", "loki2")
        for other in ("loki1", "fair", "akuma", "call", "raise")
        if other != hero and other in strategy_names()
    ),
)
"""Three of one against three of the other, six-handed."""

COUNTED = "counted/loki2-b"
"""Three ``loki2-b`` and three ``loki1``, whose actions are counted."""

ALWAYS_CALL = "always-call/S"
"""Two ``loki2-s`` in whose trials all only call, and eight ``loki1``."""

MODELLED = ("call", "raise")
"""Against them Loki-1 plays without a model of its opponents, too."""

SMALL_BET = 10
_CONTROLS = 8
_SIX = 6
_SLOW = "akuma"


class LokiSizes(NamedTuple):
    """Matches and their deals: of fields of ten, played ten times, and six-handed, six times; fewer deals
    against akuma, which is slow.
    """

    matches: int
    deals: int
    duel_deals: int
    slow_deals: int


def sizes(quick: bool) -> LokiSizes:
    """Return the sizes. Full: as many as an hour on two cores allows, so half as many again as the document's
    2,500 deals of each field.
    """
    return LokiSizes(2, 2, 2, 2) if quick else LokiSizes(15, 250, 80, 30)


class LokiPlan:
    """The units of a study of this size and seed, and their results."""

    def __init__(self, quick: bool, seed: int) -> None:
        self.sizes = sizes(quick)
        self.seed = seed
        self.contests = {**self._fields(), **self._trials_of_b(), **self._duels()}

    def units(self) -> list[Unit]:
        """Return all units, the longest first."""
        found = [
            unit._replace(function=count_actions) if name == COUNTED else unit
            for name, contest in self.contests.items()
            for unit in contest_units(name, contest)
        ]
        return [unit._replace(weight=unit.weight * _cost(unit.key)) for unit in found]

    def _fields(self) -> dict[str, Contest]:
        found: dict[str, Contest] = {}
        for letters, name in reversed(list(VARIANTS.items())):
            alike, mixed = (f"{field}/{letters}" for field in FIELDS)
            found[alike] = self._field(alike, ContestEntry(name), ContestEntry("loki1"))
            found[mixed] = self._mixed_field(mixed, name)
        plain = self._field(ALWAYS_CALL, ContestEntry(VARIANTS["S"]), ContestEntry("loki1"))
        return found | {ALWAYS_CALL: _changed(plain, CALLS, "modified")}

    def _field(self, name: str, modified: ContestEntry, control: ContestEntry) -> Contest:
        """Return two modified players opposite each other, and eight controls."""
        half = _CONTROLS // 2
        entries = {"modified1": modified}
        entries |= {f"control{number + 1}": control for number in range(half)}
        entries["modified2"] = modified
        entries |= {f"control{half + number + 1}": control for number in range(half)}
        return self._contest(name, entries, self.sizes.deals)

    def _mixed_field(self, name: str, strategy: str) -> Contest:
        """Return five pairs, a modified player and a control of each style, opposite each other and by
        turns.
        """
        entries = {}
        for seat in range(2 * len(PAIRS)):
            pair = seat % len(PAIRS)
            who, bot = ("control", "loki1") if seat % 2 else ("modified", strategy)
            entries[f"{who}{pair + 1}"] = ContestEntry(bot, STYLES[PAIRS[pair]])
        return self._contest(name, entries, self.sizes.deals)

    def _trials_of_b(self) -> dict[str, Contest]:
        found = {
            f"trial/{name}": self._field(
                f"trial/{name}", ContestEntry(VARIANTS["B"], own), ContestEntry("loki1", control)
            )
            for name, (own, control) in TRIALS_OF_B.items()
        }
        for mend in MENDS:
            plain = self._field(f"trial/{mend}", ContestEntry(VARIANTS["B"]), ContestEntry("loki1"))
            found[f"trial/{mend}"] = _changed(plain, mend, "modified")
        return found

    def _duels(self) -> dict[str, Contest]:
        found = {f"{hero}/{other}": self._duel(f"{hero}/{other}", hero, other) for hero, other in DUELS}
        blind = LokiParameters(model="none")
        found |= {
            f"unmodelled/{one}": self._duel(f"unmodelled/{one}", "loki1", one, blind) for one in MODELLED
        }
        likeliest = f"loki2-b/{LIKELIEST}"
        found[likeliest] = _changed(self._duel(likeliest, "loki2-b", "loki2-b"), LIKELIEST, "control")
        return found | {COUNTED: self._duel(COUNTED, "loki2-b", "loki1")}

    def _duel(self, name: str, hero: str, other: str, parameters: LokiParameters | None = None) -> Contest:
        entries = {}
        for number in range(1, _SIX // 2 + 1):
            entries[f"modified{number}"] = ContestEntry(hero, parameters)
            entries[f"control{number}"] = ContestEntry(other)
        deals = self.sizes.slow_deals if other == _SLOW else self.sizes.duel_deals
        return self._contest(name, entries, deals)

    def _contest(self, name: str, entries: dict[str, ContestEntry], deals: int) -> Contest:
        """Return a contest with the same deals as all others, so that differences come from the players."""
        players = len(entries)
        return Contest(
            Division(name.replace("/", "-"), tuple(entries), players, self.sizes.matches, deals, "rotations"),
            FixedTable(holdem(players, SMALL_BET // 2, SMALL_BET, limit=True)),
            entries,
            sha256(f"loki {self.seed}".encode()).digest(),
        )

    # Reading results.

    def wins(self, name: str, done: Mapping[str, Any]) -> list[float]:
        """Return the small bets per hand that one modified player won, by deal: means over its seatings."""
        bots = self.contests[name].division.bots
        return self._won(name, [bot for bot in bots if bot.startswith("modified")], done)

    def _won(self, name: str, bots: Sequence[str], done: Mapping[str, Any]) -> list[float]:
        contest = self.contests[name]
        hands = len(bots) * contest.division.players * SMALL_BET
        return [chips / hands for chips in deal_totals(contest, contest_results(name, contest, done), bots)]

    def counted(self, done: Mapping[str, Any]) -> NDArray[np.int64]:
        """Return the counts of ``count_actions`` by match: int64[matches, group, street, bets, kind]."""
        matches = range(self.contests[COUNTED].division.matches)
        return np.array([done[f"{COUNTED}/{match}"] for match in matches], np.int64)

    def style_gains(self, letters: str, style: str, done: Mapping[str, Any]) -> list[float]:
        """Return, by deal, what the modified players of a style win more than the controls of that style."""
        pairs = [number for number, one in enumerate(PAIRS, 1) if one == style]
        modified, controls = (
            self._won(f"mixed/{letters}", [f"{who}{number}" for number in pairs], done)
            for who in ("modified", "control")
        )
        return [one - other for one, other in zip(modified, controls, strict=True)]

    def gain(self, field: str, letters: str, done: Mapping[str, Any]) -> Interval:
        """Return what a modified player wins in a field; the controls of the same style lose as much."""
        return mean_interval(self.wins(f"{field}/{letters}", done))


def _changed(plain: Contest, change: str, group: str) -> Contest:
    return ChangedContest(plain.division, plain.table, plain.entries, plain.seed, change, group)


def _cost(key: str) -> float:
    """Return the approximate duration of a hand in milliseconds."""
    first, second, _ = key.split("/")
    if second == _SLOW:
        return 60.0
    if first not in ("loki1", "loki2"):
        return 10.0 if "S" in second else 3.0
    return 8.0 if first == "loki2" else 3.0
