"""Hand histories in the text of PokerStars, which most hand-history tools import.

Everybody's hole cards are told (``Dealt to`` for each player), so that the hand can be played again. The
headers of limit games tell the bets, not the blinds. Chips of a tournament are whole; at cash tables a part
of a chip is told when it is whole cents. There is no place for the ``acpc`` rule set, or for a hand without a
time: 1970/01/01 stands for an unknown one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dealer.errors import RecordError
from dealer.records.hands import (
    HandRecord,
    holdem_order,
    stakes_of_game,
    verify_clockwise,
    verify_settled_as_usual,
)
from dealer.records.replay import error_context
from dealer.rules.cards import card_text
from dealer.rules.evaluation import rank_hand
from dealer.rules.events import Acted, BoardDealt, Chips, HandEnded, HandStarted, Shown

_ERROR_CODE = "not_in_pokerstars"
SIGNS = {"USD": "$", "EUR": "€", "GBP": "£"}
"""How amounts of a currency begin; others have no sign."""
TABLE = "pokerd"
"""The table's name where none is known."""
UNKNOWN_TIME = "1970/01/01 00:00:00"
# How lines begin that are not those of a player.
_LINE = re.compile(r"\*\*\* |PokerStars |Table '|Seat \d|Dealt to |Uncalled bet |Total pot |Board \[|Hand #")
_LONGEST_NAME = 1000
_STREETS = ("HOLE CARDS", "FLOP", "TURN", "RIVER")
_ROMAN = ((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
          (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))  # fmt: skip


def write_pokerstars(records: Iterable[HandRecord]) -> Iterator[str]:
    """The text of a file, hand by hand, with two empty lines after each.

    Raises ``RecordError`` ``not_in_pokerstars``: not hold'em, seats that do not go round the table, parts of
    a chip in a tournament or of a cent, a call that gives chips back, names that two players have, and names
    and other words that would break a line or could be taken for another one.
    """
    for number, record in enumerate(records, 1):
        with error_context(f"hand {number}"):
            text = "\n".join(_PokerStarsWriter(record).lines())
        yield f"{text}\n\n\n"


def eastern() -> ZoneInfo | None:
    """The zone of the times, if this system knows it; times are told in UTC if not."""
    try:
        return ZoneInfo("America/New_York")
    except (ZoneInfoNotFoundError, OSError):
        return None


def collected(ended: HandEnded) -> list[tuple[str, int, Chips]]:
    """Who collects how much from which pot, in the order of the text: the last side pot first."""
    if len(ended.pots) > 2:
        names = ["main pot", *(f"side pot-{number}" for number in range(1, len(ended.pots)))]
    else:
        names = ["main pot", "side pot"] if len(ended.pots) == 2 else ["pot"]
    pots = list(zip(names, ended.pots, strict=False))
    return [(name, seat, chips) for name, pot in reversed(pots) for seat, chips in pot.wins]


def levels_raised(record: HandRecord) -> list[int]:
    """For each bet or raise of the hand, what was to be matched on the street before it."""
    levels = []
    level = max(record.game.blinds)
    for event in record.events:
        if isinstance(event, BoardDealt):
            level = 0
        elif isinstance(event, Acted) and event.action == "raise":
            levels.append(level)
            level = event.to
    return levels


class _PokerStarsWriter:
    """The lines of one hand."""

    def __init__(self, record: HandRecord) -> None:
        self.record = record
        self.order = holdem_order(record.game, _ERROR_CODE)
        if record.game.straddle:
            raise RecordError(_ERROR_CODE, "the format knows no straddle")
        self.started: HandStarted = record.started
        self.ended: HandEnded = record.ended
        verify_clockwise(self.started.seats, _ERROR_CODE)
        verify_settled_as_usual(self.ended, _ERROR_CODE)
        self.sign = "" if record.meta.tournament else SIGNS.get(record.meta.currency, "")
        self.hole = dict(zip(self.started.seats, self.started.hole, strict=True))
        self.names = {seat: record.names[seat] for seat in self.started.seats}
        self.board: list[int] = []
        self.folded: dict[int, int] = {}
        self.paid: set[int] = set()
        self.shown: Shown | None = None
        for name in self.names.values():
            _verify("a name", name, not (name != name.strip() or ": " in name or _LINE.match(name)))
        meta = record.meta
        _verify("the table", meta.table or TABLE)
        _verify("the tournament", meta.tournament or "1", not set(" ,") & set(meta.tournament))
        _verify("the currency", meta.currency or "USD", not re.sub("[A-Z]{3}", "", meta.currency, count=1))
        if len(set(self.names.values())) < len(self.names):
            raise RecordError(
                _ERROR_CODE, "two players have the same name, by which alone the format knows them"
            )

    def amount(self, chips: Chips) -> str:
        if chips < 0:
            raise RecordError(
                _ERROR_CODE, "a call of a lowered bet gives chips back, which the format cannot tell"
            )
        meta = self.record.meta
        amount = chips * 100 / meta.unit
        if abs(amount - round(amount)) > 1e-6 or (meta.tournament and chips != int(chips)):
            least = "a chip of a tournament" if meta.tournament else "a cent"
            raise RecordError(_ERROR_CODE, f"{chips} chips: the format has no parts of {least}")
        whole, cents = divmod(round(amount), 100)
        return f"{self.sign}{whole}.{cents:02}" if cents else f"{self.sign}{whole}"

    def lines(self) -> Iterator[str]:
        yield from self._head()
        yield from self._posts()
        yield "*** HOLE CARDS ***"
        for place in self.order:
            seat = self.started.seats[place]
            yield f"Dealt to {self.names[seat]} [{_cards(self.hole[seat])}]"
        yield from self._play()
        yield from self._showdown()
        yield from self._summary()

    def _head(self) -> Iterator[str]:
        game, meta, started = self.record.game, self.record.meta, self.started
        stakes = stakes_of_game(game)
        low, high = stakes.bets or (stakes.small, stakes.big)
        limit = "Limit" if game.limit else "No Limit"
        amounts = f"{self.amount(low)}/{self.amount(high)}"
        head = f"PokerStars Hand #{started.hand}: "
        if meta.tournament:
            head += (
                f"Tournament #{meta.tournament}, $0+$0 USD Hold'em {limit} - Level {_roman(meta.level or 1)}"
            )
            head += f" ({amounts})"
        else:
            head += f" Hold'em {limit} ({amounts}{f' {meta.currency}' if meta.currency else ''})"
        yield f"{head} - {_time(meta.time)}"
        seats = max(2, *(seat + 1 for seat in started.seats))
        button = started.seats[self.order[-1]] + 1
        yield f"Table '{meta.table or TABLE}' {seats}-max Seat #{button} is the button"
        for seat, stack in sorted(zip(started.seats, started.stacks, strict=True)):
            yield f"Seat {seat + 1}: {self.names[seat]} ({self.amount(stack)} in chips)"

    def _posts(self) -> Iterator[str]:
        started = self.started
        for place in self.order:
            ante = started.antes[place]
            if ante:
                yield self._line(place, f"posts the ante {self.amount(ante)}", ante == started.stacks[place])
        small, big = (self.order[1], self.order[0]) if len(self.order) == 2 else self.order[:2]
        for place, blind in ((small, "small"), (big, "big")):
            chips = started.blinds[place]
            if chips:
                all_in = chips + started.antes[place] == started.stacks[place]
                self.paid.add(started.seats[place])
                yield self._line(place, f"posts {blind} blind {self.amount(chips)}", all_in)

    def _line(self, place: int, what: str, all_in: bool) -> str:
        name = self.names[self.started.seats[place]]
        return f"{name}: {what}{' and is all-in' if all_in else ''}"

    def _play(self) -> Iterator[str]:
        street = 0
        levels = iter(levels_raised(self.record))
        acts = [i for i, event in enumerate(self.record.events) if isinstance(event, Acted)]
        last = max(acts, default=0)
        for index, event in enumerate(self.record.events):
            match event:
                case Acted():
                    place = self.started.seats.index(event.seat)
                    level = next(levels) if event.action == "raise" else 0
                    yield self._line(place, self._action(event, level, street), event.all_in)
                case BoardDealt():
                    before = f" [{_cards(self.board)}]" if self.board else ""
                    street = event.street
                    self.board += event.cards
                    yield f"*** {_STREETS[street]} ***{before} [{_cards(event.cards)}]"
                case Shown():
                    self.shown = event
            if index == last and self.ended.returned:
                seat, chips = self.ended.returned
                yield f"Uncalled bet ({self.amount(chips)}) returned to {self.names[seat]}"

    def _action(self, event: Acted, level: int, street: int) -> str:
        if event.action == "fold":
            self.folded[event.seat] = street
            return "folds"
        if event.paid or event.action == "raise":
            self.paid.add(event.seat)
        if event.action == "call":
            return f"calls {self.amount(event.paid)}" if event.paid else "checks"
        if not level:
            return f"bets {self.amount(event.to)}"
        return f"raises {self.amount(event.to - level)} to {self.amount(event.to)}"

    def _showdown(self) -> Iterator[str]:
        if self.shown is not None:
            yield "*** SHOW DOWN ***"
            for seat, cards in self.shown.hands:
                words = f"shows [{_cards(cards)}] ({self._hand(seat)})" if cards else "mucks hand"
                yield f"{self.names[seat]}: {words}"
        for pot, seat, chips in collected(self.ended):
            yield f"{self.names[seat]} collected {self.amount(chips)} from {pot}"
        if self.shown is None:
            for _, seat, _ in collected(self.ended):
                yield f"{self.names[seat]}: doesn't show hand"

    def _hand(self, seat: int) -> str:
        return _describe_hand([*self.hole[seat], *self.board])

    def _summary(self) -> Iterator[str]:
        yield "*** SUMMARY ***"
        pots = [pot.amount for pot in self.ended.pots]
        total = f"Total pot {self.amount(sum(pots))}"
        if len(pots) > 1:
            sides = [
                f"Side pot{f'-{i}' if len(pots) > 2 else ''} {self.amount(p)}."
                for i, p in enumerate(pots)
                if i
            ]
            total += " " + " ".join([f"Main pot {self.amount(pots[0])}.", *sides])
        yield f"{total} | Rake {self.amount(0)}"
        if self.board:
            yield f"Board [{_cards(self.board)}]"
        won: dict[int, Chips] = {}
        for _, seat, chips in collected(self.ended):
            won[seat] = won.get(seat, 0) + chips
        for seat in sorted(self.started.seats):
            who = f"Seat {seat + 1}: {self.names[seat]}{self._roles(seat)}"
            yield f"{who} {self._outcome(seat, won.get(seat, 0))}"

    def _roles(self, seat: int) -> str:
        seats = [self.started.seats[place] for place in self.order]
        small, big = (seats[1], seats[0]) if len(seats) == 2 else seats[:2]
        roles = {"button": seats[-1], "small blind": small, "big blind": big}
        return "".join(f" ({role})" for role, holder in roles.items() if holder == seat)

    def _outcome(self, seat: int, won: Chips) -> str:
        if seat in self.folded:
            street = self.folded[seat]
            if street:
                return f"folded on the {_STREETS[street].capitalize()}"
            return "folded before Flop" + ("" if seat in self.paid else " (didn't bet)")
        shown = dict(self.shown.hands) if self.shown else {}
        if seat not in shown:
            return f"collected ({self.amount(won)})"
        if not shown[seat]:
            return f"mucked [{_cards(self.hole[seat])}]"
        result = f"won ({self.amount(won)})" if won else "lost"
        return f"showed [{_cards(shown[seat])}] and {result} with {self._hand(seat)}"


def _verify(what: str, text: str, holds: bool = True) -> None:
    if not (holds and text.isprintable() and 0 < len(text) <= _LONGEST_NAME):
        raise RecordError(_ERROR_CODE, f"{what}: {text[:80]!r} cannot stand in a line, or not without doubt")


def _cards(cards: Sequence[int]) -> str:
    return " ".join(map(card_text, cards))


def _time(moment: datetime | None) -> str:
    if moment is None:
        return f"{UNKNOWN_TIME} ET"
    zone = eastern()
    return f"{moment.astimezone(zone or UTC):%Y/%m/%d %H:%M:%S} {'ET' if zone else 'UTC'}"


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text


_NAMES = ("Deuce", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King",
          "Ace")  # fmt: skip
_PLURALS = tuple("Sixes" if name == "Six" else f"{name}s" for name in _NAMES)


def _describe_hand(cards: Sequence[int]) -> str:
    """A hand in the words of the format; the rank's parts are as ``rank_hand`` says."""
    rank = rank_hand(cards)
    top, second = rank >> 16 & 15, rank >> 12 & 15
    straight = f"{_NAMES[top - 4]} to {_NAMES[top]}"  # from -1, the ace, where the top is the five
    return (
        f"high card {_NAMES[top]}",
        f"a pair of {_PLURALS[top]}",
        f"two pair, {_PLURALS[top]} and {_PLURALS[second]}",
        f"three of a kind, {_PLURALS[top]}",
        f"a straight, {straight}",
        f"a flush, {_NAMES[top]} high",
        f"a full house, {_PLURALS[top]} full of {_PLURALS[second]}",
        f"four of a kind, {_PLURALS[top]}",
        "a Royal Flush" if top == 12 else f"a straight flush, {straight}",
    )[rank >> 24]
