"""Recorded hands as the API tells them, for tests.

``python -m tests.browser.replays FOLDER`` makes pictures of them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from playwright.sync_api import expect, sync_playwright

from dealer.deck import commitment, secure_deals
from dealer.rules.actions import CALL, FOLD, Action
from dealer.rules.games import holdem
from dealer.rules.hand import HandState
from server.web.replay import ReplayHand, hand_response
from tests.browser.scenes import NAMES
from tests.browser.screenshots import SCREENS
from tests.browser.site import Site, launch, open_context, serve_pages

Told = dict[str, Any]

SEED = bytes(range(32))
SESSION = "duel/m0000-l000-s0"
#: What a strong bot answers at every decision.
HINT: Told = {
    "bot": "nolimit",
    "chances": [["fold", 0, 0.1], ["call", 0, 0.6], ["raise", 60, 0.3]],
    "depth": 100,
}
#: A word is an action; a number is what is raised to.
Script = Sequence[str | int]


def played(size: int, script: Script = (), *, stacks: Sequence[int] = (), number: int = 16) -> HandState:
    """A hand in which these actions come first, and after them everybody checks or calls."""
    game = holdem(size, 10, 20, stack=list(stacks or [2000] * size))
    hand = HandState(game, secure_deals(SEED, 0, game).deal(number), number=number)
    wishes = iter(script)
    while not hand.over:
        wish = next(wishes, "call")
        if isinstance(wish, int):
            hand.act(Action("raise", wish))
        else:
            hand.act(FOLD if wish == "fold" else CALL)
    return hand


def betting(size: int) -> HandState:
    """Calls, a raise on the flop, folds, and a showdown."""
    before = ["call"] * size
    flop: list[str | int] = [60, 180] if size == 2 else [60, *["fold"] * (size - 3), 180, "call"]
    return played(size, [*before, *flop])


def all_in(size: int) -> HandState:
    """Three go all in for different amounts before the flop, the others fold: the board runs out."""
    if size == 2:
        return played(2, [2000], stacks=[700, 2000])
    stacks = [900, 1500, 300, *[2000] * (size - 3)]
    return played(size, [300, *["fold"] * (size - 3), 900], stacks=stacks)


def told(hand: HandState, *, names: Sequence[str] = NAMES, **more: Any) -> Told:
    """The hand as ``/api/hands/...`` answers; ``more`` are fields of ``Recorded``."""
    known = {
        "id": f"table-1.7.{hand.number}",
        "table": "table-1",
        "match": "table-1.7",
        "mode": "cash",
    } | more
    found: Told = msgspec.to_builtins(
        hand_response(
            ReplayHand(game=hand.game, names=list(names[: hand.game.players]), events=hand.events, **known)
        )
    )
    return found


def open_table(
    site: Site, hands: Sequence[HandState], *, own: int | None = None, seed: str = "", name: str = ""
) -> str:
    """Hands of an open table, one after the other; the path of the first one's page."""
    ids = [f"table-1.7.{hand.number}" for hand in hands]
    for index, hand in enumerate(hands):
        neighbours = {
            "previous": ids[index - 1] if index else "",
            "next": ids[index + 1] if index + 1 < len(ids) else "",
        }
        site.api[f"/api/hands/{ids[index]}"] = told(hand, own=own, at=1795312861000, **neighbours)
        for number in range(sum(event.kind == "acted" for event in hand.events)):
            site.api[f"/api/hands/{ids[index]}/hints/{number}"] = HINT
    facts = {"name": name, "commitment": commitment(SEED), "seed": seed, "open": not seed}
    site.api["/api/tables/table-1.7"] = facts
    return f"/hand/{ids[0]}"


def competition(site: Site, hands: Sequence[HandState], *, status: str = "finished") -> str:
    """Hands of a session of a competition; the path of the first one's page."""
    base = "/api/competitions/spring"
    ids = [f"{SESSION}/{index}" for index in range(len(hands))]
    for index, hand in enumerate(hands):
        neighbours = {
            "previous": ids[index - 1] if index else "",
            "next": ids[index + 1] if index + 1 < len(ids) else "",
        }
        site.api[f"{base}/sessions/{SESSION}/hands/{index}"] = told(
            hand, id=ids[index], table=SESSION, match=SESSION, mode="fixed", open=True, **neighbours
        )
    seed = SEED.hex() if status == "finished" else ""
    site.api[base] = {"commitment": commitment(SEED), "seed": seed, "status": status}
    return f"/hand/spring/{SESSION}/0"


def main(folder: Path, words: Sequence[str]) -> None:
    """Pictures, or those of some screens."""
    folder.mkdir(parents=True, exist_ok=True)
    faults: list[str] = []
    with serve_pages() as site, sync_playwright() as playwright:
        browser = launch(playwright)
        for screen in [word for word in words if word in SCREENS] or SCREENS:
            for size in (2, 3, 6, 10):
                for kind, hand in {"betting": betting(size), "all-in": all_in(size)}.items():
                    path = competition(site, [hand, hand])
                    context = open_context(browser, site, faults, **SCREENS[screen])
                    page = context.new_page()
                    for step in ("flop", "end"):
                        page.goto("about:blank")
                        page.goto(site.url + path)
                        expect(page.locator(".pod")).to_have_count(size)
                        page.keyboard.press("2" if step == "flop" else "End")
                        page.screenshot(
                            path=folder / f"{kind}-{size}-{step}-{screen}.png",
                            animations="disabled",
                            full_page=screen != "desk",
                        )
                    context.close()
        browser.close()
    assert faults == [], faults


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
