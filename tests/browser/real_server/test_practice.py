"""A person practises against bots, and asks for hints."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.real import Club, Enter, answer, asked, fold, open_table, shove

#: Loading a strategy may take its time on a busy machine; the turn has to last.
PATIENT = {"Seconds_to_decide": "600"}
BOX = ".hints"


def practise(page: Page, bots: dict[str, int], **wishes: str) -> None:
    """Open a practice table."""
    page.get_by_text("Open a table of your own").click()
    page.get_by_label("Practice:").check()
    page.get_by_text("Open a table of your own").click()
    open_table(page, "Lesson", bots, **(PATIENT | wishes))


@pytest.mark.parametrize("width", [320, 1280])
def test_a_hint_shows_what_a_strong_bot_would_do(enter: Enter, place: Club, width: int) -> None:
    page = enter(name=f"Ann {width}", viewport={"width": width, "height": 800}, settings={"speed": "instant"})
    practise(page, {"call": 1})
    assert asked(page)
    hint = page.locator(BOX).get_by_role("button", name="Hint")
    expect(hint).to_be_enabled()
    page.keyboard.press("h")
    expect(hint).to_be_disabled()
    bars = page.locator(f"{BOX} li")
    expect(bars).not_to_have_count(0)
    shares = [int(re.findall(r"(\d+)\s%", text)[-1]) for text in bars.all_inner_texts()]
    assert 95 <= sum(shares) <= 105
    expect(page.locator(BOX)).to_contain_text("1 hint")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    # Whoever looks on sees nothing of it, and has no hints.
    watcher = enter(page.url.removeprefix(place.site.url), name=f"Ben {width}")
    expect(watcher.get_by_text(f"Ann {width}").first).to_be_visible()
    expect(watcher.locator(BOX)).to_have_count(0)
    # It goes with the turn; the count stays, also for who returns.
    answer(page, "c")
    assert asked(page)
    expect(bars).to_have_count(0)
    page.reload()
    expect(page.locator(BOX)).to_contain_text("1 hint")
    assert asked(page)
    hint.click()
    expect(page.locator(BOX)).to_contain_text("2 hints")


def test_the_same_hand_comes_again_and_does_not_count(enter: Enter) -> None:
    page = enter(name="Eve", settings={"speed": "instant"})
    practise(page, {"call": 1})
    assert asked(page)
    mine = page.locator(".seat[data-me] .hole .card")
    cards = [card.get_attribute("aria-label") for card in mine.all()]
    hand = page.locator(".title .hand").inner_text()
    again = page.get_by_role("button", name="Again: the same hand")
    again.click()
    expect(again).to_be_disabled()
    # Where a check is free the page asks before it folds.
    fold(page, page.get_by_text("You play this hand again"))
    assert asked(page)
    expect(page.locator(".title .hand")).to_have_text(hand)
    assert [card.get_attribute("aria-label") for card in mine.all()] == cards
    expect(again).to_be_enabled()
    assert violations(page) == []
    # Only the first of the two counts.
    fold(page, page.locator(".title .hand").filter(has_not_text=hand))
    assert re.search(r"in 1 hand\b", page.evaluate("JSON.parse(localStorage.getItem('pokerd')).last.text"))


def test_an_action_is_taken_back(enter: Enter) -> None:
    page = enter(name="Gus", settings={"speed": "instant"})
    practise(page, {"call": 2, "fair": 1, "loki2": 1}, Seconds_between_hands="60")
    assert asked(page)
    back = page.get_by_role("button", name="Take back")
    expect(back).to_be_disabled()
    mine = page.locator(".seat[data-me] .hole .card")
    cards = [card.get_attribute("aria-label") for card in mine.all()]
    answer(page, "c")
    assert asked(page)
    # Before my first action: nothing is left of it.
    back.click()
    expect(back).to_be_disabled()
    assert asked(page)
    assert [card.get_attribute("aria-label") for card in mine.all()] == cards
    expect(page.locator(".seat[data-me] .action")).to_have_count(0)
    # Also when the hand is over.
    fold(page, page.get_by_role("button", name="Ranges").and_(page.locator(":enabled")))
    back.click()
    assert asked(page)
    assert [card.get_attribute("aria-label") for card in mine.all()] == cards
    expect(page.get_by_text("You play this hand again")).to_be_visible()
    assert violations(page) == []


@pytest.mark.parametrize(("width", "decisions"), [(320, 1), (1280, 4)])
def test_ranges_come_after_the_hand(enter: Enter, width: int, decisions: int) -> None:
    page = enter(name=f"Fay {width}", viewport={"width": width, "height": 800}, settings={"speed": "instant"})
    practise(page, {"call": 1}, Seconds_between_hands="60")
    assert asked(page)
    ranges = page.get_by_role("button", name="Ranges")
    expect(ranges).to_be_disabled()
    ready = ranges.and_(page.locator(":enabled"))
    if decisions == 1:
        shove(page, ready)
    else:
        while asked(page, ready):
            answer(page, "c")
    ranges.click()
    dialog = page.get_by_role("dialog", name="What a strong bot does")
    expect(dialog.locator("svg")).to_have_count(decisions)
    expect(dialog.locator("svg text")).to_have_count(169 * decisions)
    expect(dialog.locator("svg .own")).to_have_count(decisions)
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    dialog.get_by_text("The range as text").first.click()
    named = ", ".join(dialog.locator("section").first.locator("dd").all_inner_texts())
    assert len({name for name in named.split(", ") if name != "no hand"}) == 169
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)


def test_other_tables_give_none(enter: Enter) -> None:
    page = enter(name="Cid", settings={"speed": "instant"})
    open_table(page, "Friday", {"call": 1}, Seats="2")
    assert asked(page)
    expect(page.locator(BOX)).to_have_count(0)
    page.keyboard.press("h")
    expect(page.locator(".slots")).to_be_visible()


def test_practice_needs_opponents(enter: Enter) -> None:
    page = enter(name="Dan")
    page.get_by_text("Open a table of your own").click()
    page.get_by_role("button", name="No bots").press("Enter")
    page.get_by_label("Practice:").check()
    page.get_by_role("button", name="Open the table").press("Enter")
    expect(page.get_by_role("alert")).to_be_visible()
    assert violations(page) == []
