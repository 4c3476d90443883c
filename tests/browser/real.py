"""The pages with the server behind them, as a real process, and somebody who plays there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Error, Frame, Locator, Page

from tests.browser.site import Site
from tests.browser.tabs import Tabs
from tests.support.programs import PYTHON, Program

#: ``enter(path, name=..., within=..., script=..., settings=..., **wishes)`` opens a page of the club, in a
#: profile of its own or in that of another page; ``script`` runs before the page's. A name is taken for half
#: a minute after its owner has gone.
Enter = Callable[..., Page]


class Club(NamedTuple):
    """A running server: where its pages are, and where programs connect."""

    site: Site
    bots: str
    program: Program


@contextmanager
def club(folder: Path, *options: str) -> Iterator[Club]:
    """``pokerd serve`` on ports of its own, with an empty table unless ``options`` say otherwise; it must not
    have stumbled when it is ended.
    """
    where = ("--port", "0", "--web-port", "0", "--data", folder / "data", "--results", folder / "results")
    empty = ("--tables", "1", "--bots", "")
    with Program(PYTHON, "-m", "pokerd", "serve", *where, *empty, *options) as server:
        bots = server.says(r"pokerd listens at (ws://\S+)")[1]
        url = server.says(r"^people: (http://\S+)$")[1]
        yield Club(Site(url), bots, server)
        assert server.stop() == 130
    stumbled = [line for line in server.lines if "Traceback" in line or '"level":' in line]
    assert not stumbled, "\n".join(server.lines)


def path_of(page: Page) -> str:
    """The path of a page's address."""
    return urlsplit(page.url).path


@contextmanager
def everybody(browser: Browser, place: Club, faults: list[str], kept: Tabs | None = None) -> Iterator[Enter]:
    """People come by what this yields; all of them leave at the end. Their pages are ``kept`` for others."""
    tabs = kept or Tabs(browser, place.site, faults)

    def enter(path: str = "/", *, name: str = "", within: BrowserContext | None = None, **more: Any) -> Page:
        if within is not None:
            page = within.new_page()
        else:
            script = more.pop("script", "")
            settings = {"name": name, **more.pop("settings", {})}
            page = tabs.take(script, {"settings": settings, **more})
        page.goto(place.site.url + path)
        return page

    yield enter
    tabs.give_back()
    if kept is None:
        tabs.close()


def open_table(page: Page | Frame, name: str, bots: dict[str, int], **wishes: str) -> None:
    """Fill in the form of the lobby and send it; labels with spaces are written with underscores. Without
    other wishes there is no pause between hands.
    """
    page.get_by_text("Open a table of your own").click()
    # By the keyboard: the list of tables above grows meanwhile, and a click could land on something else.
    page.get_by_role("button", name="No bots").press("Enter")
    page.get_by_text("More options").click()
    page.get_by_label("Name of the table").fill(name)
    page.get_by_text("More bots").click()
    for bot, count in bots.items():
        page.get_by_label(f"({bot})").fill(str(count))
    for label, value in ({"Seconds_between_hands": "0"} | wishes).items():
        form = page.locator("#own-form")
        if label in {"Betting", "Kind"}:
            form.get_by_role("radiogroup", name=label).locator(f"[value={value}]").check()
            continue
        control = form.get_by_label(label.replace("_", " "), exact=True)
        if control.evaluate("(one) => one.tagName") == "SELECT":
            control.select_option(value)
        elif control.get_attribute("type") == "checkbox":
            control.check()
        else:
            control.fill(value)
    page.get_by_role("button", name="Open the table").press("Enter")
    page.wait_for_url("**/table/*")


#: Until something is so, or the milliseconds are over. To look at every picture would make the browser draw
#: as many as it can.
_WHEN = """const when = (is, patience = 2 ** 31 - 1) => new Promise((done) => {
  const end = () => { watch.disconnect(); clearTimeout(late); done(); };
  const watch = new MutationObserver(() => is() && end());
  const late = setTimeout(end, patience);
  watch.observe(document, { attributes: true, childList: true, subtree: true });
  if (is()) end();
});"""
#: The button that answers the turn, and listens.
TURN = "[data-slot=call]:enabled:not([data-too-soon])"


def asked(page: Page, until: Locator | None = None) -> bool:
    """Wait for my turn; False when ``until`` is to be seen instead."""
    turn = page.locator(TURN)
    # A locator is looked for ever more seldom, up to half a second apart: a turn at once. What else may come
    # is looked for by a locator alone.
    patience = 1000 if until is None else 200
    is_turn = False
    with suppress(Error):  # The page is opened anew.
        is_turn = page.evaluate(
            f"""async ([turn, patience]) => {{
              {_WHEN}
              const there = () => Boolean(document.querySelector(turn));
              await when(there, patience);
              return there();
            }}""",
            [TURN, patience],
        )
    if not is_turn:
        (turn if until is None else turn.or_(until)).first.wait_for()
    return until is None or not until.first.is_visible()


def answer(page: Page, key: str) -> None:
    """Press a key, and wait until the page has taken it: a button rests when it has been pressed, unless the
    next turn comes before the next picture. A page that is busy may miss a key: who asks again presses again.
    """
    before = page.locator(".slots").get_attribute("data-number")
    page.keyboard.press(key)
    page.evaluate(
        f"""([turn, before]) => {{
          {_WHEN}
          const now = () => document.querySelector(".slots")?.getAttribute("data-number");
          return when(() => !document.querySelector(turn) || now() !== before, 5000);
        }}""",
        [TURN, before],
    )


def call(page: Page, until: Locator) -> None:
    """Check or call until something is to be seen."""
    while asked(page, until):
        answer(page, "c")


def fold(page: Page, until: Locator) -> None:
    """Fold until something is to be seen; check where that costs nothing, as the page asks again there."""
    while asked(page, until):
        is_free = page.locator("[data-slot=call]").inner_text().startswith("Check")
        answer(page, "c" if is_free else "f")


def shove(page: Page, until: Locator) -> None:
    """All in, or call, until something is to be seen."""
    while asked(page, until):
        page.keyboard.press("5")
        answer(page, "Enter" if page.locator("[data-slot=raise]").is_enabled() else "c")
