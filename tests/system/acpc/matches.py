"""Matches as their users run them: the dealer and every player a process of its own, over TCP."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from multiprocessing.reduction import DupFd
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

from pokerd.__main__ import main
from server.acpc_dealer import dealer  # noqa: F401 (the command imports it late)
from tests.support.programs import PYTHON, ROOT, environment

PATIENCE = 60.0
_FORKED = multiprocessing.get_context("forkserver")


class Dealer:
    """A running ``pokerd dealer`` in ``directory``; ``ports`` are those it printed.

    A process of its own, forked from one that has imported what a dealer needs: to be started and to import
    takes ten times as long as most matches.
    """

    def __init__(self, directory: Path, *arguments: str | int) -> None:
        self.directory = directory
        self.name = next(word for word in map(str, arguments) if not word.startswith("-"))
        words = [*map(str, arguments), "--host", "127.0.0.1"]
        reader, writer = os.pipe()
        self._output = os.fdopen(reader)
        with self.transcript_path.open("ab") as errors:
            ends = DupFd(writer), DupFd(errors.fileno())
            self.process = _FORKED.Process(target=_deal, args=(str(directory), *ends, words))
            self.process.start()
        os.close(writer)
        self.ports = [int(word) for word in self._output.readline().split()]

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

    def end(self) -> tuple[int | None, str]:
        """Wait for the end: exit code, and what was printed after the ports."""
        self.process.join(PATIENCE)
        return self.process.exitcode, self._output.read()

    def interrupt(self) -> None:
        """Send it what Ctrl-C sends."""
        assert self.process.pid is not None
        os.kill(self.process.pid, signal.SIGINT)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.join(PATIENCE)
        self._output.close()


def _deal(directory: str, output: Any, errors: Any, words: list[str]) -> NoReturn:
    """Be ``pokerd dealer``, in a process of its own."""
    os.chdir(directory)
    for end, number in ((output, 1), (errors, 2)):
        os.dup2(end.detach(), number)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
    sys.exit(main(["dealer", *words]))


def start_player(kind: str, port: int, game: str, seen: Path | None = None) -> subprocess.Popen[bytes]:
    """A test player on its way to ``port``; what it receives goes to ``seen``."""
    command = [PYTHON, "-m", "tests.acpc.player", kind, "127.0.0.1", str(port), "--game", game]
    if seen is not None:
        command += ["--seen", str(seen)]
    return subprocess.Popen(command, cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL)
