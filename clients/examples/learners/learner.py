"""What the learners have in common: their options, how long they learn, and the measurement at the end."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path

from pokerd.__main__ import main as pokerd

GAME = "holdem.limit.2p.reverse_blinds"

#: The variable that names the file a policy plays from.
LEARNED = "LEARNED"


class Budget:
    """How long to learn: so many minutes from ``start``, or less if so many decisions are made before.

    ``done`` is the share that is over; from 1 on nothing is left.
    """

    def __init__(self, minutes: float, decisions: int | None) -> None:
        self._seconds, self._decisions = 60 * minutes, decisions
        self._began = time.monotonic()
        self._told = self.done = 0.0

    def start(self) -> None:
        """Start the clock anew, once everything is compiled."""
        self._began = time.monotonic()

    def over(self, decisions: int) -> bool:
        """Look at the clock after so many decisions; return whether to stop."""
        self.done = (time.monotonic() - self._began) / self._seconds
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
    file ``policy``.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10.0, help="how long to learn (%(default)s)")
    parser.add_argument("--decisions", type=int, help="learn from so many, if that takes less time")
    parser.add_argument("--seed", type=int, default=1, help="random seed (%(default)s)")
    parser.add_argument("--out", type=Path, default=Path(out), help="file to save to (%(default)s)")
    parser.add_argument("--matches", default="20", help="matches to evaluate with (%(default)s)")
    options = parser.parse_args()
    file = options.out.with_suffix(".npz")
    learn(Budget(options.minutes, options.decisions), options.seed, file)
    print(f"saved to {file}", flush=True)
    os.environ[LEARNED] = str(file)
    return pokerd(["evaluate", f"{policy}:policy", "--matches", options.matches])
