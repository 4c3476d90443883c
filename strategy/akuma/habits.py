"""The habits of opponents: how often each folds, calls and raises, counted from hand to hand.

A choice has a *face*: nothing to call, one bet, two bets or more, or no raise allowed any more; and the same
four for players who *led*, whose previous action, on this street or the last, was a bet or a raise.
Frequencies are kept by seat, street and face. While there are few observations, they are mixed with usual
frequencies, or with those of the other players at the table, depending on which have predicted the player
better so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.rules.events import Acted, BoardDealt, Chips, Event, HandEnded, HandStarted
from dealer.rules.games import Game
from strategy.playout.betting import bets_to_call
from strategy.playout.playout import CALL, FOLD, RAISE
from strategy.situation import Situation, SituationError

HabitRates = NDArray[np.float64]

_KINDS = {"fold": FOLD, "call": CALL, "raise": RAISE}

CAPPED = 3
LED = 4
FACES = 8

_HARDLY = 1e-6
_SURE = 20.0

_PREFLOP = ((0.0, 0.7, 0.3), (0.4, 0.4, 0.2), (0.65, 0.25, 0.1), (0.3, 0.7, 0.0))
_PREFLOP_LED = ((0.0, 0.5, 0.5), (0.05, 0.7, 0.25), (0.1, 0.65, 0.25), (0.05, 0.95, 0.0))
_LATER = ((0.0, 0.65, 0.35), (0.38, 0.47, 0.15), (0.45, 0.4, 0.15), (0.2, 0.8, 0.0))
_LATER_LED = ((0.0, 0.35, 0.65), (0.15, 0.6, 0.25), (0.2, 0.55, 0.25), (0.1, 0.9, 0.0))
USUAL: HabitRates = np.array([_PREFLOP + _PREFLOP_LED, *[_LATER + _LATER_LED] * 3])
"""How often an unknown player folds, calls and raises: float64[4 streets, 8 faces, 3]."""


class BettingTracker:
    """The bets of a hand in progress.

    ``level``, by position: the bets a player has paid. ``led``, by position: whether the player's last action
    was a bet or a raise. ``behind``: at no-limit tables, by position, the chips left after blinds and antes;
    there a bet is counted by its price, as in ``strategy.playout.betting``. ``antes``: chips that belong to
    no bet.
    """

    def __init__(
        self,
        caps: Sequence[int],
        blinds: Sequence[int],
        behind: Sequence[Chips] | None = None,
        antes: int = 0,
    ) -> None:
        big = max(1, *blinds)
        self.street = 0
        self.bets = 1
        self.raises = 0
        self.level = [int(blind >= big) for blind in blinds]
        self.led = [False] * len(blinds)
        self._caps = caps
        self._behind = None if behind is None else list(behind)
        self._chips = list(blinds)
        self._pot = sum(blinds) + antes

    def next_street(self, street: int) -> None:
        """Start a street without bets."""
        self.street, self.bets, self.raises = street, 0, 0
        self.level = [0] * len(self.level)
        self._chips = [0] * len(self.level)

    def choice_type(self, position: int) -> int:
        """Return the face of this player's choice."""
        led = LED if self.led[position] else 0
        if self.raises >= self._caps[self.street]:
            return led + CAPPED
        owed = self.bets - self.level[position]
        if self._behind is not None:
            chips = min(self._behind[position], max(self._chips) - self._chips[position])
            price = chips / (self._pot + chips) if chips > 0 else 0.0
            owed = bets_to_call(False, owed if chips > 0 else 0, self.bets, price, self.street)
        return led + min(2, owed)

    def act(self, position: int, kind: str, to: int) -> None:
        """Apply an action; ``to`` are the player's chips on the street after it."""
        self.led[position] = kind == "raise"
        if kind == "raise":
            self.bets += 1
            self.raises += 1
        self.level[position] = self.bets
        added = max(0, to - self._chips[position])
        self._chips[position] += added
        self._pot += added
        if self._behind is not None:
            self._behind[position] -= added


class Choice(NamedTuple):
    """A choice: ``position``, ``street``, ``face``, and 0 for a fold, 1 a call, 2 a raise."""

    position: int
    street: int
    face: int
    action: int


