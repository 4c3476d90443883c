"""All claims of Glöckner 2013, and their verdicts."""

from __future__ import annotations

from studies.gloeckner.actions import action_rows
from studies.gloeckner.analyses import analysis_rows
from studies.gloeckner.errata import errata_rows
from studies.gloeckner.exact import exact_rows
from studies.gloeckner.hbb6_tournament import hbb6_rows
from studies.gloeckner.plan import GloecknerResults
from studies.gloeckner.tables import table_rows
from studies.gloeckner.tournaments import tournament_rows
from studies.harness.report import Row


def all_rows(done: GloecknerResults) -> list[Row]:
    """Return the rows of the report."""
    return [
        *exact_rows(),
        *errata_rows(),
        *tournament_rows(done),
        *table_rows(done),
        *analysis_rows(done),
        *action_rows(done),
        *hbb6_rows(done.hbb6_tournament),
    ]
