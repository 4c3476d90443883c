"""A straddle, as the page shows it."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser import scenes
from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.site import menu


def test_the_straddler_has_a_badge_and_is_named_in_the_log(visit: Visit) -> None:
    page = visit(scenes.straddled()).page
    expect(page.get_by_title("straddle", exact=True)).to_have_count(1)
    expect(page.locator(".log")).to_contain_text("Vera straddles for 40")
    assert violations(page) == []
    # On a phone the badge is not under the chips.
    page.set_viewport_size({"width": 390, "height": 844})
    badge, bet = (
        page.locator(".seat", has=page.get_by_title("straddle", exact=True)).locator(one).bounding_box()
        for one in (".blind", ".bet")
    )
    assert badge is not None
    assert bet is not None
    assert badge["x"] + badge["width"] <= bet["x"] or badge["y"] + badge["height"] <= bet["y"]

    menu(page, "Settings").click()
    page.get_by_label("Amounts in big blinds").check()
    expect(page.locator(".log")).to_contain_text("Vera straddles for 2 BB")
