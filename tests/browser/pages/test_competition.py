"""The page of a competition, with any result that one can think of."""

from __future__ import annotations

import re
from typing import Any, Literal

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.contest import BASE, FOUR, PAGE, competition, curves, estimate, mixed, offer, sessions
from tests.browser.site import Site

HOSTILE = ("<img src=x onerror=alert(1)>", "' OR 1=1 --", "a" * 64, "#?&%/", "=1+1")
SECTIONS = ("standings", "crosstable", "curves", "matches", "incidents")


def ties(_: int, __: int) -> dict[str, Any]:
    return estimate(0.0, 0.0)


def sideways(page: Page) -> int:
    """By how many pixels the page is too wide."""
    found: int = page.evaluate(
        "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    return found


def names(page: Page) -> list[str]:
    return page.locator("tbody th a").all_inner_texts()


@pytest.fixture(autouse=True)
def none_yet(site: Site) -> None:
    site.api["/api/competitions"] = {"competitions": []}


# Standings.


def test_standings_say_who_is_ahead_and_how_sure_that_is_and_can_be_sorted(visit: Visit, site: Site) -> None:
    offer(site, competition(FOUR, mixed))
    page = visit(path=PAGE).page
    rows = page.get_by_role("table", name="Total bankroll").locator("tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.nth(0)).to_contain_text("ann")
    expect(rows.nth(0)).to_contain_text("house bot")
    expect(rows.nth(1)).to_contain_text("program")
    expect(rows.nth(0)).to_contain_text("+8.0 ? undecided")
    expect(rows.nth(0)).to_contain_text("\u22122.0 to +18.0")
    expect(page.locator("tr[data-mark=group]")).to_have_count(3)
    assert violations(page) == []

    # The order is in the address.
    expect(page.get_by_role("columnheader", name="Hands")).to_have_attribute("aria-sort", "none")
    page.get_by_role("button", name="Hands").press("Enter")
    expect(page.get_by_role("columnheader", name="Hands")).to_have_attribute("aria-sort", "descending")
    assert names(page) == ["dan", "cleo", "bob", "ann"]
    assert page.url.endswith("#duel/standings?sort=-hands")
    page.get_by_role("button", name="Hands").click()
    assert names(page) == ["ann", "bob", "cleo", "dan"]
    page.get_by_role("button", name="Bot").click()
    page.get_by_role("button", name="Bot").click()
    page.reload()
    expect(page.get_by_role("columnheader", name="Bot")).to_have_attribute("aria-sort", "descending")
    assert names(page) == ["dan", "cleo", "bob", "ann"]


def test_ties_are_called_ties(visit: Visit, site: Site) -> None:
    offer(site, competition(FOUR, ties))
    page = visit(path=PAGE).page
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(4)
    for at in range(4):
        expect(rows.nth(at)).to_contain_text("1= tied")
    expect(rows.nth(0)).to_contain_text("level ± 10.0")
    expect(page.locator("tr[data-mark=group]")).to_have_count(0)
    assert violations(page) == []


def test_who_hardly_played_himself_is_marked(visit: Visit, site: Site) -> None:
    told = competition(FOUR, mixed)
    standings = told["standings"][0]
    standings["decisions"] = {bot: {"all": 4000, "forced": 0} for bot in FOUR}
    standings["decisions"]["bob"] = {"all": 4000, "forced": 1234}
    standings["marked"] = ["bob"]
    offer(site, told)
    page = visit(path=PAGE).page
    for section in ("Standings", "Crosstable"):
        page.get_by_role("link", name=section).click()
        rows = page.get_by_role("table").locator("tbody tr")
        expect(rows.locator(".marked")).to_have_count(1)
        marked = rows.filter(has_text="1,234 of 4,000").get_by_role("rowheader")
        expect(marked).to_contain_text("bob")
    assert violations(page) == []


def test_tournaments_count_places_and_stacks(visit: Visit, site: Site) -> None:
    offer(site, competition(FOUR, mixed, tournament=True))
    page = visit(path=PAGE).page
    for title in ("Tournaments", "1st", "2nd", "stacks/tournament"):
        expect(page.get_by_role("columnheader", name=title)).to_be_visible()
    expect(page.locator("tbody tr").first).to_contain_text("+0.008")
    expect(page.get_by_role("link", name="CSV of places")).to_have_attribute("href", f"{BASE}/finishes.csv")


def test_the_run_off_is_there_as_csv_too(visit: Visit, site: Site) -> None:
    told = competition(FOUR, mixed)
    ranking = [{"place": at, "tied": False, "bot": bot, "chips": 0} for at, bot in enumerate(FOUR, 1)]
    rounds = [
        {"bankrolls": dict.fromkeys(FOUR[:left], 10.0), "dropped": [FOUR[left - 1]], "margin": None}
        for left in (4, 3, 2)
    ]
    told["standings"][0]["run_off"] = {"ranking": ranking, "rounds": rounds}
    offer(site, told)
    page = visit(path=PAGE).page
    expect(page.get_by_role("table", name="Bankrolls by round").locator("tbody tr")).to_have_count(4)
    sheets = page.locator("section .downloads").get_by_role("link", name="CSV", exact=True)
    expect(sheets).to_have_count(2)
    expect(sheets.nth(0)).to_have_attribute("href", f"{BASE}/standings.csv")
    expect(sheets.nth(1)).to_have_attribute("href", f"{BASE}/runoff.csv")
    assert violations(page) == []


# The crosstable.


def test_the_crosstable_shades_what_is_known_and_leads_to_the_matches(visit: Visit, site: Site) -> None:
    offer(site, competition(FOUR, mixed))
    page = visit(path=f"{PAGE}#duel/crosstable").page
    table = page.get_by_role("table", name="Crosstable of duel")
    expect(table).to_be_visible()
    shades: list[list[str]] = table.locator("tbody tr").evaluate_all(
        "(rows) => rows.map((row) => [...row.querySelectorAll('td')].map((it) => it.dataset.shade ?? 'self'))"
    )
    order = table.locator("tbody th").all_inner_texts()
    assert order == ["ann", "bob", "cleo", "dan"]
    expect(page.get_by_text("2 of 3 pairs")).to_be_visible()
    assert [row[:4] for row in shades] == [
        ["self", "won", "won-sure", "none"],
        ["lost", "self", "level", "won-sure"],
        ["lost-sure", "level", "self", "won"],
        ["none", "lost-sure", "lost", "self"],
    ]
    weights = table.locator("td a > span:first-child").evaluate_all(
        "(all) => all.map((one) => getComputedStyle(one).fontWeight)"
    )
    assert set(weights) == {"400", "700"}
    assert violations(page) == []
    site.api[f"{BASE}/sessions"] = sessions(("ann", "cleo"), 4, 4, lambda _: True)
    with page.expect_request(re.compile(r"/sessions\?division=duel&bot=ann&bot=cleo&offset=0")):
        table.get_by_role("link", name="matches of ann and cleo").click()
    expect(page.get_by_label("Matches of")).to_have_value("ann")
    expect(page.get_by_role("combobox", name="and of")).to_have_value("cleo")
    expect(page.locator("#section")).to_be_focused()
    page.go_back()
    expect(table).to_be_visible()


def test_with_more_players_a_cell_is_what_was_won_beside_the_other(visit: Visit, site: Site) -> None:
    offer(site, competition(FOUR, mixed, players=3))
    page = visit(path=f"{PAGE}#duel/crosstable").page
    expect(page.get_by_text("line-ups that contain")).to_be_visible()


# Curves.


def test_curves_have_values_a_choice_of_bots_and_a_table(visit: Visit, site: Site) -> None:
    offer(site, competition(FOUR, mixed))
    page = visit(path=f"{PAGE}#duel/curves").page
    chart = page.locator(".chart canvas")
    expect(chart).to_be_visible()
    values = page.get_by_role("list", name="Bots").get_by_role("listitem")
    expect(values.nth(0)).to_contain_text("+100 ± 5")
    slide = page.get_by_role("slider")
    slide.focus()
    slide.press("Home")
    expect(page.get_by_text("After 10 deals")).to_be_visible()
    expect(values.nth(0)).to_contain_text("+1")
    box = page.locator(".u-over").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.get_by_text(re.compile(r"After 5\d0 deals"))).to_be_visible()
    page.get_by_text("The same as a table").click()
    rows = page.get_by_role("table").locator("tbody tr")
    expect(rows).to_have_count(20)
    expect(rows.last).to_contain_text("\u2212200 ± 5")
    assert violations(page) == []
    page.get_by_role("checkbox", name="ann").uncheck()
    expect(page.get_by_role("columnheader", name="ann")).to_have_count(0)
    assert "show=bob&show=cleo&show=dan" in page.url
    with page.expect_request(re.compile(r"/curves\?division=duel&seating=1")):
        page.get_by_label("in a single seating").check()
        page.get_by_role("combobox", name="Seating").select_option("1")
    expect(page.get_by_role("link", name="CSV")).to_have_attribute(
        "href", f"{BASE}/curves.csv?division=duel&seating=1"
    )


def test_the_chart_follows_the_colours_and_the_width_of_the_page(visit: Visit, site: Site) -> None:
    offer(site, competition(FOUR, mixed))
    page = visit(path=f"{PAGE}#duel/curves").page
    expect(page.locator(".chart canvas")).to_be_visible()
    light = page.locator(".chart canvas").evaluate("(canvas) => canvas.toDataURL()")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("(light) => document.querySelector('canvas')?.toDataURL() !== light", arg=light)
    page.set_viewport_size({"width": 400, "height": 800})
    page.wait_for_function("() => document.querySelector('.uplot')?.clientWidth < 400")
    assert sideways(page) == 0
    page.get_by_role("link", name="Standings").click()
    expect(page.locator("canvas")).to_have_count(0)


def test_curves_that_take_time_say_how_far_they_are(visit: Visit, site: Site) -> None:
    told = competition(FOUR, mixed)
    offer(site, told)
    asked: list[str] = []

    def slow(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) < 3:
            route.fulfill(
                status=202, json={"code": "computing", "message": "5 of 80 sessions are read; ask again"}
            )
        else:
            route.fulfill(json=curves(FOUR))

    page = visit(path="/competitions").page
    page.route("**/curves?*", slow)
    page.goto(f"{site.url}{PAGE}#duel/curves")
    expect(page.get_by_text("5 of 80 sessions")).to_be_visible()
    expect(page.locator(".chart canvas")).to_be_visible()
    assert len(asked) == 3


# Matches, hands.


def test_matches_lead_to_hands_and_hands_to_the_replayer(visit: Visit, site: Site) -> None:
    offer(site, competition(FOUR, mixed))
    page = visit(path=f"{PAGE}#duel/matches").page
    expect(page.get_by_text("1 to 50 of 120")).to_be_visible()
    with page.expect_request(re.compile(r"offset=50&limit=50")):
        page.get_by_role("link", name="Next").click()
    page.get_by_role("link", name="Previous").click()
    expect(page.get_by_role("link", name="m0000-l000-s1")).to_be_visible()
    expect(page.get_by_role("link", name="m0001-l000-s0")).to_have_count(0)
    expect(page.get_by_text("same deals")).to_be_visible()
    with page.expect_request(re.compile(r"bot=bob")):
        page.get_by_label("Matches of").select_option("bob")
    page.get_by_role("link", name="m0000-l000-s0").click()
    expect(page.get_by_role("img", name="ten of diamonds")).to_be_visible()
    expect(page.get_by_role("link", name="2", exact=True)).to_have_attribute(
        "href", "/hand/spring/duel/m0000-l000-s0/2"
    )
    row = page.get_by_role("row").nth(1)
    expect(row).to_contain_text("\u221220")
    expect(row.get_by_role("img", name="king of spades")).to_be_visible()
    expect(row.get_by_role("img", name="seven of clubs")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("link", name="All sessions").click()
    expect(page.get_by_label("Matches of")).to_have_value("bob")


def test_hands_that_could_help_a_bot_are_not_there_yet(visit: Visit, site: Site, faults: list[str]) -> None:
    offer(site, competition(FOUR, mixed, status="running"))
    page = visit(path="/competitions").page
    page.route(
        "**/hands?*", lambda route: route.fulfill(status=404, json={"code": "not_found", "message": "no"})
    )
    page.goto(f"{site.url}{PAGE}#duel/matches/m0001-l000-s0")
    expect(page.get_by_text("Not yet")).to_be_visible()
    assert all("404" in fault for fault in faults)
    faults.clear()


# Incidents.


def test_incidents_are_told_in_words_with_sums(visit: Visit, site: Site) -> None:
    told = competition(FOUR, mixed)
    told["incidents"]["duel"]["bob"] = {"timeout": 3, "illegal_action": 2}
    told["incidents"]["duel"]["dan"] = {"timeout": 1}
    offer(site, told)
    page = visit(path=f"{PAGE}#duel/incidents").page
    table = page.get_by_role("table", name="In this division: how often")
    expect(table.get_by_role("row", name=re.compile("^bob"))).to_have_text(re.compile(r"bob\s*2\s*3\s*5"))
    expect(table.get_by_role("row", name=re.compile("^all"))).to_have_text(re.compile(r"all\s*2\s*4\s*6"))
    expect(page.get_by_text("decision took too long")).to_be_visible()
    expect(page.get_by_text("Nothing went wrong.")).to_be_visible()
    assert violations(page) == []


# While it is played, and after.


def test_a_running_one_is_followed_until_its_seed_is_told(visit: Visit, site: Site) -> None:
    offer(site, competition(FOUR, mixed, status="running", scored=False, done=1))
    page = visit(path=PAGE, clock=True).page
    expect(page.get_by_text("1 of 10 sessions, 200 of 2,000 hands.")).to_be_visible()
    expect(page.get_by_text("Standings appear")).to_be_visible()
    expect(page.get_by_text("last card")).to_be_visible()
    assert violations(page) == []
    offer(site, competition(FOUR, mixed, status="running", done=4))
    page.clock.run_for(2_500)
    expect(page.get_by_role("progressbar")).to_have_js_property("value", 800)
    expect(page.locator("tbody tr").first).to_contain_text("none")
    turned = competition(FOUR, lambda row, column: estimate((row - column) * 8.0), status="running", done=10)
    offer(site, turned)
    page.clock.run_for(2_500)
    expect(page.get_by_text("being written")).to_be_visible()
    expect(page.locator("tbody tr").first).to_contain_text("up 3")
    expect(page.locator("tbody tr").last).to_contain_text("down 3")
    offer(site, competition(FOUR, mixed))
    page.clock.run_for(2_500)
    expect(page.locator(".status")).to_have_text("finished")
    expect(page.get_by_text("f7" * 32)).to_be_visible()
    expect(page.get_by_text("python -m pokerd verify results/spring")).to_be_visible()
    expect(page.locator("#polite")).to_contain_text("finished")
    expect(page.get_by_role("columnheader", name="Change")).to_have_count(0)


def test_places_are_compared_with_the_last_look(visit: Visit, site: Site) -> None:
    offer(site, competition(FOUR, mixed, status="running"))
    page = visit(path=PAGE).page
    expect(page.locator("tbody tr").first).to_contain_text("ann")
    offer(site, competition(FOUR, lambda row, column: estimate((row - column) * 8.0), status="running"))
    page.reload()
    expect(page.locator("tbody tr").first).to_contain_text("up 3")
    expect(page.get_by_text("places gained")).to_be_visible()


def test_when_the_server_has_ended_what_was_told_stays(visit: Visit, site: Site, faults: list[str]) -> None:
    offer(site, competition(FOUR, mixed, status="running"))
    page = visit(path=PAGE, clock=True).page
    expect(page.locator("tbody tr")).to_have_count(4)
    page.route("**/api/**", lambda route: route.abort())
    page.clock.run_for(2_500)
    banner = page.get_by_role("status")
    expect(banner).to_contain_text("not answer")
    expect(banner).to_contain_text("python -m pokerd serve --results results")
    expect(page.locator("tbody tr")).to_have_count(4)
    assert violations(page) == []
    page.unroute("**/api/**")
    page.clock.run_for(5_500)
    expect(banner).to_have_count(0)
    assert all("ERR_FAILED" in fault for fault in faults)
    faults.clear()


def test_a_competition_that_is_not_there(visit: Visit, site: Site, faults: list[str]) -> None:
    page = visit(path="/competitions").page
    page.route(
        "**/api/competitions/none",
        lambda route: route.fulfill(
            status=404, json={"code": "not_found", "message": "no competition 'none'"}
        ),
    )
    page.goto(f"{site.url}/competition/none")
    expect(page.get_by_role("status")).to_have_text("no competition 'none'.")
    expect(page.get_by_role("main").get_by_role("link", name="All competitions")).to_be_visible()
    assert all("404" in fault for fault in faults)
    faults.clear()


def test_one_that_was_stopped_says_so_everywhere(visit: Visit, site: Site) -> None:
    offer(site, competition(FOUR, mixed, status="unfinished", scored=False, done=0))
    site.api[f"{BASE}/sessions"] = {"sessions": [], "total": 0}
    site.api[f"{BASE}/curves"] = curves(FOUR, 0)
    page = visit(path=PAGE).page
    expect(page.get_by_text("another process")).to_be_visible()
    for name, words in {
        "Standings": "There are no standings.",
        "Crosstable": "No two bots have played",
        "Curves": "There are no hands to show.",
        "Matches": "There are no matches to show.",
    }.items():
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_text(words)).to_be_visible()


def test_an_anonymous_one_says_why_it_tells_nothing_by_name_yet(visit: Visit, site: Site) -> None:
    told = competition(FOUR, mixed, status="running", scored=False, done=4) | {"anonymous": True}
    offer(site, told)
    page = visit(path=PAGE, clock=True).page
    expect(page.get_by_text("4 of 10 sessions, 800 of 2,000 hands.")).to_be_visible()
    for name in ("Standings", "Crosstable", "Curves", "Matches", "Incidents"):
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_text("published at the end")).to_be_visible()
    assert violations(page) == []
    offer(site, competition(FOUR, mixed) | {"anonymous": True})
    page.clock.run_for(2_500)
    page.get_by_role("link", name="Standings", exact=True).click()
    expect(page.get_by_role("table", name="Total bankroll")).to_be_visible()
    expect(page.get_by_text("published at the end")).to_have_count(0)


