"""The messages about events of a hand, and about a game. Callers choose the hole cards that they hold."""

from __future__ import annotations

from collections.abc import Sequence

from dealer.rules.cards import CARD_TEXTS
from dealer.rules.evaluation import best_cards, hand_labels
from dealer.rules.events import HandEnded, HandStarted, Shown
from dealer.rules.games import Game
from dealer.rules.legal import Legal
from protocol import messages


def card_texts(cards: Sequence[int]) -> tuple[str, ...]:
    """Return cards as messages name them."""
    return tuple([CARD_TEXTS[card] for card in cards])


def hand_start_message(event: HandStarted, table: str, seq: int, own: Sequence[int]) -> messages.HandStart:
    """Return the message about a hand that starts, for a viewer with the hole cards ``own``."""
    return messages.HandStart(
        table,
        seq,
        event.hand,
        event.button,
        event.seats,
        event.stacks,
        event.antes,
        event.blinds,
        card_texts(own),
    )


def shown_hands(event: Shown, board: tuple[int, ...], *, best_five: bool = False) -> list[messages.ShownHand]:
    """Return the shown hands with what they make on ``board``. With ``best_five`` they include the five cards
    that make it.
    """
    if len(board) < 3:
        return [messages.ShownHand(seat, card_texts(cards)) for seat, cards in event.hands]
    labels = iter(hand_labels([cards + board for _, cards in event.hands if cards]))
    return [
        messages.ShownHand(
            seat,
            card_texts(cards),
            next(labels) if cards else "",
            card_texts(best_cards(cards + board)) if best_five and cards else (),
        )
        for seat, cards in event.hands
    ]


def hand_end_message(
    event: HandEnded,
    table: str,
    seq: int,
    hands: Sequence[messages.ShownHand] = (),
    second: Sequence[int] = (),
    second_hands: Sequence[messages.ShownHand] = (),
) -> messages.HandEnd:
    """Return the message about the end of a hand. ``hands``: those shown before the last board card;
    ``second``: the whole second board.
    """
    pots = [messages.PotInfo(pot.amount, pot.seats, pot.wins, pot.board) for pot in event.pots]
    return messages.HandEnd(
        table,
        seq,
        event.hand,
        pots,
        event.values,
        event.stacks,
        event.returned,
        list(hands),
        event.equity,
        card_texts(second),
        list(second_hands),
    )


def turn_message(
    table: str, number: int, legal: Legal, pot: int, own: float, bank: float
) -> messages.YourTurn:
    """Return the question to the player to act. ``own`` and ``bank`` are seconds."""
    bounds = (
        None if legal.min_raise is None or legal.max_raise is None else (legal.min_raise, legal.max_raise)
    )
    return messages.YourTurn(
        table, number, legal.fold, legal.call, bounds, pot, int(own * 1000), int(bank * 1000)
    )


def game_info(game: Game) -> messages.GameInfo:
    """Return the public definition of a game."""
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
        straddle=game.straddle,
    )
