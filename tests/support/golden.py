"""The logs of the ACPC reference dealer in ``tests/golden``, and the matches that they are of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
MATCHES: list[dict[str, Any]] = json.loads((GOLDEN / "manifest.json").read_text(encoding="ascii"))


def golden_states(name: str) -> list[str]:
    """The lines of a log that tell its hands."""
    log = GOLDEN / f"{name}.log"
    return [line for line in log.read_text().splitlines() if line.startswith("STATE:")]