# Looks.


@pytest.mark.parametrize(
    "bots", [FOUR[:2], tuple(f"bot-{at}" for at in range(20)), HOSTILE], ids=["2", "20", "hostile"]
)
def test_the_page_fits_any_width(visit: Visit, site: Site, bots: tuple[str, ...]) -> None:
    told = competition(bots, mixed)
    told["incidents"]["duel"][bots[0]] = {"timeout": 3, "illegal_action": 2, "some_quite_new_code": 10**9}
    offer(site, told)
    # 640 pixels are what a window of 1280 has at 200 % zoom.
    page = visit(path=PAGE, viewport={"width": 640, "height": 740}).page
    for width in (640, 390, 320):
        page.set_viewport_size({"width": width, "height": 740})
        for section in SECTIONS:
            page.get_by_role("link", name=section.capitalize(), exact=True).click()
            expect(page.locator("#section")).to_have_text(section.capitalize())
            expect(page.get_by_text(bots[0], exact=True).first).to_be_attached()
            expect(page.get_by_text("Loading…")).to_have_count(0)
            assert sideways(page) == 0, (width, section)
    assert violations(page) == []


def test_nothing_keeps_people_out(visit: Visit, site: Site) -> None:
    offer(site, competition(FOUR, mixed, status="running"))
    page = visit(path=PAGE, color_scheme="dark").page
    found = {}
    schemes: tuple[Literal["dark", "light"], ...] = ("dark", "light")
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        for section in SECTIONS:
            page.get_by_role("link", name=section.capitalize(), exact=True).click()
            expect(page.locator("#section")).to_have_text(section.capitalize())
            found[scheme, section] = violations(page, contrast_only=scheme == "light")
    assert {case: texts for case, texts in found.items() if texts} == {}


