"""Eyes, ears and hands: sounds, colours, screen readers, the text table, phones, zoom; and the policy."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import scenes
from tests.browser.axe import violations
from tests.browser.conftest import Visit
from tests.browser.screenshots import betting, ending
from tests.browser.site import Site, menu

PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
#: Counts the tones that are started, by frequency, and how loud they are.
SPY = """
window.tones = [];
window.gains = [];
window.AudioContext = class {
  currentTime = 0;
  destination = {};
  createGain() {
    const gain = { setValueAtTime: (value) => gains.push(value), exponentialRampToValueAtTime() {} };
    return { gain, connect: (next) => next };
  }
  createOscillator() {
    const frequency = { value: 0 };
    return { frequency, connect: (next) => next, stop() {}, start() { window.tones.push(frequency.value); } };
  }
};
"""


def test_nothing_sounds_before_the_first_gesture_and_mute_is_remembered(visit: Visit) -> None:
    dealer = visit(scenes.deal(3), script=SPY)
    page = dealer.page
    dealer.say(scenes.acted(0, "call", 20, 20))
    dealer.breathe()
    assert page.evaluate("tones") == []

    page.locator(".felt").click()
    dealer.say(
        scenes.acted(1, "call", 20, 10),
        scenes.acted(2, "call", 20),
        scenes.board(1, "2c", "3d", "4h"),
        scenes.turn(call=0),
    )
    page.wait_for_function("() => tones.includes(660) && tones.includes(1250) && tones.includes(320)")

    menu(page, "Sound").click()
    page.evaluate("tones = []")
    dealer.say(scenes.acted(0, "raise", 40, 40))
    dealer.breathe()
    assert page.evaluate("tones") == []
    page.reload()
    expect(menu(page, "Sound")).to_have_attribute("aria-pressed", "false")


def test_tones_are_as_loud_as_the_slider_says(visit: Visit) -> None:
    dealer = visit(scenes.deal(3), script=SPY, settings={"volume": 0.5})
    page = dealer.page
    menu(page, "Settings").click()
    slider = page.get_by_role("slider", name="Volume")
    for turn, volume in enumerate((1, 0.2)):
        slider.fill(str(volume))
        page.evaluate("gains.length = 0")
        dealer.say(scenes.turn(turn=turn, call=0))
        page.wait_for_function("() => gains.length")
        assert page.evaluate("gains") == pytest.approx([0.2 * volume] * 2)
        dealer.say(scenes.acted(0, "call"))
    slider.fill("0")
    page.evaluate("tones.length = 0")
    dealer.say(scenes.acted(0, "call", 20, 20), scenes.turn(turn=2, call=0))
    dealer.breathe()
    assert page.evaluate("tones") == []


#: Keeps every lock that the page asks for so that the screen stays awake. As with a real one, a page that is
#: hidden loses it.
AWAKE = """
window.locks = [];
Object.defineProperty(navigator, "wakeLock", { value: { async request(kind) {
  const lock = { kind, released: false, async release() { lock.released = true; } };
  locks.push(lock);
  return lock;
} } });
window.hide = (hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
  if (hidden) for (const lock of locks) lock.released = true;
  document.dispatchEvent(new Event("visibilitychange"));
};
"""


def test_the_screen_stays_awake_as_long_as_i_sit(visit: Visit) -> None:
    watch = [scenes.welcome(), scenes.match_start(3, -1), scenes.seats(3), scenes.hand_start(hole=[])]
    dealer = visit(watch, script=AWAKE)
    page = dealer.page
    page.locator(".felt").click()
    assert page.evaluate("locks") == []
    dealer.say(*scenes.deal(3)[1:])
    expect(page.get_by_role("region", name="Seat 1: Me, you")).to_be_visible()
    page.locator(".felt").click()
    page.locator(".felt").click()
    assert page.evaluate("locks.map(({ kind, released }) => [kind, released])") == [["screen", False]]
    page.evaluate("hide(true)")
    page.evaluate("hide(false)")
    assert page.evaluate("locks.map(({ released }) => released)") == [True, False]

    dealer.say({"type": "match_end", "hands": 3, "net": [], "reason": "left"})

    page.wait_for_function("() => locks.length === 2 && locks.every((lock) => lock.released)")
    page.locator(".controls").click()
    assert page.evaluate("locks.length") == 2


def test_the_low_time_has_its_own_sound(visit: Visit) -> None:
    dealer = visit(scenes.deal(3), script=SPY, clock=True)
    dealer.page.locator(".felt").click()
    dealer.say(scenes.turn(time_ms=2_000, bank_ms=5_000))
    dealer.page.clock.run_for(3_000)
    assert dealer.page.evaluate("tones").count(440) == 2


def test_the_title_and_the_icon_say_that_it_is_my_turn(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    page = dealer.page
    expect(page).to_have_title("Kitchen table · pokerd")
    dealer.say(scenes.turn())
    expect(page).to_have_title("Your turn! Kitchen table · pokerd")
    icon = page.locator("link[rel=icon]")
    expect(icon).to_have_attribute("href", "/static/lib/icon-turn.svg")
    page.locator("[data-slot=call]:not([data-too-soon])").click()
    expect(page).to_have_title("Kitchen table · pokerd")
    expect(icon).to_have_attribute("href", "/static/lib/icon.svg")


def test_title_and_icon_flash_while_the_tab_is_hidden(visit: Visit) -> None:
    hide = "Object.defineProperty(Document.prototype, 'hidden', { get: () => true });"
    dealer = visit(scenes.deal(3), script=hide, clock=True)
    dealer.say(scenes.turn())
    both = "() => [document.title, document.querySelector('link[rel=icon]').getAttribute('href')]"
    seen = set()
    for _ in range(8):
        dealer.page.clock.run_for(500)
        seen.add(tuple(dealer.page.evaluate(both)))
    assert seen == {
        ("Kitchen table · pokerd", "/static/lib/icon.svg"),
        ("Your turn! Kitchen table · pokerd", "/static/lib/icon-turn.svg"),
    }


def suits(page: Page) -> list[str]:
    found: list[str] = page.locator(".board .card").evaluate_all(
        "(cards) => cards.map((card) => getComputedStyle(card).color)"
    )
    return found


def test_four_colours_by_default_and_two_on_demand(visit: Visit) -> None:
    dealer = visit([*scenes.deal(3), scenes.board(1, "2s", "3h", "4d"), scenes.board(2, "5c")])
    page = dealer.page
    expect(page.locator(".board .card")).to_have_count(4)
    assert len(set(suits(page))) == 4
    shapes = page.locator(".board .suit path").evaluate_all(
        "(all) => all.map((path) => path.getAttribute('d'))"
    )
    assert len(set(shapes)) == 4

    menu(page, "Settings").click()
    page.get_by_label("Four-colour deck").uncheck()

    assert len(set(suits(page))) == 2


def test_no_two_suits_look_alike_to_colour_blind_eyes(visit: Visit) -> None:
    page = visit([*scenes.deal(3), scenes.board(1, "2s", "2h", "2d"), scenes.board(2, "2c")]).page
    expect(page.locator(".board .card")).to_have_count(4)
    eyes = page.context.new_cdp_session(page)
    for kind in ("protanopia", "deuteranopia", "tritanopia", "achromatopsia"):
        eyes.send("Emulation.setEmulatedVisionDeficiency", {"type": kind})
        pictures = [page.locator(".board .card").nth(index).screenshot() for index in range(4)]
        assert len(set(pictures)) == 4, kind
    eyes.detach()


def test_colours_follow_the_system_and_can_be_read(visit: Visit) -> None:
    page = visit(betting(6)).page
    expect(page.locator(".slot:enabled:not([data-too-soon])").first).to_be_visible()
    looks: list[dict[str, Any]] = [
        {"color_scheme": scheme, "contrast": contrast}
        for scheme in ("light", "dark")
        for contrast in ("no-preference", "more")
    ]
    for look in looks:
        page.emulate_media(**look)
        light = page.evaluate(
            "() => parseInt(getComputedStyle(document.documentElement).backgroundColor.slice(4)) > 127"
        )
        assert light is (look["color_scheme"] == "light"), look
        colours = page.evaluate(
            """() => [["html", "color"], ["html", "backgroundColor"], [".notice", "color"],
                [".top", "backgroundColor"], [".top", "borderBottomColor"]]
              .map(([selector, name]) => getComputedStyle(document.querySelector(selector))[name])"""
        )
        extremes = {"rgb(0, 0, 0)", "rgb(255, 255, 255)"}
        found = set(colours) == extremes if look["contrast"] == "more" else not extremes & set(colours[:2])
        assert found, (look, colours)
        assert violations(page, contrast_only=look != looks[0]) == [], look


def test_with_the_colours_of_the_system_it_is_seen_whose_turn_it_is_and_what_is_pressed(visit: Visit) -> None:
    page = visit(betting(3), forced_colors="active").page
    outline = """(pod) => {
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(pod);
      pod.style.color = "Highlight";
      return [outlineStyle, outlineWidth, outlineColor === getComputedStyle(pod).color];
    }"""
    assert page.locator("[data-acting] .pod").evaluate(outline) == ["solid", "3px", True]
    others = page.locator(".seat:not([data-acting]) .pod")
    expect(others).to_have_count(2)
    assert [other.evaluate(outline)[0] for other in others.all()] == ["none"] * 2
    tabs = page.locator(".tabs button")
    backgrounds = tabs.evaluate_all("(all) => all.map((tab) => getComputedStyle(tab).backgroundColor)")
    assert len(set(backgrounds)) == 2
    assert violations(page) == []


def test_nothing_moves_when_motion_is_not_wanted(visit: Visit) -> None:
    page = visit([*scenes.deal(3), scenes.acted(1, "raise", 60, 50)], reduced_motion="reduce").page
    expect(page.locator(".seat-status[data-kind]")).to_have_count(1)
    moving = """(all) => all.map((element) => getComputedStyle(element))
      .filter((style) => style.animationName !== 'none' || style.transitionDuration !== '0s').length"""
    assert page.locator("*").evaluate_all(moving) == 0


@pytest.mark.parametrize(("size", "screen"), [(2, "phone"), (6, "desk"), (10, "phone")])
def test_axe_finds_nothing_in_betting_and_at_showdown(visit: Visit, size: int, screen: str) -> None:
    options = PHONE if screen == "phone" else {}
    dealer = visit([scenes.welcome()], **options)
    page = dealer.page
    for messages in (betting(size), ending(size)):
        dealer.say(*messages)
        dealer.breathe()
        expect(page.locator(".pod")).to_have_count(size)
        expect(page.locator("[data-too-soon]")).to_have_count(0)
        assert violations(page) == []


def test_axe_finds_nothing_behind_the_buttons(visit: Visit) -> None:
    said = {"type": "said", "seat": 1, "name": "Anna", "text": "hello", "at": 1}
    page = visit([*ending(3), said, scenes.hand_start(hand=17)]).page
    found = {}
    for button in ("Settings", "Help", "Last hand", "Leave"):
        menu(page, button).click()
        found[button] = violations(page)
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
    # They change the page.
    page.get_by_role("button", name="Chat").click()
    found["Chat"] = violations(page)
    menu(page, "Text table").click()
    found["Text table"] = violations(page)
    assert {case: texts for case, texts in found.items() if texts} == {}


def test_a_screen_reader_finds_seats_cards_and_actions(visit: Visit) -> None:
    page = visit(
        [
            *scenes.deal(3),
            scenes.board(1, "Th", "9c", "2d"),
            scenes.acted(1, "raise", 60, 60),
            scenes.waiting(0, 90),
            scenes.turn(call=60),
        ]
    ).page
    expect(page.locator(".slot:enabled:not([data-too-soon])").first).to_be_visible()
    expect(page.get_by_role("main")).to_match_aria_snapshot(
        """
        - main:
          - region "Table":
            - list:
              - listitem:
                - 'region "Seat 1: Me, you"':
                  - list "Cards":
                    - listitem:
                      - img "ace of hearts"
                    - listitem:
                      - img "king of diamonds"
                  - paragraph: Me (you)
                  - paragraph: stack 2,000 dealer
                  - paragraph: /your turn \\d+ s/
              - listitem:
                - 'region "Seat 2: Anna"':
                  - img "hidden cards"
                  - paragraph: Anna
                  - paragraph: stack 1,930 SB
                  - paragraph: bets 60
                  - paragraph: bet 60
              - listitem:
                - 'region "Seat 3: Bartholomew Long"':
                  - img "hidden cards"
                  - paragraph: Bartholomew Long
                  - paragraph: stack 1,980 BB
            - paragraph: Pot 90
            - list "Board":
              - listitem:
                - img "ten of hearts"
              - listitem:
                - img "nine of clubs"
              - listitem:
                - img "two of diamonds"
          - region "Your actions":
            - group "Amounts":
              - button "Min"
            - button "Fold"
            - button "Call 60"
            - button "Raise to 40"
        """
    )


def test_events_are_said_politely_my_turn_assertively_and_repeats_again(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    page = dealer.page
    polite, urgent = page.locator("#polite"), page.locator("#urgent")
    expect(polite).to_have_attribute("aria-live", "polite")
    expect(urgent).to_have_attribute("aria-live", "assertive")
    expect(polite).to_contain_text(
        "You sit in seat 1. Hand 16, pot 30. Your cards: ace of hearts, king of diamonds"
    )

    dealer.say(
        scenes.acted(1, "call", 20, 10), scenes.acted(2, "call", 20), scenes.board(1, "Th", "9c", "2d")
    )
    expect(polite).to_contain_text(
        "Anna calls 10. Bartholomew Long checks. Flop: ten of hearts, nine of clubs, two of diamonds"
    )
    dealer.say(scenes.turn(call=0, raise_to=[20, 1980], pot=60))
    expect(urgent).to_contain_text("Your turn: you can check, raise to 20 to 1,980, pot 60")
    before = urgent.text_content()
    dealer.say(scenes.acted(0, "call"), scenes.turn(turn=9, call=0, raise_to=[20, 1980], pot=60))
    page.wait_for_function("(text) => document.querySelector('#urgent').textContent !== text", arg=before)
    assert (urgent.text_content() or "").strip() == (before or "").strip()

    # What is written in two places is said in one of them.
    live = page.locator("[aria-live], [role=status], [role=alert]")
    dealer.say(scenes.acted(0, "raise", 80, 80), scenes.acted(1, "fold"), scenes.hand_end())
    expect(page.locator(".notice")).to_contain_text("You won 30.")
    expect(polite).to_contain_text("You win 50")
    expect(live.filter(has_text=re.compile("You w[io]n"))).to_have_count(1)
    organiser = {"seat": -1, "name": "root", "text": "Break at nine.", "at": 1, "organiser": True}
    dealer.say({"type": "said", **organiser}, {"type": "refilled", "seq": 9, "seat": 1, "stack": 2000})
    expect(page.locator(".notice")).to_contain_text("Break at nine.")
    expect(polite).to_contain_text("Anna rebuys")
    expect(live.filter(has_text="Break at nine.")).to_have_count(1)


def test_the_text_table_tells_everything_and_takes_commands(visit: Visit) -> None:
    dealer = visit([*scenes.deal(3), scenes.waiting(0), scenes.turn()], settings={"text": True})
    page = dealer.page
    expect(page.get_by_role("heading", name="Hand 16")).to_be_visible()
    expect(
        page.get_by_role("listitem").filter(has_text="Me (you), 2,000 chips, dealer, to act")
    ).to_be_visible()
    expect(
        page.get_by_role("listitem").filter(has_text="You: ace of hearts and king of diamonds")
    ).to_be_visible()
    expect(page.locator(".slot:enabled:not([data-too-soon])").first).to_be_visible()

    def type_in(text: str) -> None:
        page.get_by_label("Command").fill(text)
        page.get_by_label("Command").press("Enter")

    answer = page.locator(".answer")
    for command, reply in [
        ("pot", "Pot 30"),
        ("stacks", "Me 2,000, Anna 1,990, Bartholomew Long 1,980"),
        ("cards", "ace of hearts and king of diamonds"),
        ("board", "The board is empty."),
        ("r 30", "between 40 and 2,000"),
        ("what", "f: fold."),
    ]:
        type_in(command)
        expect(answer).to_contain_text(reply)
    type_in("r 300")
    assert dealer.hears("act") == {"type": "act", "table": "table-1", "turn": 3, "action": "raise", "to": 300}
    dealer.say(scenes.acted(0, "raise", 300, 300))
    type_in("f")
    expect(answer).to_contain_text("not your turn")


#: What a thumb may miss: a box to tick is as large as its label.
SMALL = """(all) => all.map((element) => (element.type === "checkbox" && element.closest("label")) || element)
  .map((element) => [element.outerHTML, element.getBoundingClientRect()])
  .filter(([, { width, height }]) => height < 43.5 || width < 43.5)
  .map(([html, { width, height }]) => `${Math.round(width)} x ${Math.round(height)}: ${html}`)"""


def test_a_phone_needs_no_sideways_scroll_and_thumbs_hit(visit: Visit) -> None:
    situations = {
        "betting": [*betting(9), scenes.seats(9, all_ins="twice")],
        "showdown": ending(9),
        "next": [*ending(3), scenes.hand_start(hand=17)],
        "watching": [scenes.welcome(), scenes.match_start(3, -1), scenes.seats(3, empty=(2,))],
        "alone": [scenes.welcome(), scenes.match_start(3), scenes.seats(3, empty=(1, 2), owner="Me")],
    }
    dealer = visit(**PHONE)
    page = dealer.page
    dealer.hears("hello")
    targets = page.locator("a[href]:visible, button:visible, input:visible, select:visible, summary:visible")
    for name, messages in situations.items():
        dealer.say(*scenes.in_match(name, messages))
        dealer.breathe()
        expect(page.locator(".seat"), name).not_to_have_count(0)
        for width, height in [(320, 568), (320, 740), (360, 740), (390, 740)]:
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0, name
            assert targets.evaluate_all(SMALL) == [], (name, width, height)


def test_a_phone_shows_the_actions_without_scrolling_and_its_keyboard_is_for_numbers(visit: Visit) -> None:
    page = visit(betting(6), **PHONE).page
    expect(page.locator("[data-slot=call]")).to_be_in_viewport()
    expect(page.locator("#amount")).to_have_attribute("inputmode", "decimal")
    expect(page.locator("meta[name=viewport]")).to_have_attribute(
        "content", "width=device-width, initial-scale=1, interactive-widget=resizes-content"
    )
    expect(menu(page, "Settings")).to_be_visible()


#: Nothing of a text is cut off.
FITS = """(element) => {
  const title = element.closest(".title").getBoundingClientRect();
  const box = element.getBoundingClientRect();
  return element.scrollWidth <= Math.ceil(box.width) && box.right <= title.right + 0.5
    && box.bottom <= title.bottom + 0.5;
}"""
#: Nothing lies over the middle of an element, nor over its lower edge.
UNCOVERED = """(element) => {
  const box = element.getBoundingClientRect();
  return [box.top + box.height / 2, box.bottom - 3]
    .every((y) => element.contains(document.elementFromPoint(box.left + box.width / 2, y)));
}"""


def test_a_phone_shows_all_of_game_and_blinds(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    page = dealer.page
    title = page.locator(".title p")
    for small, big, ante in [(5, 10, 0), (10_000, 20_000, 2_500)]:
        dealer.say({"type": "level", "small_blind": small, "big_blind": big, "ante": ante})
        expect(title).to_contain_text(f"No-limit hold'em {small:,}/{big:,}")
        for width in (320, 390):
            page.set_viewport_size({"width": width, "height": 740})
            assert title.evaluate(FITS), (width, big)
            assert page.locator(".game").evaluate(FITS), (width, big)
            expect(page.locator(".game"), f"{width}: {big}").to_be_in_viewport(ratio=1)


def test_narrow_and_zoomed_in_is_playable(visit: Visit) -> None:
    """640 by 400 is what 200 % leave of 1280 by 800, 740 by 360 a phone on its side."""
    dealer = visit()
    page = dealer.page
    dealer.hears("hello")
    for count, (width, height) in enumerate([(320, 640), (390, 844), (640, 400), (740, 360)], 1):
        page.set_viewport_size({"width": width, "height": height})
        dealer.say(*scenes.in_match(f"{width}", betting(6)))
        expect(page.locator(".slot:enabled:not([data-too-soon])").first).to_be_visible()
        assert page.evaluate("() => document.documentElement.scrollWidth - innerWidth") <= 0, width
        for control in page.locator(
            ".controls .slot, .controls .presets button, #amount, .seat[data-me] .pod"
        ).all():
            expect(control, f"{width}").to_be_in_viewport(ratio=1)
            assert control.evaluate(UNCOVERED), (width, control)
        page.get_by_label("Raise to, in chips").fill("500")
        page.get_by_role("button", name="Raise to 500").click()
        assert dealer.hears("act", count)["to"] == 500
        dealer.say(scenes.acted(0, "raise", 500, 500))
        # These buttons are gone before there are new ones.
        expect(page.locator(".slot:enabled")).to_have_count(0)


def test_on_the_smallest_phone_my_cards_my_stack_and_the_board_are_always_seen(visit: Visit) -> None:
    """While I am asked, while I wait, and at a showdown with side pots."""
    dealer = visit(**PHONE | {"viewport": {"width": 320, "height": 568}})
    page = dealer.page
    dealer.hears("hello")
    seat = page.locator(".seat[data-me]")
    bar = page.locator(".controls .own-cards")
    for size in (6, 9, 10):
        situations = {"asked": betting(size), "waiting": betting(size)[:-2], "showdown": ending(size)}
        for name, messages in situations.items():
            case = f"{name}, {size}"
            dealer.say(*scenes.in_match(case, messages))
            dealer.breathe()
            cards = 5 if name == "showdown" else 3
            expect(page.locator(".board .card"), case).to_have_count(cards)
            stack = seat.locator(".stack").inner_text().split()[1]
            where = bar if bar.is_visible() else seat
            assert stack in where.inner_text(), case
            seen = [*page.locator(".board .card").all(), *where.locator(".card").all()]
            assert len(seen) == cards + 2, case
            if where is seat:
                seen.append(seat.locator(".stack"))
            for element in [*seen, where]:
                expect(element, case).to_be_in_viewport(ratio=1)
                assert element.evaluate(UNCOVERED), (case, element)


def test_the_policy_is_strict_and_a_breach_is_noticed(visit: Visit, site: Site, faults: list[str]) -> None:
    dealer = visit(scenes.deal(3))
    page = dealer.page
    expect(page.locator(".pod")).to_have_count(3)
    assert faults == []
    page.evaluate("() => { const image = new Image(); image.src = 'http://127.0.0.1:9/x.png'; }")
    page.evaluate("() => document.body.setAttribute('style', 'color: red')")
    page.evaluate(
        "() => { try { document.body.innerHTML += '<b>x</b>'; } catch { console.error('trusted types'); } }"
    )
    page.wait_for_function("() => true")
    while len(faults) < 3:
        dealer.breathe()
    assert any("img-src" in fault for fault in faults)
    assert any("style-src" in fault for fault in faults)
    assert any("trusted" in fault.lower() for fault in faults)
    faults.clear()


def test_what_moves_takes_a_moment(visit: Visit) -> None:
    """Cards are dealt and chips pushed in 150 to 250 ms."""
    opening = [*scenes.deal(3), scenes.acted(0, "raise", 120, 120)]
    dealer = visit(opening, reduced_motion="no-preference")
    page = dealer.page
    moving = (".hole li, span.hole .card", ".bet:not([data-pushed])", ".bet[data-pushed]", ".board li")

    def seconds(kind: str) -> float:
        duration = page.locator(kind).first.evaluate("(it) => getComputedStyle(it).animationDuration")
        return float(duration.removesuffix("s"))

    found = [seconds(kind) for kind in moving[:2]]
    dealer.say(scenes.acted(1, "call", 120, 110), scenes.acted(2, "fold"), scenes.board(1, "2c", "3d", "4h"))
    found += [seconds(kind) for kind in moving[2:]]
    assert all(0.15 <= duration <= 0.25 for duration in found), found


def test_an_answer_is_seen_to_be_sent_in_the_next_frame(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    for turn, key in enumerate(("click", "c"), 1):
        dealer.say(scenes.hand_start(hand=turn), scenes.turn(turn=turn))
        call = dealer.page.locator(f"[data-number='{turn}'] [data-slot=call]")
        expect(call).to_be_enabled()
        expect(dealer.page.locator(".slot[data-too-soon]")).to_have_count(0)
        done = dealer.page.evaluate(
            """(key) => new Promise((done) => {
              const call = document.querySelector("[data-slot=call]");
              if (key === "click") call.click();
              else document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
              // The page draws in the next frame; this looks when that has been drawn.
              requestAnimationFrame(() => done([call.disabled, document.body.textContent.includes("Sent…")]));
            })""",
            key,
        )
        assert done == [True, True], key
        assert dealer.hears("act", turn)["action"] == "call"
        dealer.say(scenes.acted(0, "call", 20, 20))
