"""What I do at the table: buttons, amounts, choices in advance, keys, guards against what nobody meant."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser import scenes
from tests.browser.conftest import Visit
from tests.browser.site import Dealer, Message, menu

#: Buttons that have been there long enough to be meant.
LISTENING = ".slot:enabled:not([data-too-soon])"


def press(page: Page, name: str) -> None:
    page.locator(LISTENING, has_text=name).click()


def listening(page: Page) -> None:
    expect(page.locator(LISTENING).first).to_be_visible()


def asked(visit: Visit, **turn: object) -> Dealer:
    """It is my turn, before the flop."""
    return visit([*scenes.deal(3), scenes.waiting(0), scenes.turn(**turn)])


def ask(dealer: Dealer, turn: int, **more: object) -> None:
    """In a hand of that number it is my turn, and the buttons listen."""
    dealer.say(scenes.hand_start(hand=turn), scenes.waiting(0), scenes.turn(turn=turn, **more))
    expect(dealer.page.locator(f"[data-number='{turn}'] {LISTENING}").first).to_be_visible()


def taken(dealer: Dealer, count: int) -> Message:
    """The act of that number. The server takes it: without an answer the page would soon connect anew."""
    act = dealer.hears("act", count)
    dealer.say(scenes.acted(0, act["action"]))
    return act


def choose(page: Page, name: str) -> None:
    """Press one of the choices in advance."""
    page.get_by_role("group", name="Choose in advance").get_by_role("button", name=name, exact=True).click()


def test_buttons_say_what_they_do_and_do_it(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    answers: dict[str, Message] = {
        "Fold": {"action": "fold"},
        "Call 20": {"action": "call"},
        "Raise to 40": {"action": "raise", "to": 40},
    }
    for turn, (name, answer) in enumerate(answers.items(), 1):
        ask(dealer, turn)
        press(dealer.page, name)
        assert taken(dealer, turn) == {"type": "act", "table": "table-1", "turn": turn, **answer}
    # For nothing, a call is called so.
    ask(dealer, 4, call=0, fold=False)
    press(dealer.page, "Check")
    assert dealer.hears("act", 4)["action"] == "check"


def test_only_what_is_legal_can_be_pressed(visit: Visit) -> None:
    page = asked(visit, call=1980, raise_to=None).page
    slots = page.locator(".slot")
    expect(slots.nth(0)).to_be_enabled()
    expect(slots.nth(1)).to_contain_text("Call 1,980")
    expect(slots.nth(2)).to_be_disabled()


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_buttons_do_not_move_between_turns(visit: Visit, width: int, height: int) -> None:
    dealer = visit(scenes.deal(3), viewport={"width": width, "height": height})
    page = dealer.page
    expect(page.locator(".slot")).to_have_count(3)
    places = "(slots) => slots.map((slot) => JSON.stringify(slot.getBoundingClientRect()))"

    def where() -> object:
        return page.locator(".slot, .felt").evaluate_all(places)

    before = where()
    dealer.say(scenes.waiting(0), scenes.turn())
    expect(page.get_by_role("button", name="Raise to 40")).to_be_visible()
    assert where() == before
    page.get_by_label("Raise to, in chips").fill("1")
    expect(page.get_by_role("alert")).to_be_visible()
    assert where() == before
    dealer.say(scenes.acted(0, "fold"), scenes.hand_end())
    expect(page.get_by_role("button", name="Show all")).to_be_visible()
    assert where() == before


def test_a_press_in_the_first_moment_of_a_turn_or_just_after_a_big_raise_is_not_meant(visit: Visit) -> None:
    dealer = visit(scenes.deal(3), clock=True)
    page = dealer.page
    page.clock.pause_at(page.evaluate("() => Date.now() / 1000") + 5)
    dealer.say(scenes.turn())
    page.clock.run_for(50)
    expect(page.locator("[data-slot=call]:enabled")).to_contain_text("Call 20")

    page.get_by_role("button", name="Call 20").click()
    page.keyboard.press("c")
    page.clock.run_for(200)
    assert dealer.said("act") == []
    expect(page.get_by_role("status").filter(has_text="too soon")).to_be_visible()

    page.clock.run_for(200)
    page.keyboard.press("c")
    assert taken(dealer, 1)["action"] == "call"

    raised = scenes.turn(turn=4, call=400, raise_to=[780, 2000], pot=430)
    dealer.say(scenes.hand_start(hand=17), scenes.waiting(2), scenes.acted(2, "raise", 400, 380), raised)
    page.clock.run_for(500)
    expect(page.locator("[data-slot=call]:enabled")).to_contain_text("Call 400")
    page.get_by_role("button", name="Call 400").click()
    page.clock.run_for(100)
    assert len(dealer.said("act")) == 1
    expect(page.get_by_role("region", name="Your actions").get_by_role("status")).not_to_be_empty()

    page.clock.run_for(500)
    page.get_by_role("button", name="Call 400").click()
    assert dealer.hears("act", 2)["action"] == "call"


def test_an_amount_typed_slid_turned_or_stepped(visit: Visit) -> None:
    dealer = asked(visit)
    page = dealer.page
    amount = page.get_by_label("Raise to, in chips")
    expect(amount).to_have_value("40")
    amount.fill("1,234")
    expect(page.get_by_role("button", name="Raise to 1,234")).to_be_enabled()
    page.get_by_role("slider", name="Raise to").fill("500")
    expect(amount).to_have_value("500")
    page.get_by_role("button", name="one big blind more").click()
    expect(amount).to_have_value("520")
    page.get_by_role("button", name="one big blind less").click()
    expect(amount).to_have_value("500")
    page.locator(".typed").hover()
    page.mouse.wheel(0, -100)
    expect(amount).to_have_value("520")
    page.mouse.wheel(0, 100)
    expect(amount).to_have_value("500")
    amount.press("Enter")
    assert dealer.hears("act")["to"] == 500


def test_an_amount_out_of_the_limits_is_refused_in_place_and_never_changed(visit: Visit) -> None:
    dealer = asked(visit)
    page = dealer.page
    amount = page.get_by_label("Raise to, in chips")
    for text in ("39", "2001", "abc", "", "40.5"):
        amount.fill("40")
        expect(page.get_by_role("alert")).to_have_count(0)
        amount.fill(text)
        expect(page.get_by_role("alert"), text).to_contain_text("between 40 and 2,000")
        expect(amount, text).to_have_value(text)
        expect(amount, text).to_have_attribute("aria-invalid", "true")
        expect(page.locator("[data-slot=raise]"), text).to_be_disabled()
        amount.press("Enter")
        dealer.breathe()
        assert dealer.said("act") == [], text


def test_letters_are_no_amount_and_change_nothing(visit: Visit) -> None:
    dealer = asked(visit)
    page = dealer.page
    listening(page)
    page.keyboard.press("r")
    page.keyboard.type("fc")
    amount = page.get_by_label("Raise to, in chips")
    expect(amount).to_be_focused()
    expect(amount).to_have_value("40")
    expect(page.locator(".notice")).to_contain_text("between 40 and 2,000")
    expect(page.locator("[data-slot=raise]:enabled")).to_contain_text("Raise to 40")
    page.keyboard.type("60")
    expect(page.locator("[data-slot=raise]:enabled")).to_contain_text("Raise to 60")
    expect(page.locator(".notice")).not_to_contain_text("between")
    amount.fill("x")
    expect(page.locator("[data-slot=raise] .verb")).to_have_text("Raise")
    assert dealer.said("act") == []


def test_presets_by_button_and_my_own(visit: Visit) -> None:
    dealer = asked(visit)
    page = dealer.page
    # 20 to call into 30: the pot after the call is 50.
    for name, label in [
        ("½ pot", "Raise to 45"),
        ("⅔ pot", "Raise to 53"),
        ("Pot", "Raise to 70"),
        ("Min", "Raise to 40"),
        ("All in", "All in 2,000"),
    ]:
        page.get_by_role("group", name="Amounts").get_by_role("button", name=name, exact=True).click()
        expect(page.locator("[data-slot=raise] .verb")).to_have_text(label)

    menu(page, "Settings").click()
    shares = page.get_by_label("Presets, percent of the pot")
    shares.fill("50, 75")
    shares.blur()
    assert shares.evaluate("(input) => input.validity.valid") is False
    shares.fill("75, 100, 200")
    shares.blur()
    page.get_by_role("button", name="Close").click()
    page.get_by_role("button", name="2\u00d7 pot").click()
    expect(page.locator("[data-slot=raise] .verb")).to_have_text("Raise to 120")


def test_limit_games_have_one_amount(visit: Visit) -> None:
    page = asked(visit, raise_to=[40, 40]).page
    expect(page.get_by_role("button", name="Raise to 40")).to_be_enabled()
    expect(page.get_by_label("Raise to, in chips")).to_have_count(0)


def test_a_choice_in_advance_answers_at_once(visit: Visit) -> None:
    dealer = visit(scenes.deal(2))
    limped = [scenes.acted(0, "call", 20, 10), scenes.acted(1, "call", 20), scenes.board(1, "2c", "3d", "4h")]
    choices = [
        ("Check/fold", 0, "check"),
        ("Check/fold", 20, "fold"),
        ("Check", 0, "check"),
        ("Fold to any bet", 20, "fold"),
    ]
    for turn, (name, call, answer) in enumerate(choices, 1):
        dealer.say(scenes.hand_start(2, hand=turn), *limped)
        dealer.breathe()
        choose(dealer.page, name)
        if call:
            dealer.say(scenes.acted(1, "raise", 20, 20))
        dealer.say(scenes.turn(turn=turn, call=call, fold=call > 0))
        assert taken(dealer, turn)["action"] == answer, name


def test_calling_this_amount_in_advance_is_cancelled_when_the_price_changes(visit: Visit) -> None:
    dealer = visit([*scenes.deal(3), scenes.waiting(1)])
    page = dealer.page
    choose(page, "Call 20")
    expect(page.get_by_role("button", name="Call 20", pressed=True)).to_be_visible()

    dealer.say(scenes.acted(1, "raise", 60, 50), scenes.waiting(2))

    expect(page.get_by_text("cancelled")).to_be_visible()
    dealer.say(scenes.acted(2, "fold"), scenes.turn(call=60, raise_to=[100, 2000]))
    expect(page.locator("[data-slot=call]:enabled")).to_contain_text("Call 60")
    assert dealer.said("act") == []


def test_a_choice_at_the_same_price_is_kept_and_escape_drops_it(visit: Visit) -> None:
    dealer = visit([*scenes.deal(3), scenes.waiting(1)])
    page = dealer.page
    choose(page, "Call 20")
    dealer.say(scenes.acted(1, "call", 20, 10))
    expect(page.get_by_role("button", name="Call 20", pressed=True)).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Call 20", pressed=True)).to_have_count(0)
    page.keyboard.press("c")
    dealer.say(scenes.turn())
    assert dealer.hears("act")["action"] == "call"


def test_folding_for_nothing_asks_once(visit: Visit) -> None:
    dealer = asked(visit, call=0, fold=False)
    page = dealer.page
    press(page, "Fold")
    question = page.get_by_role("dialog", name="Checking is free")
    expect(question).to_be_visible()
    assert dealer.said("act") == []
    question.get_by_role("button", name="Close").click()
    expect(question).to_have_count(0)

    page.keyboard.press("f")

    assert dealer.hears("act")["action"] == "check"
    dealer.say(
        scenes.acted(0, "call", 20),
        scenes.board(1, "2c", "3d", "4h"),
        scenes.acted(1, "raise", 20, 20),
        scenes.turn(turn=9),
    )
    assert taken(dealer, 2) == {"type": "act", "table": "table-1", "turn": 9, "action": "fold"}

    # The question can be answered with a check.
    ask(dealer, 17, call=0, fold=False)
    press(page, "Fold")
    question.get_by_role("button", name="Check", exact=True).click()
    assert dealer.hears("act", 3)["action"] == "check"


def test_enter_asks_once_when_the_only_raise_is_all_in(visit: Visit) -> None:
    dealer = asked(visit, call=1500, raise_to=[2000, 2000])
    page = dealer.page
    listening(page)
    page.keyboard.press("Enter")
    question = page.get_by_role("dialog", name="All in?")
    expect(question).to_contain_text("2,000")
    page.keyboard.press("Enter")
    expect(question).to_have_count(0)
    assert dealer.said("act") == []

    page.locator("body").press("Enter")

    assert dealer.hears("act") == {
        "type": "act", "table": "table-1", "turn": 3, "action": "raise", "to": 2000,
    }  # fmt: skip


def test_the_button_of_an_all_in_asks_nothing(visit: Visit) -> None:
    dealer = asked(visit, call=1500, raise_to=[2000, 2000])
    press(dealer.page, "All in")
    assert dealer.hears("act")["to"] == 2000


def test_a_question_goes_with_its_turn(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    question = dealer.page.get_by_role("dialog")
    for turn, more in enumerate([[], [scenes.acted(1, "raise", 80, 80), scenes.turn(turn=9)]], 1):
        ask(dealer, turn, call=0, fold=False)
        press(dealer.page, "Fold")
        expect(question).to_be_visible()
        dealer.say(scenes.acted(0, "call", 20, forced="timeout"), *more)
        expect(question, f"{turn}").to_have_count(0)
    assert dealer.said("act") == []


def test_the_keyboard_plays(visit: Visit) -> None:
    dealer = visit(scenes.deal(3))
    answers: dict[str, Message] = {
        "f": {"action": "fold"},
        "c": {"action": "call"},
        "Enter": {"action": "raise", "to": 40},
        "4 Enter": {"action": "raise", "to": 70},
        "5 Enter": {"action": "raise", "to": 2000},
        "+ + - Enter": {"action": "raise", "to": 60},
        "r 6 1 Enter": {"action": "raise", "to": 61},
    }
    for turn, (keys, answer) in enumerate(answers.items(), 1):
        ask(dealer, turn)
        for key in keys.split():
            dealer.page.keyboard.press(key)
        assert taken(dealer, turn) == {"type": "act", "table": "table-1", "turn": turn, **answer}, keys


def test_keys_are_only_letters_while_somebody_writes(visit: Visit) -> None:
    dealer = asked(visit)
    page = dealer.page
    listening(page)
    page.get_by_role("button", name="Chat").click()
    page.get_by_label("Say", exact=True).press_sequentially("fcr?5")
    expect(page.get_by_label("Say", exact=True)).to_have_value("fcr?5")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_label("Say", exact=True).press("Enter")
    assert dealer.hears("say")["text"] == "fcr?5"
    assert dealer.said("act") == []


def test_keys_can_be_switched_off_and_are_explained(visit: Visit) -> None:
    dealer = asked(visit)
    page = dealer.page
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Help")).to_contain_text("check or call")
    page.keyboard.press("Escape")
    menu(page, "Settings").click()
    page.get_by_label("Keys F, C, R, 1 to 5").uncheck()
    page.get_by_role("button", name="Close").click()
    listening(page)
    page.keyboard.press("f")
    dealer.breathe()
    assert dealer.said("act") == []


def test_a_double_click_sends_once_and_the_page_says_what_became_of_it(visit: Visit) -> None:
    dealer = asked(visit)
    page = dealer.page
    page.locator(LISTENING, has_text="Call 20").dblclick()
    expect(page.get_by_text("Sent…")).to_be_visible()
    expect(page.locator(".slot:enabled")).to_have_count(0)
    dealer.breathe()
    assert len(dealer.said("act")) == 1

    dealer.say(scenes.acted(0, "call", 20, 20))

    expect(page.get_by_text("Sent…")).to_have_count(0)
    expect(page.get_by_role("region", name="Seat 1: Me, you")).to_contain_text("calls 20")


def test_what_comes_too_late_is_refused_kindly(visit: Visit) -> None:
    dealer = asked(visit)
    page = dealer.page
    press(page, "Call 20")
    dealer.hears("act")
    dealer.say(
        scenes.acted(0, "fold", forced="timeout"),
        {"type": "error", "code": "stale_turn", "message": "the turn is over", "turn": 3},
    )
    expect(page.get_by_text("Too late")).to_be_visible()
    expect(page.locator(".log")).to_contain_text("You fold, out of time")


def test_a_refused_answer_can_be_corrected(visit: Visit) -> None:
    dealer = asked(visit)
    press(dealer.page, "Raise to 40")
    dealer.hears("act")
    dealer.say({"type": "error", "code": "illegal_action", "message": "raise to 80 at least", "turn": 3})
    expect(dealer.page.get_by_role("status").filter(has_text="80")).to_be_visible()
    press(dealer.page, "Call 20")
    assert dealer.hears("act", 2)["action"] == "call"
