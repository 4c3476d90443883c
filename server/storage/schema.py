"""What is in a database, and how one of an earlier version becomes one of the latest."""

from __future__ import annotations

import re
from typing import LiteralString, NamedTuple

__all__ = ["Schema"]


class Schema(NamedTuple):
    """A kind of database: ``description`` in words; ``application_id``, by which it is known as ours; and the
    ``migrations`` that make each version of the one before it. A step is never changed, only added.
    """

    description: str
    application_id: int
    migrations: tuple[LiteralString, ...]

    @property
    def tables(self) -> list[str]:
        """The tables of the latest version."""
        return re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?([\w.]+)", ";".join(self.migrations))

    def newer_text(self, where: str, version: int) -> str:
        """What is said of a database that a later pokerd has changed."""
        return f"{where} has schema {version}; this pokerd knows those up to {len(self.migrations)}"
