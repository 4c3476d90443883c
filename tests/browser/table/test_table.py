"""What is to be seen at the table. The test is the server; numbers in names are none of a list, rows are."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import scenes
from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.screenshots import betting, twice
from tests.browser.site import Site, menu

#: Heads-up, the viewer wins.
#: What the names of bots are to people, by seat.
SHOWN = {3: "Verafair", 7: "Carlcall"}
POT = {"amount": 40, "seats": [0, 1], "wins": [[0, 40]]}
SIZES = range(2, 11)
SCREENS = [(1920, 1080), (1280, 800), (768, 1024), (390, 844), (360, 740), (320, 640), (320, 568)]
#: A page zoomed to 200 %, and a phone on its side.
LOW = [(640, 400), (740, 360), (640, 360)]


def centres(page: Page) -> list[tuple[float, float]]:
    boxes = page.locator(".pod").evaluate_all("(pods) => pods.map((pod) => pod.getBoundingClientRect())")
    return [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]


def on_screens(page: Page, screens: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The page on one screen after the other."""
    for width, height in screens:
        page.set_viewport_size({"width": width, "height": height})
        yield width, height


def test_seats_are_evenly_placed_and_mine_is_at_the_bottom(visit: Visit) -> None:
    dealer = visit([scenes.welcome()])
    page = dealer.page
    for size in SIZES:
        dealer.say(*scenes.deal(size, seat=1))
        expect(page.locator(".pod")).to_have_count(size)
        names = page.locator(".name").all_text_contents()
        assert names == [
            SHOWN.get((1 + step) % size, scenes.NAMES[(1 + step) % size]) for step in range(size)
        ]
        for width, height in on_screens(page, SCREENS):
            case = f"{size} at {width} x {height}"
            found = centres(page)
            middle_x = width / 2 if width < 992 else (width - 320) / 2
            middle_y = sum(y for _, y in found) / size
            assert found[0][0] == pytest.approx(middle_x, abs=1), case
            assert found[0][1] == max(y for _, y in found), case
            # Clockwise from the bottom: every step turns the same way, and mirrored seats mirror each other.
            angles = [math.atan2(y - middle_y, x - middle_x) for x, y in found]
            steps = [(after - before) % math.tau for before, after in pairwise([*angles, angles[0]])]
            assert sum(steps) == pytest.approx(math.tau), case
            for (x, y), (other_x, other_y) in zip(found[1:], reversed(found[1:]), strict=True):
                assert x - middle_x == pytest.approx(middle_x - other_x, abs=1), case
                assert y == pytest.approx(other_y, abs=1), case


def overlapping(page: Page, *, low: bool = False) -> list[list[str]]:
    """Texts of seats, cards and results of which one lies over the other."""
    found: list[list[str]] = page.locator(
        ".pod, .board .card, .results li, .felt .hole .card:not(.back)"
    ).evaluate_all(
        """(elements, isLow) => {
          // In a low window with the ring of a seat that wins.
          const box = (element) => {
            const { left, top, right, bottom } = element.getBoundingClientRect();
            const { outlineStyle, outlineWidth } = getComputedStyle(element);
            const ring = isLow && outlineStyle !== "none" ? parseFloat(outlineWidth) : 0;
            return { left: left - ring, top: top - ring, right: right + ring, bottom: bottom + ring };
          };
          const boxes = elements.map((element) => [element.textContent, box(element)]);
          return boxes.flatMap(([one, p], index) => boxes.slice(index + 1)
            .filter(([, q]) => Math.min(p.right, q.right) - Math.max(p.left, q.left) > 2
              && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 2)
            .map(([other]) => [one, other]));
        }""",
        low,
    )
    return found


