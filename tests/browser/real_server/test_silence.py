"""A network that loses everything and closes nothing: the page must find out by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.real import answer, asked, club, open_table
from tests.browser.site import Site, open_context
from tests.chaos.proxy import Proxy


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxy]:
    with club(tmp_path, "--tables", "1", "--bots", "") as place:
        port = urlsplit(place.site.url).port
        assert port is not None
        with Proxy(port) as proxy:
            yield proxy


def silence(page: Page, proxy: Proxy, *keys: str) -> None:
    """Nothing arrives any more; the page notices, and new connections work."""
    proxy.hold()
    proxy.swallow()
    for key in keys:
        page.keyboard.press(key)
    expect(page.locator(".banner")).to_contain_text("connection is lost", timeout=15_000)
    expect(page.locator(".slot:enabled")).to_have_count(0)
    proxy.release()
    expect(page.locator(".banner")).to_have_count(0)
    asked(page)


def test_a_page_notices_that_nothing_arrives_any_more_and_connects_again(
    browser: Browser, proxy: Proxy, faults: list[str]
) -> None:
    site = Site(f"http://127.0.0.1:{proxy.port}")
    context = open_context(browser, site, faults, settings={"name": "Ann"})
    page = context.new_page()
    page.goto(site.url)
    open_table(page, "Silent", {"call": 1}, Seats="2", Seconds_to_decide="60")
    asked(page)

    silence(page, proxy, "c")
    # The call was lost: the same turn is asked again, and is answered.
    answer(page, "c")
    asked(page)
    # Without a word of mine, by the missing heartbeat.
    silence(page, proxy)
    answer(page, "c")
    asked(page)
    context.close()
