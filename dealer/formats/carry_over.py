"""Stacks that carry over from hand to hand."""

from __future__ import annotations

from collections.abc import Sequence

from dealer.formats.format import Deals, DealsFor, OpenFormat, Stakes
from dealer.rules.events import Chips
from dealer.rules.games import Game
from dealer.rules.hand import AllIns, HandState
from dealer.seats import Change, Dealt, dealt_after


def first_button(deals: Deals, seats: Sequence[int]) -> int:
    """Return the seat of the first button: the highest card of one each, suits breaking ties (clubs lowest),
    from the deal numbered 0.
    """
    cards = deals.deal(0).hole
    return max(zip(seats, cards, strict=True), key=lambda pair: pair[1][0])[0]


class CarryOverStacks(OpenFormat):
    """Stacks that carry over from hand to hand, and a button that moves to the next remaining player. While
    ``paused`` no hand is dealt.
    """

    # Compiled, unlike its base: what it has must stand here.
    mode: str
    game: Game
    hands: int
    hand: int
    stakes: Stakes
    paused: bool

    def __init__(self, seats: int, stakes: Stakes, deals_for: DealsFor, *, muck: bool) -> None:
        self.stakes = stakes
        self.stacks: list[Chips] = [0] * seats
        self.dealt = [Dealt.OUT] * seats
        self.hand = 0
        self.paused = False
        self.button = -1
        self._deals_for = deals_for
        self._muck = muck
        self._games: dict[tuple[int, Stakes], tuple[Game, Deals]] = {}

    @property
    def title(self) -> str:
        return self.stakes.title

    def chips(self, seat: int) -> Chips:
        return self.stacks[seat]

    def _dealt_in(self) -> list[int]:
        return [seat for seat, dealt in enumerate(self.dealt) if dealt is not Dealt.OUT]

    def is_sitting_out(self, seat: int) -> bool:
        return self.dealt[seat] is Dealt.OUT

    def _change(self, seat: int, what: Change) -> None:
        self.dealt[seat] = dealt_after(self.dealt[seat], what)

    def game_and_deals(self, players: int, stakes: Stakes) -> tuple[Game, Deals]:
        key = (players, stakes)
        if key not in self._games:
            game = stakes.game(players)
            self._games[key] = (game, self._deals_for(game))
        return self._games[key]

    def _next_order(self) -> tuple[int, ...]:
        """Return the seats of the next hand by position; the last has the button."""
        live = self._dealt_in()
        if self.button < 0:
            button = first_button(self.game_and_deals(len(live), self.stakes)[1], live)
        else:
            button = next((seat for seat in live if seat > self.button), live[0])
        left = next((i for i, seat in enumerate(live) if seat > button), 0)
        return tuple(live[left:] + live[:left])

    def all_ins(self, game: Game, hand: int) -> AllIns | None:
        """Return how the all-ins of a hand are settled, if not on one board."""
        return None

    def _deal(self, order: tuple[int, ...]) -> HandState:
        game, deals = self.game_and_deals(len(order), self.stakes)
        self.button = order[-1]
        self.hand += 1
        return HandState(
            game,
            deals.deal(self.hand),
            number=self.hand,
            seats=order,
            stacks=tuple(int(self.stacks[seat]) for seat in order),
            button=self.button,
            muck=self._muck,
            all_ins=self.all_ins(game, self.hand),
        )

    def _take_stacks(self, hand: HandState) -> None:
        for seat, stack in zip(hand.seats, hand.final_stacks, strict=True):
            self.stacks[seat] = stack
