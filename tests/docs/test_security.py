"""``docs/security.md`` against what a bot gets, and who may do what."""

from __future__ import annotations

import re
from typing import get_args

import uvicorn

from protocol.codec import MAX_FRAME
from protocol.errors import CODES
from protocol.keep_alive import DEAD_PEER_TIMEOUT
from server.auth.policy import DEFAULT_CAPACITY, GUEST_QUOTA
from server.auth.tokens import AccessError, Quota
from server.bots.processes import DISK_CHECK_EVERY, POLL_INTERVAL
from server.bots.readable_paths import MAX_ENTRIES, MAX_PATHS, SECRET_NAMES
from server.bots.resource_monitor import MAX_FILES
from server.bots.sandbox import _DATA_SPARE, _USER_SPARE, INHERITED, SYSTEM, Strictness
from server.house.house import MAX_HELD
from server.house.lobby import MAX_OWN_TABLES, MAX_TABLES_PER_CLIENT
from server.net import listener as listening
from server.net.backlog import MAX_UNSENT, MAX_UNSENT_TOTAL
from server.net.connection import HELLO_TIMEOUT
from server.net.gateway import HANDSHAKE_TIMEOUT, MAX_HANDSHAKE
from server.net.listener import RECEIVE_BUFFER
from server.telemetry.incidents import Incident
from server.web.health import CONNECTION_LIMITS
from server.web.http_timeouts import REQUEST, TAKE
from tests.docs.pages import ROOT, code, rows, section

SECURITY = ROOT / "docs" / "security.md"


def test_spectators_who_are_held() -> None:
    assert f", {MAX_HELD} of" in SECURITY.read_text("utf-8")


def test_the_variables_that_a_bot_gets_are_told_and_no_other() -> None:
    text = section(SECURITY, "### What a bot can see").partition("`LC_` and: ")[2].partition(".\n")[0]
    assert set(code(text)) == INHERITED


def test_the_folders_of_the_system_are_those_that_are_told() -> None:
    text = (
        section(SECURITY, "### What a bot can see")
        .partition("* the system: ")[2]
        .partition("* every file")[0]
    )
    folders = {path for path in code(text) if path.startswith("/")}
    assert {path for path in folders if path.count("/") == 1} - set(SYSTEM) == {
        "/etc",
        "/proc",
        "/sys",
        "/dev",
    }


def test_what_is_private_is_told() -> None:
    text = section(SECURITY, "### What a bot can see").partition("**what is private**")[2]
    assert set(code(text.partition("(`state.db`")[2].partition(")")[0])) | {"state.db"} == SECRET_NAMES
    figures = [int(word.replace(",", "")) for word in re.findall(r"\b\d+,\d+\b", text)]
    assert figures[:2] == [MAX_ENTRIES, MAX_PATHS]


def test_every_way_of_the_sandbox_is_told() -> None:
    told = [code(first)[0] for first, *_ in rows(section(SECURITY, "### What a bot can see"))]
    assert set(told) == set(get_args(Strictness))


def test_the_figures_of_the_limits_are_those_of_the_program() -> None:
    text = section(SECURITY, "### Limits")
    assert {name for name in code(text) if name in set(Incident)} == {
        *("memory_limit", "cpu_limit", "process_limit", "disk_limit", "crash")
    }
    assert re.search(r"set (\d+) above", text)[1] == str(_USER_SPARE)  # type: ignore[index]
    assert "twice a second" in text
    assert POLL_INTERVAL == 0.5
    assert "every two seconds" in text
    assert POLL_INTERVAL * DISK_CHECK_EVERY == 2.0
    assert f"{MAX_FILES:,} files and folders" in section(ROOT / "docs" / "competition.md", "### `[limits]`")
    assert "half as much memory again" in text
    assert _DATA_SPARE == 1.5


def test_the_limits_at_the_door_are_those_of_the_program() -> None:
    told = {first: rest for first, *rest in rows(section(SECURITY, "## Limits at the door"))}
    figures = {
        name: [int(word.replace(",", "")) for word in re.findall(r"\b\d[\d,]*\b", " ".join(cells))]
        for name, cells in told.items()
    }
    assert figures["messages a second"] == [Quota().rate, GUEST_QUOTA.rate]
    assert figures["connections at once"][0] == Quota().connections
    assert figures["tables at once"] == [Quota().tables, GUEST_QUOTA.tables]
    assert (
        figures["tables opened with `create` and still open"] == [MAX_OWN_TABLES, MAX_TABLES_PER_CLIENT] * 2
    )
    assert figures["connections of one address"] == [DEFAULT_CAPACITY.per_address]
    assert {name for cells in told.values() for name in code(cells[2])} <= set(CODES)


def test_the_places_are_those_of_the_program() -> None:
    text = " ".join(section(SECURITY, "## Places").split())
    assert f"{DEFAULT_CAPACITY.connections:,}, but no more" in text
    assert (listening.RESERVED_SHARE, f"at least {listening.MIN_RESERVED}," in text) == (4, True)
    assert f"{listening.EXTRA_PER_ADDRESS} more" in text
    assert "`--metrics-port` has {} places of its own, {} of them for one".format(*CONNECTION_LIMITS) in text
    timeouts = {what: within for what, within, _ in list(rows(section(SECURITY, "## Places")))[2:]}
    found = [int(re.findall(r"\d+", within)[0]) for within in timeouts.values()]
    kept_alive = uvicorn.Config("").timeout_keep_alive
    assert found == [HANDSHAKE_TIMEOUT, HANDSHAKE_TIMEOUT, REQUEST, kept_alive, TAKE, DEAD_PEER_TIMEOUT]
    assert HELLO_TIMEOUT == HANDSHAKE_TIMEOUT


def test_the_bounds_of_memory_are_those_of_the_program() -> None:
    told = [re.findall(r"(\d+) ([KM])iB", bound) for _, bound, _ in rows(section(SECURITY, "## Memory"))]
    found = [[int(number) << {"K": 10, "M": 20}[unit] for number, unit in row] for row in told]
    *bounds, buffers = found
    assert bounds == [[MAX_UNSENT], [MAX_UNSENT_TOTAL], [MAX_HANDSHAKE], [MAX_FRAME]]
    assert buffers[0] == RECEIVE_BUFFER


def test_every_code_of_a_token_is_told() -> None:
    raised = set(re.findall(r"``([a-z_]+)``", AccessError.__doc__ or ""))
    told = {code(first)[0] for first, *_ in rows(section(SECURITY, "## Tokens")) if first.startswith("`")}
    assert told == raised
