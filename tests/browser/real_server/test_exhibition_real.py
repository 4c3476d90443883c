"""The table at which only house bots play, as visitors of a real server see it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from server.commands.serve import SHOWCASE
from tests.browser.real import club, everybody

#: The hand that a page is at.
NUMBER = "Number(document.querySelector('.title .hand').textContent.match(/\\d+/))"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_exhibition_plays_face_up_in_the_lobby_and_at_its_table(
    browser: Browser, tmp_path: Path, faults: list[str], workers: str
) -> None:
    tables = ("--tables", "1", "--bots", "", "--exhibition", "call,random,call", "--workers", workers)
    with club(tmp_path, *tables) as place, everybody(browser, place, faults) as enter:
        lobby = enter()
        expect(lobby.get_by_role("heading", name=f"Bots at {SHOWCASE}")).to_be_visible()
        small = lobby.locator(".mini")
        expect(small.locator(".hole .card:not(.back)")).to_have_count(6)
        expect(small.locator(".name")).to_have_text(["Carl 1call", "Dizzyrandom", "Carl 2call"])
        expect(lobby.get_by_role("button", name=f"Full: {SHOWCASE}")).to_be_disabled()

        lobby.get_by_role("link", name=re.compile("^Watch")).last.click()
        expect(lobby.get_by_role("heading", level=1)).to_contain_text(SHOWCASE)
        expect(lobby.locator(".hole .card:not(.back)")).to_have_count(6)
        lobby.wait_for_function(f"(before) => {NUMBER} > before", arg=lobby.evaluate(NUMBER))
        expect(lobby.get_by_role("button", name="Sit here")).to_have_count(0)
