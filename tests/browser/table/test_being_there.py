"""Connections, tabs, sitting out, leaving, looking on, chat and the log."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import scenes
from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.site import Dealer, Message, Site, menu

AWAY = ["away", "in", "in"]


def test_hello_says_that_a_person_is_here_and_a_seat_is_made_ready(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    hello = dealer.hears("hello")
    assert (hello["name"], hello["person"]) == ("Me", True)
    assert dealer.hears("ready") == {"type": "ready", "table": "table-1"}
    assert dealer.said("watch") == []


def test_who_has_no_seat_looks_on(visit: Visit) -> None:
    dealer = visit([scenes.welcome()])
    assert dealer.hears("watch") == {"type": "watch", "table": "table-1"}
    dealer.say(scenes.match_start(3, -1), scenes.seats(3, empty=(2,), watchers=4), scenes.hand_start(hole=[]))
    bar = dealer.page.locator(".watching")
    expect(bar).to_contain_text("with 3 others. Cards stay hidden")
    watchers = dealer.page.get_by_text("4 spectators")
    expect(watchers).to_have_count(0)
    expect(dealer.page.locator(".card:not(.back)")).to_have_count(0)
    assert dealer.said("ready") == []

    dealer.page.get_by_role("button", name="Take a seat").click()

    assert dealer.hears("join") == {"type": "join", "table": "table-1"}
    dealer.say(scenes.match_start(3), scenes.seats(3, watchers=4))
    expect(watchers).to_be_visible()


def test_a_broken_connection_comes_back_and_drops_what_was_chosen(visit: Visit) -> None:
    dealer = visit([*scenes.deal(3), scenes.waiting(1)])
    page = dealer.page
    page.get_by_role("button", name="Call 20").and_(page.locator(".choice")).click()
    expect(page.get_by_role("button", name="Call 20", pressed=True)).to_be_visible()

    dealer.drop()

    banner = page.locator(".banner")
    expect(banner).to_contain_text("seat is held")
    dealer.deaf = False
    dealer.opening = [
        scenes.welcome(), scenes.match_start(3, resumed=True), scenes.seats(3), scenes.hand_start(),
        scenes.acted(1, "call", 20, 10), scenes.acted(2, "call", 20), scenes.turn(call=20),
    ]  # fmt: skip
    assert dealer.hears("hello", 2)["resume"] == "secret"
    expect(banner).to_have_count(0)
    expect(page.locator("[data-slot=call]:enabled")).to_contain_text("Call 20")
    expect(page.get_by_text("Anna calls 10")).to_have_count(1)
    expect(page.get_by_role("status").filter(has_text="your choice was cancelled")).to_be_visible()
    assert dealer.said("act") == []

    # The same turn asks again: what was typed stays.
    amount = page.get_by_label("Raise to, in chips")
    amount.fill("120")
    dealer.drop()
    expect(banner).to_contain_text("seat is held")
    dealer.deaf = False
    expect(banner).to_have_count(0)
    expect(amount).to_have_value("120")
    page.locator(".slot:enabled:not([data-too-soon])", has_text="Raise to 120").click()
    assert dealer.hears("act")["to"] == 120


def test_the_banner_counts_down_how_long_the_seat_is_held(visit: Visit) -> None:
    dealer = visit(scenes.deal(3), clock=True)
    page = dealer.page
    expect(page.locator(".pod")).to_have_count(3)
    page.clock.pause_at(page.evaluate("() => Date.now() / 1000") + 5)
    dealer.drop()
    while not page.locator(".banner").count():
        page.clock.run_for(50)
    page.clock.run_for(2_300)
    expect(page.locator(".banner")).to_contain_text("28 s")
    page.clock.run_for(30_000)
    expect(page.locator(".banner")).to_contain_text("may be gone")


def test_an_unknown_resume_secret_is_forgotten(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    expect(dealer.page.locator(".pod")).to_have_count(3)
    dealer.opening = [{"type": "error", "code": "bad_resume", "message": "not known", "fatal": True}]
    dealer.sockets[-1].close(code=1001)
    assert dealer.hears("hello", 2)["resume"] == "secret"
    dealer.opening = scenes.deal(3)
    dealer.sockets[-1].close(code=1008)
    assert "resume" not in dealer.hears("hello", 3)


def test_an_older_tab_says_so_and_can_take_over_again(visit: Visit) -> None:
    dealer = visit([*scenes.deal(3), scenes.turn()])
    page = dealer.page
    expect(page.locator("[data-slot=call]:enabled")).to_contain_text("Call 20")
    dealer.say(
        {"type": "error", "code": "replaced", "message": "a newer connection", "fatal": True, "table": ""}
    )
    dealer.sockets[-1].close(code=1000)

    expect(page.locator(".banner")).to_contain_text("newer tab")
    expect(page.locator(".slot:enabled")).to_have_count(0)
    dealer.breathe()
    assert len(dealer.said("hello")) == 1

    page.get_by_role("button", name="Play here").click()

    assert dealer.hears("hello", 2)["name"] == "Me"
    expect(page.locator(".banner")).to_have_count(0)


def test_a_tab_at_another_table_is_asked_before_it_is_ended(visit: Visit, site: Site) -> None:
    site.api["/api/tables"] = {"tables": []}
    # A table that nobody named is called by its address.
    first = visit([*scenes.deal(3), scenes.seats(3, name="table-1")])
    expect(first.page.get_by_role("heading", name="Lantern")).to_be_visible()

    second = Dealer(first.page.context.new_page(), scenes.deal(3), table="table-2")
    second.page.goto(f"{site.url}/table/table-2")
    banner = second.page.get_by_role("alert")
    expect(banner).to_contain_text("You are at Lantern in another tab")
    assert second.heard == []
    second.page.get_by_role("button", name="Continue here").click()
    assert second.hears("hello")["name"] == "Me"
    expect(second.page.locator(".pod")).to_have_count(3)

    third = Dealer(first.page.context.new_page(), table="table-2")
    third.page.goto(f"{site.url}/table/table-3")
    third.page.get_by_role("button", name="Stay there").click()
    third.page.wait_for_url(f"{site.url}/")
    assert third.heard == []


def test_a_table_that_was_watched_before_is_left(visit: Visit) -> None:
    dealer = visit([scenes.welcome(), scenes.match_start(3, -1) | {"table": "table-9"}])
    assert dealer.hears("watch")["table"] == "table-1"
    assert dealer.hears("leave")["table"] == "table-9"
    dealer.say(scenes.match_start(3, -1), scenes.seats(3))
    expect(dealer.page.locator(".pod")).to_have_count(3)


@pytest.mark.parametrize("ended", [False, True], ids=["same-table", "ended"])
def test_a_tab_with_nothing_to_lose_is_not_asked(visit: Visit, site: Site, ended: bool) -> None:
    """The newest tab of a table takes over, and at a table that is over nobody waits."""
    over = {"type": "match_end", "hands": 17, "net": [0, 0, 0], "reason": "closed"}
    first = visit([*scenes.deal(3), *([over] if ended else [])])
    expect(first.page.locator(".pod")).to_have_count(3)
    second = Dealer(first.page.context.new_page(), scenes.deal(3), table="table-2" if ended else "table-1")
    second.page.goto(f"{site.url}/table/{second.table}")
    assert second.hears("hello")["name"] == "Me"


def test_a_name_is_asked_for_and_asked_again_when_it_is_taken(visit: Visit) -> None:
    dealer = visit(settings={"name": ""})
    page = dealer.page
    page.get_by_label("Your name at the table").fill("Zoe")
    page.keyboard.press("Enter")
    assert dealer.hears("hello")["name"] == "Zoe"
    dealer.say(
        {
            "type": "error",
            "code": "name_taken",
            "message": "a guest has this name",
            "fatal": True,
            "table": "",
        }
    )
    expect(page.get_by_role("alert")).to_contain_text("has this name")
    dealer.opening = scenes.deal(3)
    page.get_by_label("Your name at the table").fill("Zoe 2")
    page.keyboard.press("Enter")
    assert dealer.hears("hello", 2)["name"] == "Zoe 2"
    expect(page.locator(".pod")).to_have_count(3)


def test_sitting_out_and_coming_back(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    page = dealer.page
    others: Message = {
        "seats": [2, 1],
        "stacks": [2000] * 2,
        "antes": [0] * 2,
        "blinds": [20, 10],
        "hole": [],
    }
    for count, (name, at) in enumerate([("Sit out next hand", "hand"), ("Sit out at my blind", "blind")], 1):
        dealer.say(*scenes.in_match(name, scenes.deal(3)))
        menu(page, name).click()
        assert dealer.hears("away", count) == {"type": "away", "table": "table-1", "at": at}
        expect(page.locator(".notice")).not_to_be_empty()

        dealer.say(scenes.hand_end(), scenes.seats(3, AWAY), scenes.hand_start(hand=17, button=1, **others))

        expect(page.get_by_text("You are sitting out.")).to_be_visible()
        expect(page.get_by_role("region", name="Seat 1: Me, you")).to_contain_text("sitting out")
        page.locator(".controls").get_by_role("button", name="I'm back").click()
        assert dealer.hears("back", count)


def test_what_was_said_of_sitting_out_goes_with_the_seat(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    page = dealer.page
    menu(page, "Sit out next hand").click()
    expect(page.locator(".notice")).to_contain_text("sit out")
    dealer.say({"type": "match_end", "hands": 3, "net": [], "reason": "left"})
    expect(page.get_by_role("link", name="Back to the lobby")).to_be_visible()
    expect(page.locator(".notice", has_text="sit out")).to_have_count(0)


def test_what_cannot_be_sent_is_said_and_not_taken_for_done(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    page = dealer.page
    dealer.drop()
    expect(page.locator(".banner")).to_be_visible()
    menu(page, "Sit out next hand").click()
    expect(page.get_by_text("Not connected")).to_be_visible()
    expect(page.locator(".notice", has_text="sit out")).to_have_count(0)


def test_a_second_press_on_leave_is_no_second_goodbye(visit: Visit) -> None:
    dealer = visit([*scenes.deal(3), scenes.hand_end()])
    menu(dealer.page, "Leave", exact=True).dblclick()
    dealer.hears("leave")
    dealer.breathe()
    assert len(dealer.said("leave")) == 1


def test_leaving_in_the_middle_of_a_hand_explains_what_happens(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    page = dealer.page
    menu(page, "Leave", exact=True).click()
    question = page.get_by_role("dialog", name="Leave in the middle of a hand?")
    expect(question).to_contain_text("folds to any bet")
    question.get_by_role("button", name="Leave after this hand").click()
    dealer.breathe()
    assert dealer.said("leave") == []

    dealer.say(scenes.acted(0, "fold"), scenes.hand_end())

    assert dealer.hears("leave") == {"type": "leave", "table": "table-1"}
    dealer.say({"type": "match_end", "hands": 17, "net": [0, 0, 0], "reason": "left"})
    expect(page.get_by_role("link", name="Back to the lobby")).to_be_visible()


def test_leaving_at_once_is_possible_and_needs_no_question_between_hands(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    page = dealer.page
    menu(page, "Leave", exact=True).click()
    page.get_by_role("button", name="Leave now").click()
    assert dealer.hears("leave")

    dealer.say(*scenes.in_match("between hands", scenes.deal(3)), scenes.hand_end())
    dealer.breathe()
    menu(page, "Leave", exact=True).click()
    assert dealer.hears("leave", 2)

    # The hand may end before the question is answered.
    dealer.say(*scenes.in_match("in a hand", scenes.deal(3)))
    dealer.breathe()
    menu(page, "Leave", exact=True).click()
    dealer.say(scenes.acted(0, "fold"), scenes.hand_end())
    page.get_by_role("button", name="Leave after this hand").click()
    assert dealer.hears("leave", 3)


def test_leaving_a_challenge_ends_it_and_says_when_nothing_is_compared(visit: Visit) -> None:
    """Between hands, too, there is a question: one cannot come back."""
    start = [scenes.welcome(), scenes.match_start(3, mode="challenge", hands=50), scenes.seats(3)]
    left = {"type": "match_end", "hands": 1, "net": [0, 0, 0], "reason": "left"}
    dealer = visit([scenes.welcome()])
    page = dealer.page
    question = page.get_by_role("dialog", name="Leave the challenge?")
    for count, compared in enumerate((False, True), 1):
        dealer.say(*scenes.in_match(f"{count}", start), scenes.hand_start(), scenes.hand_end())
        menu(page, "Leave", exact=True).click()
        expect(question).to_contain_text("That ends it")
        assert violations(page) == []
        question.get_by_role("button", name="Leave now").click()
        assert dealer.hears("leave", count)
        dealer.say(*([scenes.challenge()] if compared else []), left)
        expect(page.get_by_role("link", name="Back to the lobby")).to_be_visible()
        expect(page.get_by_text("nothing to compare")).to_have_count(0 if compared else 1)
        expect(page.get_by_role("link", name="Compare hand by hand")).to_have_count(1 if compared else 0)


def test_who_is_gone_or_waits_is_told_apart(visit: Visit) -> None:
    dealer = visit(
        [scenes.welcome(), scenes.match_start(4), scenes.seats(4, ["in", "gone", "waiting", "away"])]
    )
    page = dealer.page
    for number, words in [(2, "connection lost"), (3, "next hand"), (4, "sitting out")]:
        expect(page.get_by_role("region", name=f"Seat {number}")).to_contain_text(words)
    # House bots are started when somebody wants them.
    seats = scenes.seats(4, ["in", "gone", "in", "in"])
    seats["seats"][1] |= {"name": "fair-1", "kind": "bot"}
    dealer.say(seats)
    expect(page.get_by_role("region", name="Seat 2")).to_contain_text("on the way")


ALONE = [scenes.welcome(), scenes.match_start(3), scenes.seats(3, empty=(1, 2), owner="Me")]


def test_alone_at_my_table_i_am_told_so_and_can_bring_somebody(visit: Visit, site: Site) -> None:
    dealer = visit(ALONE, permissions=["clipboard-read", "clipboard-write"])
    page = dealer.page
    expect(page.locator(".felt")).to_contain_text("Nobody else")
    page.get_by_role("button", name="Copy invitation link").click()
    expect(page.get_by_text("link is copied")).to_be_visible()
    assert page.evaluate("() => navigator.clipboard.readText()") == f"{site.url}/table/table-1#sit"
    page.get_by_label("Bot").select_option("loki2")
    page.get_by_role("button", name="Add a bot").click()
    assert dealer.hears("invite") == {"type": "invite", "table": "table-1", "bot": "loki2"}
    assert violations(page) == []

    dealer.say(scenes.seats(3, ["in", "away", "gone"], owner="Me"))
    expect(page.locator(".felt")).to_contain_text(
        "Waiting for Anna (sitting out) and Bartholomew Long (connection lost)."
    )
    for bringing in ("Add a bot", "Copy invitation link"):
        expect(page.get_by_role("button", name=bringing)).to_have_count(0)
    dealer.say(scenes.seats(3, owner="Me"))
    expect(page.locator(".felt")).to_contain_text("Waiting for the next hand")
    # At a table of somebody else bots are not offered.
    dealer.say(scenes.seats(3, empty=(1, 2), owner="Olga"))
    expect(page.get_by_role("button", name="Copy invitation link")).to_be_visible()
    expect(page.get_by_role("button", name="Add a bot")).to_have_count(0)


def test_a_bot_is_added_with_parameters_of_its_own(visit: Visit) -> None:
    dealer = visit(ALONE)
    page = dealer.page
    settable = page.get_by_role("button", name="Parameters")
    page.get_by_label("Bot").select_option("call")
    expect(settable).to_have_count(0)
    page.get_by_label("Bot").select_option("shark")
    settable.click()
    form = page.get_by_role("dialog", name="Parameters of shark")
    add = form.get_by_role("button", name="Add shark")
    number = form.get_by_label("raise_at")
    number.fill("7")
    add.click()
    expect(number).to_be_focused()
    assert dealer.said("invite") == []
    number.fill("0.2")
    add.click()
    asked = {"bot": "shark", "parameters": {"raise_at": 0.2}}
    assert dealer.hears("invite") == {"type": "invite", "table": "table-1", "bot": asked}
    message = "shark: fold_below is above raise_at"
    dealer.say({"type": "error", "code": "bad_parameters", "message": message, "field": "bot"})
    expect(form.get_by_role("alert")).to_contain_text("fold_below is above raise_at")
    assert violations(page) == []
    # Who sits down meanwhile does not take the form away.
    dealer.say(scenes.seats(3, empty=(2,), owner="Me"))
    expect(number).to_have_value("0.2")
    number.fill("0.6")
    add.click()
    assert dealer.hears("invite", 2)["bot"] == asked | {"parameters": {"raise_at": 0.6}}
    dealer.say(scenes.seats(3, owner="Me"))
    expect(form).to_have_count(0)


def test_a_table_that_is_gone_leads_back(visit: Visit) -> None:
    """The page was open while the server forgot the table."""
    dealer = visit([scenes.welcome()])
    dealer.hears("watch")
    dealer.say({"type": "error", "code": "unknown_table", "message": "no such table", "table": ""})
    expect(dealer.page.get_by_text("not exist")).to_be_visible()
    expect(dealer.page.get_by_role("link", name="Back to the lobby")).to_be_visible()


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "${alert(1)}",
    "&lt;b&gt;",
    "\u202eEvil\u202c",
    "javascript:alert(1)",
    "'\"><script>alert(1)</script>",
]


def test_names_and_chat_are_text_and_nothing_else(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    page = dealer.page
    page.get_by_role("button", name="Chat").click()
    for text in HOSTILE:
        table = scenes.seats(3, name=text)
        table["seats"][1]["name"] = text
        said = {"type": "said", "seat": 1, "name": text, "text": text, "at": 1}
        dealer.say(scenes.match_start(3), table, scenes.hand_start(), said, scenes.acted(1, "raise", 60, 50))
        expect(page.locator(".chat li")).to_have_text(f"{text}: {text}")
        expect(page.locator(".name").nth(1)).to_have_text(text)
        expect(page.get_by_role("heading", level=1)).to_have_text(text)
        expect(page.locator("#page img, #page script, .chat b b"), text).to_have_count(0)


def test_a_name_turns_nothing_but_itself(visit: Visit) -> None:
    """Neither a control character nor a script that is written from the right moves what follows a name."""
    dealer = visit(scenes.deal(3))
    page = dealer.page
    for name, line in [
        ("\u2069\u202eEvil", "\u2068Evil\u2069"),
        ("\u05d3\u05df 1", "\u2068\u05d3\u05df 1\u2069"),
    ]:
        table = scenes.seats(3)
        table["seats"][1]["name"] = name
        dealer.say(scenes.match_start(3), table, scenes.hand_start(), scenes.acted(1, "raise", 60, 50))
        expect(page.locator(".log li").first).to_have_text(f"{line} raises to 60")
        expect(page.locator("bdi", has_text=name)).to_have_count(1)


def test_chat_can_be_muted_one_by_one_and_switched_off(visit: Visit) -> None:
    said = [
        {"type": "said", "seat": 1, "name": "Anna", "text": "hello", "at": 1},
        {"type": "said", "seat": -1, "name": "Olga", "text": "watching here", "at": 2},
    ]
    dealer = visit([*scenes.deal(3), *said])
    page = dealer.page
    page.get_by_role("button", name="Chat (2)").click()
    expect(page.locator(".chat li")).to_have_count(2)
    expect(page.get_by_role("button", name="Chat", exact=True)).to_be_visible()
    page.get_by_text("Mute people").click()
    page.get_by_role("checkbox", name="Anna").check()
    expect(page.locator(".chat li")).to_have_text(["Olga (watching): watching here"])
    # Whoever was muted stays so, at other tables too.
    assert page.evaluate("JSON.parse(localStorage.pokerd).muted") == ["Anna"]

    menu(page, "Settings").click()
    page.get_by_role("checkbox", name="Chat").uncheck()
    page.get_by_role("button", name="Close").click()

    expect(page.get_by_role("button", name="Chat", exact=True)).to_have_count(0)
    expect(page.locator(".log")).not_to_contain_text("hello")


def test_too_much_chat_is_refused_kindly(visit: Visit) -> None:
    dealer = visit([*scenes.deal(3), {"type": "error", "code": "too_fast", "message": "slow down"}])
    expect(dealer.page.get_by_text("Too fast")).to_be_visible()


def test_the_log_is_plain_sentences_to_filter_copy_and_keep(visit: Visit, tmp_path: Path) -> None:
    messages = [*scenes.three_way_all_in(3), *scenes.showdown(3)]
    page = visit(messages, permissions=["clipboard-read", "clipboard-write"]).page
    log = page.locator(".log li")
    expect(log.last).to_contain_text("Hand 16: You have the button, Anna posts 10, Bartholomew Long posts 20")
    expect(log.filter(has_text="Flop")).to_have_count(1)
    streets = page.get_by_role("group", name="Log, newest first").get_by_role("heading")
    expect(streets).to_have_text(["River", "Turn", "Flop", "Before the flop"])
    expect(streets.first).to_be_visible()
    page.get_by_role("combobox", name="Show").select_option("results")
    expect(log.filter(has_text="Flop")).to_have_count(0)
    expect(log.filter(has_text="wins")).to_have_count(2)

    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.get_by_text("log is copied")).to_be_visible()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert "Flop: Td 4s Jc\n" in copied
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    path = tmp_path / "log.txt"
    download.value.save_as(path)
    assert path.read_text(encoding="utf-8") == copied


def test_a_newer_page_asks_for_a_reload(visit: Visit, site: Site) -> None:
    site.api["/api/version"] = {"server": "0.3.0", "protocol": "pokerd.v1", "page": "abc123"}
    site.version = "old456"
    page = visit(scenes.deal(3)).page
    expect(page.get_by_text("new version")).to_be_visible()
    site.version = "abc123"
    page.get_by_role("button", name="Reload").click()
    expect(page.locator(".pod")).to_have_count(3)
    expect(page.get_by_text("new version")).to_have_count(0)


def test_a_tournament_ends_with_my_place_and_another_one(visit: Visit) -> None:
    create = {"type": "create", "mode": "tournament", "seats": 5, "bots": ["fair"] * 4}
    request = {"table": "table-1", "create": create}
    series = {"type": "series", "match": 1, "of": 1, "results": []}
    start = [scenes.welcome(), scenes.match_start(5, mode="tournament"), scenes.seats(5), series]
    dealer = visit(start, settings={"request": request})
    page = dealer.page
    out = scenes.seats(5, ["out"])
    out["seats"][0]["place"] = 5
    dealer.say(out)
    expect(page.locator(".controls")).to_contain_text("5th")
    expect(page.get_by_role("button", name="Play again")).to_be_visible()
    result = {"match": 1, "players": list(scenes.NAMES[:5]), "places": [5, 1, 2, 3, 4], "hands": 9}
    dealer.say(series | {"results": [result]}, {"type": "match_end", "hands": 9, "net": []})
    expect(page.locator(".result").get_by_role("heading").first).to_contain_text("5th")
    assert violations(page) == []
    page.get_by_role("button", name="Play again").click()
    assert dealer.hears("create") == create
    dealer.opening = [scenes.welcome(), scenes.match_start(5, -1), scenes.seats(5)]
    dealer.table = "table-2"
    dealer.say({"type": "created"})
    assert dealer.hears("join") == {"type": "join", "table": "table-2"}
    assert page.evaluate("() => JSON.parse(localStorage.pokerd).last.text").startswith("You finished 5th")
