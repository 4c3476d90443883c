"""The page of challenges: the form, and the result in all its cases; the dealer is played by the test."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.pages.answers import WELCOME, ended
from tests.browser.site import Site

HOSTILE = "<img src=x onerror=alert(1)>"


def whole(text: str) -> int:
    """A number as the page writes it."""
    return int(text.replace("\N{MINUS SIGN}", "-").replace(",", ""))


@pytest.fixture
def read(visit: Visit, site: Site) -> Any:
    def read(told: dict[str, object], **options: Any) -> Page:
        site.api["/api/challenges/table-5.8"] = told
        page = visit(path="/challenge/table-5.8", **options).page
        expect(page.get_by_role("heading", level=1)).to_contain_text("against")
        return page

    return read


def test_the_rival_and_the_opponents_have_parameters_of_their_own(visit: Visit) -> None:
    dealer = visit([WELCOME], path="/challenge", greet=False, settings={"name": "ann"})
    page = dealer.page
    page.get_by_label("Rival").select_option("shark")
    page.get_by_label("They are").select_option("fair")
    page.get_by_label("Opponents").fill("3")
    page.get_by_text("Parameters of the rival, shark").click()
    page.get_by_label("raise_at").fill("0.7")
    page.get_by_text("Parameters of the opponents, Vera").click()
    page.get_by_label("preflop").select_option("odds")
    assert violations(page) == []
    page.get_by_role("button", name="Play").click()
    asked = dealer.hears("create")
    assert asked["rival"] == {"bot": "shark", "parameters": {"raise_at": 0.7}}
    assert asked["bots"] == [{"bot": "fair", "parameters": {"preflop": "odds"}}] * 3
    detail = "shark: raise_at = 0.7: must be at least fold_below + gap"
    dealer.say({"type": "error", "code": "bad_parameters", "message": detail, "field": "rival", "table": ""})
    expect(page.locator(".field", has_text="Rival").get_by_role("alert")).to_contain_text("fold_below")
    # Another rival has other parameters, and the defaults.
    page.get_by_label("Rival").select_option("loki2")
    expect(page.get_by_text("Parameters of the rival, shark")).to_have_count(0)
    page.get_by_label("Rival").select_option("shark")
    page.get_by_text("Parameters of the rival, shark").click()
    expect(page.get_by_label("raise_at")).to_have_value("0.55")


def test_the_result_tells_parameters(read: Any) -> None:
    page = read(ended(parameters={"fair-4": {"preflop": "odds"}}))
    expect(page.get_by_text("Vera 2: preflop odds")).to_be_visible()


def test_one_click_makes_a_challenge_and_leads_to_the_seat(visit: Visit) -> None:
    dealer = visit([WELCOME], path="/challenge", greet=False, settings={"name": "ann"})
    assert violations(dealer.page) == []
    expect(dealer.page.get_by_label("Rival")).to_have_value("nolimit")
    dealer.page.get_by_role("button", name="Play").click()
    dealer.hears("hello")
    wish = dealer.hears("create")
    assert (wish["mode"], wish["rival"], wish["hands"]) == ("challenge", "nolimit", 50)
    assert (wish["bots"], wish["seats"]) == (["nolimit"], 2)
    dealer.say({"type": "created", "table": "table-5"})
    dealer.page.wait_for_url("**/table/table-5**")


def test_a_choice_stays_when_the_list_of_bots_comes_late(visit: Visit) -> None:
    page = visit([WELCOME], path="/challenge", greet=False, settings={"name": "ann"}).page
    held: list[Route] = []
    page.route("**/api/bots", lambda route: held.append(route))  # noqa: PLW0108 (playwright takes no other)
    with page.expect_request("**/api/bots"):
        page.reload()
    page.get_by_label("They are").select_option("call")
    held[0].continue_()
    expect(page.get_by_label("Rival")).to_have_value("nolimit")
    expect(page.get_by_label("They are")).to_have_value("call")


def test_every_bot_that_the_server_offers_can_be_the_rival(visit: Visit) -> None:
    dealer = visit([WELCOME], path="/challenge", greet=False, settings={"name": "ann"})
    page = dealer.page
    page.get_by_label("Rival").select_option("loki2")
    page.get_by_label("They are").select_option("shark")
    page.get_by_role("spinbutton", name="Opponents").fill("3")
    page.get_by_role("button", name="Play").click()
    wish = dealer.hears("create")
    assert (wish["rival"], wish["bots"]) == ("loki2", ["shark"] * 3)


def test_the_form_by_keyboard_and_what_the_server_does_not_like(visit: Visit) -> None:
    dealer = visit([WELCOME], path="/challenge", greet=False, settings={"name": ""})
    page = dealer.page
    page.get_by_role("button", name="Play").press("Enter")
    expect(page.get_by_role("alert")).to_have_text("Enter a name first.")
    expect(page.get_by_label("Your name")).to_be_focused()
    page.keyboard.type("ann")
    page.get_by_label("Rival").select_option("raise")
    page.get_by_label("They are").select_option("")
    page.get_by_role("spinbutton", name="Opponents").fill("3")
    page.get_by_text("Stakes and time").press("Enter")
    page.get_by_label("Small blind").fill("20")
    page.get_by_label("Your name").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("big blind, 10")
    expect(page.get_by_label("Small blind")).to_be_focused()
    assert dealer.heard == []
    page.get_by_label("Small blind").fill("10")
    page.get_by_label("Small blind").press("Enter")
    dealer.hears("hello")
    wish = dealer.hears("create")
    assert (wish["rival"], wish["bots"]) == ("raise", ["fair", "call", "raise"])
    page.get_by_text("Stakes and time").press("Enter")
    message = "decision_ms: no such time"
    dealer.say({"type": "error", "code": "bad_table", "field": "decision_ms", "message": message})
    expect(page.get_by_role("alert")).to_have_text("No such time")
    expect(page.get_by_label("Seconds to decide")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_label("Seconds to decide")).to_be_focused()
    assert violations(page) == []


def test_the_result_has_the_verdict_the_sums_and_every_hand(read: Any) -> None:
    told = ended(60, shift=200)
    page = read(told)
    result = told["result"]
    assert isinstance(result, dict)
    expect(page.locator(".verdict")).to_contain_text("ann played better")
    expect(page.locator(".totals tbody tr")).to_have_count(3)
    expect(page.locator("main .chart canvas")).to_have_count(1)
    rows = page.get_by_role("region", name="Chips won or lost in each hand").locator("tbody tr")
    expect(rows).to_have_count(60)
    first = rows.first.get_by_role("link")
    assert [link.get_attribute("href") for link in first.all()] == [
        "/hand/table-5.8.1",
        "/hand/table-5-rival.9.1",
    ]
    page.get_by_role("button", name="Difference").click()
    numbers = [whole(text) for text in page.locator(".difference").all_inner_texts()]
    assert all(one >= other for one, other in pairwise(numbers))
    expect(page.get_by_role("columnheader", name="Difference")).to_have_attribute("aria-sort", "descending")
    assert violations(page) == []


def test_it_fits_and_can_be_read(read: Any) -> None:
    told = ended(40, of=100, player=HOSTILE * 2, opponents=["call-1"] * 9)
    page = read(told, viewport={"width": 320, "height": 800}, color_scheme="dark")
    expect(page.locator(".verdict")).to_contain_text("Undecided")
    expect(page.get_by_text("first 40 of 100")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text(HOSTILE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert violations(page) == []
    page.set_viewport_size({"width": 1200, "height": 800})
    page.emulate_media(color_scheme="light")
    assert page.evaluate("document.documentElement.scrollWidth") <= 1200
    assert violations(page, contrast_only=True) == []


def test_the_form_fits_a_phone(visit: Visit) -> None:
    page = visit(path="/challenge", viewport={"width": 320, "height": 640}).page
    page.get_by_text("Stakes and time").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, summary, header a")]
          .map((one) => one.closest("label.check") ?? one)
          .filter((one) => one.getBoundingClientRect().height < 44).map((one) => one.outerHTML)"""
    )
    assert small == []
    assert violations(page) == []


def test_a_result_that_is_not_there_yet_comes_by_itself(visit: Visit, site: Site, faults: list[str]) -> None:
    page = visit(path="/challenge/table-5.8", clock=True).page
    expect(page.get_by_role("status")).not_to_be_empty()
    assert violations(page) == []
    site.api["/api/challenges/table-5.8"] = ended()
    page.clock.run_for(5_000)
    expect(page.get_by_role("heading", level=1)).to_have_text("ann against Vera 2")
    # The browser's console tells of every 404, of the last ones perhaps later.
    while len(faults) < len(site.missed):
        page.evaluate("() => null")
    assert all("404" in fault for fault in faults)
    faults.clear()
