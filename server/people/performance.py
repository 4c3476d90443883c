"""How a person did, in tournaments won and big blinds, with 95 % intervals. Pure arithmetic.

The units of an interval are independent: of one person the tournaments, or the hands of a challenge, where
everybody's stack is reset; of many people the results, one for each person and challenge.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt
from statistics import NormalDist
from typing import Final

from msgspec import Struct

from dealer.intervals import CONFIDENCE, Interval, ratio_interval, student_half
from protocol.people import Estimate, PlayScore

_Z: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


class PlaySetting(Struct, frozen=True):
    """What was played. Results with equal settings are compared. ``bots`` are the opponents; ``stack``,
    blinds and ante are those of the first hand; ``levels``: hands per blind level, 0 if they never rise;
    ``rival`` and ``hands``: of a challenge; ``matches``: tournaments, otherwise 1.
    """

    mode: str
    game: str
    bots: tuple[str, ...]
    rival: str
    small_blind: int
    big_blind: int
    ante: int
    stack: int
    levels: int
    min_raise: str
    matches: int
    hands: int
    memory: str


class PlayedMatch(Struct, frozen=True):
    """A tournament, or a challenge. ``place`` is 0 in a challenge; ``chips``: won or lost in it; ``forced``:
    how often the table acted for the person. ``hands`` has for each of his hands the chips won, the same
    corrected for luck, and the big blind.
    """

    place: int
    chips: float | int
    forced: int
    hands: list[tuple[float | int, float | int, int]]


class PlaySums(Struct, frozen=True):
    """What is added up of a unit. ``net`` and ``adjusted``: big blinds won, raw and corrected for luck;
    ``share``: the corrected share of all chips of a tournament, summed over ``tournaments``.
    """

    tournaments: int
    won: int
    hands: int
    net: float
    adjusted: float
    share: float


def sums_of(match: PlayedMatch, setting: PlaySetting) -> PlaySums:
    """Return the sums of a tournament or challenge.

    The winner of a tournament has all chips. So the expected share of the chips is the probability of
    winning, and correcting the one corrects the other.
    """
    tournament = setting.mode == "tournament"
    chips = fsum(adjusted for _, adjusted, _ in match.hands)
    share = (setting.stack + chips) / (setting.stack * (len(setting.bots) + 1)) if tournament else 0.0
    return PlaySums(
        tournaments=int(tournament),
        won=int(match.place == 1),
        hands=len(match.hands),
        net=fsum(net / blind for net, _, blind in match.hands),
        adjusted=fsum(adjusted / blind for _, adjusted, blind in match.hands),
        share=share,
    )


def per_100_hands(hands: int, won: float, squares: float) -> Estimate:
    """Return what was ``won`` in so many independent hands, at least one, as a rate per 100. ``squares``: the
    sum of the squares of what was won in each.
    """
    mean = won / hands
    half = student_half((squares - hands * mean * mean) / hands**2, hands)
    if half is None:
        return Estimate(round(100 * mean, 2), None, None)
    return Estimate(*(round(100 * rate, 2) for rate in (mean, mean - half, mean + half)))


def total(units: Sequence[PlaySums]) -> PlaySums:
    """Return the sums over all units."""
    return PlaySums(
        sum(one.tournaments for one in units),
        sum(one.won for one in units),
        sum(one.hands for one in units),
        fsum(one.net for one in units),
        fsum(one.adjusted for one in units),
        fsum(one.share for one in units),
    )


def own_score(matches: Sequence[PlayedMatch], setting: PlaySetting) -> PlayScore:
    """Return how one person did. Raises ``ScoreError`` (``nothing_to_score``) without any hand."""
    if setting.mode == "tournament":
        units = [sums_of(match, setting) for match in matches]
    else:
        units = [
            PlaySums(0, 0, 1, net / blind, adjusted / blind, 0.0)
            for match in matches
            for net, adjusted, blind in match.hands
        ]
    return _score(1, units)


def pooled_score(results: Sequence[PlaySums]) -> PlayScore | None:
    """Return how all did whose results are given, or None if there are none."""
    return _score(len(results), results) if results else None


def _score(results: int, units: Sequence[PlaySums]) -> PlayScore:
    whole = total(units)
    hands = [one.hands for one in units]
    won = adjusted_won = None
    if whole.tournaments:
        won = wilson(whole.won, whole.tournaments)
        counts = [one.tournaments for one in units]
        adjusted_won = _estimate(ratio_interval([one.share for one in units], counts).interval())
    return PlayScore(
        results=results,
        tournaments=whole.tournaments,
        won=whole.won,
        hands=whole.hands,
        share=won,
        share_adjusted=adjusted_won,
        bb100=_estimate(ratio_interval([one.net for one in units], hands).interval().scaled(100)),
        bb100_adjusted=_estimate(
            ratio_interval([one.adjusted for one in units], hands).interval().scaled(100)
        ),
    )


def _estimate(interval: Interval) -> Estimate:
    found = interval.if_enough_units()
    return Estimate(found.mean, found.low, found.high)


def wilson(won: int, of: int) -> Estimate:
    """Return a share with Wilson's 95 % interval (1927), for ``of`` > 0 independent tournaments. Unlike
    Student's it is right for a few, and if none or all are won.
    """
    share, z2 = won / of, _Z * _Z
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z / (1 + z2 / of) * sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    # Rounding must not put the end beyond the share itself.
    return Estimate(share, min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half)))
