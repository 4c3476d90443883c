"""All benchmarks, each in a process of its own: ``python -m benchmarks``."""

from __future__ import annotations

import subprocess
import sys

if __name__ == "__main__":
    # One would otherwise measure the memory that another's libraries take.
    brains = ("strategy", "decisions", "solvers", "river", "evolution")
    ours = ("rules", *brains, "server", "fleet", "acpc", "people")
    for name in ours:
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)
        print(flush=True)
