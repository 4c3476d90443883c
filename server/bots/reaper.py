"""A small process beside the server: when the server is gone, for whatever reason, it kills the bots that the
server had started and their descendants.

It reads lines: ``token TOKEN`` before a bot is started with that token in its environment, ``folder PATH``
for a bot's temporary folder, ``group PID`` when its process group is known, ``ended PID`` when that was
stopped. End of input is the end of the server.

python -P -S reaper.py

Nearly every one is killed before it has anything to do, so it imports what it kills with only then.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Collection, Iterable, Iterator

TYPE_CHECKING = False  # as in ``typing``, which alone would take a third of the start
if TYPE_CHECKING:
    from typing import Final

    import psutil

#: Seconds between two checks: a bot that was being started when the server died may still change.
_POLL_INTERVAL: Final = 0.3
#: Number of checks in a row that must find no process.
_QUIET_POLLS: Final = 3


def processes_with_token(tokens: Collection[str]) -> list[psutil.Process]:
    """Return all processes with one of these tokens in their environment: bots, and what they started."""
    import psutil

    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):  # it has ended, or belongs to somebody else
            if process.environ().get("POKERD_TOKEN") in tokens:
                found.append(process)
    return found


def kill_at_end(lines: Iterable[str]) -> None:
    """Wait for the end of ``lines``, then kill all bots."""
    tokens: set[str] = set()
    groups: set[int] = set()
    folders: set[str] = set()
    for line in lines:
        match line.split():
            case ["token", token]:
                tokens.add(token)
            case ["group", pid]:
                groups.add(int(pid))
            case ["ended", pid]:
                groups.discard(int(pid))
            case ["folder", *_]:
                folders.add(line[len("folder ") : -1])
    if not tokens:
        return
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    import psutil

    quiet = 0
    while quiet < _QUIET_POLLS:
        left = processes_with_token(tokens)
        for process in left:
            with contextlib.suppress(psutil.Error):
                process.kill()
        quiet = 0 if left else quiet + 1
        time.sleep(_POLL_INTERVAL)
    for folder in folders:
        remove_folder(folder)


def remove_folder(folder: str) -> None:
    """Remove a bot's folder, even if it has changed modes inside; what cannot be removed stays."""
    import shutil

    for root, _, _ in os.walk(folder):  # top-down: each is opened before it is listed
        with contextlib.suppress(OSError), os.scandir(root) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    os.chmod(entry.path, 0o700)  # noqa: PTH101 (many, and not paths yet)
    shutil.rmtree(folder, ignore_errors=True)


def _input() -> Iterator[str]:
    """Standard input; at its end, what ``-S`` left out, so that libraries are found."""
    yield from sys.stdin
    import site

    site.main()


if __name__ == "__main__":
    kill_at_end(_input())
