"""What a person expects of a table, where only the real server can say whether page and server agree:
amounts, time, showdown, a broken line, another device, spectators.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, WebSocket, expect

from tests.browser.real import Club, Enter, answer, asked, call, open_table, path_of
from tests.browser.site import Message, Site, menu, open_context
from tests.chaos.proxy import Proxy

RANKS = {
    "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine",
    "T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace",
}  # fmt: skip
SUITS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}

#: Where a page opens no connection yet: what it says and hears can be listened to from the first word.
NOWHERE = "/api/version"
#: Writes down what the page has shown in passing, and keeps a copy of the clock's bar in both of its states:
#: on a busy machine a test may look too late.
WATCH = """
globalThis.seen = { clocks: [], notices: [], faces: [] };
const note = (list, what) => JSON.stringify(list.at(-1)) === JSON.stringify(what) || list.push(what);
new MutationObserver(() => {
  const text = (where) => document.querySelector(where)?.innerText ?? "";
  const number = (where) => parseInt(text(where).match(/\\d+/)?.[0] ?? "0");
  note(seen.notices, text(".notice"));
  const bar = document.querySelector(".time progress");
  if (bar) note(seen.clocks, {
    turn: Number(document.querySelector(".slots").dataset.number), seconds: number(".time .seconds"),
    more: number(".time .bank"), share: bar.value, isBank: "bank" in bar.dataset,
  });
  const kept = bar && ("bank" in bar.dataset ? "bank-bar" : "own-bar");
  const isNew = kept && !document.getElementById(kept);
  if (isNew) document.body.append(Object.assign(bar.cloneNode(), { id: kept }));
  const faces = document.querySelectorAll(".seat .card:not(.back)").length;
  if (!document.querySelector(".results")) note(seen.faces, faces);
}).observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
"""
#: Answers a turn after the second when a fifth of its time is over, by itself, as the machine may take longer
#: than the rest. The network delivers this answer only after the table has acted for the player.
LATE_ANSWER = """
const Real = WebSocket;
let isLate = false;
globalThis.WebSocket = class extends Real {
  constructor(...how) {
    super(...how);
    this.late = [];
    this.addEventListener("message", ({ data }) => {
      if (data.includes('"forced":"timeout"')) for (const text of this.late.splice(0)) super.send(text);
    });
  }
  send(text) {
    if (isLate && text.includes('"act"')) this.late.push(text);
    else super.send(text);
  }
};
const turns = new Set();
new MutationObserver(() => {
  const { turn, share } = seen.clocks.at(-1) ?? {};
  if (turn) turns.add(turn);
  if (isLate || turns.size < 3 || share > 0.8) return;
  isLate = true;
  document.querySelector("[data-slot=call]").click();
}).observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
"""
#: All that a page shows of the hand in progress.
SIGHT = """() => {
  const text = (where) => [...document.querySelectorAll(where)].map((one) => one.innerText);
  const cards = [...document.querySelectorAll(".felt .card")].map((card) => card.ariaLabel);
  const [hand, pot, stacks, bets] = [".title .hand", ".pot b", ".seat .stack", ".bet"].map(text);
  return { hand, pot, cards, stacks, bets };
}"""
#: Who wins what, with which cards; those with a ring of gold around them, whatever makes it.
RESULT = """() => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = "var(--gold)";
  const gold = getComputedStyle(probe).color;
  probe.remove();
  const part = (line, where) => line.querySelector(where).innerText.trim();
  const isRinged = (card) => getComputedStyle(card).boxShadow.includes(gold);
  return {
    lines: [...document.querySelectorAll(".results li")].map((line) =>
      ({ who: part(line, ".who"), chips: part(line, "b"), how: part(line, ".more") })),
    ringed: [...document.querySelectorAll(".felt .card")].filter(isRinged).map((card) => card.ariaLabel),
  };
}"""


class Wire:
    """What a page says and hears from now on, over connections that it opens from now on."""

    def __init__(self, page: Page) -> None:
        self.heard: list[Message] = []
        self.said: list[Message] = []
        page.on("websocket", self._opened)

    def _opened(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: self._take(self.heard, frame))
        socket.on("framesent", lambda frame: self._take(self.said, frame))

    @staticmethod
    def _take(into: list[Message], frame: str | bytes) -> None:
        messages = json.loads(frame)
        into += messages if isinstance(messages, list) else [messages]

    def of(self, kind: str) -> list[Message]:
        """All messages of that type that the page has heard."""
        return [message for message in self.heard if message["type"] == kind]

    def acts(self) -> list[Message]:
        """All answers that the page has sent."""
        return [message for message in self.said if message["type"] == "act"]


def names_of(cards: list[str]) -> list[str]:
    """What the page calls them."""
    return [f"{RANKS[card[0]]} of {SUITS[card[1]]}" for card in cards]


def cards_in(messages: list[Message]) -> set[str]:
    """Every card that they name, wherever it stands in them."""
    return set(re.findall(r'"([2-9TJQKA][cdhs])"', json.dumps(messages)))


def bar_colour(page: Page, bar: str) -> str:
    """The computed colour of the time that is left. Pages cannot ask for it: the browser draws it in a part
    of the bar that is hidden from them.
    """
    devtools = page.context.new_cdp_session(page)
    devtools.send("DOM.enable")
    devtools.send("CSS.enable")
    root = devtools.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    found = devtools.send("DOM.querySelector", {"nodeId": root, "selector": bar})["nodeId"]
    node = devtools.send("DOM.describeNode", {"nodeId": found, "depth": -1, "pierce": True})["node"]
    (node,) = node["shadowRoots"]
    while node.get("children"):
        (node,) = node["children"]
    wanted = {"backendNodeIds": [node["backendNodeId"]]}
    (inner,) = devtools.send("DOM.pushNodesByBackendIdsToFrontend", wanted)["nodeIds"]
    styles = devtools.send("CSS.getComputedStyleForNode", {"nodeId": inner})["computedStyle"]
    devtools.detach()
    (colour,) = [style["value"] for style in styles if style["name"] == "background-color"]
    return str(colour)


def in_big_blinds(page: Page, *, on: bool) -> None:
    menu(page, "Settings").click()
    page.get_by_label("Amounts in big blinds").set_checked(on)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_a_typed_amount_is_refused_in_place_or_arrives_to_the_chip(enter: Enter) -> None:
    page = enter(name="Amy")
    wire = Wire(page)
    open_table(
        page, "Deep", {"call": 1}, Seats="2", Small_blind="200", Big_blind="400", Chips="40000",
        Seconds_to_decide="60",
    )  # fmt: skip
    asked(page)
    (turn,) = wire.of("turn")
    least, most = turn["raise_to"]
    amount, button = page.locator("#amount"), page.locator("[data-slot=raise]")

    amount.fill("100")
    refusal = page.get_by_role("alert")
    expect(refusal).to_contain_text(f"{least:,}")
    expect(refusal).to_contain_text(f"{most:,}")
    expect(button).to_be_disabled()
    amount.press("Enter")
    expect(amount).to_have_value("100")
    expect(amount).to_have_attribute("aria-invalid", "true")

    in_big_blinds(page, on=True)
    expect(page.locator(".pot")).to_contain_text("BB")
    amount.fill("5")
    expect(refusal).to_have_count(0)
    page.get_by_role("button", name="one big blind more").click()
    expect(amount).to_have_value("6")
    amount.fill("7.5")
    expect(button).to_contain_text("7.5 BB")
    assert wire.acts() == []
    # With no time between them: the opponent answers at once, and a slow second click may meet the next turn.
    button.evaluate("(button) => { button.click(); button.click(); }")
    mine = page.locator(".log li[data-kind=act]", has_text="You raise")
    expect(mine).to_contain_text("7.5 BB")
    asked(page)
    (act,) = wire.acts()
    assert act | {"action": "raise", "to": 3000, "turn": turn["turn"]} == act
    seat = wire.of("match_start")[-1]["seat"]
    (raised,) = [acted for acted in wire.of("acted") if acted["action"] == "raise"]
    assert (raised["seat"], raised["to"]) == (seat, 3000)
    expect(page.locator(".pot")).to_contain_text("15 BB")

    in_big_blinds(page, on=False)
    expect(mine).to_contain_text("3,000")
    expect(page.locator(".pot")).to_contain_text("6,000")
    expect(page.locator(".seat[data-me] .stack")).to_contain_text("37,000")
    assert len(wire.acts()) == 1

    # A new page shows what is left of the time, not the time that there was.
    flop = wire.of("turn")[-1]
    page.reload()
    asked(page)
    again = wire.of("turn")[-1]
    assert again["turn"] == flop["turn"]
    assert again["time_ms"] < flop["time_ms"]
    seconds, share = page.locator(".time").evaluate(
        "(time) => [parseInt(time.querySelector('.seconds').innerText), time.querySelector('progress').value]"
    )
    assert 0 < seconds <= -(-again["time_ms"] // 1000)
    assert 0 < share <= again["time_ms"] / flop["time_ms"]


def test_time_runs_out_and_an_answer_comes_too_late(enter: Enter) -> None:
    page = enter(name="Tim", script=WATCH + LATE_ANSWER)
    wire = Wire(page)
    open_table(page, "Hurry", {"call": 1}, Seats="2", Seconds_to_decide="2", Seconds_of_time_bank="6")
    # Before the flop: an answer out of the time bank.
    page.locator(".time [data-bank]").wait_for()
    answer(page, "c")
    asked(page)
    first, flop = wire.of("turn")
    assert first["time_ms"] <= 2000
    assert 0 < flop["bank_ms"] < first["bank_ms"] == 6000
    # On the flop nobody answers, until the rest of the bank is gone.
    back = page.locator(".controls").get_by_role("button", name="I'm back")
    back.wait_for()
    clocks = [clock for clock in page.evaluate("seen.clocks") if clock["turn"] == flop["turn"]]
    own = [clock for clock in clocks if not clock["isBank"]]
    bank = [clock for clock in clocks if clock["isBank"]]
    assert clocks == own + bank
    # Rounded up to seconds.
    bank_left = -(-flop["bank_ms"] // 1000)
    assert {clock["more"] for clock in own} == {bank_left}
    for part, most in ((own, 2), (bank, bank_left)):
        seconds, shares = ([clock[key] for clock in part] for key in ("seconds", "share"))
        assert max(seconds) <= most
        assert seconds == sorted(seconds, reverse=True)
        assert shares == sorted(shares, reverse=True)
        assert shares[0] > shares[-1]

    # The table has checked three times, once before my answer came.
    seat = wire.of("match_start")[-1]["seat"]
    forced = {
        acted["seq"]: (acted["action"], acted.get("paid", 0))
        for acted in wire.of("acted")
        if acted["seat"] == seat and acted.get("forced") == "timeout"
    }
    assert list(forced.values()) == [("call", 0)] * 3
    expect(page.locator(".log li[data-kind=act]", has_text=re.compile("^You .*time"))).to_have_count(3)
    late = [error for error in wire.of("error") if error["code"] == "stale_turn"]
    assert [error["turn"] for error in late] == [wire.acts()[-1]["turn"]]
    assert late[0]["turn"] > flop["turn"]
    said = {notice for notice in page.evaluate("seen.notices") if "late" in notice.lower()}
    assert len(said) == 1
    assert late[0]["message"] not in said.pop()

    back.click()
    asked(page)
    assert wire.of("turn")[-1]["bank_ms"] == 0
    assert bar_colour(page, "#own-bar") != bar_colour(page, "#bank-bar")


def test_spectators_see_a_showdown_and_no_card_before(enter: Enter) -> None:
    page = enter(name="Ada")
    wires = {page: Wire(page)}
    # The result is to be there for as long as the test reads it.
    open_table(page, "Stage", {"call": 1}, Seats="2", Seconds_to_decide="60", Seconds_between_hands="60")
    spectators = [enter(NOWHERE, name=name, script=WATCH) for name in ("Sol", "Lux")]
    for watching in spectators:
        wires[watching] = Wire(watching)
        watching.goto(page.url)
    for watching in spectators:
        # One other looks on.
        expect(watching.locator(".watching")).to_contain_text(re.compile(r"\b1\b"))
        expect(watching.locator(".card.back")).to_have_count(4)
    call(page, page.locator(".results"))

    for one, wire in wires.items():
        expect(one.locator(".results")).to_be_visible()
        if one in spectators:
            kinds = [message["type"] for message in wire.heard]
            assert cards_in(wire.heard[: kinds.index("shown")]) == cards_in(wire.of("board"))
            assert set(one.evaluate("seen.faces")) == {0}
        (shown,), (end,) = wire.of("shown"), wire.of("hand_end")
        hands = {hand["seat"]: hand for hand in shown["hands"]}
        wins = [won for pot in end["pots"] for won in pot["wins"]]
        best = {card for seat, _ in wins for card in hands[seat]["best"]}
        # Two who share the pot may do so with different cards.
        assert len(best) == 5 or len(wins) == 2
        result = one.evaluate(RESULT)
        assert sorted(result["ringed"]) == sorted(names_of([*best]))
        mine = wire.of("match_start")[-1]["seat"]
        for line, (seat, chips) in zip(result["lines"], wins, strict=True):
            is_ada = wire.of("seats")[-1]["seats"][seat]["kind"] == "person"
            assert ("You" if seat == mine else "Ada" if is_ada else "Carl") in line["who"]
            assert line["chips"] == f"{chips:,}"
            label = hands[seat]["label"].replace("high card", "high")
            assert set(re.findall("[a-z]+", label)) <= set(re.findall("[a-z]+", line["how"]))


@contextmanager
def through_proxy(
    place: Club, browser: Browser, faults: list[str], name: str
) -> Iterator[tuple[Page, Proxy]]:
    """The lobby over a network that can fail, and that network."""
    port = urlsplit(place.site.url).port
    assert port is not None
    with Proxy(port) as proxy:
        site = Site(f"http://127.0.0.1:{proxy.port}")
        with closing(open_context(browser, site, faults, settings={"name": name})) as context:
            page = context.new_page()
            page.goto(site.url)
            yield page, proxy


def test_a_choice_goes_with_the_line_and_one_card_is_shown(
    enter: Enter, place: Club, browser: Browser, faults: list[str]
) -> None:
    with through_proxy(place, browser, faults, "Pia") as (pia, proxy):
        wire = Wire(pia)
        open_table(pia, "Duel", {}, Seats="2", Seconds_to_decide="120", Seconds_between_hands="60")
        expect(pia.locator(".seat[data-me]")).to_be_visible()
        rob = enter(NOWHERE, name="Rob")
        theirs = Wire(rob)
        rob.goto(f"{place.site.url}{path_of(pia)}#sit")
        robs_turn = pia.locator(".seat[data-acting]:not([data-me])")
        if asked(pia, robs_turn):
            answer(pia, "c")
        choices = pia.get_by_role("group", name="Choose in advance")
        choice = choices.get_by_role("button", name="Check", exact=True)
        choice.click()
        expect(pia.locator(".choice[aria-pressed=true]")).to_have_text("Check")
        before, said = pia.evaluate(SIGHT), len(wire.acts())

        proxy.hold()
        proxy.drop()
        banner = pia.locator(".banner")
        expect(banner).to_contain_text("held")
        grace = wire.of("welcome")[-1]["grace"]
        held = int(re.findall(r"\d+", banner.inner_text())[0])
        assert 0 < held <= grace
        expect(pia.locator(".slot:enabled, .choice[aria-pressed=true]")).to_have_count(0)
        expect(banner).not_to_contain_text(f" {held} ")
        assert int(re.findall(r"\d+", banner.inner_text())[0]) < held
        proxy.release()
        expect(banner).to_have_count(0)
        expect(choice).to_be_visible()
        expect(pia.locator(".choice[aria-pressed=true]")).to_have_count(0)
        assert pia.evaluate(SIGHT) == before

        # What was chosen before is not what I do now.
        call(rob, rob.locator(".seat[data-acting]:not([data-me])"))
        asked(pia)
        assert len(wire.acts()) == said

        # Who wins without a showdown may show one card, and only that.
        pia.keyboard.press("1")
        answer(pia, "Enter")
        asked(rob)
        rob.keyboard.press("f")
        shown = pia.get_by_role("group", name="Show your cards").locator(".show-one")
        expect(shown).to_have_count(2)
        hole = wire.of("hand_start")[-1]["hole"]
        shown.last.click()
        faces = rob.locator(".seat:not([data-me]) .card:not(.back)")
        expect(faces).to_have_count(1)
        (name,) = names_of(hole[1:])
        expect(faces).to_have_accessible_name(name)
        (told,) = theirs.of("showed")
        assert told["cards"] == hole[1:]
        assert hole[0] not in cards_in(theirs.heard)
    # On a busy machine the line is cut for so long that the page gives an attempt up.
    faults[:] = [fault for fault in faults if "closed before the connection is established" not in fault]


def test_the_seat_goes_along_to_the_phone(enter: Enter) -> None:
    laptop = enter(name="Cleo")
    open_table(laptop, "Moving", {"call": 1}, Seats="2", Seconds_to_decide="60")
    asked(laptop)
    mine = laptop.locator(".seat[data-me]")
    cards = [card.get_attribute("aria-label") for card in mine.locator(".card").all()]
    seat = mine.get_attribute("aria-label")
    before = laptop.evaluate(SIGHT)
    # What "My results" makes the link of, where there are some.
    token = laptop.evaluate(
        "async () => (await (await fetch('/api/me/device', { method: 'POST' })).json()).token"
    )

    phone = enter(f"/me#{token}", name="Cleo's phone", viewport={"width": 390, "height": 844})
    phone.get_by_role("button", name="Yes, take them here").click()
    expect(phone.get_by_role("button", name="Yes, take them here")).to_have_count(0)
    phone.goto(laptop.url)
    asked(phone)
    there = phone.locator(".seat[data-me]")
    assert len(cards) == 2
    assert [card.get_attribute("aria-label") for card in there.locator(".card").all()] == cards
    assert there.get_attribute("aria-label") == seat
    after = phone.evaluate(SIGHT)
    assert after["hand"] == before["hand"]
    assert after["pot"] == before["pot"]
    expect(laptop.locator(".banner")).to_contain_text("newer tab")
    expect(laptop.locator(".slot:enabled")).to_have_count(0)

    answer(phone, "c")
    asked(phone)
    laptop.get_by_role("button", name="Play here").click()
    asked(laptop)
    expect(phone.locator(".banner")).to_contain_text("newer tab")


def silence(page: Page, proxy: Proxy, *keys: str) -> None:
    """Nothing arrives any more, and no connection is closed; the page notices, and new connections work."""
    proxy.hold()
    proxy.swallow()
    for key in keys:
        page.keyboard.press(key)
    expect(page.locator(".banner")).to_contain_text("connection is lost", timeout=15_000)
    expect(page.locator(".slot:enabled")).to_have_count(0)
    proxy.release()
    expect(page.locator(".banner")).to_have_count(0)
    asked(page)


def test_a_page_notices_that_nothing_arrives_any_more_and_connects_again(
    place: Club, browser: Browser, faults: list[str]
) -> None:
    with through_proxy(place, browser, faults, "Ann") as (page, proxy):
        open_table(page, "Silent", {"call": 1}, Seats="2", Seconds_to_decide="60")
        asked(page)

        silence(page, proxy, "c")
        # The call was lost: the same turn is asked again, and is answered.
        answer(page, "c")
        asked(page)
        # Without a word of mine, by the missing heartbeat.
        silence(page, proxy)
        answer(page, "c")
        asked(page)
