"""Two tables in one window: the keyboard goes where it is one's turn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Frame, Page, expect

from tests.browser.axe import violations
from tests.browser.real import TURN, Club, Enter, club, open_table
from tests.browser.site import menu


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Club]:
    with club(tmp_path, "--bots", "call") as place:
        yield place


#: Whoever decides at one table must not run out of time at the other.
PATIENT = {"Seats": "2", "Seconds_to_decide": "600"}


def frames(page: Page) -> list[Frame]:
    """The frames of a window of several tables."""
    return page.frames[1:]


def active(page: Page) -> str:
    """The table that has the keyboard."""
    return page.locator("iframe[data-active]").get_attribute("title") or ""


def decide(page: Page) -> str:
    """Check or call where the keyboard is; return that table."""
    page.wait_for_function("() => !tablesWindow.hasJustMoved()")
    name = active(page)
    turn = page.frame_locator("iframe[data-active]").locator(TURN)
    turn.wait_for()
    number = page.frame_locator("iframe[data-active]").locator(".slots").get_attribute("data-number")
    frame = page.locator("iframe[data-active]").element_handle().content_frame()
    assert frame is not None
    page.keyboard.press("c")
    expect(frame.locator(f".slots[data-number='{number}']:has(:enabled)")).to_have_count(0)
    return name


def test_two_tables_are_played_in_one_window(enter: Enter, place: Club) -> None:
    page = enter(name="Pia")
    open_table(page, "Left", {"call": 1}, **PATIENT)
    expect(page.locator(TURN)).to_be_visible()
    menu(page, "Add a table").click()
    page.wait_for_url(re.compile(r"/tables\?at=[^&]+$"))
    expect(page.locator("iframe")).to_have_count(2)
    lobby = frames(page)[1]
    open_table(lobby, "Right", {"call": 1}, **PATIENT)
    page.wait_for_url(re.compile(r"/tables\?at=[^&]+&at=[^&]+$"))

    tabs = page.get_by_role("navigation", name="Tables").get_by_role("listitem")
    expect(tabs).to_contain_text(["Left", "Right"])
    expect(tabs.filter(has_text="your turn")).to_have_count(2)
    assert violations(page) == []
    assert [frame.locator(".seat", has_text="Pia").count() for frame in frames(page)] == [1, 1]

    # Whoever has answered at one table is asked at the other, and a key acts at one table only.
    first = active(page)
    second = {"Left": "Right", "Right": "Left"}[first]
    for asked in (first, second, first, second):
        expect(page.locator("iframe[data-active]")).to_have_attribute("title", asked)
        assert decide(page) == asked
    for frame in frames(page):
        expect(frame.locator(".log li", has_text=re.compile("You (check|call)"))).not_to_have_count(0)

    # The window comes back as it was, with both seats; narrow, it shows the table that asks.
    page.reload()
    expect(tabs.filter(has_text="your turn")).to_have_count(2)
    page.set_viewport_size({"width": 390, "height": 844})
    asked = active(page)
    expect(page.locator("iframe[data-active]")).to_be_visible()
    expect(page.locator("iframe:not([data-active])")).to_be_hidden()
    decide(page)
    other = {"Left": "Right", "Right": "Left"}[asked]
    expect(page.locator("iframe[data-active]")).to_have_attribute("title", other)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0

    # The lobby knows where I sit.
    page.goto(place.site.url)
    expect(page.locator(".own")).to_contain_text(re.compile("You sit at (Left and Right|Right and Left)"))
    page.get_by_role("link", name="Go on playing").click()
    expect(tabs.filter(has_text="your turn")).to_have_count(2)
