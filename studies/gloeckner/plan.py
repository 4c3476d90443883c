"""The study's games, and how to read their results."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.intervals import Interval, mean_interval
from dealer.match import Division
from dealer.rules.events import Chips
from dealer.rules.games import holdem
from strategy.akuma.parameters import AkumaParameters
from strategy.registry import parameters_of
from studies.gloeckner.document import DEALS, NEIGHBOURS, SITUATIONS, TABLE_1_BOTS
from studies.gloeckner.jobs import (
    CHANGES,
    ChangedContest,
    compare_answers,
    count_actions,
    log_mappings,
    play_session,
)
from studies.gloeckner.rankings import TournamentRankings, make_rankings
from studies.harness.arena import Contest, ContestEntry, ContestResult, FixedTable, deal_totals
from studies.harness.work import Unit

MAPPED = ("hbb2", "hbb3", "hbb4")
"""The bots of tables 3 to 11."""

HBB6_TOURNAMENT = ("hbb1", "hbb2", "hbb3", "hbb4", "hbb5", "hbb6", "akuma", "ownbot")
"""The players of our second tournament."""

COUNTED = (*MAPPED, "hbb6")
"""The bots whose actions are counted, against akuma and ownbot."""

DUELS = ("call", "raise", "random", "fair", "loki2")
"""The heads-up opponents of ``cfr``."""

TRIALS = 100
"""Trials of akuma's simulations, by default 1,000: it plays in a third of all matches."""

SIMPLE = ("raise", "call")
"""The players who look at nothing."""

FAST = tuple(line_up for line_up in combinations(TABLE_1_BOTS, 3) if "akuma" not in line_up)
"""Line-ups of table 1 that also play otherwise, to find out why ``raise`` and ``call`` lose so little there:
akuma, which is slow, is not among them.
"""

SMALL_POTS = tuple(line_up for line_up in FAST if set(SIMPLE) & set(line_up))
"""Those of them with ``raise`` or ``call``, which play with one raise a round, too."""

ANALYSED = (10, 15)
"""Nearest histories in the analyses of 5.2."""

_ORDER = tuple(dict.fromkeys((*HBB6_TOURNAMENT[:6], *TABLE_1_BOTS)))
_SKIP = {"nan": "skip"}
_CHIPS = 10
# A big blind.

Array = NDArray[np.float64]


def line_up_name(bots: Collection[str]) -> str:
    """Return the name of the contest of these three."""
    return "-".join(bot for bot in _ORDER if bot in bots)


class GloecknerSizes(NamedTuple):
    """Deals of a match against different opponents, with changed players, and its seatings; against two fair
    players, in analyses, where hbb6 plays and mappings are asked, and heads-up. Numbers of matches against
    fair players, heads-up, and against ``loki2``. Blocks of deals. ``more`` has the contests with more
    matches, by name, and how many they have in all.
    """

    deals: int
    changed_deals: int
    seating: str
    fair_deals: int
    fair_matches: int
    analysed_deals: int
    answered_deals: int
    duel_deals: int
    duel_matches: int
    long_matches: int
    blocks: int
    more: Mapping[str, int] = {}


_PLAYED_ON: Mapping[str, int] = {
    **{line_up_name(one): 2 for one in combinations(TABLE_1_BOTS, 3) if "raise" in one},
    "hbb1-hbb2-raise": 6,
    "hbb2-raise-akuma": 5,
    "hbb3-akuma-ownbot": 4,
    "hbb4-akuma-ownbot": 5,
    "nearest/hbb3-10": 6,
    "nearest/hbb4-5": 4,
    "fair/none": 14,
    "fair/hbb1": 18,
    "fair/hbb2": 8,
    "fair/hbb2-5": 19,
    "fair/hbb2-bias": 10,
    "fair/hbb2-folded_preflop": 14,
    "fair/hbb3": 7,
    "fair/hbb3-15": 4,
    "fair/hbb3-bias": 28,
    "fair/hbb3-folded_preflop": 4,
    "fair/hbb4": 14,
    "fair/hbb4-bias": 8,
    "fair/hbb5": 16,
}
# Matches of the contests that decided too little: about 1.5 times what rows called for, for those that call
# for little.

