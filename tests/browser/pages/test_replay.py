"""The replayer, with an API that the test writes: every control, what may be seen, and what goes wrong."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from dealer.rules.games import load_game
from dealer.rules.hand import HandState
from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.replays import SEED, SESSION, all_in, betting, competition, open_table, played, told
from tests.browser.scenes import NAMES
from tests.browser.site import Site, menu
from tests.dealer.records.played import random_hand

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


#: Steps wait until the test says ``fire()``, which tells how many milliseconds they would have taken.
TIMERS = """
{
  const [later, never] = [window.setTimeout, window.clearTimeout];
  let step = null;
  window.setTimeout = (run, ms) => run.name ? later(run, ms) : ((step = { run, ms }), -1);
  window.clearTimeout = (id) => { if (id === -1) step = null; else never(id); };
  window.fire = () => {
    const { run, ms } = step ?? {};
    step = null;
    run?.();
    return ms ?? null;
  };
}
"""


def opened(visit: Visit, path: str, **options: Any) -> Page:
    """The replayer with a hand in it."""
    page = visit(path=path, **options).page
    expect(page.locator(".count")).not_to_be_empty()
    return page


def at(page: Page, step: int) -> None:
    expect(page.locator(".count")).to_have_text(re.compile(rf"^{step} / "))


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def sideways(page: Page) -> int:
    """By how many pixels the page is too wide."""
    found: int = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
    return found


def hands(count: int, size: int = 3) -> list[HandState]:
    """Hands one after the other: all call and check to the end."""
    return [played(size, number=number) for number in range(count)]


@pytest.mark.parametrize(("name", "shown"), [("club night", "club night"), ("", "Lantern")])
def test_an_open_table_has_its_name(visit: Visit, site: Site, name: str, shown: str) -> None:
    page = opened(visit, open_table(site, hands(1), name=name))
    expect(page.get_by_role("link", name=shown, exact=True)).to_be_visible()
    expect(page).to_have_title(f"Hand 0 · {shown} · pokerd")


def test_what_a_bot_could_have_done_is_drawn(visit: Visit, site: Site) -> None:
    path = competition(site, [betting(3)])
    hand: Any = site.api["/api/competitions/spring/sessions/" + SESSION + "/hands/0"]
    hand["chances"][0] = [["f", 0.004], ["c", 0.696], ["r60", 0.3]]
    page = opened(visit, path)
    strategy = page.get_by_role("region", name="Strategy")
    expect(strategy).to_contain_text("Step to an action")
    press(page, "Step forward")
    expect(strategy.locator("dt")).to_have_text(["fold", "call", "raise to 60"])
    expect(strategy.locator("dd span")).to_have_text(["<1 %", "70 %", "30 %"])
    boxes = [bar.bounding_box() or {"width": 0} for bar in strategy.locator("rect").all()]
    assert [round(100 * box["width"] / boxes[1]["width"]) for box in boxes] == [1, 100, 43]
    assert violations(page) == []
    press(page, "Step forward")
    expect(strategy.locator("dl")).to_have_count(0)


def test_what_a_strong_bot_would_have_done_is_drawn(visit: Visit, site: Site, faults: list[str]) -> None:
    path = open_table(site, [played(3, ["call", "call", "call", 60, "fold", "fold"])], own=0)
    hint = site.api.pop("/api/hands/table-1.7.16/hints/1")
    page = opened(visit, path, viewport={"width": 320, "height": 900})
    strategy = page.get_by_role("region", name="Strategy")
    # Somebody else's cards are not seen, so nothing is asked.
    press(page, "Step forward")
    expect(strategy).to_contain_text("Step to an action of a player whose cards you see.")
    press(page, "Step forward")
    expect(strategy.get_by_role("status")).to_have_text("there is nothing here")
    assert site.missed == ["/api/hands/table-1.7.16/hints/1"]
    faults.clear()
    # What is there the next time is drawn, by the names of the actions.
    site.api["/api/hands/table-1.7.16/hints/1"] = hint
    press(page, "Step back")
    press(page, "Step forward")
    expect(strategy.get_by_text("would have done")).to_be_visible()
    expect(strategy.get_by_text("Strategy for 100 big blinds")).to_be_visible()
    expect(strategy.locator("dt")).to_have_text(["fold", "call", "raise to 60"])
    expect(strategy.locator("dd span")).to_have_text(["10 %", "60 %", "30 %"])
    assert violations(page) == []
    assert sideways(page) <= 0
    page.set_viewport_size({"width": 1280, "height": 900})
    assert sideways(page) <= 0
    press(page, "Flop")
    press(page, "Step forward")
    expect(strategy.locator("dt")).to_have_text(["fold", "check", "bet 60"])
    # A stranger sees no cards of this hand, and can ask nothing.
    stranger = opened(visit, open_table(site, [played(3, [60, "fold", "fold"])]))
    expect(stranger.get_by_role("region", name="Strategy")).to_have_count(0)


def test_equities_and_pot_odds_stand_beside_the_table(visit: Visit, site: Site) -> None:
    path = competition(site, [betting(3)])
    hand: Any = site.api["/api/competitions/spring/sessions/" + SESSION + "/hands/0"]
    hand["equities"] = [[] for _ in hand["messages"][1:]]
    hand["equities"][0] = [0.004, 0.696, 0.3]
    hand["odds"] = [[20, 30], *([0, 0] for _ in hand["messages"])]
    page = opened(visit, path)
    equity = page.get_by_role("region", name="Equity")
    expect(equity.locator("dd span")).to_have_text(["<1 %", "70 %", "30 %"])
    # 20 to call into the blinds of 10 and 20.
    expect(equity.get_by_text("has to call")).to_contain_text("20 to win 30: a call needs 40 %")
    assert violations(page) == []
    press(page, "Step forward")
    expect(equity.locator("dl")).to_have_count(0)
    press(page, "Last step")
    expect(equity.get_by_text("has to call")).to_have_count(0)


def test_the_largest_loss_is_marked_in_ones_own_hand(visit: Visit, site: Site) -> None:
    path = open_table(site, [betting(3)], own=0)
    hand: Any = site.api["/api/hands/table-1.7.16"]
    acted = [number for number, message in enumerate(hand["messages"][1:]) if message["type"] == "acted"]
    own = [place for place, number in enumerate(acted) if hand["messages"][1 + number]["seat"] == 0]
    hand["equities"] = [[0.1, 0.5, 0.4] for _ in hand["messages"][1:]]
    hand["odds"] = [[0, 0] for _ in acted]
    # The small blind calls 10 to win 30: a tenth of 40 is worth 4.
    hand["odds"][own[0]] = [10, 30]
    page = opened(visit, path, viewport={"width": 320, "height": 900})
    loss = page.get_by_role("region", name="Largest loss")
    expect(loss.locator("p").first).to_contain_text(re.compile(r"10\D+6\D.*25\s%.*10\s%"))
    expect(page.locator(".lost")).to_have_count(1)
    assert violations(page) == []
    loss.get_by_role("button").click()
    at(page, acted[own[0]])
    expect(page.locator("[aria-current=step] .lost")).to_be_visible()
    assert sideways(page) <= 0
    page.set_viewport_size({"width": 1280, "height": 900})
    assert sideways(page) <= 0


def test_a_link_carries_a_comment_as_text(visit: Visit, site: Site) -> None:
    path = open_table(site, [*hands(2)])
    page = opened(visit, path, permissions=["clipboard-read", "clipboard-write"])
    expect(page.get_by_role("region", name="Comment in the link")).to_have_count(0)
    press(page, "Step forward")
    menu(page, "Comment").click()
    assert violations(page) == []
    field = page.get_by_label("Comment to this step")
    field.fill("<img src=x onerror=alert(1)> p 1?")
    field.press("ArrowLeft")
    at(page, 1)
    press(page, "Copy the link")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".step .notice")).to_contain_text("is copied")
    link = page.evaluate("() => navigator.clipboard.readText()")
    # Whoever opens it reads it, until he goes to another hand.
    other = opened(visit, link.removeprefix(site.url))
    at(other, 1)
    comment = other.get_by_role("region", name="Comment in the link")
    expect(comment.locator("p").first).to_have_text("<img src=x onerror=alert(1)> p 1?")
    assert violations(other) == []
    press(other, "Step forward")
    expect(comment).to_be_visible()
    press(other, "Next hand")
    expect(comment).to_have_count(0)


def test_a_hand_is_stepped_through_by_buttons(visit: Visit, site: Site) -> None:
    page = opened(visit, competition(site, [betting(6)]))
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 16")
    expect(page).to_have_title("Hand 16 · spring · pokerd")
    at(page, 0)
    expect(page.get_by_role("button", name="Step back")).to_be_disabled()
    press(page, "Step forward")
    at(page, 1)
    expect(page.locator(".step .notice")).to_have_text("Bartholomew Long calls 20")
    expect(page.locator("[aria-current=step]")).to_have_text("Bartholomew Long calls 20")
    expect(page.locator("#polite")).to_have_text("Bartholomew Long calls 20")
    press(page, "Step forward")
    press(page, "Step back")
    at(page, 1)
    press(page, "Last step")
    expect(page.locator(".seat[data-won]")).not_to_have_count(0)
    expect(page.get_by_role("button", name="Step forward")).to_be_disabled()
    expect(page.get_by_role("table", name="Won and lost").get_by_role("row")).to_have_count(6)
    press(page, "First step")
    at(page, 0)
    expect(page.get_by_role("table", name="Won and lost")).to_have_count(0)
    for street, cards in [("Flop", 3), ("Turn", 4), ("River", 5), ("Preflop", 0)]:
        press(page, street)
        expect(page.get_by_role("button", name=street, pressed=True)).to_have_count(1)
        expect(page.locator(".board .card")).to_have_count(cards)
    press(page, "Showdown")
    expect(page.locator(".seat-status.hand-label")).not_to_have_count(0)


def test_the_keyboard_does_it_all(visit: Visit, site: Site) -> None:
    page = opened(visit, competition(site, [betting(3), *hands(2)]), script=TIMERS)
    for key, step in [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("2", 4), ("1", 0)]:
        page.keyboard.press(key)
        at(page, step)
    page.keyboard.press("End")
    expect(page.get_by_role("button", name="Last step")).to_be_disabled()
    page.keyboard.press("Home")
    at(page, 0)
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.keyboard.press("a")
    expect(page.get_by_label("All cards face up")).not_to_be_checked()
    page.keyboard.press("n")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 0")
    page.keyboard.press("b")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 16")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Help")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    at(page, 0)


def test_single_letters_can_be_turned_off(visit: Visit, site: Site) -> None:
    page = opened(visit, competition(site, hands(2)), settings={"shortcuts": False})
    page.keyboard.press("n")
    page.keyboard.press("2")
    page.keyboard.press("ArrowRight")
    at(page, 1)
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 0")


def test_streets_that_were_not_reached_cannot_be_chosen(visit: Visit, site: Site) -> None:
    page = opened(visit, competition(site, [played(3, ["fold", "fold"])]))
    streets = page.get_by_role("group", name="Streets")
    expect(streets.get_by_role("button", disabled=True)).to_have_text(["Flop", "Turn", "River", "Showdown"])


def test_the_slider_names_the_step_and_is_in_line_with_the_buttons(visit: Visit, site: Site) -> None:
    page = opened(visit, competition(site, [betting(3)]))
    slider = page.get_by_role("slider", name="Step")
    slider.fill("4")
    at(page, 4)
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"^4 of \d+: Flop: "))
    slider.press("ArrowRight")
    at(page, 5)
    page.keyboard.press("ArrowRight")
    at(page, 6)
    for width, height in [(1600, 900), (390, 844), (812, 375)]:
        page.set_viewport_size({"width": width, "height": height})
        line, buttons = (page.locator(where).bounding_box() for where in (".controls > .slider", ".buttons"))
        assert line
        assert buttons
        assert (line["x"], line["width"]) == pytest.approx((buttons["x"], buttons["width"]), abs=1), width


def test_a_line_of_the_log_is_a_way_there_and_stays_in_sight(visit: Visit, site: Site) -> None:
    page = opened(visit, competition(site, [betting(10)]))
    lines = page.get_by_role("list", name="Log").get_by_role("listitem")
    last = lines.count() - 1
    lines.nth(last).get_by_role("button").click()
    expect(lines.nth(last).locator("[data-now]")).to_be_in_viewport(ratio=0.9)
    expect(page.get_by_role("button", name="Last step")).to_be_disabled()
    press(page, "First step")
    expect(lines.first).to_be_in_viewport()
    expect(page.locator("[data-later]")).to_have_count(last)

    # Also if the log gets less room.
    press(page, "Last step")
    line = page.get_by_role("list", name="Log").locator("[data-now]")
    expect(line).to_be_in_viewport(ratio=0.9)
    page.locator(".log").evaluate(
        "(log) => { log.style = 'flex: none; min-height: 80px; height: 80px'; log.scrollTop = 0; }"
    )
    expect(line).to_be_in_viewport(ratio=0.9)


def fire(page: Page) -> int | None:
    """The time of the step is over: how long it was in ms, or None if nothing was to come."""
    waited: int | None = page.evaluate("fire()")
    return waited


def test_it_plays_at_the_chosen_speed_which_is_remembered(visit: Visit, site: Site) -> None:
    page = opened(visit, competition(site, [betting(3)]), script=TIMERS)
    assert fire(page) is None
    press(page, "Play")
    assert [fire(page) for _ in range(4)] == [800, 900, 900, 900]
    at(page, 4)
    press(page, "Pause")
    assert fire(page) is None
    page.get_by_label("Speed").select_option("4")
    press(page, "Play")
    assert [fire(page), fire(page)] == [350, 225]
    at(page, 6)
    page.get_by_label("Speed").select_option("0.5")
    assert fire(page) == 1800
    while fire(page):
        pass
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Last step")).to_be_disabled()
    press(page, "Play")
    at(page, 0)
    page.reload()
    expect(page.get_by_label("Speed")).to_have_value("0.5")


def test_it_plays_on_to_the_last_hand(visit: Visit, site: Site) -> None:
    page = opened(visit, competition(site, hands(3)), script=TIMERS)
    page.get_by_label("Speed").select_option("instant")
    page.get_by_label("Continue with the next hand").check()
    press(page, "Play")
    for number in (0, 1, 2):
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Hand {number}")
        expect(page.get_by_role("button", name="Last step")).to_be_disabled()
        assert fire(page) == (400 if number < 2 else None)
    expect(page.locator(".step .notice")).to_contain_text("last hand")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    # Nobody wants to go back through all of them.
    assert page.evaluate("() => history.length") <= 3


def test_a_link_can_say_play(visit: Visit, site: Site) -> None:
    page = opened(visit, f"{competition(site, hands(2))}#play", script=TIMERS)
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.get_by_label("Continue with the next hand")).to_be_checked()
    assert fire(page) == 800
    press(page, "Last step")
    assert fire(page) == 3000
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 1")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


def test_a_page_that_nobody_sees_waits(visit: Visit, site: Site) -> None:
    hide = "Object.defineProperty(Document.prototype, 'hidden', { get: () => window.away === true });"
    page = opened(visit, competition(site, [betting(3)]), script=TIMERS + hide)
    press(page, "Play")
    turn = "(away) => { window.away = away; document.dispatchEvent(new Event('visibilitychange')); }"
    page.evaluate(turn, True)
    assert fire(page) is None
    page.evaluate(turn, False)
    assert fire(page) == 800
    at(page, 1)


def test_the_address_is_that_of_the_step_and_back_goes_back(visit: Visit, site: Site) -> None:
    path = competition(site, hands(3))
    page = opened(visit, f"{path}#3")
    at(page, 3)
    press(page, "Step forward")
    expect(page).to_have_url(f"{site.url}{path}#4")
    press(page, "Next hand")
    at(page, 0)
    expect(page).to_have_url(f"{site.url}/hand/spring/{SESSION}/1")
    press(page, "Step forward")
    expect(page).to_have_url(f"{site.url}/hand/spring/{SESSION}/1#1")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 0")
    at(page, 4)
    page.go_forward()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 1")
    at(page, 1)
    page.evaluate("() => { location.hash = '#6'; }")
    at(page, 6)
    expect(page.get_by_role("button", name="Previous hand")).to_be_enabled()
    press(page, "Next hand")
    expect(page.get_by_role("button", name="Next hand")).to_be_disabled()


def test_the_link_can_be_copied(visit: Visit, site: Site) -> None:
    path = competition(site, [betting(3)])
    page = opened(visit, path, permissions=["clipboard-read", "clipboard-write"])
    page.keyboard.press("ArrowRight")
    menu(page, "Copy link").click()
    expect(page.locator(".step .notice")).to_contain_text("is copied")
    assert page.evaluate("() => navigator.clipboard.readText()") == f"{site.url}{path}#1"


def test_all_cards_those_of_one_or_none(visit: Visit, site: Site) -> None:
    page = opened(visit, competition(site, [betting(6)]))
    up, down = page.locator(".hole:not(span) .card"), page.locator("span.hole")
    expect(up).to_have_count(12)
    page.get_by_label("All cards face up").uncheck()
    expect(up).to_have_count(0)
    expect(down).to_have_count(6)
    page.get_by_label("Follow").select_option("Chidi")
    expect(up).to_have_count(2)
    expect(page.locator("[data-at='0'] .name")).to_have_text("Chidi")
    press(page, "Last step")
    expect(up).to_have_count(6)
    page.get_by_label("All cards face up").check()
    expect(up).to_have_count(12)
    expect(page.locator("[data-at='0'] .name")).to_have_text("Chidi")


def test_whom_one_follows_is_followed_to_the_next_hand(visit: Visit, site: Site) -> None:
    page = opened(visit, competition(site, hands(2)))
    page.get_by_label("Follow").select_option("Anna")
    press(page, "Next hand")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 1")
    expect(page.locator("[data-at='0'] .name")).to_have_text("Anna")


def test_at_an_open_table_only_own_cards_and_those_shown(visit: Visit, site: Site) -> None:
    page = opened(visit, open_table(site, [betting(6)], own=1))
    up = page.locator(".hole:not(span) .card")
    expect(up).to_have_count(2)
    expect(page.locator("[data-at='0'] .name")).to_have_text("Anna")
    expect(page.locator(".you")).to_have_text("Anna")
    expect(page.get_by_label("All cards face up")).to_have_count(0)
    page.keyboard.press("a")
    expect(up).to_have_count(2)
    page.get_by_label("Follow").select_option("fair-1")
    expect(page.locator("[data-at='0'] .name bdi")).to_have_text("Vera")
    expect(page.get_by_label("Follow").get_by_role("option", name="Vera")).to_have_count(1)
    expect(up).to_have_count(2)
    expect(page.get_by_role("list", name="Log")).to_contain_text("You fold")

    stranger = opened(visit, open_table(site, [betting(6)]))
    expect(stranger.locator(".pod")).to_have_count(6)
    expect(stranger.locator(".hole:not(span) .card")).to_have_count(0)


@pytest.mark.parametrize("size", [3, 6, 10])
def test_side_pots_of_a_run_out_are_there_before_the_end(visit: Visit, site: Site, size: int) -> None:
    page = opened(visit, competition(site, [all_in(size)]))
    for street in ("Flop", "Turn", "River"):
        press(page, street)
        expect(page.get_by_role("list", name="Pots").get_by_role("listitem")).to_contain_text(
            ["Main pot 9", "Side pot 1,200"]
        )
    press(page, "Last step")
    expect(page.get_by_role("list", name="Result")).to_contain_text("from the side pot")
    expect(page.get_by_role("table", name="Won and lost").get_by_role("row")).to_have_count(size)


def test_amounts_in_big_blinds_two_colours_and_text(visit: Visit, site: Site) -> None:
    page = opened(visit, competition(site, [betting(3)]))
    press(page, "Last step")
    menu(page, "Big blinds").click()
    expect(page.locator(".felt .pot")).to_contain_text("BB")
    expect(page.get_by_role("table", name="Won and lost")).to_contain_text("BB")
    expect(page.get_by_role("list", name="Log")).to_contain_text("1 BB")
    expect(page.locator(".step .notice")).to_contain_text("BB")
    menu(page, "Four colours").click()
    expect(page.locator("html")).to_have_attribute("data-deck", "two")
    menu(page, "Text table").click()
    table = page.get_by_role("region", name="Table as text")
    expect(table).to_contain_text("Total 30 BB")
    press(page, "First step")
    expect(table.get_by_role("listitem").filter(has_text="Anna, 99 BB, ")).to_contain_text("has king of")
    page.reload()
    expect(page.get_by_role("region", name="Table as text")).to_be_visible()


def test_files_and_deals_of_a_competition(visit: Visit, site: Site) -> None:
    page = opened(visit, competition(site, [betting(3)]))
    page.get_by_text("Downloads and deals").click()
    links = page.get_by_role("list", name="Downloads").get_by_role("link")
    expect(links).to_have_text([".txt", ".phh", ".ohh", ".json"])
    expect(links.first).to_have_attribute("href", f"/api/competitions/spring/sessions/{SESSION}/hands/0.txt")
    about = page.locator(".about")
    expect(about).to_contain_text(SEED.hex())
    expect(about).to_contain_text("pokerd verify results/spring")
    expect(about).to_contain_text("Checked by this browser")
    expect(page.get_by_role("link", name="spring")).to_have_attribute("href", "/competition/spring")


@pytest.mark.parametrize("seed", ["", SEED.hex()])
def test_files_and_deals_of_an_open_table(visit: Visit, site: Site, seed: str) -> None:
    page = opened(visit, open_table(site, [betting(3)], seed=seed))
    page.get_by_text("Downloads and deals").click()
    expect(page.get_by_role("link", name=".ohh")).to_have_attribute("href", "/api/hands/table-1.7.16.ohh")
    expect(page.locator(".about")).to_contain_text(seed or "published when the table closes")
    # A table that is closed has no page any more.
    expect(page.get_by_role("link", name="Lantern")).to_have_count(0 if seed else 1)


@pytest.mark.parametrize("game", ["kuhn.limit.3p", "leduc.limit.2p", "custom.nolimit.4p.uneven"])
def test_other_games_can_be_looked_at(visit: Visit, site: Site, game: str) -> None:
    hand = random_hand(load_game(game), random.Random(4))
    page = opened(visit, competition(site, [hand]))
    press(page, "Last step")
    expect(page.get_by_role("table", name="Won and lost").get_by_role("row")).to_have_count(hand.game.players)
    page.get_by_text("Downloads and deals").click()
    links = page.get_by_role("list", name="Downloads").get_by_role("link")
    expect(links).to_have_count(4 if game.startswith("custom") else 2)


def test_names_are_text(visit: Visit, site: Site) -> None:
    names = ["<img src=x onerror=alert(1)>", "%s", "\u202eabc"]
    path = competition(site, [betting(3)])
    api = f"/api/competitions/spring/sessions/{SESSION}/hands/0"
    site.api[api] = told(betting(3), names=names, open=True, table=SESSION)
    page = opened(visit, path)
    expect(page.get_by_role("list", name="Log")).to_contain_text(names[0])
    expect(page.get_by_label("Follow").get_by_role("option", name=names[0])).to_have_count(1)


def missing(faults: list[str]) -> None:
    """The console tells of every answer that is not a good one."""
    assert any("404" in fault for fault in faults)
    faults[:] = [fault for fault in faults if "Failed to load resource" not in fault]


def test_what_cannot_be_looked_at_is_told_in_words(visit: Visit, site: Site, faults: list[str]) -> None:
    competition(site, [], status="running")
    for path, words in [
        ("/hand/table-9.1.1", "There is no such hand, or only its player may see it."),
        ("/hand/a/b", "This is not the address of a hand."),
        (f"/hand/spring/{SESSION}/0", "This hand is not available yet: the competition is running."),
        (f"/hand/autumn/{SESSION}/0", "There is no such hand"),
    ]:
        page = visit(path=path).page
        expect(page.get_by_role("alert")).to_contain_text(words)
        expect(page.get_by_role("link", name="All tables")).to_be_visible()
        assert violations(page) == []
    missing(faults)


def test_a_server_that_is_away_is_asked_again(visit: Visit, site: Site, faults: list[str]) -> None:
    path = competition(site, hands(3))
    page = opened(visit, path)
    away = True

    def answer(route: Route) -> None:
        if away:
            route.abort()
        else:
            route.continue_()

    page.route("**/hands/2", answer)
    press(page, "Next hand")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 1")
    press(page, "Next hand")
    expect(page.get_by_role("alert")).to_contain_text("not answer")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 1")
    expect(page).to_have_url(f"{site.url}/hand/spring/{SESSION}/1")
    press(page, "Step forward")
    at(page, 1)
    away = False
    press(page, "Try again")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 2")
    expect(page.get_by_role("alert")).to_have_count(0)
    faults[:] = [fault for fault in faults if "Failed to load resource" not in fault]


@pytest.mark.parametrize(("size", "screen"), [(2, "phone"), (6, "desk"), (10, "phone")])
def test_axe_finds_nothing(visit: Visit, site: Site, size: int, screen: str) -> None:
    page = opened(visit, competition(site, [all_in(size)]), **(PHONE if screen == "phone" else {}))
    for key in ("Home", "2", "End"):
        page.keyboard.press(key)
        assert violations(page) == []
    page.get_by_text("Downloads and deals").click()
    page.keyboard.press("?")
    assert violations(page) == []


def test_it_can_be_read_in_the_dark_and_as_text(visit: Visit, site: Site) -> None:
    look = {"settings": {"text": True}, "color_scheme": "light", "contrast": "more"}
    page = opened(visit, competition(site, [betting(6)]), **look)
    press(page, "Flop")
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, contrast_only=True) == []


@pytest.mark.parametrize("size", [2, 6, 10])
def test_a_phone_needs_no_sideways_scroll_and_thumbs_hit(visit: Visit, site: Site, size: int) -> None:
    names = ["A name as long as it can ", *NAMES[1:]]
    path = competition(site, [all_in(size)])
    api = f"/api/competitions/spring/sessions/{SESSION}/hands/0"
    site.api[api] = told(all_in(size), names=names, open=True, table=SESSION)
    page = opened(visit, path, **(PHONE | {"viewport": {"width": 390, "height": 740}}))
    page.get_by_text("Downloads and deals").click()
    page.get_by_role("button", name="Menu").click()
    for width in (320, 360, 390):
        page.set_viewport_size({"width": width, "height": 740})
        for key in ("Home", "2", "End"):
            page.keyboard.press(key)
            assert sideways(page) <= 0, (width, key)
        targets = page.locator("button:visible, input:visible:not([type=checkbox]), select:visible")
        small = targets.evaluate_all(
            """(all) => all.map((element) => [element.outerHTML, element.getBoundingClientRect()])
              .filter(([, box]) => box.height < 43.5 || box.width < 40)"""
        )
        assert small == [], width


def test_a_phone_shows_all_of_game_and_blinds(visit: Visit, site: Site) -> None:
    page = opened(visit, competition(site, [betting(3)]), **PHONE)
    game = page.locator(".game")
    expect(game).to_have_text("No-limit hold'em 10/20")
    for width in (320, 390):
        page.set_viewport_size({"width": width, "height": 740})
        expect(game, f"{width}").to_be_in_viewport()
        assert page.locator(".title p").evaluate("(line) => line.scrollWidth <= line.clientWidth"), width


def test_nothing_moves_when_motion_is_not_wanted(visit: Visit, site: Site) -> None:
    page = opened(visit, competition(site, [betting(3)]), reduced_motion="reduce")
    press(page, "Last step")
    moving = """(all) => all.map((element) => getComputedStyle(element))
      .filter((style) => style.animationName !== 'none' || style.transitionDuration !== '0s').length"""
    assert page.locator("*").evaluate_all(moving) == 0


def test_a_screen_reader_finds_its_way(visit: Visit, site: Site) -> None:
    page = opened(visit, competition(site, hands(2, 2)))
    press(page, "Step forward")
    expect(page.get_by_role("region", name="Replay")).to_match_aria_snapshot(
        """
        - region "Replay":
          - paragraph: /1 \\/ \\d+ Anna calls 10/
          - slider "Step": "1"
          - button "Previous hand" [disabled]
          - button "First step"
          - button "Step back"
          - button "Play"
          - button "Step forward"
          - button "Last step"
          - button "Next hand"
          - group "Streets":
            - button "Preflop" [pressed]
            - button "Flop"
            - button "Turn"
            - button "River"
            - button "Showdown"
        """
    )
