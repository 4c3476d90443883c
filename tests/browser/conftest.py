"""A browser, the pages, and a dealer that the test plays. What no page may do fails every test."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

from tests.browser.site import Dealer, Message, Site, launch, open_context, serve_pages

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


@pytest.fixture
def site() -> Iterator[Site]:
    with serve_pages() as site:
        yield site


@pytest.fixture
def faults() -> Iterator[list[str]]:
    """Errors in the console, broken policies and requests to strangers; who expects one takes it out."""
    faults: list[str] = []
    yield faults
    assert faults == []


@pytest.fixture
def visit(browser: Browser, site: Site, faults: list[str]) -> Iterator[Visit]:
    """``visit(messages, path=..., clock=..., script=..., **context)`` opens a page whose dealer greets it
    with ``messages``; ``script`` runs before the page's own. Unless ``greet``, it says no hello by itself.
    """
    contexts = []

    def open_page(
        messages: Sequence[Message] = (),
        path: str = "/table/table-1",
        clock: bool = False,
        script: str = "",
        greet: bool = True,
        **options: Any,
    ) -> Dealer:
        context = open_context(browser, site, faults, **options)
        contexts.append(context)
        if script:
            context.add_init_script(script)
        page = context.new_page()
        if clock:
            page.clock.install()
        dealer = Dealer(page, messages)
        page.goto(site.url + path)
        if messages and greet:
            dealer.hears("hello")
        return dealer

    yield open_page
    for context in contexts:
        context.close()
