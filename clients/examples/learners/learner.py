"""What the learners have in common: their options, how long they learn, and the measurement at the end."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pokerd.env.evaluation import Evaluation, evaluate, load_policy

GAME = "holdem.limit.2p.reverse_blinds"

#: The variable that names the file a policy plays from.
LEARNED = "LEARNED"


class Budget:
    """How long to learn: so many minutes from ``start``, or less if so many decisions are made before.

    ``done`` is the share that is over; from 1 on nothing is left. ``spent`` says what was learned from, and
    how long it took.
    """

    def __init__(self, minutes: float, decisions: int | None) -> None:
        self._seconds, self._decisions = 60 * minutes, decisions
        self._told = self.done = 0.0
        self.start()

    def start(self) -> None:
        """Start the clock anew, once everything is compiled."""
        self._began, self._cpu = time.monotonic(), time.process_time()
        self.spent = ""

    def over(self, decisions: int) -> bool:
        """Look at the clock after so many decisions; return whether to stop."""
        seconds, cpu = time.monotonic() - self._began, time.process_time() - self._cpu
        self.spent = (
            f"{decisions:,} decisions in {seconds / 60:.1f} minutes on the clock, {cpu / 60:.1f} of a CPU"
        )
        self.done = seconds / self._seconds
        if self._decisions:
            self.done = max(self.done, decisions / self._decisions)
        return self.done >= 1

    def tell(self, decisions: int, text: str = "") -> bool:
        """Print how it goes, about twenty times in all. Returns whether it did."""
        if self.done < self._told:
            return False
        self._told = self.done + 0.05
        print(f"{min(self.done, 1):4.0%} {decisions:>13,} decisions  {text}".rstrip(), flush=True)
        return True


def run(learn: Callable[[Budget, int, Path], None], policy: Path, out: str) -> int:
    """Learn and save as the command line says, by default to ``out``; evaluate the function ``policy`` of the
    file ``policy``, and print what it wins.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10, help="how long to learn (%(default)s)")
    parser.add_argument("--decisions", type=int, help="learn from so many, if that takes less time")
    parser.add_argument("--seed", type=int, default=1, help="random seed (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path(out), help="file to save to (%(default)s)")
    parser.add_argument("--matches", type=int, default=20, help="matches to evaluate with (%(default)s)")
    parser.add_argument("--report", type=Path, help="file to add the result to")
    options = parser.parse_args()
    file = options.out.with_suffix(".npz")
    budget = Budget(options.minutes, options.decisions)
    learn(budget, options.seed, file)
    print(f"saved to {file}", flush=True)
    os.environ[LEARNED] = str(file)
    results = evaluate(load_policy(f"{policy}:policy"), GAME, matches=options.matches)
    told = f"{budget.spent}\n\n{_table(results)}"
    print(told)
    if options.report:
        name = Path(sys.argv[0]).name
        given = [(option, getattr(options, option)) for option in ("minutes", "decisions", "seed", "matches")]
        words = [f"--{option} {value}" for option, value in given if value is not None]
        with options.report.open("a", encoding="utf-8") as report:
            report.write(f"\n## {name}\n\n    python {name} {' '.join(words)}\n\n{told}\n")
    return 0


def _table(results: list[Evaluation]) -> str:
    """Return what was won, with 95 % intervals, as a table of Markdown."""
    rows = ["| against | mbb/hand | 95 % | hands | illegal | verdict |", "|---|---:|---:|---:|---:|---|"]
    for result in results:
        won = result.won
        verdict = "undecided" if not won.decided else "beaten" if won.mean > 0 else "not beaten"
        error = "" if won.half is None else f"+- {won.half:.1f}"
        cells = (f"`{result.against}`", f"{won.mean:.1f}", error, f"{result.hands:,}", f"{result.illegal}")
        rows.append(f"| {' | '.join(cells)} | {verdict} |")
    return "\n".join(rows)
