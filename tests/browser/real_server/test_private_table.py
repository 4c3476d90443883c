"""A table that only a link leads to, and what cards tell there once they are up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.real import Club, Enter, club, fold, open_table, shove


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Club]:
    with club(tmp_path, "--bots", "call") as place:
        yield place


def test_only_the_link_leads_to_a_private_table_where_cards_are_looked_at(enter: Enter, place: Club) -> None:
    page = enter(name="Pia", settings={"speed": "slow"})
    private = {"Private:_only_those_with_the_link_find_it": "on"}
    open_table(page, "", {"call": 1}, Seats="2", Seconds_between_hands="3", **private)
    path = urlsplit(page.url).path
    assert path.startswith("/table/private-")
    listed = page.request.get(f"{place.site.url}/api/tables").json()["tables"]
    assert path.rpartition("/")[2] not in {table["table"] for table in listed}
    guest = enter(path, name="Gus")
    expect(guest.locator(".seat", has_text="Pia")).to_be_visible()
    board = page.get_by_role("list", name="Board").get_by_role("listitem")

    rabbit = page.get_by_role("button", name="Rabbit")
    fold(page, rabbit)
    rabbit.press("Enter")
    expect(board).to_have_count(5)

    shares = page.locator(".share")
    shove(page, shares)
    mine, theirs = (int(re.search(r"(\d+)", text)[1]) for text in shares.all_inner_texts())  # type: ignore[index]
    assert abs(mine + theirs - 100) <= 1
    expect(board).to_have_count(5)
    expect(shares).to_have_count(0)
