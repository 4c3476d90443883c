"""The server of a module, started with its ``OPTIONS`` if it has any, and visitors of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Playwright

from tests.browser.conftest import loop_of
from tests.browser.real import Club, Enter, club, everybody
from tests.browser.tabs import Tabs


@pytest.fixture(scope="module")
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    with club(tmp_path_factory.mktemp("club"), *getattr(request.module, "OPTIONS", ())) as place:
        yield place


@pytest.fixture(scope="module")
def kept(playwright: Playwright, browser: Browser, place: Club, all_faults: list[str]) -> Iterator[Tabs]:
    tabs = Tabs(browser, place.site, all_faults)
    yield tabs
    with loop_of(playwright):
        tabs.close()


@pytest.fixture
def enter(browser: Browser, place: Club, faults: list[str], kept: Tabs) -> Iterator[Enter]:
    with everybody(browser, place, faults, kept) as enter:
        yield enter