def choices(situation: Situation, tracker: BettingTracker) -> Iterator[Choice]:
    """Yield the choices of the hand so far, and advance ``tracker`` from the hand's beginning to the
    situation.

    Raises SituationError for choices of a player who is not in the hand.
    """
    for step in situation.history:
        if step.seat not in situation.seats:
            raise SituationError(f"seat {step.seat} acted and is not in the hand")
        if step.street != tracker.street:
            tracker.next_street(step.street)
        position = situation.seats.index(step.seat)
        yield Choice(position, step.street, tracker.choice_type(position), _KINDS[step.kind])
        tracker.act(position, step.kind, step.to)
    if situation.street != tracker.street:
        tracker.next_street(situation.street)


class Habits:
    """Counts of each opponent's actions, and results: ``won`` are net chips in ``hands`` hands."""

    def __init__(self, game: Game, prior: float) -> None:
        self.hands = 0
        self.won: dict[int, Chips] = {}
        self.started: HandStarted | None = None
        self._limit = game.limit
        self._caps = game.max_raises
        self._prior = prior
        self._counts: dict[int, HabitRates] = {}
        self._all = np.zeros_like(USUAL)
        # The logarithm of how much better the others' frequencies predicted a seat's actions than the usual
        # ones.
        self._alike: dict[int, float] = {}
        self._round = BettingTracker(self._caps, (0,))

    def observe(self, event: Event) -> None:
        """Count an action, except those that the table takes for an absent player.

        Raises SituationError for impossible events.
        """
        match event:
            case Acted():
                started = self._choices_of_hand()
                if event.seat not in started.seats:
                    raise SituationError(f"seat {event.seat} acted and is not in the hand")
                position = started.seats.index(event.seat)
                if not event.forced and not started.hole[position]:
                    self._count(event.seat, self._round.choice_type(position), _KINDS[event.action])
                self._round.act(position, event.action, event.to)
            case BoardDealt():
                self._round.next_street(event.street)
            case HandStarted():
                self.started = event
                self._round = self._first_round(event)
            case HandEnded():
                self.hands += 1
                for seat, chips in zip(self._choices_of_hand().seats, event.values, strict=True):
                    self.won[seat] = self.won.get(seat, 0) + chips

    def rates(self, seat: int) -> HabitRates:
        """Return how often this seat folds, calls and raises: float64[4 streets, 8 faces, 3]."""
        usual, others = self._blended_counts(seat)
        alike = 1 / (1 + exp(-self._alike.get(seat, 0.0)))
        rates: HabitRates = usual + alike * (others - usual)
        return rates

    def _first_round(self, started: HandStarted) -> BettingTracker:
        stacks, antes, blinds = started.stacks, started.antes, started.blinds
        left = [stack - ante - blind for stack, ante, blind in zip(stacks, antes, blinds, strict=True)]
        return BettingTracker(self._caps, blinds, None if self._limit else left, sum(antes))

    def _choices_of_hand(self) -> HandStarted:
        if self.started is None:
            raise SituationError("something happens before a hand has started")
        return self.started

    def _count(self, seat: int, face: int, action: int) -> None:
        cell = self._round.street, face, action
        usual, others = (max(float(guess[cell]), _HARDLY) for guess in self._blended_counts(seat))
        alike = self._alike.get(seat, 0.0) + log(others / usual)
        self._alike[seat] = max(-_SURE, min(_SURE, alike))
        self._counts.setdefault(seat, np.zeros_like(USUAL))[cell] += 1
        self._all[cell] += 1

    def _blended_counts(self, seat: int) -> tuple[HabitRates, HabitRates]:
        """Return the seat's counts mixed with usual frequencies, and mixed with those of all others."""
        counts = self._counts.get(seat, 0.0)
        others = _shares(self._prior * USUAL + self._all - counts)
        return _shares(self._prior * USUAL + counts), _shares(self._prior * others + counts)


def _shares(counts: HabitRates) -> HabitRates:
    shares: HabitRates = counts / counts.sum(axis=2, keepdims=True)
    return shares
