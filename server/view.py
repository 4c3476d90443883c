"""What one viewer may see of an event: the only place where events become messages.

``message`` is the whole rule. Hole cards reach their owner with ``hand_start`` and everybody else only
through a ``Shown`` event. Every other event is public: the same message for all, so it is encoded once
(``is_private``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dealer.formats import Eliminated, LevelRaised, Refilled, TableEvent
from dealer.rules import events
from dealer.rules.actions import Legal
from dealer.rules.cards import CARD_TEXTS
from dealer.rules.evaluation import hand_label
from dealer.rules.games import Game
from protocol import messages
from protocol.messages import ServerMessage

__all__ = ["game_info", "is_private", "message", "turn"]


def is_private(event: events.Event | TableEvent) -> bool:
    """Whether viewers may be sent different messages for this event."""
    return type(event) is events.HandStarted


def message(
    event: events.Event | TableEvent, table: str, seq: int, seat: int | None, board: tuple[int, ...] = ()
) -> ServerMessage:
    """The message about ``event`` (number ``seq`` of its table) for the viewer in ``seat`` (None: a
    spectator).

    ``board`` is the board so far, for the labels of shown hands.
    """
    public = _PUBLIC.get(type(event))
    if public is not None:
        return public(event, table, seq)
    if isinstance(event, events.Shown):
        return messages.Shown(table, seq, [_shown(shower, cards, board) for shower, cards in event.hands])
    assert isinstance(event, events.HandStarted)
    own = _texts(event.hole[event.seats.index(seat)]) if seat in event.seats else ()
    return messages.HandStart(
        table, seq, event.hand, event.button, event.seats, event.stacks, event.antes, event.blinds, own
    )


def _texts(cards: tuple[int, ...]) -> tuple[str, ...]:
    return tuple([CARD_TEXTS[card] for card in cards])


def _shown(seat: int, cards: tuple[int, ...], board: tuple[int, ...]) -> messages.ShownHand:
    label = hand_label(cards + board) if cards and len(board) >= 3 else ""
    return messages.ShownHand(seat, _texts(cards), label)


def _ended(event: events.HandEnded, table: str, seq: int) -> ServerMessage:
    pots = [messages.PotInfo(pot.amount, pot.seats, pot.wins) for pot in event.pots]
    return messages.HandEnd(table, seq, event.hand, pots, event.values, event.stacks, event.returned)


_PUBLIC: dict[type, Callable[[Any, str, int], ServerMessage]] = {
    events.Acted: lambda event, table, seq: messages.Acted(table, seq, *event),
    events.BoardDealt: lambda event, table, seq: messages.Board(
        table, seq, event.street, _texts(event.cards)
    ),
    events.HandEnded: _ended,
    Refilled: lambda event, table, seq: messages.Refilled(table, seq, *event),
    Eliminated: lambda event, table, seq: messages.Eliminated(table, seq, *event),
    LevelRaised: lambda event, table, seq: messages.Level(table, seq, *event),
}


def turn(table: str, number: int, legal: Legal, pot: int, own: float, bank: float) -> messages.Turn:
    """The question to the player whose turn it is; ``own`` and ``bank`` are seconds."""
    bounds = (
        None if legal.min_raise is None or legal.max_raise is None else (legal.min_raise, legal.max_raise)
    )
    return messages.Turn(
        table, number, legal.fold, legal.call, bounds, pot, int(own * 1000), int(bank * 1000)
    )


def game_info(game: Game) -> messages.GameInfo:
    """The public definition of a game."""
    return messages.GameInfo(
        name=game.name,
        betting="limit" if game.limit else "nolimit",
        players=game.players,
        rounds=game.rounds,
        blinds=list(game.blinds),
        stacks=list(game.stacks),
        raise_sizes=list(game.raise_sizes),
        first_player=list(game.first_player),
        max_raises=list(game.max_raises),
        suits=game.suits,
        ranks=game.ranks,
        hole_cards=game.hole_cards,
        board_cards=list(game.board_cards),
        rules=game.rules,
        ante=game.ante,
        text=game.text(),
    )
