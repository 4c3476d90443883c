"""A person plays a challenge to its end, with the server and the bots behind it."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.real import Enter, call
from tests.browser.site import menu


def test_ten_hands_against_the_same_cards(enter: Enter, faults: list[str]) -> None:
    page = enter("/challenge", name="Ann", settings={"speed": "instant"})
    page.get_by_label("Hands", exact=True).fill("10")
    page.get_by_label("Opponents").fill("1")
    page.get_by_label("Rival").select_option("random")
    page.get_by_label("They are").select_option("call")
    page.get_by_text("Stakes and time").click()
    page.get_by_label("Seconds between hands").fill("0")
    page.get_by_role("button", name="Play").press("Enter")
    page.wait_for_url("**/table/*")
    compare = page.get_by_role("link", name="Compare hand by hand")
    call(page, compare)
    compare.press("Enter")
    page.wait_for_url("**/challenge/*")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ann against Dizzy")
    rows = page.get_by_role("region", name="Chips won or lost in each hand").locator("tbody tr")
    expect(rows).to_have_count(10)
    expect(page.locator(".verdict")).not_to_be_empty()
    expect(page.locator("main .chart canvas")).to_have_count(1)
    assert violations(page) == []
    # Both replays show the same cards in the seat.
    seen = []
    for place in (0, 1):
        replay = enter(rows.nth(4).get_by_role("link").nth(place).get_attribute("href"), within=page.context)
        expect(replay.locator(".you")).to_be_visible()
        cards = replay.locator(".hole:not(span)").first.locator(".card")
        seen.append([card.get_attribute("aria-label") for card in cards.all()])
    assert seen[0] == seen[1]
    assert len(seen[0]) == 2
    # The address can be given to others.
    stranger = enter(page.url.partition("127.0.0.1")[2].partition("/")[1] + page.url.split("/", 3)[3])
    expect(stranger.get_by_role("heading", level=1)).to_have_text("Ann against Dizzy")

    # A friend plays the same hands by the link, once, and both see all results.
    address = page.get_by_label("Link for friends").input_value()
    path = address[address.index("/challenge") :]
    friend = enter(path, name="Ben", settings={"speed": "instant"})
    expect(friend.get_by_role("heading", level=1)).to_have_text("Ann invites you")
    assert violations(friend) == []
    friend.get_by_role("button", name="Play").press("Enter")
    friend.wait_for_url("**/table/*")
    own_result = friend.get_by_role("link", name="Compare hand by hand")
    call(friend, own_result)
    own_result.click()
    friend.wait_for_url("**/challenge/*")
    theirs = friend.get_by_role("region", name="Chips won or lost in each hand")
    expect(theirs.get_by_role("columnheader", name="Ann")).to_be_visible()
    page.reload()
    mine = page.get_by_role("region", name="Chips won or lost in each hand")
    expect(mine.get_by_role("columnheader", name="Ben")).to_be_visible()
    # Both called down: the same cards and opponents bring both the same.
    for region, other in ((theirs, "Ann"), (mine, "Ben")):
        heads = region.get_by_role("columnheader").all_inner_texts()
        column = next(at for at, head in enumerate(heads) if other in head)
        for row in region.locator("tbody tr").all():
            cells = row.locator("th, td")
            assert cells.nth(1).inner_text() == cells.nth(column).inner_text()
    friend.goto(f"{friend.url.partition('/challenge')[0]}{path}")
    expect(friend.get_by_role("status")).not_to_have_text("Loading…")
    expect(friend.get_by_role("button", name="Play")).to_have_count(0)
    faults.remove(next(one for one in faults if "404" in one))


def test_who_breaks_off_sees_how_far_it_came(enter: Enter, tmp_path: Path) -> None:
    page = enter("/challenge", name="Bob", settings={"speed": "instant"})
    # Only hands that both have finished are compared: a rival that starts at once has some.
    page.get_by_label("Rival").select_option("call")
    page.get_by_label("They are").select_option("call")
    page.get_by_label("Opponents").fill("1")
    page.get_by_text("Stakes and time").click()
    page.get_by_label("Seconds between hands").fill("0")
    page.get_by_role("button", name="Play").click()
    page.wait_for_url("**/table/*")
    call(page, page.locator(".log li", has_text="Hand 2: "))
    menu(page, "Leave").click()
    dialog = page.get_by_role("dialog", name="Leave the challenge?")
    dialog.get_by_role("button", name="Leave now").click()
    page.get_by_role("link", name="Compare hand by hand").click()
    expect(page.get_by_text("stopped early")).to_be_visible()
