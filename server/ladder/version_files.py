"""What is kept on disk of the versions that were pushed."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from server.bots.outputs import end_of_output
from server.ladder.config import Deadline
from server.ladder.grading import names_that_count
from server.ladder.matches import match_directory
from server.ladder.records import Version
from server.ladder.store import LadderStore

#: How much of what a bot printed its author can read, in bytes.
_LOG_BYTES: Final = 16_384


class VersionFiles:
    """The files of the versions of a ladder in ``folder``: ``programs/HASH`` has those of a version. Of each
    author the newest ``most`` versions keep theirs, besides the one that plays and those that count at one of
    the ``deadlines``.
    """

    def __init__(
        self, folder: Path, programs: Path, store: LadderStore, most: int, deadlines: Sequence[Deadline]
    ) -> None:
        self.folder = folder
        self.programs = programs
        self._store = store
        self._most = most
        self._deadlines = deadlines

    def program(self, hashed: str) -> Path:
        """Return the folder of a version's files."""
        return self.programs / hashed

    def check_log(self, version: Version) -> Path:
        """Return the file with what check-bot found in a version, for its author."""
        return self.folder / "checks" / f"{version.name}.txt"

    def write_check_log(self, version: Version, text: str) -> None:
        """Store what check-bot found in a version."""
        path = self.check_log(version)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")

    def log_text(self, version: Version) -> str:
        """Return what check-bot found in a version, and what it printed in its last match."""
        parts = []
        path = self.check_log(version)
        if path.is_file():
            parts.append(path.read_text(encoding="utf-8", errors="replace"))
        for match in reversed(self._store.matches_of(version.bot, last=20)):
            logs = match_directory(self.folder, match.number) / "logs" / "bots"
            files = sorted(logs.glob(f"*.{version.name}.log")) if version.name in match.line_up else []
            if files:
                parts += [
                    f"match {match.number}, {file.name}:\n{end_of_output(file, _LOG_BYTES)}" for file in files
                ]
                break
        return "\n".join(parts) or "nothing was printed yet"

    def remove_old(self, bot: str) -> None:
        """Remove what is kept of versions of a bot that are not needed any more."""
        old = self._old(self._store.versions(bot))
        if old:
            for hashed in {one.hash for one in old} - self._hashes_to_keep():
                shutil.rmtree(self.program(hashed), ignore_errors=True)
            for version in old:
                self.check_log(version).unlink(missing_ok=True)
            self._store.remove_sums([version.name for version in old])

    def remove_program(self, hashed: str) -> None:
        """Remove the files of a program unless a version needs them."""
        if hashed not in self._hashes_to_keep():
            shutil.rmtree(self.program(hashed), ignore_errors=True)

    def remove_strays(self) -> None:
        """Remove all files that no version needs, and what an interrupted upload has left."""
        keep = self._hashes_to_keep()
        for path in self.programs.glob("*"):
            if path.name not in keep:
                shutil.rmtree(path, ignore_errors=True)

    def _old(self, versions: Sequence[Version]) -> list[Version]:
        """Return which of a bot's versions are not needed any more."""
        counting = names_that_count(versions, self._deadlines)
        return [
            one
            for one in versions[: -self._most]
            if one.state in ("refused", "replaced") and one.name not in counting
        ]

    def _hashes_to_keep(self) -> set[str]:
        by_bot: dict[str, list[Version]] = {}
        for version in self._store.versions():
            by_bot.setdefault(version.bot, []).append(version)
        found = set()
        for versions in by_bot.values():
            old = {one.name for one in self._old(versions)}
            found |= {one.hash for one in versions if one.name not in old}
        return found
