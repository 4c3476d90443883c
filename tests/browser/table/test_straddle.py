"""A straddle, as the page shows it."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser import scenes
from tests.browser.axe import violations
from tests.browser.conftest import Visit


def test_the_straddler_has_a_badge_and_is_named_in_the_log(visit: Visit) -> None:
    page = visit(scenes.straddled()).page
    expect(page.get_by_title("straddle", exact=True)).to_have_count(1)
    expect(page.locator(".log")).to_contain_text("Vera straddles for 40")
    assert violations(page) == []
