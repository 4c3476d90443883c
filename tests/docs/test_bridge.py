"""What is told of ACPC programs at ordinary tables: the command is run, codes and parameters are compared."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from clients.acpc import program as acpc_program
from clients.acpc.bridge import MAX_REPORTED
from clients.acpc.program import FAILURES
from protocol.acpc import FAULTS, Fault
from protocol.errors import CODES
from server.competition.file import parse_competition
from server.net import acpc_connection as acpc_websocket
from server.telemetry.incidents import Incident
from tests.docs.pages import COMMANDS, ROOT, blocks, code, rows, section
from tests.docs.workspace import environment, lay

ACPC = ROOT / "docs" / "acpc.md"
BRIDGED = "## At an ordinary table: the bridge"
SOCKET = "## Over a websocket: acpc.2.0.0"
#: The command on the page.
(BRIDGE,) = [line for block in blocks(ACPC, "sh") for line in block.text.splitlines() if " bridge " in line]


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
    with started(place, sys.executable, "-m", "pokerd", "serve", "--port", "0") as server:
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


def test_every_code_of_the_bridge_is_told_and_no_other() -> None:
    tables = section(ACPC, "### What is understood").split("| exit code |")
    assert {code(cell)[0]: text for cell, text in rows(tables[0])} == FAILURES
    told = {cell for cell, _ in rows(f"| exit code |{tables[1]}")}
    general = rows(COMMANDS.read_text("utf-8").split("## compete")[0])
    # A code that only some commands have begins with their names.
    assert told == {cell for cell, meaning in general if not re.match(r"(`[a-z-]+`(, )?)+: ", meaning)}


def test_every_mark_in_a_command_is_told() -> None:
    told = {name for cell, _ in rows(section(ACPC, BRIDGED).split("###")[0]) for name in code(cell)}
    source = Path(acpc_program.__file__).read_text("utf-8")
    assert told == set(re.findall(r'"(\{[a-z]+\})"', source))


def test_the_numbers_are_right() -> None:
    text = section(ACPC, BRIDGED)
    assert f"{acpc_program.STOP_TIMEOUT} seconds after" in text
    assert {5: "the first five faults"}[MAX_REPORTED] in text


def test_every_parameter_of_the_address_is_told() -> None:
    source = Path(acpc_websocket.__file__).read_text("utf-8")
    read = set(re.findall(r'_query\.get\("([a-z]+)"', source))
    assert {code(cell)[0] for cell, *_ in rows(section(ACPC, SOCKET).split("| fault |")[0])} == read


def test_what_faults_count_as_is_told() -> None:
    told = {
        fault: code(counted)[0]
        for cell, counted in rows("| fault |" + section(ACPC, SOCKET).split("| fault |")[1])
        for fault in code(cell)
    }
    assert told == acpc_websocket._FAULT_CODES
    assert set(told.values()) <= {*CODES, Incident.RAISE_ADJUSTED}
    # Of a connection that wants nothing exactly.
    assert set(told) == set(get_args(Fault)) - {"", "inexact"} == set(FAULTS) - {"inexact"}


def test_the_competition_of_the_page_can_be_played() -> None:
    (block,) = blocks(ACPC, "toml")
    competition = parse_competition(block.text)
    assert [bot.protocol for bot in competition.entry.bots] == ["acpc", "pokerd"]
