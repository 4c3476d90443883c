"""Who should play next: the line-up that most lowers the chance of wrong orders, for the time that it takes.

After some deal sets of a line-up the covariance of the ratings is known beforehand. From it follows, for each
pair of neighbours in the ranking, the chance that the better one will be ranked below; what a line-up is
worth is the sum of these falls over all neighbours, per second of computing. Source: knowledge gradient,
Frazier, Powell and Dayanik 2008 (SIAM J. Control Optim. 47), with the chance of a wrong order as the loss.

Two rules come before: a bot that has waited too long plays, and so does one that has played too little for
a rating.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, pairwise
from math import asin, erf, exp, pi, sin, sqrt
from typing import Final, NamedTuple

from dealer.ratings.matrix import Vector, apply, dot
from dealer.ratings.model import Ratings, connected_parts

#: Every bot plays this many deal sets before worth decides.
FIRST_DEAL_SETS: Final = 10
#: Nobody waits longer than three median waits: from a good third of that on a bot is due, as several may be.
LONGEST_WAIT: Final = 3.0
_DUE: Final = 1.2
_WORTH_ENOUGH: Final = 0.5
#: At larger tables bots that have met in so many line-ups meet in these again: the time that ratings take
#: grows with the number of line-ups.
MOST_LINE_UPS: Final = 20
_GAUSS = (
    (0.1713244923791704, 0.9324695142031521),
    (0.3607615730481386, 0.6612093864662645),
    (0.4679139345726910, 0.2386191860831969),
)


class Candidate(NamedTuple):
    """A line-up that may play next: by how much the summed chance of wrong neighbour orders would fall, and
    the seconds of computing that it takes.
    """

    line_up: tuple[str, ...]
    fall: float
    seconds: float

    @property
    def worth(self) -> float:
        """Return the fall per second of computing."""
        return self.fall / self.seconds


def candidates(
    ratings: Ratings,
    free: Sequence[str],
    deal_sets: int,
    seconds: Callable[[tuple[str, ...]], float] | None = None,
) -> list[Candidate]:
    """Return line-ups of bots that are free, the most worthy first.

    ``deal_sets``: how many would be played. ``seconds``: what a line-up would take (default: always 1).
    Heads-up all pairs are compared, at larger tables line-ups of bots that are near in the ranking, and those
    that have met.
    """
    order = sorted(ratings.field, key=lambda bot: (-ratings.means[ratings.field.index(bot)], bot))
    neighbours = list(pairwise(order))
    at = {bot: place for place, bot in enumerate(order)}
    found = []
    for ranked in _line_ups(order, set(free), ratings):
        line_up = tuple(sorted(ranked))
        fall = ratings.falls.get((line_up, deal_sets))
        if fall is None:
            places = {place for bot in line_up for place in (at[bot] - 1, at[bot])}
            touched = [neighbours[place] for place in sorted(places) if 0 <= place < len(neighbours)]
            fall = ratings.falls[line_up, deal_sets] = _fall(ratings, line_up, deal_sets, touched)
        found.append(Candidate(line_up, fall, seconds(line_up) if seconds else 1.0))
    return sorted(found, key=lambda candidate: (-candidate.worth, candidate.line_up))


def _fall(
    ratings: Ratings, line_up: tuple[str, ...], deal_sets: int, touched: Sequence[tuple[str, str]]
) -> float:
    """Return by how much the chance of a wrong order falls, summed over the neighbours that it concerns."""
    total = 0.0
    u, fall = ratings.after(line_up, deal_sets, {bot for pair in touched for bot in pair})
    for better, worse in touched:
        ahead, error = ratings.difference(better, worse)
        if error == 0.0:
            continue
        gap: Vector = [one - two for one, two in zip(u[better], u[worse], strict=True)]
        told = min(dot(gap, apply(fall, gap)) / (error * error), 1.0)
        total += _below(-ahead / error) - wrong_order(ahead / error, told)
    return total


def next_line_up(
    ratings: Ratings,
    free: Sequence[str],
    waits: Mapping[str, float],
    deal_sets: int,
    seconds: Callable[[tuple[str, ...]], float] | None = None,
) -> tuple[str, ...] | None:
    """Return who should play next; None if too few bots are free.

    ``waits``: for how long each free bot has not played, in any unit. First comes who has played less than
    ``FIRST_DEAL_SETS``; then who connects parts of the field that have not met; then who is due, having
    waited for much longer than the median.
    """
    ranked = candidates(ratings, free, deal_sets, seconds)
    if not ranked:
        return None
    played = {bot: ratings.results.deal_sets(bot) for bot in free}
    newest = min(free, key=lambda bot: (played[bot], bot))
    if played[newest] < FIRST_DEAL_SETS:
        return next((candidate.line_up for candidate in ranked if newest in candidate.line_up), None)
    part = connected_parts([line_up for line_up, _ in ratings.results])
    apart = [one for one in ranked if len({part.get(bot) for bot in one.line_up}) > 1]
    if apart:
        return apart[0].line_up
    known = sorted(waits.get(bot, 0.0) for bot in free)
    # In a small field half of the bots have just played; then somebody else must not wait for ever.
    limit = _DUE * (known[len(known) // 2] or sum(known) / len(known))
    due = [bot for bot in free if waits.get(bot, 0.0) >= limit > 0]
    if not due:
        return ranked[0].line_up
    longest = max(due, key=lambda bot: (waits[bot], bot))
    its = [candidate for candidate in ranked if longest in candidate.line_up]
    # Two that are due meet if that is not worth much less.
    return max(
        (one for one in its if one is its[0] or one.worth >= its[0].worth * _WORTH_ENOUGH),
        key=lambda candidate: sum(bot in due for bot in candidate.line_up),
    ).line_up


def wrong_order(gap: float, told: float) -> float:
    """Return the chance that an order will be wrong: of a true difference that is normal with mean ``gap``
    and deviation 1, when the share ``told`` of its variance has been seen.
    """
    if told <= 0.0:
        return _below(-abs(gap))
    correlation = sqrt(min(told, 1.0))
    # What is seen and what is true have different signs. Both are normal with means gap / deviation.
    return _both_below(gap / correlation, -gap, -correlation) + _both_below(
        -gap / correlation, gap, -correlation
    )


def _below(x: float) -> float:
    """Return the chance that a standard normal variable is below x."""
    return 0.5 * (1.0 + erf(x / sqrt(2.0)))


def _both_below(x: float, y: float, correlation: float) -> float:
    """Return the chance that two standard normal variables with a correlation are below x and y.

    Drezner and Wesolowsky 1990 (J. Statist. Comput. Simul. 35): the integral over the correlation.
    """
    reach = asin(correlation)
    total = 0.0
    for weight, node in _GAUSS:
        for sign in (-1.0, 1.0):
            angle = reach * (sign * node + 1) / 2
            sine = sin(angle)
            free = max(1 - sine * sine, 1e-12)
            total += weight * exp(-(x * x - 2 * sine * x * y + y * y) / (2 * free))
    return _below(x) * _below(y) + total * reach / (4 * pi)


def _line_ups(order: Sequence[str], free: set[str], ratings: Ratings) -> list[tuple[str, ...]]:
    """Return the line-ups to compare, from the ranking."""
    ranked = [bot for bot in order if bot in free]
    players = ratings.players
    if players == 2:
        return list(combinations(ranked, 2))
    met = [line_up for line_up, _ in ratings.results if len(line_up) == players]
    counts = Counter([bot for line_up in met for bot in line_up])
    full = {bot for bot in ranked if counts[bot] >= MOST_LINE_UPS}
    found = dict.fromkeys([line_up for line_up in met if free.issuperset(line_up)])
    # Bots that are 1, 2, 3 ... places apart: near ones decide the order, far ones connect the field.
    for stride in range(1, max(1, (len(ranked) - 1) // (players - 1)) + 1):
        for start in range(len(ranked) - stride * (players - 1)):
            line_up = ranked[start : start + stride * players : stride]
            if not full.issuperset(line_up):
                found[tuple(sorted(line_up))] = None
    return list(found)
