"""Prometheus metrics of this process.

Counters are bound here once, so that no name is looked up during play. Gauges are read from the running
server on request (``server.web.health_checks``). Names follow the rules of Prometheus
(https://prometheus.io/docs/practices/naming/): base units, ``_total`` for counters.
"""

from __future__ import annotations

import platform
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.core import HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from protocol.errors import CODES
from server.telemetry.incidents import Incident
from server.telemetry.version import VERSION

disable_created_metrics()  # type: ignore[no-untyped-call]

HANDS: Final = Counter("pokerd_hands", "Finished hands.", registry=None)
_INCIDENTS: Final = Counter("pokerd_incidents", "Incidents of players, by kind.", ["kind"], registry=None)
INCIDENTS: Final = {kind: _INCIDENTS.labels(kind) for kind in Incident}
_REFUSALS: Final = Counter("pokerd_refusals", "Refused messages.", ["code"], registry=None)
REFUSALS: Final = {code: _REFUSALS.labels(code) for code in CODES}
SOCKETS: Final = Gauge("pokerd_sockets", "Open sockets at all ports, including silent ones.", registry=None)
_REJECTED_SOCKETS: Final = Counter(
    "pokerd_sockets_refused", "Refused connections, by reason.", ["reason"], registry=None
)
REJECTED_SOCKETS: Final = {why: _REJECTED_SOCKETS.labels(why) for why in ("address", "server", "descriptors")}
OUTBOX_DROPS: Final = Counter(
    "pokerd_outbox_drops", "Connections closed because their outbox was full.", registry=None
)
WATCHER_DROPS: Final = Counter(
    "pokerd_watcher_drops",
    "Public events dropped because a watcher was too slow.",
    ["watcher"],
    registry=None,
)
COMMIT_SECONDS: Final = Histogram(
    "pokerd_commit_seconds",
    "Seconds to write hands, sessions and open tables to disk.",
    buckets=(0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0),
    registry=None,
)
_BUILD: Final = Info("pokerd_build", "Versions of pokerd and Python.", registry=None)
_BUILD.info({"version": VERSION, "python": platform.python_version()})


class TimingHistogram:
    """A histogram of seconds at a quarter of the cost of the library's: it is updated at every decision."""

    __slots__ = ("counts", "total")

    #: Upper bounds of the buckets; there is one more above the last. The event loop's clock has milliseconds.
    BOUNDS: Final = (
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
        30.0, 60.0, 120.0,
    )  # fmt: skip

    def __init__(self) -> None:
        self.counts = [0] * (len(self.BOUNDS) + 1)
        self.total = 0.0

    def observe(self, seconds: float) -> None:
        """Add an observation."""
        self.counts[bisect_left(self.BOUNDS, seconds)] += 1
        self.total += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """Return the upper bounds with cumulative counts."""
        names = [*map(str, self.BOUNDS), "+Inf"]
        return list(zip(names, map(float, accumulate(self.counts)), strict=True))


#: Seconds from a turn to its action, by who acted: a ``person``, a program started by this server
#: (``house``), or another ``program``.
DECISION_TIMES: Final = {kind: TimingHistogram() for kind in ("house", "person", "program")}


class _DecisionCollector(Collector):
    def collect(self) -> Iterator[Metric]:
        family = HistogramMetricFamily(
            "pokerd_decision_seconds", "Seconds from a turn to its action.", labels=["player"]
        )
        for kind, timings in DECISION_TIMES.items():
            family.add_metric([kind], timings.buckets(), timings.total)
        yield family


def build_registry(*live: Collector) -> CollectorRegistry:
    """Return all metrics of this process, and those that ``live`` reads from the running server."""
    found = CollectorRegistry()
    ProcessCollector(registry=found)
    counted = (
        _BUILD, HANDS, _DecisionCollector(), _INCIDENTS, _REFUSALS, OUTBOX_DROPS, WATCHER_DROPS,
        COMMIT_SECONDS, SOCKETS, _REJECTED_SOCKETS,
    )  # fmt: skip
    for collector in (*counted, *live):
        found.register(collector)
    return found
