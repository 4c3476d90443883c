"""The lobby of a tournament over several tables, and its tables."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser import scenes
from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.site import Dealer, Site

PATH = "/tournament/tournament-1"


@pytest.fixture(autouse=True)
def api(site: Site) -> None:
    site.api["/api/tournaments/tournament-1"] = scenes.tournament("open")


def at_table(visit: Visit) -> Dealer:
    """The viewer sits at the second table."""
    dealer = visit(path="/table/tournament-1-2")
    dealer.table = "tournament-1-2"
    dealer.hears("hello")
    dealer.say(*scenes.deal(3))
    return dealer


def test_who_registers_waits_on_the_page_and_is_taken_to_the_table(visit: Visit, site: Site) -> None:
    dealer = visit([scenes.welcome()], path=PATH, greet=False)
    page = dealer.page
    assert violations(page) == []
    page.get_by_role("button", name="Register").click()
    assert dealer.hears("register")["tournament"] == "tournament-1"
    site.api["/api/tournaments/tournament-1"] = scenes.tournament("open", own=0)
    dealer.say({"type": "entry", "tournament": "tournament-1", "state": "registered", "table": ""})
    expect(page.get_by_text("You are registered.")).to_be_visible()
    expect(page.get_by_role("button", name="Unregister")).to_be_enabled()
    site.api["/api/tournaments/tournament-1"] = scenes.tournament(own=0)
    page.wait_for_url("**/table/tournament-1-1#sit")


def test_only_who_opened_it_can_cancel_it(visit: Visit, site: Site) -> None:
    button = "Cancel the tournament"
    expect(visit(path=PATH).page.get_by_role("button", name="Register")).to_be_visible()
    site.api["/api/tournaments/tournament-1"] = scenes.tournament("open") | {"own": True}
    dealer = visit([scenes.welcome()], path=PATH, greet=False)
    page = dealer.page
    page.get_by_text("You opened this tournament").click()
    assert violations(page) == []
    page.get_by_role("button", name=button).click()
    assert dealer.hears("cancel")["tournament"] == "tournament-1"
    site.api["/api/tournaments/tournament-1"] = scenes.tournament("cancelled") | {"own": True}
    dealer.say({"type": "entry", "tournament": "tournament-1", "state": "cancelled", "table": ""})
    expect(page.locator(".status")).to_have_text("Cancelled")
    expect(page.get_by_role("button", name=button)).to_have_count(0)


def test_a_refusal_stands_beside_the_button(visit: Visit) -> None:
    dealer = visit([scenes.welcome()], path=PATH, greet=False)
    dealer.page.get_by_role("button", name="Register").click()
    dealer.hears("register")
    dealer.say({"type": "error", "code": "no_entry", "message": "you have entered already", "table": ""})
    expect(dealer.page.get_by_role("alert")).to_have_text("You have entered already")


def test_what_is_wrong_in_the_form_is_said_in_the_language_of_the_page(visit: Visit) -> None:
    dealer = visit(path="/tournament", locale="de-DE")
    page = dealer.page
    page.get_by_text("Eröffne ein Turnier").click()
    page.locator("#name").fill("Sonntag")
    page.locator("#entrants").fill("999")
    page.locator(".announce button").click()
    expect(page.get_by_role("alert")).to_have_text("Gib eine Zahl von 2 bis 200 ein.")
    expect(page.locator("#entrants")).to_be_focused()
    assert dealer.said("hello") == []


def test_the_clock_the_tables_and_the_players_are_seen(visit: Visit, site: Site) -> None:
    site.api["/api/tournaments/tournament-1"] = scenes.tournament(own=0)
    page = visit(path=PATH).page
    clock = page.locator(".clock")
    expect(clock).to_contain_text(re.compile(r"Level 4\s*20/40"))
    expect(clock).to_contain_text(re.compile(r"30/60 in 2:3\d"))
    expect(clock).to_contain_text("before level 9")
    expect(page.get_by_role("link", name="Watch table 2")).to_have_attribute("href", "/table/tournament-1-2")
    expect(page.get_by_role("link", name="Go to my table")).to_have_attribute(
        "href", "/table/tournament-1-1#sit"
    )
    rows = page.get_by_role("table", name="By chips").get_by_role("row")
    expect(rows.nth(1)).to_contain_text(re.compile(r"1\s*Me\s*you\s*3,500"))
    expect(rows.nth(14)).to_contain_text("14th")
    assert violations(page) == []


def test_the_page_of_a_table_follows_its_player_to_the_next_one(visit: Visit) -> None:
    dealer = at_table(visit)
    page = dealer.page
    page.locator(".pod").first.wait_for()
    moved = {"type": "entry", "tournament": "tournament-1", "state": "seated", "reason": "balance"}
    dealer.say(moved | {"table": "tournament-1-1"})
    page.wait_for_url("**/table/tournament-1-1*")
    dealer.table = "tournament-1-1"
    dealer.hears("hello", 2)
    dealer.say(scenes.welcome(), scenes.match_start(3), scenes.seats(3))
    expect(page.get_by_text("You have been moved to this table")).to_be_visible()
    assert not page.url.endswith("#balance")


def test_in_which_place_i_finish(visit: Visit) -> None:
    dealer = at_table(visit)
    page = dealer.page
    dealer.say(scenes.finished(5), {"type": "match_end", "hands": 12, "net": []})
    expect(page.get_by_role("heading", name="You finished 5th of 14: 12.5 points")).to_be_visible()
    expect(page.get_by_text("The others play on.")).to_be_visible()
    expect(page.get_by_role("link", name="Players and places")).to_have_attribute("href", PATH)
    assert violations(page) == []


def test_who_finishes_second_leaves_nobody_to_play_on(visit: Visit) -> None:
    dealer = at_table(visit)
    dealer.say(scenes.finished(2), {"type": "match_end", "hands": 12, "net": []})
    expect(dealer.page.get_by_role("heading", name="You finished 2nd of 14")).to_be_visible()
    expect(dealer.page.get_by_text("The others play on.")).to_have_count(0)