def test_no_seat_covers_another_or_the_board(visit: Visit) -> None:
    """Nor the results; and nothing is wider than the page, or lies over my seat where there is room."""
    dealer = visit([scenes.welcome()])
    page = dealer.page
    for size in SIZES:
        messages = scenes.three_way_all_in(size) + scenes.showdown(size) if size > 2 else scenes.deal(2)
        dealer.say(*messages)
        expect(page.locator(".pod")).to_have_count(size)
        for screen in on_screens(page, SCREENS + LOW):
            assert overlapping(page, low=screen in LOW) == [], (size, screen)
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (size, screen)
            faces = page.locator(".pod .face:visible").evaluate_all(
                "(faces) => faces.map((face) => face.getBoundingClientRect().left)"
            )
            assert min(faces) >= 0, (size, screen)
            if screen in LOW:
                lowest = page.locator(".pod").evaluate_all(
                    "(pods) => Math.max(...pods.map((pod) => pod.getBoundingClientRect().bottom))"
                )
                assert lowest <= screen[1], (size, screen)
            else:
                covered = page.locator(".seat[data-me] .pod").evaluate(
                    "(pod) => pod.getBoundingClientRect().bottom > document.querySelector('.controls')"
                    ".getBoundingClientRect().top + 1"
                )
                assert not covered, (size, screen)


def test_no_seat_covers_boards_that_were_run_twice(visit: Visit) -> None:
    dealer = visit([scenes.welcome()])
    page = dealer.page
    for size in SIZES:
        dealer.say(*twice(size))
        expect(page.locator(".pod")).to_have_count(size)
        expect(page.locator(".board .card")).to_have_count(10)
        for screen in on_screens(page, [(1280, 800), (390, 844), (320, 568), *LOW]):
            assert overlapping(page, low=screen in LOW) == [], (size, screen)


#: Pods whose stack is wider than they are, or where the badge of a blind covers stack or name.
CROWDED = """(pods) => pods.filter((pod) => {
  const seen = (element) => [...element.childNodes]
    .filter((node) => node.data?.trim()
      || (node.matches?.(".brief, .exact") && getComputedStyle(node).clipPath === "none"))
    .map((node) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return range.getBoundingClientRect();
    }).filter((box) => box.width);
  const outer = pod.getBoundingClientRect();
  const badge = pod.querySelector(".blind")?.getBoundingClientRect();
  const covers = (box) => badge && Math.min(badge.right, box.right) - Math.max(badge.left, box.left) > 1
    && Math.min(badge.bottom, box.bottom) - Math.max(badge.top, box.top) > 1;
  const stack = seen(pod.querySelector(".stack"));
  return !stack.length || stack.some((box) => box.left < outer.left || box.right > outer.right || covers(box))
    || seen(pod.querySelector(".name bdi")).some(covers);
}).map((pod) => pod.textContent)"""


@pytest.mark.parametrize("blinds", [False, True])
def test_large_stacks_and_badges_find_room(visit: Visit, *, blinds: bool) -> None:
    dealer = visit([scenes.welcome()], settings={"bigBlinds": blinds})
    page = dealer.page
    for stack in (1_000_000_000, 1_234_567, 999_990):
        dealer.say(*scenes.deal(9)[:-1], scenes.hand_start(9, [stack] * 9))
        dealer.breathe()
        expect(page.locator(".blind")).to_have_count(2)
        for screen in on_screens(page, [(1280, 800), (390, 844), (320, 568), (812, 375)]):
            assert page.locator(".pod").evaluate_all(CROWDED) == [], (stack, screen)


def test_free_seats_say_so_and_can_be_taken(visit: Visit) -> None:
    dealer = visit([scenes.welcome(), scenes.match_start(6, -1), scenes.seats(6, empty=(2, 4))])
    seat = dealer.page.get_by_role("region", name="Seat 5: free")

    seat.get_by_role("button", name="Sit here").click()

    assert dealer.hears("join") == {"type": "join", "table": "table-1", "seat": 4}


