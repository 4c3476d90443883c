"""Tables of special kinds, from the form that opens them: all-ins run twice or divided by equity, a straddle,
a private table, two tables in one window, and those of a tournament.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from playwright.sync_api import Frame, Locator, Page, expect

from tests.browser.axe import violations
from tests.browser.real import TURN, Club, Enter, fold, open_table, path_of, shove
from tests.browser.site import menu


def replayed(page: Page) -> None:
    """Go to the last step of the hand that just ended."""
    page.get_by_role("button", name="Last hand").click()
    page.get_by_role("link", name="Replay").click()
    page.get_by_role("button", name="Last step").click()


WISHES = {"Seats": "2", "Seconds_between_hands": "20"}


#: ``dealt`` has how many cards lay on the second board, one number after the other.
DEALT = """
window.dealt = [];
new MutationObserver(() => {
  const cards = document.querySelectorAll("ul[aria-label='Second board'] > li").length;
  if (cards && dealt.at(-1) !== cards) dealt.push(cards);
}).observe(document, { childList: true, subtree: true });
"""


def test_all_ins_are_run_twice(enter: Enter) -> None:
    page = enter(name="Pia", settings={"speed": "fast"}, script=DEALT)
    open_table(page, "twice", {"call": 1}, **WISHES, **{"All-ins_at_cash_tables": "twice"})
    page.get_by_label("Run it twice").check()
    second = page.get_by_role("list", name="Second board").get_by_role("listitem")
    shove(page, second)
    expect(second).to_have_count(5)
    expect(page.get_by_role("list", name="Result")).to_contain_text("on the second board")
    assert page.evaluate("dealt") == [3, 4, 5]
    replayed(page)
    expect(page.get_by_role("list", name="Second board").get_by_role("listitem")).to_have_count(5)


def test_all_ins_are_divided_by_equity(enter: Enter) -> None:
    page = enter(name="Quin", settings={"speed": "instant"})
    open_table(page, "equity", {"call": 1}, **WISHES, **{"All-ins_at_cash_tables": "equity"})
    result = page.get_by_role("list", name="Result")
    shove(page, result)
    expect(result).to_contain_text("by equity")
    expect(page.get_by_role("list", name="Board").get_by_role("listitem")).to_have_count(0)
    replayed(page)
    expect(page.get_by_role("list", name="Result")).to_contain_text("by equity")
    expect(page.get_by_role("region", name="Equity")).to_be_visible()


def test_a_straddle_is_posted(enter: Enter) -> None:
    page = enter(name="Rea", settings={"speed": "instant"})
    label = "Straddle_of_two_big_blinds,_with_four_players_or_more"
    open_table(page, "deep", {"call": 3}, Seats="4", **{label: "yes"})
    # Whoever it is: the first hands may begin before all have sat down.
    expect(page.locator(".log")).to_contain_text(re.compile(r"straddles? for 20"))
    expect(page.get_by_title("straddle", exact=True)).to_have_count(1)
    page.get_by_text("straddle 20").first.wait_for()


def test_only_larger_no_limit_cash_tables_have_one(enter: Enter) -> None:
    page = enter(name="Sol")
    page.get_by_text("Open a table of your own").click()
    page.get_by_text("More options").click()
    form = page.locator("#own-form")
    form.get_by_label("Seats", exact=True).fill("3")
    form.get_by_label("Straddle of two big blinds").check()
    page.get_by_role("button", name="Open the table").press("Enter")
    expect(form.get_by_text("a straddle needs as many seats")).to_be_visible()


def test_only_the_link_leads_to_a_private_table_where_cards_are_looked_at(enter: Enter, place: Club) -> None:
    page = enter(name="Pam", settings={"speed": "slow"})
    private = {"Private:_only_those_with_the_link_find_it": "on"}
    open_table(page, "", {"call": 1}, Seats="2", Seconds_between_hands="3", **private)
    path = path_of(page)
    assert path.startswith("/table/private-")
    listed = page.request.get(f"{place.site.url}/api/tables").json()["tables"]
    assert path.rpartition("/")[2] not in {table["table"] for table in listed}
    guest = enter(path, name="Gus")
    expect(guest.locator(".seat", has_text="Pam")).to_be_visible()
    board = page.get_by_role("list", name="Board").get_by_role("listitem")

    rabbit = page.get_by_role("button", name="Rabbit")
    fold(page, rabbit)
    rabbit.press("Enter")
    expect(board).to_have_count(5)

    shares = page.locator(".share")
    shove(page, shares)
    mine, theirs = (int(re.search(r"(\d+)", text)[1]) for text in shares.all_inner_texts())  # type: ignore[index]
    assert abs(mine + theirs - 100) <= 1
    expect(board).to_have_count(5)
    expect(shares).to_have_count(0)


#: Whoever decides at one table must not run out of time at the other.
PATIENT = {"Seats": "2", "Seconds_to_decide": "600"}


def frames(page: Page) -> list[Frame]:
    """The frames of a window of several tables."""
    return page.frames[1:]


def active(page: Page) -> str:
    """The table that has the keyboard."""
    return page.locator("iframe[data-active]").get_attribute("title") or ""


def decide(page: Page) -> str:
    """Check or call where the keyboard is; return that table."""
    page.wait_for_function("() => !tablesWindow.hasJustMoved()")
    name = active(page)
    turn = page.frame_locator("iframe[data-active]").locator(TURN)
    turn.wait_for()
    number = page.frame_locator("iframe[data-active]").locator(".slots").get_attribute("data-number")
    frame = page.locator("iframe[data-active]").element_handle().content_frame()
    assert frame is not None
    page.keyboard.press("c")
    expect(frame.locator(f".slots[data-number='{number}']:has(:enabled)")).to_have_count(0)
    return name


def test_two_tables_are_played_in_one_window(enter: Enter, place: Club) -> None:
    page = enter(name="Pat")
    open_table(page, "Left", {"call": 1}, **PATIENT)
    expect(page.locator(TURN)).to_be_visible()
    menu(page, "Add a table").click()
    page.wait_for_url(re.compile(r"/tables\?at=[^&]+$"))
    expect(page.locator("iframe")).to_have_count(2)
    lobby = frames(page)[1]
    open_table(lobby, "Right", {"call": 1}, **PATIENT)
    page.wait_for_url(re.compile(r"/tables\?at=[^&]+&at=[^&]+$"))

    tabs = page.get_by_role("navigation", name="Tables").get_by_role("listitem")
    expect(tabs).to_contain_text(["Left", "Right"])
    expect(tabs.filter(has_text="your turn")).to_have_count(2)
    assert violations(page) == []
    assert [frame.locator(".seat", has_text="Pat").count() for frame in frames(page)] == [1, 1]

    # Whoever has answered at one table is asked at the other, and a key acts at one table only.
    first = active(page)
    second = {"Left": "Right", "Right": "Left"}[first]
    for asked in (first, second, first, second):
        expect(page.locator("iframe[data-active]")).to_have_attribute("title", asked)
        assert decide(page) == asked
    for frame in frames(page):
        expect(frame.locator(".log li", has_text=re.compile("You (check|call)"))).not_to_have_count(0)

    # The window comes back as it was, with both seats; narrow, it shows the table that asks.
    page.reload()
    expect(tabs.filter(has_text="your turn")).to_have_count(2)
    page.set_viewport_size({"width": 390, "height": 844})
    asked = active(page)
    expect(page.locator("iframe[data-active]")).to_be_visible()
    expect(page.locator("iframe:not([data-active])")).to_be_hidden()
    decide(page)
    other = {"Left": "Right", "Right": "Left"}[asked]
    expect(page.locator("iframe[data-active]")).to_have_attribute("title", other)
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0

    # The lobby knows where I sit.
    page.goto(place.site.url)
    expect(page.locator(".own")).to_contain_text(re.compile("You sit at (Left and Right|Right and Left)"))
    page.get_by_role("link", name="Go on playing").click()
    expect(tabs.filter(has_text="your turn")).to_have_count(2)


def announce(page: Page, **wishes: str) -> None:
    """Fill in the form and send it."""
    page.get_by_text("Open a tournament").click()
    for label, value in wishes.items():
        control = page.get_by_label(label.replace("_", " "), exact=True)
        if control.evaluate("(one) => one.tagName") == "SELECT":
            control.select_option(value)
        else:
            control.fill(value)
    page.get_by_role("button", name="Open the tournament").click()
    page.wait_for_url("**/tournament/*")


def play_on(people: Sequence[Page], *until: Locator) -> None:
    """Go all in, or call, on every turn of these people, until all these are to be seen."""
    end = time.monotonic() + 120
    while not all(one.is_visible() for one in until):
        assert time.monotonic() < end
        for page in people:
            if page.locator(TURN).count():
                page.keyboard.press("5")
                page.keyboard.press("Enter" if page.locator("[data-slot=raise]").is_enabled() else "c")
        people[0].wait_for_timeout(50)


def test_from_the_lobby_over_two_tables_to_the_last_hand(enter: Enter, place: Club) -> None:
    people = [
        enter("/tournament", name=name, settings={"speed": "instant"}) for name in ("Ann", "Bob", "Cid")
    ]
    ann = people[0]
    announce(
        ann,
        Name_of_the_tournament="Sunday cup",
        Start="0",
        Most_players="3",
        Seats_at_a_table="2",
        Bots_that_fill_it_up="0",
        Chips="100",
        Blinds_rise="hyper",
    )
    assert violations(ann) == []
    for page in people[1:]:
        page.get_by_role("link", name="Sunday cup").click()
    for left, page in zip((2, 1, 0), people, strict=True):
        page.get_by_role("button", name="Register").click()
        expect(page.get_by_text("You are registered.")).to_be_visible()
        if left:
            expect(page.get_by_text(f"Starts when {left} more player")).to_be_visible()
    for page in people:
        page.wait_for_url("**/table/tournament-1-*", timeout=30_000)
    at_first = [path_of(page) for page in people]
    # The first table has two seats, so the third person waits alone until these have played.
    alone = people[at_first.index("/table/tournament-1-2")]
    others = [page for page in people if page is not alone]
    final = alone.get_by_text("This is the final table.")
    play_on(others, final)
    assert urlsplit(alone.url).path == "/table/tournament-1-1"
    results = [page.get_by_role("heading", name=re.compile("You finished")) for page in people]
    play_on(people, *results)
    places = [re.findall(r"You finished (\w+) of 3", result.inner_text())[0] for result in results]
    assert sorted(places) == ["1st", "2nd", "3rd"]
    # Whoever was moved had the better of the first who lost.
    assert places[people.index(alone)] != "3rd"

    lobby = enter("/tournament/tournament-1", name="Dan")
    expect(lobby.get_by_text("Over: 3 players took part")).to_be_visible()
    assert violations(lobby) == []
    people[0].get_by_role("link", name="Players and places").click()
    expect(people[0].get_by_role("status")).to_contain_text("You finished")
