"""All-ins that are run twice or divided by equity, from the form that opens the table to the replayer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.real import Club, Enter, club, open_table, shove


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    with club(tmp_path_factory.mktemp("club"), "--bots", "call") as place:
        yield place


def replayed(page: Page) -> None:
    """Go to the last step of the hand that just ended."""
    page.get_by_role("button", name="Last hand").click()
    page.get_by_role("link", name="Replay").click()
    page.get_by_role("button", name="Last step").click()


WISHES = {"Seats": "2", "Seconds_between_hands": "20"}


#: ``dealt`` has how many cards lay on the second board, one number after the other.
DEALT = """
window.dealt = [];
new MutationObserver(() => {
  const cards = document.querySelectorAll("ul[aria-label='Second board'] > li").length;
  if (cards && dealt.at(-1) !== cards) dealt.push(cards);
}).observe(document, { childList: true, subtree: true });
"""


def test_all_ins_are_run_twice(enter: Enter) -> None:
    page = enter(name="Pia", settings={"speed": "fast"}, script=DEALT)
    open_table(page, "twice", {"call": 1}, **WISHES, **{"All-ins_at_cash_tables": "twice"})
    page.get_by_label("Run it twice").check()
    second = page.get_by_role("list", name="Second board").get_by_role("listitem")
    shove(page, second)
    expect(second).to_have_count(5)
    expect(page.get_by_role("list", name="Result")).to_contain_text("on the second board")
    assert page.evaluate("dealt") == [3, 4, 5]
    replayed(page)
    expect(page.get_by_role("list", name="Second board").get_by_role("listitem")).to_have_count(5)


def test_all_ins_are_divided_by_equity(enter: Enter) -> None:
    page = enter(name="Quin", settings={"speed": "instant"})
    open_table(page, "equity", {"call": 1}, **WISHES, **{"All-ins_at_cash_tables": "equity"})
    result = page.get_by_role("list", name="Result")
    shove(page, result)
    expect(result).to_contain_text("by equity")
    expect(page.get_by_role("list", name="Board").get_by_role("listitem")).to_have_count(0)
    replayed(page)
    expect(page.get_by_role("list", name="Result")).to_contain_text("by equity")
    expect(page.get_by_role("region", name="Equity")).to_be_visible()
