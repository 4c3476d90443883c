"""Poker Hand History files (PHH, specification 0.0.2): TOML that other poker software reads.

A ``.phhs`` file holds many hands under the headings ``[1]``, ``[2]``, ... PHH knows fixed-limit (FT) and
no-limit (NT) Texas hold'em, but neither Kuhn nor Leduc. It names players p1, p2, ... from the left of the
button on; heads-up p1 is the big blind, while blinds are listed small blind first. It has no place for a
limit game's number of raises or for the ``acpc`` rule set (short all-ins that reopen the betting, split
chips): a reader that insists on card-room rules refuses such hands, which therefore say ``_rules = "acpc"``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache

from dealer.errors import RecordError
from dealer.rules.cards import cards_text
from dealer.rules.events import Acted, BoardDealt, Chips, Event, HandEnded, HandStarted, Shown
from dealer.rules.games import Game

__all__ = ["phh_hand", "verify_phh"]


def phh_hand(
    number: int, events: Sequence[Event], game: Game, names: Sequence[str] = (), *, table: str = ""
) -> str:
    """One finished hand as the ``number``-th of a ``.phhs`` file (from 1), with an empty line after it.

    ``names`` are by seat. Raises ``RecordError``: ``not_in_phh`` (a game that PHH does not know),
    ``not_a_hand`` (the events are not those of one whole hand).
    """
    order = _player_order(game)
    started, ended = (events[0], events[-1]) if events else (None, None)
    if not isinstance(started, HandStarted) or not isinstance(ended, HandEnded):
        raise RecordError("not_a_hand", "the events are not those of one whole hand")
    seats = [started.seats[position] for position in order]
    fields = [
        ("variant", '"FT"' if game.limit else '"NT"'),
        ("antes", _list([game.ante] * game.players)),
        ("blinds_or_straddles", _list(sorted(game.blinds) if game.players == 2 else game.blinds)),
        *(
            [("small_bet", str(game.raise_sizes[0])), ("big_bet", str(game.raise_sizes[-1]))]
            if game.limit
            else [("min_bet", str(game.min_bet))]
        ),
        ("starting_stacks", _list([started.stacks[position] for position in order])),
        ("actions", f"[{', '.join(map(_string, _actions(events, seats, order)))}]"),
        *([("table", _string(table))] if table else []),
        ("hand", str(started.hand)),
        ("seats", _list([seat + 1 for seat in seats])),
        *([("players", f"[{', '.join(_string(names[seat]) for seat in seats)}]")] if names else []),
        ("finishing_stacks", _list([ended.stacks[position] for position in order])),
        *([("_rules", _string(game.rules))] if game.rules != "standard" else []),
    ]
    return "\n".join([f"[{number}]", *(f"{key} = {value}" for key, value in fields)]) + "\n\n"


def verify_phh(game: Game) -> None:
    """Check that PHH can tell hands of this game. Raises ``RecordError`` (``not_in_phh``) saying why it
    cannot.
    """
    _player_order(game)


@lru_cache(maxsize=64)
def _player_order(game: Game) -> tuple[int, ...]:
    """Our position of p1, p2, ...: everybody from the left of the button on."""
    if game.board_cards != (0, 3, 1, 1) or (game.hole_cards, game.suits, game.ranks) != (2, 4, 13):
        raise RecordError("not_in_phh", f"PHH has no variant for {game.name}: it is not Texas hold'em")
    if game.limit and (
        game.raise_sizes[0] != game.raise_sizes[1] or game.raise_sizes[2] != game.raise_sizes[3]
    ):
        raise RecordError(
            "not_in_phh", f"PHH has one bet for two streets; {game.name} bets {game.raise_sizes}"
        )
    small, big, *others = game.blinds
    order: tuple[int, ...]
    if game.players == 2:
        button = game.first_player[0]
        order = (1 - button, button)
        known = game.first_player[1:] == (1 - button,) * 3 and game.blinds[button] < game.blinds[1 - button]
    else:
        order = tuple(range(game.players))
        known = game.first_player == (2 % game.players, 0, 0, 0) and small <= big and not any(others)
    if not known or max(game.blinds) == 0:
        raise RecordError(
            "not_in_phh", f"PHH expects the usual blinds and order of play, which {game.name} has not"
        )
    return order


def _actions(events: Iterable[Event], seats: Sequence[int], order: Sequence[int]) -> list[str]:
    """PHH's notation. Amounts are what lies in front of the player on this street, as in ``Acted.to``."""
    player = {seat: f"p{number}" for number, seat in enumerate(seats, 1)}
    actions: list[str] = []
    run_out = 0
    for event in events:
        match event:
            case HandStarted():
                actions += [
                    f"d dh {player[seat]} {cards_text(event.hole[p])}"
                    for seat, p in zip(seats, order, strict=True)
                ]
                run_out = len(actions)
            case Acted():
                word = {"fold": "f", "call": "cc", "raise": f"cbr {event.to}"}[event.action]
                actions.append(f"{player[event.seat]} {word}")
                run_out = len(actions)
            case BoardDealt():
                actions.append(f"d db {cards_text(event.cards)}")
            case Shown():
                shown = [f"{player[seat]} sm {cards_text(cards)}".rstrip() for seat, cards in event.hands]
                # Hands of players who are all-in are shown before the rest of the board is dealt.
                actions[run_out:run_out] = shown
    return actions


def _list(values: Iterable[Chips]) -> str:
    return f"[{', '.join(map(str, values))}]"


def _string(text: str) -> str:
    """A TOML basic string; its escapes are JSON's, and DEL needs one too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
