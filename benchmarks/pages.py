"""What people wait for: pages of a real server in a real browser, the replayer, and statistics.

    python -m benchmarks.pages [paint] [replay] [archive] [--rounds N] [--hands N]

``paint``: each page by a browser without a cache: milliseconds to its first paint, and to the largest, and
what came over the network. Then a table: pictures that the browser drew from a click to "sent". ``replay``:
milliseconds for all that the replayer tells about a hand, equities after every card and fold among it, by
players. ``archive``: seconds to count how everybody played, in the server's own processes.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, sync_playwright

from benchmarks.people import run_server
from dealer.deck import acpc_deals
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.games import Game, holdem
from dealer.rules.hand import HandState
from server.people.player_styles import count_styles
from server.storage.hand_store import HandStore
from server.web.replay import ReplayHand, hand_response

PAGES = ("/", "/challenge", "/tournament", "/bots", "/people", "/me", "/push-fold", "/spots", "/organiser")
PLAYERS = (2, 6, 10)
#: Hands that are really played for the archive; the others are copies.
PLAYED = 10_000
#: Milliseconds in which everything has come that a page asks for.
SETTLED = 1000

_PAINTS = """() => new Promise((done) => new PerformanceObserver((list) => {
  const sum = (total, { transferSize }) => total + transferSize;
  const loaded = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  done([performance.getEntriesByName("first-contentful-paint")[0].startTime,
    list.getEntries().at(-1).startTime, loaded.reduce(sum, 0)]);
}).observe({ type: "largest-contentful-paint", buffered: true }))"""

_CLICK = """async () => {
  const button = document.querySelector("[data-slot=call]");
  button.click();
  let pictures = 0;
  while (!button.disabled) {
    await new Promise(requestAnimationFrame);
    pictures += 1;
  }
  return pictures;
}"""
_TURN = "[data-slot=call]:enabled:not([data-too-soon])"


def paint(rounds: int) -> None:
    """Load pages, and answer turns at a table."""
    with run_server() as server, sync_playwright() as playwright:
        site = f"http://{urlsplit(server.url).netloc}"
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox", "--disable-gpu"]
        )
        _load(browser, site, "/")  # the browser's own start
        print("page          first paint, ms   largest, ms    kB")
        for path in PAGES:
            found = [_load(browser, site, path) for _ in range(rounds)]
            first, largest, size = (median(figures) for figures in zip(*found, strict=True))
            print(f"{path:12} {first:16.0f} {largest:13.0f} {size / 1000:5.0f}", flush=True)
        found_pictures = _click(browser, site, rounds)
        print(f'from a click to "sent", pictures: {", ".join(map(str, found_pictures))}', flush=True)
        browser.close()


def _load(browser: Browser, site: str, path: str) -> Sequence[float]:
    page = browser.new_page()
    page.goto(site + path, wait_until="load")
    page.wait_for_timeout(SETTLED)
    found: list[float] = page.evaluate(_PAINTS)
    page.context.close()
    return found


def _click(browser: Browser, site: str, turns: int) -> list[int]:
    page = browser.new_page()
    page.goto(site)
    page.get_by_label("Your name at the tables").fill("Newcomer")
    page.get_by_role("button", name="Play now").click()
    found = []
    for _ in range(turns):
        page.locator(_TURN).wait_for(timeout=120_000)
        found.append(page.evaluate(_CLICK))
    page.context.close()
    return found


def replay(rounds: int) -> None:
    """Tell hands as the replayer wants them."""
    print("players   a hand, ms: median, longest")
    for players in PLAYERS:
        game, took = holdem(players, 50, 100, stack=10_000), []
        for number in range(-1, rounds):
            hand = _hand(game, number + 1, lambda hand, random: CALL)
            names = [f"player {seat}" for seat in range(players)]
            began = time.perf_counter()
            hand_response(ReplayHand("t.1.1", "t", "t.1", "cash", game, names, hand.events, open=True))
            took.append(1000 * (time.perf_counter() - began))
        # The first one loads the library that counts.
        print(f"{players:7} {median(took[1:]):20.1f}, {max(took[1:]):.1f}", flush=True)


def _hand(game: Game, number: int, decide: Callable[[HandState, Random], Action]) -> HandState:
    hand, random = HandState(game, acpc_deals(1, game).deal(number), number=number), Random(number)
    while not hand.over:
        hand.act(decide(hand, random))
    return hand


def _mixed(hand: HandState, random: Random) -> Action:
    legal, draw = hand.legal(), random.random()
    if legal.fold and draw < 0.3:
        return FOLD
    return CALL if draw < 0.8 or legal.min_raise is None else raise_to(legal.min_raise)


def archive(hands: int, rounds: int) -> None:
    """Count the hands of an archive."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hands.sqlite3"
        asyncio.run(_fill(path, hands))
        print(f"{hands:,} hands at tables of six, {path.stat().st_size / 1e6:,.0f} MB")
        for _ in range(rounds):
            began = time.perf_counter()
            rows = asyncio.run(count_styles(path, 0, 2**62))
            took = time.perf_counter() - began
            counted = sum(row.counts.hands for row in rows) // 6
            print(f"counted {counted:,}: {took:.1f} s", flush=True)


async def _fill(path: Path, hands: int) -> None:
    game, store = holdem(6, 50, 100, stack=10_000), HandStore(path)
    table = store.open_table("t", mode="cash", game=game, seats=6, commitment="")
    for number in range(min(PLAYED, hands)):
        table.begin(game, [(f"player {(number + seat) % 60}", "") for seat in range(6)])
        table.record_hand(_hand(game, number, _mixed).events)
    await store.close()
    with closing(sqlite3.connect(path)) as db, db:
        columns = [name for _, name, *_ in db.execute("PRAGMA table_info(hands)")]
        chosen = ", ".join("number + ?" if name == "number" else name for name in columns)
        for copied in range(PLAYED, hands, PLAYED):
            few = min(PLAYED, hands - copied)
            db.execute(f"INSERT INTO hands SELECT {chosen} FROM hands WHERE number < ?", (copied, few))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What people wait for: pages, the replayer, statistics.")
    parser.add_argument("parts", nargs="*", metavar="PART", help="paint, replay, archive (all)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured (%(default)s)")
    parser.add_argument("--hands", type=int, default=1_000_000, help="in the archive (%(default)s)")
    options = parser.parse_args(arguments)
    parts: dict[str, Callable[[], Any]] = {
        "paint": lambda: paint(options.rounds),
        "replay": lambda: replay(options.rounds),
        "archive": lambda: archive(options.hands, options.rounds),
    }
    if unknown := set(options.parts) - set(parts):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(parts)}")
    for name in options.parts or parts:
        parts[name]()


if __name__ == "__main__":
    main()
