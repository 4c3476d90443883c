"""A person lets a result be kept, sees it beside those of others, and deletes it."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.real import Club, Enter, asked, fold

KEEP = "Keep my result"


def play_challenge(page: Page, *, research: bool) -> None:
    """Ten hands heads-up, to the score."""
    page.get_by_label("Hands", exact=True).fill("10")
    page.get_by_label("Opponents").fill("1")
    page.get_by_label("They are").select_option("raise")
    page.get_by_text("Stakes and time").click()
    page.get_by_label("Seconds between hands").fill("0")
    keep = page.get_by_label(KEEP)
    expect(keep).not_to_be_checked()
    if research:
        keep.check()
    page.get_by_role("button", name="Play").click()
    page.wait_for_url("**/table/*")
    score = page.get_by_role("heading", name="Against the bots")
    fold(page, score)
    expect(score).to_be_visible()


def test_consent_result_and_deletion(enter: Enter) -> None:
    ann = enter("/challenge", name="Ann", settings={"speed": "instant"})
    assert violations(ann) == []
    play_challenge(ann, research=True)
    assert violations(ann) == []
    expect(ann.locator("table.score")).to_have_count(1)
    expect(ann.get_by_role("button", name="Delete my result")).to_be_visible()

    # Who does not consent sees how he did beside the others, and is not kept.
    bob = enter("/challenge", name="Bob", settings={"speed": "instant"})
    play_challenge(bob, research=False)
    expect(bob.locator("table.score")).to_have_count(2)
    expect(bob.get_by_role("button", name="Delete my result")).to_have_count(0)

    # Everybody can read the results; only Ann's browser can delete hers.
    stranger = enter("/people")
    everything = stranger.get_by_role("list", name="All results")
    expect(everything.get_by_role("table")).to_have_count(1)
    expect(everything).to_contain_text("Rosa")
    expect(stranger.get_by_role("button", name="Delete")).to_have_count(0)
    assert violations(stranger) == []
    mine = enter("/people", within=ann.context)
    expect(mine.locator("#page")).not_to_contain_text("Ann")
    assert violations(mine) == []
    mine.get_by_role("button", name="Delete").press("Enter")
    expect(mine.locator("#notice")).to_be_focused()
    expect(mine.get_by_role("button", name="Delete")).to_have_count(0)
    stranger.reload()
    expect(stranger.locator("table")).to_have_count(0)
    assert stranger.request.get(stranger.url.replace("/people", "/api/people/results")).json() == {
        "results": []
    }


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


def test_my_results_are_those_of_my_hands(enter: Enter) -> None:
    cid = enter("/challenge", name="Cid", settings={"speed": "instant"})
    play_challenge(cid, research=False)
    cid.goto(f"{cid.url.partition('/table')[0]}/")
    cid.get_by_role("navigation", name="Site").get_by_role("link", name="My results").click()
    expect(cid.get_by_role("heading", name="My results")).to_be_visible()
    expect(cid.get_by_text("10 hands of this browser")).to_be_visible()
    assert violations(cid) == []
    # The curve is drawn, and there is a row for every hand of it.
    expect(cid.locator(".chart canvas")).to_be_visible()
    cid.get_by_text("The same as a table").click()
    expect(cid.get_by_role("region", name="Big blinds won").locator("tbody tr")).to_have_count(11)
    cid.get_by_role("radio", name="Chips").check()
    expect(cid.get_by_role("region", name="Chips won").locator("tbody tr")).to_have_count(11)
    expect(cid.locator(".chart canvas")).to_have_count(1)
    style = cid.get_by_role("region", name="10 hands by position")
    expect(style.get_by_role("rowheader")).to_have_text(["BTN", "BB", "All"])
    sessions = cid.get_by_role("region", name="Newest first").locator("tbody tr")
    expect(sessions).to_have_count(1)
    cid.get_by_role("button", name="Make a link").click()
    link = cid.get_by_label("Link for your other device").input_value()
    phone = enter(link[link.index("/me") :], name="Cid's phone", viewport={"width": 390, "height": 844})
    expect(phone.get_by_role("heading", name="Take your results here?")).to_be_visible()
    assert violations(phone) == []
    phone.get_by_role("button", name="Yes, take them here").click()
    expect(phone.get_by_text("10 hands of this browser")).to_be_visible()
    assert phone.url.endswith("/me")
    cid.get_by_role("region", name="The most won and lost in one hand").get_by_role("link").first.click()
    expect(cid).to_have_title(re.compile("Hand"))
    # Another browser has none of them.
    expect(enter("/me", name="Dan").get_by_text("You have not finished a hand")).to_be_visible()
