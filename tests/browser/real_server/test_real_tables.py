"""People in browsers, house bots and programs at the tables of a real server."""

from __future__ import annotations

import csv
import re
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.real import TURN, Club, Enter, answer, asked, call, open_table, path_of, shove
from tests.browser.site import menu
from tests.support.programs import PYTHON, ROOT, Program

HOSTILE = "<img src=x onerror=alert(1)>"
#: What a page shows.
SIGHT = """() => {
  const cards = (where) => [...document.querySelectorAll(`${where} .card:not(.back)`)]
    .map((card) => card.ariaLabel);
  return {
    pot: document.querySelector(".pot b").textContent, board: cards(".board"),
    own: cards(".seat[data-me] .hole"), others: cards(".seat:not([data-me]) .hole"),
  };
}"""

#: What the server is started with.
OPTIONS = ("--tables", "2", "--bots", "call")


def own_cards(page: Page) -> list[str]:
    own: list[str] = page.evaluate(SIGHT)["own"]
    return own


def hand_of(page: Page) -> int:
    found = re.search(r"Hand (\d+)", page.locator(".title .hand").inner_text())
    return int(found[1]) if found else 0


def hands_more(page: Page, count: int) -> None:
    """Call until that many hands have begun after this one."""
    asked(page)
    call(page, page.locator(".log li", has_text=f"Hand {hand_of(page) + count}: "))


def test_a_tournament_from_the_lobby_to_its_end(enter: Enter) -> None:
    page = enter(name="Cleo")
    open_table(
        page, "Evening cup", {"call": 2},
        Kind="tournament", Seats="3", Tournament_blinds_rise="turbo", Chips="200",
    )  # fmt: skip
    expect(page.get_by_role("heading", level=1)).to_have_text("Evening cup")
    result = page.locator(".result")

    shove(page, result)

    expect(result.get_by_role("table").first.get_by_role("row")).to_have_count(4)
    expect(result.get_by_role("cell", name="+400")).to_have_count(1)
    expect(result.get_by_role("cell", name="\u2212200")).to_have_count(2)
    assert violations(page) == []
    with page.expect_download() as download:
        result.get_by_role("button", name="Save as CSV").click()
    saved = {
        row["player"]: row
        for row in csv.DictReader(Path(download.value.path()).read_text("utf-8").splitlines())
    }
    assert set(saved) == {"Cleo", "call-1", "call-2"}
    assert [row["balance in chips"] for row in saved.values() if row["place in 1"] == "1"] == ["400"]

    menu(page, "About").click()
    about = page.get_by_role("dialog", name="About this table")
    expect(about).to_contain_text("SHA-256")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Back to the lobby").click()
    expect(page.get_by_role("heading", name="Sit down and play")).to_be_visible()


def test_two_people_and_three_bots_see_the_same_table(enter: Enter) -> None:
    ann = enter(name="Ann")
    open_table(ann, "Friday", {"call": 3}, Seats="5")
    bob = enter(f"{path_of(ann)}#sit", name=HOSTILE)
    bobs_turn = ann.locator(".seat[data-acting]:not([data-me])", has_text=HOSTILE)
    seen = set[tuple[str, ...]]()
    last = 0
    while not last or hand_of(ann) <= last:
        if asked(ann, bobs_turn):
            me, other = ann, bob
        else:
            asked(bob)
            me, other = bob, ann
        # Counted from the first hand in which a person is asked: those who sit down late miss some.
        last = last or hand_of(ann) + 1
        expect(other.locator(".pot b")).to_have_text(me.locator(".pot b").inner_text())
        mine, theirs = me.evaluate(SIGHT), other.evaluate(SIGHT)
        assert (mine["pot"], mine["board"]) == (theirs["pot"], theirs["board"])
        assert mine["others"] == theirs["others"] == []
        hands = [*mine["own"], *theirs["own"]]
        assert len(hands) == len(set(hands)) == (4 if theirs["own"] else 2)
        seen.add(tuple(hands))
        answer(me, "c")
    assert len(seen) > 2

    ann.get_by_role("button", name="Chat").click()
    bob.get_by_role("button", name="Chat").click()
    bob.get_by_label("Say").fill(HOSTILE)
    bob.keyboard.press("Enter")
    for page in (ann, bob):
        expect(page.locator(".chat li")).to_have_text([f"{HOSTILE}: {HOSTILE}"])
        expect(page.locator("#page img, #page script")).to_have_count(0)


