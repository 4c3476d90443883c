"""Pictures of the table to look at: ``python -m tests.browser.screenshots FOLDER``."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser import scenes
from tests.browser.site import Dealer, Site, launch, open_context, serve_pages

SCREENS: dict[str, dict[str, Any]] = {
    "desk": {"viewport": {"width": 1280, "height": 800}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    },
    "narrow": {
        "viewport": {"width": 320, "height": 640},
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    },
    "low": {
        "viewport": {"width": 320, "height": 568},
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    },
    "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
}
SIZES = (2, 3, 6, 9, 10)


def betting(size: int) -> list[dict[str, Any]]:
    """The flop, with two pots on the table, bets before it and the viewer to act."""
    order = [*range(1, size), 0]
    said = scenes.deal(size)
    posted = {order[0]: 20, order[1]: 10} if size == 2 else {order[0]: 10, order[1]: 20}
    for seat in [*order[2:], *order[:2]]:
        said.append(scenes.acted(seat, "call", 20, 20 - posted.get(seat, 0)))
    said.append(scenes.board(1, "Th", "9c", "2d"))
    pot = 20 * size
    bet = 0
    for seat in order[:-1]:
        bet += 40
        said.append(scenes.acted(seat, "raise", bet, bet))
        pot += bet
    pots = [{"amount": 20 * size - 15, "seats": order}, {"amount": 15, "seats": order[-2:]}]
    said += [
        {"type": "strength", "street": 1, "label": "high card, ace"},
        scenes.waiting(0, pot, pots[: 1 + (size > 2)]),
        scenes.turn(call=bet, raise_to=[bet * 2, 1980], pot=pot),
    ]
    return said


def ending(size: int) -> list[dict[str, Any]]:
    """A showdown with a side pot, or a plain one heads-up."""
    if size > 2:
        return scenes.three_way_all_in(size) + scenes.showdown(size)
    pot = {"amount": 40, "seats": [0, 1], "wins": [[0, 40]]}
    return [
        *scenes.deal(2),
        scenes.acted(0, "call", 20, 10),
        scenes.acted(1, "call", 20),
        scenes.board(1, "Td", "4s", "Jc"),
        scenes.board(2, "4h"),
        scenes.board(3, "Ac"),
        scenes.shown(
            scenes.show(1, "Th 9h", "two pair, tens and fours"),
            scenes.show(0, "Ah Kd", "two pair, aces and fours", "Ah Ac 4s 4h Kd"),
        ),
        scenes.hand_end(2, pots=[pot], net=[-20, 20], stacks=[1980, 2020]),
    ]


def run_out(size: int) -> list[dict[str, Any]]:
    """Three are all in, their cards are up, and the turn has been dealt."""
    flop, turn, _, shown, _ = scenes.showdown(size)
    return [*scenes.three_way_all_in(size), shown, flop, turn]


def twice(size: int) -> list[dict[str, Any]]:
    """An all-in that was run twice, with a side pot if there is room for one."""
    hands = [scenes.show(1, "7h 9h"), scenes.show(0, "Ah Kd")]
    first = [
        scenes.show(1, "7h 9h", "full house, sevens over jacks", "7d 7s 7h Jc Jd"),
        scenes.show(0, "Ah Kd", "two pair, jacks and sevens", "Jc Jd 7d 7s Ah"),
    ]
    second = [
        scenes.show(1, "7h 9h", "three of a kind, sevens", "7d 7s 7h Ac Jc"),
        scenes.show(0, "Ah Kd", "full house, aces over sevens", "Ah Ac As 7d 7s"),
    ]
    pots = [
        {"amount": 2000, "seats": [0, 1], "wins": [[1, 2000]]},
        {"amount": 2000, "seats": [0, 1], "wins": [[0, 2000]], "board": 1},
    ]
    return [
        *scenes.deal(size),
        scenes.acted(1, "raise", 2000, 1990, all_in=True),
        *(scenes.acted(seat, "fold") for seat in range(2, size)),
        scenes.acted(0, "call", 2000, 2000 if size > 2 else 1980, all_in=True),
        scenes.shown(*hands),
        scenes.board(1, "7d", "7s", "Jc"),
        scenes.board(2, "Jd"),
        scenes.board(3, "2c"),
        scenes.hand_end(
            size,
            pots=pots,
            net=[0] * size,
            stacks=[2000] * size,
            hands=first,
            second=["7d", "7s", "Jc", "Ac", "As"],
            second_hands=second,
        ),
    ]


def by_equity(size: int) -> list[dict[str, Any]]:
    """An all-in on the flop that was divided by equity."""
    pot = {"amount": 4000, "seats": [0, 1], "wins": [[1, 1120], [0, 2880]]}
    said = twice(size)
    said[-3:] = [
        scenes.hand_end(size, pots=[pot], net=[-880] * size, stacks=[2000] * size, equity=True),
        scenes.undealt("Jd", "2c"),
    ]
    return said


def kickers() -> list[dict[str, Any]]:
    """A showdown that a kicker decides."""
    return [
        *scenes.deal(3),
        scenes.acted(0, "call", 20, 20),
        scenes.acted(1, "call", 20, 10),
        scenes.acted(2, "call", 20),
        scenes.board(1, "7d", "7s", "Jc"),
        scenes.board(2, "7h"),
        scenes.board(3, "2c"),
        scenes.shown(
            scenes.show(1, "Qh 9h", "three of a kind, sevens, queen and jack kickers", "7d 7s 7h Qh Jc"),
            scenes.show(2, "Jd Ts", "full house, sevens over jacks", "7d 7s 7h Jd Jc"),
            scenes.show(0, "Qs 7c", "two pair, queens and sevens, jack kicker", "7d 7s 7h Ah Kd"),
        ),
        scenes.hand_end(3, pots=[{"amount": 60, "seats": [0, 1, 2], "wins": [[0, 60]]}], net=[-20, -20, 40]),
    ]


def take(browser: Browser, site: Site, folder: Path, name: str, screen: str, scene: Scene) -> None:
    """One picture."""
    faults: list[str] = []
    context = open_context(browser, site, faults, **SCREENS[screen], settings=dict(scene.settings))
    page = context.new_page()
    Dealer(page, scene.messages)
    page.goto(f"{site.url}{scene.path}")
    page.locator(scene.seen).first.wait_for()
    expect(page.locator("[data-too-soon]")).to_have_count(0)
    if scene.press:
        button = page.get_by_role("button", name=scene.press, include_hidden=True).first
        if not button.is_visible():
            page.get_by_role("button", name="Menu").click()
        button.click()
    page.screenshot(path=folder / f"{name}-{screen}.png", animations="disabled")
    context.close()
    for fault in faults:
        print(f"{name}-{screen}: {fault}", file=sys.stderr)  # noqa: T201


class Scene(NamedTuple):
    """What is to be seen: what the dealer says, how the page is set, and a button to press first."""

    messages: list[dict[str, Any]]
    path: str = "/table/table-1"
    settings: Mapping[str, Any] = MappingProxyType({})
    press: str = ""
    seen: str = ".pod"


def scenes_of() -> dict[str, Scene]:
    """All pictures by name."""
    found = {f"betting-{size}": Scene(betting(size)) for size in SIZES}
    found |= {f"showdown-{size}": Scene(ending(size)) for size in SIZES}
    found |= {f"run-out-{size}": Scene(run_out(size)) for size in SIZES if size > 2}
    found |= {f"twice-{size}": Scene(twice(size)) for size in SIZES}
    found |= {f"equity-{size}": Scene(by_equity(size)) for size in (2, 6)}
    watch = [scenes.welcome(), scenes.match_start(6, -1), scenes.seats(6, empty=(2, 4), watchers=3)]
    said = [
        {"type": "said", "seat": 1, "name": "Anna", "text": "Nice hand!", "at": 1},
        {"type": "said", "seat": -1, "name": "Olga", "text": "<b>hello</b> everybody at this table", "at": 2},
    ]
    hand = [*scenes.deal(6), *said, scenes.acted(3, "raise", 60, 60), scenes.waiting(4, 90)]
    fold = [*scenes.deal(3), scenes.acted(0, "fold"), scenes.acted(1, "fold"), scenes.hand_end(3)]
    won = [
        *scenes.deal(3),
        scenes.acted(0, "raise", 60, 60),
        scenes.acted(1, "fold"),
        scenes.acted(2, "fold"),
        scenes.hand_end(),
    ]
    face = [
        scenes.welcome(),
        scenes.match_start(6, -1),
        scenes.seats(6, watchers=3),
        scenes.hand_start(6, hole=[]),
        scenes.faceup("Ah Kd", "7c 7s", "Qh Jh", "2d 9s", "Tc Ts", "As 5s"),
        scenes.acted(3, "raise", 60, 60),
        scenes.acted(4, "fold"),
        scenes.waiting(5, 90),
    ]
    series = {"type": "series", "match": 4, "of": 10, "results": scenes.series_results(3)}
    ten = [*scenes.deal(5), series | {"match": 10, "results": scenes.series_results(10)}]
    alone = [scenes.welcome(), scenes.match_start(6), scenes.seats(6, empty=(1, 2, 3, 4, 5), owner="Me")]
    absent = [scenes.welcome(), scenes.match_start(3), scenes.seats(3, ["in", "away", "gone"], owner="Me")]
    rich = [*scenes.deal(9)[:-1], scenes.hand_start(9, [1_000_000_000] * 9), scenes.waiting(3, 30)]
    tables = {"table-1": betting(6), "table-2": ending(9)[1:]}
    beside = [message | {"table": table} for table, said in tables.items() for message in said]
    return found | {
        "kickers": Scene(kickers()),
        "straddle": Scene(scenes.straddled()),
        "twice-offered": Scene([*betting(6), scenes.seats(6, all_ins="twice")]),
        "rich": Scene(rich),
        "rich-blinds": Scene(rich, settings={"bigBlinds": True}),
        "alone": Scene(alone),
        "absent": Scene(absent),
        "left": Scene([*won, scenes.seats(3, empty=(1, 2), owner="Me")]),
        "faceup": Scene(face),
        "series": Scene([*scenes.deal(5), series, scenes.turn()]),
        "result": Scene([*ten, {"type": "match_end", "hands": 99, "net": []}], seen=".result"),
        "challenge": Scene([*won, scenes.challenge()]),
        "about": Scene(betting(6), press="About"),
        "watch": Scene(watch),
        "advance": Scene(hand, press="Call 60"),
        "chat": Scene(hand, press="Chat"),
        "big-blinds": Scene(betting(6), settings={"bigBlinds": True, "fourColours": False}),
        "text": Scene(betting(6), settings={"text": True}, seen=".text-table"),
        "settings": Scene(betting(6), press="Settings"),
        "review": Scene(ending(6), press="Last hand"),
        "show": Scene(won),
        "hud": Scene([*betting(6), scenes.styles(6)], settings={"hud": True}),
        "hud-10": Scene([*betting(10), scenes.styles(10)], settings={"hud": True}),
        "undealt": Scene([*won, scenes.undealt("Td", "4s", "Jc", "4h", "Ac")], press="Rabbit"),
        "lost": Scene(fold),
        "lobby": Scene([], path="/", seen=".tables"),
        "tournaments": Scene([], path="/tournament", seen=".events"),
        "tournament": Scene([], path="/tournament/tournament-1", seen=".seats"),
        "tournament-open": Scene([], path="/tournament/tournament-2", seen=".mine"),
        "tournament-over": Scene([], path="/tournament/tournament-3", seen=".mine"),
        "beside": Scene(beside, path="/tables?at=table-1&at=table-2", seen="iframe"),
    }


def main(folder: Path, screens: list[str], names: list[str]) -> None:
    """All pictures, or those of some screens and names."""
    folder.mkdir(parents=True, exist_ok=True)
    with serve_pages() as site, sync_playwright() as playwright:
        site.api["/api/tables"] = {"tables": [scenes.entry(number) for number in range(1, 9)]}
        events = [scenes.event("tournament-1"), scenes.event("tournament-2", "open")]
        site.api["/api/tournaments"] = {"tournaments": events}
        site.api["/api/tournaments/tournament-1"] = scenes.tournament(own=0)
        site.api["/api/tournaments/tournament-2"] = scenes.tournament("open")
        site.api["/api/tournaments/tournament-3"] = scenes.tournament("over", own=1)
        browser = launch(playwright)
        for screen in screens or SCREENS:
            for name, scene in scenes_of().items():
                if not names or name in names:
                    take(browser, site, folder, name, screen, scene)
        browser.close()


def _arguments() -> Namespace:
    parser = ArgumentParser("python -m tests.browser.screenshots", description="Take pictures of the pages.")
    parser.add_argument("folder", type=Path, help="where the pictures go")
    known = [*SCREENS, *scenes_of()]
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"pictures, or screens ({', '.join(SCREENS)}); without: all"
    )
    found = parser.parse_args()
    if found.folder.exists() and not found.folder.is_dir():
        parser.error(f"{found.folder} is a file")
    if unknown := [name for name in found.names if name not in known]:
        parser.error(f"no screen or picture: {', '.join(unknown)}; there are: {', '.join(known)}")
    return found


if __name__ == "__main__":
    asked = _arguments()
    main(asked.folder, [w for w in asked.names if w in SCREENS], [w for w in asked.names if w not in SCREENS])
