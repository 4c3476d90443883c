"""The list of leaders on the page of people's results."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.site import Site

LEADERS = [
    {"name": "Ann", "hands": 1200, "bb100": {"mean": 9.5, "low": 2.25, "high": 16.75}, "own": False},
    {"name": "<b>Bob</b>", "hands": 150, "bb100": {"mean": 80.0, "low": -12.5, "high": 172.5}, "own": True},
]


def test_the_leaders_of_a_month(visit: Visit, site: Site) -> None:
    site.api["/api/people"] = {"groups": []}
    site.api["/api/leaders"] = {"season": "2026-11", "least": 100, "leaders": LEADERS}
    page = visit(path="/people", greet=False).page
    rows = page.get_by_role("region", name=re.compile("Leaders of")).get_by_role("row")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_have_text(re.compile(r"1\s*Ann\s*1,200\s*9\.5\s*2\.3 . 16\.8"))
    expect(rows.nth(2)).to_contain_text("<b>Bob</b> (you)")
    assert violations(page) == []
    site.api["/api/leaders"] = {"season": "2026-10", "least": 100, "leaders": []}
    page.get_by_label("Month").select_option(index=1)
    expect(page.get_by_text("Nobody has played 100 hands")).to_be_visible()
