"""The units of work of the study: all rows grow evenly, so that an early stop costs each the same part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from strategy.lbr.response import FREEDOMS
from strategy.nolimit_bots.policy import DEPTHS
from studies.harness.work import Unit
from studies.nolimit.jobs import SEARCH, best_responses, duel, pace, search_duel, small_game

OPPONENTS = ("fair", "loki2", "akuma", "adaptive2")
PUSH_FOLD_DEPTH = 10
LBR_DEPTHS = (200, 100, 50, 20)
PACE_DEPTH = 100
_SEARCH_SECONDS = {"fc": 4, "fcpa": 9, "56": 200}
"""Of CPU time that a deal of a local best response against the search takes, about."""


class NoLimitSizes(NamedTuple):
    """Deals of each kind, and how many make a unit. ``batches`` train the game with twenty cards; with none
    it is left out.
    """

    lbr: int = 2000
    lbr_together: int = 500
    #: By depth and freedom: deals of a local best response against the search.
    search_lbr: tuple[tuple[int, str, int], ...] = (
        (200, "fcpa", 400),
        (100, "fcpa", 60),
        (50, "fcpa", 60),
        (20, "fcpa", 60),
        (200, "fc", 60),
        (200, "56", 12),
    )
    search_lbr_together: int = 10
    duels: int = 4000
    push_fold: int = 20_000
    match: int = 250
    search_duels: tuple[tuple[int, int], ...] = ((100, 250), (200, 200))
    search_paths: int = 48
    search_duels_together: int = 20
    pace: tuple[tuple[str, int], ...] = (("nolimit", 10_000), (SEARCH, 100))
    batches: int = 16_000


FULL = NoLimitSizes()
QUICK = NoLimitSizes(
    lbr=2,
    lbr_together=1,
    search_lbr=((200, "fcpa", 1),),
    duels=2,
    push_fold=2,
    match=1,
    search_duels=((100, 2),),
    search_paths=1,
    pace=(("nolimit", 3), (SEARCH, 2)),
    batches=0,
)


def sizes(quick: bool) -> NoLimitSizes:
    """Return the sizes of a run."""
    return QUICK if quick else FULL


def units(quick: bool, seed: int) -> list[Unit]:
    """Return the work: first the game with twenty cards, which takes longest, and the pace; then all kinds
    evenly.
    """
    size = sizes(quick)
    first = [Unit("small", small_game, (size.batches, "holdem5.nolimit.2p"), 3000)] if size.batches else []
    for bot, hands in size.pace:
        first.append(Unit(f"pace/{bot}", pace, (bot, PACE_DEPTH, seed, hands, quick), 100))
    kinds = [_trained_lbr(size, seed, quick), _search_lbr(size, seed, quick), _duels(size, seed)]
    kinds.append(_search_duels(size, seed, quick))
    return [*first, *_evenly([_evenly(_by_row(list(kind))) for kind in kinds])]


def _by_row(found: list[Unit]) -> list[list[Unit]]:
    rows: dict[str, list[Unit]] = {}
    for unit in found:
        rows.setdefault(unit.key.partition("/")[0], []).append(unit)
    return list(rows.values())


def _evenly(lists: list[list[Unit]]) -> list[Unit]:
    """Return all units: after any part of them, the same part of each list."""
    placed = [((place + 0.5) / len(one), unit) for one in lists for place, unit in enumerate(one)]
    return [unit for _, unit in sorted(placed, key=lambda pair: pair[0])]


def _chunks(count: int, together: int) -> Iterator[Sequence[int]]:
    for first in range(0, count, together):
        yield tuple(range(first, min(count, first + together)))


def _trained_lbr(size: NoLimitSizes, seed: int, quick: bool) -> Iterator[Unit]:
    for depth, freedom in product(LBR_DEPTHS, FREEDOMS):
        for numbers in _chunks(size.lbr, size.lbr_together):
            arguments = ("nolimit", depth, freedom, 1 if quick else 16, seed, numbers, quick)
            key = f"lbr-{depth}-{freedom}/{numbers[0]}"
            yield Unit(key, best_responses, arguments, len(numbers) * (0.09 if freedom == "56" else 0.03))


def _search_lbr(size: NoLimitSizes, seed: int, quick: bool) -> Iterator[Unit]:
    for depth, freedom, count in size.search_lbr:
        # A turn is solved for each of 56 sizes.
        for numbers in _chunks(count, 2 if freedom == "56" else size.search_lbr_together):
            arguments = (SEARCH, depth, freedom, 1, seed, numbers, quick)
            key = f"search-lbr-{depth}-{freedom}/{numbers[0]}"
            yield Unit(key, best_responses, arguments, len(numbers) * _SEARCH_SECONDS[freedom])


def _duels(size: NoLimitSizes, seed: int) -> Iterator[Unit]:
    for depth in DEPTHS:
        for other in OPPONENTS:
            for match in range(size.duels // size.match):
                yield _duel(other, depth, seed, match, size.match)
    for match in range(size.push_fold // size.match):
        yield _duel("pushfold", PUSH_FOLD_DEPTH, seed, match, size.match)


def _duel(other: str, depth: int, seed: int, match: int, hands: int) -> Unit:
    return Unit(f"duel-{depth}-{other}/{match}", duel, (other, depth, seed, match, hands), hands * 0.02)


def _search_duels(size: NoLimitSizes, seed: int, quick: bool) -> Iterator[Unit]:
    for depth, count in size.search_duels:
        for numbers in _chunks(count, size.search_duels_together):
            arguments = (depth, seed, size.search_paths, numbers, quick)
            yield Unit(f"search-duel-{depth}/{numbers[0]}", search_duel, arguments, 5.0 * len(numbers))