def test_the_button_and_the_blinds_move(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    page = dealer.page
    expect(page.locator(".dealer")).to_have_attribute("data-at", "0")
    expect(page.get_by_role("region", name="Seat 2: Anna")).to_contain_text("SB")
    expect(page.get_by_role("region", name="Seat 3: Bartholomew Long")).to_contain_text("BB")
    before = page.locator(".dealer").bounding_box()

    dealer.say(scenes.hand_end(), scenes.hand_start(hand=17, button=1, seats=[2, 0, 1]))

    expect(page.locator(".dealer")).to_have_attribute("data-at", "1")
    expect(page.get_by_role("region", name="Seat 3: Bartholomew Long")).to_contain_text("SB")
    expect(page.get_by_role("region", name="Seat 1: Me, you")).to_contain_text("BB")
    page.wait_for_function(
        "(x) => document.querySelector('.dealer').getBoundingClientRect().x < x - 50",
        arg=before and before["x"],
    )


def test_whose_turn_it_is_stands_there_in_words_and_lines(visit: Visit) -> None:
    dealer = visit([*scenes.deal(3), scenes.waiting(1)])
    anna = dealer.page.get_by_role("region", name="Seat 2: Anna")
    expect(anna).to_contain_text(re.compile(r"to act (20|1\d) s"))
    assert anna.locator(".pod").evaluate("(pod) => getComputedStyle(pod).outlineStyle") == "solid"
    other = dealer.page.get_by_role("region", name="Seat 3")
    assert other.locator(".pod").evaluate("(pod) => getComputedStyle(pod).outlineStyle") == "none"

    dealer.say(scenes.acted(1, "fold"), scenes.waiting(0), scenes.turn())

    expect(dealer.page.get_by_role("region", name="Seat 1: Me, you")).to_contain_text("your turn")
    expect(anna).not_to_contain_text("to act")


def test_stacks_bets_and_what_was_done(visit: Visit) -> None:
    dealer = visit([*scenes.deal(3), scenes.acted(0, "raise", 120, 120)])
    me = dealer.page.get_by_role("region", name="Seat 1: Me, you")
    expect(me.locator(".bet")).to_have_text("bet 120")
    expect(me.locator(".stack")).to_contain_text("1,880")
    expect(me.locator(".seat-status")).to_have_text("raises to 120")

    dealer.say(scenes.acted(1, "call", 120, 110), scenes.acted(2, "fold"), scenes.board(1, "2c", "3d", "4h"))

    expect(me.locator(".bet:not([data-pushed])")).to_have_count(0)
    expect(me.locator(".seat-status")).to_have_text("")
    expect(dealer.page.get_by_role("region", name="Seat 3").locator(".seat-status")).to_have_text("folded")


def test_every_pot_names_who_can_win_it(visit: Visit) -> None:
    pots = [{"amount": 900, "seats": [0, 1, 2]}, {"amount": 1200, "seats": [0, 2]}]
    dealer = visit([*scenes.three_way_all_in(3), scenes.waiting(0, 2100, pots)])
    page = dealer.page
    expect(page.locator(".pot")).to_have_text("Pot 2,100")
    items = page.get_by_role("list", name="Pots").get_by_role("listitem")
    expect(items.nth(0)).to_contain_text("Main pot 900 you, Anna and Bartholomew Long")
    expect(items.nth(1)).to_contain_text("Side pot 1,200 you and Bartholomew Long")

    dealer.say(*scenes.showdown(3))

    results = page.get_by_role("list", name="Result").get_by_role("listitem")
    expect(results).to_have_text([
        "1Anna wins 900 from the main pot with a full house, tens over fours",
        "2Bartholomew Long wins 1,200 from the side pot with two pair, jacks and tens",
    ])  # fmt: skip
    # The ten, the four, the jack, the other four, the other ten: which pots they won.
    marks = page.get_by_role("list", name="Board").locator(".marks")
    expect(marks).to_have_text(["12", "1", "2", "1", "12"])
    expect(page.locator(".board [data-look=best]")).to_have_count(5)


def test_amounts_in_chips_or_big_blinds(visit: Visit) -> None:
    dealer = visit([*scenes.deal(3), scenes.turn()])
    page = dealer.page
    expect(page.locator("[data-slot=call]:enabled")).to_contain_text("Call 20")
    page.get_by_label("Raise to, in chips").fill("90")

    menu(page, "Settings").click()
    page.get_by_label("Amounts in big blinds").check()
    page.get_by_role("button", name="Close").click()

    expect(page.locator("[data-slot=call]:enabled")).to_contain_text("Call 1 BB")
    expect(page.get_by_role("region", name="Seat 1: Me, you").locator(".stack")).to_contain_text("100 BB")
    expect(page.locator(".log")).to_contain_text("Anna posts 0.5 BB, Bartholomew Long posts 1 BB")
    amount = page.get_by_label("Raise to, in big blinds")
    expect(amount).to_have_value("4.5")
    amount.fill("7.5")
    expect(page.get_by_role("button", name="Raise to 7.5 BB")).to_be_visible()
    page.reload()
    expect(page.locator("[data-slot=call]:enabled")).to_contain_text("Call 1 BB")
    dealer.say({"type": "error", "code": "illegal_action", "message": "the smallest raise is to 45"})
    expect(page.locator(".notice")).to_contain_text("The smallest raise is to 2.25 BB")

    # What a hand brought keeps its unit when the blinds rise after it.
    page.keyboard.press("Escape")
    dealer.say(scenes.hand_end(), {"type": "level", "small_blind": 20, "big_blind": 40, "ante": 0})
    expect(page.get_by_role("banner")).to_contain_text("20/40")
    expect(page.get_by_text("You won 1.5 BB.")).to_be_visible()
    expect(page.get_by_role("list", name="Result")).to_contain_text("You win 2.5 BB")
    menu(page, "Last hand").click()
    expect(page.get_by_role("dialog").locator(".net")).to_have_text(["\u22120.5 BB", "\u22121 BB", "+1.5 BB"])
    last = page.evaluate("() => JSON.parse(localStorage.pokerd).last.text")
    assert last == "You won 1.5 BB in 1 hand"


def test_hand_game_and_blinds_are_there_and_the_link_can_be_copied(visit: Visit) -> None:
    dealer = visit(scenes.deal(3), permissions=["clipboard-read", "clipboard-write"])
    page = dealer.page
    expect(page.get_by_role("banner")).to_contain_text("Hand 16")
    expect(page.get_by_role("banner")).to_contain_text("No-limit hold'em 10/20")

    menu(page, "Copy link").click()

    expect(page.get_by_text("link is copied")).to_be_visible()
    assert page.evaluate("() => navigator.clipboard.readText()") == page.url

    # In a later level a snapshot has the game that the match began with, and what is posted now.
    dealer.opening[2] = scenes.seats(3, game="no-limit hold'em 50/100, ante 5")
    page.reload()
    expect(page.get_by_role("banner")).to_contain_text("No-limit hold'em 50/100, ante 5")


def test_a_showdown_says_who_won_with_what_and_lifts_the_five_cards(visit: Visit) -> None:
    dealer = visit(scenes.deal(2))
    page = dealer.page
    dealer.say(
        scenes.acted(0, "call", 20, 10), scenes.acted(1, "call", 20),
        scenes.board(1, "Td", "4s", "Jc"), scenes.board(2, "4h"), scenes.board(3, "Ac"),
        {"type": "shown", "seq": 8, "hands": [
            scenes.show(1, "Th 9h", "two pair, tens and fours"),
            scenes.show(0, "Ah Kd", "two pair, aces and fours", "Ah Ac 4s 4h Kd"),
        ]},
        scenes.hand_end(2, pots=[POT], net=[-20, 20], stacks=[1980, 2020]),
    )  # fmt: skip
    expect(page.get_by_role("list", name="Result")).to_have_text("You win 40 with two pair, aces and fours")
    lifted = page.locator("[data-look=best]").evaluate_all("(cards) => cards.map((card) => card.ariaLabel)")
    assert lifted == [
        "ace of hearts", "king of diamonds", "four of spades", "four of hearts", "ace of clubs",
    ]  # fmt: skip
    expect(page.locator(".board [data-look=dim]")).to_have_count(2)
    expect(page.get_by_role("region", name="Seat 2: Anna")).to_contain_text("two pair, tens and fours")
    expect(page.get_by_text("You won 20.")).to_be_visible()


def test_an_all_in_before_the_river_is_named_by_the_final_board(visit: Visit) -> None:
    dealer = visit(scenes.deal(2))
    hands = [
        {"seat": 0, "cards": ["Ah", "Kd"], "label": "flush, ace high", "best": ["Ah", "2h", "3h", "4h", "9h"]}
    ]
    dealer.say(
        {
            "type": "shown",
            "seq": 3,
            "hands": [{"seat": 0, "cards": ["Ah", "Kd"]}, {"seat": 1, "cards": ["7c", "7d"]}],
        }
    )
    # Whoever has the pair wins 55 times of 100.
    shares = dealer.page.locator(".share")
    expect(shares).to_have_text([re.compile(r"4\d\s%$"), re.compile(r"5\d\s%$")])
    assert violations(dealer.page) == []
    dealer.say(scenes.board(1, "2h", "3h", "4h"))
    expect(shares).to_have_text([re.compile("%$")] * 2)
    dealer.say(
        scenes.board(2, "9h"),
        scenes.board(3, "9c"),
        scenes.hand_end(2, pots=[POT], hands=hands, net=[-20, 20]),
    )
    expect(dealer.page.get_by_role("list", name="Result")).to_have_text("You win 40 with a flush, ace high")
    expect(shares).to_have_count(0)


def test_what_would_have_come_is_shown_to_whoever_asks(visit: Visit) -> None:
    dealer = visit([*scenes.deal(3), scenes.acted(1, "fold"), scenes.acted(2, "fold"), scenes.hand_end()])
    page = dealer.page
    expect(page.get_by_role("button", name="Rabbit")).to_have_count(0)
    dealer.say(scenes.undealt("Td", "4s", "Jc", "4h", "Ac"))
    expect(page.locator(".board .card")).to_have_count(0)
    page.get_by_role("button", name="Rabbit").click()
    expect(page.get_by_role("list", name="Board").get_by_role("listitem")).to_have_count(5)
    expect(page.get_by_role("button", name="Rabbit")).to_have_count(0)
    expect(page.locator(".log li").first).to_contain_text("The next cards would have been")
    assert violations(page) == []
    dealer.say(scenes.hand_start(3) | {"hand": 17})
    expect(page.get_by_role("list", name="Board").get_by_role("listitem")).to_have_count(0)


def test_how_others_play_stands_at_their_seats_for_whoever_wants_it(visit: Visit, site: Site) -> None:
    page = visit([*scenes.deal(3), scenes.styles(3)], settings={"hud": True}).page
    expect(page.locator(".hud")).to_have_count(2)
    expect(page.locator(".hud").first).to_have_attribute(
        "title", re.compile(r"VPIP 24\s%, PFR 18\s%, 3-bet .+ 131 hands")
    )
    assert violations(page) == []
    # Of whom more is known in all hands, that is shown.
    name = scenes.NAMES[1]
    site.api["/api/players"] = {
        "players": [
            {
                "name": name,
                "style": scenes.styles(3)["seats"][1] | {"hands": 5000, "vpip": 0.31},
                "seats": [["table-1", 1]],
            }
        ]
    }
    other = visit([*scenes.deal(3), scenes.styles(3)], settings={"hud": True}).page
    known = other.locator(".hud", has_text="31/")
    expect(known).to_have_attribute(
        "title", re.compile(r"all hands: VPIP 31.+ 5.000 hands\. At this table: VPIP")
    )
    expect(other.locator(".hud")).to_have_count(2)
    menu(page, "Settings").click()
    page.get_by_label("Statistics at the seats").uncheck()
    expect(page.locator(".hud")).to_have_count(0)


def _lie_apart(page: Page, one: str, others: str) -> bool:
    """Whether none of the others covers a part of the one; both are selectors."""
    apart: bool = page.evaluate(
        """([one, others]) => {
          const mine = document.querySelector(one).getBoundingClientRect();
          return [...document.querySelectorAll(others)].every((other) => {
            const its = other.getBoundingClientRect();
            const isBeside = its.left >= mine.right || its.right <= mine.left;
            return isBeside || its.top >= mine.bottom || its.bottom <= mine.top;
          });
        }""",
        [one, others],
    )
    return apart


@pytest.mark.parametrize("locale", ["en-GB", "de-DE", "fr-FR", "es-ES"])
def test_on_a_phone_no_bet_covers_the_pots(visit: Visit, locale: str) -> None:
    page = visit(betting(6), viewport={"width": 390, "height": 844}, locale=locale).page
    expect(page.locator(".pots > li")).to_have_count(2)
    assert _lie_apart(page, ".pots", ".bet")


def test_on_a_phone_the_button_covers_no_figures(visit: Visit) -> None:
    dealer = visit(
        [*scenes.deal(6), scenes.styles(6)], settings={"hud": True}, viewport={"width": 320, "height": 640}
    )
    for button in range(1, 6):
        dealer.say(*scenes.in_match(f"{button}", scenes.deal(6)), scenes.hand_start(6, button=button))
        dealer.say(scenes.styles(6))
        expect(dealer.page.locator(f".dealer[data-at='{button}']")).to_be_visible()
        assert _lie_apart(dealer.page, ".dealer", ".hud"), button


@pytest.mark.parametrize(("name", "cards"), [("Show all", ["Ah", "Kd"]), ("Show king of diamonds", ["Kd"])])
def test_cards_can_be_shown_after_the_hand(visit: Visit, name: str, cards: list[str]) -> None:
    dealer = visit([*scenes.deal(3), scenes.acted(1, "fold"), scenes.acted(2, "fold"), scenes.hand_end()])

    dealer.page.get_by_role("button", name=name).click()

    assert dealer.hears("show") == {"type": "show", "table": "table-1", "hand": 16, "cards": cards}
    dealer.say({"type": "showed", "hand": 16, "seat": 0, "cards": cards})
    expect(dealer.page.get_by_role("button", name="Show all")).to_have_count(0)
    expect(dealer.page.locator(".log")).to_contain_text("You show")


def test_mucking_is_one_press_or_a_setting(visit: Visit) -> None:
    over = [*scenes.deal(3), scenes.acted(1, "fold"), scenes.acted(2, "fold"), scenes.hand_end()]
    dealer = visit(over)
    dealer.page.get_by_role("button", name="Muck").click()
    expect(dealer.page.get_by_role("button", name="Show all")).to_have_count(0)

    page = visit(over, settings={"offerShow": False}).page
    expect(page.get_by_text("You won 30.")).to_be_visible()
    expect(page.get_by_role("button", name="Show all")).to_have_count(0)


def test_what_i_have_is_the_servers_word_and_can_be_switched_off(visit: Visit) -> None:
    hand = [
        *scenes.deal(3),
        scenes.board(1, "As", "Kc", "2d"),
        {"type": "strength", "street": 1, "label": "two pair, aces and kings"},
    ]
    page = visit(hand).page
    expect(page.get_by_text("You have two pair, aces and kings")).to_be_visible()

    menu(page, "Settings").click()
    page.get_by_label("Name my hand").uncheck()
    page.get_by_role("button", name="Close").click()

    expect(page.get_by_text("You have two pair")).to_have_count(0)


def test_the_last_hand_is_one_click_away(visit: Visit) -> None:
    dealer = visit([*scenes.three_way_all_in(3), *scenes.showdown(3), scenes.hand_start(hand=17)])
    page = dealer.page

    menu(page, "Last hand").click()

    dialog = page.get_by_role("dialog", name="Last hand")
    expect(dialog).to_contain_text("Hand 16")
    expect(dialog.get_by_role("row", name="Anna")).to_contain_text("+600")
    expect(dialog.get_by_role("row", name="Anna").get_by_role("img", name="ten of hearts")).to_be_visible()
    expect(dialog).to_contain_text("Bartholomew Long wins 1,200 from the side pot")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_a_series_shows_its_results(visit: Visit) -> None:
    results = scenes.series_results(3)
    series = {"type": "series", "match": 1, "of": 10, "results": []}
    dealer = visit([*scenes.deal(5), series])
    beside = dealer.page.get_by_role("region", name="Series")
    expect(beside).to_have_text("Tournament 1 of 10")
    dealer.say(series | {"match": 4, "results": results})
    expect(beside).to_contain_text("Tournament 4 of 10")
    rows = [
        "Player.*Won.*Balance.*Places",
        r"Vera.*1.*\+4,000.*2.*1.*4",
        r"Me.*you.*1.*\+4,000",
        "Bartholomew",
        r"Chidi.*0.*\u22126,000.*3.*2.*5",
        r"Anna.*0.*\u22126,000",
    ]
    expect(beside.get_by_role("row")).to_have_text([re.compile(words, re.DOTALL) for words in rows])


def test_the_result_of_a_series_stays_and_can_be_kept(visit: Visit) -> None:
    series = {"type": "series", "match": 10, "of": 10, "results": scenes.series_results(10)}
    over = {"type": "match_end", "hands": 412, "net": [0] * 5, "reason": "complete"}
    page = visit([*scenes.deal(5), series, over], permissions=["clipboard-read", "clipboard-write"]).page
    result = page.get_by_role("region", name="After 10 of 10 tournaments")
    expect(result).to_contain_text("You are ahead.")
    mine = result.get_by_role("row", name="Me you")
    expect(mine.get_by_role("cell")).to_have_text(["3", "+10,000", "+10", re.compile(r"4\s+3\s+1\s+5")])
    expect(page.get_by_role("link", name="Back to the lobby")).to_be_visible()
    assert violations(page) == []

    result.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("result is copied")).to_be_visible()
    copied = page.evaluate("() => navigator.clipboard.readText()").splitlines()
    assert copied[1] == "Me\t3\t10000\t10\t4\t3\t1\t5\t4\t1\t2\t5\t1\t3"
    with page.expect_download() as download:
        result.get_by_role("button", name="Save as CSV").click()
    assert download.value.suggested_filename == "table-1.csv"
    lines = Path(download.value.path()).read_text("utf-8").splitlines()
    assert lines[0].startswith("player,tournaments won,balance in chips,balance in thousands,place in 1,")
    assert lines[1] == "Me,3,10000,10,4,3,1,5,4,1,2,5,1,3"


