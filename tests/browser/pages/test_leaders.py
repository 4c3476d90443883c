"""The lists of leaders and of how everybody plays, on the pages of people's results and of a bot."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.pages.answers import DAYS, LEADERS, PLAYERS, leaders_of
from tests.browser.site import Site


def test_the_leaders_of_a_month(visit: Visit, site: Site) -> None:
    site.api["/api/people"] = {"groups": []}
    site.api["/api/leaders"] = leaders_of("2026-11", LEADERS, DAYS)
    page = visit(path="/people", greet=False).page
    rows = page.get_by_role("region", name=re.compile("Leaders of")).get_by_role("row")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_have_text(re.compile(r"1\s*Ann\s*1,200\s*9\.5\s*2\.3 . 16\.8"))
    expect(rows.nth(2)).to_contain_text("<b>Bob</b> (you)")
    days = page.get_by_role("region", name=re.compile("Days of")).get_by_role("row")
    expect(days.nth(1)).to_have_text(re.compile(r"1\s*Ann\s*12\s*9\s*9\.5\s*2\.3 . 16\.8"))
    assert violations(page) == []
    site.api["/api/leaders"] = leaders_of("2026-10")
    page.get_by_label("Month").select_option(index=1)
    expect(page.get_by_text("Nobody has played 100 hands")).to_be_visible()
    expect(page.get_by_text("Nobody has played 5 days")).to_be_visible()
    # Against one bot, and those of a level.
    site.api["/api/leaders"] = leaders_of("2026-10", LEADERS[:1])
    for against, bots in (("fair", ["fair"]), ("easy", ["random", "raise", "call"])):
        with page.expect_request("**/api/leaders?*") as asked:
            page.get_by_label("Against").select_option(value=against)
        query = parse_qs(urlsplit(asked.value.url).query)
        assert (len(query["season"]), set(query["bot"])) == (1, set(bots))
        expect(rows).to_have_count(2)
    assert violations(page) == []


def test_how_everybody_plays(visit: Visit, site: Site) -> None:
    site.api["/api/people"] = {"groups": []}
    site.api["/api/leaders"] = leaders_of("2026-11")
    site.api["/api/players"] = {"players": PLAYERS}
    page = visit(path="/people", greet=False).page
    region = page.get_by_role("region", name="Bots and people")
    rows = region.get_by_role("table").get_by_role("row")
    expect(rows).to_have_count(4)
    # On a desk it has room, also after few hands, whose ranges are wide.
    assert region.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    figures = r"1,200\s*9\.5\s*{}\s*24\.0.%\s*18\.0.%\s*7\.0.%\s*40\.0.%\s*0\.0.%\s*\u2013"
    expect(rows.nth(1)).to_have_text(re.compile(r"fair-1\s*" + figures.format(r"2\.3 . 16\.8")))
    expect(rows.nth(2)).to_have_text(re.compile(r"<b>Bob</b> \(you\)\s*" + figures.format(r"\u2013")))
    assert violations(page) == []
    # Who has the name of a program without a number is no bot of the house.
    site.api["/api/tables"] = {"tables": []}
    page = visit(path="/bots/fair", greet=False).page
    region = page.get_by_role("region", name="At the tables here")
    expect(region.get_by_role("row")).to_have_count(2)
    assert violations(page) == []


def test_on_a_phone_the_link_to_this_page_is_in_sight(visit: Visit, site: Site) -> None:
    site.api["/api/people"] = {"groups": []}
    site.api["/api/leaders"] = leaders_of("2026-11")
    page = visit(path="/people", viewport={"width": 320, "height": 640}).page
    here = page.get_by_role("link", name="People", exact=True)
    expect(here).to_have_attribute("aria-current", "page")
    expect(here).to_be_in_viewport(ratio=1)
