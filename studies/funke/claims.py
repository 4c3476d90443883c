"""The claims of Funke 2015, and their verdicts."""

from __future__ import annotations

from studies.funke.appendices import appendix_rows
from studies.funke.complex_players import abandoned_rows, complex_rows, elitism_row, variable_rows
from studies.funke.errata import errata_rows
from studies.funke.extensions import extension_rows
from studies.funke.illustrations import illustration_rows
from studies.funke.matches import match_rows
from studies.funke.plan import FunkeResults
from studies.funke.tables import adaptive_rows, simple_rows
from studies.harness.report import Row


def all_rows(done: FunkeResults) -> list[Row]:
    """Return the rows of the report."""
    parts = (
        illustration_rows,
        match_rows,
        simple_rows,
        adaptive_rows,
        complex_rows,
        elitism_row,
        variable_rows,
        appendix_rows,
        abandoned_rows,
        errata_rows,
        extension_rows,
    )
    return [row for part in parts for row in part(done)]
