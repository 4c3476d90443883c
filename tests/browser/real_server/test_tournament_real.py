"""People register for a tournament, sit down, are moved to another table, and read how they finish."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import violations
from tests.browser.real import TURN, Club, Enter, path_of


def announce(page: Page, **wishes: str) -> None:
    """Fill in the form and send it."""
    page.get_by_text("Open a tournament").click()
    for label, value in wishes.items():
        control = page.get_by_label(label.replace("_", " "), exact=True)
        if control.evaluate("(one) => one.tagName") == "SELECT":
            control.select_option(value)
        else:
            control.fill(value)
    page.get_by_role("button", name="Open the tournament").click()
    page.wait_for_url("**/tournament/*")


def play(people: Sequence[Page], *until: Locator) -> None:
    """Go all in, or call, on every turn of these people, until all these are to be seen."""
    end = time.monotonic() + 120
    while not all(one.is_visible() for one in until):
        assert time.monotonic() < end
        for page in people:
            if page.locator(TURN).count():
                page.keyboard.press("5")
                page.keyboard.press("Enter" if page.locator("[data-slot=raise]").is_enabled() else "c")
        people[0].wait_for_timeout(50)


def test_from_the_lobby_over_two_tables_to_the_last_hand(enter: Enter, place: Club) -> None:
    people = [
        enter("/tournament", name=name, settings={"speed": "instant"}) for name in ("Ann", "Bob", "Cid")
    ]
    ann = people[0]
    announce(
        ann,
        Name_of_the_tournament="Sunday cup",
        Start="0",
        Most_players="3",
        Seats_at_a_table="2",
        Bots_that_fill_it_up="0",
        Chips="100",
        Blinds_rise="hyper",
    )
    assert violations(ann) == []
    for page in people[1:]:
        page.get_by_role("link", name="Sunday cup").click()
    for left, page in zip((2, 1, 0), people, strict=True):
        page.get_by_role("button", name="Register").click()
        expect(page.get_by_text("You are registered.")).to_be_visible()
        if left:
            expect(page.get_by_text(f"Starts when {left} more player")).to_be_visible()
    for page in people:
        page.wait_for_url("**/table/tournament-1-*", timeout=30_000)
    at_first = [path_of(page) for page in people]
    # The first table has two seats, so the third person waits alone until these have played.
    alone = people[at_first.index("/table/tournament-1-2")]
    others = [page for page in people if page is not alone]
    final = alone.get_by_text("This is the final table.")
    play(others, final)
    assert urlsplit(alone.url).path == "/table/tournament-1-1"
    results = [page.get_by_role("heading", name=re.compile("You finished")) for page in people]
    play(people, *results)
    places = [re.findall(r"You finished (\w+) of 3", result.inner_text())[0] for result in results]
    assert sorted(places) == ["1st", "2nd", "3rd"]
    # Whoever was moved had the better of the first who lost.
    assert places[people.index(alone)] != "3rd"

    lobby = enter("/tournament/tournament-1", name="Dan")
    expect(lobby.get_by_text("Over: 3 players took part")).to_be_visible()
    assert violations(lobby) == []
    people[0].get_by_role("link", name="Players and places").click()
    expect(people[0].get_by_role("status")).to_contain_text("You finished")
