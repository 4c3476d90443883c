"""Rankings by chips: places with ties, and the bankroll instant run-off of the ACPC.

Chips are compared to a millionth, the precision of ACPC log files: split pots are fractions there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from typing import NamedTuple

from dealer.errors import ScoreError

_DECIMALS = 6

LineUpChips = Mapping[tuple[str, ...], Sequence[float]]


class Place(NamedTuple):
    """A place in a ranking. Bots with equal chips share it, the next place is then left out (1, 2, 2, 4)."""

    place: int
    bot: str
    chips: float


class RunOffRound(NamedTuple):
    """A round of a run-off: what the remaining bots won from each other, richest first, and who is
    eliminated.

    ``dropped`` is empty in the last round, which decides the places of the remaining bots.
    """

    ranking: tuple[Place, ...]
    dropped: tuple[str, ...]


class RunOff(NamedTuple):
    """All rounds, and the final ranking, whose ``chips`` are those of each bot's last round."""

    rounds: tuple[RunOffRound, ...]
    ranking: tuple[Place, ...]


def bankrolls(results: LineUpChips, bots: Sequence[str]) -> dict[str, float]:
    """Chips of each bot over the line-ups in which only ``bots`` play.

    ``results``: for each line-up, its bots' net chips in the line-up's order. The sums do not depend on the
    order.
    """
    among = set(bots)
    parts: dict[str, list[float]] = {bot: [] for bot in bots}
    for line_up, chips in results.items():
        if among.issuperset(line_up):
            for bot, won in zip(line_up, chips, strict=True):
                parts[bot].append(won)
    return {bot: round(fsum(won), _DECIMALS) + 0.0 for bot, won in parts.items()}


def ranked_places(chips: Mapping[str, float]) -> tuple[Place, ...]:
    """Ranking by chips, richest first; ties share a place and stand in the order of ``chips``."""
    ranked = sorted(chips, key=lambda bot: -chips[bot])
    found: list[Place] = []
    for index, bot in enumerate(ranked, 1):
        tied = found and found[-1].chips == chips[bot]
        found.append(Place(found[-1].place if tied else index, bot, chips[bot]))
    return tuple(found)


def instant_run_off(results: LineUpChips, bots: Sequence[str], players: int) -> RunOff:
    """Bankroll instant run-off (ACPC; Gloeckner 2013, section 4.5).

    While more bots are left than sit at a table, all with the lowest bankroll among the line-ups of those
    left go out and share a place below the others. The last table's places are decided by its own result. Two
    cases the source leaves open: if dropping a tie would leave too few for a table, or nobody, the bots'
    places are those of that round's bankrolls.

    Raises ``ScoreError`` (``nothing_to_score``) if a round's bots have not met.
    """
    left = list(bots)
    rounds: list[RunOffRound] = []
    behind: list[Place] = []
    while True:
        if not any(set(left).issuperset(line_up) for line_up in results):
            raise ScoreError("nothing_to_score", f"no results of {', '.join(left)} among themselves")
        ranking = ranked_places(bankrolls(results, left))
        dropped = tuple(place.bot for place in ranking if place.chips == ranking[-1].chips)
        if len(left) <= players or len(left) - len(dropped) < players:
            rounds.append(RunOffRound(ranking, ()))
            return RunOff(tuple(rounds), (*ranking, *behind))
        rounds.append(RunOffRound(ranking, dropped))
        shared = len(left) - len(dropped) + 1
        behind = [Place(shared, place.bot, place.chips) for place in ranking if place.bot in dropped] + behind
        left = [bot for bot in left if bot not in dropped]
