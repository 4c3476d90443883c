"""What is told of ACPC programs at ordinary tables: the command is run, codes and parameters are compared."""

from __future__ import annotations

import re
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

ACPC = ROOT / "docs" / "acpc.md"
BRIDGED = "## At an ordinary table: the bridge"
SOCKET = "## Over a websocket: acpc.2.0.0"


def test_every_code_of_the_bridge_is_told_and_no_other() -> None:
    tables = section(ACPC, "### What is understood").split("| exit code |")
    assert {code(cell)[0]: text for cell, text in rows(tables[0])} == FAILURES
    told = {cell for cell, _ in rows(f"| exit code |{tables[1]}")}
    general = rows(COMMANDS.read_text("utf-8").split("| code |")[0])
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
