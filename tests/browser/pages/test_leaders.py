"""The lists of leaders and of how everybody plays, on the pages of people's results and of a bot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.site import Site

LEADERS = [
    {"name": "Ann", "hands": 1200, "bb100": {"mean": 9.5, "low": 2.25, "high": 16.75}, "own": False},
    {"name": "<b>Bob</b>", "hands": 150, "bb100": {"mean": 80.0, "low": -12.5, "high": 172.5}, "own": True},
]

DAYS = [{"name": "Ann", "days": 12, "won": 9, "bb100": LEADERS[0]["bb100"], "own": False}]


def leaders_of(season: str, leaders: Sequence[object] = (), days: Sequence[object] = ()) -> dict[str, object]:
    """What the API answers."""
    return {"season": season, "least": 100, "leaders": leaders, "least_days": 5, "day_leaders": days}


STYLE = {
    "hands": 1200, "decided": 1000, "entered": 240, "raised": 180, "faced": 100, "reraised": 7, "flops": 300,
    "bets": 80, "calls": 60, "folds": 60, "showdowns": 0, "won": 0, "vpip": 0.24, "pfr": 0.18,
    "three_bet": 0.07, "aggression": 0.4, "went_to_showdown": 0.0, "won_at_showdown": None,
}  # fmt: skip
PLAYERS = [
    {"name": name, "bot": bot, "own": own, "bb100": {"mean": 9.5, "low": low, "high": high}, "style": STYLE,
     "positions": []}
    for name, bot, own, low, high in [
        ("fair-1", True, False, 2.25, 16.75), ("<b>Bob</b>", False, True, None, None),
        ("akuma", True, False, -1.0, 20.0),
    ]
]  # fmt: skip


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
    rows = page.get_by_role("region", name="Bots and people").get_by_role("table").get_by_role("row")
    expect(rows).to_have_count(4)
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
