"""Clocks: the server's deadline, the time bank, and what happens when both are over."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser import scenes
from tests.browser.conftest import Visit


def frozen(page: Page) -> None:
    page.clock.pause_at(page.evaluate("() => Date.now() / 1000") + 5)


def test_time_runs_from_what_the_server_says_is_left_and_then_the_time_bank_does(visit: Visit) -> None:
    dealer = visit(scenes.deal(3), clock=True)
    page = dealer.page
    frozen(page)
    dealer.say(scenes.turn(time_ms=10_000, bank_ms=30_000))
    page.clock.run_for(2_300)

    time = page.locator(".time")
    expect(time).to_contain_text("8 s")
    expect(time).to_contain_text("+ 30 s bank")
    # Half of the 20 seconds were over when the page was asked.
    share = page.locator(".time progress").evaluate("(bar) => bar.value")
    assert 0.375 < share <= 0.41
    assert page.locator(".time [data-bank]").count() == 0

    # The time bank starts by itself, with its own colour.
    page.clock.run_for(13_200)

    expect(time).to_contain_text("of your time bank")
    expect(time).to_contain_text("25 s")
    expect(page.locator(".time [data-bank]")).to_have_count(1)
    expect(page.locator("#urgent")).to_contain_text("bank is running")

    # Others have clocks too.
    dealer.say(scenes.acted(0, "fold"), scenes.waiting(1, time_ms=10_000, bank_ms=0))
    page.clock.run_for(4_300)
    expect(page.get_by_role("region", name="Seat 2: Anna")).to_contain_text("to act 6 s")


@pytest.mark.parametrize(("speed", "time"), [("slow", 3_000), ("normal", 1_500)])
def test_a_result_stays_as_long_as_the_visitor_wants(visit: Visit, speed: str, time: int) -> None:
    dealer = visit(scenes.deal(3), clock=True, settings={"speed": speed})
    page = dealer.page
    expect(page.locator(".pod")).to_have_count(3)
    frozen(page)
    page.clock.run_for(2_000)
    # So much waits behind it that all else is shown at once.
    dealer.say(scenes.hand_end(), *[scenes.seats(3)] * 12, scenes.hand_start(hand=17))
    result = page.get_by_role("list", name="Result")
    page.clock.run_for(time - 400)
    expect(result).to_be_visible()
    page.clock.run_for(1_000)
    expect(result).to_have_count(0)


def test_lag_shortens_what_is_left(visit: Visit) -> None:
    dealer = visit(clock=True)
    page = dealer.page
    dealer.hears("hello")
    frozen(page)
    page.clock.run_for(1_000)
    dealer.say(
        scenes.welcome(), scenes.match_start(3), scenes.hand_start(), scenes.turn(time_ms=10_000, bank_ms=0)
    )
    page.clock.run_for(300)
    left = int(page.locator(".time .seconds").inner_text().split()[0])
    assert left < 10  # half of the round trip of more than a second is over already


def test_who_misses_turns_sits_out_and_returns_with_one_click(visit: Visit) -> None:
    dealer = visit([*scenes.deal(3), scenes.turn()])
    page = dealer.page
    dealer.say(scenes.acted(0, "fold", forced="timeout"))
    expect(page.locator(".log")).to_contain_text("You fold, out of time")
    expect(page.get_by_role("button", name="I'm back")).to_have_count(0)

    dealer.say(scenes.hand_end(), scenes.hand_start(hand=17), scenes.acted(0, "fold", forced="absent"))

    expect(page.get_by_text("You are sitting out.")).to_be_visible()
    page.locator(".controls").get_by_role("button", name="I'm back").click()
    assert dealer.hears("back") == {"type": "back", "table": "table-1"}
    dealer.say(scenes.hand_end(hand=17), scenes.seats(3), scenes.hand_start(hand=18), scenes.turn())
    expect(page.get_by_text("You are sitting out.")).to_have_count(0)
