"""The public view of a decision, counted in bets (``strategy.playout.betting``)."""

from __future__ import annotations

from typing import NamedTuple

from strategy.playout.betting import NO_LIMIT_BET, Opening, bets_to_call
from strategy.situation import PastAction, Situation, SituationError

Facts = tuple[int, int, int, bool, int, float, float]
"""Street, bets made and to call, whether the player has called, who has yet to act, and the two prices."""


class View(NamedTuple):
    """A decision as the others see it.

    ``bets``: made on the street so far, the big blind being one; ``to_call``: how many of them this player
    has not paid, a small blind being none. ``price``: chips to call / (pot + chips to call). ``bluff_price``:
    the same if the player bet now and called one raise. ``called``: the player has put in chips voluntarily
    on this street. ``opponents`` have not folded; ``waiting`` of them have yet to act.
    """

    street: int
    position: int
    bets: int
    to_call: int
    price: float
    bluff_price: float
    called: bool
    opponents: int
    waiting: int

    @property
    def facts(self) -> Facts:
        """Return what a triple depends on beside the hand."""
        return self.street, self.bets, self.to_call, self.called, self.waiting, self.price, self.bluff_price


class BettingReplay:
    """Chips and bets by position while a hand is replayed; ``needs``: players who have yet to act."""

    def __init__(self, situation: Situation, opening: Opening) -> None:
        self.limit = situation.game.limit
        self.sizes = opening.sizes
        self.street = 0
        self.start = [stack + paid for stack, paid in zip(situation.stacks, situation.paid, strict=True)]
        self.paid = [ante + blind for ante, blind in zip(opening.antes, opening.blinds, strict=True)]
        self.chips = list(opening.blinds)
        self.folded = [False] * situation.players
        big = max(1, *opening.blinds)
        self.level = [int(blind >= big) for blind in opening.blinds]
        self.bets = 1
        self.raises = 0
        self.called = [False] * situation.players
        self.needs = [start > paid for start, paid in zip(self.start, self.paid, strict=True)]

    def next_street(self, street: int) -> None:
        """Start a street without bets."""
        players = range(len(self.chips))
        self.street, self.bets, self.raises = street, 0, 0
        self.chips, self.level = [0] * len(players), [0] * len(players)
        self.called = [False] * len(players)
        self.needs = [not self.folded[i] and self.start[i] > self.paid[i] for i in players]

    def view(self, position: int) -> View:
        """Return what this player would face now."""
        left = self.start[position] - self.paid[position]
        chips = min(left, max(self.chips) - self.chips[position])
        pot = sum(self.paid)
        price = chips / (pot + chips) if chips > 0 else 0.0
        size = self.sizes[self.street] if self.limit else NO_LIMIT_BET * pot
        behind = self.bets - self.level[position] if chips > 0 else 0
        return View(
            street=self.street,
            position=position,
            bets=self.bets,
            to_call=bets_to_call(self.limit, behind, self.bets, price, self.street),
            price=price,
            bluff_price=2 * size / (pot + 4 * size),
            called=self.called[position],
            opponents=self.folded.count(False) - (not self.folded[position]),
            waiting=sum(self.needs) - self.needs[position],
        )

    def act(self, position: int, step: PastAction) -> None:
        """Apply the player's step."""
        self.needs[position] = False
        if step.kind == "fold":
            self.folded[position] = True
            return
        added = step.to - self.chips[position]
        self.paid[position] += added
        self.chips[position] = step.to
        if step.kind == "raise":
            self.bets += 1
            self.raises += 1
            self.needs = [
                i != position and not self.folded[i] and self.start[i] > self.paid[i]
                for i in range(len(self.chips))
            ]
        self.level[position] = self.bets
        self.called[position] = self.called[position] or added > 0


def replay(
    situation: Situation, opening: Opening, steps: int | None = None
) -> tuple[BettingReplay, list[View]]:
    """Return the round after ``steps`` steps of the hand, by default all, and each actor's view.

    Raises SituationError for actions of a player who is not in the hand.
    """
    positions = {seat: position for position, seat in enumerate(situation.seats)}
    now = BettingReplay(situation, opening)
    views: list[View] = []
    for step in situation.history[:steps]:
        if step.seat not in positions:
            raise SituationError(f"seat {step.seat} acted and is not in the hand")
        if step.street != now.street:
            now.next_street(step.street)
        position = positions[step.seat]
        views.append(now.view(position))
        now.act(position, step)
    if steps is None and now.street != situation.street:
        now.next_street(situation.street)
    return now, views