_FAMILIES: Mapping[str, int] = {
    **{f"fair/{bot}-{nearest}": 14 for bot in MAPPED for nearest in NEIGHBOURS[1:]},
    **{f"fair/{bot}-finer": 16 for bot in MAPPED},
    **{f"fair/{bot}-bias": 48 for bot in MAPPED},
    **{f"fair/hbb{number}": 28 for number in range(1, 6)},
    **{line_up_name(one): 6 for one in FAST if one not in SMALL_POTS},
    **{f"nearest/{bot}-{NEIGHBOURS[-1]}": 3 for bot in MAPPED},
    **{line_up_name((bot, "akuma", "ownbot")): 3 for bot in MAPPED},
    **{f"analysis/{bot}-{nearest}": 2 for bot in MAPPED for nearest in ANALYSED},
}
# Whole families that are cheap and had undecided rows, raised once, whatever each of their rows says.

MORE: Mapping[str, int] = {
    name: max(_PLAYED_ON.get(name, 0), _FAMILIES.get(name, 0)) for name in {**_PLAYED_ON, **_FAMILIES}
}
"""Matches of the contests that have more than others."""


def sizes(quick: bool) -> GloecknerSizes:
    """Return the sizes. Full: 6,000 hands of each match, or twice the 3,000 of the document, and as many
    mappings as it has.
    """
    if quick:
        return GloecknerSizes(2, 2, "rotations", 2, 1, 4, 2, 3, 1, 1, 2)
    return GloecknerSizes(DEALS, 250, "all", DEALS, 2, 2 * DEALS, 400, 1000, 4, 5, 20, MORE)


