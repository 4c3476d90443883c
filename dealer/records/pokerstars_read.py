"""Reads hand histories in the text of PokerStars, see ``dealer.records.pokerstars``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from dealer.errors import RecordError
from dealer.records.hands import HandMetadata, HandRecord, HoldemStakes, holdem_order, money
from dealer.records.pokerstars import SIGNS, TABLE, UNKNOWN_TIME, collected, eastern, levels_raised
from dealer.records.replay import (
    MAX_CHARACTERS,
    RecordedAction,
    RecordedHand,
    Source,
    error_context,
    numbered_lines,
    parse_level,
    replay_recorded,
    shown_hands,
    to_chips,
    unit_of,
    verify_equal,
)
from dealer.rules.cards import parse_cards
from dealer.rules.events import Acted
from dealer.rules.games import Game

_TIME = r"(?P<time>\d{4}/\d\d?/\d\d? \d\d?:\d\d:\d\d) (?P<zone>\w+)(?: \[(?P<eastern>[\d/: ]+) ET\])?"
_KIND = r"Hold'em (?P<limit>No Limit|Limit)"
_MONEY = r"[$€£]?\d{1,11}(?:\.\d\d)?"
_HEADS = (
    re.compile(
        rf"PokerStars (?:Hand|Game) #(?P<hand>\d{{1,18}}): +{_KIND}"
        rf" \((?P<low>{_MONEY})/(?P<high>{_MONEY})(?: (?P<currency>[A-Z]{{3}}))?\) - {_TIME}",
        re.ASCII,
    ),
    re.compile(
        rf"PokerStars (?:Hand|Game) #(?P<hand>\d{{1,18}}): Tournament #(?P<tournament>[^ ,]+), [^,]*{_KIND}"
        rf" - .*?Level (?P<level>[IVXLCDM]{{1,12}}) \((?P<low>{_MONEY})/(?P<high>{_MONEY})\) - {_TIME}",
        re.ASCII,
    ),
)
_TABLE = re.compile(
    r"Table '(?P<table>.*)' \d+-max (?:\(Play Money\) )?Seat #(?P<button>\d{1,2}) is the button"
)
_SEAT = re.compile(
    rf"Seat (?P<seat>\d{{1,2}}): (?P<name>.*) \((?P<stack>{_MONEY}) in chips\)(?P<out> is sitting out)?"
)
_STREET = re.compile(r"\*\*\* (?:FLOP|TURN|RIVER) \*\*\*(?: \[(?P<before>[\w ]+)\])? \[(?P<cards>[\w ]+)\]")
_DEALT = re.compile(r"Dealt to (?P<name>.*) \[(?P<cards>[\w ]+)\]")
_UNCALLED = re.compile(rf"Uncalled bet \((?P<chips>{_MONEY})\) returned to (?P<name>.*)")
_COLLECTED = re.compile(
    rf"(?P<name>.*) collected (?P<chips>{_MONEY}) from (?P<pot>pot|main pot|side pot(?:-\d+)?)"
)
_TOTAL = re.compile(
    rf"Total pot (?P<total>{_MONEY})(?P<pots>(?: (?:Main|Side) pot\S* {_MONEY}\.)*)"
    rf" \| Rake (?P<rake>{_MONEY})"
)
_BOARD = re.compile(r"Board \[(?P<cards>[\w ]+)\]")
_OUTCOME = re.compile(
    rf".*?(?:(?:showed|mucked) \[(?P<cards>[\w ]+)\])?(?:.*(?:won|collected) \((?P<chips>{_MONEY})\).*)?"
)
#: Bounds the time that the patterns need.
_LONGEST_LINE = 2000
_END = " and is all-in"
_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("fold", r"folds(?: \[[\w ]+\])?"),
        ("call", "checks"),
        ("call", rf"calls (?P<paid>{_MONEY})"),
        ("raise", rf"bets (?P<to>{_MONEY})"),
        ("raise", rf"raises (?P<by>{_MONEY}) to (?P<to>{_MONEY})"),
        ("ante", rf"posts the ante (?P<paid>{_MONEY})"),
        ("small blind", rf"posts small blind (?P<paid>{_MONEY})"),
        ("big blind", rf"posts big blind (?P<paid>{_MONEY})"),
        ("shows", r"shows \[(?P<cards>[\w ]+)\].*"),
        ("mucks", "mucks hand"),
        ("nothing", "doesn't show hand"),
    )
)
#: What is said beside the play.
_IGNORED = re.compile(
    r".* said, \".*\"|.* (?:joins|leaves) the table.*|.* (?:is|was) (?:dis)?connected.*|.* has timed out.*"
    r"|.* has returned|.* is sitting out|.* will be allowed to play.*|.* finished the tournament.*"
    r"|.* wins the tournament.*|.* was removed from the table.*|Hand #\d+"
)


def read_pokerstars(source: Source, game: Game | None = None) -> Iterator[HandRecord]:
    """The hands of a file, as they are asked for.

    ``game``: played by this game's rules, which the text cannot tell, instead of ``standard``.
    Raises ``RecordError``: the codes of ``dealer.records.hands``, ``too_long``, and those of the game.
    """
    for first, lines in _split(source):
        with error_context(f"hand from line {first}"):
            record = _PokerStarsReader(lines, game).read()
        yield record


def _split(source: Source) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """The lines of each hand, without the empty ones, and the number of its first."""
    lines: list[tuple[int, str]] = []
    size = 0
    for number, line in numbered_lines(source):
        text = line.removeprefix("\ufeff").strip()
        if text.startswith("PokerStars ") and lines:
            yield lines[0][0], lines
            lines, size = [], 0
        size += len(text)
        if len(text) > _LONGEST_LINE or size > MAX_CHARACTERS:
            raise RecordError("too_long", f"line {number} or its hand is longer than any of PokerStars")
        if text and (lines or not _IGNORED.fullmatch(text)):
            lines.append((number, text))
    if lines:
        yield lines[0][0], lines


class _PokerStarsReader:
    """One hand, line by line."""

    def __init__(self, lines: Sequence[tuple[int, str]], game: Game | None) -> None:
        self.lines = lines
        self.given = game
        self.head = self._head(lines[0][1])
        self.button = -1
        self.table = ""
        self.stacks: dict[str, Decimal] = {}
        self.seats: dict[str, int] = {}
        self.hole: dict[str, tuple[int, ...]] = {}
        self.boards: list[tuple[int, ...]] = []
        self.acts: list[tuple[str, str, dict[str, Decimal], bool]] = []
        self.posts: dict[str, dict[str, Decimal]] = {"ante": {}, "small blind": {}, "big blind": {}}
        self.shown: dict[str, bool] = {}
        self.facts: dict[str, Any] = {"collected": []}
        self.won: dict[int, Decimal] = {}
        self.summary = False

    def _head(self, line: str) -> re.Match[str]:
        for pattern in _HEADS:
            match = pattern.fullmatch(line)
            if match:
                return match
        code = "unsupported" if line.startswith("PokerStars ") else "bad_hand"
        raise RecordError(code, f"not the header of a hand of hold'em: {line[:120]!r}")

    def read(self) -> HandRecord:
        for number, line in self.lines[1:]:
            with error_context(f"line {number}"):
                self._read_line(line)
        if not self.summary or self.button < 0:
            raise RecordError("bad_hand", "the hand has no table or no summary; perhaps it was cut off")
        self.unit = unit_of([*self.stacks.values(), *self._stakes(), *self._amounts()])
        names = self._names()
        stacks = tuple(self._chips(self.stacks[name]) for name in names)
        stakes = self._table(len(names))
        game = stakes.game("standard", stacks, self.given)
        order = holdem_order(game, "unsupported")
        position = sorted(range(len(order)), key=order.__getitem__)
        recorded = RecordedHand(
            game,
            int(self.head["hand"]),
            tuple(self.seats[names[place]] for place in position),
            tuple(stacks[place] for place in position),
            tuple(self.hole.get(names[place], ()) for place in position),
            tuple(self.boards),
            [self._recorded_action(*act) for act in self.acts],
            mucked=not all(self.shown.values()),
        )
        events = replay_recorded(recorded)
        record = HandRecord(game, events, {self.seats[name]: name for name in names}, self._meta())
        self._verify(record, order)
        return record

    # Line by line.

    def _read_line(self, line: str) -> None:
        if line.startswith("*** "):
            self._read_section(line)
        elif self.summary:
            self._read_summary(line)
        elif not (
            self._read_seat(line)
            or self._read_action(line)
            or self._read_payment(line)
            or _IGNORED.fullmatch(line)
        ):
            raise RecordError("bad_hand", f"not a line of a hand: {line[:120]!r}")

    def _read_section(self, line: str) -> None:
        match = _STREET.fullmatch(line)
        if match:
            before = [card for board in self.boards for card in board]
            verify_equal({"board": list(_cards(match["before"] or ""))}, {"board": before})
            self.boards.append(_cards(match["cards"]))
        elif line == "*** SUMMARY ***":
            self.summary = True
        elif line not in ("*** HOLE CARDS ***", "*** SHOW DOWN ***"):
            raise RecordError("unsupported", f"{line[:80]!r}")

    def _read_seat(self, line: str) -> bool:
        table, seat, dealt = _TABLE.fullmatch(line), _SEAT.fullmatch(line), _DEALT.fullmatch(line)
        if table:
            self.table, self.button = table["table"], int(table["button"]) - 1
        elif seat and not seat["out"]:
            if seat["name"] in self.seats or int(seat["seat"]) - 1 in self.seats.values():
                raise RecordError("bad_hand", "a seat or a name twice")
            self.seats[seat["name"]] = int(seat["seat"]) - 1
            self.stacks[seat["name"]] = _amount(seat["stack"])
        elif dealt and dealt["name"] in self.seats:
            self._set_hole(dealt["name"], _cards(dealt["cards"]))
        return bool(table or seat or dealt)

    def _set_hole(self, name: str, cards: tuple[int, ...]) -> None:
        verify_equal({"cards shown": cards}, {"cards shown": self.hole.get(name, cards)})
        self.hole[name] = cards

    def _read_action(self, line: str) -> bool:
        """What a player does: ``NAME: words``."""
        for name in sorted(self.seats, key=len, reverse=True):
            if line.startswith(f"{name}: "):
                words = line.removeprefix(f"{name}: ")
                all_in = words.endswith(_END)
                for kind, pattern in _WORDS:
                    match = pattern.fullmatch(words.removesuffix(_END))
                    if match:
                        self._add_action(name, kind, match, all_in)
                        return True
        return False

    def _add_action(self, name: str, kind: str, match: re.Match[str], all_in: bool) -> None:
        if kind in self.posts:
            if name in self.posts[kind] or self.acts:
                raise RecordError("unsupported", f"a {kind} posted twice or late")
            self.posts[kind][name] = _amount(match["paid"])
        elif kind == "shows":
            self._set_hole(name, _cards(match["cards"]))
            self.shown[name] = True
        elif kind == "mucks":
            self.shown[name] = False
        elif kind != "nothing":
            amounts = {key: _amount(text) for key, text in match.groupdict().items()}
            self.acts.append((name, kind, amounts, all_in))

    def _read_payment(self, line: str) -> bool:
        back, won = _UNCALLED.fullmatch(line), _COLLECTED.fullmatch(line)
        match = back or won
        if match is None or match["name"] not in self.seats:
            return False
        seat, chips = self.seats[match["name"]], _amount(match["chips"])
        if back:
            self.facts["uncalled bet"] = (seat, chips)
        elif won:
            self.facts["collected"].append((won["pot"], seat, chips))
        return True

    def _read_summary(self, line: str) -> None:
        total, board = _TOTAL.fullmatch(line), _BOARD.fullmatch(line)
        if total:
            if _amount(total["rake"]):
                raise RecordError("unsupported", "rake, which our rules do not take")
            self.facts["total pot"] = _amount(total["total"])
            sides = [_amount(text) for text in re.findall(rf" ({_MONEY})\.", total["pots"])]
            if sides:
                self.facts["pots"] = sides
        elif board:
            self.facts["board"] = _cards(board["cards"])
        elif not self._read_outcome(line):
            raise RecordError("bad_hand", f"not a line of a summary: {line[:120]!r}")

    def _read_outcome(self, line: str) -> bool:
        """How a player fared: ``Seat 1: NAME ...``."""
        for name, seat in self.seats.items():
            who = f"Seat {seat + 1}: {name} "
            fate = _OUTCOME.fullmatch(line.removeprefix(who)) if line.startswith(who) else None
            if fate:
                if fate["cards"]:
                    self._set_hole(name, _cards(fate["cards"]))
                if fate["chips"]:
                    self.won[seat] = _amount(fate["chips"])
                return True
        return line.startswith("Seat ") and line.endswith("sitting out")

    # What it all means.

    def _names(self) -> list[str]:
        """The players from the left of the button on."""
        if not 2 <= len(self.seats) <= 10:
            raise RecordError("unsupported", f"{len(self.seats)} players; 2 to 10 are possible")
        if self.button not in self.seats.values():
            raise RecordError("unsupported", "a dead button: nobody sits there")
        around = sorted(self.seats, key=self.seats.__getitem__)
        left = next(i for i, name in enumerate(around) if self.seats[name] == self.button) + 1
        return around[left:] + around[:left]

    def _stakes(self) -> list[Decimal]:
        return [_amount(self.head["low"]), _amount(self.head["high"])]

    def _amounts(self) -> Iterator[Decimal]:
        for posts in self.posts.values():
            yield from posts.values()
        for _, _, amounts, _ in self.acts:
            yield from amounts.values()

    def _chips(self, amount: Decimal) -> int:
        return to_chips(amount, self.unit)

    def _table(self, players: int) -> HoldemStakes:
        low, high = map(self._chips, self._stakes())
        ante = self._chips(max(self.posts["ante"].values(), default=Decimal(0)))
        if self.head["limit"] == "No Limit":
            return HoldemStakes(players, low, high, ante, None)
        # Headers of limit games tell the bets: the big blind is the small bet. A small blind for which a
        # stack was too short is not told in full, which makes no difference to the play.
        small = self._chips(max(self.posts["small blind"].values(), default=Decimal(0))) or low // 2
        if self.given is not None:
            small = min(self.given.blinds[:2])
        return HoldemStakes(players, small, low, ante, (low, high))

    def _recorded_action(
        self, name: str, kind: str, amounts: dict[str, Decimal], all_in: bool
    ) -> RecordedAction:
        to = self._chips(amounts["to"]) if "to" in amounts else None
        paid = self._chips(amounts["paid"]) if "paid" in amounts else None
        if kind == "call":
            paid = paid or 0
        return RecordedAction(self.seats[name], kind, to, paid, all_in if kind != "fold" else None)

    def _meta(self) -> HandMetadata:
        fields = self.head.groupdict()
        return HandMetadata(
            table="" if self.table == TABLE else self.table,
            site="PokerStars",
            currency=fields.get("currency") or _by_sign(fields["low"][0]),
            unit=self.unit,
            time=_time(fields),
            tournament=fields.get("tournament") or "",
            level=parse_level(_arabic(fields.get("level") or "")),
        )

    def _verify(self, record: HandRecord, order: Sequence[int]) -> None:
        """Hold posts, showdown and results against what the rules say."""
        started, ended = record.started, record.ended

        def amount(chips: float) -> float:
            return money(chips, self.unit)

        small, big = (order[1], order[0]) if len(order) == 2 else order[:2]
        pots = [(name, seat, amount(chips)) for name, seat, chips in collected(ended)]
        won: dict[int, float] = {}
        for _, seat, chips in pots:
            won[seat] = won.get(seat, 0) + chips
        raised = [event.to for event in record.events if isinstance(event, Acted) and event.action == "raise"]
        back = ended.returned and (ended.returned[0], amount(ended.returned[1]))
        ruled: dict[str, object] = {
            "ante": {
                seat: amount(ante) for seat, ante in zip(started.seats, started.antes, strict=True) if ante
            },
            "small blind": _nonzero(started.seats[small], amount(started.blinds[small])),
            "big blind": _nonzero(started.seats[big], amount(started.blinds[big])),
            "hands shown": {seat: bool(cards) for seat, cards in shown_hands(record.events).items()},
            "uncalled bet": back,
            "raised by": [
                amount(to - level) for to, level in zip(raised, levels_raised(record), strict=True)
            ],
            "collected": sorted(pots),
            "total pot": amount(sum(pot.amount for pot in ended.pots)),
            "pots": [amount(pot.amount) for pot in ended.pots],
            "board": tuple(card for board in self.boards for card in board),
            "won": won,
        }
        posts = {what: self._seated_amounts(posts) for what, posts in self.posts.items()}
        shown = {self.seats[name]: shown for name, shown in self.shown.items()}
        facts = {**self.facts, "collected": sorted(self.facts["collected"])}
        facts.setdefault("uncalled bet", None)
        facts["raised by"] = [by.get("by", by["to"]) for _, kind, by, _ in self.acts if kind == "raise"]
        verify_equal({**posts, "hands shown": shown, **facts, "won": self.won}, ruled)

    def _seated_amounts(self, amounts: dict[str, Decimal]) -> dict[int, float]:
        return {self.seats[name]: float(amount) for name, amount in amounts.items()}


def _nonzero(seat: int, amount: float) -> dict[int, float]:
    return {seat: amount} if amount else {}


def _amount(text: str) -> Decimal:
    return Decimal(text.lstrip("$€£"))


def _cards(text: str) -> tuple[int, ...]:
    return parse_cards(text.replace(" ", ""))


def _by_sign(sign: str) -> str:
    return next((currency for currency, known in SIGNS.items() if known == sign), "")


def _time(fields: dict[str, str]) -> datetime | None:
    text, zone = (fields["eastern"], "ET") if fields["eastern"] else (fields["time"], fields["zone"])
    if text == UNKNOWN_TIME:
        return None
    try:
        naive = datetime.strptime(text, "%Y/%m/%d %H:%M:%S")  # noqa: DTZ007 (its zone follows)
    except ValueError as error:
        raise RecordError("bad_hand", f"not a time: {text!r}") from error
    zones: dict[str, Callable[[], Any]] = {"ET": eastern, "UTC": lambda: UTC}
    known = zones[zone]() if zone in zones else None
    return naive.replace(tzinfo=known).astimezone(UTC) if known else None


_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def _arabic(roman: str) -> int:
    values = [_DIGITS[letter] for letter in roman]
    following = [*values, 0][1:]
    return sum(-one if one < after else one for one, after in zip(values, following, strict=True))
