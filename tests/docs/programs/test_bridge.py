"""What is told of ACPC programs at ordinary tables: the command is run, codes and parameters are compared."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from clients.acpc import program as acpc_program
from clients.acpc.program import FAILURES
from pokerd import compiled
from protocol.acpc import FAULTS, Fault
from protocol.errors import CODES
from server.competition.file import parse_competition
from server.net import acpc_connection as acpc_websocket
from server.telemetry.incidents import Incident
from tests.docs.pages import ACPC, COMMANDS, blocks, code, read, rows, section

BRIDGED = "## At an ordinary table: the bridge"
SOCKET = "## Over a websocket: acpc.2.0.0"


def test_every_code_of_the_bridge_is_told_and_no_other() -> None:
    table = [(cell, more) for cell, *more in rows(section(ACPC, "### What is understood"))]
    codes = [name for cell, more in table if len(more) == 1 for name in code(cell)]
    assert sorted(codes) == sorted(FAILURES)
    told = {cell for cell, _ in table if cell.isdigit()}
    general = [(cell, more[0]) for cell, *more in rows(read(COMMANDS)) if cell.isdigit()]
    # A code that only some commands have begins with their names.
    assert told == {cell for cell, meaning in general if not re.match(r"(`[a-z-]+`(, )?)+: ", meaning)}


def test_every_mark_in_a_command_is_told() -> None:
    told = {name for cell, _ in rows(section(ACPC, BRIDGED).split("###")[0]) for name in code(cell)}
    source = Path(acpc_program.__file__).read_text("utf-8")
    assert told == set(re.findall(r'"(\{[a-z]+\})"', source))


def test_every_parameter_of_the_address_is_told() -> None:
    source = compiled.source(acpc_websocket.__name__).read_text("utf-8")
    known = set(re.findall(r'_query\.get\("([a-z]+)"', source))
    told = {name for cell, *_ in rows(section(ACPC, SOCKET)) for name in code(cell)}
    assert told - set(FAULTS) == known


def test_what_faults_count_as_is_told() -> None:
    told = {
        fault: code(counted)[0]
        for cell, counted, *_ in rows(section(ACPC, SOCKET))
        for fault in code(cell)
        if fault in FAULTS
    }
    assert told == acpc_websocket._FAULT_CODES
    assert set(told.values()) <= {*CODES, Incident.RAISE_ADJUSTED}
    # Of a connection that wants nothing exactly.
    assert set(told) == set(get_args(Fault)) - {"", "inexact"} == set(FAULTS) - {"inexact"}


def test_the_competition_of_the_page_can_be_played() -> None:
    (block,) = blocks(ACPC, "toml")
    competition = parse_competition(block.text)
    assert [bot.protocol for bot in competition.entry.bots] == ["acpc", "pokerd"]
