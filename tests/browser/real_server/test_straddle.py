"""A table with a straddle, from the form that opens it to the hand that begins with it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.real import Club, Enter, club, open_table


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    with club(tmp_path_factory.mktemp("club"), "--bots", "call") as place:
        yield place


def test_a_straddle_is_posted(enter: Enter) -> None:
    page = enter(name="Rea", settings={"speed": "instant"})
    label = "Straddle_of_two_big_blinds,_with_four_players_or_more"
    open_table(page, "deep", {"call": 3}, Seats="4", **{label: "yes"})
    # Whoever it is: the first hands may begin before all have sat down.
    expect(page.locator(".log")).to_contain_text(re.compile(r"straddles? for 20"))
    expect(page.get_by_title("straddle", exact=True)).to_have_count(1)
    page.get_by_text("straddle 20").first.wait_for()


def test_only_larger_no_limit_cash_tables_have_one(enter: Enter) -> None:
    page = enter(name="Sol")
    page.get_by_text("Open a table of your own").click()
    page.get_by_text("More options").click()
    form = page.locator("#own-form")
    form.get_by_label("Seats", exact=True).fill("3")
    form.get_by_label("Straddle of two big blinds").check()
    page.get_by_role("button", name="Open the table").press("Enter")
    expect(form.get_by_text("a straddle needs as many seats")).to_be_visible()
