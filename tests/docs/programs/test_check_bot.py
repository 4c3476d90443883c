"""``check-bot`` refers to headings that exist, and its page names what it prints."""

from __future__ import annotations

import re

import pytest

from server.check.acpc.checks import ACPC_CHECKS
from server.check.acpc.scenarios import ACPC_QUICK
from server.check.checks import CHECKS
from server.check.model import Check
from server.check.report import report_data
from server.check.scenarios import QUICK, SCENARIOS
from server.check.suite import check_acpc
from tests.docs.pages import CHECK_BOT, ROOT, anchors, code, rows, section


@pytest.mark.parametrize("check", [*CHECKS, *ACPC_CHECKS], ids=lambda check: check.id)
def test_a_check_refers_to_a_heading(check: Check) -> None:
    page, _, anchor = check.section.partition("#")
    assert anchor in anchors(ROOT / page)


async def test_the_fields_of_the_outcome_are_told() -> None:
    report = await check_acpc(["{python}", "-c", "raise SystemExit(1)"], seconds=1.0)
    data = report_data(report, verbose=True)
    told = set(code(section(CHECK_BOT, "## The outcome")))
    assert set(re.findall(r'"([a-z_]+)": ', data)) - {"event", "code", "game"} <= told


def test_the_exit_codes_are_told() -> None:
    told = {cells[0] for cells in rows(section(CHECK_BOT, "## The outcome"))}
    assert {"0", "1", "2", "3", "130"} <= told


def test_what_quick_leaves_out_is_told() -> None:
    told = set(code(section(CHECK_BOT, "## How long it takes")))
    assert {scenario.id for scenario in SCENARIOS if scenario.id not in QUICK} | ACPC_QUICK <= told
    assert not told & (QUICK - ACPC_QUICK)
