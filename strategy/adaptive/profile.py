"""Memory of the opponents: how often each folds, calls and raises, what they bet and call with, and the
table's aggression.

The source is Aceituno 2017, 7.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from dealer.rules.events import Acted, BoardDealt, Event, HandStarted, Shown
from strategy.adaptive.value import preflop_value
from strategy.poker.strength import hand_strength

#: Prior frequencies of an unknown player, and the number of observations that they count for.
_FOLDS = 0.35
_RAISES = 0.2
BLUFFS = 0.2
LOOSE = 0.3
_ASSUMED = 8.0
_WEAK = 0.5
"""A bet with less was a bluff, and a call was loose: the value of a starting hand, or the probability of
being ahead of a random hand.
"""


class Profiles:
    """Frequencies by seat, before and after the flop; ``memory`` is how fast the table's aggression, from 0
    to 1, follows current play.
    """

    def __init__(self, own_seat: int = -1, memory: float = 0.03) -> None:
        self.own_seat = own_seat
        self.aggression = _RAISES
        self._memory = memory
        self._late = 0
        self._bets: dict[int, int] = {}
        #: By seat and whether after the flop: bets faced, and folds to them; actions, and raises.
        self._counts: dict[tuple[int, int], list[int]] = {}
        self._board: tuple[int, ...] = ()
        #: By seat: the boards on which the player raised, and on which he called a bet, in this hand.
        self._raised: dict[int, list[tuple[int, ...]]] = {}
        self._called: dict[int, list[tuple[int, ...]]] = {}
        #: As ``_counts``: bets, or calls, whose hand was shown, and those among them with a weak one.
        self._bluffs: dict[tuple[int, int], list[int]] = {}
        self._loose: dict[tuple[int, int], list[int]] = {}

    def fold_rate(self, seat: int, *, late: bool) -> float:
        """Return how often the player in ``seat`` folds to a bet."""
        faced, folded, _, _ = self._counts.get((seat, int(late)), _NONE)
        return (folded + _ASSUMED * _FOLDS) / (faced + _ASSUMED)

    def raise_rate(self, seat: int, *, late: bool) -> float:
        """Return how often the player in ``seat`` bets or raises when it is that player's turn."""
        _, _, acted, raised = self._counts.get((seat, int(late)), _NONE)
        return (raised + _ASSUMED * _RAISES) / (acted + _ASSUMED)

    def bluff_rate(self, seat: int, *, late: bool) -> float:
        """Return how often the player in ``seat`` bets or raises with a weak hand, by the showdowns."""
        shown, weak = self._bluffs.get((seat, int(late)), _NONE[:2])
        return (weak + _ASSUMED * BLUFFS) / (shown + _ASSUMED)

    def loose_rate(self, seats: Collection[int], *, late: bool) -> float:
        """Return how often the players in ``seats``, at least one, call with a weak hand, by the showdowns:
        the mean of their rates.
        """
        seen = [self._loose.get((seat, int(late)), _NONE[:2]) for seat in seats]
        return sum((weak + _ASSUMED * LOOSE) / (shown + _ASSUMED) for shown, weak in seen) / len(seen)

    def all_fold(self, seats: Iterable[int], *, late: bool) -> float:
        """Return the probability that all of these players fold to a bet, independently."""
        chance = 1.0
        for seat in seats:
            chance *= self.fold_rate(seat, late=late)
        return chance

    def observe(self, event: Event) -> None:
        """Observe an event."""
        if isinstance(event, Acted):
            self._record_action(event)
        elif isinstance(event, BoardDealt):
            self._late = 1
            self._bets = {}
            self._board += event.cards
        elif isinstance(event, HandStarted):
            self._late = 0
            self._bets = dict(zip(event.seats, event.blinds, strict=True))
            self._board, self._raised, self._called = (), {}, {}
        elif isinstance(event, Shown):
            for seat, cards in event.hands:
                self._record_shown(seat, cards)

    def _record_action(self, event: Acted) -> None:
        seat = event.seat
        facing = self._bets.get(seat, 0) < max(self._bets.values(), default=0)
        if event.action != "fold":
            self._bets[seat] = event.to
        if seat == self.own_seat:
            return
        counts = self._counts.setdefault((seat, self._late), [0, 0, 0, 0])
        raised = event.action == "raise"
        counts[0] += facing
        counts[1] += facing and event.action == "fold"
        counts[2] += 1
        counts[3] += raised
        if raised:
            self._raised.setdefault(seat, []).append(self._board)
        elif facing and event.action == "call":
            self._called.setdefault(seat, []).append(self._board)
        self.aggression += self._memory * (raised - self.aggression)

    def _record_shown(self, seat: int, hole: tuple[int, ...]) -> None:
        if not hole:
            return  # mucked
        for boards, found in ((self._raised, self._bluffs), (self._called, self._loose)):
            for board in boards.get(seat, ()):
                counts = found.setdefault((seat, int(bool(board))), [0, 0])
                counts[0] += 1
                counts[1] += (hand_strength(hole, board) if board else preflop_value(hole)) < _WEAK


_NONE = (0, 0, 0, 0)