# The list.


def test_all_competitions_the_running_one_first(visit: Visit, site: Site) -> None:
    entry = {"at": 1795312861000, "bots": list(FOUR), "divisions": ["duel"]}
    site.api["/api/competitions"] = {
        "competitions": [
            entry | {"competition": "live", "name": "live", "status": "running"},
            entry | {"competition": "spring-2", "name": "spring", "status": "finished"},
            entry | {"competition": "old", "name": "old", "status": "unfinished", "at": 0},
        ]
    }
    page = visit(path="/competitions", viewport={"width": 320, "height": 640}).page
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("running")
    expect(rows.nth(2)).to_contain_text("not finished")
    expect(page.get_by_role("link", name="spring")).to_have_attribute("href", "/competition/spring-2")
    assert sideways(page) == 0
    assert violations(page) == []


def test_no_competition_yet(visit: Visit) -> None:
    page = visit(path="/competitions").page
    expect(page.get_by_text("no competitions")).to_be_visible()


def test_pages_around_tables_are_linked_where_there_are_tables(visit: Visit, site: Site) -> None:
    ways = visit(path="/competitions").page.get_by_role("navigation", name="Site")
    expect(ways.get_by_role("link", name="Bots")).to_be_visible()
    # A server that only plays a competition offers no bots, and has none of these pages.
    site.api["/api/bots"] = {"bots": [], "descriptions": {}, "parameters": {}}
    page = visit(path="/competitions").page
    expect(page.get_by_role("heading", name="Competitions")).to_be_visible()
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("navigation", name="Site")).to_have_count(0)
