"""A browser, the pages, and a dealer that the test plays. What no page may do fails every test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from tests.browser.site import Dealer, Message, Site, launch, serve_pages
from tests.browser.tabs import Tabs

Visit = Callable[..., Dealer]


@contextmanager
def loop_of(playwright: Playwright) -> Iterator[None]:
    """As long as playwright runs, this thread is inside its event loop. Only tests of the browser may see
    that: no asynchronous test could run there.
    """
    asyncio._set_running_loop(playwright._impl_obj._loop)
    yield
    asyncio._set_running_loop(None)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    manager = sync_playwright()
    running = manager.start()
    # The debug mode of the suite is for our own loops: here it would cost more than half of the test's time.
    running._impl_obj._loop.set_debug(False)
    asyncio._set_running_loop(None)
    yield running
    with loop_of(running):
        running.stop()


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    with loop_of(playwright):
        browser = launch(playwright)
    yield browser
    with loop_of(playwright):
        browser.close()


@pytest.fixture(autouse=True)
def in_the_loop(playwright: Playwright) -> Iterator[None]:
    with loop_of(playwright):
        yield


@pytest.fixture(scope="session")
def pages() -> Iterator[Site]:
    with serve_pages() as site:
        yield site


@pytest.fixture
def site(pages: Site) -> Site:
    pages.reset()
    return pages


@pytest.fixture(scope="session")
def all_faults() -> list[str]:
    return []


@pytest.fixture
def faults(all_faults: list[str]) -> Iterator[list[str]]:
    """Errors in the console, broken policies and requests to strangers; who expects one takes it out."""
    yield all_faults
    found = all_faults.copy()
    all_faults.clear()
    assert found == []


@pytest.fixture(scope="session")
def tabs(playwright: Playwright, browser: Browser, pages: Site, all_faults: list[str]) -> Iterator[Tabs]:
    tabs = Tabs(browser, pages, all_faults)
    yield tabs
    with loop_of(playwright):
        tabs.close()


@pytest.fixture
def visit(site: Site, faults: list[str], tabs: Tabs) -> Iterator[Visit]:
    """``visit(messages, path=..., script=..., **context)`` opens a page whose dealer greets it with
    ``messages``; ``script`` runs before the page's own. Unless ``greet``, it says no hello by itself. With
    ``clock`` its time is the test's.
    """

    def open_page(
        messages: Sequence[Message] = (),
        path: str = "/table/table-1",
        script: str = "",
        greet: bool = True,
        **options: Any,
    ) -> Dealer:
        page = tabs.take(script, options)
        dealer = Dealer(page, messages)
        page.goto(site.url + path)
        if messages and greet:
            dealer.hears("hello")
        return dealer

    yield open_page
    tabs.give_back()
