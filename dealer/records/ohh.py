"""Open Hand History (OHH, specification 1.4.7 of hh-specs.handhistory.org): a JSON object for each hand.

A file holds ``{"ohh": {...}}`` for each hand, separated by empty lines. OHH tells the chips that an action
added, not what lies in front of the player. It has no place for the bets and raises of a limit game and for
the ``acpc`` rule set; where stakes and card-room rules do not say it all, ``_game`` beside ``ohh`` is the
game's definition. Seats count from 1, and so do players, who have the numbers of their seats.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from dealer.errors import RecordError
from dealer.records.hands import (
    HandMetadata,
    HandRecord,
    game_definition,
    holdem_order,
    money,
    stakes_of_game,
    verify_clockwise,
    verify_settled_as_usual,
)
from dealer.records.replay import error_context
from dealer.rules.cards import card_text
from dealer.rules.events import Acted, BoardDealt, HandEnded, HandStarted, Shown
from dealer.rules.games import STRADDLE_PLAYERS

_ERROR_CODE = "not_in_ohh"
STREETS = ("Preflop", "Flop", "Turn", "River")
PLAY_MONEY = "XPM"
"""The currency of hands that are not played for money."""
UNKNOWN_TIME = "1970-01-01T00:00:00Z"
"""The time of hands whose time is not known: the specification asks for one."""

Object = dict[str, Any]


def write_ohh(records: Iterable[HandRecord]) -> Iterator[str]:
    """The text of an OHH file, hand by hand: a line of JSON each, with an empty line after it.

    Raises ``RecordError``: ``not_in_ohh`` for a hand that OHH cannot tell: not hold'em, seats that do not go
    round the table, or a call that gives chips back (limit games of the ``acpc`` rules with short stacks).
    """
    for number, record in enumerate(records, 1):
        with error_context(f"hand {number}"):
            text = json.dumps(_hand(record), ensure_ascii=False)
        yield f"{text}\n\n"


def _hand(record: HandRecord) -> Object:
    game, meta = record.game, record.meta
    order = holdem_order(game, _ERROR_CODE)
    started, ended = record.started, record.ended
    stakes = stakes_of_game(game)
    verify_clockwise(started.seats, _ERROR_CODE)
    verify_settled_as_usual(ended, _ERROR_CODE)
    moment = UNKNOWN_TIME if meta.time is None else meta.time.strftime("%Y-%m-%dT%H:%M:%SZ")
    ohh: Object = {
        "spec_version": "1.4.7",
        "site_name": meta.site or "pokerd",
        "network_name": meta.site or "pokerd",
        "internal_version": "1.0.0",
        "tournament": bool(meta.tournament),
        **({"tournament_info": _tournament(meta, moment)} if meta.tournament else {}),
        "game_number": meta.id or str(started.hand),
        "start_date_utc": moment,
        "table_name": meta.table,
        "game_type": "Holdem",
        "bet_limit": {"bet_type": "FL" if game.limit else "NL", "bet_cap": 0},
        "table_size": max(2, *(seat + 1 for seat in started.seats)),
        "currency": "Chips" if meta.tournament else meta.currency or PLAY_MONEY,
        "dealer_seat": started.seats[order[-1]] + 1,
        "small_blind_amount": money(stakes.small, meta.unit),
        "big_blind_amount": money(stakes.big, meta.unit),
        "ante_amount": money(stakes.ante, meta.unit),
        "hero_player_id": None if meta.hero is None else meta.hero + 1,
        "flags": [],
        "players": [_player(record, started, place) for place in order],
        "rounds": _rounds(record, order),
        "pots": _pots(ended, meta.unit),
    }
    extra = {"_game": game.text()} if game_definition(game) or game.rules != "standard" else {}
    return {"ohh": ohh, **extra}


def _tournament(meta: HandMetadata, moment: str) -> Object:
    return {
        "tournament_number": meta.tournament,
        "name": meta.table or meta.tournament,
        "start_date_utc": moment,
        "currency": meta.currency or PLAY_MONEY,
        "buyin_amount": None,
        "fee_amount": None,
        "bounty_fee_amount": None,
        "initial_stack": 0,
        "type": "STT",
        "flags": [],
        "speed": {"type": "Normal", "round_time": 0},
    }


def _player(record: HandRecord, started: HandStarted, place: int) -> Object:
    seat = started.seats[place]
    stack = money(started.stacks[place], record.meta.unit)
    return {"id": seat + 1, "seat": seat + 1, "name": record.names[seat], "starting_stack": stack}


def _pots(ended: HandEnded, unit: int) -> list[Object]:
    """What nobody called was taken back before and is in no pot."""
    return [
        {
            "number": number,
            "amount": money(pot.amount, unit),
            "rake": 0,
            "player_wins": [
                {"player_id": seat + 1, "win_amount": money(chips, unit)} for seat, chips in pot.wins
            ],
        }
        for number, pot in enumerate(ended.pots)
    ]


class _Round:
    """A street and its actions as they come."""

    def __init__(self, number: int, street: str, cards: Sequence[int]) -> None:
        self.actions: list[Object] = []
        self.data = {
            "id": number,
            "street": street,
            "cards": list(map(card_text, cards)),
            "actions": self.actions,
        }
        self.bet = False

    def add(self, seat: int, action: str, **more: Any) -> None:
        known = {"action_number": len(self.actions), "player_id": seat + 1, "action": action}
        self.actions.append({**known, **more})


def _rounds(record: HandRecord, order: Sequence[int]) -> list[Object]:
    rounds = [_Round(0, STREETS[0], ())]
    _post(rounds[0], record.started, order, record.meta.unit)
    shown: Shown | None = None
    for event in record.events:
        match event:
            case Acted():
                _act(rounds[-1], event, record.meta.unit)
            case BoardDealt():
                rounds.append(_Round(len(rounds), STREETS[event.street], event.cards))
            case Shown():
                shown = event
    if shown is not None:
        showdown = _Round(len(rounds), "Showdown", ())
        hole = dict(zip(record.started.seats, record.started.hole, strict=True))
        for seat, cards in shown.hands:
            action = "Shows Cards" if cards else "Mucks Cards"
            showdown.add(seat, action, cards=list(map(card_text, hole[seat])))
        rounds.append(showdown)
    return [one.data for one in rounds]


def _post(preflop: _Round, started: HandStarted, order: Sequence[int], unit: int) -> None:
    """Antes, blinds and hole cards that are known, from the left of the button on, which heads-up has the
    small blind.
    """
    for place in order:
        if started.antes[place]:
            all_in = started.antes[place] == started.stacks[place]
            amount = money(started.antes[place], unit)
            preflop.add(started.seats[place], "Post Ante", amount=amount, is_allin=all_in)
    small, big = (order[1], order[0]) if len(order) == 2 else order[:2]
    straddles = [(order[2], "Straddle")] if len(order) >= STRADDLE_PLAYERS else []
    for place, action in ((small, "Post SB"), (big, "Post BB"), *straddles):
        if started.blinds[place]:
            all_in = started.antes[place] + started.blinds[place] == started.stacks[place]
            amount = money(started.blinds[place], unit)
            preflop.add(started.seats[place], action, amount=amount, is_allin=all_in)
    for place in order:
        cards = list(map(card_text, started.hole[place]))
        if cards:
            preflop.add(started.seats[place], "Dealt Cards", cards=cards)
    preflop.bet = True  # the blinds are: what raises them is a raise


def _act(street: _Round, event: Acted, unit: int) -> None:
    if event.paid < 0:
        raise RecordError(
            _ERROR_CODE, "a call of a lowered bet gives chips back, which the format cannot tell"
        )
    if event.action == "fold":
        street.add(event.seat, "Fold")
        return
    if event.action == "raise":
        action = "Raise" if street.bet else "Bet"
        street.bet = True
    else:
        action = "Call" if event.paid else "Check"
    more: Mapping[str, Any] = {"amount": money(event.paid, unit)} if action != "Check" else {}
    street.add(event.seat, action, **more, is_allin=event.all_in)
