"""Reads Poker Hand History files, see ``dealer.records.phh``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, time
from decimal import Decimal
from typing import Any

from dealer.errors import RecordError
from dealer.records.hands import HandMetadata, HandRecord, HoldemStakes, holdem_order, money, parse_definition
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
from dealer.rules.games import Game

_HEADING = re.compile(r"\s*\[[^\[\],]+\]\s*(#.*)?\n?")
_ACTION = re.compile(
    r"d dh p(?P<dealt>\d{1,2}) (?P<hole>[\w?]+)|d db (?P<board>\w+)"
    r"|p(?P<player>\d{1,2}) (?:(?P<word>f|cc|sm)|cbr (?P<to>\d{1,10}(?:\.\d{1,2})?)|sm (?P<shown>[\w?-]+))",
    re.ASCII,
)
_WORDS = {"f": "fold", "cc": "call"}


def read_phh(source: Source, game: Game | None = None) -> Iterator[HandRecord]:
    """The hands of a ``.phh`` or ``.phhs`` file, as they are asked for.

    ``game``: played by this game's rules, instead of those that the hand names or else ``standard``.
    Raises ``RecordError``: the codes of ``dealer.records.hands``, ``too_long``, and those of the game.
    """
    for number, (line, text) in enumerate(_split(source), 1):
        with error_context(f"hand {number}, from line {line}"):
            try:
                fields = tomllib.loads(text, parse_float=Decimal)
            except (ArithmeticError, RecursionError, ValueError) as error:
                raise RecordError("bad_hand", f"not TOML: {error}") from error
            record = _PhhReader(fields, number, game).read()
        yield record


def _split(source: Source) -> Iterator[tuple[int, str]]:
    """The text of each hand without its heading, and the line where it begins."""
    text, first, headed = "", 1, False
    for number, line in numbered_lines(source):
        if _HEADING.fullmatch(line):
            if headed or text.strip():
                yield first, text
            text, first, headed = "", number + 1, True
        else:
            text += line
        if len(text) > MAX_CHARACTERS:
            raise RecordError(
                "too_long", f"the hand from line {first} is longer than {MAX_CHARACTERS} characters"
            )
    if headed or text.strip():
        yield first, text


class _PhhReader:
    """One hand of a file; ``fields`` are as TOML gives them."""

    def __init__(self, fields: Mapping[str, Any], number: int, game: Game | None) -> None:
        self.fields = fields
        self.number = number
        self.given = game
        self.players = len(self.decimals("starting_stacks"))
        self.actions = [self._action(text) for text in self.field("actions", list)]
        self.unit = unit_of(
            [
                *(
                    amount
                    for key in ("antes", "blinds_or_straddles", "starting_stacks")
                    for amount in self.decimals(key)
                ),
                *(Decimal(match["to"]) for match in self.actions if match["to"]),
            ]
        )

    def field(self, key: str, kind: type, default: Any = None) -> Any:
        """A field of this type, or the default for one that is missing. Raises ``RecordError``."""
        value = self.fields.get(key, default)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise RecordError("bad_hand", f"{key} is missing or not what it must be")
        return value

    def decimals(self, key: str, default: Sequence[int] | None = None) -> list[Decimal]:
        values = self.field(key, list, default)
        if not all(type(value) in (int, Decimal) for value in values):
            raise RecordError("bad_hand", f"{key} holds something that is no number")
        numbers = [Decimal(value) for value in values]
        if not all(number.is_finite() for number in numbers):
            raise RecordError("bad_hand", f"{key} holds something that is no amount")
        return numbers

    def chips(self, key: str, default: Sequence[int] | None = None) -> list[int]:
        return [to_chips(amount, self.unit) for amount in self.decimals(key, default)]

    def read(self) -> HandRecord:
        stakes = self._table()
        stacks = tuple(self.chips("starting_stacks"))
        rules = self.field("_rules", str, "standard")
        game = stakes.game(rules, stacks, self.given or parse_definition(self.fields.get("_game")))
        order = holdem_order(game, "unsupported")
        seats = self._seats()
        hole = self._hole()
        places = sorted(range(self.players), key=order.__getitem__)
        recorded = RecordedHand(
            game,
            self._hand_number(),
            tuple(seats[place] for place in places),
            tuple(stacks[place] for place in places),
            tuple(hole[place] for place in places),
            tuple(parse_cards(match["board"]) for match in self.actions if match["board"]),
            [
                recorded
                for match in self.actions
                if (recorded := self._recorded_action(match, seats)) is not None
            ],
            mucked=any(match["word"] == "sm" for match in self.actions),
        )
        events = replay_recorded(recorded)
        names = self.field("players", list, [f"p{place}" for place in range(1, self.players + 1)])
        if len(names) != self.players or not all(isinstance(name, str) for name in names):
            raise RecordError("bad_hand", "players is not one name each")
        record = HandRecord(game, events, dict(zip(seats, names, strict=True)), self._meta())
        self._verify(record, order, seats)
        return record

    def _hand_number(self) -> int:
        """What the file says, where that is a number; else its place in the file."""
        number = self.fields.get("hand")
        return number if type(number) is int and 0 <= number < 10**18 else self.number

    def _table(self) -> HoldemStakes:
        """Raises ``RecordError`` ``unsupported`` for what we do not play."""
        variant = self.field("variant", str)
        if variant not in ("FT", "NT"):
            raise RecordError("unsupported", f"the variant {variant!r}; FT and NT are known")
        if not 2 <= self.players <= 10:
            raise RecordError("unsupported", f"{self.players} players; 2 to 10 are possible")
        antes = self.chips("antes", [0] * self.players)
        blinds = self.chips("blinds_or_straddles")
        if len(antes) != self.players or len(set(antes)) > 1:
            raise RecordError("unsupported", "antes that are not the same for all")
        if len(blinds) != self.players or any(blinds[3:]):
            raise RecordError("unsupported", "several straddles, or not two blinds")
        if variant == "NT":
            if self._bet("min_bet") != blinds[1]:
                raise RecordError("unsupported", "a smallest bet that is not the big blind")
            return HoldemStakes(self.players, blinds[0], blinds[1], antes[0], None, sum(blinds[2:]))
        if any(blinds[2:]):
            raise RecordError("unsupported", "a straddle in a limit game")
        bets = self._bet("small_bet"), self._bet("big_bet")
        return HoldemStakes(self.players, blinds[0], blinds[1], antes[0], bets)

    def _bet(self, key: str) -> int:
        value = self.fields.get(key)
        amount = Decimal(value) if isinstance(value, (int, Decimal)) else Decimal("nan")
        if not amount.is_finite():
            raise RecordError("bad_hand", f"{key} is missing or no number")
        return to_chips(amount, self.unit)

    def _seats(self) -> list[int]:
        """By player: our seats count from 0."""
        seats = self.field("seats", list, list(range(1, self.players + 1)))
        if len(seats) != self.players or not all(type(seat) is int and 0 < seat < 100 for seat in seats):
            raise RecordError("bad_hand", "seats is not one number from 1 each")
        return [seat - 1 for seat in seats]

    def _action(self, text: object) -> re.Match[str]:
        plain = text.partition("#")[0].strip() if isinstance(text, str) else ""
        match = _ACTION.fullmatch(plain)
        if match is None:
            raise RecordError("bad_hand", f"not an action of hold'em: {str(text)[:80]!r}")
        if not 0 < int(match["dealt"] or match["player"] or 1) <= self.players:
            raise RecordError("bad_hand", f"there is no such player: {plain!r}")
        return match

    def _hole(self) -> list[tuple[int, ...]]:
        """By player, from the deal or from the showdown; none where they are not told."""
        hole: list[tuple[int, ...]] = [()] * self.players
        for match in self.actions:
            cards = match["hole"] or match["shown"] or ""
            if cards.strip("?-"):
                place = int(match["dealt"] or match["player"]) - 1
                parsed = parse_cards(cards)
                verify_equal({"cards shown": parsed}, {"cards shown": hole[place] or parsed})
                hole[place] = parsed
        return hole

    def _recorded_action(self, match: re.Match[str], seats: Sequence[int]) -> RecordedAction | None:
        if match["to"]:
            return RecordedAction(
                seats[int(match["player"]) - 1], "raise", to_chips(Decimal(match["to"]), self.unit)
            )
        word = _WORDS.get(match["word"] or "")
        return RecordedAction(seats[int(match["player"]) - 1], word) if word else None

    def _meta(self) -> HandMetadata:
        table = self.fields.get("table", "")
        return HandMetadata(
            table=str(table) if isinstance(table, (str, int)) else "",
            site=self.field("venue", str, ""),
            currency=self.field("currency", str, ""),
            unit=self.unit,
            time=self._time(),
            tournament=self.field("_tournament", str, ""),
            level=parse_level(self.fields.get("level")),
        )

    def _time(self) -> datetime | None:
        """When the hand began, if the file says it in full and in UTC."""
        clock = self.fields.get("time")
        year, month, day = map(self.fields.get, ("year", "month", "day"))
        if not isinstance(clock, time) or self.fields.get("time_zone", "UTC") != "UTC":
            return None
        if not isinstance(year, int) or not isinstance(month, int) or not isinstance(day, int):
            return None
        try:
            return datetime(year, month, day, clock.hour, clock.minute, clock.second, tzinfo=UTC)
        except (OverflowError, ValueError) as error:
            raise RecordError("bad_hand", f"the date: {error}") from error

    def _verify(self, record: HandRecord, order: Sequence[int], seats: Sequence[int]) -> None:
        """Hold what is told of the result against what the rules say."""
        shown = {
            seats[int(match["player"]) - 1]: parse_cards(match["shown"].strip("?-") if match["shown"] else "")
            for match in self.actions
            if match["shown"] or match["word"] == "sm"
        }
        stated: dict[str, object] = {"cards shown": shown} if shown else {}
        if "finishing_stacks" in self.fields:
            stated["finishing stacks"] = self.decimals("finishing_stacks")
        if "_rules" in self.fields:
            stated["rules"] = self.fields["_rules"]
        ended = record.ended
        ruled = {
            "cards shown": shown_hands(record.events),
            "finishing stacks": [money(ended.stacks[place], self.unit) for place in order],
            "rules": record.game.rules,
        }
        verify_equal(stated, ruled)
