"""The hands of a day: played to their end from the lobby, with the server and the bots behind it."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.browser.axe import violations
from tests.browser.real import Enter, fold


def test_twenty_hands_by_the_keyboard_and_a_text_to_paste(enter: Enter, browser: Browser) -> None:
    permissions = ["clipboard-read", "clipboard-write"]
    page = enter("/", name="Ann", settings={"speed": "instant"}, permissions=permissions)
    card = page.locator("[data-today]")
    expect(card).to_contain_text("Hector, Torsten, Sigrid, Max and Nadia")
    card.get_by_role("button", name="Play today's hands").press("Enter")
    page.wait_for_url("**/table/*")
    result = page.get_by_role("link", name="Your result")
    fold(page, result)
    result.press("Enter")
    page.wait_for_url("**/challenge/2*")
    hands = page.get_by_role("region", name="Big blinds won or lost in each hand").locator("tbody tr")
    expect(hands).to_have_count(20)
    expect(hands.get_by_role("link")).to_have_count(20)
    expect(page.locator(".score-line")).to_contain_text("big blind")
    assert violations(page) == []
    page.get_by_role("button", name="Copy as text").press("Enter")
    expect(page.get_by_role("status").get_by_text("Copied")).to_be_visible()
    text = page.evaluate("navigator.clipboard.readText()").split("\n")
    assert text[-1] == page.url
    assert len("".join(text[-3:-1])) == 20
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    # His own hands can be replayed; nobody else sees them today.
    address = hands.first.get_by_role("link").get_attribute("href")
    assert address is not None
    replay = enter(address, within=page.context)
    expect(replay.locator(".you")).to_be_visible()
    other = enter(page.url[page.url.index("/challenge") :], name="Bob")
    expect(other.get_by_role("button", name="Play today's hands")).to_be_visible()
    expect(other.get_by_text("One player has finished")).to_be_visible()
    expect(other.get_by_role("heading", name="Every hand")).to_have_count(0)
    assert violations(other) == []
    # What is played again is practice.
    page.goto(page.url)
    expect(page.get_by_role("button", name="Practise")).to_be_visible()
    expect(page.get_by_role("button", name="Play today's hands")).to_have_count(0)
