"""The state of a running server for its operator: current metrics, and whether it is healthy."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from server.competition.runner import Runner
from server.house.house import House
from server.telemetry import metrics

if TYPE_CHECKING:
    from server.public.mqtt import MqttLink

#: Seconds between two measurements of the event loop's lag, and how many of them are kept.
BEAT: Final = 0.25
BEATS: Final = 40
#: Seconds of lag from which the event loop counts as unhealthy: more than the start of a large
#: competition causes, much less than any time control.
MAX_LAG: Final = 1.0
#: Seconds for which a disk check remains valid.
FRESH: Final = 5.0


class HealthMonitor(Collector):
    """Monitors a house, and the competition played there, if any.

    ``folder``: where the server must be able to write.
    """

    def __init__(self, house: House, folder: Path, runner: Runner | None = None) -> None:
        self.registry = metrics.build_registry(self)
        #: Additional checks by name; each returns what is wrong, or an empty string.
        self.checks: dict[str, Callable[[], str]] = {} if runner is None else dict(runner.checks)
        #: The connection to the broker, if one is configured.
        self.broker_link: MqttLink | None = None
        self._house = house
        self._folder = folder
        self._runner = runner
        self._lags: deque[float] = deque([0.0], BEATS)
        self._disk = ""
        self._disk_checked_at = -FRESH
        self._lag_task = asyncio.create_task(self._measure_lag(), name="heartbeat")

    async def close(self) -> None:
        """Stop monitoring."""
        self._lag_task.cancel()
        await asyncio.gather(self._lag_task, return_exceptions=True)

    async def _measure_lag(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + BEAT
            await asyncio.sleep(BEAT)
            self._lags.append(loop.time() - due)

    @property
    def lag(self) -> float:
        """The maximum lag of the event loop, in seconds, over the last ten seconds."""
        return max(self._lags)

    async def health(self) -> Mapping[str, str]:
        """Return what is wrong by check; empty for a check that passes."""
        now = asyncio.get_running_loop().time()
        if now - self._disk_checked_at >= FRESH:
            # Set this first, so that concurrent requests do not check again.
            self._disk_checked_at = now
            self._disk = await asyncio.to_thread(_disk_problem, self._folder)
        found = {
            "event_loop": f"up to {self.lag:.1f} s late" if self.lag > MAX_LAG else "",
            "store": self._disk or _store_problem(self._runner),
        }
        if self.broker_link is not None:
            found["broker"] = "" if self.broker_link.connected else "not connected"
        return {**found, **{name: check() for name, check in self.checks.items()}}

    def collect(self) -> Iterator[Metric]:
        """Yield the current metrics."""
        house = self._house
        for name, text, value in (
            ("connections", "Open connections of people and programs.", len(house.connections)),
            ("players", "Connected players who have logged in.", _connected_players(house)),
            ("tables", "Tables in play.", house.running_tables),
            ("tasks", "Tasks of the event loop.", len(asyncio.all_tasks())),
            ("outbox_bytes", "Bytes waiting to be sent.", _outbox_bytes(house)),
            ("event_loop_lag_seconds", "Maximum event loop lag over the last 10 s.", self.lag),
        ):
            yield GaugeMetricFamily(f"pokerd_{name}", text, value)
        if self.broker_link is not None:
            yield GaugeMetricFamily(
                "pokerd_broker_connected", "1 if connected to the broker.", self.broker_link.connected
            )
        sessions = GaugeMetricFamily("pokerd_sessions", "Sessions of the competition.", labels=["state"])
        for state, count in self._sessions().items():
            sessions.add_metric([state], count)
        yield sessions

    def _sessions(self) -> Mapping[str, int]:
        if self._runner is None:
            return {}
        progress = self._runner.progress
        done, running = len(progress.results), self._runner.running
        waiting = len(self._runner.competition.sessions) - done - running
        return {"waiting": waiting, "running": running, "done": done}


def _connected_players(house: House) -> int:
    return sum(player.connection is not None for player in house.players.values())


def _outbox_bytes(house: House) -> int:
    return sum(connection.wire.unsent_bytes() for connection in house.connections if connection.open)


def _store_problem(runner: Runner | None) -> str:
    failure = None if runner is None else runner.failure
    return "" if failure is None else f"cannot be written: {failure}"


def _disk_problem(folder: Path) -> str:
    """Write a page to disk in ``folder`` and return what went wrong."""
    try:
        with tempfile.TemporaryFile(dir=folder, prefix=".health-") as file:
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        return f"cannot be written to: {error.strerror}"
    return ""
