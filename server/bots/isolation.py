"""Namespaces for programs of strangers, made by bubblewrap (``bwrap``, bwrap(1)).

Such a program has processes, network, IPC and mounts of its own: it sees the paths that it may read, and its
own folder, which is in memory and of limited size. It reaches nobody but the server, which listens for it
*inside*: the launcher makes the socket there and hands it out (``server.bots.seat_relay``). When it ends, so
does everything that it started.

Root needs no user namespace, and gives each program a user of its own, because the kernel counts no processes
of root. Others need a user namespace; in it, the kernel counts the program's processes alone.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from server.bots import launcher

#: Users without a name or an account; systemd reserves the same ones for programs that come and go.
FIRST_USER: Final = 61184
USERS: Final = 4336
#: Processes of bubblewrap itself: the one that waits outside, and the first one inside.
OVERHEAD: Final = 2
#: Devices inside; there is no other, nor a terminal, nor ``/dev/shm``.
DEVICES: Final = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
#: Seconds for a trial, which takes a tenth of one.
_TRIAL_TIMEOUT: Final = 20.0

_numbers: Final = itertools.count(os.getpid())


class Bubblewrap(NamedTuple):
    """How bubblewrap works here: its program, and whether it makes a user namespace."""

    program: str
    user_namespace: bool

    def command(
        self,
        read: Sequence[str],
        links: Sequence[tuple[str, str]],
        write: Sequence[str],
        folder: str,
        start: str,
    ) -> list[str]:
        """Return the words before the launcher's command: what may be read, links as target and place, what
        may be written, the folder to be mounted, and the directory to start in.
        """
        words = [self.program, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
        words += ["--unshare-cgroup-try", "--hostname", "pokerd", "--die-with-parent"]
        if self.user_namespace:  # the launcher mounts the folder, and then drops this
            words += ["--unshare-user", "--cap-add", "CAP_SYS_ADMIN"]
        # Folders before what is in them, which would be hidden otherwise. Made unasked, they would be root's.
        inside = {parent for path in (*read, *write, folder, f"{start}/x") for parent in Path(path).parents}
        for parent in sorted(map(str, inside)):
            words += ["--perms", "0755", "--dir", parent]
        for path in sorted(read):
            if path not in DEVICES:
                words += ["--ro-bind-try", path, path]
        for target, place in links:
            words += ["--symlink", target, place]
        for path in DEVICES:
            words += ["--dev-bind-try", path, path]
        for path in sorted((*(path for path in write if path not in DEVICES), folder)):
            words += ["--bind", path, path]
        return [*words, "--remount-ro", "/", "--chdir", start, "--"]

    def next_user(self) -> int | None:
        """Return the user of the next program; None: the server's, in a user namespace."""
        return None if self.user_namespace else FIRST_USER + next(_numbers) % USERS


def links_among(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Return the symbolic links among these paths, as target and place: ``/lib`` may be one."""
    for name in names:
        if Path(name).is_symlink():
            yield str(Path(name).readlink()), name


@functools.cache
def find_bubblewrap() -> tuple[Bubblewrap | None, str]:
    """Return how bubblewrap works here, or None and why it does not: found by trial, once."""
    program = shutil.which("bwrap")
    if program is None:
        return None, "bubblewrap (bwrap) is not installed"
    reason = ""
    for user_namespace in _ways():
        found = Bubblewrap(program, user_namespace)
        reason = _try(found)
        if not reason:
            return found, ""
    return None, f"bubblewrap does not work here: {reason}"


def _ways() -> list[bool]:
    """Return whether to make a user namespace: root needs none; others need one, and the root of a container
    who is nobody special outside may. In none does the kernel count the processes of the machine's own root.
    """
    root = os.geteuid() == 0
    try:
        mapped = Path("/proc/self/uid_map").read_text().split()
    except OSError:
        mapped = []
    return [*([False] if root else []), *([True] if not root or mapped[1:2] not in ([], ["0"]) else [])]


def _try(found: Bubblewrap) -> str:
    """Start a program that does nothing as a bot would be started. Return why that failed, or ""."""
    with tempfile.TemporaryDirectory(prefix="pokerd-bot-") as folder:
        own = {"folder": folder, "megabytes": 1, "entries": 16, "user": found.next_user(), "port": 1024}
        spec = Path(folder, ".confinement")
        spec.write_text(
            json.dumps({"limits": {}, "read": None, "write": [], "list": [], "port": None, "isolated": own})
        )
        words = (sys.executable, "-I", "-S", launcher.__file__, "-1", str(spec), "true")
        try:
            done = subprocess.run(  # noqa: S603 (our own words)
                [*found.command(["/"], (), (), folder, "/"), *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TRIAL_TIMEOUT,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        return "" if done.returncode == 0 else done.stderr.decode(errors="replace").strip() or "it failed"