def test_a_seat_outlives_refresh_a_broken_line_and_a_second_tab(enter: Enter) -> None:
    page = enter(name="Dan", script=SOCKETS)
    open_table(page, "Steady", {"call": 1}, Seats="2", Seconds_to_decide="60")
    asked(page)
    mine, pot = own_cards(page), page.locator(".pot b").inner_text()
    assert len(mine) == 2

    page.reload()
    asked(page)
    assert (own_cards(page), page.locator(".pot b").inner_text()) == (mine, pot)

    page.evaluate(CUT)
    asked(page)
    assert (own_cards(page), page.locator(".pot b").inner_text()) == (mine, pot)

    newer = enter(path_of(page), within=page.context)
    asked(newer)
    assert own_cards(newer) == mine
    expect(page.locator(".banner")).to_contain_text("newer tab")
    expect(page.locator(".slot:enabled")).to_have_count(0)
    answer(newer, "c")
    asked(newer)


#: Cuts the line, and waits until the page has another.
CUT = """() => new Promise((done) => {
  const before = sockets.length;
  sockets.at(-1).close();
  const there = () => sockets.length > before && sockets.at(-1).readyState === WebSocket.OPEN;
  const look = () => there() ? done() : requestAnimationFrame(look);
  look();
})"""
#: What the page's sockets are kept in, so that a test can cut a line.
SOCKETS = """
const Real = WebSocket;
globalThis.sockets = [];
globalThis.WebSocket = class extends Real {
  constructor(...how) { super(...how); sockets.push(this); }
};
"""


def test_alone_at_a_table_of_ones_own_a_bot_is_added(enter: Enter) -> None:
    page = enter(name="Uma")
    open_table(page, "Alone", {}, Seats="3")
    expect(page.locator(".felt")).to_contain_text("Nobody else")
    page.get_by_label("Bot").select_option("call")
    page.get_by_role("button", name="Add a bot").click()
    asked(page)
    expect(page.locator(".name", has_text="Carl")).to_be_visible()


def test_a_bot_is_added_with_parameters_of_its_own(enter: Enter) -> None:
    page = enter(name="Ute")
    open_table(page, "Tuned", {}, Seats="3")
    page.get_by_label("Bot").select_option("adaptive")
    page.get_by_role("button", name="Parameters").click()
    form = page.get_by_role("dialog")
    for wish in ("0.1", "0.6"):
        # 0.1 is below the threshold for folding: the server refuses, and the form keeps what it has.
        form.get_by_label("raise_at").fill(wish)
        form.get_by_role("button", name="Add adaptive").click()
        if wish == "0.1":
            expect(form.get_by_role("alert")).to_contain_text("fold_below")
    asked(page)
    expect(form).to_have_count(0)
    expect(page.locator(".name", has_text="Ada")).to_be_visible()


def test_the_address_of_no_table_leads_to_the_lobby(enter: Enter, faults: list[str]) -> None:
    page = enter("/table/nosuch", name="Vic")
    expect(page.get_by_role("heading", level=1)).to_have_text("404")
    assert violations(page) == []
    page.get_by_role("link").click()
    expect(page.get_by_role("heading", name="Tables")).to_be_visible()
    faults.clear()


def test_sitting_out_coming_back_and_leaving(enter: Enter) -> None:
    page = enter(name="Nell")
    open_table(page, "Pause", {"call": 2}, Seats="3")
    asked(page)
    menu(page, "Sit out next hand").click()
    call(page, page.get_by_text("You are sitting out."))
    before = hand_of(page)
    page.locator(".controls").get_by_role("button", name="I'm back").click()
    asked(page)
    assert hand_of(page) > before

    menu(page, "Leave", exact=True).click()
    page.get_by_role("button", name="Leave now").click()
    page.get_by_role("link", name="Back to the lobby").click()
    row = page.locator(".tables li.box", has_text="Pause")
    expect(row).to_contain_text("2 of 3 seats taken")


def test_a_series_of_tournaments_counts_who_won_them(enter: Enter) -> None:
    page = enter(name="Hal")
    open_table(
        page, "Human test", {"call": 4},
        Kind="tournament", Seats="5", Chips="1000", Tournaments_in_a_row="2",
    )  # fmt: skip
    series = page.get_by_role("region", name="Series")
    expect(series).to_contain_text("Tournament 1 of 2")
    shove(page, series.get_by_text("Tournament 2 of 2"))
    expect(series.get_by_role("cell", name="+4,000")).to_have_count(1)
    expect(series.get_by_role("cell", name="\u22121,000")).to_have_count(4)

    result = page.get_by_role("region", name="After 2 of 2 tournaments")
    shove(page, result)
    rows = result.get_by_role("table").first.get_by_role("row")
    expect(rows).to_have_count(6)
    cells = [rows.nth(number).get_by_role("cell").all_inner_texts() for number in range(1, 6)]
    assert sum(int(won) for won, *_ in cells) == 2
    assert sorted(thousands for _, _, thousands, _ in cells) in (
        sorted(["+8", *["\u22122"] * 4]),
        sorted(["+3", "+3", *["\u22122"] * 3]),
    )
    menu(page, "About").click()
    about = page.get_by_role("dialog", name="About this table")
    expect(about.get_by_text("Checked by this browser")).to_have_count(2)


