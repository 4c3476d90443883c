"""The claims of Funke 2015, and what became of them."""

from __future__ import annotations

from studies.funke.appendices import appendix_rows
from studies.funke.complex_players import complex_rows, tried_rows, variable_rows
from studies.funke.errata import errata_rows
from studies.funke.extensions import beyond_rows
from studies.funke.illustrations import content_rows
from studies.funke.matches import match_rows
from studies.funke.plan import Done
from studies.funke.tables import adaptive_rows, simple_rows
from studies.harness.report import Row

__all__ = ["all_rows"]


def all_rows(done: Done) -> list[Row]:
    """The rows of the report."""
    parts = (
        content_rows,
        match_rows,
        simple_rows,
        adaptive_rows,
        complex_rows,
        variable_rows,
        appendix_rows,
        tried_rows,
        errata_rows,
        beyond_rows,
    )
    return [row for part in parts for row in part(done)]
