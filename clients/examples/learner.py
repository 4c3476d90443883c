"""What the learners have in common: their options, how long they learn, and the measurement at the end."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

from pokerd.__main__ import main as pokerd

#: The variable that names the file a policy plays from.
LEARNED = "LEARNED"


class Budget:
    """How long to learn: ``minutes``, or fewer if ``decisions`` are made before. The clock runs from ``start``."""

    def __init__(self, minutes: float, decisions: int | None) -> None:
        self._seconds, self._decisions = 60 * minutes, decisions
        self._began = time.monotonic()
        self._told = 0.0

    def start(self) -> None:
        """Start the clock anew, once everything is compiled."""
        self._began = time.monotonic()

    def done(self, decisions: int) -> float:
        """Return the share that is over after so many decisions; from 1 on nothing is left."""
        by_time = (time.monotonic() - self._began) / self._seconds
        return max(by_time, decisions / self._decisions) if self._decisions else by_time

    def tell(self, decisions: int, text: str = "") -> bool:
        """Print how it goes, about twenty times in all. Returns whether it did."""
        done = self.done(decisions)
        if done < self._told:
            return False
        self._told = done + 0.05
        print(f"{min(done, 1):4.0%} {decisions:>13,} decisions  {text}", flush=True)
        return True


def run(learn: Callable[[Budget, int, Path], None], policy: Path, out: str) -> int:
    """Learn as the command line says, save to a file, by default ``out``, and evaluate what ``policy`` plays."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to learn (%(default)s)")
    parser.add_argument("--decisions", type=int, help="learn from so many, if that takes less time")
    parser.add_argument("--seed", type=int, default=1, help="random seed (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path(out), help="file to save to (%(default)s)")
    parser.add_argument("--matches", default="20", help="matches to evaluate with (%(default)s)")
    options = parser.parse_args()
    learn(Budget(options.minutes, options.decisions), options.seed, options.out)
    print(f"saved to {options.out}", flush=True)
    os.environ[LEARNED] = str(options.out)
    return pokerd(["evaluate", f"{policy}:policy", "--matches", options.matches])
