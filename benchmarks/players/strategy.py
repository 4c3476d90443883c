"""CPU milliseconds per call of the poker mathematics, with tables of weights, and hands ranked per second.

    python -m benchmarks.players.strategy [--seconds 0.5] [--rounds 3]

Every lane takes turns and is credited with its best turn; everything is compiled beforehand. For comparison,
two libraries rank seven cards; they are called from Python hand by hand, as intended.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from dealer.rules.cards import CARD_TEXTS, parse_cards
from dealer.rules.evaluation import rank_hand
from strategy.poker.batch import all_potentials, all_strengths
from strategy.poker.dealing import cumulative, deal_hands, sampled_equity
from strategy.poker.kernels import TABLE, keys_of, rank_rows, rng
from strategy.poker.strength import exact_equity, field, potential

HOLE, FLOP, TURN, RIVER = map(parse_cards, ("AdQc", "3h4cJh", "3h4cJh9s", "3h4cJh9s2c"))
ROWS = 100_000
DEALS = 100


class Workload(NamedTuple):
    """A workload to measure.

    One call does ``units`` of it; hands are reported per second. ``budget``: the maximum milliseconds.
    """

    name: str
    call: Callable[[], object]
    units: int = 1
    per_second: bool = False
    budget: float | None = None


def lanes() -> list[Workload]:
    """Return all workloads."""
    weights = np.random.default_rng(1).random(1326)
    state = rng("benchmark")
    found = [
        *_ranks(),
        Workload("strength of a hand, flop", lambda: field(HOLE, FLOP, weights)),
        Workload("potential of a hand, flop, one card", lambda: potential(HOLE, FLOP, 1, weights), budget=5),
        Workload(
            "potential of a hand, flop, two cards", lambda: potential(HOLE, FLOP, 2, weights), budget=100
        ),
        Workload("potential of a hand, turn", lambda: potential(HOLE, TURN, 1, weights), budget=5),
        Workload("strength of all hands, flop", lambda: all_strengths(FLOP, weights, HOLE)),
        Workload("strength of all hands, river", lambda: all_strengths(RIVER, weights, HOLE)),
        Workload("potential of all hands, flop, one card", lambda: all_potentials(FLOP, weights, HOLE)),
        Workload("potential of all hands, flop, two cards", lambda: all_potentials(FLOP, weights, HOLE, 2)),
        Workload("potential of all hands, turn", lambda: all_potentials(TURN, weights, HOLE)),
        Workload("exact equity, flop", lambda: exact_equity(HOLE, FLOP, weights)),
    ]
    for opponents in (1, 3, 9):
        tables = np.random.default_rng(2).random((opponents, 1326))
        sums, hands = cumulative(tables, (*HOLE, *FLOP)), np.zeros(opponents, np.int64)
        known = keys_of((*HOLE, *FLOP))[1]

        def deal(
            sums: np.typing.NDArray[np.float64] = sums,
            known: int = known,
            hands: np.typing.NDArray[np.int64] = hands,
        ) -> None:
            for _ in range(DEALS):
                deal_hands(state, sums, known, hands)

        def sample(opponents: int = opponents) -> None:
            sampled_equity(HOLE, FLOP, opponents, state=state, samples=10_000)

        found.append(Workload(f"hands for {opponents} from tables of weights", deal, DEALS))
        found.append(Workload(f"10,000 showdowns with {opponents} random hands", sample))
    return found


def _ranks() -> list[Workload]:
    deals = np.random.default_rng(3).permuted(np.tile(np.arange(52, dtype=np.int8), (ROWS, 1)), axis=1)
    rows = deals[:, :7].copy()
    found = [Workload("seven cards ranked: pokerd, compiled", lambda: rank_rows(TABLE, rows), ROWS, True)]
    few = rows[:2_000].tolist()
    found.append(
        Workload("seven cards ranked: pokerd, one by one", lambda: [*map(rank_hand, few)], len(few), True)
    )
    if importlib.util.find_spec("eval7"):
        import eval7

        faces = [[eval7.Card(CARD_TEXTS[card]) for card in row] for row in few]
        found.append(
            Workload("seven cards ranked: eval7", lambda: [*map(eval7.evaluate, faces)], len(faces), True)
        )
    if importlib.util.find_spec("phevaluator"):
        from phevaluator import evaluate_cards

        def phevaluator() -> None:
            for row in few:
                evaluate_cards(*row)

        found.append(Workload("seven cards ranked: phevaluator", phevaluator, len(few), True))
    return found


def measure(seconds: float, rounds: int) -> dict[str, float]:
    """Return CPU seconds per unit of each lane."""
    best: dict[str, float] = {}
    measured = lanes()
    for lane in measured:
        lane.call()
    for _ in range(rounds):
        for lane in measured:
            calls, spent, start = 0, 0.0, time.process_time()
            while spent < seconds:
                lane.call()
                calls += 1
                spent = time.process_time() - start
            best[lane.name] = min(best.get(lane.name, spent), spent / calls / lane.units)
    return best


def import_times() -> list[str]:
    """Return wall-clock seconds of imports in a fresh process, with everything compiled beforehand."""
    lines = []
    for module in ("strategy.poker.combos", "strategy.poker.kernels", "strategy.poker.batch"):
        code = (
            f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
        )
        took = [
            float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout)
            for _ in range(3)
        ]
        lines.append(f"{f'import {module}':<48}{1000 * min(took):>14,.0f} ms")
    return lines


def _over_budget(lane: Workload, milliseconds: float) -> str:
    if lane.budget is None:
        return ""
    return f"  {'over' if milliseconds > lane.budget else 'within'} the budget of {lane.budget:g} ms"


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description="What the poker mathematics costs.")
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU-seconds of one turn")
    parser.add_argument("--rounds", type=int, default=3, help="turns per lane")
    options = parser.parse_args()
    best = measure(options.seconds, options.rounds)
    for lane in lanes():
        figure = best[lane.name]
        value = f"{1 / figure:>14,.0f} /s" if lane.per_second else f"{1000 * figure:>14.4f} ms"
        print(f"{lane.name:<48}{value}{_over_budget(lane, 1000 * figure)}")
    print("\n".join(import_times()))


if __name__ == "__main__":
    main()
