"""``docs/security.md`` against what a bot gets, and who may do what."""

from __future__ import annotations

import re
from typing import get_args

from protocol.errors import CODES
from server.auth.policy import DEFAULT_CAPACITY, GUEST_QUOTA
from server.auth.tokens import AccessError, Quota
from server.bots.readable_paths import SECRET_NAMES
from server.bots.sandbox import INHERITED, MAX_FILES, SYSTEM, Strictness
from server.house.lobby import MAX_OWN_TABLES, MAX_TABLES_PER_CLIENT
from server.net import listener as listening
from server.telemetry.incidents import Incident
from server.web.health import CONNECTION_LIMITS
from tests.docs.pages import COMPETITION, ROOT, code, numbers, rows, section

SECURITY = ROOT / "docs" / "security.md"
SEEN = code(section(SECURITY, "### What a bot can see"))


def test_the_variables_that_a_bot_gets_are_told() -> None:
    assert set(SEEN) >= INHERITED


def test_the_folders_of_the_system_are_those_that_are_told() -> None:
    folders = {path for path in SEEN if path.startswith("/") and path.count("/") == 1}
    assert folders - set(SYSTEM) == {"/etc", "/proc", "/sys", "/dev"}


def test_what_is_private_is_told() -> None:
    assert set(SEEN) >= SECRET_NAMES


def test_every_way_of_the_sandbox_is_told() -> None:
    told = [code(first)[0] for first, *_ in rows(section(SECURITY, "### What a bot can see"))]
    assert set(told) == set(get_args(Strictness))


def test_the_figures_of_the_limits_are_those_of_the_program() -> None:
    text = section(SECURITY, "### Limits")
    assert {name for name in code(text) if name in set(Incident)} == {
        *("memory_limit", "cpu_limit", "process_limit", "disk_limit", "crash")
    }
    disk = {code(key)[0]: meaning for key, *_, meaning in rows(section(COMPETITION, "### `[limits]`"))}
    assert MAX_FILES in numbers(disk["disk_mb"])


#: What each row of the table names.
DOOR = ("--rate", "--connections", "--tables", "create", "--max-connections-per-ip")


def test_the_limits_at_the_door_are_those_of_the_program() -> None:
    told = {}
    for row in rows(section(SECURITY, "## Limits at the door").split("###")[0]):
        (name,) = [name for name in DOOR if name in code(" ".join(row[:3]))]
        told[name] = row
    figures = {name: numbers(" ".join(row[1:3])) for name, row in told.items()}
    assert figures["--rate"] == [Quota().rate, GUEST_QUOTA.rate]
    assert figures["--connections"][0] == Quota().connections
    assert figures["--tables"] == [Quota().tables, GUEST_QUOTA.tables]
    assert figures["create"] == [MAX_OWN_TABLES, MAX_TABLES_PER_CLIENT] * 2
    assert figures["--max-connections-per-ip"] == [DEFAULT_CAPACITY.per_address]
    assert {name for row in told.values() for name in code(row[3])} <= set(CODES)


def test_the_places_are_those_of_the_program() -> None:
    told = {name: numbers(cell) for first, cell, _ in _places() for name in code(first + cell)}
    kept = [DEFAULT_CAPACITY.connections, 100 / listening.RESERVED_SHARE, listening.MIN_RESERVED]
    assert told["--max-connections"] == kept
    assert listening.EXTRA_PER_ADDRESS in told["--max-connections-per-ip"]
    assert told["--metrics-port"] == list(CONNECTION_LIMITS)


def _places() -> list[list[str]]:
    return [row for row in rows(section(SECURITY, "## Places")) if len(row) == 3 and "--" in "".join(row)]


def test_every_code_of_a_token_is_told() -> None:
    raised = set(re.findall(r"``([a-z_]+)``", AccessError.__doc__ or ""))
    told = {code(first)[0] for first, *_ in rows(section(SECURITY, "## Tokens")) if first.startswith("`")}
    assert told == raised
