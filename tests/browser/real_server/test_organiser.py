"""The organiser's page with a real server behind it: what is done there happens; strangers see nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from server.auth.tokens import edit_access, make_quota
from tests.browser.axe import violations
from tests.browser.real import Club, Enter, club, everybody
from tests.support.competitions.results import make
from tests.support.programs import PYTHON, Program

SECTIONS = ("Tables", "Players", "Bans", "Tokens", "Competitions", "Statistics")


class Desk(NamedTuple):
    """A running server, the token of its administrator, and one for playing."""

    club: Club
    root: str
    player: str


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("club")
    make(folder / "results" / "spring")
    with edit_access(folder / "data") as access:
        root = access.issue("root", make_quota(), admin=True)
        player = access.issue("rob", make_quota())
    options = ("--tables", "2", "--bots", "call", "--seats", "4", "--log-file", str(folder / "log"))
    with club(folder, *options) as place:
        assert place.program.says(r"^organiser: (\S+)$")[1] == f"{place.site.url}/organiser"
        yield Desk(place, root, player)


@pytest.fixture(scope="module")
def place(desk: Desk) -> Club:
    return desk.club


@pytest.fixture
def office(enter: Enter, desk: Desk) -> Page:
    page = enter("/organiser")
    log_in(page, desk.root)
    expect(page.get_by_role("navigation", name="Sections")).to_be_visible()
    return page


def log_in(page: Page, token: str) -> None:
    page.get_by_label("Admin token").fill(token)
    page.get_by_role("button", name="Log in").click()


def section(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).first.click()
    expect(page.get_by_role("link", name=name, exact=True).first).to_have_attribute("aria-current", "page")


def confirm(page: Page) -> None:
    """Answer the question before an action; it names what can be done, and the safe answer has the focus."""
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    dialog.get_by_role("button").first.click()
    expect(dialog).to_have_count(0)


def card(page: Page, table: str) -> Locator:
    """That of a table, by its name or by its address."""
    heading = page.get_by_role("heading", name=re.compile(rf"(^| ){re.escape(table)}( |$)"))
    return page.locator(".cards > li").filter(has=heading)


def sit(page: Page) -> None:
    page.get_by_role("button", name=re.compile("^Sit", re.IGNORECASE)).first.click()


def refused(page: Page, faults: list[str], status: int) -> None:
    """The browser tells of every refusal, perhaps after the page has; nothing else may be wrong."""
    if not faults:
        page.wait_for_event("console", lambda message: f"status of {status}" in message.text)
    assert faults
    assert all(f"status of {status}" in fault for fault in faults)
    faults.clear()


def test_a_stranger_gets_nothing(enter: Enter, desk: Desk, faults: list[str]) -> None:
    asked: list[str] = []
    page = enter("/")
    page.on("request", lambda request: asked.append(request.url))
    page.get_by_role("link", name="organiser").click()
    expect(page.get_by_label("Admin token")).to_be_visible()
    assert not [url for url in asked if "/api/admin" in url]
    assert violations(page) == []
    for token, status in (("wrong", 401), (desk.player, 403)):
        log_in(page, token)
        expect(page.get_by_role("alert")).to_be_visible()
        expect(page.get_by_role("navigation", name="Sections")).to_have_count(0)
        assert "table-1" not in page.locator("body").inner_text()
        refused(page, faults, status)
    log_in(page, "not\u20aca token")
    expect(page.get_by_role("alert")).to_be_visible()


def test_the_token_stays_in_the_tab(enter: Enter, desk: Desk) -> None:
    asked: list[str] = []
    page = enter("/organiser")
    page.on("request", lambda request: asked.append(request.url))
    log_in(page, desk.root)
    expect(card(page, "table-1")).to_be_visible()
    page.reload()
    expect(card(page, "table-1")).to_be_visible()
    assert not [url for url in [*asked, page.url] if desk.root in url]
    assert desk.root not in page.content()
    assert desk.root not in page.evaluate("JSON.stringify([localStorage, document.cookie])")
    other = enter("/organiser", within=page.context)
    expect(other.get_by_label("Admin token")).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    page.reload()
    expect(page.get_by_label("Admin token")).to_be_visible()
    expect(page.locator(".cards")).to_have_count(0)


def seat_with_parameters(page: Page, friday: Locator) -> None:
    """What the page knows to be wrong is not sent; a raise below the threshold for folding is refused."""
    friday.get_by_label("Bot for Friday").select_option("adaptive")
    friday.get_by_text("Parameters of Ada").click()
    raise_at = friday.get_by_label("raise_at")
    seat = friday.get_by_role("button", name="Seat the bot")
    raise_at.fill("1.5")
    seat.click()
    expect(raise_at).to_be_focused()
    expect(friday.get_by_role("alert")).to_be_visible()
    assert violations(page) == []
    raise_at.fill("0.1")
    seat.click()
    expect(page.locator("main > .error")).to_contain_text("fold_below")
    raise_at.fill("0.6")
    seat.click()
    expect(friday).to_contain_text("adaptive-11")


def test_tables_are_opened_filled_paused_and_closed(office: Page, desk: Desk, faults: list[str]) -> None:
    office.get_by_text("Open a table").click()
    office.get_by_text("More options").click()
    office.get_by_label("Name of the table").fill("Friday")
    office.get_by_label("Small blind").fill("50")
    office.get_by_role("button", name="Open the table").click()
    expect(office.get_by_label("Small blind")).to_have_attribute("aria-invalid", "true")
    office.get_by_label("Big blind", exact=True).fill("100")
    office.get_by_label("Chips").fill("10000")
    office.get_by_role("button", name="Open the table").click()
    friday = card(office, "Friday")
    expect(friday).to_contain_text("50/100")
    expect(friday.get_by_role("list").locator("li")).to_have_count(1)
    friday.get_by_label("Bot for Friday").select_option("raise")
    friday.get_by_role("button", name="Seat the bot").click()
    expect(friday).to_contain_text("raise-")
    seat_with_parameters(office, friday)
    refused(office, faults, 400)
    friday.get_by_role("button", name="Pause").click()
    expect(friday.locator(".status")).to_have_text("paused")
    friday.get_by_role("button", name="Resume").click()
    expect(friday.locator(".status")).not_to_have_text("paused")
    friday.get_by_role("button", name="Close").click()
    office.keyboard.press("Escape")
    expect(office.get_by_role("dialog")).to_have_count(0)
    expect(friday).to_be_visible()
    friday.get_by_role("button", name="Close").click()
    confirm(office)
    expect(friday).to_have_count(0)


def test_a_person_is_spoken_to_removed_disconnected_banned_and_let_in_again(
    office: Page, enter: Enter, faults: list[str]
) -> None:
    walter = enter("/table/table-2#sit", name="Walter")
    table = card(office, "table-2")
    expect(table).to_contain_text("Walter")
    office.get_by_label("Message in the chat").fill("The break begins at nine.")
    office.get_by_role("button", name="Send").click()
    expect(walter.get_by_text("The break begins at nine.").first).to_be_visible()
    expect(office.get_by_label("Message in the chat")).to_have_value("")
    table.get_by_role("button", name="Remove Walter").click()
    confirm(office)
    expect(table).not_to_contain_text("Walter")

    section(office, "Players")
    row = office.get_by_role("row", name="Walter")
    expect(row).to_contain_text("127.0.0.1")
    row.get_by_role("button", name="Ban Walter").click()
    confirm(office)
    expect(office.get_by_role("status").first).to_contain_text("Walter")
    expect(row).to_have_count(0)
    section(office, "Bans")
    ban = office.get_by_role("row", name="Walter")
    expect(ban).to_contain_text("root")
    walter.reload()
    expect(walter.get_by_role("alert").or_(walter.locator(".error, .banner")).first).to_be_visible()
    ban.get_by_role("button", name="Lift").click()
    expect(ban).to_have_count(0)
    walter.goto(walter.url)
    walter.reload()
    section(office, "Players")
    expect(office.get_by_role("row", name="Walter")).to_be_visible()
    section(office, "Bans")
    office.get_by_label("Name, address or network").fill("not an address")
    office.get_by_label("Ban", exact=True).select_option("address")
    office.get_by_role("button", name="Ban", exact=True).click()
    expect(office.get_by_role("alert")).to_contain_text("not an address")
    refused(office, faults, 400)


def test_tokens_are_made_shown_once_and_revoked(office: Page, desk: Desk, faults: list[str]) -> None:
    section(office, "Tokens")
    office.get_by_label("Name", exact=True).fill("zoe")
    office.get_by_role("button", name="Make a token").click()
    shown = office.locator(".secret code")
    expect(shown).to_have_text(re.compile(r"^[\w-]{43}$"))
    command = (PYTHON, "-m", "pokerd", "bot", "call", "--url", desk.club.bots)
    with Program(*command, "--token", shown.inner_text(), "--join", "table-1") as bot:
        bot.says(r"connected to pokerd .* as zoe")
        office.get_by_role("button", name="Hide").click()
        expect(shown).to_have_count(0)
        expect(office.get_by_role("row", name="root").get_by_role("button")).to_have_count(0)
        office.get_by_label("Name", exact=True).fill("ZOE")
        office.get_by_role("button", name="Make a token").click()
        expect(office.get_by_role("alert")).to_be_visible()
        refused(office, faults, 409)
        office.get_by_role("row", name="zoe").get_by_role("button", name="Revoke").click()
        confirm(office)
        expect(office.get_by_role("row", name="zoe")).to_have_count(0)
        assert bot.end() != 0


def test_what_a_player_won_is_shown_as_a_curve_and_in_tables(office: Page, desk: Desk) -> None:
    command = (PYTHON, "-m", "pokerd", "bot", "call", "--url", desk.club.bots, "--name", "greta")
    with Program(*command, "--join", "table-1") as bot:
        bot.says("table-1:")
        expect(card(office, "table-1")).to_contain_text("greta")
        expect(card(office, "table-1")).to_contain_text(re.compile(r"[2-9]\d+ hands|,\d+ hands|\d{3} hands"))
        bot.stop()
    section(office, "Statistics")
    office.get_by_role("link", name="greta").click()
    expect(office.locator(".chart canvas")).to_be_visible()
    shown = office.locator(".facts dd").first.inner_text()
    assert int(shown.replace(",", "")) >= 10
    expect(office.locator(".facts")).to_contain_text("±")
    for caption in ("By game", "By day", "By session"):
        table = office.get_by_role("table", name=re.compile(caption))
        expect(table.locator("tbody tr")).to_have_count(1)
        expect(table.locator("tbody td").first).to_have_text(shown)
    # What is shown can be asked for again by its address, and is what the API says.
    office.get_by_label("Last").select_option("365")
    office.get_by_role("button", name="Show").click()
    office.wait_for_url(re.compile("days=365"))
    expect(office.locator(".facts dd").first).to_have_text(shown)
    answer = ask(office, desk, "statistics?player=greta")
    assert f"{answer['total']['hands']:,}" == shown
    office.get_by_label("At", exact=True).select_option("tournament")
    office.get_by_role("button", name="Show").click()
    expect(office.locator(".facts")).to_have_count(0)


def ask(page: Page, desk: Desk, path: str) -> Any:
    headers = {"Authorization": f"Bearer {desk.root}"}
    answer = page.context.request.get(f"{desk.club.site.url}/api/admin/{path}", headers=headers)
    assert answer.ok
    return json.loads(answer.text())


def test_competitions_are_listed_with_links(office: Page, faults: list[str]) -> None:
    section(office, "Competitions")
    row = office.get_by_role("row", name="spring")
    expect(row.get_by_role("link")).to_have_attribute("href", "/competition/spring")
    expect(office.locator("main section .hint")).to_contain_text("pokerd compete")


def expect_sound(page: Page) -> None:
    """Nothing keeps people out, in the light and in the dark."""
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, contrast_only=True) == []
    page.emulate_media(color_scheme="light")


def test_every_section_can_be_used_by_everybody(enter: Enter, desk: Desk, faults: list[str]) -> None:
    page = enter("/organiser", viewport={"width": 390, "height": 844})
    log_in(page, desk.root)
    for name in SECTIONS:
        section(page, name)
        expect(page.locator("main section h2").first).to_be_visible()
        expect_sound(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    section(page, "Tables")
    card(page, "table-1").get_by_role("button", name="Close").click()
    expect_sound(page)


def test_a_server_that_has_gone_is_missed(browser: Browser, faults: list[str], tmp_path: Path) -> None:
    with edit_access(tmp_path / "data") as access:
        root = access.issue("root", make_quota(), admin=True)
    with (
        club(tmp_path, "--log-file", str(tmp_path / "log")) as place,
        everybody(browser, place, faults) as enter,
    ):
        page = enter("/organiser")
        log_in(page, root)
        expect(card(page, "table-1")).to_be_visible()
        place.program.stop()
        expect(page.get_by_role("alert")).to_be_visible()
        expect(card(page, "table-1")).to_be_visible()
    assert all("ERR_CONNECTION_REFUSED" in fault for fault in faults)
    faults.clear()


def test_a_long_name_leaves_room_for_what_can_be_done(enter: Enter, desk: Desk) -> None:
    long = "W" + "w" * 63
    guest = enter("/table/table-1", name=long)
    sit(guest)
    page = enter("/organiser")
    log_in(page, desk.root)
    buttons = [
        ("Tables", f"Remove {long} from"),
        ("Players", f"Disconnect {long}"),
        ("Players", f"Ban {long}"),
    ]
    for name, label in buttons:
        section(page, name)
        # Names stand in marks that isolate their direction.
        button = page.get_by_role("button", name=re.compile(label.replace(long, f".?{long}.?")))
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            expect(button).to_be_visible()
            assert button.evaluate(
                """button => {
                  button.scrollIntoView({ block: "center", inline: "nearest" });
                  const { left, right, top, width, height } = button.getBoundingClientRect();
                  const seen = document.elementFromPoint(left + width / 2, top + height / 2);
                  return left >= 0 && right <= innerWidth && width > height && button.contains(seen);
                }"""
            ), label
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
