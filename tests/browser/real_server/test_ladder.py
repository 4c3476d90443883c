"""The pages of a ladder that runs: from a token and a file to a rating and hands; the organiser's page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.real import Club, Enter
from tests.browser.site import Site
from tests.support.ladder import CALLER, DEADLINE, write_ladder
from tests.support.programs import PYTHON, Program

#: Milliseconds that a check and the first matches may take on a machine with much else to do.
PATIENCE = 180_000
#: Pixels of a narrow phone.
NARROW = 320


class Running(NamedTuple):
    """A running ladder with a few matches, and the tokens."""

    club: Club
    tokens: dict[str, str]


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("ladder") / "spring"
    tokens = write_ladder(folder, f"matches = 1\n{DEADLINE}")
    options = ("--port", "0", "--web-port", "0", "--sandbox", "off")
    pokerd = (PYTHON, "-m", "tests.browser.real_server.quiet_ladder")
    with Program(*pokerd, "ladder", "serve", folder, *options) as server:
        bots = server.says(r"^bots connect to (ws://\S+)$")[1]
        url = server.says(r"^people: (http://[^/]+)/ladder$")[1]
        yield Running(Club(Site(url), bots, server), tokens)
        assert server.stop() == 130
        assert not server.said("Traceback")


@pytest.fixture(scope="module")
def place(ladder: Running) -> Club:
    return ladder.club


def log_in(page: Page, token: str) -> None:
    page.get_by_label(re.compile("token", re.IGNORECASE)).first.fill(token)
    page.get_by_role("button", name="Log in").click()


def expect_sound(page: Page) -> None:
    """Nothing keeps people out: in the light, in the dark, and on a phone, which does not scroll sideways."""
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, contrast_only=True) == []
    page.emulate_media(color_scheme="light")
    before = page.viewport_size
    page.set_viewport_size({"width": NARROW, "height": 640})
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == NARROW
    assert before is not None
    page.set_viewport_size(before)


def test_a_bot_is_pushed_rated_challenges_and_its_hands_are_replayed(
    enter: Enter, ladder: Running, tmp_path: Path
) -> None:
    page = enter("/ladder/mine")
    log_in(page, ladder.tokens["ann"])
    expect(page.get_by_role("heading", name="Push a version")).to_be_visible()
    expect(page.get_by_text("hand-in")).to_be_visible()
    file = tmp_path / "bot.py"
    file.write_bytes(CALLER)
    page.get_by_label("Pick files").set_input_files(file)
    expect(page.get_by_role("heading", name="ann@1")).to_be_visible()
    expect(page.locator(".steps [data-step=done]")).to_have_count(4, timeout=PATIENCE)
    page.get_by_text("Log of ann@1").click()
    expect(page.locator("pre")).to_contain_text("fault")
    expect_sound(page)
    page.get_by_label("Opponent").select_option("raise")
    page.get_by_role("button", name="Challenge").click()
    expect(page.get_by_role("status").filter(has_text="raise")).to_be_visible()

    page.get_by_role("link", name="Ladder", exact=True).click()
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=re.compile("^ann")))
    expect(row.get_by_role("img", name=re.compile("^rank 1|^rank [2-4]"))).to_be_visible()
    expect(row).to_contain_text("±")
    coming = page.locator(".queue").filter(has=page.get_by_role("heading", name="Next"))
    expect(coming.get_by_role("listitem").first).to_contain_text(" \N{EN DASH} ")
    expect_sound(page)
    row.get_by_role("link", name="ann", exact=True).click()

    page.wait_for_url("**/ladder/bots/ann")
    expect(page.locator("canvas")).to_be_visible(timeout=PATIENCE)
    against = page.get_by_role("region", name=re.compile("Result against"))
    expect(against.get_by_role("row")).not_to_have_count(1)
    style = page.get_by_role("region", name=re.compile("hands of ann@1"))
    expect(style.get_by_role("row", name="All")).to_contain_text("100.0")
    expect(page.get_by_text("beats call")).to_be_visible()
    expect_sound(page)
    expect(page.get_by_role("row", name=re.compile("challenge by ann"))).to_contain_text(
        re.compile("20[0-9]{2}"), timeout=PATIENCE
    )
    page.get_by_role("row", name=re.compile("challenge by ann")).get_by_role("link").click()

    page.wait_for_url("**/ladder/matches/*")
    expect(page.locator(".status")).to_have_text("finished")
    page.get_by_role("link", name="Seating 2").click()
    hands = page.get_by_role("region", name=re.compile("Hands"))
    expect(hands.locator("tbody tr")).to_have_count(10)
    expect_sound(page)
    hands.get_by_role("link", name="3", exact=True).click()
    page.wait_for_url("**/hand/match-*/ladder/*/3")
    expect(page.get_by_text("ann@1").first).to_be_visible()
    expect(page.locator(".card:not(.back)").nth(3)).to_be_visible()


def test_the_token_stays_in_this_browser_and_a_wrong_one_is_refused(
    enter: Enter, ladder: Running, faults: list[str]
) -> None:
    asked: list[str] = []
    page = enter("/ladder/mine")
    page.on("request", lambda request: asked.append(request.url))
    log_in(page, "wrong")
    expect(page.get_by_role("alert")).to_be_visible()
    assert all("status of 401" in fault for fault in faults)
    faults.clear()
    log_in(page, ladder.tokens["bob"])
    expect(page.get_by_text("group A")).to_be_visible()
    page.reload()
    expect(page.get_by_text("group A")).to_be_visible()
    assert not [url for url in [*asked, page.url] if ladder.tokens["bob"] in url]
    other = enter("/ladder/mine")
    expect(other.get_by_label("Your token")).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    page.reload()
    expect(page.get_by_label("Your token")).to_be_visible()


def test_a_folder_is_packed_and_what_cannot_start_is_refused_with_a_reason(
    enter: Enter, ladder: Running, tmp_path: Path
) -> None:
    folder = tmp_path / "mine"
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__pycache__" / "junk.pyc").write_bytes(b"\0")
    (folder / "bot.py").write_text("import words\n")
    (folder / "words.py").write_text("print('good bye, für immer')\n", encoding="utf-8")
    page = enter("/ladder/mine")
    log_in(page, ladder.tokens["bob"])
    page.get_by_label("Pick a folder").set_input_files(folder)
    refused = page.locator(".state[data-state=refused]")
    expect(refused).to_be_visible(timeout=PATIENCE)
    page.get_by_text("Log of bob@1").click()
    expect(page.locator("pre")).to_contain_text("für immer")


def test_the_organiser_adds_authors_freezes_and_saves_grades(
    enter: Enter, ladder: Running, faults: list[str]
) -> None:
    page = enter("/ladder/organiser")
    log_in(page, ladder.tokens["ann"])
    expect(page.get_by_role("alert")).to_be_visible()
    log_in(page, ladder.tokens["organiser"])
    page.get_by_label("Add authors").fill("dora, B\nemil")
    page.get_by_role("button", name="Add and make tokens").click()
    box = page.get_by_role("status", name="New tokens")
    expect(box.locator("tbody tr")).to_have_count(2)
    expect(box.locator("code").first).to_have_text(re.compile(r"^[\w-]{43}$"))
    expect_sound(page)
    dora = box.locator("code").first.inner_text()
    with page.expect_download() as saved:
        box.get_by_role("button", name="Save as CSV").click()
    assert dora in saved.value.path().read_text()
    box.get_by_role("button", name="Hide").click()
    expect(box).to_have_count(0)
    assert dora not in page.content()
    page.get_by_role("button", name="New token for cleo").click()
    expect(box.locator("tbody tr")).to_have_count(1)
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as CSV").last.click()
    assert saved.value.path().read_text().startswith("author,group,version")
    expect(page.get_by_role("region", name=re.compile("deadline counts")).first).to_contain_text("hand-in")
    page.get_by_role("button", name="Freeze").click()
    expect(page.locator("[data-status=frozen]")).to_be_visible()
    people = enter("/ladder")
    expect(people.locator("[data-status=frozen]")).to_be_visible()
    author = enter("/ladder/mine")
    log_in(author, dora)
    expect(author.get_by_text("no more versions are taken")).to_be_visible()
    page.get_by_role("button", name="Take versions again").click()
    expect(page.locator("[data-status=frozen]")).to_have_count(0)
    # An author's token opens nothing here, and the console says so.
    assert all("status of 401" in fault for fault in faults)
    faults.clear()
