"""The study's games: units of work, and how to read their results."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from statistics import fmean
from typing import Any, NamedTuple

from dealer.intervals import Interval, mean_interval
from dealer.match import Division
from dealer.rules.games import holdem
from strategy.adaptive.parameters import TUNED_PATH, Adaptive2Parameters, AdaptiveParameters
from strategy.registry import parameters_of
from studies.aceituno.document import BEST, LEARN_EVERY, TESTS
from studies.aceituno.jobs import (
    ALL_IN,
    BLUFF,
    HIGH_BLINDS,
    LOOSE,
    PATIENT,
    SHY_BLUFF,
    TABLE,
    play_tournaments,
    watch_tournaments,
)
from studies.harness.arena import (
    Contest,
    ContestEntry,
    ContestResult,
    FixedTable,
    TournamentTable,
    deal_totals,
)
from studies.harness.work import Unit, contest_results, contest_units

OWN_READING = "all hands, every 10"
READ = "4.3.1, 4.3.4; 6.2, Prueba 1"
"""Where the document tells of what learning looks at, and of its results."""

READINGS: Mapping[str, dict[str, Any]] = {
    "the last 100 hands": {"learn_every": 100, "memory": "window"},
    "all hands, every 100": {"learn_every": 100, "memory": "all"},
    OWN_READING: {},
    "the last 10 hands": {"learn_every": 10, "memory": "window"},
    "the last 1,000 hands": {"learn_every": 1000, "memory": "window"},
    f"{OWN_READING}, with blinds of 50 and 100": {},
}
"""The actions that learning may use, and its interval: the document leaves both open, and the blinds."""

ALONE: Mapping[str, AdaptiveParameters] = {
    "first": TESTS[1].players[0],
    "window": replace(TESTS[1].players[0], learn_every=1000, memory="window"),
    "best": replace(BEST, learn_every=LEARN_EVERY),
}
"""Who learns beside four copies that do not: the player of Prueba 1, with two readings, and the best."""

SIMPLE: Mapping[str, ContestEntry] = {"all-in": ALL_IN, "call": ContestEntry("call"), "bluff": BLUFF}
"""The simple players of 3.2."""

BLUFFERS: Mapping[str, ContestEntry] = {"bluff": BLUFF, "shy-bluff": SHY_BLUFF}
"""Who bluffs a conservative player (3.2)."""

WITHOUT: Mapping[str, Adaptive2Parameters] = {
    "caution": Adaptive2Parameters(caution=0),
    "bluff": Adaptive2Parameters(bluff=0),
    "respect": Adaptive2Parameters(respect=0),
}
"""Copies of ``adaptive2`` that each lack one of its abilities."""

HEEDS_CALLS = Adaptive2Parameters(loose=1)
"""Heeds loose calls that opponents have shown, too."""

_POINTS = 80
_COSTS: Mapping[str, float] = {
    "test/1": 120.0,
    "test/2": 90.0,
    "learn/the last 100 hands": 20.0,
    "learn/all hands, every 100": 40.0,
    "learn/the last 10 hands": 250.0,
    "searched-cup": 20.0,
    "alone/first": 20.0,
    "alone/best": 15.0,
    "thresholds": 90.0,
}
# Approximate milliseconds per tournament: long where players fold nearly everything.
_USUAL_COST = 2.5


def searched() -> AdaptiveParameters:
    """Return the parameters that ``tune`` found for the document's own player."""
    parameters = parameters_of("adaptive", _search()["parameters"])
    assert isinstance(parameters, AdaptiveParameters)
    return parameters


def search_course() -> list[float]:
    """Return the median score of each generation of that search."""
    found: list[float] = _search()["found"]["median_by_generation"]
    return found


def _search() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(TUNED_PATH.with_name("adaptive.json").read_text(encoding="ascii"))
    return found


class AceitunoSizes(NamedTuple):
    """The amount of play: ``runs`` of ``run`` tournaments each for Prueba 1, ``step_runs`` for Prueba 2 and
    ``reading_runs`` for its readings and other learners; chunks of ``chunk`` tournaments for the others.
    """

    run: int
    runs: int
    step_runs: int
    reading_runs: int
    chunk: int
    chunks: int
    test_chunks: int
    matches: int
    hands: int


def sizes(quick: bool) -> AceitunoSizes:
    """Return the sizes. Full: what an hour on two cores allows, 6,000 and 40,000 tournaments of learners and
    136,000 of each test with fixed thresholds.
    """
    if quick:
        return AceitunoSizes(
            run=8, runs=2, step_runs=2, reading_runs=1, chunk=8, chunks=5, test_chunks=2, matches=2, hands=20
        )
    return AceitunoSizes(
        run=400,
        runs=15,
        step_runs=100,
        reading_runs=10,
        chunk=400,
        chunks=340,
        test_chunks=10,
        matches=40,
        hands=500,
    )


