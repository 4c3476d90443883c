"""Schemas of databases, and their migrations."""

from __future__ import annotations

import re
from typing import LiteralString, NamedTuple


class Schema(NamedTuple):
    """A kind of database: a ``description``, the ``application_id`` by which we recognise it, and the
    ``migrations`` from each version to the next. A step is never changed; new ones are appended.
    """

    description: str
    application_id: int
    migrations: tuple[LiteralString, ...]

    @property
    def tables(self) -> list[str]:
        """Return the tables of the latest version."""
        return re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?([\w.]+)", ";".join(self.migrations))

    def newer_text(self, where: str, version: int) -> str:
        """Return the error message about a database of a later version."""
        return f"{where} has schema {version}; this pokerd knows those up to {len(self.migrations)}"
