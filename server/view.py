"""Decide what one viewer may see of an event: only this module chooses the cards in messages.

Hole cards reach their owner in ``hand_start``, and others only through a ``Shown`` event. All other events
are public: one message for everybody, encoded once (``is_private``). The other functions make the messages
for people about cards: ``strength_message`` uses the viewer's cards and the board, ``showed_message`` cards
that a player chose to show, ``undealt_message`` the rest of the board of a hand that is over,
``faceup_message`` all cards where only house bots play. ``public_hand`` is a finished hand as a spectator saw
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dealer.formats.format import Eliminated, LevelRaised, Refilled, TableEvent
from dealer.rules import events
from dealer.rules.evaluation import CATEGORIES, hand_label
from dealer.rules.hand import HandState
from dealer.rules.pots import open_pots
from protocol import messages, people, public
from protocol.event_messages import card_texts, hand_end_message, hand_start_message, shown_hands
from protocol.messages import ServerMessage


def is_private(event: events.Event | TableEvent) -> bool:
    """Return whether viewers may get different messages for this event."""
    return type(event) is events.HandStarted


def event_message(
    event: events.Event | TableEvent,
    table: str,
    seq: int,
    seat: int | None,
    board: tuple[int, ...] = (),
    shown_earlier: events.Shown | None = None,
    *,
    best_five: bool = False,
) -> ServerMessage:
    """Return the message about ``event`` (number ``seq`` of its table) for the viewer in ``seat`` (None: a
    spectator).

    ``board`` is the board so far, for labels of shown hands; ``shown_earlier`` are the hands shown before the
    last board card. With ``best_five``, a shown hand includes the five cards that make it, for people.
    """
    public = _PUBLIC_MESSAGES.get(type(event))
    if public is not None:
        return public(event, table, seq)
    if isinstance(event, events.HandEnded):
        earlier = shown_hands(shown_earlier, board, best_five=True) if best_five and shown_earlier else ()
        second = (*board[: len(board) - len(event.second)], *event.second) if event.second else ()
        again = (
            shown_hands(shown_earlier, second, best_five=True) if second and earlier and shown_earlier else ()
        )
        return hand_end_message(event, table, seq, earlier, second, again)
    if isinstance(event, events.Shown):
        return messages.Showdown(table, seq, shown_hands(event, board, best_five=best_five))
    assert isinstance(event, events.HandStarted)
    own = event.hole[event.seats.index(seat)] if seat in event.seats else ()
    return hand_start_message(event, table, seq, own)


class HandProgress:
    """A hand in progress: its ``events``, the number ``first_seq`` of the first one, the ``board``, and
    ``shown_earlier``, the hands shown before the last board card.
    """

    __slots__ = ("_last_shown", "board", "events", "first_seq", "shown_earlier")

    def __init__(self) -> None:
        self.events: list[events.Event] = []
        self.first_seq = 0
        self.board: tuple[int, ...] = ()
        self.shown_earlier: events.Shown | None = None
        self._last_shown: events.Shown | None = None

    def add(self, event: events.Event, seq: int) -> None:
        """Add an event that is not an action. Actions are appended to ``events`` directly."""
        if type(event) is events.BoardDealt:
            self.board += event.cards
            self.shown_earlier = self._last_shown
        elif type(event) is events.HandStarted:
            self.events = []
            self.first_seq = seq
            self.board = ()
            self.shown_earlier = self._last_shown = None
        elif type(event) is events.Shown:
            self._last_shown = event
        self.events.append(event)


def hand_messages(
    hand: Sequence[events.Event], table: str, seq: int, seat: int | None, *, best_five: bool = False
) -> Iterator[ServerMessage]:
    """Return the messages of a hand so far for the viewer in ``seat``; its first event has number ``seq``."""
    progress = HandProgress()
    for number, event in enumerate(hand, seq):
        progress.add(event, number)
        yield event_message(
            event, table, number, seat, progress.board, progress.shown_earlier, best_five=best_five
        )


_PUBLIC_MESSAGES: dict[type, Callable[[Any, str, int], ServerMessage]] = {
    events.Acted: lambda event, table, seq: messages.PlayerActed(table, seq, *event[:6]),
    events.BoardDealt: lambda event, table, seq: messages.Board(
        table, seq, event.street, card_texts(event.cards)
    ),
    Refilled: lambda event, table, seq: messages.Rebuy(table, seq, *event),
    Eliminated: lambda event, table, seq: messages.PlayerEliminated(table, seq, *event),
    LevelRaised: lambda event, table, seq: messages.BlindsRaised(table, seq, *event),
}


def public_hand(
    table: str, names: Sequence[str], hand: Sequence[events.Event], *, competition: str = ""
) -> public.FinishedHand:
    """Return a finished hand as spectators saw it. ``names`` are by seat."""
    # Label hands that were shown before the last board card with what they make in the end.
    sent = list(hand_messages(hand, table, 0, None, best_five=True))
    start, end = sent[0], sent[-1]
    assert isinstance(start, messages.HandStart)
    assert isinstance(end, messages.HandEnd)
    by_position = zip(start.seats, start.stacks, end.net, start.antes, start.blinds, strict=True)
    return public.FinishedHand(
        table=table,
        hand=start.hand,
        button=start.button,
        players=tuple(
            public.HandPlayer(seat=seat, name=names[seat], stack=stack, net=net, ante=ante, blind=blind)
            for seat, stack, net, ante, blind in by_position
        ),
        streets=tuple(_streets(sent)),
        pots=tuple(end.pots),
        shown=tuple(
            public.ShownCards(seat=one.seat, cards=one.cards, label=one.label)
            for one in end.hands or _hands_at_showdown(sent)
        ),
        returned=end.returned,
        competition=competition,
        equity=end.equity,
        second=end.second,
    )


def _hands_at_showdown(hand: Sequence[ServerMessage]) -> list[messages.ShownHand]:
    return [shown for one in hand if isinstance(one, messages.Showdown) for shown in one.hands]


def _streets(hand: Sequence[ServerMessage]) -> Iterator[public.BettingRound]:
    street, cards, moves = 0, tuple[str, ...](), list[public.Move]()
    for one in hand:
        if isinstance(one, messages.PlayerActed):
            moves.append(
                public.Move(
                    seat=one.seat,
                    action=one.action,
                    to=one.to,
                    paid=one.paid,
                    all_in=one.all_in,
                    forced=one.forced,
                )
            )
        elif isinstance(one, messages.Board):
            yield public.BettingRound(street=street, cards=cards, moves=tuple(moves))
            street, cards, moves = one.street, one.cards, []
    yield public.BettingRound(street=street, cards=cards, moves=tuple(moves))


def waiting_message(table: str, number: int, hand: HandState, own: float, bank: float) -> people.ActionOn:
    """Return who is to act, and the chips on the table. ``own`` and ``bank`` are seconds."""
    betting = hand.betting
    pots = open_pots(betting.spent, betting.folded, betting.street_start, hand.seats)
    return people.ActionOn(
        table=table,
        seat=hand.seats[betting.to_act],
        turn=number,
        time_ms=int(own * 1000),
        bank_ms=int(bank * 1000),
        pot=betting.pot,
        pots=[people.OpenPot(pot.amount, pot.seats) for pot in pots],
        bets=tuple(map(betting.street_bet, range(len(hand.seats)))),
    )


def strength_message(table: str, hand: HandState, seat: int) -> people.Strength | None:
    """Return what the cards of ``seat`` make with the board, for that seat alone. None if it has folded, or
    before the board adds anything.
    """
    position = hand.seats.index(seat) if seat in hand.seats else -1
    if position < 0 or hand.betting.folded[position]:
        return None
    label = hand_label(hand.hole[position] + hand.board)
    if not hand.board and label.startswith(CATEGORIES[0]):
        return None
    return people.Strength(table, hand.betting.street, label)


def showed_message(table: str, hand: int, seat: int, cards: tuple[int, ...]) -> people.CardsShown:
    """Return the message about cards that the player in ``seat`` chose to show."""
    return people.CardsShown(table, hand, seat, card_texts(cards))


def undealt_message(
    table: str, hand: Sequence[events.Event], streets: Sequence[tuple[int, ...]]
) -> people.UndealtCards | None:
    """Return the cards of the board, dealt by ``streets``, that a hand ended without. None if it is not over,
    or had them all.
    """
    if not hand or not isinstance(hand[-1], events.HandEnded):
        return None
    dealt = sum(len(event.cards) for event in hand if isinstance(event, events.BoardDealt))
    rest = [card for street in streets for card in street][dealt:]
    return people.UndealtCards(table, hand[-1].hand, card_texts(tuple(rest))) if rest else None


def faceup_message(table: str, started: events.HandStarted) -> people.FaceUpCards:
    """Return all hole cards of a hand, for spectators of house bots."""
    return people.FaceUpCards(table, started.hand, tuple(map(card_texts, started.hole)))
