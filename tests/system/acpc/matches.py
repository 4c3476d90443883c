"""Matches as their users run them: the dealer and every player a process of its own, over TCP."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.programs import PYTHON, ROOT, environment

PATIENCE = 60.0


class Dealer:
    """A running ``pokerd dealer`` in ``directory``; ``ports`` are those it printed."""

    def __init__(self, directory: Path, *arguments: str | int) -> None:
        self.directory = directory
        self.name = next(word for word in map(str, arguments) if not word.startswith("-"))
        command = [PYTHON, "-m", "pokerd", "dealer", *map(str, arguments), "--host", "127.0.0.1"]
        with self.transcript_path.open("ab") as errors:
            self.process = subprocess.Popen(
                command,
                cwd=directory,
                env=environment(PYTHONPATH=str(ROOT)),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert self.process.stdout is not None
        self.ports = [int(word) for word in self.process.stdout.readline().split()]

    @property
    def transcript_path(self) -> Path:
        """Where standard error goes."""
        return self.directory / f"{self.name}.err"

    @property
    def transcript(self) -> str:
        """Standard error so far."""
        return self.transcript_path.read_bytes().decode("latin-1")

    @property
    def log(self) -> str:
        """The log so far."""
        return (self.directory / f"{self.name}.log").read_text(encoding="ascii")

    def end(self) -> tuple[int, str]:
        """Wait for the end: exit code, and what was printed after the ports."""
        output, _ = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, output

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def start_player(kind: str, port: int, game: str, seen: Path | None = None) -> subprocess.Popen[bytes]:
    """A test player on its way to ``port``; what it receives goes to ``seen``."""
    command = [PYTHON, "-m", "tests.acpc.player", kind, "127.0.0.1", str(port), "--game", game]
    if seen is not None:
        command += ["--seen", str(seen)]
    return subprocess.Popen(command, cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL)
