"""``check-bot`` quotes the documents, and its page tells what it prints."""

from __future__ import annotations

import re

import pytest

from server.check.acpc.checks import ACPC_CHECKS
from server.check.acpc.scenarios import ACPC_QUICK
from server.check.checks import CHECKS
from server.check.model import Check
from server.check.report import report_data
from server.check.run import check_acpc
from server.check.scenarios import QUICK, SCENARIOS
from tests.docs.pages import CHECK_BOT, ROOT, code, read, rows, section
from tests.docs.test_links import anchors


def heading(check: Check) -> tuple[str, str]:
    """The page, and the line of the heading that a check names."""
    name, anchor = check.section.split("#")
    for line in read(ROOT / name).splitlines():
        if line.startswith("#") and re.sub(r"[^\w\- ]", "", line.lower()).strip().replace(" ", "-") == anchor:
            return name, line
    raise AssertionError(f"{name} has no heading {anchor}")


@pytest.mark.parametrize("check", [*CHECKS, *ACPC_CHECKS], ids=lambda check: check.id)
def test_a_check_quotes_the_document(check: Check) -> None:
    name, line = heading(check)
    assert check.section.split("#")[1] in anchors(ROOT / name)
    words = " ".join(section(ROOT / name, line).split())
    assert " ".join(check.says.split()) in words


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
    assert {scene.id for scene in SCENARIOS if scene.id not in QUICK} | ACPC_QUICK <= told
    assert not told & (QUICK - ACPC_QUICK)
