"""Visitors of the server that a module has as its ``place``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.real import Club, Enter, everybody


@pytest.fixture
def enter(browser: Browser, place: Club, faults: list[str]) -> Iterator[Enter]:
    with everybody(browser, place, faults) as enter:
        yield enter
