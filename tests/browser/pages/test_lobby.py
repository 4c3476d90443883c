"""The front page: what is open, a seat, a table of one's own."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Page, Route, expect

from pokerd.commands.serve import offered_bots
from tests.browser import scenes
from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.pages.answers import PLAYERS
from tests.browser.site import BOTS, Site


def table(name: str, seats: int = 3, players: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    kinds = ["bot" if "-" in player else "person" for player in players]
    entry = {
        "table": name, "run": "", "game": f"holdem.nolimit.{seats}p", "mode": "cash", "seats": seats,
        "free": seats - len(players), "players": [*players, *[""] * (seats - len(players))], "hands": 0,
        "name": "", "stakes": "no-limit hold'em 5/10",
        "kinds": [*kinds, *[""] * (seats - len(players))],
    }  # fmt: skip
    return entry | more


def own_table(page: Page) -> None:
    """Open the form with all that it has, and without bots."""
    page.get_by_text("Open a table of your own").click()
    page.get_by_role("button", name="No bots").click()
    page.get_by_text("More options").click()


@pytest.fixture(autouse=True)
def tables(site: Site) -> None:
    site.api["/api/tables"] = {
        "tables": [
            table("table-1"),
            table("table-2", 6, ("fair-1", "Anna", "Ben")),
            table("table-3", 2, ("Chidi", "call-1"), hands=1234),
        ]
    }


def test_open_tables_are_listed_with_who_sits_there_and_other_pages_are_linked(visit: Visit) -> None:
    page = visit(path="/").page
    rows = page.locator(".tables > li")
    expect(rows).to_have_count(3)
    # First where people are.
    expect(rows).to_contain_text(["Magpie", "Harbour", "Lantern"])
    expect(rows.nth(0).get_by_role("list", name="Players")).to_have_text(
        re.compile(r"Vera\s+bot\s*A?\s*Anna\s*B?\s*Ben")
    )
    expect(rows.nth(0)).to_contain_text("No-limit hold'em 5/10, cash")
    expect(rows.nth(0)).to_contain_text("3 of 6 seats taken")
    expect(rows.nth(1)).to_contain_text("1,234 hands")
    expect(page.get_by_role("button", name="Full: Harbour")).to_be_disabled()
    assert violations(page) == []
    links = page.get_by_role("navigation", name="Site").get_by_role("link")
    assert [link.get_attribute("href") for link in links.all()] == [
        "/tournament",
        "/challenge",
        "/bots",
        "/push-fold",
        "/me",
        "/people",
        "/competitions",
    ]
    footer = page.get_by_role("contentinfo").get_by_role("link")
    assert [link.get_attribute("href") for link in footer.all()] == ["/organiser"]


def test_the_lobby_tells_how_those_who_sit_there_play(visit: Visit, site: Site) -> None:
    one = scenes.entry(2)
    site.api["/api/tables"] = {"tables": [one]}
    first = PLAYERS[0] | {"name": one["players"][0]}
    site.api["/api/players"] = {"players": [first | {"seats": [[one["table"], 0]]}, first | {"seats": []}]}
    page = visit(path="/", greet=False).page
    seated = page.get_by_role("list", name="Players").get_by_role("listitem")
    expect(seated.first).to_contain_text(
        "VPIP 24 %, PFR 18 %, 3-bet 7 %, aggression 40 %, of 1,200 hands".replace(" %", "\u00a0%")
    )
    expect(seated.first).to_contain_text("24/18/7 1200")
    assert violations(page) == []


def test_among_a_hundred_tables_one_is_found(visit: Visit, site: Site) -> None:
    site.api["/api/tables"] = {"tables": [scenes.entry(number) for number in range(1, 101)]}
    page = visit(path="/").page
    rows = page.locator(".tables > li")
    expect(rows).to_have_count(100)
    search = page.get_by_role("search", name="Tables")
    search.get_by_label("Find").fill("500/1000")
    expect(search.get_by_role("status")).to_have_text("1 of 100 tables")
    expect(rows).to_have_count(1)
    search.get_by_label("Find").fill("farid")
    search.get_by_label("Kind").select_option("tournament")
    search.get_by_label("with a free seat").check()
    for row in rows.all():
        expect(row).to_contain_text("Farid")
        expect(row).to_contain_text("tournament")
        expect(row.get_by_role("button", name="Play at")).to_be_enabled()
    assert violations(page) == []
    search.get_by_label("Find").fill("nobody is called so")
    expect(page.get_by_text("No table matches.")).to_be_visible()


def test_a_table_is_asked_for_once_also_when_the_answer_is_lost(visit: Visit) -> None:
    dealer = visit([scenes.welcome()], path="/", greet=False)
    form = dealer.page.get_by_role("form", name="Ten tournaments against four bots")
    form.get_by_role("button", name="Start").click()
    dealer.hears("create")
    dealer.sockets[-1].close(code=1001)
    expect(dealer.page.get_by_text("in the list")).to_be_visible()
    dealer.breathe()
    assert len(dealer.said("create")) == len(dealer.said("hello")) == 1
    # Who wants to can ask again.
    form.get_by_role("button", name="Start").click()
    dealer.hears("create", 2)


def test_ten_tournaments_against_four_bots_are_one_press_away(visit: Visit) -> None:
    dealer = visit([scenes.welcome()], path="/", greet=False)
    form = dealer.page.get_by_role("form", name="Ten tournaments against four bots")
    expect(form.get_by_label("Bots", exact=True)).to_have_value("fair")
    form.get_by_role("button", name="Start").click()
    asked = dealer.hears("create")
    assert {name: asked[name] for name in ("mode", "matches", "seats", "stack", "bots", "memory")} == {
        "mode": "tournament", "matches": 10, "seats": 5, "stack": 1000, "bots": ["fair"] * 4,
        "memory": "match",
    }  # fmt: skip
    # As in the thesis (Aceituno 2017, 4.1 and 3.1.4).
    assert (asked["levels"], asked["min_raise"]) == ("fixed", "bb")
    dealer.opening = [scenes.welcome(), scenes.match_start(5, -1), scenes.seats(5)]
    dealer.table = "table-9"
    dealer.say({"type": "created"})
    assert dealer.hears("join") == {"type": "join", "table": "table-9"}


def test_the_bots_of_ten_tournaments_have_parameters_and_a_memory(visit: Visit, site: Site) -> None:
    offered = offered_bots()
    parameters = {name: msgspec.to_builtins(offered[name].parameters) for name in ("adaptive", "learner")}
    site.api["/api/bots"] = {
        "descriptions": {**BOTS, "adaptive": "", "learner": ""},
        "parameters": parameters,
    }
    dealer = visit([scenes.welcome()], path="/", greet=False, viewport={"width": 390, "height": 844})
    page = dealer.page
    form = page.get_by_role("form", name="Ten tournaments against four bots")
    opponent, forget = form.get_by_label("Bots", exact=True), form.get_by_label("Bots forget")
    expect(opponent).to_have_value("adaptive")
    expect(forget).to_have_value("match")
    forget.select_option("series")
    form.get_by_text("Parameters of the opponents, Ada").click()
    raise_at = form.get_by_label("raise_at")
    raise_at.fill("1.5")
    form.get_by_text("Parameters of the opponents, Ada").click()
    form.get_by_role("button", name="Start").click()
    expect(raise_at).to_be_focused()
    expect(form.get_by_role("alert")).to_be_visible()
    assert violations(page) == []
    # Another bot has fields of its own, and one that learns keeps what it has learned.
    opponent.select_option("fair")
    expect(form.get_by_role("alert")).to_have_count(0)
    expect(forget).to_have_value("match")
    opponent.select_option("learner")
    expect(forget).to_have_value("series")
    expect(raise_at).to_have_value("0.55")
    form.get_by_text("Parameters of the opponents, Leo").click()
    raise_at.fill("0.6")
    form.get_by_role("button", name="Start").click()
    asked = dealer.hears("create")
    assert asked["bots"] == [{"bot": "learner", "parameters": {"raise_at": 0.6}}] * 4
    assert (asked["memory"], asked["research"]) == ("series", False)
    assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0


def test_a_table_of_ones_own_asks_whether_a_result_may_be_kept(visit: Visit) -> None:
    """Of one person against bots in tournaments: the server keeps no other."""
    dealer = visit([scenes.welcome()], path="/", greet=False)
    own_table(dealer.page)
    form = dealer.page.locator("#own-form")
    keep = form.get_by_label("Keep my result")
    form.get_by_label("(fair)").fill("2")
    seats = form.get_by_label("Seats", exact=True)
    seats.fill("3")
    expect(keep).to_have_count(0)
    form.get_by_role("radio", name="Tournament").check()
    expect(keep).not_to_be_checked()
    keep.check()
    seats.fill("4")
    expect(keep).to_have_count(0)
    seats.fill("3")
    expect(keep).not_to_be_checked()
    keep.check()
    form.get_by_role("button", name="Open the table").click()
    asked = dealer.hears("create")
    assert (asked["research"], asked["mode"], asked["bots"]) == (True, "tournament", ["fair", "fair"])


def test_an_exhibition_is_opened_to_watch(visit: Visit) -> None:
    dealer = visit([scenes.welcome()], path="/", greet=False)
    page = dealer.page
    own_table(page)
    page.get_by_label("(random)").fill("1")
    page.get_by_label("(fair)").fill("1")
    page.get_by_label("Only bots").check()
    page.get_by_role("button", name="Open the table").click()
    assert dealer.hears("create")["bots"] == ["fair", "random", "fair", "random", "fair", "random"]
    dealer.opening = [scenes.welcome()]
    dealer.table = "table-9"
    dealer.say({"type": "created"})
    assert dealer.hears("watch") == {"type": "watch", "table": "table-9"}
    assert dealer.said("join") == []


def test_every_bot_that_the_server_offers_can_be_chosen(visit: Visit, site: Site) -> None:
    dealer = visit([scenes.welcome()], path="/", greet=False)
    page = dealer.page
    opponent = page.get_by_label("Bots", exact=True)
    expect(opponent.get_by_role("option")).to_have_text(
        [
            "Vera (fair): 5 of 5 stars",
            "Carl (call): 1 of 5 stars",
            "Rosa (raise): 1 of 5 stars",
            "Dizzy (random): 1 of 5 stars",
            "Torsten (loki2): 4 of 5 stars",
            "Ludo (nolimit): 5 of 5 stars",
            "shark: bites",
        ]
    )
    own_table(page)
    expect(page.get_by_label("shark: bites")).to_be_hidden()
    page.get_by_text("More bots").click()
    page.get_by_label("(fair)").fill("0")
    page.get_by_label("(loki2)").fill("2")
    page.get_by_label("shark: bites").fill("1")
    assert violations(page) == []
    page.get_by_role("button", name="Open the table").click()
    assert dealer.hears("create")["bots"] == ["loki2", "loki2", "shark"]


def test_the_parameters_of_a_bot_are_set_on_wish(visit: Visit) -> None:
    dealer = visit([scenes.welcome()], path="/", greet=False, viewport={"width": 390, "height": 844})
    page = dealer.page
    own_table(page)
    page.get_by_text("More bots").click()
    page.get_by_label("(fair)").fill("3")
    expect(page.get_by_text("Parameters of Vera")).to_be_visible()
    expect(page.get_by_text("Parameters of shark")).to_have_count(0)
    page.get_by_label("shark: bites").fill("2")
    page.get_by_label("shark: bites").blur()
    # By keyboard.
    page.get_by_text("Parameters of shark").focus()
    page.keyboard.press("Enter")
    raise_at = page.get_by_label("raise_at")
    expect(raise_at).to_have_value("0.55")
    raise_at.fill("1.5")
    page.get_by_text("Parameters of shark").click()
    page.get_by_role("button", name="Open the table").click()
    expect(raise_at).to_be_focused()
    expect(page.locator(".field", has=raise_at).get_by_role("alert")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("alert")).to_have_count(1)
    raise_at.fill("0.1")
    step = page.get_by_role("textbox", name="mu:")
    step.fill("0.1 0.2")
    step.blur()
    expect(page.locator(".field", has=step).get_by_role("alert")).to_be_visible()
    step.fill("0.1 0.2 0.3 0.4")
    page.get_by_label("memory").select_option("window")
    assert violations(page) == []
    page.get_by_role("button", name="Open the table").click()
    shark = {"bot": "shark", "parameters": {"raise_at": 0.1, "mu": [0.1, 0.2, 0.3, 0.4], "memory": "window"}}
    assert dealer.hears("create")["bots"] == ["fair", "fair", "fair", shark, shark]
    detail = "shark: raise_at = 0.1: must be at least fold_below + gap"
    dealer.say({"type": "error", "code": "bad_parameters", "message": detail, "field": "bots", "table": ""})
    expect(page.get_by_role("alert")).to_contain_text("fold_below")
    expect(page.get_by_role("alert")).to_be_in_viewport(ratio=1)
    assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("goes", ["parameters", "error"])
def test_a_click_counts_although_something_above_the_button_goes(visit: Visit, goes: str) -> None:
    """It goes while somebody types: on leaving the field the button would move between press and release."""
    # The whole page is seen: at the lower end of a longer one the button would stay in its place.
    dealer = visit([scenes.welcome()], path="/", greet=False, viewport={"width": 1280, "height": 2500})
    page = dealer.page
    own_table(page)
    if goes == "error":
        page.get_by_label("Small blind").fill("20")
        page.get_by_label("Small blind").blur()
        expect(page.get_by_role("alert")).to_contain_text("big blind, 10")
        page.get_by_label("Small blind").fill("1")
    else:
        page.get_by_label("(fair)").fill("1")
        page.get_by_label("(fair)").fill("")
        expect(page.get_by_text("Parameters of Vera")).to_be_visible()
        page.get_by_label("(fair)").fill("0")
    page.get_by_role("button", name="Open the table").click()
    asked = dealer.hears("create")
    assert (len(asked["bots"]), asked["small_blind"]) == (0, 1 if goes == "error" else 5)


def test_without_an_answer_the_simple_bots_are_offered(visit: Visit, site: Site, faults: list[str]) -> None:
    del site.api["/api/bots"]
    page = visit(path="/").page
    expect(page.get_by_label("Bots", exact=True).get_by_role("option")).to_have_count(4)
    own_table(page)
    expect(page.get_by_text("More bots")).to_have_count(0)
    # The browser's console tells of every 404.
    assert all("404" in fault for fault in faults)
    faults.clear()


def test_the_list_follows_what_happens(visit: Visit, site: Site) -> None:
    page = visit(path="/", clock=True).page
    expect(page.get_by_role("heading", name="Harbour")).to_be_visible()
    site.api["/api/tables"] = {"tables": []}
    page.clock.run_for(3_500)
    expect(page.get_by_text("No table is open")).to_be_visible()


def test_quick_seat_goes_where_there_is_company(visit: Visit, site: Site) -> None:
    """At a table like the one that it would open: not heads-up, and not for larger blinds."""
    alike = {
        "mode": "cash",
        "stakes": "no-limit hold'em 5/10",
        "seats": 6,
        "free": 1,
        "players": ["Ben", "call-1", "call-2", "call-3", "call-4", ""],
        "kinds": ["person", "bot", "bot", "bot", "bot", ""],
    }
    larger = alike | {"stakes": "no-limit hold'em 500/1000"}
    pair = alike | {"seats": 2, "players": ["Ann", ""], "kinds": ["person", ""]}
    tables = [scenes.entry(number, **more) for number, more in ((1, larger), (4, pair), (2, alike))]
    site.api["/api/tables"] = {"tables": tables}
    dealer = visit(
        [scenes.welcome(), scenes.match_start(6, -1), scenes.seats(6, empty=(5,))], path="/", greet=False
    )
    dealer.table = "table-2"
    dealer.page.get_by_role("button", name="Play now").click()
    assert dealer.hears("join") == {"type": "join", "table": "table-2"}
    assert dealer.page.url.endswith("/table/table-2")


@pytest.mark.parametrize(("level", "best"), [("Easy", "random"), ("Strong", "fair")])
def test_where_nobody_is_a_table_with_different_bots_is_opened(
    visit: Visit, site: Site, level: str, best: str
) -> None:
    """Also for somebody who has given no name."""
    site.api["/api/tables"] = {"tables": []}
    dealer = visit([scenes.welcome()], path="/", greet=False, settings={"name": ""})
    dealer.page.get_by_role("radio", name=level).check()
    dealer.page.reload()
    expect(dealer.page.get_by_role("radio", name=level)).to_be_checked()
    dealer.page.get_by_role("button", name="Play now").click()
    asked = dealer.hears("create")
    assert (asked["game"], asked["mode"], asked["seats"]) == ("nolimit", "cash", 6)
    assert asked["stack"] == 100 * asked["big_blind"]
    assert asked["bots"][0] == best
    assert len(asked["bots"]) == len(set(asked["bots"])) == 5
    assert re.fullmatch(r"Guest \d{4}", dealer.hears("hello")["name"])


def test_a_duel_with_the_first_rival_is_one_press_away(visit: Visit, site: Site) -> None:
    site.api["/api/tables"] = {"tables": []}
    dealer = visit([scenes.welcome()], path="/", greet=False)
    dealer.page.get_by_role("button", name="Heads-up against Ludo").click()
    asked = dealer.hears("create")
    assert (asked["game"], asked["mode"], asked["seats"], asked["bots"]) == (
        "nolimit",
        "cash",
        2,
        ["nolimit"],
    )


def test_who_is_quicker_than_the_list_of_bots_gets_opponents_all_the_same(visit: Visit, site: Site) -> None:
    site.api["/api/tables"] = {"tables": []}
    dealer = visit([scenes.welcome()], path="/", greet=False)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    dealer.page.route("**/api/bots", hold)
    with dealer.page.expect_request("**/api/bots"):
        dealer.page.reload()
    dealer.page.get_by_role("button", name="Play now").click()
    held[0].continue_()
    assert len(dealer.hears("create")["bots"]) == 5


def test_opponents_are_chosen_by_face_and_level_and_time_by_speed(visit: Visit) -> None:
    dealer = visit([scenes.welcome()], path="/", greet=False)
    page = dealer.page
    page.get_by_text("Open a table of your own").click()
    form = page.locator("#own-form")
    faces = form.get_by_role("group", name="Bots")
    form.get_by_role("button", name="No bots").click()
    expect(faces.get_by_role("button", pressed=True)).to_have_count(0)
    form.get_by_role("button", name="Strong").click()
    expect(form.get_by_role("button", name="Strong")).to_have_attribute("aria-pressed", "true")
    expect(faces.get_by_role("button", pressed=True)).to_have_count(5)
    faces.get_by_role("button", name="Vera").click()
    expect(faces.get_by_role("button", name="Vera", pressed=False)).to_be_visible()
    expect(form.get_by_role("button", name="Strong")).to_have_attribute("aria-pressed", "false")
    form.get_by_role("radio", name="fast").check()
    assert violations(page) == []
    page.get_by_role("button", name="Open the table").click()
    asked = dealer.hears("create")
    assert sorted(asked["bots"]) == ["call", "loki2", "nolimit", "random"]
    assert asked["decision_ms"] < 20000


def test_a_choice_of_bots_stays_when_the_list_of_them_comes_late(visit: Visit) -> None:
    late = """const now = fetch; window.fetch = async (url, ...more) => {
      if (url === "/api/bots") await new Promise((answer) => { window.answerBots = answer; });
      return now(url, ...more); }"""
    dealer = visit([scenes.welcome()], path="/", greet=False, script=late)
    page = dealer.page
    own_table(page)
    page.get_by_label("(call)").fill("2")
    page.evaluate("answerBots()")
    expect(page.get_by_role("group", name="Bots").get_by_role("button", name="Vera")).to_be_visible()
    page.get_by_role("button", name="Open the table").click()
    assert dealer.hears("create")["bots"] == ["call", "call"]


def test_a_table_where_only_bots_play_is_seen_in_small(visit: Visit, site: Site) -> None:
    bots = ("fair-1", "loki2-2")
    site.api["/api/tables"]["tables"].append(table("table-7", 2, bots) | {"name": "Aquarium"})  # type: ignore[index]
    seats = scenes.seats(2)
    for seat, name in zip(seats["seats"], bots, strict=True):
        seat |= {"name": name, "kind": "bot"}
    dealer = visit([], path="/", greet=False)
    dealer.table = "table-7"
    dealer.opening = [
        scenes.welcome(),
        scenes.match_start(2, -1),
        seats,
        scenes.hand_start(2, hole=[]),
        scenes.faceup("Ah Kd", "7c 7s"),
    ]
    assert dealer.hears("watch")["table"] == "table-7"
    # It ends nothing that the visitor plays in another tab.
    assert dealer.hears("hello")["name"] != "Me"
    page = dealer.page
    expect(page.locator(".mini .hole .card")).to_have_count(4)
    expect(page.locator(".mini .name")).to_contain_text(["Vera", "Torsten"])
    expect(page.get_by_role("link", name="Watch", exact=True)).to_have_attribute("href", "/table/table-7")
    assert violations(page) == []


def test_who_may_not_look_on_sees_no_empty_felt(visit: Visit, site: Site) -> None:
    site.api["/api/tables"]["tables"].append(table("table-7", 2, ("fair-1", "call-2")))  # type: ignore[index]
    dealer = visit([], path="/", greet=False)
    expect(dealer.page.locator(".mini")).to_be_visible()
    dealer.hears("hello")
    dealer.say({"type": "error", "code": "bad_token", "message": "only with a token", "fatal": True})
    expect(dealer.page.locator(".mini")).to_have_count(0)
    expect(dealer.page.locator(".fan")).to_be_visible()


def test_who_watches_first_needs_no_name(visit: Visit) -> None:
    page = visit(path="/", settings={"name": ""}).page
    page.get_by_role("button", name="Watch Magpie").click()
    page.wait_for_url("**/table/table-2")
    expect(page.get_by_label("Your name at the table")).to_have_count(0)
    expect(page.get_by_role("region", name="Table")).to_be_visible()


def test_the_last_game_and_the_running_competition_are_a_press_away(visit: Visit, site: Site) -> None:
    running = {"competition": "spring", "name": "Spring cup", "status": "running", "bots": ["fair", "call"]}
    site.api["/api/competitions"] = {"competitions": [running | {"status": "finished"}, running]}
    last = {"text": "You finished 2nd of 6", "at": 1, "table": "Lantern", "href": "/table/table-1"}
    page = visit(path="/", settings={"last": last}).page
    ways = page.get_by_role("navigation", name="Other ways to play")
    expect(ways.get_by_role("link", name="Spring cup")).to_have_attribute("href", "/competition/spring")
    mine = ways.get_by_role("link", name="You finished 2nd")
    expect(mine).to_have_attribute("href", "/table/table-1")
    # A table that is closed has no page.
    site.api["/api/tables"] = {"tables": [table("table-2")]}
    expect(mine).to_have_attribute("href", "/me")


def test_light_or_dark_is_chosen_and_remembered(visit: Visit) -> None:
    page = visit(path="/", color_scheme="light").page
    colour = "() => getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(colour)
    page.get_by_role("button", name="light and dark").click()
    dark = page.evaluate(colour)
    assert dark != light
    assert violations(page) == []
    # What is set next keeps it.
    page.get_by_role("radio", name="Easy").check()
    page.reload()
    expect(page.get_by_role("heading", name="Sit down and play")).to_be_visible()
    assert page.evaluate(colour) == dark


def test_every_bot_has_a_page(visit: Visit, site: Site) -> None:
    site.api["/api/tables"]["tables"][0] |= {"players": ["loki2-3"], "kinds": ["bot"]}  # type: ignore[index]
    page = visit(path="/bots").page
    page.get_by_role("link", name="Torsten").click()
    expect(page.get_by_role("heading", name="Torsten")).to_be_visible()
    expect(page.get_by_role("link", name="Lantern")).to_have_attribute("href", "/table/table-1")
    expect(page.get_by_text("Loki-1 with triples and simulation")).to_be_visible()
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 740})
        assert violations(page) == [], width
        assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0, width
    page.get_by_role("link", name="Play against Torsten").click()
    chosen = page.locator("#own-form").get_by_role("group", name="Bots").get_by_role("button", pressed=True)
    expect(chosen).to_contain_text(["Torsten"])


def test_another_table_opens_beside_the_one_where_i_sit(visit: Visit, site: Site) -> None:
    mine = table("table-2", 6, ("fair-1", "Me"))
    site.api["/api/tables"] = {"tables": [table("table-1"), mine]}
    page = visit(path="/").page
    expect(page.locator(".own")).to_contain_text("You sit at Magpie.")
    expect(page.get_by_role("link", name="Go on playing")).to_have_attribute("href", "/table/table-2")
    page.get_by_role("button", name="Play at Lantern").click()
    page.wait_for_url("**/tables?at=table-2&at=table-1")
    sources = page.locator("iframe").evaluate_all("(all) => all.map((frame) => frame.getAttribute('src'))")
    assert sources == ["/table/table-2", "/table/table-1#sit"]


def test_watching_takes_no_seat_and_the_name_is_kept(visit: Visit) -> None:
    dealer = visit([scenes.welcome()], path="/", greet=False)
    page = dealer.page
    page.get_by_label("Your name at the tables").fill("Zoë")
    page.get_by_role("button", name="Watch Harbour").click()
    assert dealer.hears("hello")["name"] == "Zoë"
    assert dealer.hears("watch") == {"type": "watch", "table": "table-3"}
    assert dealer.said("join") == []


def test_a_table_of_my_own(visit: Visit) -> None:
    dealer = visit([scenes.welcome()], path="/", greet=False)
    page = dealer.page
    own_table(page)
    page.get_by_label("Name of the table").fill("Kitchen")
    page.get_by_role("radio", name="Tournament").check()
    page.get_by_label("Tournaments in a row").fill("10")
    page.get_by_label("Seats", exact=True).fill("5")
    page.get_by_label("(fair)").fill("2")
    page.get_by_label("(call)").fill("2")
    page.get_by_role("button", name="Open the table").click()
    assert dealer.hears("create") == {
        "type": "create", "name": "Kitchen", "game": "nolimit", "mode": "tournament",
        "small_blind": 5, "big_blind": 10, "ante": 0, "stack": 1000, "seats": 5,
        "decision_ms": 20000, "bank_ms": 60000, "pause_ms": 3000, "deck": "secure",
        "bots": ["fair", "fair", "call", "call"], "levels": "normal", "matches": 10, "memory": "match",
    }  # fmt: skip
    dealer.opening = [scenes.welcome(), scenes.match_start(5, -1), scenes.seats(5)]
    dealer.table = "table-9"
    dealer.say({"type": "created"})
    assert dealer.hears("join") == {"type": "join", "table": "table-9"}


def test_a_table_of_all_in_or_fold(visit: Visit) -> None:
    dealer = visit([scenes.welcome()], path="/", greet=False)
    page = dealer.page
    own_table(page)
    page.get_by_role("radio", name="All-in or fold").check()
    page.get_by_label("Stacks").select_option("1 to 10 big blinds, drawn for every hand")
    page.get_by_role("button", name="Open the table").click()
    asked = dealer.hears("create")
    assert (asked["game"], asked["depth"]) == ("pushfold", [1, 10])


def test_what_is_wrong_with_it_is_said_in_place(visit: Visit) -> None:
    dealer = visit([scenes.welcome()], path="/", greet=False)
    page = dealer.page
    own_table(page)
    alert = page.get_by_role("alert")
    fields = {"stack": "Chips", "bots": "", "decision_ms": "Seconds to decide", "deck": ""}
    for count, (field, label) in enumerate(fields.items(), 1):
        page.get_by_role("button", name="Open the table").click()
        dealer.hears("create", count)
        expect(alert).to_have_count(0)
        message = f"{field}: not like this"
        dealer.say({"type": "error", "code": "bad_table", "message": message, "field": field, "table": ""})
        expect(alert, field).to_have_text("Not like this")
        expect(alert, field).to_be_in_viewport(ratio=1)
        if label:
            expect(page.locator(".field", has_text=label).get_by_role("alert")).to_be_visible()
            expect(page.get_by_label(label, exact=True)).to_be_focused()
        # Told in a field, and in none.
        if count <= 2:
            assert violations(page) == [], field


def test_what_can_be_known_to_be_wrong_is_said_before_it_is_sent(visit: Visit) -> None:
    """As it is typed, and when it is asked for; also in a field that is folded away."""
    dealer = visit([scenes.welcome()], path="/", greet=False, viewport={"width": 390, "height": 700})
    page = dealer.page
    alert = page.get_by_role("alert")
    own_table(page)
    small = page.get_by_label("Small blind")
    small.fill("20")
    small.blur()
    expect(alert).to_contain_text("big blind, 10")
    page.get_by_text("More bots").click()
    page.get_by_label("shark: bites").fill("11")
    page.get_by_text("More bots").click()
    small.fill("10")
    small.blur()
    page.get_by_role("button", name="Open the table").click()
    expect(alert).to_be_in_viewport(ratio=1)
    expect(page.get_by_label("shark: bites")).to_be_focused()
    page.get_by_label("shark: bites").fill("9")
    page.get_by_role("button", name="Open the table").click()
    expect(alert).to_contain_text("9 bots")
    expect(alert).to_be_in_viewport(ratio=1)
    assert dealer.heard == []
    page.get_by_label("shark: bites").fill("3")
    page.get_by_role("button", name="Open the table").click()
    assert dealer.hears("create")["small_blind"] == 10
    expect(alert).to_have_count(0)


def test_a_name_that_is_taken_and_a_refused_series_are_told_where_they_are_seen(visit: Visit) -> None:
    dealer = visit(path="/", viewport={"width": 390, "height": 700})
    page = dealer.page
    alert = page.get_by_role("alert")
    own_table(page)
    page.get_by_role("button", name="Open the table").click()
    dealer.hears("hello")
    dealer.say({"type": "error", "code": "name_taken", "message": "taken", "fatal": True, "table": ""})
    expect(alert).to_contain_text("has this name")
    expect(alert).to_be_in_viewport(ratio=1)
    expect(page.get_by_label("Your name at the tables")).to_be_focused()
    page.get_by_label("Your name at the tables").fill("Zoe")
    page.get_by_role("button", name="Start").click()
    assert dealer.hears("hello", 2)["name"] == "Zoe"
    dealer.say({"type": "error", "code": "too_many_tables", "message": "too many", "table": ""})
    way = page.get_by_role("form", name="Ten tournaments against four bots")
    expect(way.get_by_role("alert")).to_be_in_viewport(ratio=1)


def test_a_table_needs_a_name_of_mine_first(visit: Visit) -> None:
    page = visit(path="/", settings={"name": ""}).page
    own_table(page)
    page.get_by_role("button", name="Open the table").click()
    expect(page.get_by_label("Your name at the tables")).to_be_focused()
    expect(page.get_by_role("alert")).to_have_text("Enter a name first.")
    expect(page.get_by_role("alert")).to_be_in_viewport(ratio=1)


def test_the_lobby_fits(visit: Visit) -> None:
    page = visit(path="/").page
    own_table(page)
    page.get_by_text("More bots").click()
    expect(page.get_by_role("heading", name="Harbour")).to_be_visible()
    over = """() => [...document.querySelectorAll(".box :is(select, input)")].filter((one) =>
      one.getBoundingClientRect().right > one.closest(".box").getBoundingClientRect().right).length"""
    for width in (320, 390, 1000):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0, width
        assert page.evaluate(over) == 0, width
