"""Push/fold: hands simulated per CPU second, and the time of the document's experiments.

    python -m benchmarks.players.evolution [--hands 20000000] [--generations N]

For comparison with the compiled matches, a loop in Python deals nine cards and ranks both hands with an
evaluator, as one would write it with these libraries. The document's times are the shortest in its tables,
wall-clock; ours are CPU seconds of both threads together, and wall-clock. ``load`` is the number of processes
that wanted a core in the last minute: the wall-clock time is only meaningful if it does not exceed the number
of cores. Another column, without sampling noise, is the true winnings of the players found, and of the
document's, against their opponent or against 57/37.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import numpy as np

from dealer.rules.cards import CARD_TEXTS
from strategy.evolution.genetic import Generation
from strategy.evolution.plan import EvolutionPlan, run_evolution
from strategy.evolution.players import top_tables
from strategy.evolution.tournaments import advantages
from strategy.poker.preflop import HAND_CLASSES, hand_class
from strategy.pushfold.kernel import MatchRules, PushFoldTables, play_matches
from strategy.pushfold.outcomes import draw_matches

CAP = 10.0
PLAIN_HANDS = 20_000
EXPERIMENTS = (
    (5.08, "-0.45 to -0.05", EvolutionPlan("simple", "matches", "round-robin", size=20)),
    (32.41, "-0.14", EvolutionPlan("simple", "matches", "round-robin", size=40)),
    (1.18, "8.45 to 8.54", EvolutionPlan("simple", "matches", "against", (70, 60), size=20)),
    (1.43, "4.07 to 4.52", EvolutionPlan("simple", "matches", "against", (40, 30), size=20)),
    (45.0, "-0.48", EvolutionPlan("complex", "matches", "round-robin", size=30)),
    (2.01, "", EvolutionPlan("complex", "matches", "against", (70, 60), size=30)),
    (1.95, "", EvolutionPlan("complex", "matches", "against", (40, 30), size=30)),
    (180.0, "", EvolutionPlan("variable", "matches", "round-robin", size=20)),
    (45.0, "-0.48", EvolutionPlan("complex")),
    (180.0, "", EvolutionPlan("variable")),
)
"""Minutes of the document, true winnings of its solutions (``docs/pushfold.md``; of its tables of zeros and
ones only pictures are shown), and the plan to run here.
"""
BALANCED = (57.0, 37.0)
"""The reference opponent for players without an opponent of their own."""


def plain(
    hands: int,
    one: PushFoldTables,
    two: PushFoldTables,
    better: Callable[[list[int], list[int], list[int]], int],
) -> float:
    """Play card by card, using only the players' tables; return the first player's winnings in big blinds.

    ``better``: 1, 0 or -1 for two hands and a board.
    """
    random, net = Random(1), 0.0
    place = {name: index for index, name in enumerate(HAND_CLASSES)}
    for number in range(hands):
        cards = random.sample(range(52), 9)
        jammer, caller, sign = (one, two, 1) if number % 2 else (two, one, -1)
        if random.random() >= jammer.jam[0, 0, place[hand_class(cards[:2])]]:
            net -= sign * 0.5
        elif random.random() >= caller.call[0, 0, place[hand_class(cards[2:4])]]:
            net += sign
        else:
            net += sign * CAP * better(cards[:2], cards[2:4], cards[4:])
    return net


def _name(plan: EvolutionPlan) -> str:
    if plan.fitness == "exact":
        return f"{plan.players}, exact, worst case"
    others = "round robin" if plan.opponent is None else f"{plan.opponent[0]}/{plan.opponent[1]}"
    return f"{plan.players}, {others}, N = {plan.size}"


def _wins(plan: EvolutionPlan, last: Generation) -> float:
    """Return the true winnings of the best player found against its opponent, in big blinds per 100 hands."""
    tables = plan.player_kind().tables(last.genes[[last.best]], plan.caps)
    other = top_tables(np.array([plan.opponent or BALANCED]) / 100, plan.caps)
    return float(advantages(tables, other, plan.caps)[0, 0])


def _speed(play: Callable[..., object], players: tuple[PushFoldTables, PushFoldTables], hands: int) -> float:
    """Return hands per CPU second."""
    pairs, seeds = np.zeros((1, 2), np.int64), np.ones(1, np.uint64)
    play(*players, pairs, MatchRules((CAP,), 0, 10), seeds, 1)
    start = time.process_time()
    play(*players, pairs, MatchRules((CAP,), 0, hands), seeds, 1)
    return hands / (time.process_time() - start)


def _peers() -> dict[str, Callable[[list[int], list[int], list[int]], int]]:
    found: dict[str, Callable[[list[int], list[int], list[int]], int]] = {}
    if importlib.util.find_spec("eval7"):
        import eval7

        faces = [eval7.Card(text) for text in CARD_TEXTS]

        def by_eval7(one: list[int], two: list[int], board: list[int]) -> int:
            first, second = (eval7.evaluate([faces[card] for card in (*hand, *board)]) for hand in (one, two))
            return int(first > second) - int(first < second)

        found["eval7"] = by_eval7
    if importlib.util.find_spec("phevaluator"):
        from phevaluator import evaluate_cards

        def by_phevaluator(one: list[int], two: list[int], board: list[int]) -> int:
            first, second = (evaluate_cards(*hand, *board) for hand in (one, two))
            return int(first < second) - int(first > second)

        found["phevaluator"] = by_phevaluator
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Push/fold matches and evolutions.")
    parser.add_argument("--hands", type=int, default=20_000_000)
    parser.add_argument("--generations", type=int, default=None)
    options = parser.parse_args(arguments)
    one, two = (top_tables(np.array([shares]), (CAP,)) for shares in ((0.57, 0.37), (0.7, 0.6)))
    speed = _speed(play_matches, (one, two), options.hands)
    drawn = _speed(draw_matches, (one, two), options.hands)
    print(f"{'push/fold hands per CPU-second, dealt':<44}{speed:>14,.0f}")
    print(f"{'  from the chances of their outcomes':<44}{drawn:>14,.0f}{drawn / speed:>10,.0f} times faster")
    for name, better in _peers().items():
        start = time.process_time()
        plain(PLAIN_HANDS, one, two, better)
        slow = PLAIN_HANDS / (time.process_time() - start)
        print(f"{'  a loop in Python with ' + name:<44}{slow:>14,.0f}{speed / slow:>10,.0f} times slower")
    print(
        f"\n{'experiment':<31}{'document':>10}{'CPU s':>8}{'times':>7}{'clock s':>9}{'times':>7}{'load':>7}"
        f"{'generations':>13}{'wins':>8}{'its players win':>18}"
    )
    for minutes, worth, plan in EXPERIMENTS:
        wall, start, number = time.perf_counter(), time.process_time(), 0
        for last in run_evolution(replace(plan, workers=2, generations=options.generations)):
            number = last.number + 1
        seconds, spent = time.perf_counter() - wall, time.process_time() - start
        print(
            f"{_name(plan):<31}{minutes:>6.1f} min{spent:>8.1f}{60 * minutes / spent:>7.0f}{seconds:>9.1f}"
            f"{60 * minutes / seconds:>7.0f}{os.getloadavg()[0]:>7.1f}{number:>13}{_wins(plan, last):>+8.2f}"
            f"{worth:>18}",
            flush=True,
        )


if __name__ == "__main__":
    main()
