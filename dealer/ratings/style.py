"""How somebody plays: the counts behind VPIP, PFR, aggression and showdowns, from the events of hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from dealer.rules.events import Acted, BoardDealt, Event, ends_of

_LATE: Final = ("CO", "HJ", "LJ")


class StyleCounts(NamedTuple):
    """Counts over hands; those of two sets of hands can be added.

    ``hands``: dealt in. ``decided``: with a decision before the first board card; the big blind has none if
    all others fold. ``entered``: put in chips by choice before it (VPIP). ``raised``: raised before it (PFR).
    ``faced``: decided before it after one raise, that of another, when a raise was possible (the chance to
    3-bet); ``reraised``: and raised.
    ``flops``: still in when it was dealt. ``bets``, ``calls`` and ``folds``: decisions after it, raises among
    the bets; checks are not counted. ``showdowns``: in at the end with another. ``won``: a part of a pot
    there. A hand divided by equity has no showdown.

    What the table decided for an absent or late player counts as his decision.
    """

    hands: int = 0
    decided: int = 0
    entered: int = 0
    raised: int = 0
    faced: int = 0
    reraised: int = 0
    flops: int = 0
    bets: int = 0
    calls: int = 0
    folds: int = 0
    showdowns: int = 0
    won: int = 0

    def plus(self, other: StyleCounts) -> StyleCounts:
        """Return the counts over both sets of hands."""
        return StyleCounts._make([mine + theirs for mine, theirs in zip(self, other, strict=True)])

    def data(self) -> dict[str, float | None]:
        """Return counts and shares by name."""
        return {**self._asdict(), **self.shares()}

    def shares(self) -> dict[str, float | None]:
        """Return the usual statistics as shares (0 to 1), None where nothing can be divided by.

        ``vpip`` and ``pfr`` of the hands with a decision before the flop; ``three_bet`` of those with the
        chance to; ``aggression``: bets and raises of all bets, raises, calls and folds after it;
        ``went_to_showdown`` of the flops; ``won_at_showdown`` of the showdowns.
        """
        return {
            "vpip": _share(self.entered, self.decided),
            "pfr": _share(self.raised, self.decided),
            "three_bet": _share(self.reraised, self.faced),
            "aggression": _share(self.bets, self.bets + self.calls + self.folds),
            "went_to_showdown": _share(self.showdowns, self.flops),
            "won_at_showdown": _share(self.won, self.showdowns),
        }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@lru_cache
def position_names(players: int) -> tuple[str, ...]:
    """Return what the positions of a hand are called, in the order of its events: ``SB``, ``BB``, ``UTG``,
    ..., ``CO``, ``BTN``. Heads-up the big blind comes first, and the small blind is ``BTN``.
    """
    if players == 2:
        return "BB", "BTN"
    names = ["SB", "BB", *["UTG" if at == 0 else f"UTG+{at}" for at in range(players - 3)], "BTN"]
    for back, name in enumerate(_LATE):
        # The first to act is UTG, however few players are left behind.
        if players - 2 - back > 2:
            names[players - 2 - back] = name
    return tuple(names)


def by_position(counts: Mapping[str, StyleCounts]) -> list[dict[str, float | str | None]]:
    """Return counts and shares by position, in the order in which positions act before the flop at the
    largest table, the blinds last.
    """
    names = position_names(10)
    order = {name: place for place, name in enumerate((*names[2:], *names[:2]))}
    places = sorted(counts, key=lambda name: order.get(name, -1))
    return [{"position": place, **counts[place].data()} for place in places]


class StyleTally:
    """Counts that hands are added to: those of ``StyleCounts``, the big ``blinds`` that were won, and the sum
    of their squares by hand.
    """

    def __init__(self) -> None:
        self.hands = 0
        self.decided = 0
        self.entered = 0
        self.raised = 0
        self.faced = 0
        self.reraised = 0
        self.flops = 0
        self.bets = 0
        self.calls = 0
        self.folds = 0
        self.showdowns = 0
        self.won = 0
        self.blinds = 0.0
        self.squares = 0.0

    def counts(self) -> StyleCounts:
        """Return the counts."""
        before = self.hands, self.decided, self.entered, self.raised, self.faced, self.reraised
        return StyleCounts(*before, self.flops, self.bets, self.calls, self.folds, self.showdowns, self.won)


class _Hand:
    """A hand that is counted while its events come. Sets of positions are bits."""

    def __init__(
        self,
        tallies: Sequence[StyleTally],
        stacks: Sequence[int],
        antes: Sequence[int],
        blinds: Sequence[int],
    ) -> None:
        self._tallies = tallies
        self._stacks = stacks
        self._spent = [ante + blind for ante, blind in zip(antes, blinds, strict=True)]
        self._full = max(blinds)
        self._left = (1 << len(stacks)) - 1
        self._flop = False
        self._raises = 0
        self._decided = self._entered = self._raised = self._faced = self._reraised = 0

    def deal_board(self) -> None:
        """Note that board cards are dealt."""
        if not self._flop:
            self._flop = True
            for place, tally in enumerate(self._tallies):
                tally.flops += self._left >> place & 1

    def act(self, place: int, action: str, paid: int) -> None:
        """Count a decision."""
        if not self._flop:
            self._act_before_flop(place, action, paid)
        elif action == "raise":
            self._tallies[place].bets += 1
        elif action == "fold":
            self._tallies[place].folds += 1
        elif paid:
            self._tallies[place].calls += 1
        if action == "fold":
            self._left &= ~(1 << place)

    def _act_before_flop(self, place: int, action: str, paid: int) -> None:
        mine = 1 << place
        if self._raises == 1 and not self._raised & mine and self._can_raise(place):
            self._faced |= mine
            if action == "raise":
                self._reraised |= mine
        self._decided |= mine
        if paid > 0:
            self._entered |= mine
        if action == "raise":
            self._raised |= mine
            self._raises += 1
        self._spent[place] += paid

    def _can_raise(self, place: int) -> bool:
        """Return whether he has more than a call, and somebody else could answer a raise. After a short
        all-in nobody raises who has acted before it.
        """
        most = max(self._spent)
        if self._decided >> place & 1 and most - self._spent[place] < self._full:
            return False
        others = self._left & ~(1 << place)
        return self._stacks[place] > most and any(
            others >> one & 1 and stack > most for one, stack in enumerate(self._stacks)
        )

    def end(self, winners: int, *, equity: bool) -> None:
        """Count what is known at the end; ``winners`` of a part of a pot, as bits. ``equity``: the pots were
        divided by equity.
        """
        shown = self._left if self._left & (self._left - 1) and not equity else 0
        for place, tally in enumerate(self._tallies):
            tally.hands += 1
            tally.decided += self._decided >> place & 1
            tally.entered += self._entered >> place & 1
            tally.raised += self._raised >> place & 1
            tally.faced += self._faced >> place & 1
            tally.reraised += self._reraised >> place & 1
            tally.showdowns += shown >> place & 1
            tally.won += (shown & winners) >> place & 1


def count_hand(events: Sequence[Event]) -> list[StyleCounts]:
    """Return what each player did in a finished hand, by position."""
    started, ended = ends_of(events)
    tallies = [StyleTally() for _ in started.seats]
    hand = _Hand(tallies, started.stacks, started.antes, started.blinds)
    places = {seat: place for place, seat in enumerate(started.seats)}
    for event in events:
        if isinstance(event, Acted):
            hand.act(places[event.seat], event.action, event.paid)
        elif isinstance(event, BoardDealt):
            hand.deal_board()
    winners = {places[seat] for pot in ended.pots for seat, chips in pot.wins if chips}
    hand.end(sum(1 << place for place in winners), equity=ended.equity)
    return [tally.counts() for tally in tallies]


def count_stored(events: Sequence[Sequence[Any]], tallies: Sequence[StyleTally], big_blind: int) -> None:
    """Add a finished hand to the tallies of its players, by position. ``events`` are as ``event_to_data``
    makes them; nothing else of them is looked at, which is faster. Raises ``ValueError``, ``TypeError`` or
    ``LookupError`` for anything else; then a part may have been added.
    """
    _, _, seats, _, stacks, antes, blinds, _ = events[0]
    _, _, _, pots, values, _, *more = events[-1]
    places: dict[int, int] = {seat: place for place, seat in enumerate(seats)}
    hand = _Hand(tallies, stacks, antes, blinds)
    for event in events:
        if event[0] == "acted":
            hand.act(places[event[1]], event[2], event[4])
        elif event[0] == "board_dealt":
            hand.deal_board()
    winners = 0
    for pot in pots:
        for seat, chips in pot[2]:
            if chips:
                winners |= 1 << places[seat]
    hand.end(winners, equity=bool(more) and more[0])
    for tally, chips in zip(tallies, values, strict=True):
        won: float = chips / big_blind
        tally.blinds += won
        tally.squares += won * won
