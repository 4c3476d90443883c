"""Sums of deal sets while it is open whose dice count as luck.

A bot that declares the chances of its actions is believed until what it plays contradicts them, and that is
seen over many matches only. So the results are kept without any declarer's dice, and beside them what these
brought: the sums with the dice of whoever is not believed follow exactly, whenever that is found.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from dealer.ratings.results import LineUpSums, sums_of_rows


class DiceSums(NamedTuple):
    """The sums of a line-up, or of a single figure of it, for any set of bots whose dice stay in.

    ``declarers`` are in alphabetical order. The rows behind ``rows`` have the results without luck, and after
    them for each declarer as many numbers: what its dice brought to each result.
    """

    declarers: tuple[str, ...]
    rows: LineUpSums

    @property
    def width(self) -> int:
        """Return the number of results in a row."""
        return len(self.rows.sums) // (1 + len(self.declarers))

    def plus(self, other: DiceSums) -> DiceSums:
        """Return the sums of both; who declares in one of them only has no dice in the other."""
        names = tuple(sorted({*self.declarers, *other.declarers}))
        return DiceSums(names, self._among(names).plus(other._among(names)))

    def with_dice_of(self, bots: Collection[str]) -> LineUpSums:
        """Return the sums of the results in which the dice of these ``bots`` are left."""
        width = self.width
        starts = [0, *(width * place for place, name in enumerate(self.declarers, 1) if name in bots)]
        parts = [[start + column for start in starts] for column in range(width)]
        return LineUpSums(
            self.rows.deal_sets,
            tuple([sum([self.rows.sums[one] for one in part]) for part in parts]),
            tuple(
                [
                    sum([self.rows.product(one, two) for one in parts[i] for two in parts[j]])
                    for i in range(width)
                    for j in range(i, width)
                ]
            ),
        )

    def _among(self, names: Sequence[str]) -> LineUpSums:
        """Return the rows as if all these had declared."""
        if tuple(names) == self.declarers:
            return self.rows
        width = self.width
        starts = {name: width * place for place, name in enumerate(self.declarers, 1)}
        columns: list[int | None] = list(range(width))
        for name in names:
            start = starts.get(name)
            columns += [None if start is None else start + column for column in range(width)]
        return LineUpSums(
            self.rows.deal_sets,
            tuple([0 if one is None else self.rows.sums[one] for one in columns]),
            tuple(
                [
                    0 if one is None or two is None else self.rows.product(one, two)
                    for place, one in enumerate(columns)
                    for two in columns[place:]
                ]
            ),
        )


def dice_sums(rows: Sequence[Sequence[float]], dice: Mapping[str, Sequence[Sequence[float]]]) -> DiceSums:
    """Return the sums of deal sets. ``rows``: the results in mbb/hand, without the luck of the cards but with
    that of dice; ``dice``: by declarer what its dice brought to each result, row by row.

    Raises ``ScoreError`` (``bad_result``).
    """
    names = tuple(sorted(dice))
    found = []
    for place, row in enumerate(rows):
        luck = [dice[name][place] for name in names]
        rest = [value - sum(parts) for value, *parts in zip(row, *luck, strict=True)]
        found.append([*rest, *(value for brought in luck for value in brought)])
    return DiceSums(names, sums_of_rows(found))
