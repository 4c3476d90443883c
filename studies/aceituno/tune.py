"""Find the numbers of ``adaptive2``, or better ones for ``adaptive``: ``python -m studies.aceituno.tune``.

A search by CMA-ES (with the library cmaes) instead of the five tests by hand of Aceituno 2017, 6.2. A
candidate's score is its winnings at six tables: alone against the document's best configuration; against
four of them; against four tight copies; among the best, a tight one, a caller and a raiser; and alone against
a loose copy, and against ``fair``. Winnings at one table have diminishing weight, so that sacrificing the
others does not pay. All candidates of a generation play the same deals, and every generation new ones. The
result is the mean of the last generation and not its best candidate, who was also lucky.

``adaptive2`` has all its numbers searched, for its defaults. ``adaptive`` has those that the document varies
in 2.5, 4.3 and 7: the weights, both thresholds, and a step of learning for each street. Its defaults stay the
document's; the study compares.

Evaluations are stored in a file as they are made; the same command continues from there. The result is
written to ``strategy/data/``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from cmaes import CMA
from rich.console import Console
from rich.progress import track

from dealer.match import Division
from dealer.rules.games import holdem
from strategy.adaptive.learning import STREETS
from strategy.adaptive.parameters import TUNED_PATH, AdaptiveParameters
from strategy.registry import parameters_of
from studies.aceituno.document import LEARN_EVERY
from studies.aceituno.jobs import LOOSE
from studies.harness.arena import Contest, ContestEntry, FixedTable
from studies.harness.work import Unit, run_units

SEED = 7
GENERATIONS = 30
POPULATION = 18
HANDS = 600
SIGMA = 0.15

Bounds = Mapping[str, tuple[float, float, float]]
"""For every number: the start of the search, and its bounds."""

ADAPTIVE2: Bounds = {
    "weight_v": (0.6, 0.1, 1),
    "weight_p": (0.1, 0, 0.6),
    "weight_b": (0.2, 0, 0.6),
    "weight_s": (0.1, 0, 0.6),
    "raise_preflop": (0.62, 0.2, 1),
    "fold_preflop": (0.4, 0, 0.9),
    "raise_postflop": (0.55, 0.2, 1),
    "fold_postflop": (0.38, 0, 0.9),
    "crowd": (0, -0.1, 0.2),
    "caution": (0, -0.4, 0.4),
    "respect": (0, -0.4, 0.4),
    "catch": (0, 0, 0.5),
    "mu": (0.005, 0, 0.05),
    "bluff": (0.1, 0, 0.8),
    "size": (-0.4, -1.5, 0.7),
    "size_worth": (1.5, -1, 2.5),
    "size_call": (0.5, -1, 1.5),
    "size_spread": (0.3, 0.2, 0.8),
}
"""Sizes stay at those of ordinary play: an unbounded search goes all-in with everything, as these opponents
pay any bet.
"""

ADAPTIVE: Bounds = {
    "weight_v": (0.6, 0.1, 1),
    "weight_p": (0.1, 0, 0.6),
    "weight_b": (0.2, 0, 0.6),
    "weight_s": (0.1, 0, 0.6),
    "raise_at": (0.55, 0.2, 0.99),
    "fold_below": (0.3, 0, 0.9),
    **{f"mu_{street}": (0.02, 0, 0.1) for street in range(STREETS)},
}


def adaptive2_values(found: Mapping[str, float]) -> dict[str, Any]:
    """Return the parameters at a point: no Raise threshold is below its Fold threshold."""
    values = dict(found)
    for street in ("preflop", "postflop"):
        values[f"raise_{street}"] = max(values[f"raise_{street}"], values[f"fold_{street}"])
    return values


def adaptive_values(found: Mapping[str, float]) -> dict[str, Any]:
    """Return the parameters at a point: the weights sum to 1, thresholds keep their gap."""
    values: dict[str, Any] = {key: value for key, value in found.items() if not key.startswith("mu_")}
    weights = [key for key in values if key.startswith("weight_")]
    total = sum(values[key] for key in weights)
    for key in weights:
        values[key] = round(values[key] / total, 4)
    values[weights[0]] = round(1 - sum(values[key] for key in weights[1:]), 4)
    values["fold_below"] = min(values["fold_below"], round(values["raise_at"] - 0.01, 4))
    values["mu"] = [found[f"mu_{street}"] for street in range(STREETS)]
    return {**values, "learn_every": LEARN_EVERY}


class Search(NamedTuple):
    """What is searched: the bounds, and how a point becomes a bot's parameters."""

    bounds: Bounds
    values: Callable[[Mapping[str, float]], dict[str, Any]]


SEARCHES: Mapping[str, Search] = {
    "adaptive2": Search(ADAPTIVE2, adaptive2_values),
    "adaptive": Search(ADAPTIVE, adaptive_values),
}

_BEST = ContestEntry("adaptive", AdaptiveParameters())
_TIGHT = ContestEntry("adaptive", AdaptiveParameters(raise_at=0.75, fold_below=0.5))
_FAIR, _CALL, _RAISE = ContestEntry("fair"), ContestEntry("call"), ContestEntry("raise")

