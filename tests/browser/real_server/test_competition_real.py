"""The page of a competition that is really played, from before its first hand until its server has ended."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import violations
from tests.browser.real import club
from tests.browser.site import Site, open_context
from tests.support.competitions.arena import bot, competition, division
from tests.support.competitions.results import make
from tests.support.programs import PYTHON, Program

POKERD = (PYTHON, "-m", "pokerd")
PEOPLE = r"^people: (http://127\.0\.0\.1:\d+)(\S*)$"
#: Milliseconds; a page looks every two seconds, and others are at work on this machine.
PATIENCE = 120_000
TEXT = competition(
    [
        bot("late", token="the token of late"),
        *(bot(name, run=name, reset="message", tables=16) for name in ("call", "raise")),
    ],
    [
        division("duel", game="holdem.limit.2p.reverse_blinds", hands=20, matches=2),
        division(
            "cup", table={"mode": "tournament", "players": 3, "stack": 200}, seatings="rotations", matches=2
        ),
    ],
    name="real",
    # In the order of the file: the first sessions wait for who is not there yet.
    interleave=0,
    time={"start_ms": 600_000},
)


@pytest.fixture
def page(browser: Browser, faults: list[str]) -> Iterator[Page]:
    context = open_context(browser, Site("http://127.0.0.1:"), faults)
    yield context.new_page()
    context.close()


def test_a_competition_is_followed_from_its_first_hand_to_its_last_and_looked_at_afterwards(
    page: Page, faults: list[str], tmp_path: Path
) -> None:
    file, out = tmp_path / "real.toml", tmp_path / "results" / "real"
    file.write_text(TEXT)
    with Program(*POKERD, "compete", file, "--out", out, "--serve", "--web-port", "0") as playing:
        base, path = playing.says(PEOPLE).groups()
        bots = playing.says(r"^bots connect to (ws://\S+)$")[1]
        page.goto(base + path)
        expect(page.locator(".status")).to_have_text("running")
        expect(page.get_by_text("0 of 18 sessions")).to_be_visible()
        page.get_by_role("link", name="Matches").click()
        expect(page.get_by_text("No match")).to_be_visible()
        page.get_by_role("link", name="Standings").click()
        late = (*POKERD, "bot", "call", "--url", bots, "--token", "the token of late", "--tables", "4")
        with Program(*late) as guest:
            expect(page.locator(".status")).to_have_text("finished", timeout=PATIENCE)
            guest.end()
        seed = json.loads((out / "seed.json").read_text())["seed"]
        expect(page.get_by_text(seed, exact=True)).to_be_visible()
        expect(page.locator("#polite")).to_contain_text("finished")
        expect(page.locator("tbody tr")).to_have_count(3)
        playing.says("^people: .* until you press Ctrl-C$")
        _look_around(page, out)
        assert playing.stop(signal.SIGINT) == 0
        assert not playing.said("Traceback")
    assert faults == []


def _look_around(page: Page, out: Path) -> None:
    """Every section of the finished competition, down to a hand."""
    standings = json.loads((out / "standings.json").read_text())["divisions"]
    best = standings[0]["ranking"][0]
    expect(page.locator("tbody tr").first).to_contain_text(best["bot"])
    page.get_by_role("link", name="Crosstable").click()
    expect(page.locator("td[data-shade]")).to_have_count(9)
    assert violations(page) == []
    page.get_by_role("link", name="Curves").click()
    expect(page.locator("canvas")).to_be_visible()
    expect(page.locator(".lines li", has_text=best["bot"])).to_contain_text("±")
    page.get_by_role("link", name="Incidents").click()
    expect(page.get_by_text("Nothing went wrong.").first).to_be_visible()
    page.get_by_role("link", name="cup", exact=True).click()
    page.get_by_role("link", name="Standings").click()
    expect(page.get_by_role("columnheader", name="3rd")).to_be_visible()
    page.get_by_role("link", name="duel", exact=True).click()
    page.get_by_role("link", name="Crosstable").click()
    page.get_by_role("link", name="matches of late and raise").click()
    page.get_by_role("link", name="m0001-l001-s1").click()
    expect(page.get_by_role("table").locator("tbody tr")).to_have_count(20)
    expect(page.get_by_role("link", name="19", exact=True)).to_have_attribute(
        "href", "/hand/real/duel/m0001-l001-s1/19"
    )


def test_a_server_of_results_shows_all_of_them_and_its_end_is_said_kindly(
    page: Page, faults: list[str], tmp_path: Path
) -> None:
    results = tmp_path / "results"
    text = competition([bot("call"), bot("raise")], [division("duel", hands=10, matches=2)], name="done")
    make(results / "done", text)
    (results / "stopped").mkdir()
    (results / "stopped" / "competition.toml").write_text(text)
    with club(tmp_path) as place:
        page.goto(f"{place.site.url}/competitions")
        expect(page.locator("tbody tr")).to_have_count(2)
        page.get_by_role("row", name=re.compile("finished")).filter(has_not_text="not").get_by_role(
            "link"
        ).click()
        expect(page.locator(".status")).to_have_text("finished")
        page.get_by_role("link", name="Curves").click()
        expect(page.locator("canvas")).to_be_visible()
    page.get_by_role("link", name="Matches").click()
    expect(page.get_by_role("status").filter(has_text="not answer")).to_be_visible()
    page.get_by_role("link", name="Standings").click()
    expect(page.locator("tbody tr")).to_have_count(2)
    assert all("ERR_CONNECTION_REFUSED" in fault for fault in faults)
    faults.clear()
