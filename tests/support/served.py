"""``pokerd serve`` as a process that ends, and is begun again over the same directory."""

from __future__ import annotations

import signal
from pathlib import Path

from tests.support.ports import free_port
from tests.support.programs import PYTHON, Program

POKERD = (PYTHON, "-m", "pokerd")


class Place:
    """One server after the other, at the same port and over the same directory."""

    def __init__(self, data: Path, *options: str) -> None:
        self.data = data
        self._options = options
        self._ports = {"--port": free_port(), "--web-port": free_port()}
        self.begin()

    def begin(self) -> None:
        ports = [word for option, port in self._ports.items() for word in (option, str(port))]
        self.server = Program(
            *POKERD, "serve", "--data", self.data, "--results", self.data, *ports, *self._options
        )
        self.server.says(r"^pokerd listens at ws://")
        self.server.says(r"^people: http://")

    @property
    def bots(self) -> str:
        return f"ws://127.0.0.1:{self._ports['--port']}"

    @property
    def people(self) -> str:
        return f"ws://127.0.0.1:{self._ports['--web-port']}/ws"

    def end(self, way: signal.Signals) -> None:
        code = self.server.stop(way)
        assert code == (-way if way is signal.SIGKILL else 130), self.server.lines
        assert [line for line in self.server.lines if "Traceback" in line or "error" in line] == []

    def __enter__(self) -> Place:
        return self

    def __exit__(self, *_: object) -> None:
        with self.server:
            pass
