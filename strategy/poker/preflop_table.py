"""Make the table of preflop equities: ``python -m strategy.poker.preflop_table``.

Ten hands and a board are dealt at random; for each of the ten, the others that are better and that tie are
counted. These counts give the equity against any number of opponents up to nine (``expected_share``), so one
deal contributes to ninety entries of the table. The result depends on the seed and the number of deals, not
on the number of processes. An interrupted run continues from the file ``*.partial`` beside the table.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from math import sqrt
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from dealer.rules.evaluation import rank_hand
from strategy.poker.equity import expected_share
from strategy.poker.income_rates import write_whole
from strategy.poker.preflop import HAND_CLASSES, MAX_OPPONENTS, TABLE_PATH, hand_class

HANDS = MAX_OPPONENTS + 1
Counts = list[list[int]]
"""Per class, at index 10 * b + t: how often b of the nine other hands were better and t tied."""

_INDEX = {name: index for index, name in enumerate(HAND_CLASSES)}


def count_chunk(job: tuple[int, int, int]) -> Counts:
    """Return the counts of one chunk of deals; ``job`` is (seed, number of the chunk, deals)."""
    seed, chunk, deals = job
    uniform = Random(f"preflop {seed} {chunk}").random
    deck = list(range(52))
    classes = [[_INDEX[hand_class((a, b))] if a != b else -1 for b in range(52)] for a in range(52)]
    counts = [[0] * (HANDS * 10) for _ in HAND_CLASSES]
    for _ in range(deals):
        for i in range(5 + 2 * HANDS):
            j = i + int(uniform() * (52 - i))
            deck[i], deck[j] = deck[j], deck[i]
        board = deck[:5]
        hands = list(zip(deck[5 : 5 + 2 * HANDS : 2], deck[6 : 6 + 2 * HANDS : 2], strict=True))
        ranks = [rank_hand([*board, *hand]) for hand in hands]
        order = sorted(ranks, reverse=True)
        for (a, b), rank in zip(hands, ranks, strict=True):
            counts[classes[a][b]][10 * order.index(rank) + order.count(rank) - 1] += 1
    return counts


class EquityCheckpoint:
    """The counts so far and their number of chunks, kept in a file between runs."""

    def __init__(self, path: Path, *, seed: int, deals: int, chunk: int) -> None:
        self.path = path
        self.plan = {"seed": seed, "deals": deals, "chunk": chunk}
        self.chunks = 0
        self.counts: Counts = [[0] * (HANDS * 10) for _ in HAND_CLASSES]
        if path.exists():
            saved = json.loads(path.read_text(encoding="ascii"))
            if saved["plan"] == self.plan:
                self.chunks, self.counts = saved["chunks"], saved["counts"]

    def pending_jobs(self) -> Iterator[tuple[int, int, int]]:
        """Yield the remaining chunks in order."""
        deals, size = self.plan["deals"], self.plan["chunk"]
        for chunk in range(self.chunks, -(-deals // size)):
            yield self.plan["seed"], chunk, min(size, deals - chunk * size)

    def add(self, counts: Counts) -> None:
        """Add the next chunk's counts."""
        for total, new in zip(self.counts, counts, strict=True):
            total[:] = [a + b for a, b in zip(total, new, strict=True)]
        self.chunks += 1

    def save(self) -> None:
        """Write the file atomically."""
        text = json.dumps({"plan": self.plan, "chunks": self.chunks, "counts": self.counts})
        write_whole(self.path, text)


def make_table(counts: Counts, plan: dict[str, int]) -> dict[str, Any]:
    """Return the table in its stored form, with the largest standard error for each number of opponents."""
    rows: dict[str, list[float]] = {}
    worst = [0.0] * MAX_OPPONENTS
    for name, outcomes in zip(HAND_CLASSES, counts, strict=True):
        rows[name] = []
        for opponents in range(1, MAX_OPPONENTS + 1):
            mean, error = _mean_and_error(outcomes, opponents)
            rows[name].append(round(mean, 5))
            worst[opponents - 1] = max(worst[opponents - 1], error)
    return {
        "about": "Share of the pot against 1 to 9 random hands that all stay to the showdown, ties shared; "
        "by classes of starting hands of hold'em.",
        "made_by": "python -m strategy.poker.preflop_table",
        **plan,
        "largest_standard_error": [round(error, 5) for error in worst],
        "equity": rows,
    }


def _mean_and_error(outcomes: list[int], opponents: int) -> tuple[float, float]:
    """Return mean and standard error as if hands of a deal were independent; those of a class nearly are."""
    count = sum(outcomes)
    total = squares = 0.0
    for outcome, times in enumerate(outcomes):
        if times:
            better, tied = divmod(outcome, 10)
            share = expected_share(MAX_OPPONENTS - better - tied, tied, better, opponents)
            total += times * share
            squares += times * share * share
    mean = total / count
    return mean, sqrt(max(0.0, squares / count - mean * mean) / count)


def _table_text(table: dict[str, Any]) -> str:
    """Return JSON with one class per line."""
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in table["equity"].items())
    head = json.dumps({key: value for key, value in table.items() if key != "equity"}, indent=1)
    return f'{head[:-2]},\n "equity": {{\n{rows}\n }}\n}}\n'


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m strategy.poker.preflop_table", description=__doc__)
    parser.add_argument("--deals", type=int, default=10_000_000, help="default: %(default)s, some minutes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--chunk", type=int, default=20_000, help="deals from one seed; default: %(default)s")
    parser.add_argument("--workers", type=int, default=None, help="processes; default: one per core")
    parser.add_argument("--out", type=Path, default=TABLE_PATH)
    options = parser.parse_args(arguments)
    progress = EquityCheckpoint(
        options.out.with_name(options.out.name + ".partial"),
        seed=options.seed,
        deals=options.deals,
        chunk=options.chunk,
    )
    # Not forked: the result is the same, and no lock of a parent's thread can be held forever.
    with get_context("spawn").Pool(options.workers) as pool:
        for counts in pool.imap(count_chunk, progress.pending_jobs()):
            progress.add(counts)
            if progress.chunks % 10 == 0:
                progress.save()
    write_whole(options.out, _table_text(make_table(progress.counts, progress.plan)))
    progress.path.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
