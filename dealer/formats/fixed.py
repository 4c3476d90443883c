"""Fixed stacks: everybody starts each hand with the same chips, and positions rotate."""

from __future__ import annotations

from collections.abc import Sequence

from dealer.formats.format import Deals, DealsFor, OpenFormat, Stakes, TableEvent, TableFormat
from dealer.rules.events import Chips
from dealer.rules.games import Game
from dealer.rules.hand import HandState


class FixedStacks(TableFormat):
    """``hands`` hands in which everyone starts with the same stacks, by position (default: the game's), and
    positions rotate (ACPC's "Doyle's game").
    """

    __slots__ = ("_deals", "_orders", "_stacks", "game", "hand", "hands", "mode")

    def __init__(self, game: Game, deals: Deals, hands: int, stacks: Sequence[int] | None = None) -> None:
        n = game.players
        self.mode = "fixed"
        self.game = game
        self.hands = hands
        self.hand = 0
        self._deals = deals
        self._stacks = stacks
        # Position p of hand h is held by seat (p + h) mod n (ACPC reference dealer 1.0.42).
        self._orders = [tuple((p + h) % n for p in range(n)) for h in range(n)]

    @property
    def over(self) -> bool:
        return self.hand >= self.hands

    @property
    def title(self) -> str:
        return self.game.name

    def chips(self, seat: int) -> Chips:
        stacks = self.game.stacks if self._stacks is None else self._stacks
        return stacks[self._orders[self.hand % len(self._orders)].index(seat)]

    def next_hand(self) -> HandState | None:
        number = self.hand
        if number >= self.hands:
            return None
        order = self._orders[number % len(self._orders)]
        cards, stacks = self._deals.deal(number), self._stacks
        return HandState(self.game, cards, number=number, seats=order, button=order[-1], stacks=stacks)

    def finish_hand(self, hand: HandState) -> Sequence[TableEvent]:
        self.hand += 1
        return ()


class Challenge(FixedStacks, OpenFormat):
    """``FixedStacks`` at a table for people: hold'em at ``stakes``. Hands are numbered from 1; while
    ``paused`` none is dealt.
    """

    __slots__ = ("paused", "stakes")

    def __init__(self, seats: int, stakes: Stakes, deals_for: DealsFor, hands: int) -> None:
        game = stakes.game(seats)
        super().__init__(game, deals_for(game), hands)
        self.mode = "challenge"
        self.stakes = stakes
        self.paused = False

    @property
    def title(self) -> str:
        return self.stakes.title

    def game_and_deals(self, players: int, stakes: Stakes) -> tuple[Game, Deals]:
        return self.game, self._deals

    def next_hand(self) -> HandState | None:
        if self.paused or self.over:
            return None
        order = self._orders[self.hand % len(self._orders)]
        number = self.hand + 1
        return HandState(
            self.game, self._deals.deal(number), number=number, seats=order, button=order[-1], muck=True
        )
