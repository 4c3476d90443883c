"""All benchmarks, each in a process of its own: ``python -m benchmarks``. POKERD_DATABASE: a PostgreSQL."""

from __future__ import annotations

import subprocess
import sys

if __name__ == "__main__":
    # In one process, each would also measure the memory of the others' libraries.
    players = [f"players.{name}" for name in ("strategy", "decisions", "solvers", "river", "evolution")]
    servers = ("server", "processes", "fleet", "acpc", "people", "pages")
    ours = ("rules", "env", "batch", *players, *servers)
    for name in ours:
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)
        print(flush=True)