def test_a_match_with_fixed_stacks_counts_its_hands_from_0(visit: Visit) -> None:
    start = scenes.match_start(3, mode="fixed", hands=50)
    page = visit([scenes.welcome(), start, scenes.seats(3), scenes.hand_start(hand=0)]).page
    expect(page.get_by_role("banner")).to_contain_text("Hand 0 (0 to 49)")
    expect(page.locator(".log")).to_contain_text("Hand 0: ")


def test_a_challenge_ends_with_a_way_to_its_result(visit: Visit) -> None:
    start = scenes.match_start(3, mode="challenge", hands=50)
    messages = [scenes.welcome(), start, scenes.seats(3), scenes.hand_start(), scenes.hand_end()]
    dealer = visit(messages)
    page = dealer.page
    expect(page.get_by_role("banner")).to_contain_text("Hand 16 of 50")
    dealer.say(scenes.challenge())
    expect(page.get_by_text("Me +1,230, Vera \u2212200 with the same cards.")).to_be_visible()
    menu(page, "Settings").click()
    page.get_by_label("Amounts in big blinds").check()
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_text("Me +61.5 BB, Vera \u221210 BB with the same cards.")).to_be_visible()
    link = page.get_by_role("link", name="Compare hand by hand")
    expect(link).to_have_attribute("href", "/challenge/table-1.1")
    assert violations(page) == []


