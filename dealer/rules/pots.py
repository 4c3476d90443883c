"""Who gets which chips when the betting is over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import neg
from typing import NamedTuple

from dealer.rules.events import Chips, PotAward

FOLDED = -1
"""The rank of a hand that was folded: below every hand at the showdown."""

# A hand makes many of these, in half the time that their own constructors take.
_new = tuple.__new__


class Settlement(NamedTuple):
    """(seat, chips) of a bet nobody called, the pots, and the chips each position won or lost."""

    returned: tuple[int, int] | None
    pots: tuple[PotAward, ...]
    values: tuple[Chips, ...]


def settle(
    spent: Sequence[int], ranks: Sequence[int], seats: Sequence[int] | None = None, *, fractions: bool
) -> Settlement:
    """Divide the chips ``spent`` per position among the best of the ``ranks`` (``FOLDED``: out of it).

    A player wins from each other at most what he spent himself, so there is a side pot for every lesser
    amount that one of them went all-in with. With ``fractions`` a pot that does not divide is split evenly
    (``acpc`` rules); otherwise every pot is split by itself and its odd chips go one each to the winners
    first left of the button, the lowest positions (Robert's Rules of Poker 11, ties 3 to 5). At least one
    position has not folded. ``seats`` are the seats of the positions, by default the same numbers.
    """
    if seats is None:
        seats = range(len(spent))
    live = [position for position, rank in enumerate(ranks) if rank != FOLDED]
    most = max(spent)
    winner = live[0] if len(live) == 1 else _sole_winner(spent, ranks, live, most)
    if winner >= 0:
        return _take_all(spent, seats, live, winner)
    returned, contested = _split_uncalled(spent, ranks, most)
    pots = tuple(
        PotAward(
            amount,
            tuple(seats[position] for position in eligible),
            _wins(amount, winners, seats, fractions=fractions),
        )
        for amount, eligible, winners in _pots(contested, ranks, live)
    )
    values = _acpc_values(spent, ranks) if fractions else _values(pots, contested, seats)
    return Settlement(returned and (seats[returned[0]], returned[1]), pots, values)


def settle_twice(
    spent: Sequence[int], ranks: Sequence[int], second: Sequence[int], seats: Sequence[int]
) -> Settlement:
    """As ``settle`` with whole chips, but half of every pot goes by ``ranks`` and half by those of the
    ``second`` board; an odd chip is played for on the first. A pot that one player alone can win is whole.
    """
    returned, contested, live = _contested(spent, ranks)
    pots = []
    for board, values in enumerate((ranks, second)):
        for amount, eligible, winners in _pots(contested, values, live):
            half = (amount + 1 - board) // 2
            if len(eligible) == 1:
                half = 0 if board else amount
            if half:
                wins = _wins(half, winners, seats, fractions=False)
                pots.append(PotAward(half, tuple([seats[position] for position in eligible]), wins, board))
    return Settlement(
        returned and (seats[returned[0]], returned[1]), tuple(pots), _values(pots, contested, seats)
    )


def settle_by_equity(
    spent: Sequence[int],
    folded: Sequence[bool],
    points: Callable[[Sequence[int]], Sequence[int]],
    seats: Sequence[int],
) -> Settlement:
    """As ``settle``, but every pot is divided by the ``points`` of the positions that can win it: whole
    chips, rounded down, and the odd ones one each to those who lost most by that, of equals to the first left
    of the button.
    """
    returned, contested, live = _contested(spent, [FOLDED if out else 0 for out in folded])
    pots = []
    for amount, eligible, _ in _pots(contested, [0] * len(spent), live):
        shares = _divide(amount, [1] if len(eligible) == 1 else points(eligible))
        places = [seats[position] for position in eligible]
        wins = tuple([(seat, chips) for seat, chips in zip(places, shares, strict=True) if chips])
        pots.append(PotAward(amount, tuple(places), wins))
    return Settlement(
        returned and (seats[returned[0]], returned[1]), tuple(pots), _values(pots, contested, seats)
    )


def _contested(
    spent: Sequence[int], ranks: Sequence[int]
) -> tuple[tuple[int, int] | None, Sequence[int], list[int]]:
    """What nobody called, what each spent without it, and who has not folded."""
    live = [position for position, rank in enumerate(ranks) if rank != FOLDED]
    return *_split_uncalled(spent, ranks, max(spent)), live


def _divide(amount: int, points: Sequence[int]) -> list[int]:
    """So many chips in proportion to the points."""
    total = sum(points)
    parts = [divmod(amount * one, total) for one in points]
    shares = [whole for whole, _ in parts]
    by_rest = sorted(range(len(parts)), key=lambda place: -parts[place][1])
    for place in by_rest[: amount - sum(shares)]:
        shares[place] += 1
    return shares


def _values(pots: Sequence[PotAward], contested: Sequence[int], seats: Sequence[int]) -> tuple[Chips, ...]:
    won: dict[int, Chips] = dict.fromkeys(seats, 0)
    for pot in pots:
        for seat, chips in pot.wins:
            won[seat] += chips
    return tuple([won[seat] - chips for seat, chips in zip(seats, contested, strict=True)])


def open_pots(
    spent: Sequence[int], folded: Sequence[bool], start: int, seats: Sequence[int]
) -> tuple[PotAward, ...]:
    """The pots of the streets that are over, main pot first, with the seats that can win each; nobody has won
    yet. ``start`` is what had to be paid before the street in progress (``Betting.street_start``): what was
    paid beyond it is still in front of the players.
    """
    ranks = [FOLDED if out else 0 for out in folded]
    live = [position for position, out in enumerate(folded) if not out]
    paid = [min(chips, start) for chips in spent]
    return tuple(
        PotAward(amount, tuple([seats[position] for position in eligible]), ())
        for amount, eligible, _ in _pots(paid, ranks, live)
    )


def _sole_winner(spent: Sequence[int], ranks: Sequence[int], live: list[int], most: int) -> int:
    """Who wins alone the one pot that there is; -1 when there are side pots or ties."""
    best = max(ranks)
    if ranks.count(best) > 1:
        return -1
    for position in live:
        if spent[position] != most:
            return -1
    return ranks.index(best)


def _take_all(spent: Sequence[int], seats: Sequence[int], live: list[int], winner: int) -> Settlement:
    """One player wins everything, and takes back first what nobody called."""
    total = sum(spent)
    own = spent[winner]
    values: list[Chips] = list(map(neg, spent))
    values[winner] = total - own
    returned = None
    if len(live) == 1:
        unmatched = own - max([chips for position, chips in enumerate(spent) if position != winner])
        if unmatched > 0:
            returned = (seats[winner], unmatched)
            total -= unmatched
    pots = (
        (
            _new(
                PotAward, (total, tuple([seats[position] for position in live]), ((seats[winner], total),), 0)
            ),
        )
        if total
        else ()
    )
    return _new(Settlement, (returned, pots, tuple(values)))


def _split_uncalled(
    spent: Sequence[int], ranks: Sequence[int], most: int
) -> tuple[tuple[int, int] | None, Sequence[int]]:
    """(position, chips) of what nobody matched of the largest bet, and what each spent without it."""
    position = spent.index(most)
    rest = max(chips for other, chips in enumerate(spent) if other != position)
    if rest == most or ranks[position] == FOLDED:
        return None, spent
    contested = list(spent)
    contested[position] = rest
    return (position, most - rest), contested


def _pots(
    spent: Sequence[int], ranks: Sequence[int], live: list[int]
) -> list[tuple[int, list[int], list[int]]]:
    """Chips, positions that can win them, and positions that do: the main pot, then the side pots."""
    pots = []
    below = 0
    for level in sorted({spent[position] for position in live}):
        amount = sum(min(chips, level) - min(chips, below) for chips in spent)
        below = level
        if amount:
            eligible = [position for position in live if spent[position] >= level]
            best = max(ranks[position] for position in eligible)
            pots.append((amount, eligible, [position for position in eligible if ranks[position] == best]))
    return pots


def _wins(
    amount: int, winners: list[int], seats: Sequence[int], *, fractions: bool
) -> tuple[tuple[int, Chips], ...]:
    share, odd = divmod(amount, len(winners))
    if odd and fractions:
        return tuple((seats[position], amount / len(winners)) for position in winners)
    return tuple((seats[position], share + (index < odd)) for index, position in enumerate(winners))


def _acpc_values(spent: Sequence[int], ranks: Sequence[int]) -> tuple[Chips, ...]:
    """What each won or lost, in the double arithmetic and the order of the ACPC reference dealer 1.0.42.

    The smallest amount that anybody still has in play is taken from each who has; the best hands share what
    the others paid of it. What is left when only folded hands have chips in play, it forgets.
    """
    left = list(spent)
    values: list[Chips] = [0] * len(spent)
    playing = [position for position, chips in enumerate(spent) if chips]
    while any(ranks[position] != FOLDED for position in playing):
        size = min(left[position] for position in playing)
        best = max(ranks[position] for position in playing)
        winners = sum(ranks[position] == best for position in playing)
        others = size * (len(playing) - winners)
        gain = others / winners if others % winners else others // winners
        for position in playing:
            values[position] += gain if ranks[position] == best else -size
            left[position] -= size
        playing = [position for position in playing if left[position]]
    return tuple(
        -chips if rank == FOLDED else int(value) if value == int(value) else value
        for chips, rank, value in zip(spent, ranks, values, strict=True)
    )
