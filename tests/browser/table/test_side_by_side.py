"""Several tables in one window, over one connection."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser import scenes
from tests.browser.conftest import Visit
from tests.browser.site import Message, Site

TABLES = ("table-1", "table-2")


def at(table: str, *messages: Message) -> list[Message]:
    return [message | {"table": table} for message in messages]


def both(*messages: Message) -> list[Message]:
    """The same at both tables."""
    return [one for table in TABLES for one in at(table, *messages)]


#: Presses C, and again as soon as the keyboard has gone on.
TWICE = """async () => {
  const active = () => document.querySelector("iframe[data-active]");
  const first = active();
  const press = () => active().contentDocument.body.dispatchEvent(
    new KeyboardEvent("keydown", { key: "c", bubbles: true }));
  press();
  while (active() === first) await new Promise(requestAnimationFrame);
  press();
}"""


def test_each_table_hears_its_own_and_a_key_acts_once(visit: Visit) -> None:
    opening = [scenes.welcome(), *both(*scenes.deal(3)[1:])]
    dealer = visit(opening, path="/tables?at=table-1&at=table-2")
    page = dealer.page
    inside = [page.frame_locator("iframe").nth(index) for index in range(2)]
    for frame in inside:
        expect(frame.locator(".pod")).to_have_count(3)
    assert len(dealer.said("hello")) == 1
    dealer.say(*at("table-2", scenes.turn(call=20)))
    expect(page.locator("iframe[data-active]")).to_have_attribute("data-turn", "")
    expect(inside[1].locator("[data-slot=call]:enabled:not([data-too-soon])")).to_be_visible()
    expect(inside[0].locator(".slot:enabled")).to_have_count(0)

    # The other table asks meanwhile, and gets the keyboard once this one is answered.
    dealer.say(*at("table-1", scenes.turn(call=20)))
    expect(inside[0].locator("[data-slot=call]:enabled:not([data-too-soon])")).to_be_visible()
    page.wait_for_function("() => !tablesWindow.hasJustMoved()")
    page.evaluate(TWICE)
    assert dealer.hears("act")["table"] == "table-2"
    expect(page.locator("iframe").nth(0)).to_have_attribute("data-active", "")
    page.wait_for_function("() => !tablesWindow.hasJustMoved()")
    assert len(dealer.said("act")) == 1
    page.keyboard.press("c")
    assert dealer.hears("act", 2)["table"] == "table-1"


def test_what_is_set_at_one_table_holds_at_the_other(visit: Visit, site: Site) -> None:
    site.api["/api/tables"] = {"tables": []}
    opening = [scenes.welcome(), *both(*scenes.deal(3)[1:])]
    dealer = visit(opening, path="/tables?at=table-1&at=table-2")
    page = dealer.page
    first, second = (page.frame_locator("iframe").nth(index) for index in range(2))
    expect(second.locator(".stack").first).to_contain_text("2,000")
    dealer.say(*at("table-2", scenes.turn()))
    second.get_by_label("Raise to, in chips").fill("90")
    first.get_by_role("button", name="Menu", exact=True).click()
    first.get_by_role("button", name="Settings").click()
    first.get_by_label("Amounts in big blinds").check()
    expect(second.locator(".stack").first).to_contain_text("100 BB")
    expect(second.get_by_label("Raise to, in big blinds")).to_have_value("4.5")
    first.get_by_role("button", name="Close").click()

    # N goes to the next table, and what is watched only can be closed in the line above.
    page.keyboard.press("n")
    expect(page.locator("iframe").nth(1)).to_have_attribute("data-active", "")
    expect(page.get_by_role("button", name="Close")).to_have_count(0)
    page.get_by_role("button", name="Add a table").click()
    expect(page.locator("iframe")).to_have_count(3)
    page.get_by_role("button", name="Close Tables").click()
    expect(page.locator("iframe")).to_have_count(2)


def test_a_tournament_moves_me_in_its_own_frame(visit: Visit) -> None:
    opening = [scenes.welcome()]
    for table in ("table-2", "tournament-1-1"):
        opening += at(table, *scenes.deal(3)[1:])
    dealer = visit(opening, path="/tables?at=table-2&at=tournament-1-1")
    frames = dealer.page.locator("iframe")
    for index in range(2):
        expect(dealer.page.frame_locator("iframe").nth(index).locator(".pod")).to_have_count(3)
    dealer.say(
        {
            "type": "entry",
            "tournament": "tournament-1",
            "state": "seated",
            "table": "tournament-1-2",
            "reason": "balance",
        }
    )
    dealer.page.wait_for_function(
        "() => document.querySelectorAll('iframe')[1].contentWindow.location.pathname.endsWith('1-2')"
    )
    assert frames.first.evaluate("frame => frame.contentWindow.location.pathname") == "/table/table-2"
