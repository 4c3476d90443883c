"""Reads Open Hand History files, see ``dealer.records.ohh``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from dealer.errors import RecordError
from dealer.records.hands import HandMetadata, HandRecord, HoldemStakes, holdem_order, money, parse_definition
from dealer.records.ohh import PLAY_MONEY, STREETS, UNKNOWN_TIME
from dealer.records.replay import (
    MAX_CHARACTERS,
    RecordedAction,
    RecordedHand,
    Source,
    error_context,
    replay_recorded,
    shown_hands,
    to_chips,
    unit_of,
    verify_equal,
)
from dealer.rules.cards import parse_cards
from dealer.rules.games import Game

_CHUNK = 1 << 16
_SEPARATORS = re.compile(r"[\s,\[\]]*")
_POSTS = {"Post Ante": "antes", "Post SB": "small blind", "Post BB": "big blind", "Straddle": "straddle"}
_ACTIONS = {"Fold": "fold", "Check": "call", "Call": "call", "Bet": "raise", "Raise": "raise"}
_CARDS = ("Dealt Cards", "Shows Cards", "Mucks Cards")
_IGNORED = ("Sits Down", "Stands Up")
_CURRENCIES = {PLAY_MONEY: "", "PPC": "", "Chips": ""}


def read_ohh(source: Source, game: Game | None = None) -> Iterator[HandRecord]:
    """The hands of an OHH file, or of a JSON array of such hands, as they are asked for.

    ``game``: played by this game's rules, instead of those beside the hand or else ``standard``.
    Raises ``RecordError``: the codes of ``dealer.records.hands``, ``too_long``, and those of the game.
    """
    for number, value in enumerate(_objects(source), 1):
        with error_context(f"hand {number}"):
            record = _OhhReader(value, number, game).read()
        yield record


def _objects(source: Source) -> Iterator[object]:
    """The JSON objects of the file one after the other; commas and brackets between them are skipped."""
    decoder = json.JSONDecoder(parse_float=Decimal, parse_constant=_reject_constant)
    text, start, number = source.read(_CHUNK), 0, 1
    while True:
        between = _SEPARATORS.match(text, start)
        start = between.end() if between else start
        if start == len(text):
            text, start = source.read(_CHUNK), 0
            if not text:
                return
            continue
        try:
            value, start = decoder.raw_decode(text, start)
        except (ArithmeticError, RecursionError, ValueError) as error:
            # Perhaps only the end is missing: as much again, so that the cost stays in proportion.
            more = source.read(max(_CHUNK, len(text) - start)) if len(text) - start <= MAX_CHARACTERS else ""
            if not more:
                code = "too_long" if len(text) - start > MAX_CHARACTERS else "bad_hand"
                raise RecordError(code, f"hand {number} is not JSON: {error}") from error
            text, start = text[start:] + more, 0
            continue
        yield value
        number += 1


def _reject_constant(text: str) -> None:
    raise ValueError(f"{text} is no number")


def _field(data: object, key: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
    """A field of this type, or the default for one that is missing or null. Raises ``RecordError``."""
    value = data.get(key) if isinstance(data, dict) else None
    value = default if value is None else value
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise RecordError("bad_hand", f"{key} is missing or not what it must be")
    return value


def _amount(data: object, key: str, default: int | None = None) -> Decimal:
    value = Decimal(_field(data, key, (int, Decimal), default))
    if not value.is_finite():
        raise RecordError("bad_hand", f"{key} is no amount")
    return value


def _cards(data: object) -> tuple[int, ...]:
    cards = _field(data, "cards", (list, str), [])
    if not all(isinstance(card, str) and len(card) == 2 for card in cards):
        if cards == "":
            return ()
        raise RecordError("bad_hand", "cards are not texts of rank and suit")
    return parse_cards("".join(cards)) if all(card != "??" for card in cards) else ()


class _OhhReader:
    """One hand, as JSON gives it."""

    def __init__(self, value: object, number: int, given: Game | None) -> None:
        self.ohh = _field(value, "ohh", dict)
        self.number = number
        self.given = given or parse_definition(value.get("_game") if isinstance(value, dict) else None)
        self.players = [
            one for one in _field(self.ohh, "players", list) if not _field(one, "is_sitting_out", bool, False)
        ]
        self.rounds = _field(self.ohh, "rounds", list)
        self.actions = [action for one in self.rounds for action in _field(one, "actions", list)]
        stacks = [_amount(player, "starting_stack") for player in self.players]
        stakes = [_amount(self.ohh, f"{name}_amount", 0) for name in ("small_blind", "big_blind", "ante")]
        amounts = [_amount(action, "amount", 0) for action in self.actions]
        self.unit = unit_of([*stacks, *stakes, *amounts])
        self.stacks = [to_chips(stack, self.unit) for stack in stacks]
        self.stakes = [to_chips(stake, self.unit) for stake in stakes]
        self.seats = [_field(player, "seat", int) - 1 for player in self.players]
        self.by_id = dict(
            zip((_field(player, "id", int) for player in self.players), self.seats, strict=True)
        )
        if len(self.by_id) != len(self.players) or not all(0 <= seat < 100 for seat in self.seats):
            raise RecordError("bad_hand", "players have no seat from 1, or the same id")

    def read(self) -> HandRecord:
        places = self._places()
        stacks = [self.stacks[place] for place in places]
        seats = [self.seats[place] for place in places]
        game = self._table().game("standard", tuple(stacks), self.given)
        order = holdem_order(game, "unsupported")
        hole = self._hole()
        position = sorted(range(len(order)), key=order.__getitem__)
        recorded = RecordedHand(
            game,
            self._hand_number(),
            tuple(seats[place] for place in position),
            tuple(stacks[place] for place in position),
            tuple(hole[seats[place]] for place in position),
            self._boards(),
            [recorded for action in self.actions if (recorded := self._recorded_action(action)) is not None],
            mucked=any(_field(action, "action", str) == "Mucks Cards" for action in self.actions),
        )
        events = replay_recorded(recorded)
        names = {
            seat: _field(player, "name", str) for seat, player in zip(self.seats, self.players, strict=True)
        }
        record = HandRecord(game, events, names, self._meta())
        self._verify(record, order)
        return record

    def _places(self) -> list[int]:
        """The players from the left of the button on."""
        count = len(self.players)
        if not 2 <= count <= 10:
            raise RecordError("unsupported", f"{count} players; 2 to 10 are possible")
        dealer = _field(self.ohh, "dealer_seat", int) - 1
        if dealer not in self.seats:
            raise RecordError("unsupported", "a dead button: nobody sits at dealer_seat")
        around = sorted(range(count), key=self.seats.__getitem__)
        left = next(i for i, place in enumerate(around) if self.seats[place] == dealer) + 1
        return around[left:] + around[:left]

    def _table(self) -> HoldemStakes:
        """Raises ``RecordError`` ``unsupported`` for what we do not play."""
        limit = _field(self.ohh, "bet_limit", dict)
        kind, variant = _field(limit, "bet_type", str), _field(self.ohh, "game_type", str)
        if kind not in ("NL", "FL") or variant != "Holdem" or _amount(limit, "bet_cap", 0):
            raise RecordError("unsupported", f"{kind} {variant}; NL and FL Holdem without a cap are known")
        if set(_field(self.ohh, "flags", list, [])) & {"Run_It_Twice", "Cap"}:
            raise RecordError("unsupported", "a hand with a cap, or one that was run twice")
        small, big, ante = self.stakes
        bets = (big, 2 * big) if kind == "FL" else None
        if bets and self.given and self.given.limit:
            bets = (self.given.raise_sizes[0], self.given.raise_sizes[-1])
        straddles = [one for one in self.actions if _field(one, "action", str) == "Straddle"]
        if len(straddles) > 1:
            raise RecordError("unsupported", "several straddles")
        straddle = sum(to_chips(_amount(one, "amount"), self.unit) for one in straddles)
        return HoldemStakes(len(self.players), small, big, ante, bets, straddle)

    def _hand_number(self) -> int:
        text = str(_field(self.ohh, "game_number", (str, int), ""))
        return int(text) if re.fullmatch(r"[0-9]{1,18}", text, re.ASCII) else self.number

    def _seat(self, data: object) -> int:
        player: int = _field(data, "player_id", int)
        seat: int | None = self.by_id.get(player)
        if seat is None:
            raise RecordError("bad_hand", "a player_id is that of no player")
        return seat

    def _hole(self) -> dict[int, tuple[int, ...]]:
        """By seat, from the deal or from the showdown; none where they are not told."""
        hole: dict[int, tuple[int, ...]] = dict.fromkeys(self.seats, ())
        for action in self.actions:
            if _field(action, "action", str) in _CARDS and (cards := _cards(action)):
                seat = self._seat(action)
                verify_equal({"cards shown": cards}, {"cards shown": hole[seat] or cards})
                hole[seat] = cards
        return hole

    def _boards(self) -> tuple[tuple[int, ...], ...]:
        boards = []
        for number, one in enumerate(self.rounds):
            street = _field(one, "street", str)
            if street == "Showdown":
                continue
            if number >= len(STREETS) or street != STREETS[number]:
                raise RecordError("bad_hand", f"round {number} is {street!r}")
            boards.append(_cards(one))
        return tuple(boards[1:])

    def _recorded_action(self, action: object) -> RecordedAction | None:
        kind = _field(action, "action", str)
        if kind in _IGNORED or kind in _CARDS or kind in _POSTS:
            return None
        if kind not in _ACTIONS:
            raise RecordError("unsupported", f"the action {kind!r}")
        paid = None if kind == "Fold" else to_chips(_amount(action, "amount", 0), self.unit)
        all_in = (
            _field(action, "is_allin", bool) if _is_known(action, "is_allin") and kind != "Fold" else None
        )
        return RecordedAction(self._seat(action), _ACTIONS[kind], paid=paid, all_in=all_in)

    def _meta(self) -> HandMetadata:
        info = _field(self.ohh, "tournament_info", dict, {})
        tournament = ""
        if _field(self.ohh, "tournament", bool, False) or info:
            tournament = str(_field(info, "tournament_number", (str, int), "")) or "unknown"
        currency = _field(info if tournament else self.ohh, "currency", str, "")
        site, moment = _field(self.ohh, "site_name", str, ""), _field(self.ohh, "start_date_utc", str, "")
        time = None
        if moment not in ("", UNKNOWN_TIME):
            try:
                time = datetime.fromisoformat(moment)
            except ValueError as error:
                raise RecordError("bad_hand", f"start_date_utc: {error}") from error
            time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        return HandMetadata(
            table=_field(self.ohh, "table_name", str, ""),
            site="" if site == "pokerd" else site,
            currency=_CURRENCIES.get(currency, currency),
            unit=self.unit,
            time=time,
            tournament=tournament,
        )

    def _verify(self, record: HandRecord, order: Sequence[int]) -> None:
        """Hold posts, showdown and pots against what the rules say."""
        started, ended = record.started, record.ended
        small, big = (order[1], order[0]) if len(order) == 2 else order[:2]
        ruled: dict[str, object] = {
            "antes": _nonzero(zip(started.seats, started.antes, strict=True)),
            "small blind": _nonzero([(started.seats[small], started.blinds[small])]),
            "big blind": _nonzero([(started.seats[big], started.blinds[big])]),
            "straddle": _nonzero([(started.seats[place], started.blinds[place]) for place in order[2:]]),
            "cards shown": {seat: bool(cards) for seat, cards in shown_hands(record.events).items()},
            "pots": [
                (
                    money(pot.amount, self.unit),
                    sorted((seat, money(chips, self.unit)) for seat, chips in pot.wins),
                )
                for pot in ended.pots
            ],
        }
        shown = {"cards shown": cards} if (cards := self._shown()) else {}
        verify_equal({**self._posts(), **shown, "pots": self._pots()}, ruled)

    def _posts(self) -> dict[str, dict[int, int]]:
        posts: dict[str, dict[int, int]] = {what: {} for what in _POSTS.values()}
        for action in self.actions:
            what = _POSTS.get(_field(action, "action", str))
            if what:
                posts[what][self._seat(action)] = to_chips(_amount(action, "amount"), self.unit)
        return posts

    def _shown(self) -> dict[int, bool]:
        """By seat, whether it was shown or mucked."""
        words = {"Shows Cards": True, "Mucks Cards": False}
        ends = [(self._seat(one), words.get(_field(one, "action", str))) for one in self.actions]
        return {seat: shown for seat, shown in ends if shown is not None}

    def _pots(self) -> list[tuple[Decimal, list[tuple[int, Decimal]]]]:
        pots = _field(self.ohh, "pots", list)
        if any(_amount(pot, key, 0) for pot in pots for key in ("rake", "jackpot")):
            raise RecordError("unsupported", "rake or a jackpot, which our rules do not take")
        return [
            (
                _amount(pot, "amount"),
                sorted(
                    (self._seat(win), _amount(win, "win_amount")) for win in _field(pot, "player_wins", list)
                ),
            )
            for pot in pots
        ]


def _is_known(data: object, key: str) -> bool:
    return isinstance(data, Mapping) and data.get(key) is not None


def _nonzero(chips: Any) -> dict[int, int]:
    return {seat: paid for seat, paid in chips if paid}