class GloecknerPlan:
    """The units of a study of this size and seed. All matches of three players have the same deals."""

    def __init__(self, quick: bool, seed: int) -> None:
        self.sizes = sizes(quick)
        self._text = f"gloeckner {seed}"
        self.contests: dict[str, Contest] = {}
        self._heroes: dict[str, str] = {}
        self._add_tournaments()
        self._add_nearest()
        self._add_fair()
        self._add_analyses()
        self._add_duels()

    def units(self) -> list[Unit]:
        """Return one unit for each session, the longest first. Those with the same deals are side by side:
        what bots work out about a flop is not forgotten in between.
        """
        found = []
        for name, contest in self.contests.items():
            weight = contest.division.hands * (3.0 if "akuma" in contest.division.bots else 1.0)
            for session in contest.sessions:
                key = f"{name}/{session.match}.{session.seating}"
                if name in self._heroes:
                    kind = name.partition("/")[0]
                    work = {"analysis": log_mappings, "answers": compare_answers}.get(kind, count_actions)
                    arguments = (contest, session, self._heroes[name], self.sizes.blocks)
                    found.append(Unit(key, work, arguments, weight))
                else:
                    found.append(Unit(key, play_session, (contest, session), weight))
        return sorted(found, key=lambda unit: (-unit.weight, unit.key.rpartition("/")[2]))

    def _add_tournaments(self) -> None:
        wanted = {frozenset(one) for bots in (TABLE_1_BOTS, HBB6_TOURNAMENT) for one in combinations(bots, 3)}
        for line_up in combinations(_ORDER, 3):
            if frozenset(line_up) in wanted:
                self._add_three(line_up_name(line_up), _entries(line_up))
        for bot in COUNTED:
            self._heroes[line_up_name((bot, "akuma", "ownbot"))] = bot
        for line_up in SMALL_POTS:
            self._add_three(f"small/{line_up_name(line_up)}", _entries(line_up), most_raises=1)
        for change in CHANGES:
            for line_up in FAST:
                self._add_changed(change, line_up)

    def _add_changed(self, change: str, line_up: tuple[str, ...]) -> None:
        """Add a line-up with changed players, if it has any; with the dice of the unchanged one."""
        changed = ("hbb1", "hbb2", "hbb3") if change.startswith("nan") else ("raise",)
        if set(changed) & set(line_up):
            name, size = line_up_name(line_up), self.sizes
            plain = _contest(name, _entries(line_up), 1, size.changed_deals, size.seating, self._text)
            self.contests[f"{change}/{name}"] = ChangedContest(
                plain.division, plain.table, plain.entries, plain.seed, change
            )

    def _add_nearest(self) -> None:
        """Add table 3, and the likeliest action against its players; the single nearest one is in the
        tournaments.
        """
        for bot in MAPPED:
            for nearest in NEIGHBOURS[1:]:
                others = {other: _entry(other) for other in ("akuma", "ownbot")}
                self._add_three(f"nearest/{bot}-{nearest}", {bot: _entry(bot, nearest=nearest), **others})
        likeliest = {"hbb5": _entry("hbb5-max"), "akuma": _entry("akuma"), "ownbot": _entry("ownbot")}
        self._add_three("likeliest/hbb5", likeliest)

    def _add_fair(self) -> None:
        """Add tables 5, 11, 12 and 15, and hbb6 in the same place. Unmodified bots are in several of them."""
        for bot in MAPPED:
            for nearest in NEIGHBOURS[1:]:
                self._add_against_fair(
                    f"fair/{bot}-{nearest}", _entry(bot, nearest=nearest, weighted=True, **_SKIP)
                )
            self._add_against_fair(f"fair/{bot}-finer", _entry(bot, bias="hbb6", **_SKIP))
            biased = _entry(bot, bias="hyperborean", **_SKIP)
            self._add_against_fair(f"fair/{bot}-bias", biased)
        for number in range(1, 6):
            alone = _entry(f"hbb{number}", **_SKIP)
            self._add_against_fair(f"fair/hbb{number}", alone)
            for when in SITUATIONS[1:]:
                self._add_against_fair(
                    f"fair/hbb{number}-{when}", _entry(f"hybrid-hbb{number}", when=when, **_SKIP)
                )
        self._add_against_fair("fair/hbb5-max", _entry("hbb5-max", **_SKIP))
        self._add_against_fair("fair/none", _entry("fair"))
        self._add_against_fair("fair/hbb6", _entry("hbb6"))

    def _add_analyses(self) -> None:
        rivals = {bot: _entry(bot) for bot in ("hbb6", "akuma", "ownbot")}
        self._add_three("answers/hbb6", rivals, self.sizes.answered_deals)
        self._heroes["answers/hbb6"] = "hbb6"
        for bot in MAPPED:
            for nearest in ANALYSED:
                name = f"analysis/{bot}-{nearest}"
                entries = {bot: _entry(bot, nearest=nearest, **_SKIP)}
                entries |= {f"random{number}": _entry("random") for number in (1, 2)}
                self._add_three(name, entries, self.sizes.analysed_deals)
                self._heroes[name] = bot

    def _add_duels(self) -> None:
        size = self.sizes
        for other in DUELS:
            matches = size.long_matches if other == "loki2" else size.duel_matches
            self._add(f"duel/{other}", {"cfr": _entry("cfr"), other: _entry(other)}, matches, size.duel_deals)

    def _add_three(
        self, name: str, entries: dict[str, ContestEntry], deals: int = 0, most_raises: int = 0
    ) -> None:
        self._add(name, entries, 1, deals or self.sizes.deals, self.sizes.seating, most_raises)

    def _add_against_fair(self, name: str, entry: ContestEntry) -> None:
        """Add matches against two equal opponents: three of the seatings suffice."""
        entries = {"hero": entry, "fair1": _entry("fair"), "fair2": _entry("fair")}
        self._add(name, entries, self.sizes.fair_matches, self.sizes.fair_deals, "rotations")

    def _add(
        self,
        name: str,
        entries: dict[str, ContestEntry],
        matches: int,
        deals: int,
        seating: str = "all",
        most_raises: int = 0,
    ) -> None:
        matches = self.sizes.more.get(name, matches)
        self.contests[name] = _contest(name, entries, matches, deals, seating, self._text, most_raises)


def skipping_contest(hero: str, deals: int, seed: str) -> Contest:
    """Return a match of a mapping bot, as table 11 has it, against akuma and ownbot, at all seatings."""
    entries = {hero: _entry(hero, **_SKIP), "akuma": _entry("akuma"), "ownbot": _entry("ownbot")}
    return _contest(hero, entries, 1, deals, "all", seed)