def test_bots_play_face_up_for_whoever_watches(enter: Enter) -> None:
    page = enter(name="Jo")
    only_bots = {"Only bots: they take all seats, and I watch": "on"}
    open_table(page, "Show", {"call": 1, "random": 2}, Seats="3", Seconds_between_hands="1", **only_bots)
    expect(page.locator(".watching")).to_contain_text("You are watching.")
    expect(page.locator(".hole .card:not(.back)")).to_have_count(6)
    expect(page.locator(".card.back")).to_have_count(0)

    page.get_by_role("button", name="Pause").click()
    stopped = page.locator(".log").inner_text()
    expect(page.get_by_text(re.compile(r"Paused\. \d+ hands behind\."))).to_be_visible()
    assert page.locator(".log").inner_text() == stopped
    page.get_by_role("combobox", name="Follow").select_option(label="Dizzy 1")
    expect(page.locator('[data-at="0"] > .seat')).to_contain_text("Dizzy 1")
    behind = hand_of(page)
    page.get_by_role("button", name="Jump to now").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    assert hand_of(page) > behind + 1

    other = enter(name="Kim")
    expect(other.get_by_role("button", name="Full: Show")).to_be_disabled()

    # The lobby shows them in small, and replaces nothing in another tab.
    lobby = enter(within=page.context)
    expect(lobby.locator(".mini .hole .card").first).to_be_visible()
    page.wait_for_function(
        "(before) => Number(document.querySelector('.title .hand').textContent.match(/\\d+/)) > before",
        arg=hand_of(page),
    )
    expect(page.get_by_role("alert")).to_have_count(0)


def test_the_last_hand_against_any_bots_of_the_house_can_be_replayed_and_saved(enter: Enter) -> None:
    page = enter(name="Ida")
    open_table(page, "Memory", {"random": 1, "raise": 1}, Seats="3")
    for name in ("Dizzy", "Rosa"):
        expect(page.locator(".name bdi").get_by_text(name, exact=True)).to_be_visible()
    # The hand in progress may have begun before all had sat down.
    hands_more(page, 2)
    mine = page.locator(".log li", has_text="Your cards").last.inner_text()
    menu(page, "Last hand").click()
    dialog = page.get_by_role("dialog", name="Last hand")
    for name, words in {"Text": "Ida", "PHH": "variant", "OHH": '"ohh"', "JSON": '"messages"'}.items():
        link = dialog.get_by_role("link", name=f"Save as {name}").get_attribute("href")
        assert words in page.request.get(page.url.replace(path_of(page), str(link))).text(), name
    dialog.get_by_role("link", name="Replay").click()
    page.wait_for_url("**/hand/table-*")
    expect(page.locator(".pod")).to_have_count(3)
    assert mine


@pytest.mark.parametrize("betting", ["limit", "nolimit"])
def test_a_person_an_acpc_program_and_an_sdk_bot_at_one_table(
    enter: Enter, place: Club, betting: str
) -> None:
    page = enter(name=f"Fay, {betting}")
    open_table(page, "Programs", {}, Seats="3", Betting=betting)
    table = ("--url", place.bots, "--join", path_of(page).split("/")[-1])
    player = ("-m", "tests.acpc.player", "call", "{host}", "{port}", "--game", "{game}")
    # Nobody's: the name of a guest who has just gone may be kept for him.
    acpc, sdk = f"acpc-{betting}", f"sdk-{betting}"
    with ExitStack() as programs:
        bridge = Program(PYTHON, "-m", "pokerd", "bridge", *table, "--name", acpc, "--", "{python}", *player)
        programs.enter_context(bridge)
        programs.enter_context(Program(PYTHON, ROOT / "clients/examples/caller.py", *table, "--name", sdk))
        for name in (acpc, sdk):
            expect(page.locator(".name bdi").get_by_text(name, exact=True)).to_be_visible()
        hands_more(page, 2)
        for name in (acpc, sdk):
            expect(page.locator(".log li[data-kind=act]", has_text=f"{name} ").first).to_be_attached()
        expect(page.locator(".title")).to_contain_text("Limit" if betting == "limit" else "No-limit")


def test_who_loses_all_chips_in_a_cash_game_gets_new_ones(enter: Enter) -> None:
    page = enter(name="Gus")
    open_table(page, "Refill", {"call": 1}, Seats="2", Chips="200")
    refilled = page.locator(".log li", has_text=re.compile("rebuys? for 200"))
    shove(page, refilled)
    asked(page)
    assert len(own_cards(page)) == 2
    assert page.locator(TURN).count() == 1
