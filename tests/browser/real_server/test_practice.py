"""A person practises against bots, and asks for hints; trains push or fold, and repeats the worst calls."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.real import Club, Enter, answer, asked, call, fold, open_table, shove

#: Loading a strategy may take its time on a busy machine; the turn has to last.
PATIENT = {"Seconds_to_decide": "600"}
BOX = ".hints"


def practise(page: Page, bots: dict[str, int], **wishes: str) -> None:
    """Open a practice table."""
    page.get_by_text("Open a table of your own").click()
    page.get_by_label("Practice:").check()
    page.get_by_text("Open a table of your own").click()
    open_table(page, "Lesson", bots, **(PATIENT | wishes))


def test_a_hint_shows_what_a_strong_bot_would_do(enter: Enter, place: Club) -> None:
    page = enter(name="Ann", settings={"speed": "instant"})
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
    for width in (1280, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    # Whoever looks on sees nothing of it, and has no hints.
    watcher = enter(page.url.removeprefix(place.site.url), name="Ben")
    expect(watcher.get_by_text("Ann").first).to_be_visible()
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


#: Every card is drawn by it: the first of the deck, then the first of the others.
ACES = "Math.random = () => 0;"


def rows(page: Page) -> list[list[str]]:
    table = page.get_by_role("region", name="What a decision loses")
    return [row.get_by_role("cell").all_inner_texts() for row in table.locator("tbody tr").all()]


def test_a_wrong_decision_is_told_counted_and_played_again(enter: Enter) -> None:
    page = enter(
        "/", name="Kai", script=ACES, viewport={"width": 320, "height": 640}, settings={"deck": "bold"}
    )
    page.get_by_role("navigation", name="Other ways").get_by_role("link", name="Train").click()
    expect(page.get_by_role("heading", name="Push or fold")).to_be_visible()
    page.get_by_label("Stacks").select_option("10")
    page.get_by_role("radio", name="Small blind").check(force=True)
    expect(page.get_by_role("group", name="ace of spades and ace of hearts")).to_be_visible()
    expect(page.locator(".grid")).to_have_count(0)
    assert violations(page) == []
    # By the keyboard alone, and what a screen reader is told.
    expect(page.get_by_role("button", name="Fold")).to_be_enabled()
    page.keyboard.press("f")
    verdict = page.locator(".verdict")
    tables = page.request.get(re.sub("/push-fold$", "/api/push-fold/10", page.url)).json()
    cost = tables["jam_gain"][0]
    expect(verdict).to_contain_text(f"{cost:,.1f}")
    expect(verdict).to_have_attribute("role", "status")
    expect(page.locator(".grid [data-own]")).to_have_text("AA")
    expect(page.locator(".grid [data-play=always]")).to_have_count(tables["jam"].count(1))
    expect(page.get_by_role("button", name="Next hand")).to_be_focused()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    none = "0\N{NO-BREAK SPACE}%"
    assert [cells[1:] for cells in rows(page)] == [["1", none], ["0", ""], ["1", none]]
    # The mistake again, which does not count.
    page.get_by_role("button", name="Again").press("Enter")
    expect(page.get_by_text("does not count")).to_be_visible()
    expect(page.locator("#spot")).to_be_focused()
    expect(page.get_by_role("button", name="Push")).to_be_enabled()
    page.keyboard.press("p")
    expect(verdict).to_have_attribute("data-kind", "right")
    assert rows(page)[2][1:] == ["1", none]
    # The next one does, and the browser keeps it.
    page.keyboard.press("n")
    expect(page.get_by_text("does not count")).to_have_count(0)
    expect(page.get_by_role("button", name="Push")).to_be_enabled()
    page.get_by_role("button", name="Push").click()
    assert rows(page)[2][1:] == ["2", "50\N{NO-BREAK SPACE}%"]
    page.reload()
    expect(page.get_by_role("button", name="Again")).to_have_count(1)
    assert rows(page)[2][1:] == ["2", "50\N{NO-BREAK SPACE}%"]
    assert json.loads(page.evaluate("localStorage.getItem('pokerd-push-fold')"))["small"]["decisions"] == 2
    page.get_by_role("button", name="Reset the score").press("Enter")
    expect(page.get_by_role("heading", name="Your score")).to_be_focused()
    expect(page.get_by_role("button", name="Again")).to_have_count(0)


def test_the_big_blind_calls_and_dark_pages_can_be_read(enter: Enter) -> None:
    page = enter("/push-fold", name="Lin", script=ACES, color_scheme="dark")
    page.get_by_role("radio", name="Big blind").check(force=True)
    page.get_by_label("Stacks").select_option("10")
    expect(page.get_by_role("button", name="Push")).to_have_count(0)
    expect(page.get_by_role("button", name="Call")).to_be_enabled()
    page.keyboard.press("p")
    expect(page.locator(".verdict")).to_be_empty()
    page.keyboard.press("c")
    expect(page.locator(".verdict")).to_have_attribute("data-kind", "right")
    page.get_by_text("The range as text").click()
    expect(page.locator(".range .text")).to_contain_text("22+")
    assert violations(page) == []


def test_who_wants_no_shortcuts_has_none(enter: Enter) -> None:
    page = enter("/push-fold", name="Ida", settings={"shortcuts": False})
    expect(page.get_by_role("button", name="Fold")).to_be_enabled()
    page.keyboard.press("f")
    expect(page.locator(".verdict")).to_be_empty()
    expect(page.locator(".answers kbd")).to_have_count(0)


def test_the_worst_calls_are_asked_again(enter: Enter) -> None:
    page = enter("/", name="Max", settings={"speed": "instant"})
    open_table(page, "Drill", {"raise": 1}, Seats="2")
    call(page, page.locator(".log li", has_text="Hand 8: "))
    drill = enter("/me", within=page.context)
    drill.get_by_role("link", name="your own spots").click()
    hand = drill.get_by_role("region", name="The hand")
    expect(hand.get_by_role("button", name="Fold")).to_be_enabled()
    assert violations(drill) == []
    of = int(hand.locator(".again").inner_text().rpartition(" ")[2])
    verdict = drill.locator(".verdict")
    costs = []
    for number in range(1, of + 1):
        expect(hand.locator(".again")).to_have_text(f"{number} of {of}")
        expect(drill.locator("#spot")).to_have_attribute("aria-label", re.compile("You have the .* to win"))
        # Nothing tells the answer before it is given.
        expect(verdict).to_be_empty()
        drill.keyboard.press("c" if number % 2 else "f")
        expect(verdict).to_contain_text(re.compile(r"^(Right|Wrong)(.|\n)*At the table you called\."))
        costs.append(verdict.get_attribute("data-kind"))
        expect(hand.get_by_role("button", name="Next hand")).to_be_focused()
        if number == 1:
            assert violations(drill) == []
            link = hand.get_by_role("link", name="The whole hand").get_attribute("href")
            replay = enter(link, within=page.context)
            expect(replay.locator(".step .notice")).to_contain_text("You call ")
        drill.keyboard.press("n")
    score = drill.get_by_role("region", name="Your score")
    expect(score).to_contain_text(f"{costs.count('right')} of {of} decision")
    drill.get_by_role("button", name="Once more").click()
    expect(hand.locator(".again")).to_have_text(f"1 of {of}")
    # Who clicks twice has answered once, and reads the verdict; so does who holds a key.
    box = hand.get_by_role("button", name="Call").bounding_box()
    assert box is not None
    drill.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(verdict).not_to_be_empty()
    expect(hand.locator(".again")).to_have_text(f"1 of {of}")
    drill.reload()
    hand.get_by_role("button", name="Fold").focus()
    drill.keyboard.down("Enter")
    drill.keyboard.down("Enter")
    drill.keyboard.up("Enter")
    expect(verdict).not_to_be_empty()


def test_who_has_played_nothing_is_told_what_can_be_repeated(enter: Enter) -> None:
    page = enter("/spots", name="Jan")
    expect(page.get_by_role("heading", name="Nothing to repeat")).to_be_visible()
    assert violations(page) == []
