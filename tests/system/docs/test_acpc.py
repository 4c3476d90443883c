"""The command of ``docs/acpc.md`` holds a match."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

from tests.docs.commands import DEALER
from tests.docs.pages import ROOT
from tests.docs.workspace import environment, lay


def test_the_dealer_of_the_page_holds_a_match(tmp_path: Path) -> None:
    place = lay(tmp_path)
    command = [*shlex.split(DEALER), "--host", "127.0.0.1"]
    with subprocess.Popen(
        command, cwd=place, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as dealer:
        assert dealer.stdout is not None
        ports = dealer.stdout.readline().split()
        players = [
            subprocess.Popen([sys.executable, "-m", "benchmarks.acpc_player", port], cwd=ROOT)
            for port in ports
        ]
        output, _ = dealer.communicate(timeout=30)
        assert [player.wait(30) for player in players] == [0, 0]
    assert dealer.returncode == 0
    assert output.startswith("SCORE:")
    log = (place / "match1.log").read_text(encoding="ascii")
    assert log.count("\nSTATE:") == 100
    assert log.endswith(output)
