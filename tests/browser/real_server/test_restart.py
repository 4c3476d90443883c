"""A page that was open when the server was killed: it comes back by itself, to the same table."""

from __future__ import annotations

import signal
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browser.real import answer, asked, open_table
from tests.browser.site import Site, open_context
from tests.support.served import Place

#: All that a page shows of the hand in progress.
SIGHT = """() => {
  const text = (where) => [...document.querySelectorAll(where)].map((one) => one.innerText);
  const cards = [...document.querySelectorAll(".card")].map((card) => card.ariaLabel);
  return {
    title: text("h1"), hand: text(".title .hand"), pot: text(".pot b"), cards,
    stacks: text(".seat .stack"), names: text(".seat .name"), actions: text("[data-slot]"),
  };
}"""


def sight(page: Page) -> dict[str, list[str]]:
    seen: dict[str, list[str]] = page.evaluate(SIGHT)
    return seen


def test_a_page_comes_back_to_its_table_when_the_server_was_killed(
    browser: Browser, tmp_path: Path, faults: list[str]
) -> None:
    with Place(tmp_path / "data", "--tables", "1", "--bots", "") as place:
        site = Site(place.people.replace("ws:", "http:").removesuffix("/ws"))
        contexts = [open_context(browser, site, faults, settings={"name": name}) for name in ("Ann", "Eve")]
        ann, eve = (context.new_page() for context in contexts)
        ann.goto(site.url)
        open_table(ann, "Lasting", {"call": 1}, Seats="2", Seconds_to_decide="60")
        asked(ann)
        eve.goto(ann.url)
        for _ in range(2):
            answer(ann, "c")
            asked(ann)
        # Spectators are told a moment later.
        expect(eve.locator(".board .card")).to_have_count(ann.locator(".board .card").count())
        before, public = sight(ann), sight(eve)
        assert len([card for card in before["cards"] if card]) >= 2

        place.end(signal.SIGKILL)
        for page in (ann, eve):
            expect(page.locator(".banner")).to_contain_text("connection is lost")
        place.begin()
        for page in (ann, eve):
            expect(page.locator(".banner")).to_have_count(0)
        asked(ann)
        assert sight(ann) == before
        expect(eve.locator(".board .card")).to_have_count(ann.locator(".board .card").count())
        assert sight(eve) == public

        # By the cookie alone: another page of the same browser.
        ann.reload()
        asked(ann)
        assert sight(ann) == before
        answer(ann, "c")
        asked(ann)
        assert sight(ann) != before
        for context in contexts:
            context.close()
        place.end(signal.SIGTERM)
    refused = [fault for fault in faults if "/ws" in fault and "ERR_CONNECTION_REFUSED" in fault]
    assert refused
    faults[:] = [fault for fault in faults if fault not in refused]
