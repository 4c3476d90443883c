"""A person plays a challenge to its end, with the server and the bots behind it; lets a result be kept, sees
it beside those of others, and deletes it.
"""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.real import Club, Enter, asked, call, fold
from tests.browser.site import menu

KEEP = "Keep my result"


def choose_challenge(page: Page, rival: str, opponent: str) -> None:
    """Ten hands against one opponent, without a pause."""
    page.get_by_label("Hands", exact=True).fill("10")
    page.get_by_label("Opponents").fill("1")
    page.get_by_label("Rival").select_option(rival)
    page.get_by_label("They are").select_option(opponent)
    page.get_by_text("Stakes and time").click()
    page.get_by_label("Seconds between hands").fill("0")


def test_ten_hands_against_the_same_cards(enter: Enter, faults: list[str]) -> None:
    page = enter("/challenge", name="Ann", settings={"speed": "instant"})
    choose_challenge(page, "random", "call")
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


def play_challenge(page: Page, *, research: bool) -> None:
    """Ten hands heads-up, to the score."""
    choose_challenge(page, "call", "raise")
    keep = page.get_by_label(KEEP)
    expect(keep).not_to_be_checked()
    if research:
        keep.check()
    page.get_by_role("button", name="Play").click()
    page.wait_for_url("**/table/*")
    score = page.get_by_role("heading", name="Against the bots")
    fold(page, score)
    expect(score).to_be_visible()


def look_at_my_results(page: Page, enter: Enter) -> None:
    """Those of a challenge, here and on another device."""
    page.goto(f"{page.url.partition('/table')[0]}/")
    page.get_by_role("navigation", name="Site").get_by_role("link", name="My results").click()
    expect(page.get_by_role("heading", name="My results")).to_be_visible()
    expect(page.get_by_text("10 hands of this browser")).to_be_visible()
    assert violations(page) == []
    # The curve is drawn, and there is a row for every hand of it.
    expect(page.locator(".chart canvas")).to_be_visible()
    page.get_by_text("The same as a table").click()
    expect(page.get_by_role("region", name="Big blinds won").locator("tbody tr")).to_have_count(11)
    page.get_by_role("radio", name="Chips").check()
    expect(page.get_by_role("region", name="Chips won").locator("tbody tr")).to_have_count(11)
    expect(page.locator(".chart canvas")).to_have_count(1)
    style = page.get_by_role("region", name="10 hands by position")
    expect(style.get_by_role("rowheader")).to_have_text(["BTN", "BB", "All"])
    sessions = page.get_by_role("region", name="Newest first").locator("tbody tr")
    expect(sessions).to_have_count(1)
    page.get_by_role("button", name="Make a link").click()
    link = page.get_by_label("Link for your other device").input_value()
    phone = enter(link[link.index("/me") :], name="the phone", viewport={"width": 390, "height": 844})
    expect(phone.get_by_role("heading", name="Take your results here?")).to_be_visible()
    assert violations(phone) == []
    phone.get_by_role("button", name="Yes, take them here").click()
    expect(phone.get_by_text("10 hands of this browser")).to_be_visible()
    assert phone.url.endswith("/me")
    page.get_by_role("region", name="The most won and lost in one hand").get_by_role("link").first.click()
    expect(page).to_have_title(re.compile("Hand"))
    # Another browser has none of them.
    expect(enter("/me", name="Dan").get_by_text("You have not finished a hand")).to_be_visible()


def test_who_consents_is_kept_until_deleted_and_everybody_has_his_own_results(enter: Enter) -> None:
    eva = enter("/challenge", name="Eva", settings={"speed": "instant"})
    assert violations(eva) == []
    play_challenge(eva, research=True)
    assert violations(eva) == []
    expect(eva.locator("table.score")).to_have_count(1)
    expect(eva.get_by_role("button", name="Delete my result")).to_be_visible()

    # Who does not consent sees how he did beside the others, and is not kept.
    leo = enter("/challenge", name="Leo", settings={"speed": "instant"})
    play_challenge(leo, research=False)
    expect(leo.locator("table.score")).to_have_count(2)
    expect(leo.get_by_role("button", name="Delete my result")).to_have_count(0)

    # Everybody can read the results; only Eva's browser can delete hers.
    stranger = enter("/people")
    everything = stranger.get_by_role("list", name="All results")
    expect(everything.get_by_role("table")).to_have_count(1)
    expect(everything).to_contain_text("Rosa")
    expect(stranger.get_by_role("button", name="Delete")).to_have_count(0)
    assert violations(stranger) == []
    mine = enter("/people", within=eva.context)
    expect(mine.locator("#page")).not_to_contain_text("Eva")
    assert violations(mine) == []
    mine.get_by_role("button", name="Delete").press("Enter")
    expect(mine.locator("#notice")).to_be_focused()
    expect(mine.get_by_role("button", name="Delete")).to_have_count(0)
    stranger.reload()
    expect(stranger.locator("table")).to_have_count(0)
    assert stranger.request.get(stranger.url.replace("/people", "/api/people/results")).json() == {
        "results": []
    }

    # Kept by the others or not, the hands are his own.
    look_at_my_results(leo, enter)


def test_a_result_can_be_deleted_where_it_is_shown(enter: Enter, place: Club) -> None:
    page = enter("/challenge", name="Cleo", settings={"speed": "instant"})
    play_challenge(page, research=True)
    results = f"{place.site.url}/api/people/results"
    assert len(page.request.get(results).json()["results"]) == 1
    delete = page.get_by_role("button", name="Delete my result")
    delete.press("Enter")
    expect(delete).to_have_count(0)
    assert page.request.get(results).json() == {"results": []}


def test_the_ten_tournaments_ask_as_well(enter: Enter, tmp_path: Path) -> None:
    page = enter("/", name="Dora")
    form = page.get_by_role("form", name="Ten tournaments")
    keep = form.get_by_label(KEEP)
    expect(keep).not_to_be_checked()
    keep.check()
    form.get_by_role("button", name="Start").click()
    page.wait_for_url("**/table/*")
    expect(page.get_by_text("Tournament 1 of 10")).to_be_visible()
    assert asked(page)
