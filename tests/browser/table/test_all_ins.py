"""All-ins on two boards, or divided by equity, as the page shows them."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser import scenes
from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.screenshots import by_equity, twice


def test_a_hand_that_was_run_twice_shows_two_boards_on_a_small_screen_too(visit: Visit) -> None:
    dealer = visit(twice(6), settings={"speed": "instant"})
    page = dealer.page
    first, second = (page.get_by_role("list", name=f"{which} board") for which in ("First", "Second"))
    expect(first.get_by_role("listitem")).to_have_count(5)
    expect(second.get_by_role("listitem")).to_have_count(5)
    result = page.get_by_role("list", name="Result").get_by_role("listitem")
    expect(result).to_have_text([r"1Anna wins 2,000 on the first board with a full house, sevens over jacks",
                                 r"2You win 2,000 on the second board with a full house, aces over sevens"],
                                use_inner_text=False)  # fmt: skip
    log = page.locator(".log").inner_text()
    assert "Second board:" in log
    # The cards that won on a board are marked on that board.
    assert [mark.inner_text() for mark in first.locator(".mark").all()] == ["1"] * 4
    assert [mark.inner_text() for mark in second.locator(".mark").all()] == ["2"] * 4
    assert violations(page) == []
    page.set_viewport_size({"width": 320, "height": 568})
    for board in (first, second):
        box = board.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 320


def test_the_text_view_tells_both_boards(visit: Visit) -> None:
    page = visit(twice(3), settings={"speed": "instant", "text": True}).page
    text = page.get_by_role("region", name="Table as text")
    expect(text).to_contain_text("Second board: seven of diamonds")
    expect(text).to_contain_text("Anna wins 2,000 on the first board with a full house, sevens over jacks")


def test_pots_by_equity_are_told_with_the_share(visit: Visit) -> None:
    page = visit(by_equity(6), settings={"speed": "instant"}).page
    expect(page.get_by_role("list", name="Board").get_by_role("listitem")).to_have_count(3)
    expect(page.get_by_role("list", name="Result")).to_contain_text("You win 2,880 by equity, 72 %")
    page.get_by_role("button", name="Rabbit").click()
    expect(page.get_by_role("list", name="Board").get_by_role("listitem")).to_have_count(5)


def test_who_agrees_to_run_it_twice_says_so_and_the_browser_remembers(visit: Visit) -> None:
    dealer = visit([*scenes.deal(3), scenes.seats(3, all_ins="twice")])
    page = dealer.page
    box = page.get_by_label("Run it twice")
    expect(box).not_to_be_checked()
    box.check()
    assert dealer.hears("twice") == {"type": "twice", "table": "table-1", "agree": True}
    # At the next table it is said at once, and only once.
    dealer.say(scenes.match_start(3, 1, match="table-1/2"), scenes.seats(3, all_ins="twice"))
    assert dealer.hears("twice", 2)["agree"] is True
    dealer.say(scenes.seats(3, all_ins="twice", watchers=1), scenes.seats(3, all_ins="twice", watchers=2))
    box.uncheck()
    assert dealer.hears("twice", 3)["agree"] is False
    dealer.say(scenes.seats(3))
    expect(box).to_have_count(0)
