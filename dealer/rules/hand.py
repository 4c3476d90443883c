"""One hand from the blinds to the payout: cards and chips together, as a list of events."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from operator import add
from typing import NamedTuple, Protocol

from dealer.rules.actions import Action
from dealer.rules.betting import Betting
from dealer.rules.equity import count_points
from dealer.rules.errors import ActionError, GameError, IllegalAction, ReplayError
from dealer.rules.evaluation import rank_hand
from dealer.rules.events import Acted, BoardDealt, Chips, Event, HandEnded, HandStarted, Policy, Shown
from dealer.rules.games import MAX_PLAYERS, Game
from dealer.rules.legal import Legal
from dealer.rules.pots import FOLDED, Settlement, settle, settle_by_equity, settle_twice

_POSITIONS = tuple(range(MAX_PLAYERS))

# A hand makes many of these, in half the time that their own constructors take.
_new = tuple.__new__


class CardSource(Protocol):
    """The cards of one hand. Nothing else of the rules knows a card before it is dealt."""

    @property
    def hole(self) -> tuple[tuple[int, ...], ...]:
        """The hole cards, per position."""

    def board(self, street: int) -> tuple[int, ...]:
        """The new board cards of a street."""


class AllIns(NamedTuple):
    """What happens instead of dealing the rest of the board once, when nobody can act any more before it.

    With ``equity`` it is not dealt: pots are divided by the equity of the hands that are left, as they know
    it, with folded cards in the deck. Otherwise the hand is run twice if the seats of all who are left are
    among ``agreed``, who may change their minds until then: the second board gets the first of the ``spare``
    cards. For games with the ``standard`` or ``bb`` rules, a deck of 52 cards, and boards of five.
    """

    equity: bool = False
    agreed: Collection[int] = ()
    spare: Callable[[], tuple[int, ...]] = tuple


class HandState:
    """A hand in play. It changes only by ``act``, and everything that happens is appended to ``events``.

    ``seats`` are the seats of the positions (default: 0, 1, ...), ``button`` the seat with the button
    (default: the last position's), ``stacks`` the chips of each position (default: the game's).
    At a showdown everybody still in shows, as in the ACPC. With ``muck`` the last aggressor of the last
    street shows first, or else the first left of the button, and later players show only what can win; once
    somebody is all-in all show, before the rest of the board is dealt (Tournament Directors Association 2024,
    rules 16 and 17). ``all_ins``, if given, changes how all-ins are settled; it may be set until the end.

    Read freely: ``game``, ``number``, ``seats``, ``button``, ``hole``, ``board``, ``betting``, ``events``,
    and once ``over``, per position, ``values`` (chips won or lost) and ``final_stacks``.
    Raises GameError ``bad_stacks`` or ``bad_seats``.
    """

    __slots__ = (
        "_cards", "_muck", "all_ins", "betting", "board", "button", "events", "final_stacks", "game", "hole",
        "number", "seats", "values",
    )  # fmt: skip

    def __init__(
        self,
        game: Game,
        cards: CardSource,
        *,
        number: int = 0,
        seats: Sequence[int] | None = None,
        stacks: Sequence[int] | None = None,
        button: int | None = None,
        muck: bool = False,
        all_ins: AllIns | None = None,
    ) -> None:
        betting = Betting(game, stacks)
        self.game = game
        self.number = number
        self.betting = betting
        self.seats = _POSITIONS[: game.players] if seats is None else _checked_seats(game, seats)
        self.button = self.seats[-1] if button is None else button
        self.hole = cards.hole
        self.board: tuple[int, ...] = ()
        self.values: tuple[Chips, ...] = ()
        self.final_stacks: tuple[Chips, ...] = ()
        self._cards = cards
        self._muck = muck
        self.all_ins = all_ins
        self.events: list[Event] = [
            _new(
                HandStarted,
                (number, self.seats, self.button, betting.stacks, betting.antes, betting.blinds, self.hole),
            )
        ]
        if betting.to_act < 0:
            self.events += self._finish(0)

    @property
    def over(self) -> bool:
        """Whether the hand is over and paid out."""
        return self.betting.to_act < 0

    @property
    def to_act(self) -> int | None:
        """The seat of the player to act; None when the hand is over."""
        position = self.betting.to_act
        return None if position < 0 else self.seats[position]

    def legal(self) -> Legal:
        """What the player to act may do."""
        return self.betting.legal()

    def act(self, action: Action, forced: str = "", policy: Policy = ()) -> list[Event]:
        """Do what the player to act says, and return the events that follow.

        ``forced``: why the table says it for him; ``policy``: the chances he told, not checked here.
        Raises IllegalAction or ActionError, and changes nothing then.
        """
        betting = self.betting
        position = betting.to_act
        street = betting.street
        start = betting.street_start
        paid = betting.act(action)
        # As it counts: see ``Betting.history``.
        kind = betting.history[-1][2][0] if betting.pushfold else action[0]
        if kind == "fold":
            event = _new(Acted, (self.seats[position], kind, 0, 0, False, forced, policy))
        else:
            spent = betting.spent[position]
            all_in = spent == betting.stacks[position]
            event = _new(Acted, (self.seats[position], kind, spent - start, paid, all_in, forced, policy))
        self.events.append(event)
        if betting.to_act < 0:
            more = self._finish(street)
        elif betting.street != street:
            more = [self._deal(betting.street)]
        else:
            return [event]
        self.events += more
        return [event, *more]

    def _deal(self, street: int) -> Event:
        cards = self._cards.board(street)
        self.board += cards
        return _new(BoardDealt, (street, cards))

    def _finish(self, street: int) -> list[Event]:
        """Deal what is left of the board, show and pay, from the street on which the betting ended."""
        betting = self.betting
        if betting.live == 1:
            return [self._pay([FOLDED if folded else 0 for folded in betting.folded])]
        rest = range(street + 1, self.game.rounds)
        if rest and self.all_ins is not None and self.all_ins.equity:
            return self._finish_by_equity()
        shared = self.board
        more: list[Event] = [self._deal(later) for later in rest] if rest else []
        board = self.board
        ranks = []
        for cards, folded in zip(self.hole, betting.folded):  # noqa: B905 (hot; one of each per position)
            ranks.append(FOLDED if folded else rank_hand(cards + board))
        shown = self._show(ranks, -1 if rest else betting.aggressor)
        if self._muck:
            more.insert(0, shown)
        else:
            more.append(shown)
        if rest and self.all_ins is not None and self._is_agreed(self.all_ins):
            more.append(self._pay_twice(ranks, shared, self.all_ins.spare()))
        else:
            more.append(self._pay(ranks))
        return more

    def _is_agreed(self, all_ins: AllIns) -> bool:
        folds = zip(self.seats, self.betting.folded, strict=True)
        return all(folded or seat in all_ins.agreed for seat, folded in folds)

    def _finish_by_equity(self) -> list[Event]:
        betting, hole = self.betting, self.hole
        shown = {card for cards, out in zip(hole, betting.folded, strict=True) if not out for card in cards}
        deck = set(self.game.deck).difference(shown, self.board)

        def points(eligible: Sequence[int]) -> Sequence[int]:
            hands = [hole[position] for position in eligible]
            return count_points(hands, self.board, sum(self.game.board_cards), deck)

        ranks = [FOLDED if folded else 0 for folded in betting.folded]
        settled = settle_by_equity(betting.spent, betting.folded, points, self.seats)
        return [self._show(ranks, -1), self._end(settled, equity=True)]

    def _pay_twice(self, ranks: list[int], shared: tuple[int, ...], spare: tuple[int, ...]) -> HandEnded:
        missing = len(self.board) - len(shared)
        cards = spare[:missing]
        if len(cards) < missing:
            raise ReplayError("card_unknown", "the second board is not known", 0)
        second = [
            FOLDED if folded else rank_hand(hand + shared + cards)
            for hand, folded in zip(self.hole, self.betting.folded, strict=True)
        ]
        return self._end(settle_twice(self.betting.spent, ranks, second, self.seats), second=cards)

    def _show(self, ranks: list[int], aggressor: int) -> Shown:
        """Show or muck, from ``aggressor`` on or, where that is -1, from the first left of the button."""
        order: Sequence[int] = range(len(ranks))
        if aggressor > 0:
            order = (*order[aggressor:], *order[:aggressor])
        mucking = self._muck and not self._is_anybody_all_in()
        seats = self.seats
        hole = self.hole
        best = FOLDED
        hands: list[tuple[int, tuple[int, ...]]] = []
        for position in order:
            rank = ranks[position]
            if rank != FOLDED:
                hands.append((seats[position], hole[position] if rank >= best else ()))
                if mucking:
                    best = max(best, rank)
        return Shown(tuple(hands))

    def _is_anybody_all_in(self) -> bool:
        betting = self.betting
        chips = zip(betting.spent, betting.stacks, betting.folded, strict=True)
        return any(spent == stack and not folded for spent, stack, folded in chips)

    def _pay(self, ranks: list[int]) -> HandEnded:
        betting = self.betting
        return self._end(settle(betting.spent, ranks, self.seats, fractions=self.game.rules == "acpc"))

    def _end(self, settled: Settlement, *, equity: bool = False, second: tuple[int, ...] = ()) -> HandEnded:
        returned, pots, values = settled
        self.values = values
        self.final_stacks = tuple(map(add, self.betting.stacks, values))
        return _new(HandEnded, (self.number, returned, pots, values, self.final_stacks, equity, second))


def _checked_seats(game: Game, seats: Sequence[int]) -> tuple[int, ...]:
    given = tuple(seats)
    if len(given) != game.players or len(set(given)) != game.players:
        raise GameError("bad_seats", f"{game.players} different seats are needed, not {len(given)}")
    return given


class _RecordedCards:
    """The cards that recorded events show."""

    def __init__(self, started: HandStarted, events: Iterable[Event]) -> None:
        self.hole = started.hole
        self._boards = {event.street: event.cards for event in events if isinstance(event, BoardDealt)}

    def board(self, street: int) -> tuple[int, ...]:
        if street not in self._boards:
            raise ReplayError("card_unknown", f"the events do not show the board of street {street}", 0)
        return self._boards[street]


def replay(
    game: Game, events: Sequence[Event], *, muck: bool = False, cards: CardSource | None = None
) -> HandState:
    """The hand that ``events`` record, played again from its actions alone, every other event checked.

    ``muck`` must be as in the hand recorded. An unfinished hand can be played on if ``cards`` are given. How
    an all-in was settled is in the last event.
    Raises ReplayError, which names the first event that differs, and GameError for stacks or seats that
    cannot be.
    """
    started = _started(game, events)
    hand = HandState(
        game,
        _RecordedCards(started, events) if cards is None else cards,
        number=started.hand,
        seats=started.seats,
        stacks=started.stacks,
        button=started.button,
        muck=muck,
        all_ins=_recorded_all_ins(started, events[-1]),
    )
    checked = 0
    while True:
        for index in range(checked, min(len(events), len(hand.events))):
            if events[index] != hand.events[index]:
                message = f"event {index} is {events[index]}, the rules say {hand.events[index]}"
                raise ReplayError("replay_differs", message, index)
        checked = len(hand.events)
        if checked >= len(events):
            break
        _act_again(hand, events[checked], checked)
    if checked > len(events):
        raise ReplayError(
            "replay_differs", f"after the last event the rules have {hand.events[len(events)]}", len(events)
        )
    return hand


def _recorded_all_ins(started: HandStarted, last: Event) -> AllIns | None:
    if not isinstance(last, HandEnded) or not (last.equity or last.second):
        return None
    second = last.second
    return AllIns(last.equity, started.seats, lambda: second)


def _started(game: Game, events: Sequence[Event]) -> HandStarted:
    """The first event, if a hand of this game can begin with it; and no card may be there twice. (Whether the
    second board is whole turns out when it is paid.)
    """
    if not events or not isinstance(events[0], HandStarted):
        raise ReplayError("bad_events", "a hand begins with hand_started", 0)
    started = events[0]
    undealt = set(game.deck)
    for index, event in enumerate(events):
        if isinstance(event, HandStarted):
            groups, wanted = event.hole, [game.hole_cards] * game.players
        elif isinstance(event, BoardDealt):
            groups, wanted = (event.cards,), list(game.board_cards[event.street : event.street + 1])
        elif isinstance(event, HandEnded):
            groups, wanted = (event.second,), [len(event.second)]
        else:
            continue
        cards = [card for group in groups for card in group]
        if [len(group) for group in groups] != wanted:
            raise ReplayError("bad_events", f"event {index} has too many or too few cards", index)
        if len(set(cards)) != len(cards) or not undealt.issuperset(cards):
            raise ReplayError("bad_events", f"event {index} deals a card twice, or none of the deck", index)
        undealt.difference_update(cards)
    return started


def _act_again(hand: HandState, event: Event, index: int) -> None:
    if not isinstance(event, Acted) or hand.over:
        raise ReplayError("replay_differs", f"event {index} is {event}, the rules wait for an action", index)
    action = Action("raise", event.to) if event.action == "raise" else Action(event.action)
    try:
        hand.act(action, event.forced, event.policy)
    except (IllegalAction, ActionError) as error:
        raise ReplayError(
            "replay_differs", f"event {index} is {event}, the rules refuse it: {error}", index
        ) from error
