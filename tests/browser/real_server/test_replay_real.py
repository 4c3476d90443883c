"""Hands that a real server has kept: of a competition that was played, and of a table with a person."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.axe import violations
from tests.browser.real import Club, Enter, answer, asked, call, club, open_table, shove
from tests.support.competitions.arena import bot, competition, division
from tests.support.programs import PYTHON, outcome

CUP = competition(
    [bot(name, run="raise") for name in ("ann", "bob", "cleo")],
    [
        division("ring", game="holdem.nolimit.3p", hands=3, seatings="rotations"),
        division("cup", table={"mode": "tournament", "players": 3, "stack": 100}, seatings="rotations"),
    ],
    name="spring",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    folder = tmp_path_factory.mktemp("club")
    (folder / "spring.toml").write_text(CUP, encoding="utf-8")
    out = folder / "results" / "spring"
    played = outcome(PYTHON, "-m", "pokerd", "compete", folder / "spring.toml", "--out", out)
    assert played.returncode == 0, played.stderr
    with club(folder) as place:
        yield place


def test_a_session_of_a_competition_is_watched_to_its_end(enter: Enter) -> None:
    page = enter("/hand/spring/ring/m0000-l000-s0/0")
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 0")
    expect(page.locator(".hole:not(span) .card")).to_have_count(6)
    page.get_by_label("Speed").select_option("instant")
    page.get_by_label("Follow").select_option("bob")
    page.get_by_label("Continue with the next hand").check()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Hand 2")
    expect(page.locator(".step .notice")).to_contain_text("last hand")
    expect(page.locator("[data-at='0'] .name")).to_have_text("bob")
    page.get_by_text("Downloads and deals").click()
    expect(page.locator(".about")).to_contain_text("Checked by this browser")
    for suffix, text in [("txt", "Hand ring/"), ("phh", "variant"), ("ohh", '"ohh"'), ("json", '"messages"')]:
        with page.expect_download() as download:
            page.get_by_role("link", name=f".{suffix}").click()
        assert text in Path(download.value.path()).read_text("utf-8")
    assert violations(page) == []


def test_a_tournament_shows_who_is_left_in_it(enter: Enter) -> None:
    page = enter("/hand/spring/cup/m0000-l000-s0/1")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_have_text("Hand 1")
    while page.get_by_role("button", name="Next hand").is_enabled():
        before = heading.inner_text()
        page.keyboard.press("n")
        expect(heading).not_to_have_text(before)
    page.keyboard.press("End")
    expect(page.locator(".seat[data-won]")).to_have_count(1)
    expect(page.locator(".pod")).to_have_count(3)


def test_what_is_not_there_is_told(enter: Enter, faults: list[str]) -> None:
    page = enter("/hand/spring/ring/m0000-l000-s0/99")
    expect(page.get_by_role("alert")).to_contain_text("no hand 99")
    faults.clear()


def test_a_person_sees_own_cards_and_a_stranger_none(enter: Enter) -> None:
    page = enter(name="Cleo")
    open_table(page, "Friday", {"call": 2}, Seats="3")
    asked(page)
    mine = [card.get_attribute("aria-label") for card in page.locator(".seat[data-me] .hole .card").all()]
    hand = page.locator(".title .hand").inner_text().removeprefix("Hand ")
    call(page, page.locator(".log li", has_text=f"Hand {int(hand) + 1}: "))
    table = page.url.rpartition("/")[2].partition("#")[0]
    run = json.loads(page.evaluate("(path) => fetch(path).then((a) => a.text())", f"/api/tables/{table}"))[
        "run"
    ]

    replay = enter(f"/hand/{run}.{hand}", within=page.context)
    expect(replay.get_by_role("heading", level=1)).to_have_text(f"Hand {hand}")
    expect(replay.locator(".you")).to_have_text("Cleo")
    seen = replay.locator(".hole:not(span) .card")
    expect(seen).to_have_count(2)
    assert [card.get_attribute("aria-label") for card in seen.all()] == mine
    others = replay.locator("span.hole").count()
    assert others
    replay.get_by_text("Downloads and deals").click()
    expect(replay.locator(".about")).to_contain_text("table closes")
    replay.keyboard.press("End")
    expect(replay.get_by_role("table", name="Won and lost")).to_contain_text("You")

    stranger = enter(f"/hand/{run}.{hand}")
    expect(stranger.locator("span.hole")).to_have_count(others + 1)
    expect(stranger.locator(".hole:not(span) .card")).to_have_count(0)


def test_ones_own_calls_are_judged_by_what_was_shown(enter: Enter) -> None:
    page = enter(name="Dora")
    open_table(page, "Duel", {"raise": 1}, Seats="2")
    asked(page)
    answer(page, "c")
    hand = page.locator(".title .hand").inner_text().removeprefix("Hand ")
    shove(page, page.locator(".log li", has_text=f"Hand {int(hand) + 1}: "))
    table = page.url.rpartition("/")[2].partition("#")[0]
    run = page.evaluate("(path) => fetch(path).then((a) => a.json())", f"/api/tables/{table}")["run"]
    address = f"/hand/{run}.{hand}"
    replay = enter(address, within=page.context)
    loss = replay.get_by_role("region", name="Largest loss")
    expect(loss.get_by_role("heading")).to_be_visible()
    # A strong bot tells what it would have done there.
    replay.get_by_role("list", name="Log").get_by_text("You call").first.click()
    strategy = replay.get_by_role("region", name="Strategy")
    expect(strategy.get_by_text("would have done")).to_be_visible()
    shares = [int(text.strip(" <%")) for text in strategy.locator("dd span").all_inner_texts()]
    assert 95 <= sum(shares) <= 105
    assert violations(replay) == []
    # It is nobody else's loss.
    stranger = enter(f"{address}#1:Look")
    expect(stranger.get_by_role("region", name="Comment in the link")).to_contain_text("Look")
    expect(stranger.get_by_role("region", name="Largest loss")).to_have_count(0)


def test_a_hand_of_a_closed_table_is_played_on_from_any_decision(enter: Enter) -> None:
    page = enter(name="Fred", settings={"speed": "instant"})
    open_table(page, "Past", {"call": 1}, Kind="tournament", Seats="2", Seconds_to_decide="600")
    asked(page)
    mine = page.locator(".seat[data-me] .hole .card")
    cards = [card.get_attribute("aria-label") for card in mine.all()]
    table = page.url.rpartition("/")[2].partition("#")[0]
    find = "(path) => fetch(path).then((answer) => answer.json())"
    run = page.evaluate(find, f"/api/tables/{table}")["run"]
    call(page, page.locator(".log li", has_text="Hand 2: "))
    # Nobody waits here for what a strong bot would have done.
    hint = {"bot": "nolimit", "chances": [["call", 0, 1.0]], "depth": 0}
    page.context.route("**/hints/*", lambda route: route.fulfill(json=hint))
    replay = enter(f"/hand/{run}.1", within=page.context)
    on = replay.get_by_role("button", name="Play on from here")
    # While the table is open, its deck is a secret.
    expect(replay.locator(".about dt")).to_have_count(4)
    expect(on).to_have_count(0)
    # A browser draws only what is in front.
    page.bring_to_front()
    over = page.get_by_role("heading", name="You finished")
    while not over.is_visible():
        shove(page, over)
    replay.bring_to_front()
    replay.wait_for_function(f"(path) => ({find})(path).then(({{ seed }}) => seed)", arg=f"/api/tables/{run}")
    replay.reload()
    replay.get_by_role("list", name="Log").get_by_text(re.compile("You (call|check)")).first.click()
    # What is shown is done; a step back, the decision is mine again.
    replay.get_by_role("button", name="Step back").click()
    expect(replay.get_by_role("region", name="Play on")).to_contain_text("you play for Fred")
    assert violations(replay) == []
    on.click()
    assert asked(replay)
    expect(replay.locator(".title .hand")).to_have_text("Hand 1")
    expect(replay.get_by_text("You play this hand again. It does not count.")).to_be_visible()
    again = replay.locator(".seat[data-me] .hole .card")
    assert [card.get_attribute("aria-label") for card in again.all()] == cards
