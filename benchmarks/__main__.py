"""All benchmarks, each in a process of its own: ``python -m benchmarks``."""

from __future__ import annotations

import subprocess
import sys

if __name__ == "__main__":
    # One would otherwise measure the memory that another's libraries take.
    for name in ("rules", "strategy", "decisions", "solvers", "river", "server", "acpc", "people"):
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)
        print(flush=True)
