"""The hands of a day in the lobby and on their page, and links for friends; the test plays the dealer."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import scenes
from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.pages.answers import DAY, WELCOME, day, ended
from tests.browser.site import Site

PAST = "2025-11-25"


@pytest.fixture(autouse=True)
def no_tables(site: Site) -> None:
    site.api["/api/tables"] = {"tables": []}


def own(**more: Any) -> dict[str, Any]:
    return {"challenge": "table-5.8", "table": "", "net": 125, "worse": 3, "others": 5} | more


def is_narrow_enough(page: Page) -> bool:
    page.set_viewport_size({"width": 320, "height": 640})
    return bool(page.evaluate("document.documentElement.scrollWidth") <= 320)


def test_one_press_in_the_lobby_plays_today_s_hands(visit: Visit, site: Site) -> None:
    site.api["/api/days/today"] = day()
    dealer = visit([scenes.welcome()], path="/", greet=False, settings={"name": "", "speed": "normal"})
    card = dealer.page.locator("[data-today]")
    for name in ("Hector", "Torsten", "Sigrid", "Max", "Nadia"):
        expect(card).to_contain_text(name)
    card.get_by_role("button", name="Play today's hands").press("Enter")
    # Who has no name gets one.
    assert dealer.hears("hello")["name"].startswith("Guest")
    wish = dealer.hears("create")
    assert (wish["deals"], wish["pause_ms"]) == ("today", 2000)
    assert wish.keys() == {"type", "deals", "pause_ms"}
    dealer.say({"type": "created", "table": "table-9"})
    dealer.page.wait_for_url("**/table/table-9#sit")


def test_a_refusal_stands_in_the_card(visit: Visit, site: Site) -> None:
    site.api["/api/days/today"] = day()
    dealer = visit([scenes.welcome()], path="/", greet=False)
    card = dealer.page.locator("[data-today]")
    card.get_by_role("button", name="Play").click()
    dealer.hears("create")
    dealer.say({"type": "error", "code": "server_full", "message": "at most 50 tables"})
    expect(card.get_by_role("alert")).not_to_be_empty()
    assert violations(dealer.page) == []
    assert is_narrow_enough(dealer.page)


@pytest.mark.parametrize(
    ("mine", "href"),
    [
        (own(), f"/challenge/{DAY}"),
        (own(net=None), f"/challenge/{DAY}"),
        (own(net=None, table="table-5"), "/table/table-5#sit"),
    ],
    ids=["finished", "broken off", "going on"],
)
def test_the_lobby_knows_my_try(visit: Visit, site: Site, mine: dict[str, Any], href: str) -> None:
    site.api["/api/days/today"] = day(own=mine, streak=4)
    page = visit(path="/").page
    card = page.locator("[data-today]")
    expect(card.locator("a.main")).to_have_attribute("href", href)
    expect(card.get_by_role("button")).to_have_count(0)
    if mine["net"] is not None:
        expect(card).to_contain_text("+12.5")
        expect(card).to_contain_text("3 of 5")
        expect(card).to_contain_text("4 days")


def test_my_result_of_today(visit: Visit, site: Site) -> None:
    mean = {"mean": -2.5, "low": -9.25, "high": 4.25}
    site.api[f"/api/days/{DAY}"] = day(own=own(), players=12, mean=mean, streak=2, replay="table-5.8")
    site.api["/api/challenges/table-5.8"] = ended(20, deals=DAY, rival="sartre-6", rival_run="")
    page = visit(path=f"/challenge/{DAY}").page
    expect(page.locator(".score-line")).to_contain_text("+12.5")
    expect(page.get_by_text("12 players")).to_be_visible()
    rows = page.get_by_role("region", name="Big blinds won").locator("tbody tr")
    expect(rows).to_have_count(20)
    # The rival's hands are not to be seen before the day is over.
    expect(rows.get_by_role("link")).to_have_count(20)
    expect(page.locator(".squares i")).to_have_count(20)
    expect(page.get_by_role("button", name="Practise")).to_be_visible()
    page.get_by_text("The text").press("Enter")
    expect(page.get_by_label("The text to paste")).to_contain_text(f"/challenge/{DAY}")
    assert violations(page) == []
    assert is_narrow_enough(page)


def test_yesterday_s_hands_are_open_to_everybody(visit: Visit, site: Site) -> None:
    when = {"day": PAST, "ends_at": 1_764_115_200_000, "published_at": 1_764_118_800_000}
    over = {**when, "published": True, "seed": "cd" * 32, "players": 1, "replay": "table-5.8"}
    site.api[f"/api/days/{PAST}"] = day(**over, mean={"mean": 1.0, "low": None, "high": None})
    site.api["/api/challenges/table-5.8"] = ended(20, deals=PAST, rival="sartre-6")
    page = visit(path=f"/challenge/{PAST}").page
    expect(page.get_by_role("heading", level=1)).to_contain_text("25 November 2025")
    rows = page.get_by_role("region", name="Big blinds won").locator("tbody tr")
    expect(rows.get_by_role("link")).to_have_count(40)
    expect(page.get_by_text("cd" * 32)).to_be_visible()
    expect(page.get_by_role("button", name="Play")).to_have_count(0)
    expect(page.get_by_role("link", name="The day before")).to_have_attribute("href", "/challenge/2025-11-24")
    assert violations(page) == []


def test_the_first_try_is_shown_on_the_page_of_the_day_and_practice_is_not(visit: Visit, site: Site) -> None:
    site.api[f"/api/days/{DAY}"] = day(own=own(), players=1, replay="table-5.8")
    first = ended(20, deals=DAY, rival_run="") | {"own": True, "counts": True}
    site.api["/api/challenges/table-5.8"] = first
    page = visit(path="/challenge/table-5.8").page
    page.wait_for_url(f"**/challenge/{DAY}")
    site.api["/api/challenges/table-6.9"] = first | {"counts": False}
    page.goto(f"{site.url}/challenge/table-6.9")
    expect(page.get_by_text("practice")).to_be_visible()
    expect(page.get_by_role("link", name="Hands of")).to_have_attribute("href", f"/challenge/{DAY}")


def test_a_link_is_copied_and_results_stand_side_by_side(visit: Visit, site: Site) -> None:
    link = "table-5.8.AAAAAAAAAAAAAAAAAAAAAA"
    friends = [
        {"challenge": "table-7.10", "player": "bob", "nets": [10] * 40},
        {"challenge": "table-8.11", "player": "<i>cleo", "nets": [-20] * 3},
    ]
    answer = ended() | {"own": True, "counts": True, "link": link, "friends": friends}
    site.api["/api/challenges/table-5.8"] = answer
    page = visit(path="/challenge/table-5.8", permissions=["clipboard-read", "clipboard-write"]).page
    page.get_by_role("button", name="Copy link").press("Enter")
    expect(page.get_by_role("status").get_by_text("Copied")).to_be_visible()
    address = f"{site.url}/challenge?friend={link}"
    assert page.evaluate("navigator.clipboard.readText()") == address
    expect(page.get_by_label("Link for friends")).to_have_value(address)
    totals = page.locator(".totals tbody tr")
    expect(totals.filter(has_text="bob")).to_contain_text("+400")
    expect(totals.filter(has_text="<i>cleo")).to_contain_text("60")
    hands = page.get_by_role("region", name="Chips won or lost in each hand").locator("tbody tr")
    expect(hands.first.get_by_role("link")).to_have_count(4)
    expect(hands.last.get_by_role("link")).to_have_count(3)
    assert violations(page) == []
    assert is_narrow_enough(page)


def test_a_friend_plays_what_the_link_leads_to(visit: Visit, site: Site) -> None:
    site.api["/api/links/table-5.8.AA"] = {
        "player": "<i>ann",
        "rival": "fair-4",
        "opponents": ["call-1", "fair-2", "call-3"],
        "game": "no-limit hold'em 5/10",
        "hands": 40,
        "until": 1_790_000_000_000,
        "left": 3,
    }
    path = "/challenge?friend=table-5.8.AA"
    dealer = visit([WELCOME], path=path, greet=False, settings={"name": "bob", "speed": "instant"})
    page = dealer.page
    expect(page.get_by_role("heading", level=1)).to_contain_text("<i>ann")
    assert violations(page) == []
    page.get_by_role("button", name="Play").press("Enter")
    wish = dealer.hears("create")
    assert (wish["deals"], wish["pause_ms"]) == ("table-5.8.AA", 0)
    dealer.say({"type": "error", "code": "bad_table", "field": "deals", "message": "deals: it has expired"})
    expect(page.get_by_role("alert")).not_to_be_empty()
    assert is_narrow_enough(page)


def test_a_link_that_leads_nowhere_says_so(visit: Visit, site: Site, faults: list[str]) -> None:
    page = visit(path="/challenge?friend=table-5.8.BB").page
    expect(page.get_by_role("status")).to_contain_text("There is nothing here")
    while not faults:
        page.evaluate("() => null")
    assert all("404" in fault for fault in faults)
    faults.clear()
    assert violations(page) == []
