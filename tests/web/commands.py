"""Commands that are run in the repository: of node, and of what npm has installed."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*command: str) -> str:
    """What a command prints that succeeds."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output[-4000:]
    return output
