"""Records of random hands read by PokerKit, which plays them by its own rules: the final stacks must be ours.

PHH files, ACPC logs and PokerStars texts, each through PokerKit's own reader. Where PokerKit does not come to
the same stacks, or refuses the hand, one of these must be true of the hand, and is counted:

``acpc_rules``     the hand is played by the ``acpc`` rule set, PokerKit knows only card-room rules
``short_blind``    see ``tests.oracle.pokerkit_oracle``; so are the next three
``short_all_in``
``no_question``
``odd_chips``
``antes``          PokerKit's readers of ACPC logs and PokerStars texts know no antes. For the latter the test
                   gives it the pattern that it lacks, and only antes that a stack is too short for remain
``limit``          PokerKit reads no limit hands in the text of PokerStars
``no_action``      its pattern of a STATE line asks for an action, and all were all-in from the blinds
"""

from __future__ import annotations

import io
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from random import Random

from pokerkit import Automation, FixedLimitTexasHoldem, HandHistory, NoLimitTexasHoldem
from pokerkit.notation import ACPCProtocolParser, PokerStarsParser

from dealer.errors import RecordError
from dealer.records.convert import FORMATS
from dealer.records.hands import HandRecord, holdem_order, table_of
from dealer.rules.events import Acted, BoardDealt
from tests.dealer.records.tables import random_records

__all__ = ["read_by_pokerkit", "unexplained"]


class _Stars(PokerStarsParser):
    """PokerKit's reader with the one pattern that it leaves out."""

    ANTE_POSTING = re.compile(r"(?P<player>.+): posts the ante \D?(?P<ante>[0-9.]+)")


def _phh(text: str, record: HandRecord) -> HandHistory:
    (history,) = HandHistory.loads_all(text)
    return history


def _stars(text: str, record: HandRecord) -> HandHistory:
    with warnings.catch_warnings():
        # PokerKit does not know a field that it fills itself.
        warnings.filterwarnings("ignore", ".*'time_zone_abbreviation' is an unexpected field")
        (history,) = _Stars()(text, error_status=True)
    return history


def _acpc(text: str, record: HandRecord) -> HandHistory:
    table = table_of(record.game)
    automations: tuple[Automation, ...] = ()
    blinds = (table.small, table.big)
    game = (
        NoLimitTexasHoldem(automations, True, table.ante, blinds, table.big)
        if table.bets is None
        else FixedLimitTexasHoldem(automations, True, table.ante, blinds, *table.bets)
    )
    stacks = [record.started.stacks[place] for place in holdem_order(record.game, "")]
    (history,) = ACPCProtocolParser(game, stacks)(text, error_status=True)  # type: ignore[arg-type]
    return history


READERS: dict[str, Callable[[str, HandRecord], HandHistory]] = {
    "phhs": _phh,
    "acpc": _acpc,
    "pokerstars": _stars,
}


def read_by_pokerkit(hands: int, seed: int) -> Counter[tuple[str, str]]:
    """Write random hands in each format and have PokerKit read them.

    By (format, what): ``written``, ``alike``, the code where the format cannot tell the hand, and for hands
    that do not end alike the reasons that there are, joined by ``+``, or ``unexplained``.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for record in random_records(Random(seed), hands, names=[f"p{seat}" for seat in range(10)]):
        for name, read in READERS.items():
            try:
                text = "".join(FORMATS[name].write([record]))
            except RecordError as error:
                counts[name, error.code] += 1
                continue
            counts[name, "written"] += 1
            if _final_stacks(text, record, read) == list(record.ended.stacks):
                counts[name, "alike"] += 1
                continue
            counts[name, "+".join(sorted(set(_reasons(record, name)))) or "unexplained"] += 1
    return counts


def unexplained(counts: Counter[tuple[str, str]]) -> int:
    """Hands that should have ended alike and did not."""
    return sum(count for (_, what), count in counts.items() if what == "unexplained")


def _final_stacks(
    text: str, record: HandRecord, read: Callable[[str, HandRecord], HandHistory]
) -> list[int] | None:
    """By position; None when PokerKit refuses the hand or does not come to its end."""
    try:
        with redirect_stderr(io.StringIO()):  # PokerKit prints what it raises
            state = list(read(text, record))[-1]
    except (AssertionError, IndexError, KeyError, TypeError, ValueError, UserWarning):
        return None
    return None if state.status else list(state.stacks)


def _reasons(record: HandRecord, name: str) -> Iterator[str]:
    game, started = record.game, record.started
    if game.rules == "acpc":
        yield "acpc_rules"
    if started.blinds[0 if game.players == 2 else 1] < max(game.blinds):
        yield "short_blind"
    if any(len({chips for _, chips in pot.wins}) > 1 for pot in record.ended.pots):
        yield "odd_chips"
    if (name == "acpc" and game.ante) or (name == "pokerstars" and min(started.antes) < game.ante):
        yield "antes"
    if name == "pokerstars" and game.limit:
        yield "limit"
    if not any(isinstance(event, Acted) for event in record.events):
        yield "no_action"
    yield from _betting_reasons(record)


def _betting_reasons(record: HandRecord) -> Iterator[str]:
    """Raises of less than a full one, and a last player with chips who was not asked what he could check."""
    game, started = record.game, record.started
    chips = dict(zip(started.seats, started.stacks, strict=True))
    for seat, ante, blind in zip(started.seats, started.antes, started.blinds, strict=True):
        chips[seat] -= ante + blind
    asked: set[int] = set()
    level, full = max(game.blinds), game.raise_sizes[0] if game.limit else game.min_bet
    for event in record.events:
        if isinstance(event, BoardDealt):
            left = {seat for seat, rest in chips.items() if rest}
            if len(left) == 1 and not left <= asked and (asked or event.street == 1):
                yield "no_question"
            level, full, asked = 0, game.raise_sizes[event.street] if game.limit else game.min_bet, set()
        elif isinstance(event, Acted):
            asked.add(event.seat)
            chips[event.seat] -= event.paid if event.action != "fold" else chips[event.seat]
            if event.action == "raise":
                if event.to - level < full:
                    yield "short_all_in"
                level, full = event.to, max(full, event.to - level)
