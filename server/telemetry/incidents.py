"""What goes wrong with bots: the kinds of incidents, and how they are counted."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

__all__ = ["FORCED_INCIDENTS", "REPORTED_IF_ANY", "Incident", "IncidentCounts"]


class Incident(StrEnum):
    """What can happen to a bot. A refused message is counted too, under its code of ``protocol.errors``."""

    TIMEOUT = "timeout"
    ABSENT = "absent"
    DISCONNECT = "disconnect"
    GONE = "gone"
    LEAVE = "leave"
    NO_SHOW = "no_show"
    START_FAILED = "start_failed"
    CRASH = "crash"
    #: It took more than it may, and was ended: ``server.bots.sandbox.Limits``.
    MEMORY_LIMIT = "memory_limit"
    CPU_LIMIT = "cpu_limit"
    PROCESS_LIMIT = "process_limit"
    DISK_LIMIT = "disk_limit"
    #: An ACPC program's raise of a wrong size was carried out as the nearest right one: no refusal.
    RAISE_ADJUSTED = "raise_adjusted"


#: Why a table acts for a player. Journals say so at every such action: these counts follow from the hands.
FORCED_INCIDENTS: Final = frozenset({Incident.TIMEOUT, Incident.ABSENT})

#: What the standings have a column for only where it happened.
REPORTED_IF_ANY: Final = (
    Incident.CRASH,
    Incident.LEAVE,
    Incident.NO_SHOW,
    Incident.START_FAILED,
    Incident.MEMORY_LIMIT,
    Incident.CPU_LIMIT,
    Incident.PROCESS_LIMIT,
    Incident.DISK_LIMIT,
)

#: Division, bot, kind or code, how often. Division "": what belongs to a connection and to no table.
IncidentCounts = Mapping[str, Mapping[str, Mapping[str, int]]]
