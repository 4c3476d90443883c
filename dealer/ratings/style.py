"""How somebody plays: the counts behind VPIP, PFR, aggression and showdowns, from the events of hands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

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
        return StyleCounts._make(mine + theirs for mine, theirs in zip(self, other, strict=True))

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
    names = ["SB", "BB", *("UTG" if at == 0 else f"UTG+{at}" for at in range(players - 3)), "BTN"]
    for back, name in enumerate(_LATE):
        # The first to act is UTG, however few players are left behind.
        if players - 2 - back > 2:
            names[players - 2 - back] = name
    return tuple(names)


def _count_before_flop(row: dict[str, int], event: Acted, *, chance: bool) -> None:
    row["decided"] = 1
    if chance and not row["raised"]:
        row["faced"] = 1
        row["reraised"] = int(event.action == "raise")
    row["entered"] |= int(event.paid > 0)
    row["raised"] |= int(event.action == "raise")


def count_hand(events: Sequence[Event]) -> list[StyleCounts]:
    """Return what each player did in a finished hand, by position."""
    started, ended = ends_of(events)
    places = {seat: place for place, seat in enumerate(started.seats)}
    players = len(places)
    names = StyleCounts._fields
    rows = [dict.fromkeys(names, 0) for _ in range(players)]
    left = set(range(players))
    flop, raises = False, 0
    stacks, spent = started.stacks, list(map(sum, zip(started.antes, started.blinds, strict=True)))
    for event in events:
        if isinstance(event, BoardDealt) and not flop:
            flop = True
            for place in left:
                rows[place]["flops"] = 1
        elif isinstance(event, Acted):
            place = places[event.seat]
            row = rows[place]
            if event.action == "fold":
                left.discard(place)
            if not flop:
                able = [stacks[one] > max(spent) for one in (place, *left - {place})]
                _count_before_flop(row, event, chance=raises == 1 and able[0] and any(able[1:]))
                raises += event.action == "raise"
                spent[place] += event.paid
            elif event.action == "raise":
                row["bets"] += 1
            elif event.action == "fold":
                row["folds"] += 1
            elif event.paid:
                row["calls"] += 1
    winners = {places[seat] for pot in ended.pots for seat, chips in pot.wins if chips}
    for place, row in enumerate(rows):
        row["hands"] = 1
        if place in left and len(left) > 1 and not ended.equity:
            row["showdowns"], row["won"] = 1, int(place in winners)
    return [StyleCounts(**row) for row in rows]