def test_in_a_run_out_the_pots_are_told_before_the_cards(visit: Visit) -> None:
    dealer = visit(scenes.three_way_all_in(3), settings={"speed": "slow"}, clock=True)
    page = dealer.page
    expect(page.locator(".pod")).to_have_count(3)
    frozen = page.evaluate("() => Date.now()") + 1000
    page.clock.pause_at(frozen)
    dealer.say(*scenes.showdown(3))
    while page.locator(".board .card").count() < 3:
        page.clock.run_for(100)
    assert page.locator(".board .card").count() == 3
    expect(page.get_by_role("list", name="Pots").get_by_role("listitem")).to_have_text(
        [re.compile("Main pot 900"), re.compile("Side pot 1,200")]
    )


def test_the_last_hand_leads_to_its_replay_and_files(visit: Visit, site: Site) -> None:
    site.match = {"run": "table-1.7", "commitment": "", "seed": ""}
    page = visit([*scenes.three_way_all_in(3), *scenes.showdown(3)]).page
    menu(page, "Last hand").click()
    dialog = page.get_by_role("dialog", name="Last hand")
    expect(dialog.get_by_role("link", name="Replay")).to_have_attribute("href", "/hand/table-1.7.16")
    expect(dialog.get_by_role("link", name="Save as PHH")).to_have_attribute(
        "href", "/api/hands/table-1.7.16.phh"
    )
    expect(dialog.get_by_role("link")).to_have_count(5)
    assert violations(page) == []


