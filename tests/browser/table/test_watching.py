"""Looking on: pause, catching up, whose seat is at the bottom, cards that lie face up."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser import scenes
from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.site import Message

HANDS = ("Ah Kd", "7c 7s", "Qh Jh", "2d 9s", "Tc Ts", "As 5s")


def watched(size: int = 6) -> list[Message]:
    """A hand that the viewer looks on at."""
    return [
        scenes.welcome(),
        scenes.match_start(size, -1),
        scenes.seats(size, watchers=2),
        scenes.hand_start(size, hole=[]),
    ]


def log_of(page: Page) -> str:
    return page.locator(".log").inner_text()


def test_a_pause_keeps_what_happens_until_it_is_over(visit: Visit) -> None:
    dealer = visit(watched())
    page = dealer.page
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_text("Nothing has happened")).to_be_visible()

    said = {"type": "said", "seat": 1, "name": "Anna", "text": "hello", "at": 1}
    dealer.say(scenes.acted(3, "raise", 60, 60), said)
    expect(page.get_by_text("moved on")).to_be_visible()
    expect(page.get_by_role("button", name="Chat (1)")).to_be_visible()
    dealer.say(
        scenes.hand_end(6), scenes.hand_start(6, hand=17, hole=[]), scenes.hand_start(6, hand=18, hole=[])
    )
    expect(page.get_by_text("Paused. 2 hands behind.")).to_be_visible()
    expect(page.get_by_role("banner")).to_contain_text("Hand 16")
    assert "raises" not in log_of(page)
    assert violations(page) == []

    page.get_by_role("button", name="Continue").click()

    expect(page.get_by_role("banner")).to_contain_text("Hand 18")
    assert "Vera raises to 60" in log_of(page)


def test_jumping_to_now_leaves_nothing_out_of_the_log(visit: Visit) -> None:
    dealer = visit(watched(), settings={"speed": "slow"})
    page = dealer.page
    expect(page.get_by_role("button", name="Jump to now")).to_be_disabled()
    page.keyboard.press("p")
    for number in range(17, 30):
        dealer.say(scenes.hand_end(6, hand=number - 1), scenes.hand_start(6, hand=number, hole=[]))
    expect(page.get_by_text("Paused. 13 hands behind.")).to_be_visible()

    page.get_by_role("button", name="Jump to now").click()

    expect(page.get_by_role("banner")).to_contain_text("Hand 29")
    assert [f"Hand {number}: " in log_of(page) for number in range(16, 30)] == [True] * 14
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


def test_clocks_stand_still_in_a_pause(visit: Visit) -> None:
    dealer = visit([*watched(), scenes.waiting(3, time_ms=20_000)], clock=True)
    page = dealer.page
    page.clock.pause_at(page.evaluate("() => Date.now() / 1000") + 5)
    page.clock.run_for(3_000)
    page.keyboard.press("p")
    page.clock.run_for(300)
    seat = page.get_by_role("region", name="Seat 4: Vera")
    stopped = seat.locator(".seconds").inner_text()
    page.clock.run_for(10_000)
    expect(seat.locator(".seconds")).to_have_text(stopped)


def test_one_can_follow_a_seat(visit: Visit) -> None:
    page = visit(watched()).page
    follow = page.get_by_role("combobox", name="Follow")
    follow.select_option(label="Vera")
    bottom = page.locator('[data-at="0"] > .seat')
    expect(bottom).to_have_attribute("aria-label", "Seat 4: Vera, fair")
    follow.select_option(label="nobody")
    expect(bottom).to_have_attribute("aria-label", "Seat 1: Me")


def test_cards_of_an_exhibition_lie_face_up(visit: Visit) -> None:
    dealer = visit([*watched(), scenes.faceup(*HANDS), scenes.acted(3, "fold")])
    page = dealer.page
    anna = page.get_by_role("region", name="Seat 2: Anna")
    expect(anna.get_by_role("img")).to_have_count(2)
    expect(anna.get_by_role("img", name="ace of hearts")).to_be_visible()
    expect(page.get_by_role("region", name="Seat 4: Vera").locator(".hole")).to_have_attribute(
        "data-faded", "true"
    )
    expect(page.locator(".card.back")).to_have_count(0)
    bar = page.locator(".watching")
    expect(bar).to_contain_text("only house bots play")
    dealer.say(scenes.hand_start(6, hand=17, hole=[]))
    expect(bar).to_contain_text("stay hidden")
    expect(page.locator(".card.back")).to_have_count(12)
    dealer.say(scenes.faceup(*HANDS))
    dealer.breathe()
    expect(page.locator(".card.back")).to_have_count(12)
    dealer.say(scenes.faceup(*HANDS) | {"hand": 17})
    expect(page.locator(".card.back")).to_have_count(0)
    assert violations(page) == []


def test_taking_a_seat_ends_the_pause(visit: Visit) -> None:
    dealer = visit([scenes.welcome(), scenes.match_start(3, -1), scenes.seats(3, empty=(0,))])
    page = dealer.page
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Take a seat").click()
    assert dealer.hears("join") == {"type": "join", "table": "table-1"}
    dealer.say(scenes.match_start(3), scenes.seats(3), scenes.hand_start(), scenes.turn())
    expect(page.locator("[data-slot=call]:enabled")).to_contain_text("Call 20")
