"""The command of ``docs/acpc.md`` seats an ACPC program at the table of the page."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.docs.commands import BRIDGE
from tests.docs.workspace import environment, lay


def started(place: Path, *command: str, **variables: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command,
        cwd=place,
        env=environment(**variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def says(running: subprocess.Popen[str], what: Callable[[str], object]) -> str:
    """The next line of which that is so."""
    assert running.stdout is not None
    return next(line for line in running.stdout if what(line))


def test_the_bridge_of_the_page_plays_at_the_table_of_the_page(tmp_path: Path) -> None:
    place = lay(tmp_path)
    with started(place, sys.executable, "-m", "pokerd", "serve", "--port", "0", "--web-port", "0") as server:
        found = re.search(r"ws://\S+", says(server, lambda line: "listens" in line))
        assert found
        with started(place, *shlex.split(BRIDGE), POKERD_URL=found[0]) as bridge:
            assert says(bridge, lambda line: line.startswith("table-2: ")).startswith(
                "table-2: holdem.nolimit.3p"
            )
            says(bridge, lambda line: line.startswith("table-2: 1 hand"))
            bridge.send_signal(signal.SIGINT)
            bridge.communicate(timeout=30)
        assert bridge.returncode == 130
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=30)