def _contest(
    name: str,
    entries: dict[str, ContestEntry],
    matches: int,
    deals: int,
    seating: str,
    seed: str,
    most_raises: int = 0,
) -> Contest:
    players = len(entries)
    game = holdem(players, _CHIPS // 2, _CHIPS, limit=True)
    if most_raises:
        game = replace(game, max_raises=(most_raises,) * game.rounds)
    return Contest(
        Division(name.replace("/", "-"), tuple(entries), players, matches, deals, seating),
        FixedTable(game),
        entries,
        sha256(seed.encode()).digest(),
    )


def _entries(line_up: Collection[str]) -> dict[str, ContestEntry]:
    return {bot: _entry(bot) for bot in line_up}


def _entry(strategy: str, **parameters: Any) -> ContestEntry:
    if strategy == "akuma":
        return ContestEntry("akuma", AkumaParameters(trials=TRIALS))
    return ContestEntry(strategy, parameters_of(strategy, parameters) if parameters else None)


class GloecknerResults:
    """The results of the units of a plan."""

    def __init__(self, plan: GloecknerPlan, done: Mapping[str, Any]) -> None:
        self.plan = plan
        self._done = done
        self._wins: dict[tuple[str, str, bool], Array] = {}

    def sessions(self, name: str) -> list[Any]:
        """Return the results of a contest's units, in the order of its sessions."""
        return [
            self._done[f"{name}/{session.match}.{session.seating}"]
            for session in self.plan.contests[name].sessions
        ]

    def summed(self, name: str, key: str) -> NDArray[Any]:
        """Return the sum over all sessions of the tables that a contest's units have under this key."""
        total: NDArray[Any] = np.sum([one[key] for one in self.sessions(name)], axis=0)
        return total

    def wins(self, name: str, bot: str = "hero", *, hands_won: bool = False) -> Array:
        """Return a bot's winnings at each deal, as a mean over its seatings, in mbb/hand: float64[deals];
        ``hands_won``: as if a big blind were won or lost in every hand.
        """
        key = (name, bot, hands_won)
        if key not in self._wins:
            contest = self.plan.contests[name]
            results = [
                ContestResult(session, self._nets(found["nets"], hands_won), [])
                for session, found in zip(contest.sessions, self.sessions(name), strict=True)
            ]
            hands = contest.division.seatings * _CHIPS / 1000
            totals = np.array(deal_totals(contest, results, [bot]))
            self._wins[key] = totals / hands
        return self._wins[key]

    @staticmethod
    def _nets(nets: list[list[Chips]], hands_won: bool) -> list[list[Chips]]:
        return (np.sign(nets) * _CHIPS).tolist() if hands_won else nets

    def rate(self, name: str, bot: str = "hero") -> Interval:
        """Return the mean of ``wins``."""
        return mean_interval(self.wins(name, bot).tolist())

    def ahead(self, name: str, other: str, bot: str = "hero", other_bot: str = "") -> Interval:
        """Return how much more a bot wins in one contest than it, or the other bot, in another, deal by deal,
        of the deals that both have.
        """
        one, two = self.wins(name, bot), self.wins(other, other_bot or bot)
        common = min(len(one), len(two))
        return mean_interval((one[:common] - two[:common]).tolist())

    def line_up(self, name: str, bots: Sequence[str], *, hands_won: bool = False) -> Array:
        """Return ``wins`` of several bots of a contest: float64[bots, deals]."""
        return np.array([self.wins(name, bot, hands_won=hands_won) for bot in bots])

    def line_ups(self, bots: Sequence[str]) -> dict[tuple[str, ...], Array]:
        """Return the winnings for each three of the bots, on the deals that all have: float64[3, deals], in
        mbb/hand.
        """
        found: dict[tuple[str, ...], Array] = {}
        for line_up in combinations([bot for bot in _ORDER if bot in bots], 3):
            found[line_up] = self.line_up(line_up_name(line_up), line_up)[:, : self.plan.sizes.deals]
        return found

    @cached_property
    def document_tournament(self) -> TournamentRankings:
        """Return the document's tournament."""
        return make_rankings(self.line_ups(TABLE_1_BOTS), TABLE_1_BOTS)

    @cached_property
    def hbb6_tournament(self) -> TournamentRankings:
        """Return our tournament, with hbb6."""
        return make_rankings(self.line_ups(HBB6_TOURNAMENT), HBB6_TOURNAMENT)
