"""The port for bots does not sleep between frames that come fast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from server.net import gateway


class Machine:
    """A time that passes only when told, and a loop whose turns take 10 us."""

    def __init__(self) -> None:
        self.now = 100.0
        self.turns = 0
        self._soon: list[Callable[[], None]] = []

    def monotonic(self) -> float:
        return self.now

    def call_soon(self, callback: Callable[[], None]) -> None:
        self._soon.append(callback)

    def run(self, seconds: float) -> None:
        """Turn the loop until it would sleep, for so many seconds at most."""
        end = self.now + seconds
        while self._soon and self.now < end:
            self.now += 10e-6
            self.turns += 1
            self._soon.pop()()
        self.now = max(self.now, end)


@pytest.mark.parametrize(
    ("pauses", "turns"),
    [
        ([50e-6] * 10, 5 * 9),  # the first frame does not know of a second
        ([150e-6] * 10, 15 * 9),
        ([250e-6] * 10, 0),
        ([1.0] * 10, 0),
        ([50e-6, 3600.0], 20),  # frames stop
    ],
)
def test_the_loop_stays_awake_between_fast_frames_alone(
    pauses: list[float], turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = Machine()
    monkeypatch.setattr(gateway, "time", machine)
    monkeypatch.setattr(gateway, "BUSY_WAIT", 200e-6)
    waiting = gateway._BusyWait(cast("Any", machine))
    machine.run(1.0)
    for pause in pauses:
        waiting.on_frame()
        machine.run(pause)
    assert machine.turns == pytest.approx(turns, abs=9)
