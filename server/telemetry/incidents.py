"""Incidents of bots: their kinds and counts."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class Incident(StrEnum):
    """An incident of a bot. Refused messages are counted by their code in ``protocol.errors``."""

    TIMEOUT = "timeout"
    ABSENT = "absent"
    DISCONNECT = "disconnect"
    GONE = "gone"
    LEAVE = "leave"
    NO_SHOW = "no_show"
    START_FAILED = "start_failed"
    CRASH = "crash"
    #: It exceeded a limit and was stopped: ``server.bots.sandbox.Limits``.
    MEMORY_LIMIT = "memory_limit"
    CPU_LIMIT = "cpu_limit"
    PROCESS_LIMIT = "process_limit"
    DISK_LIMIT = "disk_limit"
    #: A raise of a wrong size by an ACPC program was replaced with the nearest legal one: no refusal.
    RAISE_ADJUSTED = "raise_adjusted"


#: Why the table acts for a player. Journals have the reason of each such action, so these counts follow from
#: the hands.
FORCED_INCIDENTS: Final = frozenset({Incident.TIMEOUT, Incident.ABSENT})

#: Kinds with a column in the standings only where they occurred.
REPORTED_IF_ANY: Final = (
    Incident.CRASH, Incident.LEAVE, Incident.NO_SHOW, Incident.START_FAILED, Incident.MEMORY_LIMIT,
    Incident.CPU_LIMIT, Incident.PROCESS_LIMIT, Incident.DISK_LIMIT,
)  # fmt: skip

#: Division, bot, kind or code, count. Division "": connections without a table.
IncidentCounts = Mapping[str, Mapping[str, Mapping[str, int]]]
