"""A recorded hand as one viewer may see it: the messages sent to that viewer in play, created by the same
code (``server.view``).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from dealer.rules.actions import Action
from dealer.rules.betting import Betting
from dealer.rules.cards import CARD_TEXTS
from dealer.rules.equity import count_points
from dealer.rules.events import Acted, BoardDealt, Event, HandEnded, HandStarted, Policy, Shown, start_of
from dealer.rules.games import Game
from protocol.event_messages import game_info
from protocol.messages import MatchStart, ServerMessage
from server import view
from server.house.hand_coach import Decision
from server.storage.stored_hands import StoredHand
from server.web import schemas

#: Random boards before the flop, of which there are too many to count.
_FIRST_BOARDS: Final = 500
#: Equities take a tenth of a second: one hand at a time, beside the event loop.
_COMPUTING: Final = ThreadPoolExecutor(1, thread_name_prefix="replay")


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


def decision_at(hand: ReplayHand, number: int) -> Decision | None:
    """Return the decision before action ``number`` as its player saw it. None if there is none, if the viewer
    may not see all his cards, or if others may still play these deals: then only the viewer's own.
    """
    places = [place for place, event in enumerate(hand.events) if isinstance(event, Acted)]
    if number >= len(places):
        return None
    acted = hand.events[places[number]]
    assert isinstance(acted, Acted)
    seen = start_of(masked(hand))
    cards = seen.hole[seen.seats.index(acted.seat)]
    is_played_by_others = hand.mode == "challenge" and not hand.open and acted.seat != hand.own
    if len(cards) != hand.game.hole_cards or is_played_by_others:
        return None
    # Nobody else's cards, not even those that were shown later.
    told = seen._replace(hole=tuple(cards if seat == acted.seat else () for seat in seen.seats))
    events = [told, *hand.events[1 : places[number]]]
    return Decision(hand.id, number, hand.game, hand.mode, hand.names, acted.seat, events)


async def told_hand(hand: ReplayHand) -> schemas.HandResponse:
    """Return everything that the viewer may know about the hand, without holding up others."""
    return await asyncio.get_running_loop().run_in_executor(_COMPUTING, hand_response, hand)


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
        odds=_odds(hand),
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
    cards are not all ``seen``. Where it divided the pots, it is the one that did, once hands are shown.
    """
    # Here, as with it comes numpy, and a server has started before somebody looks at a hand.
    from dealer.luck.showdowns import MAX_BOARDS, equities, final_ranks

    game, left = hand.game, list(range(len(seen.seats)))
    whole = {position for position, cards in enumerate(seen.hole) if len(cards) == game.hole_cards}
    board: tuple[int, ...] = ()
    ranks: list[tuple[int, ...]] = []
    now: list[float] = []
    found = []
    for event in hand.events:
        if isinstance(event, BoardDealt):
            board += event.cards
            ranks = []
        elif isinstance(event, Acted) and event.action == "fold":
            left.remove(seen.seats.index(event.seat))
        if isinstance(event, HandStarted | BoardDealt) or (
            isinstance(event, Acted) and event.action == "fold"
        ):
            known = len(left) > 1 and whole.issuperset(left)
            if known and not ranks:
                size = sum(game.board_cards)
                ranks = final_ranks(game.deck, seen.hole, board, size, MAX_BOARDS if board else _FIRST_BOARDS)
            now = [round(share, 4) for share in equities(ranks, left)] if known else []
        elif isinstance(event, Shown) and now and _ends_by_equity(hand.events):
            now = _dividing_equities(game, seen, left, board)
        found.append(now)
    return found


def _ends_by_equity(events: Sequence[Event]) -> bool:
    ended = events[-1]
    return isinstance(ended, HandEnded) and ended.equity


def _dividing_equities(
    game: Game, seen: HandStarted, left: Sequence[int], board: tuple[int, ...]
) -> list[float]:
    """Return the equities by which a pot is divided that all who are ``left`` can win."""
    hands = [seen.hole[position] for position in left]
    points = count_points(hands, board, sum(game.board_cards), set(game.deck).difference(board, *hands))
    shares = dict(zip(left, points, strict=True))
    return [round(shares.get(position, 0) / sum(points), 4) for position in range(len(seen.seats))]


def _odds(hand: ReplayHand) -> list[tuple[int, int]]:
    """Return for each action the chips to call, and those of others that a call could win."""
    started = hand.started
    betting = Betting(hand.game, started.stacks)
    found = []
    for event in hand.events:
        if not isinstance(event, Acted):
            continue
        call, position = betting.to_call, betting.to_act
        most = betting.spent[position] + call
        # Where a call is all-in by the rules, it is a raise, and wins more than there is.
        call = 0 if most > betting.bet else call
        found.append((call, sum(min(spent, most) for spent in betting.spent)))
        betting.act(Action("raise", event.to) if event.action == "raise" else Action(event.action))
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
    second = [*board[: len(board) - len(ended.second)], *ended.second] if ended.second else []
    return schemas.HandSummary(
        id=hand.id,
        hand=started.hand,
        at=hand.at,
        players=[hand.names[seat] for seat in started.seats],
        net=list(ended.values),
        board=[CARD_TEXTS[card] for card in board],
        second=[CARD_TEXTS[card] for card in second],
        pot=sum(pot.amount for pot in ended.pots),
        cards=_card_texts(started),
    )


def _card_texts(started: HandStarted) -> list[list[str]]:
    return [[CARD_TEXTS[card] for card in cards] for cards in started.hole]
