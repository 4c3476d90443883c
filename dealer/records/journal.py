"""Our own record: JSON lines from which every hand can be replayed exactly.

The first line is an object with the facts of the match, ``format`` among them. Each further line is one hand:
a list of its events in order, each ``[kind, field, ...]`` as ``dealer.rules.events.event_to_data`` gives it.
There are no time stamps, so the same play gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from dealer.errors import RecordError
from dealer.rules.cards import CARD_TEXTS
from dealer.rules.errors import ReplayError
from dealer.rules.events import (
    Acted,
    BoardDealt,
    Event,
    HandEnded,
    HandStarted,
    PotAward,
    Shown,
    event_from_data,
)

FORMAT = "pokerd journal 1"


def journal_header(facts: Mapping[str, Any]) -> str:
    """The first line: what must be known of the match, as JSON in alphabetical order, and ``format``.

    Raises ``RecordError`` ``bad_header`` for facts that JSON cannot tell.
    """
    try:
        return _json({**facts, "format": FORMAT})
    except (TypeError, ValueError) as error:
        raise RecordError("bad_header", f"these facts cannot be written as JSON: {error}") from error


def hand_line(events: Sequence[Event]) -> str:
    """One finished hand. It is on the way of every hand that is played, and therefore fast."""
    return "[" + ",".join([_WRITERS[type(event)](event) for event in events]) + "]\n"


def read_journal(lines: Iterable[str]) -> tuple[dict[str, Any], Iterator[list[Event]]]:
    """The facts of the match, and then its hands as they are asked for.

    Raises ``RecordError``: ``bad_header``, and while reading ``bad_hand`` (with the number of the line) or
    ``cut_off`` if the last line is not whole, which is how a journal ends whose writer was stopped.
    """
    rest = iter(lines)
    try:
        facts = json.loads(next(rest, ""))
    except (RecursionError, ValueError) as error:
        raise RecordError("bad_header", f"the first line is not JSON: {error}") from error
    if not isinstance(facts, dict) or facts.pop("format", None) != FORMAT:
        raise RecordError("bad_header", f"the first line does not begin a {FORMAT!r}")
    return facts, _hands(rest)


def _hands(lines: Iterable[str]) -> Iterator[list[Event]]:
    for number, line in enumerate(lines, 2):
        if not line.endswith("\n"):
            raise RecordError("cut_off", f"line {number} is cut off; the hands before it are whole")
        try:
            events = [event_from_data(event) for event in json.loads(line)]
        except (RecursionError, ReplayError, TypeError, ValueError) as error:
            raise RecordError("bad_hand", f"line {number}: {error}") from error
        if not events:
            raise RecordError("bad_hand", f"line {number} has no events")
        yield events


def _json(value: Any) -> str:
    return (
        json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"
    )


# These give what json.dumps of event_to_data would without blanks, only much faster; a test compares them.


@lru_cache(maxsize=4096)
def _cards(cards: tuple[int, ...]) -> str:
    return "".join([CARD_TEXTS[card] for card in cards])


@lru_cache(maxsize=1024)
def _places(fields: tuple[Any, ...]) -> str:
    """Seats, button, stacks, antes and blinds: the same again and again where stacks are fixed."""
    return json.dumps(fields, separators=(",", ":"))[1:-1]


def _started(event: HandStarted) -> str:
    hole = '","'.join([_cards(cards) for cards in event.hole])
    return f'["hand_started",{event.hand},{_places(event[1:6])},["{hole}"]]'


def _acted(event: Acted) -> str:
    seat, action, to, paid, all_in, forced, policy = event
    reason = json.dumps(forced) if forced else '""'
    told = ""
    if policy:
        chances = ",".join([f'["{text}",{chance!r}]' for text, chance in policy])
        told = f",[{chances}]"
    return f'["acted",{seat},"{action}",{to},{paid},{"true" if all_in else "false"},{reason}{told}]'


def _board(event: BoardDealt) -> str:
    return f'["board_dealt",{event.street},"{"".join([CARD_TEXTS[card] for card in event.cards])}"]'


def _shown(event: Shown) -> str:
    hands = ",".join([f'[{seat},"{_cards(cards)}"]' for seat, cards in event.hands])
    return f'["shown",[{hands}]]'


def _ended(event: HandEnded) -> str:
    hand, returned, pots, values, stacks, equity, second = event
    back = f"[{returned[0]},{returned[1]}]" if returned else "null"
    paid = ",".join([_pot(pot) for pot in pots])
    told = f',{"true" if equity else "false"},"{_cards(second)}"' if equity or second else ""
    by_position = f"[{','.join(map(str, values))}],[{','.join(map(str, stacks))}]"
    return f'["hand_ended",{hand},{back},[{paid}],{by_position}{told}]'


def _pot(pot: PotAward) -> str:
    wins = ",".join([f"[{seat},{chips}]" for seat, chips in pot.wins])
    board = f",{pot.board}" if pot.board else ""
    return f"[{pot.amount},[{','.join(map(str, pot.seats))}],[{wins}]{board}]"


_WRITERS: dict[type, Callable[[Any], str]] = {
    HandStarted: _started,
    Acted: _acted,
    BoardDealt: _board,
    Shown: _shown,
    HandEnded: _ended,
}
