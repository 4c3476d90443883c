"""The results of deal sets as exact sums, from which everything else is computed.

A deal set is the same cards dealt to a line-up in all its seatings; it is the unit of all statistics. Of each
line-up only the number of its deal sets and the sums of their results and of the products of these are kept,
as whole numbers. So the order of results does not matter, parts from several machines can be added, and the
same results always give the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import mul
from typing import Final, NamedTuple

from dealer.errors import ScoreError

#: Results are kept in thousandths of a mbb/hand.
UNITS_PER_MBB: Final = 1000
#: No result of a hand is as large (mbb/hand): a stack of a million big blinds.
_LARGEST = 1e9


class LineUpSums(NamedTuple):
    """The deal sets of a line-up: how many, the sums of each bot's results, and of the products of any two
    bots' results (the upper triangle by rows), in units of ``1 / UNITS_PER_MBB`` and its square.
    """

    deal_sets: int
    sums: tuple[int, ...]
    products: tuple[int, ...]

    def plus(self, other: LineUpSums) -> LineUpSums:
        """Return the sums of both."""
        return LineUpSums(
            self.deal_sets + other.deal_sets,
            tuple(mine + theirs for mine, theirs in zip(self.sums, other.sums, strict=True)),
            tuple(mine + theirs for mine, theirs in zip(self.products, other.products, strict=True)),
        )

    def product(self, one: int, other: int) -> int:
        """Return the sum of the products of two bots' results, by their places."""
        first, second = min(one, other), max(one, other)
        return self.products[first * (2 * len(self.sums) - first + 1) // 2 + second - first]

    def means(self) -> list[float]:
        """Return each bot's mean in mbb/hand."""
        return [total / (self.deal_sets * UNITS_PER_MBB) for total in self.sums]

    def scatter(self) -> list[list[float]]:
        """Return the sums of products of deviations from the means, bot by bot, in squared mbb/hand."""
        players = len(self.sums)
        matrix = [[0.0] * players for _ in range(players)]
        place = 0
        for i in range(players):
            for j in range(i, players):
                # Exact until the division: nothing cancels.
                exact = self.products[place] * self.deal_sets - self.sums[i] * self.sums[j]
                matrix[i][j] = matrix[j][i] = exact / (self.deal_sets * UNITS_PER_MBB**2)
                place += 1
        return matrix


def sums_of_rows(rows: Sequence[Sequence[float]]) -> LineUpSums:
    """Return the sums of rows of numbers in mbb/hand, of which there is at least one. Raises ``ScoreError``
    (``bad_result``) unless all are finite.
    """
    exact = [_units(row) for row in rows]
    columns = list(zip(*exact, strict=True))
    return LineUpSums(
        len(exact),
        tuple([sum(column) for column in columns]),
        tuple([sum(map(mul, one, two)) for place, one in enumerate(columns) for two in columns[place:]]),
    )


def _units(row: Sequence[float]) -> list[int]:
    """Return numbers in mbb/hand as they are kept."""
    if not all(-_LARGEST < value < _LARGEST for value in row):
        raise ScoreError("bad_result", "results are numbers in mbb/hand")
    return [round(value * UNITS_PER_MBB) for value in row]


class Results:
    """The results of any number of line-ups, keyed by their bots in alphabetical order."""

    def __init__(self, sums: Mapping[tuple[str, ...], LineUpSums] | None = None) -> None:
        self._sums: dict[tuple[str, ...], LineUpSums] = dict(sums or {})

    def __len__(self) -> int:
        return len(self._sums)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Results) and self._sums == other._sums

    def __hash__(self) -> int:
        return hash(frozenset(self._sums.items()))

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], LineUpSums]]:
        """Iterate over line-ups and their sums, in alphabetical order."""
        return iter(sorted(self._sums.items()))

    def add(self, line_up: Sequence[str], mbb: Sequence[float]) -> None:
        """Add a deal set: ``mbb[i]`` is what ``line_up[i]`` won, in mbb/hand over all seatings.

        Raises ``ScoreError`` (``bad_result``) unless there is a finite result for each of 2 or more different
        bots.
        """
        bots = sorted(line_up)
        if len(set(bots)) < 2 or len(set(bots)) != len(bots) or len(mbb) != len(bots):
            raise ScoreError("bad_result", "a deal set has one result for each of two or more different bots")
        units = dict(zip(line_up, _units(mbb), strict=True))
        row = tuple(units[bot] for bot in bots)
        products = tuple(row[i] * row[j] for i in range(len(row)) for j in range(i, len(row)))
        self._add_sums(tuple(bots), LineUpSums(1, row, products))

    def merge(self, other: Results) -> None:
        """Add the results of another part."""
        for line_up, sums in other:
            self._add_sums(line_up, sums)

    def among(self, bots: Sequence[str]) -> Results:
        """Return the results of the line-ups in which only ``bots`` play."""
        allowed = set(bots)
        return Results({line_up: sums for line_up, sums in self if allowed.issuperset(line_up)})

    def sums(self, line_up: Sequence[str]) -> LineUpSums | None:
        """Return the sums of a line-up, bots in alphabetical order; None if it has not played."""
        return self._sums.get(tuple(sorted(line_up)))

    def deal_sets(self, bot: str) -> int:
        """Return the number of deal sets that a bot has played."""
        return sum(sums.deal_sets for line_up, sums in self._sums.items() if bot in line_up)

    def _add_sums(self, line_up: tuple[str, ...], sums: LineUpSums) -> None:
        known = self._sums.get(line_up)
        self._sums[line_up] = sums if known is None else known.plus(sums)
