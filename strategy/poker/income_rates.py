"""Make the table of income rates: ``python -m strategy.poker.income_rates``.

*Called*: all players put in one bet and go to the showdown, as for Papp's published rates (1998, appendix A).

*Settled*: opponents fold their losing hands, rates are computed again, and so on. If the pot held only the
bets of those who stay, only aces would remain in the end; so the pot starts with blinds of one and a half
bets that nobody gets back, and staying costs one bet. Answers to the opponents' last choice oscillate. So
each round answers the average of all earlier choices, in which later ones count more, until another choice
gains hardly anything.

*Iterated*: the rates against opponents with these choices.

The result depends on the seed and the numbers of deals. An interrupted run continues from the file
``*.partial`` beside the table.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.jit import jit
from strategy.poker.combos import CLASSES
from strategy.poker.income import PLAYERS, TABLE_PATH
from strategy.poker.kernels import CARD_KEYS, CARD_MASKS, TABLE, Ranks, State, below, rank_of, rng, uniform
from strategy.poker.preflop import HAND_CLASSES, class_combinations

Classes = NDArray[np.float64]
"""A number for each class, ``float64[169]``."""

BLINDS = 1.5
KINDS = ("called", "settled", "iterated")
FREQUENCIES: Classes = np.array([class_combinations(name) for name in HAND_CLASSES]) / 1326


class RolloutPlan(NamedTuple):
    """The plan of a computation; two runs of one plan give the same table."""

    seed: int
    chunks: int
    rounds: int
    deals: int


class RolloutJob(NamedTuple):
    """One piece: a chunk of roll-outs, or a round of settling."""

    kind: str
    players: int
    number: int


@jit
def roll_out(
    table: Ranks, state: State, players: int, deals: int, blinds: float, plays: Classes
) -> NDArray[np.float64]:
    """Deal hands to all players and a board; each player in turn pays and stays with any hand.

    The others stay with the probabilities ``plays``. Returns float64[3, 169]: hands, bets won, their squares.
    """
    result = np.zeros((3, 169))
    deck = np.arange(52)
    classes, ranks = np.empty(players, np.int64), np.empty(players, np.int64)
    stays = np.empty(players, np.bool_)
    for _ in range(deals):
        for i in range(5 + 2 * players):
            j = i + below(state, 52 - i)
            deck[i], deck[j] = deck[j], deck[i]
        key = mask = 0
        for card in deck[:5]:
            key += CARD_KEYS[card]
            mask |= CARD_MASKS[card]
        for i in range(players):
            one, two = deck[5 + 2 * i], deck[6 + 2 * i]
            classes[i] = CLASSES[max(one, two) * (max(one, two) - 1) // 2 + min(one, two)]
            stays[i] = uniform(state) < plays[classes[i]]
            ranks[i] = rank_of(
                table, key + CARD_KEYS[one] + CARD_KEYS[two], mask | CARD_MASKS[one] | CARD_MASKS[two]
            )
        bets = blinds + stays.sum()
        for i in range(players):
            winners = 1
            for j in range(players):
                if stays[j] and j != i:
                    if ranks[j] > ranks[i]:
                        winners = 0
                        break
                    winners += ranks[j] == ranks[i]
            won = ((bets + (not stays[i])) / winners if winners else 0.0) - 1.0
            result[0, classes[i]] += 1
            result[1, classes[i]] += won
            result[2, classes[i]] += won * won
    return result


class IncomeCheckpoint:
    """Sums and choices so far, kept in a file. A file of another plan is discarded."""

    def __init__(self, path: Path, plan: RolloutPlan) -> None:
        self.path = path
        self.plan = plan
        self.done = 0
        self.sums = {f"{kind} {players}": np.zeros((3, 169)) for kind in KINDS for players in PLAYERS}
        self.plays = {players: np.ones(169) for players in PLAYERS}
        if path.exists():
            saved = json.loads(path.read_text(encoding="ascii"))
            if saved["plan"] == plan._asdict():
                self.done = saved["done"]
                self.sums = {name: np.array(values) for name, values in saved["sums"].items()}
                self.plays = {int(players): np.array(values) for players, values in saved["plays"].items()}

    def pending_jobs(self) -> Iterator[RolloutJob]:
        """Yield the remaining pieces in order."""
        pieces = [
            RolloutJob(kind, players, number)
            for kind in KINDS
            for players in PLAYERS
            for number in range(self.plan.rounds if kind == "settled" else self.plan.chunks)
        ]
        yield from pieces[self.done :]

    def run(self, job: RolloutJob) -> None:
        """Roll out one piece."""
        plan, plays, name = self.plan, self.plays[job.players], f"{job.kind} {job.players}"
        called = job.kind == "called"
        rolled = roll_out(
            TABLE,
            rng("income", plan.seed, *job),
            job.players,
            plan.deals,
            0.0 if called else BLINDS,
            np.ones(169) if called else plays,
        )
        if job.kind == "settled":
            self.sums[name] = rolled
            plays += ((rolled[1] >= 0) - plays) * 2 / (job.number + 2)
        else:
            self.sums[name] += rolled
        self.done += 1

    def save(self) -> None:
        """Write the file atomically."""
        saved = {
            "plan": self.plan._asdict(),
            "done": self.done,
            "sums": {name: sums.tolist() for name, sums in self.sums.items()},
            "plays": {str(players): plays.tolist() for players, plays in self.plays.items()},
        }
        write_whole(self.path, json.dumps(saved))


def make_table(checkpoint: IncomeCheckpoint) -> dict[str, Any]:
    """Return the table in its stored form."""
    called, iterated = (
        [_rate_and_error(checkpoint.sums[f"{kind} {players}"]) for players in PLAYERS]
        for kind in ("called", "iterated")
    )
    plays = [checkpoint.plays[players] for players in PLAYERS]
    return {
        "about": "Average net win of starting hands of hold'em in thousandths of a bet, for 2, 4 and 7 "
        "players. rates: all put in one bet and go to the showdown. iterated: the blinds lie in the pot, and "
        "the others stay with the probabilities played; gain is what the best answer to these adds per hand.",
        "made_by": "python -m strategy.poker.income_rates",
        **checkpoint.plan._asdict(),
        "largest_standard_error": [
            round(float(max(errors.max(), others.max())), 2)
            for (_, errors), (_, others) in zip(called, iterated, strict=True)
        ],
        "gain": [
            round(float((FREQUENCIES * (np.maximum(rates, 0) - choice * rates)).sum()), 2)
            for (rates, _), choice in zip(iterated, plays, strict=True)
        ],
        "rates": _rows([rates for rates, _ in called], 1),
        "iterated": _rows([rates for rates, _ in iterated], 1),
        "played": _rows(plays, 3),
    }


def _rate_and_error(sums: NDArray[np.float64]) -> tuple[Classes, Classes]:
    count, won, squares = sums
    mean = won / count
    return 1000 * mean, 1000 * np.sqrt((squares / count - mean * mean) / count)


def _rows(columns: list[Classes], digits: int) -> dict[str, list[float]]:
    rows = zip(HAND_CLASSES, *(column.round(digits).tolist() for column in columns), strict=True)
    return {name: values for name, *values in rows}


def _table_text(table: dict[str, Any]) -> str:
    parts = []
    for key, value in table.items():
        if isinstance(value, dict):
            rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in value.items())
            parts.append(f' "{key}": {{\n{rows}\n }}')
        else:
            parts.append(f' "{key}": {json.dumps(value)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def write_whole(path: Path, text: str) -> None:
    """Write a file, completely or not at all."""
    fresh = path.with_name(path.name + ".new")
    fresh.write_text(text, encoding="ascii")
    fresh.replace(path)


def main(arguments: list[str] | None = None) -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(prog="python -m strategy.poker.income_rates", description=__doc__)
    parser.add_argument(
        "--deals", type=int, default=1_000_000, help="of a chunk or round; default: %(default)s"
    )
    parser.add_argument("--chunks", type=int, default=200, help="for each kind of rate; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=100, help="of settling; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=TABLE_PATH)
    options = parser.parse_args(arguments)
    plan = RolloutPlan(options.seed, options.chunks, options.rounds, options.deals)
    progress = IncomeCheckpoint(options.out.with_name(options.out.name + ".partial"), plan)
    for work in progress.pending_jobs():
        progress.run(work)
        progress.save()
        sys.stderr.write(f"\r{work.kind}, {work.players} players: {work.number + 1}   ")
    sys.stderr.write("\n")
    write_whole(options.out, _table_text(make_table(progress)))
    progress.path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