SEED = "00" * 32
PROMISE = hashlib.sha256(bytes(32)).hexdigest()


@pytest.mark.parametrize(
    ("seed", "words"), [(SEED, "Checked by this browser"), ("11" * 32, "does not match the SHA-256")]
)
def test_the_promise_of_the_deals_is_kept_or_not(visit: Visit, site: Site, seed: str, words: str) -> None:
    site.match = {"run": "table-1.7", "commitment": PROMISE, "seed": ""}
    table = scenes.seats(3, commitment=PROMISE)
    dealer = visit(
        [scenes.welcome(), scenes.match_start(3), table], permissions=["clipboard-read", "clipboard-write"]
    )
    page = dealer.page
    menu(page, "About").click()
    about = page.get_by_role("dialog", name="About this table")
    expect(about).to_contain_text(PROMISE)
    expect(about).to_contain_text("What is this?")
    about.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("commitment is copied")).to_be_attached()
    assert page.evaluate("() => navigator.clipboard.readText()") == PROMISE
    site.match = {"run": "table-1.7", "commitment": PROMISE, "seed": seed}
    dealer.say({"type": "match_end", "hands": 17, "net": [0, 0, 0], "reason": "closed"})
    expect(about).to_contain_text(words)
    expect(about.get_by_role("link", name="Check it yourself")).to_have_attribute(
        "href", "/api/tables/table-1.7"
    )
    assert violations(page) == []


def test_the_parameters_of_a_bot_are_told_at_its_seat_and_about_the_table(visit: Visit) -> None:
    table = scenes.seats(3)
    table["seats"][1] |= {"name": "adaptive-11", "parameters": {"raise_at": 0.6, "mu": [0.1, 0.2, 0.3, 0.4]}}
    page = visit([scenes.welcome(), scenes.match_start(3), table]).page
    told = "raise_at 0.6, mu 0.1 0.2 0.3 0.4"
    seat = page.get_by_role("region", name="Seat 2: adaptive-11")
    expect(seat.locator(".name")).to_have_attribute("title", re.compile(f"adaptive-11.*: {told}"))
    expect(seat).to_contain_text("*")
    menu(page, "About").click()
    expect(page.get_by_role("dialog", name="About this table")).to_contain_text(told)
    assert violations(page) == []