class LearnerRun(NamedTuple):
    """A run of learners: the winner of every tournament, the mean length in hands, and the thresholds
    ``[point][player] = raise, fold`` along the way.
    """

    winners: list[int]
    hands: float
    paths: list[list[list[float]]]

    @property
    def wins(self) -> list[int]:
        """Return the wins by player."""
        return [self.winners.count(player) for player in range(5)]

    @property
    def finals(self) -> list[list[float]]:
        """Return the final thresholds by player; empty if they are fixed."""
        return self.paths[-1] if self.paths else []


class AceitunoPlan:
    """The units of a study of this size and seed, and their results."""

    def __init__(self, quick: bool, seed: int) -> None:
        self.sizes = sizes(quick)
        self.seed = seed

    def units(self) -> list[Unit]:
        """Return all units, the longest first."""
        size = self.sizes
        found = [
            self._run(
                f"learn/{name}/{run}", self._learners(1, how), HIGH_BLINDS if "blinds" in name else TABLE
            )
            for name, how in READINGS.items()
            for run in range(size.reading_runs if name != OWN_READING else 0)
        ]
        found += [
            self._run(f"test/{test}/{run}", self._learners(test, {}))
            for test in (1, 2)
            for run in range(self._count(test))
        ]
        found += self._parts("thresholds", _thresholds(), size.test_chunks, size.run)
        for test in (3, 4, 5):
            entries = [ContestEntry("adaptive", one) for one in TESTS[test].players]
            found += self._chunks(f"test/{test}", entries, size.chunks)
        best = [ContestEntry("adaptive", BEST)] * 4
        found += self._chunks("patient", [*best, PATIENT], size.test_chunks)
        found += [
            self._run(f"searched-cup/{run}", [ContestEntry("adaptive", searched()), *best])
            for run in range(size.reading_runs)
        ]
        found += [
            self._run(
                f"alone/{name}/{run}",
                [ContestEntry("adaptive", one) for one in (player, *[replace(player, learn_every=0)] * 4)],
            )
            for name, player in ALONE.items()
            for run in range(size.reading_runs)
        ]
        for name, entry in SIMPLE.items():
            found += self._chunks(f"simple/{name}", [*best, entry], size.test_chunks)
        found += [
            one._replace(arguments=(*one.arguments, 0, TABLE._replace(players=2)))
            for name, entry in BLUFFERS.items()
            for one in self._chunks(f"patient-{name}", [PATIENT, entry], size.test_chunks)
        ]
        # The same tournaments as "patient".
        found += [
            Unit(f"all-ins/{one.key}", watch_tournaments, one.arguments, one.weight)
            for one in self._chunks("patient", [*best, PATIENT], size.test_chunks)
        ]
        for name, contest in self.contests().items():
            found += contest_units(name, contest)
        return found

    def _count(self, test: int) -> int:
        return self.sizes.runs if test == 1 else self.sizes.step_runs

    def _learners(self, test: int, options: dict[str, Any]) -> list[ContestEntry]:
        return [ContestEntry("adaptive", replace(one, **options)) for one in TESTS[test].players]

    def _run(self, key: str, entries: Sequence[ContestEntry], table: TournamentTable = TABLE) -> Unit:
        size = self.sizes
        arguments = (entries, f"aceituno {self.seed} {key}", 0, size.run, min(_POINTS, size.run), table)
        return Unit(key, play_tournaments, arguments, size.run * _cost(key))

    def _chunks(self, key: str, entries: Sequence[ContestEntry], count: int) -> list[Unit]:
        return self._parts(key, entries, count, self.sizes.chunk)

    def _parts(self, key: str, entries: Sequence[ContestEntry], count: int, length: int) -> list[Unit]:
        seed = f"aceituno {self.seed} {key}"
        units = []
        for part in range(count):
            name, arguments = f"{key}/{part}", (entries, seed, part * length, length)
            units.append(Unit(name, play_tournaments, arguments, length * _cost(name)))
        return units

    def contests(self) -> dict[str, Contest]:
        """Return the duplicate matches of ``adaptive2`` and of ``adaptive`` as searched."""
        size = self.sizes
        seed = sha256(f"aceituno {self.seed} duplicate".encode()).digest()
        best, second = ContestEntry("adaptive", BEST), ContestEntry("adaptive2")
        rivals = {f"best{number}": best for number in range(1, 10)}

        def match(name: str, entries: dict[str, ContestEntry], matches: int = size.matches) -> Contest:
            players = len(entries)
            hands, seating = size.hands // (players // 2), "all" if players == 2 else "rotations"
            division = Division(name, tuple(entries), players, matches, hands, seating)
            return Contest(division, FixedTable(holdem(players, 5, 10, stack=1000)), entries, seed)

        five = {"adaptive2": second, **_first(rivals, 4)}
        found = {
            "five": match("five", five, 4 * size.matches),
            "ten": match("ten", {"adaptive2": second, **rivals}),
            "cup": Contest(
                Division("cup", tuple(five), 5, size.matches * 20, 1, "rotations"), TABLE, five, seed
            ),
        }

        def compare(
            name: str,
            alike: dict[str, ContestEntry],
            others: dict[str, ContestEntry],
            matches: int = size.matches,
        ) -> None:
            """Add contests in which those who are compared sit once in each order left of the others: the
            place is worth more than most of what they differ in.
            """
            names = list(alike)
            for turn in range(len(names)):
                order = {one: alike[one] for one in (*names[turn:], *names[:turn])}
                key = f"{name}-{turn}"
                found[key] = match(key, order | others, max(1, matches // len(names)))

        copies = {name: ContestEntry("adaptive2", one) for name, one in WITHOUT.items()}
        for name, fifth in (("best", best), ("raise", ContestEntry("raise"))):
            compare(f"without-{name}", {"adaptive2": second, **copies}, {name: fifth})
        parts = {
            "adaptive2": second,
            "blind": ContestEntry("adaptive2", Adaptive2Parameters(catch=0)),
            "fixed": ContestEntry("adaptive2", Adaptive2Parameters(mu=0)),
        }
        compare("parts", parts, {"raise": ContestEntry("raise"), "loose": LOOSE})
        heeding = {"heeding": ContestEntry("adaptive2", HEEDS_CALLS), "adaptive2": second}
        compare("calls", heeding, {"call": ContestEntry("call"), "loose": LOOSE}, 4 * size.matches)
        learners = {
            "searched": ContestEntry("adaptive", searched()),
            "fixed": ContestEntry("adaptive", replace(searched(), learn_every=0)),
        }
        compare("searched", learners, _first(rivals, 3))
        for other in ("adaptive", "fair", "call", "raise"):
            entry = best if other == "adaptive" else ContestEntry(other)
            found[f"duel-{other}"] = match(f"duel-{other}", {"adaptive2": second, other: entry})
        return found

    # Reading results.

    def runs(self, test: int, done: Mapping[str, Any]) -> list[LearnerRun]:
        """Return the runs of a test whose players learn."""
        return [self.run_of(done[f"test/{test}/{run}"]) for run in range(self._count(test))]

    def reading(self, name: str, done: Mapping[str, Any]) -> list[LearnerRun]:
        """Return the runs of Prueba 1 under one of ``READINGS``."""
        if name == OWN_READING:
            return self.runs(1, done)
        return [self.run_of(done[f"learn/{name}/{run}"]) for run in range(self.sizes.reading_runs)]

    def alone(self, name: str, done: Mapping[str, Any]) -> list[LearnerRun]:
        """Return the runs of one of ``ALONE``, who is the first player."""
        return [self.run_of(done[f"alone/{name}/{run}"]) for run in range(self.sizes.reading_runs)]

    def watched(self, what: str, done: Mapping[str, Any]) -> list[list[int]]:
        """Return by tournament what ``watch_tournaments`` has counted: ``all_ins`` or ``raises``."""
        parts = [done[f"all-ins/patient/{part}"] for part in range(self.sizes.test_chunks)]
        return [counts for part in parts for counts in part[what]]

    def run_of(self, result: Mapping[str, Any]) -> LearnerRun:
        """Return a run from its unit's result."""
        return LearnerRun(result["winners"], result["hands"] / len(result["winners"]), result["paths"])

    def winners(self, key: str, count: int, done: Mapping[str, Any]) -> list[int]:
        """Return the winner of each tournament in the chunks ``key``."""
        return [winner for number in range(count) for winner in done[f"{key}/{number}"]["winners"]]

    def results(self, name: str, done: Mapping[str, Any]) -> list[ContestResult]:
        """Return the sessions of one of ``contests``."""
        return contest_results(name, self.contests()[name], done)

    def compared(self, name: str, one: str, other: str, done: Mapping[str, Any]) -> Interval:
        """Return what ``one`` wins more than ``other``, in mbb/hand, in the contests of this name; what it
        wins if ``other`` is empty. A unit is a deal in all orders and seatings.
        """
        orders = []
        for key, contest in self.contests().items():
            if key.rpartition("-")[0] == name:
                results, hands = self.results(key, done), contest.unit * contest.division.players / 1000
                own = deal_totals(contest, results, [one])
                others = deal_totals(contest, results, [other]) if other else [0] * len(own)
                orders.append([(ours - theirs) / hands for ours, theirs in zip(own, others, strict=True)])
        return mean_interval(map(fmean, zip(*orders, strict=True)))


def share(winners: Sequence[int], player: int) -> Interval:
    """Return a player's share of wins in independent tournaments."""
    return mean_interval([float(winner == player) for winner in winners])


def _cost(key: str) -> float:
    return _COSTS.get(key.rpartition("/")[0], _USUAL_COST)


def _first(entries: dict[str, ContestEntry], count: int) -> dict[str, ContestEntry]:
    return dict(list(entries.items())[:count])


def _thresholds() -> list[ContestEntry]:
    """Return the two survivors of Prueba 1 and its three losers with their final thresholds, fixed."""
    first = replace(TESTS[1].players[0], learn_every=0)
    return [
        ContestEntry("adaptive", replace(first, raise_at=one.raise_at, fold_below=one.fold_below))
        for one in TESTS[1].outcomes
    ]
