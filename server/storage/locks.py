"""Files and directories that only one process may use at a time."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


def open_locked(path: Path, in_use: Exception | None, flags: int = os.O_RDONLY, mode: int = 0o600) -> int:
    """Open a file or directory and lock it until the descriptor is closed or this process ends.

    Raises ``in_use`` if another process holds the lock; if that is None, waits for it. Raises ``OSError``.
    """
    descriptor = os.open(path, flags, mode)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX if in_use is None else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise (in_use or error) from None
    return descriptor
