"""The parts of a folder that bots may read: nothing private to its owner, and no data of any pokerd.

Landlock allows whole folders without exceptions. So a folder with something private in it, at any depth, is
listed by its parts, and a tree must be searched before any of it is allowed: breadth first, up to a limit,
and again when a folder has changed. What was not searched is not allowed.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Collection
from pathlib import Path
from typing import Final, NamedTuple

from server.telemetry.logger import get_logger

log = get_logger("pokerd.sandbox")

#: Files that identify the directory of a server or a competition.
SECRET_NAMES: Final = frozenset({"access.json", "cookie.secret", "deals.secret", "hands.sqlite3", "state.db"})
#: Maximum number of entries to search, and of paths allowed to a bot.
MAX_ENTRIES: Final = 20_000
MAX_PATHS: Final = 1_000
#: Permission bits of group and others to read.
_OTHERS: Final = stat.S_IRGRP | stat.S_IROTH


class _Directory(NamedTuple):
    """When a folder changed (in nanoseconds), the entries in it that may be allowed, and whether these are
    all.
    """

    changed: int
    files: tuple[str, ...]
    folders: tuple[str, ...]
    complete: bool

    @property
    def size(self) -> int:
        return 1 + len(self.files) + len(self.folders)


class ReadablePaths:
    """Searches folders. Paths in ``secret`` are never allowed, nor names in the folder ``start`` that begin
    with a dot.
    """

    def __init__(self, secret: Collection[Path], start: Path) -> None:
        self._secret = frozenset(map(str, secret))
        self._start = str(start)
        self._cache: dict[str, _Directory] = {}
        self._warned: set[str] = set()

    def paths_in(self, top: Path) -> list[str]:
        """Return the paths to allow for a folder, or for a file that is named itself; ``[top]`` if nothing is
        private.
        """
        if self.is_secret(top):
            return []
        if not top.is_dir():
            return [str(top)]
        walked = self._walk(str(top))
        whole: set[str] = set()
        parts: dict[str, list[str]] = {}
        for path, folder in reversed(walked.items()):
            if folder.complete and whole.issuperset(folder.folders):
                whole.add(path)
                continue
            paths = list(folder.files)
            for inner in folder.folders:
                paths += [inner] if inner in whole else parts.pop(inner, [])
            parts[path] = paths
        paths = [str(top)] if str(top) in whole else parts[str(top)]
        if len(paths) > MAX_PATHS:
            self._warn(str(top), "too many paths")
        return sorted(paths)[:MAX_PATHS]

    def is_secret(self, path: Path) -> bool:
        """Return whether it is, or is inside of, a path that is never allowed."""
        return any(str(one) in self._secret for one in (path, *path.parents))

    def _walk(self, top: str) -> dict[str, _Directory]:
        """Yield folders before their content, up to the limit."""
        walked: dict[str, _Directory] = {}
        waiting, left = deque([top]), MAX_ENTRIES
        while waiting:
            path = waiting.popleft()
            folder = walked[path] = self._cached_scan(path)
            left -= folder.size
            if left < 0:
                self._warn(top, "too many files")
                break
            waiting += folder.folders
        return walked

    def _cached_scan(self, path: str) -> _Directory:
        try:
            changed = os.stat(path).st_mtime_ns  # noqa: PTH116 (a path each would double the cost)
            known = self._cache.get(path)
            if known is None or known.changed != changed:
                known = self._cache[path] = self._scan(path, changed)
        except OSError:  # it is gone, or not accessible
            return _Directory(0, (), (), complete=False)
        return known

    def _scan(self, path: str, changed: int) -> _Directory:
        files, folders, whole = [], [], path != self._start
        with os.scandir(path) as entries:
            for number, entry in enumerate(entries):
                if entry.name in SECRET_NAMES or number == MAX_ENTRIES:
                    return _Directory(changed, (), (), complete=False)
                if entry.is_symlink():  # its target is allowed by itself, or not
                    continue
                if not self._is_readable(path, entry):
                    whole = False
                elif entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    files.append(entry.path)
        return _Directory(changed, tuple(sorted(files)), tuple(sorted(folders)), whole)

    def _is_readable(self, path: str, entry: os.DirEntry[str]) -> bool:
        if entry.path in self._secret or (path == self._start and entry.name.startswith(".")):
            return False
        return bool(entry.stat(follow_symlinks=False).st_mode & _OTHERS)

    def _warn(self, top: str, why: str) -> None:
        if top not in self._warned:
            self._warned.add(top)
            log.warning("bots cannot read all of a folder", folder=top, reason=why)
