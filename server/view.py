"""What one viewer may see of an event: the only place where events become messages.

``message`` is the rule for events. Hole cards reach their owner with ``hand_start`` and everybody else only
through a ``Shown`` event. Every other event is public: the same message for all, so it is encoded once
(``is_private``). What people are told besides is made below it: of cards, ``strength`` knows those of its
viewer and the board, ``showed`` those that somebody chose to show, ``faceup`` all where only house bots play,
and the others none. ``public_hand`` puts together what a spectator was told of a finished hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dealer.formats.format import Eliminated, LevelRaised, Refilled, TableEvent
from dealer.rules import events
from dealer.rules.actions import Legal
from dealer.rules.cards import CARD_TEXTS
from dealer.rules.evaluation import CATEGORIES, best_cards, hand_label, hand_labels
from dealer.rules.games import Game
from dealer.rules.hand import Hand
from dealer.rules.pots import standing
from protocol import messages, public
from protocol.messages import ServerMessage

__all__ = [
    "Course",
    "faceup",
    "game_info",
    "is_private",
    "message",
    "public_hand",
    "showed",
    "strength",
    "told",
    "turn",
    "waiting",
]


def is_private(event: events.Event | TableEvent) -> bool:
    """Whether viewers may be sent different messages for this event."""
    return type(event) is events.HandStarted


def message(
    event: events.Event | TableEvent,
    table: str,
    seq: int,
    seat: int | None,
    board: tuple[int, ...] = (),
    tabled: events.Shown | None = None,
    *,
    best: bool = False,
) -> ServerMessage:
    """The message about ``event`` (number ``seq`` of its table) for the viewer in ``seat`` (None: a
    spectator).

    ``board`` is the board so far, for the labels of shown hands; ``tabled`` the hands that were shown before
    the last of it was dealt. ``best``: told with the five cards that make a hand, as people want it.
    """
    public = _PUBLIC.get(type(event))
    if public is not None:
        return public(event, table, seq)
    if isinstance(event, events.HandEnded):
        return _ended(event, table, seq, _hands(tabled, board, best=True) if best and tabled else [])
    if isinstance(event, events.Shown):
        return messages.Shown(table, seq, _hands(event, board, best=best))
    assert isinstance(event, events.HandStarted)
    own = _texts(event.hole[event.seats.index(seat)]) if seat in event.seats else ()
    return messages.HandStart(
        table, seq, event.hand, event.button, event.seats, event.stacks, event.antes, event.blinds, own
    )


def _texts(cards: tuple[int, ...]) -> tuple[str, ...]:
    return tuple([CARD_TEXTS[card] for card in cards])


class Course:
    """One hand as far as it has come, and how it is told: its ``events``, the number ``first`` of the first,
    the ``board``, and ``tabled``, who showed before the last of it was dealt.
    """

    __slots__ = ("_shown", "board", "events", "first", "tabled")

    def __init__(self) -> None:
        self.events: list[events.Event] = []
        self.first = 0
        self.board: tuple[int, ...] = ()
        self.tabled: events.Shown | None = None
        self._shown: events.Shown | None = None

    def add(self, event: events.Event, seq: int) -> None:
        """Go on by one event other than an action; those need only be appended to ``events``."""
        if type(event) is events.BoardDealt:
            self.board += event.cards
            self.tabled = self._shown
        elif type(event) is events.HandStarted:
            self.events = []
            self.first = seq
            self.board = ()
            self.tabled = self._shown = None
        elif type(event) is events.Shown:
            self._shown = event
        self.events.append(event)


def told(
    hand: Sequence[events.Event], table: str, seq: int, seat: int | None, *, best: bool = False
) -> Iterator[ServerMessage]:
    """The messages of a hand so far, whose first event has number ``seq``, for the viewer in ``seat``."""
    course = Course()
    for number, event in enumerate(hand, seq):
        course.add(event, number)
        yield message(event, table, number, seat, course.board, course.tabled, best=best)


def _hands(event: events.Shown, board: tuple[int, ...], *, best: bool) -> list[messages.ShownHand]:
    if len(board) < 3:
        return [messages.ShownHand(seat, _texts(cards)) for seat, cards in event.hands]
    labels = iter(hand_labels([cards + board for _, cards in event.hands if cards]))
    return [
        _shown(seat, cards, board, next(labels) if cards else "", best=best) for seat, cards in event.hands
    ]


def _shown(
    seat: int, cards: tuple[int, ...], board: tuple[int, ...], label: str, *, best: bool
) -> messages.ShownHand:
    five = _texts(best_cards(cards + board)) if best and cards else ()
    return messages.ShownHand(seat, _texts(cards), label, five)


def _ended(event: events.HandEnded, table: str, seq: int, hands: list[messages.ShownHand]) -> ServerMessage:
    pots = [messages.PotInfo(pot.amount, pot.seats, pot.wins) for pot in event.pots]
    return messages.HandEnd(table, seq, event.hand, pots, event.values, event.stacks, event.returned, hands)


_PUBLIC: dict[type, Callable[[Any, str, int], ServerMessage]] = {
    events.Acted: lambda event, table, seq: messages.Acted(table, seq, *event),
    events.BoardDealt: lambda event, table, seq: messages.Board(
        table, seq, event.street, _texts(event.cards)
    ),
    Refilled: lambda event, table, seq: messages.Refilled(table, seq, *event),
    Eliminated: lambda event, table, seq: messages.Eliminated(table, seq, *event),
    LevelRaised: lambda event, table, seq: messages.Level(table, seq, *event),
}


def public_hand(
    table: str, names: Sequence[str], hand: Sequence[events.Event], *, competition: str = ""
) -> public.Hand:
    """A finished hand as it is told to everybody. ``names`` are by seat."""
    # So that hands shown before the last board card are told with what they make in the end.
    told_of = list(told(hand, table, 0, None, best=True))
    start, end = told_of[0], told_of[-1]
    assert isinstance(start, messages.HandStart)
    assert isinstance(end, messages.HandEnd)
    by_position = zip(start.seats, start.stacks, end.net, start.antes, start.blinds, strict=True)
    return public.Hand(
        table=table,
        hand=start.hand,
        button=start.button,
        players=tuple(
            public.HandPlayer(seat=seat, name=names[seat], stack=stack, net=net, ante=ante, blind=blind)
            for seat, stack, net, ante, blind in by_position
        ),
        streets=tuple(_streets(told_of)),
        pots=tuple(end.pots),
        shown=tuple(
            public.ShownCards(seat=one.seat, cards=one.cards, label=one.label)
            for one in end.hands or _showdown(told_of)
        ),
        returned=end.returned,
        competition=competition,
    )


def _showdown(hand: Sequence[ServerMessage]) -> Iterator[messages.ShownHand]:
    return (shown for one in hand if isinstance(one, messages.Shown) for shown in one.hands)


def _streets(hand: Sequence[ServerMessage]) -> Iterator[public.Street]:
    street, cards, moves = 0, tuple[str, ...](), list[public.Move]()
    for one in hand:
        if isinstance(one, messages.Acted):
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
            yield public.Street(street=street, cards=cards, moves=tuple(moves))
            street, cards, moves = one.street, one.cards, []
    yield public.Street(street=street, cards=cards, moves=tuple(moves))


def turn(table: str, number: int, legal: Legal, pot: int, own: float, bank: float) -> messages.Turn:
    """The question to the player whose turn it is; ``own`` and ``bank`` are seconds."""
    bounds = (
        None if legal.min_raise is None or legal.max_raise is None else (legal.min_raise, legal.max_raise)
    )
    return messages.Turn(
        table, number, legal.fold, legal.call, bounds, pot, int(own * 1000), int(bank * 1000)
    )


def waiting(table: str, number: int, hand: Hand, own: float, bank: float) -> messages.Waiting:
    """Who is asked now, and the chips on the table; ``own`` and ``bank`` are seconds."""
    betting = hand.betting
    pots = standing(betting.spent, betting.folded, betting.street_start, hand.seats)
    return messages.Waiting(
        table=table,
        seat=hand.seats[betting.to_act],
        turn=number,
        time_ms=int(own * 1000),
        bank_ms=int(bank * 1000),
        pot=betting.pot,
        pots=[messages.OpenPot(pot.amount, pot.seats) for pot in pots],
        bets=tuple(map(betting.street_bet, range(len(hand.seats)))),
    )


def strength(table: str, hand: Hand, seat: int) -> messages.Strength | None:
    """What the cards of ``seat`` make with the board of a hand in progress, for that seat alone; None when it
    is out of the hand, or when it is too early to say more than what the cards are.
    """
    position = hand.seats.index(seat) if seat in hand.seats else -1
    if position < 0 or hand.betting.folded[position]:
        return None
    label = hand_label(hand.hole[position] + hand.board)
    if not hand.board and label.startswith(CATEGORIES[0]):
        return None
    return messages.Strength(table, hand.betting.street, label)


def showed(table: str, hand: int, seat: int, cards: tuple[int, ...]) -> messages.Showed:
    """Cards that the holder of ``seat`` chose to show."""
    return messages.Showed(table, hand, seat, _texts(cards))


def faceup(table: str, started: events.HandStarted) -> messages.Faceup:
    """All hole cards of a hand, for people who look on where only house bots play."""
    return messages.Faceup(table, started.hand, tuple(map(_texts, started.hole)))


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
