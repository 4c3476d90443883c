"""A recorded hand as one viewer may see it: the messages sent to that viewer in play, created by the same
code (``server.view``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dealer.luck.showdowns import MAX_BOARDS, equities
from dealer.rules.cards import CARD_TEXTS
from dealer.rules.events import Acted, BoardDealt, Event, HandEnded, HandStarted, Policy, Shown, start_of
from dealer.rules.games import Game
from protocol.event_messages import game_info
from protocol.messages import MatchStart, ServerMessage
from server import view
from server.storage.hand_store import StoredHand
from server.web import schemas


class ReplayHand(NamedTuple):
    """A finished hand with its context.

    ``names`` are by seat; ``own`` is the viewer's seat or None; ``open``: all cards may be seen; ``showed``:
    seats and cards shown voluntarily after the hand; ``previous`` and ``next`` are ids.
    """

    id: str
    table: str
    match: str
    mode: str
    game: Game
    names: Sequence[str]
    events: Sequence[Event]
    at: int = 0
    own: int | None = None
    open: bool = False
    showed: Sequence[tuple[int, tuple[int, ...]]] = ()
    previous: str = ""
    next: str = ""

    @property
    def started(self) -> HandStarted:
        """The first event."""
        return start_of(self.events)


def viewed_hand(hand: StoredHand, identity: str) -> ReplayHand:
    """Return a stored hand as the player with this identity may see it."""
    own = next(
        (seat for seat in hand.started.seats if identity and hand.seated[seat].identity == identity), None
    )
    return ReplayHand(
        id=hand.id,
        table=hand.run.table,
        match=hand.run.id,
        mode=hand.run.mode,
        game=hand.game,
        names=[one.name for one in hand.seated],
        events=hand.events,
        at=hand.played_at,
        own=own,
        open=hand.run.kind == "exhibition",
        showed=hand.showed,
        previous="" if hand.before is None else f"{hand.run.id}.{hand.before}",
        next="" if hand.after is None else f"{hand.run.id}.{hand.after}",
    )


def masked(hand: ReplayHand) -> list[Event]:
    """Return the events without the cards that the viewer may not see."""
    shown: dict[int, tuple[int, ...]] = {}
    for event in hand.events:
        if isinstance(event, Shown):
            shown |= {seat: cards for seat, cards in event.hands if cards}
    for seat, cards in hand.showed:
        shown[seat] = shown.get(seat, ()) + cards
    started = hand.started
    seen = tuple(
        cards if hand.open or seat == hand.own else shown.get(seat, ())
        for seat, cards in zip(started.seats, started.hole, strict=True)
    )
    return [started._replace(hole=seen), *hand.events[1:]]


def hand_response(hand: ReplayHand) -> schemas.HandResponse:
    """Return everything that the viewer may know about the hand."""
    started = start_of(masked(hand))
    return schemas.HandResponse(
        id=hand.id,
        table=hand.table,
        hand=started.hand,
        at=hand.at,
        names=list(hand.names),
        own=-1 if hand.own is None else hand.own,
        open=hand.open,
        cards=_card_texts(started),
        previous=hand.previous,
        next=hand.next,
        messages=_messages(hand),
        chances=_chances(hand, started),
        equities=_equities(hand, started),
    )


def _chances(hand: ReplayHand, seen: HandStarted) -> list[Policy]:
    """Return the chances of each action, of players whose cards are all ``seen``: they tell of the cards."""
    open_seats = {
        seat for seat, cards in zip(seen.seats, seen.hole, strict=True) if len(cards) == hand.game.hole_cards
    }
    acted = [event for event in hand.events if isinstance(event, Acted)]
    return [event.policy if event.seat in open_seats else () for event in acted]


def _equities(hand: ReplayHand, seen: HandStarted) -> list[list[float]]:
    """Return each position's equity after every event, empty where fewer than two are left, or one whose
    cards are not all ``seen``.
    """
    game, folded = hand.game, [False] * len(seen.seats)
    board: tuple[int, ...] = ()
    now: list[float] = []
    found = []
    for event in hand.events:
        if isinstance(event, BoardDealt):
            board += event.cards
        elif isinstance(event, Acted) and event.action == "fold":
            folded[seen.seats.index(event.seat)] = True
        if isinstance(event, HandStarted | BoardDealt) or (
            isinstance(event, Acted) and event.action == "fold"
        ):
            left = [cards for cards, out in zip(seen.hole, folded, strict=True) if not out]
            known = len(left) > 1 and all(len(cards) == game.hole_cards for cards in left)
            size = sum(game.board_cards)
            now = (
                [
                    round(one, 4)
                    for one in equities(game.deck, seen.hole, tuple(folded), board, size, MAX_BOARDS)
                ]
                if known
                else []
            )
        found.append(now)
    return found


def _messages(hand: ReplayHand) -> list[ServerMessage]:
    """Return the messages sent to a person at that seat, or to a spectator, starting with ``match_start``."""
    messages: list[ServerMessage] = [
        MatchStart(
            table=hand.table,
            match=hand.match,
            seat=-1 if hand.own is None else hand.own,
            players=list(hand.names),
            game=game_info(hand.game),
            hands=0,
            reset=False,
            seed=0,
            mode=hand.mode,
            time_ms=0,
            bank_ms=0,
            hand=hand.started.hand,
        )
    ]
    messages += view.hand_messages(hand.events, hand.table, 0, hand.own, best_five=True)
    number = hand.started.hand
    messages += [view.showed_message(hand.table, number, seat, cards) for seat, cards in hand.showed]
    return messages


def hand_summary(hand: ReplayHand) -> schemas.HandSummary:
    """Return the hand as a list entry, as far as the viewer may know it."""
    started, *_, ended = masked(hand)
    assert isinstance(started, HandStarted)
    assert isinstance(ended, HandEnded)
    board = [card for event in hand.events if isinstance(event, BoardDealt) for card in event.cards]
    return schemas.HandSummary(
        id=hand.id,
        hand=started.hand,
        at=hand.at,
        players=[hand.names[seat] for seat in started.seats],
        net=list(ended.values),
        board=[CARD_TEXTS[card] for card in board],
        pot=sum(pot.amount for pot in ended.pots),
        cards=_card_texts(started),
    )


def _card_texts(started: HandStarted) -> list[list[str]]:
    return [[CARD_TEXTS[card] for card in cards] for cards in started.hole]
