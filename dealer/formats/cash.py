"""A cash table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from dealer.formats.carry_over import CarryOverStacks
from dealer.formats.format import DealsFor, Refilled, Stakes, TableEvent
from dealer.rules.actions import Action
from dealer.rules.events import Chips
from dealer.rules.games import Game
from dealer.rules.hand import AllIns, HandState
from dealer.seats import Change, Dealt

#: Chips with which a hand can be begun, unless everybody buys in for more: above, a hand of many could make
#: a stack that no game takes.
MAX_STACK: Final = 1_000_000_000


SecondBoard = Callable[[Game, int], tuple[int, ...]]


class Cash(CarryOverStacks):
    """A cash table: players come and go between hands; players without chips, or with more than
    ``MAX_STACK``, get a new stack ("simple mode"), or everybody gets one for every hand if the stakes have a
    ``depth``.

    ``hands`` 0 means without end. Hands are numbered from 1; number 0 of the deals is the draw for the first
    button.

    All-ins are settled on one board, or by ``equity``, or twice if all have agreed who are left in the hand:
    on a ``second_board``, by game and number of the hand.
    """

    open_seating = True

    def __init__(
        self,
        seats: int,
        stakes: Stakes,
        deals_for: DealsFor,
        *,
        hands: int = 0,
        muck: bool = True,
        all_seated: bool = False,
        equity: bool = False,
        second_board: SecondBoard | None = None,
    ) -> None:
        super().__init__(seats, stakes, deals_for, muck=muck)
        self.mode = "cash"
        self.game = stakes.game(seats)
        self.hands = hands
        #: Seats whose players left since the last hand began: what they win in it is lost.
        self.left_during_hand: set[int] = set()
        #: Seats whose players have agreed to run it twice.
        self.agreed: set[int] = set()
        self._equity = equity
        self._second_board = second_board
        #: While the last hand is played again: everybody's stack after it, by seat.
        self.kept_stacks: list[Chips] | None = None
        #: Order and stacks of the last hand, if it is to come again, and what is done in it as before.
        self._again: tuple[tuple[int, ...], tuple[Chips, ...], tuple[Action, ...]] | None = None
        if all_seated:
            for seat in range(seats):
                self.sit_in(seat)

    @property
    def over(self) -> bool:
        return 0 < self.hands <= self.hand

    def sit_in(self, seat: int) -> None:
        self._change(seat, Change.SITS_IN)
        if self.stacks[seat] <= 0:
            self.stacks[seat] = self.stakes.max_stack

    def sit_out(self, seat: int, *, at_blind: bool = False) -> None:
        self._change(seat, Change.SITS_OUT_AT_BLIND if at_blind else Change.SITS_OUT)

    def is_sitting_in(self, seat: int) -> bool:
        return self.dealt[seat] is Dealt.IN

    def leave(self, seat: int) -> None:
        self._change(seat, Change.LOSES_SEAT)
        self.stacks[seat] = 0
        self.left_during_hand.add(seat)
        self.agreed.discard(seat)

    def all_ins(self, game: Game, hand: int) -> AllIns | None:
        if self._equity:
            return AllIns(equity=True)
        if self._second_board is None:
            return None
        return AllIns(agreed=self.agreed, spare=partial(self._second_board, game, hand))

    def play_again(
        self, order: tuple[int, ...], stacks: tuple[Chips, ...], actions: tuple[Action, ...] = ()
    ) -> None:
        """Let the last hand come once more instead of the next one, with the same cards: it had that order of
        seats, and those stacks, and begins with its first ``actions``. What is won in it does not count.
        Nothing happens if somebody does not sit in.
        """
        self._again = order, stacks, actions

    def _repeated_hand(self) -> HandState | None:
        """Return the last hand anew, if that was asked for and everybody sits in."""
        again, self._again = self._again, None
        if again is None or not set(again[0]) <= set(self._dealt_in()):
            return None
        order, stacks, actions = again
        self.left_during_hand.clear()
        if self.kept_stacks is None:
            self.kept_stacks = list(self.stacks)
        for seat, stack in zip(order, stacks, strict=True):
            self.stacks[seat] = stack
        self.hand -= 1
        hand = self._deal(order)
        for action in actions:
            hand.act(action)
        return hand

    def next_hand(self) -> HandState | None:
        repeated = None if self.over or self.paused else self._repeated_hand()
        if repeated is not None:
            return repeated
        while not self.over and not self.paused and len(self._dealt_in()) > 1:
            order = self._next_order()
            blind = order[1 if len(order) > 2 else 0]
            if self.dealt[blind] is not Dealt.UNTIL_BLIND:
                self.left_during_hand.clear()
                if self.stakes.depth is not None:
                    self._deal_stacks(order, *self.stakes.depth)
                return self._deal(order)
            self._change(blind, Change.GETS_BLIND)
        return None

    def _deal_stacks(self, order: tuple[int, ...], least: int, most: int) -> None:
        """Set everybody's stack for the next hand."""
        deals = self.game_and_deals(len(order), self.stakes)[1]
        blinds = least + deals.draw(self.hand + 1, most - least + 1)
        for seat in order:
            self.stacks[seat] = blinds * self.stakes.big_blind

    def finish_hand(self, hand: HandState) -> Sequence[TableEvent]:
        # Chips of a player who left during this hand do not go to his successor.
        taken = {seat: self.stacks[seat] for seat in self.left_during_hand}
        kept, self.kept_stacks = self.kept_stacks, None
        if kept is None:
            self._take_stacks(hand)
        else:
            self.stacks[:] = kept
        for seat, stack in taken.items():
            self.stacks[seat] = stack
        events: list[TableEvent] = []
        if self.stakes.depth is not None or kept is not None:
            return events
        most = max(MAX_STACK, self.stakes.stack)
        for seat in hand.seats:
            broke = self.stacks[seat] <= 0 and not self.is_sitting_out(seat)
            if broke or self.stacks[seat] > most:
                self.stacks[seat] = self.stakes.stack
                events.append(Refilled(seat, self.stacks[seat]))
        return events
