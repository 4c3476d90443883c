"""Programs that tests start: real processes whose words can be waited for."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sys.executable
#: Seconds after which something that must happen is given up, also on a machine with much else to do.
PATIENCE = 60.0


def environment(**more: str) -> dict[str, str]:
    """Ours, without anything that tells a bot where to go."""
    told = ("URL", "TOKEN", "NAME", "TABLES", "MANAGED", "CA_FILE", "DATABASE", "MQTT")
    ours = {f"POKERD_{name}" for name in told}
    return {**{name: value for name, value in os.environ.items() if name not in ours}, **more}


def outcome(
    *command: str | Path, cwd: Path = ROOT, variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end: exit code, output and errors."""
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env=environment(**(variables or {})),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def eventually(what: Callable[[], object]) -> None:
    """Wait until something is so, looking every few milliseconds; less often if to look takes as long."""
    clock, waited = threading.Event(), 0.0
    while waited < PATIENCE:
        begun = time.monotonic()
        if what():
            return
        pause = min(max(0.01, 10 * (time.monotonic() - begun)), 0.2)
        clock.wait(pause)
        waited += pause
    raise AssertionError(f"this did not come true in {PATIENCE} s")


class Program:
    """A running program. What it prints is in ``lines``; it does not outlive the ``with`` block."""

    def __init__(
        self, *command: str | Path, cwd: Path = ROOT, variables: Mapping[str, str] | None = None
    ) -> None:
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._ended = False
        self.process = subprocess.Popen(
            [str(word) for word in command],
            cwd=cwd,
            env=environment(PYTHONUNBUFFERED="1", **(variables or {})),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as output:
            for line in output:
                with self._news:
                    self.lines.append(line.removesuffix("\n"))
                    self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def says(self, pattern: str, times: int = 1) -> re.Match[str]:
        """Wait until so many lines have matched; the last of these."""

        found: list[re.Match[str]] = []
        seen = 0

        def enough() -> bool:
            nonlocal seen
            found.extend(self.said(pattern, seen))
            seen = len(self.lines)
            return self._ended or len(found) >= times

        with self._news:
            self._news.wait_for(enough, PATIENCE)
        assert len(found) >= times, f"{pattern!r} not {times} times in:\n" + "\n".join(self.lines)
        return found[times - 1]

    def said(self, pattern: str, after: int = 0) -> list[re.Match[str]]:
        """The lines so far that match, but for so many of the first."""
        return [match for line in self.lines[after:] if (match := re.search(pattern, line))]

    def end(self) -> int:
        """Wait for it to end by itself; its exit code."""
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        """Signal it and wait; its exit code."""
        self.process.send_signal(number)
        return self.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.end()
        if error is not None:
            said = "\n".join(["", *self.lines[-50:]])
            error.add_note(f"{self.process.args!r} ended with {self.process.returncode}:{said}")


def quick_compiler(folder: Path, name: str, *more: str) -> Path:
    """A compiler without the optimising that takes most of its time: what it makes does the same. ``more``:
    options that it always gets.
    """
    script = folder / name
    script.write_text(f'#!/bin/sh\nexec {shutil.which(name)} "$@" -O0 -g0 {" ".join(more)}\n')
    script.chmod(0o755)
    return script
