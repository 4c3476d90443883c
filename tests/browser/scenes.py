"""Tables as the server tells them, for tests and screenshots. The viewer has seat 0 unless said otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Message = dict[str, Any]

NAMES = ("Me", "Anna", "Bartholomew Long", "fair-1", "Chidi", "Dörte", "E.", "call-2", "Farid", "Grace H")
TABLE = "table-1"


def welcome(**more: Any) -> Message:
    return {"type": "welcome", "name": "Me", "resume": "secret", "grace": 30.0, "server": "0.2.0", **more}


def match_start(size: int = 3, seat: int = 0, stack: int = 2000, **more: Any) -> Message:
    game = {
        "name": f"holdem.nolimit.{size}p",
        "betting": "nolimit",
        "players": size,
        "rounds": 4,
        "blinds": [10, 20] + [0] * (size - 2) if size > 2 else [20, 10],
        "stacks": [stack] * size,
        "raise_sizes": [],
        "first_player": [2 % size, 0, 0, 0],
        "max_raises": [255] * 4,
        "suits": 4,
        "ranks": 13,
        "hole_cards": 2,
        "board_cards": [0, 3, 1, 1],
        "rules": "standard",
    }
    start = {
        "type": "match_start",
        "match": TABLE,
        "seat": seat,
        "players": list(NAMES[:size]),
        "game": game,
        "hands": 0,
        "reset": True,
        "seed": 0,
        "mode": "cash",
        "time_ms": 20000,
        "bank_ms": 60000,
    }
    return start | more


def seats(size: int = 3, states: Sequence[str] = (), empty: Sequence[int] = (), **more: Any) -> Message:
    rows = []
    for number in range(size):
        state = states[number] if number < len(states) else "in"
        kind = "bot" if "-" in NAMES[number] else "person"
        row = {"seat": number, "name": NAMES[number], "kind": kind, "stack": 2000, "state": state}
        rows.append({"seat": number} if number in empty else row)
    table = {
        "type": "seats",
        "seats": rows,
        "watchers": 0,
        "hand": 0,
        "pause_ms": 3000,
        "name": "Kitchen table",
        "mode": "cash",
        "game": "no-limit hold'em 10/20",
        "commitment": "b5d4045c3f466fa91fe2cc6abe79232a1a57cdf104f7a26e716e0a1e2789df78",
    }
    return table | more


def hand_start(size: int = 3, stacks: Sequence[int] = (), **more: Any) -> Message:
    """The viewer in seat 0 has the button, the blinds sit left of it."""
    order = [*range(1, size), 0]
    start = {
        "type": "hand_start",
        "seq": 0,
        "hand": 16,
        "button": 0,
        "seats": order,
        "stacks": list(stacks or [2000] * size),
        "antes": [0] * size,
        "blinds": [20, 10] if size == 2 else [10, 20] + [0] * (size - 2),
        "hole": ["Ah", "Kd"],
    }
    return start | more


def acted(seat: int, action: str, to: int = 0, paid: int = 0, **more: Any) -> Message:
    return {"type": "acted", "seq": 1, "seat": seat, "action": action, "to": to, "paid": paid, **more}


def board(street: int, *cards: str) -> Message:
    return {"type": "board", "seq": 2, "street": street, "cards": cards}


def show(seat: int, cards: str, label: str = "", best: str = "") -> Message:
    """A hand shown, with cards as in ``Ah Kd``."""
    return {"seat": seat, "cards": cards.split(), "label": label, "best": best.split()}


def faceup(*cards: str) -> Message:
    """All hole cards of an exhibition, by position, each hand as in ``Ah Kd``."""
    return {"type": "faceup", "hand": 16, "cards": [hand.split() for hand in cards]}


def series_results(count: int, size: int = 5) -> list[Message]:
    """Tournaments of which the viewer wins every third, and the others take turns."""
    results = []
    for number in range(1, count + 1):
        winner = 0 if number % 3 == 0 else 1 + number % (size - 1)
        places = [1 if seat == winner else 2 + (seat - winner - 1) % size for seat in range(size)]
        match = {"match": number, "players": list(NAMES[:size]), "places": places, "hands": 30 + number}
        results.append(match)
    return results


def entry(number: int, **more: Any) -> Message:
    """A table as the API lists it; every third is a tournament, every fourth is full."""
    size = 2 + number % 5
    taken = size if number % 4 == 0 else number % size
    players = [NAMES[(number + seat) % len(NAMES)] if seat < taken else "" for seat in range(size)]
    row = {
        "table": f"table-{number}",
        "run": f"table-{number}.{number}",
        "name": ("", "Kitchen table", "Friday night")[number % 3],
        "game": f"holdem.nolimit.{size}p",
        "stakes": f"no-limit hold'em {5 * number}/{10 * number}",
        "mode": "tournament" if number % 3 == 0 else "cash",
        "seats": size,
        "free": size - taken,
        "players": players,
        "kinds": [("bot" if "-" in name else "person") if name else "" for name in players],
        "hands": 137 * number,
    }
    return row | more


def shown(*hands: Message) -> Message:
    return {"type": "shown", "seq": 8, "hands": list(hands)}


def undealt(*cards: str) -> Message:
    return {"type": "undealt", "hand": 16, "cards": cards}


def styles(size: int) -> Message:
    """How everybody plays: no chance to 3-bet for the first, aggression grows with the seat."""
    known = [{"seat": seat, "hands": 130 + seat, "vpip": 0.24, "pfr": 0.18} for seat in range(size)]
    rest = [{"three_bet": None if seat == 1 else 0.07, "aggression": seat / 10} for seat in range(size)]
    return {"type": "styles", "seats": [one | more for one, more in zip(known, rest, strict=True)]}


def turn(**more: Any) -> Message:
    question = {
        "type": "turn",
        "turn": 3,
        "fold": True,
        "call": 20,
        "raise_to": [40, 2000],
        "pot": 30,
        "time_ms": 20000,
        "bank_ms": 60000,
    }
    return question | more


def waiting(seat: int, pot: int = 30, pots: Sequence[Message] = (), **more: Any) -> Message:
    asked = {
        "type": "waiting",
        "seat": seat,
        "turn": 3,
        "time_ms": 20000,
        "bank_ms": 60000,
        "pot": pot,
        "pots": list(pots),
        "bets": [],
    }
    return asked | more


def hand_end(size: int = 3, **more: Any) -> Message:
    """The viewer wins the blinds."""
    end = {
        "type": "hand_end",
        "seq": 9,
        "hand": 16,
        "pots": [{"amount": 50, "seats": [0], "wins": [[0, 50]]}],
        "net": [-10, -20] + [0] * (size - 3) + [30],
        "stacks": [1990, 1980] + [2000] * (size - 3) + [2030],
    }
    return end | more


def challenge(**more: Any) -> Message:
    """The end of a challenge that the viewer seems to win, without its hands."""
    end = {
        "type": "challenge",
        "run": "table-1.1",
        "rival_run": "table-1-rival.2",
        "player": "Me",
        "rival": "fair-3",
        "opponents": ["call-1"],
        "game": "no-limit hold'em 5/10",
        "big_blind": 10,
        "of": 50,
        "hands": [],
        "player_net": 1230,
        "rival_net": -200,
        "mean": 28.6,
        "half": 127.1,
        "decided": False,
    }
    return end | more


def deal(size: int = 3, seat: int = 0) -> list[Message]:
    """A fresh hand: everybody is there, nobody has acted."""
    hole: Message = {"hole": []} if seat < 0 else {}
    return [welcome(), match_start(size, seat), seats(size), hand_start(size, **hole)]


def in_match(name: str, messages: Sequence[Message]) -> list[Message]:
    """The same in a match of that name: of an earlier one no hand is left at the table, and nothing typed."""
    return [one | {"match": name} if one["type"] == "match_start" else one for one in messages]


def straddled() -> list[Message]:
    """Six players, of whom the one after the blinds has posted 40."""
    start = match_start(6)
    straddling = start | {"game": start["game"] | {"straddle": 40}}
    return [welcome(), straddling, seats(6), hand_start(6, blinds=[10, 20, 40, 0, 0, 0])]


def three_way_all_in(size: int) -> list[Message]:
    """Three are all in with two pots; with more seats the others fold. Ends before the showdown."""
    stacks = [2000] * size
    third, second, first = (size - 1), (size - 2) % size, (size - 3) % size
    stacks[first], stacks[second] = 300, 900
    order = [*range(1, size), 0]
    a, b, me = order[first], order[second], order[third]
    blinds = [10, 20] + [0] * (size - 2)
    said: list[Message] = [welcome(), match_start(size), seats(size), hand_start(size, stacks)]
    said += [acted(other, "fold") for other in order if other not in {a, b, me}]
    said += [
        acted(a, "raise", 300, 300 - blinds[first], all_in=True),
        acted(b, "raise", 900, 900 - blinds[second], all_in=True),
        acted(me, "call", 900, 900 - blinds[third]),
    ]
    return said


def showdown(size: int) -> list[Message]:
    """After ``three_way_all_in``: one wins the main pot, another the side pot."""
    order = [*range(1, size), 0]
    a, b, me = order[-3], order[-2], 0
    rest = 30 if size > 4 else 10 if size == 4 else 0
    main = 900 + rest
    stacks = [2000] * size
    stacks[-3], stacks[-2], stacks[-1] = main, 1200, 1100
    return [
        board(1, "Td", "4s", "Jc"),
        board(2, "4h"),
        board(3, "Tc"),
        shown(
            show(me, "Ah Kd", "two pair, tens and fours", "Ah Td Tc 4s 4h"),
            show(a, "Th 9h", "full house, tens over fours", "Td Th Tc 4s 4h"),
            show(b, "Js Qs", "two pair, jacks and tens", "Js Jc Td Tc Qs"),
        ),
        hand_end(
            size,
            pots=[
                {"amount": main, "seats": [a, b, me], "wins": [[a, main]]},
                {"amount": 1200, "seats": [b, me], "wins": [[b, 1200]]},
            ],
            net=[0] * (size - 3) + [main - 300, 300, -900],
            stacks=stacks,
        ),
    ]


def event(name: str, status: str = "running", **more: Any) -> dict[str, Any]:
    """A tournament in a list."""
    entry = {
        "tournament": name, "name": "Open club night", "status": status, "starts": None, "most": 18,
        "entrants": 10 if status == "open" else 14, "house_bots": 4, "left": 9, "tables": 2, "seats": 6,
        "stack": 1500, "speed": "normal", "takes_entries": status == "open",
    }  # fmt: skip
    return entry | more


def tournament(status: str = "running", own: int = -1, **more: Any) -> dict[str, Any]:
    """The lobby of ``tournament-1``; ``own``: the number of the viewer among its players."""
    names = [*NAMES, *("fair-2", "call-1", "Grace", "Olga")]
    running, over = status == "running", status == "over"
    chips = {"open": [1500] * 14, "over": [21_000] + [0] * 13}.get(
        status, [*range(3500, 900, -300), *[0] * 5]
    )
    players = [
        {
            "name": name,
            "kind": "bot" if "-" in name else "person",
            "chips": chips[at],
            "table": f"tournament-1-{1 + at % 2}" if running and at < 9 else "",
            "place": at + 1 if over or (running and at >= 9) else 0,
            "points": (70, 42, 28)[at] if over and at < 3 else 0,
            "own": at == own,
        }
        for at, name in enumerate(names)
    ]
    tables = [
        {"table": f"tournament-1-{number}", "players": names[number - 1 : 9 : 2], "hands": 37 - number}
        for number in (1, 2)
    ]
    found = {
        "summary": event("tournament-1", status, tables=2 * running),
        "owner": "Me",
        "own": False,
        "level": {"number": 4, "small_blind": 20, "big_blind": 40},
        "next_level": {"number": 5, "small_blind": 30, "big_blind": 60},
        "level_ms": 154_000 if running else None,
        "level_hands": None,
        "late_level": 2,
        "break_level": 9,
        "rests_ms": 0,
        "hand_for_hand": False,
        "points": [70, 42, 28],
        "tables": tables if running else [],
        "players": players,
    }
    return found | more


def finished(place: int = 5) -> Message:
    """The viewer is out of a tournament."""
    return {
        "type": "entry",
        "tournament": "tournament-1",
        "state": "out",
        "place": place,
        "of": 14,
        "points": 12.5,
        "table": "",
    }