#: The opponents at each table, and the unit there in mbb/hand: roughly the start's winnings, actual or
#: possible.
TABLES: Sequence[tuple[tuple[ContestEntry, ...], float]] = (
    ((_BEST,), 4000),
    ((_BEST,) * 4, 3500),
    ((_TIGHT,) * 4, 3000),
    ((_BEST, _TIGHT, _CALL, _RAISE), 9000),
    ((LOOSE,), 7000),
    ((_FAIR,), 1500),
)


def make_contest(number: int, candidate: ContestEntry, hands: int, seed: str) -> Contest:
    """Return the contest of a candidate, ``me``, at one of the tables."""
    others = {f"other{place}": entry for place, entry in enumerate(TABLES[number][0])}
    division = Division(f"t{number}", ("me", *others), 1 + len(others), 1, hands, "rotations")
    game = holdem(division.players, 5, 10, stack=1000)
    entries = {"me": candidate, **others}
    return Contest(division, FixedTable(game), entries, sha256(seed.encode()).digest())


def score(bot: str, values: Mapping[str, Any], seed: str, hands: int = HANDS) -> list[float]:
    """Return the winnings of a candidate, the bot with these parameters, at each table, mbb/hand.

    It plays heads-up at both seats, otherwise at one, whose position moves from hand to hand.
    """
    candidate = ContestEntry(bot, parameters_of(bot, values))
    rates = []
    for number in range(len(TABLES)):
        contest = make_contest(number, candidate, hands, seed)
        sessions = contest.sessions if contest.division.players == 2 else contest.sessions[:1]
        rows = [
            row[session.players.index("me")] for session in sessions for row in contest.play(session).nets
        ]
        rates.append(1000 / contest.unit * sum(rows) / len(rows))
    return rates


def worth(rates: Sequence[float]) -> float:
    """Return one number for the winnings at the tables: winning ``unit`` at a table counts 0.63, losing it
    -1.72, and no table counts more than 1.
    """
    shares = np.array([rate / unit for rate, (_, unit) in zip(rates, TABLES, strict=True)])
    return float(np.mean(1 - np.exp(-np.clip(shares, -3, None))))


def point_values(search: Search, vector: Sequence[float]) -> dict[str, Any]:
    """Return the parameters at a point of the unit cube."""
    pairs = zip(search.bounds.items(), vector, strict=True)
    return search.values({key: round(low + float(x) * (high - low), 4) for (key, (_, low, high)), x in pairs})


def find(
    bot: str, store: Path, *, generations: int, population: int, hands: int, workers: int
) -> dict[str, object]:
    """Search; return the content of the result's file."""
    search = SEARCHES[bot]
    start = np.array([(first - low) / (high - low) for first, low, high in search.bounds.values()])
    bounds = np.tile([0.0, 1.0], (len(start), 1))
    optimizer = CMA(mean=start, sigma=SIGMA, bounds=bounds, seed=SEED, population_size=population)
    course = []
    for generation in track(range(generations), "searching", console=Console()):
        seed = f"tune {SEED} {generation}"
        points = [optimizer.ask() for _ in range(population)]
        units = [
            Unit(f"{number}", score, (bot, point_values(search, point.tolist()), seed, hands))
            for number, point in enumerate(points)
        ]
        mark = {"generation": generation, "units": [unit.arguments for unit in units]}
        found = run_units(units, workers=workers, store=store / f"{generation:03}.jsonl", mark=mark)
        worths = [worth(found[unit.key]) for unit in units]
        optimizer.tell([(point, -value) for point, value in zip(points, worths, strict=True)])
        course.append(round(float(np.median(worths)), 3))
    return {
        "parameters": point_values(search, optimizer.mean.tolist()),
        "found": {
            "by": f"python -m studies.aceituno.tune {bot} --generations {generations} "
            f"--population {population} --hands {hands}",
            "method": "CMA-ES, mean of the last generation",
            "seed": SEED,
            "generations": generations,
            "population": population,
            "hands": hands,
            "start": {key: first for key, (first, _, _) in search.bounds.items()},
            "median_by_generation": course,
        },
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Search, and write the file."""
    parser = argparse.ArgumentParser(description="Find the numbers of a bot.")
    parser.add_argument("bot", choices=SEARCHES, help="the bot")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes (%(default)s)")
    parser.add_argument("--generations", type=int, default=GENERATIONS, metavar="N", help="(%(default)s)")
    parser.add_argument(
        "--population", type=int, default=POPULATION, metavar="N", help="candidates each (%(default)s)"
    )
    parser.add_argument("--hands", type=int, default=HANDS, metavar="N", help="at each table (%(default)s)")
    parser.add_argument(
        "--store", type=Path, metavar="DIR", help="evaluations made so far (results/studies/tune_BOT)"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="the result (strategy/data/BOT.json)")
    given = parser.parse_args(arguments)
    result = find(
        given.bot,
        given.store or Path("results", "studies", f"tune_{given.bot}"),
        generations=given.generations,
        population=given.population,
        hands=given.hands,
        workers=given.workers,
    )
    out = given.out or TUNED_PATH.with_name(f"{given.bot}.json")
    out.write_text(json.dumps(result, indent=1) + "\n", encoding="ascii")
    print(f"written to {out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
