"""Poker Hand History files (PHH, specification 0.0.2): TOML that other poker software reads.

A ``.phhs`` file holds many hands under the headings ``[1]``, ``[2]``, ..., a ``.phh`` file one without. PHH
knows fixed-limit (FT) and no-limit (NT) Texas hold'em, but neither Kuhn nor Leduc. It names players p1, p2,
... from the left of the button on; heads-up p1 is the big blind, while blinds are listed small blind first.
It has no place for a limit game's number of raises or for the ``acpc`` rule set (short all-ins that reopen
the betting, split chips): a reader that insists on card-room rules refuses such hands, which therefore say
``_rules = "acpc"``, and ``_game`` where that is not all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from dealer.errors import RecordError
from dealer.records.hands import (
    HandMetadata,
    HandRecord,
    game_definition,
    holdem_order,
    money,
    stakes_of_game,
    verify_settled_as_usual,
)
from dealer.records.replay import error_context
from dealer.rules.cards import cards_text
from dealer.rules.events import Acted, BoardDealt, Chips, Event, HandStarted, Shown
from dealer.rules.games import Game

_ERROR_CODE = "not_in_phh"

#: A hole card that is not told.
_UNKNOWN = "??"


def phh_hand(
    number: int, events: Sequence[Event], game: Game, names: Sequence[str] = (), *, table: str = ""
) -> str:
    """One finished hand as the ``number``-th of a ``.phhs`` file (from 1), with an empty line after it.

    ``names`` are by seat; hole cards may be left out. Raises ``RecordError``: ``not_in_phh`` (a game that PHH
    does not know), ``not_a_hand`` (the events are not those of one whole hand).
    """
    record = HandRecord(game, events, dict(enumerate(names)), HandMetadata(table=table))
    return f"[{number}]\n{_text(record)}\n"


def verify_phh(game: Game) -> None:
    """Check that PHH can tell hands of this game. Raises ``RecordError`` (``not_in_phh``) saying why it
    cannot.
    """
    holdem_order(game, _ERROR_CODE)


def write_phhs(records: Iterable[HandRecord]) -> Iterator[str]:
    """The text of a ``.phhs`` file, hand by hand. Raises ``RecordError`` as ``phh_hand`` does."""
    for number, record in enumerate(records, 1):
        with error_context(f"hand {number}"):
            yield f"[{number}]\n{_text(record)}\n"


def write_phh(records: Iterable[HandRecord]) -> Iterator[str]:
    """The text of a ``.phh`` file. Raises ``RecordError`` as ``phh_hand`` does, and for a second hand."""
    for number, record in enumerate(records, 1):
        if number > 1:
            raise RecordError(_ERROR_CODE, "a .phh file holds one hand, a .phhs file many")
        with error_context(f"hand {number}"):
            yield _text(record)


def _text(record: HandRecord) -> str:
    order = holdem_order(record.game, _ERROR_CODE)
    started, ended = record.started, record.ended
    verify_settled_as_usual(ended, _ERROR_CODE)
    game, meta = record.game, record.meta
    stakes = stakes_of_game(game)
    seats = [started.seats[position] for position in order]

    def amounts(chips: Iterable[Chips]) -> str:
        return f"[{', '.join(str(money(one, meta.unit)) for one in chips)}]"

    blinds = [stakes.small, stakes.big, stakes.straddle, *[0] * game.players][: game.players]
    bets = {"min_bet": game.min_bet} if stakes.bets is None else dict(zip(_BETS, stakes.bets, strict=True))
    rules = [("_rules", _string(game.rules))] if game.rules != "standard" else []
    fields = [
        ("variant", '"FT"' if game.limit else '"NT"'),
        ("antes", amounts([game.ante] * game.players)),
        # Who cannot pay the ante in full plays for that part of the others' only.
        *([("ante_trimming_status", "true")] if game.ante else []),
        ("blinds_or_straddles", amounts(blinds)),
        *((name, str(money(bet, meta.unit))) for name, bet in bets.items()),
        ("starting_stacks", amounts(started.stacks[position] for position in order)),
        ("actions", f"[{', '.join(map(_string, _actions(record.events, seats, order, meta.unit)))}]"),
        *_meta_fields(meta),
        ("hand", str(started.hand)),
        ("seats", f"[{', '.join(str(seat + 1) for seat in seats)}]"),
        *(
            [("players", f"[{', '.join(_string(record.names[seat]) for seat in seats)}]")]
            if record.names
            else []
        ),
        ("finishing_stacks", amounts(ended.stacks[position] for position in order)),
        *rules,
        *([("_game", _string(game_definition(game)))] if game_definition(game) else []),
    ]
    return "".join(f"{key} = {value}\n" for key, value in fields)


_BETS = ("small_bet", "big_bet")


def _meta_fields(meta: HandMetadata) -> Iterator[tuple[str, str]]:
    """What is known beside the play."""
    texts = {"venue": meta.site, "currency": meta.currency, "_tournament": meta.tournament}
    yield from ((key, _string(text)) for key, text in texts.items() if text)
    if meta.level:
        yield "level", str(meta.level)
    if meta.time is not None:
        yield "year", str(meta.time.year)
        yield "month", str(meta.time.month)
        yield "day", str(meta.time.day)
        yield "time", meta.time.strftime("%H:%M:%S")
        yield "time_zone", '"UTC"'
    if meta.table:
        yield "table", _string(meta.table)


def _actions(events: Iterable[Event], seats: Sequence[int], order: Sequence[int], unit: int) -> list[str]:
    """PHH's notation. Amounts are what lies in front of the player on this street, as in ``Acted.to``."""
    player = {seat: f"p{number}" for number, seat in enumerate(seats, 1)}
    actions: list[str] = []
    run_out = 0
    for event in events:
        match event:
            case HandStarted():
                actions += [
                    f"d dh {player[seat]} {cards_text(event.hole[p])}{_UNKNOWN * (2 - len(event.hole[p]))}"
                    for seat, p in zip(seats, order, strict=True)
                ]
                run_out = len(actions)
            case Acted():
                word = {"fold": "f", "call": "cc"}.get(event.action) or f"cbr {money(event.to, unit)}"
                actions.append(f"{player[event.seat]} {word}")
                run_out = len(actions)
            case BoardDealt():
                actions.append(f"d db {cards_text(event.cards)}")
            case Shown():
                shown = [f"{player[seat]} sm {cards_text(cards)}".rstrip() for seat, cards in event.hands]
                # Hands of players who are all-in are shown before the rest of the board is dealt.
                actions[run_out:run_out] = shown
    return actions


def _string(text: str) -> str:
    """A TOML basic string; its escapes are JSON's, and DEL needs one too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
