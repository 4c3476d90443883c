"""A browser, the pages, and a dealer that the test plays. What no page may do fails every test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, sync_playwright

from tests.browser.site import Dealer, Message, Site, launch, open_context, serve_pages
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
def visit(browser: Browser, site: Site, faults: list[str], tabs: Tabs) -> Iterator[Visit]:
    """``visit(messages, path=..., clock=..., script=..., **context)`` opens a page whose dealer greets it
    with ``messages``; ``script`` runs before the page's own. Unless ``greet``, it says no hello by itself.
    """
    contexts: list[BrowserContext] = []

    def page_with_clock(script: str, options: dict[str, Any]) -> Page:
        context = open_context(browser, site, faults, **options)
        contexts.append(context)
        if script:
            context.add_init_script(script)
        page = context.new_page()
        page.clock.install()
        return page

    def open_page(
        messages: Sequence[Message] = (),
        path: str = "/table/table-1",
        clock: bool = False,
        script: str = "",
        greet: bool = True,
        **options: Any,
    ) -> Dealer:
        # A clock that was taken over cannot be given back.
        page = page_with_clock(script, options) if clock else tabs.take(script, options)
        dealer = Dealer(page, messages)
        page.goto(site.url + path)
        if messages and greet:
            dealer.hears("hello")
        return dealer

    yield open_page
    for context in contexts:
        context.close()
    tabs.give_back()
