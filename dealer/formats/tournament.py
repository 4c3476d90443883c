"""Tournaments: equal stacks and rising blinds, until one player has all chips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dealer.formats.carry_over import CarryOverStacks
from dealer.formats.format import DealsFor, Eliminated, LevelRaised, Stakes, TableEvent
from dealer.rules.hand import HandState
from dealer.seats import Change, Dealt

#: Hands beyond the last level of a tournament until its blinds double, and between further doublings.
HANDS_TO_DOUBLING = 1000
HANDS_PER_DOUBLING = 100


class Level(NamedTuple):
    """One blind level of a tournament and how many hands it lasts."""

    small_blind: int
    big_blind: int
    ante: int = 0
    hands: int = 10

    def stakes(self, limit: bool, stack: int, rules: str = "standard") -> Stakes:
        """Return the stakes of this level's hands. Blinds may exceed the starting ``stack``; the game's own
        stacks, which tournaments do not use, then grow with them, because a game must be able to pay its
        blinds.
        """
        paid = max(self.small_blind, self.big_blind) + self.ante
        return Stakes(self.small_blind, self.big_blind, self.ante, limit, max(stack, paid + 1), rules)


def level_at(levels: Sequence[Level], hand: int) -> Level:
    """Return the level of a hand (from 1). After ``HANDS_TO_DOUBLING`` hands of the last level, blinds and
    antes double, and again every ``HANDS_PER_DOUBLING`` hands, so that even players who never contest a blind
    finish.
    """
    played = hand - 1
    for level in levels:
        if played < level.hands:
            return level
        played -= level.hands
    last = levels[-1]
    times = 0 if played < HANDS_TO_DOUBLING else 1 + (played - HANDS_TO_DOUBLING) // HANDS_PER_DOUBLING
    factor: int = 2 ** min(times, max(0, 28 - (last.big_blind + last.ante).bit_length()))
    return Level(last.small_blind * factor, last.big_blind * factor, last.ante * factor, last.hands)


class Tournament(CarryOverStacks):
    """Equal stacks, rising blinds, no refill; ends when one player has all chips. ``places[seat]`` is the
    final place.

    Players who bust in the same hand are placed by the chips they started it with; equal chips share the
    place.
    """

    def __init__(
        self,
        seats: int,
        levels: Sequence[Level],
        stack: int,
        deals_for: DealsFor,
        *,
        limit: bool = False,
        muck: bool = True,
        rules: str = "standard",
    ) -> None:
        self.levels = tuple(levels)
        self._limit = limit
        self._rules = rules
        self._stack = stack
        self.level = self.levels[0]
        super().__init__(seats, self._stakes(), deals_for, muck=muck)
        self.mode = "tournament"
        self.game = self.stakes.game(seats)
        self.hands = 0
        self.stacks = [stack] * seats
        self.dealt = [Dealt.IN] * seats
        self.places = [0] * seats

    def stakes_of(self, raised: LevelRaised) -> Stakes:
        """Return the stakes of the hands after the event."""
        return Level(*raised).stakes(self._limit, self._stack, self._rules)

    def _stakes(self) -> Stakes:
        return self.level.stakes(self._limit, self._stack, self._rules)

    @property
    def over(self) -> bool:
        return len(self._dealt_in()) < 2

    def place(self, seat: int) -> int:
        return self.places[seat]

    def is_eliminated(self, seat: int) -> bool:
        return self.is_sitting_out(seat)

    def next_hand(self) -> HandState | None:
        return None if self.over or self.paused else self._deal(self._next_order())

    def finish_hand(self, hand: HandState) -> Sequence[TableEvent]:
        self._take_stacks(hand)
        out = [seat for seat in hand.seats if self.stacks[seat] <= 0]
        if not out:
            return self._next_level()
        events: list[TableEvent] = []
        started = dict(zip(hand.seats, hand.betting.stacks, strict=True))
        left = len(self._dealt_in()) - len(out)
        for seat in sorted(out, key=lambda seat: -started[seat]):
            place = left + 1 + sum(started[other] > started[seat] for other in out)
            self._change(seat, Change.LOSES_SEAT)
            self.places[seat] = place
            events.append(Eliminated(seat, place))
        if left == 1:
            self.places[self._dealt_in()[0]] = 1
        else:
            events += self._next_level()
        return events

    def _next_level(self) -> list[TableEvent]:
        level = level_at(self.levels, self.hand + 1)
        if level == self.level:
            return []
        self.level = level
        self.stakes = self._stakes()
        return [LevelRaised(level.small_blind, level.big_blind, level.ante)]
