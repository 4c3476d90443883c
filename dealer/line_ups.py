"""A balanced selection of line-ups, in which all pairs meet about equally often.

With 15 bots at tables of six there are 5,005 line-ups. A few of them say as much about each bot if all play
equally often and every pair meets equally often: a block design. If there is none, a search finds one that is
nearly balanced.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import combinations
from math import comb
from random import Random

_STEPS = 20_000
# Exchanges tried, and as many again per hundred line-ups.
_COOLING = 3.0
# In units of the cost: how much worse an exchange may be at first.
_DUPLICATE_COST = 5
# The cost of a duplicate line-up.


@lru_cache(maxsize=64)
def balanced_line_ups(bots: int, players: int, count: int) -> tuple[tuple[int, ...], ...]:
    """Return ``count`` different line-ups of ``players`` of the bots 0 to ``bots - 1``, each ascending, in
    order.

    The numbers of line-ups of two bots differ by at most one; those of two pairs by the minimum found, often
    one. The result depends on the three numbers alone, so anybody can reproduce it. ``count`` must not exceed
    the number of all line-ups.
    """
    if not count:
        return ()
    if 2 * count > comb(bots, players):
        # The complement of a balanced selection is balanced as well.
        left_out = set(balanced_line_ups(bots, players, comb(bots, players) - count))
        return tuple(one for one in combinations(range(bots), players) if one not in left_out)
    random = Random(f"line-ups {bots} {players} {count}")
    while True:
        found = sorted(tuple(sorted(table)) for table in _Search(bots, players, count, random).best())
        if len(set(found)) == count:
            return tuple(found)


class _Search:
    """Repeatedly exchanges two bots of two line-ups, which keeps the number of line-ups of each."""

    def __init__(self, bots: int, players: int, count: int, random: Random) -> None:
        self._random = random
        self._tables = _first_line_ups(bots, players, count, random)
        self._seen = Counter(frozenset(table) for table in self._tables)
        self._met = [[0] * bots for _ in range(bots)]
        for table in self._tables:
            for one, other in combinations(table, 2):
                self._count_meeting(one, other, 1)

    def best(self) -> list[list[int]]:
        """Return the line-ups after the search, simulated annealing."""
        steps = _STEPS * (1 + len(self._tables) // 100)
        for step in range(steps):
            if len(self._tables) > 1:
                self._try_exchange(_COOLING * (1 - step / steps) ** 2)
            if step % 500 == 0 and self._is_even():
                break
        return self._tables

    def _is_even(self) -> bool:
        """Return whether no selection could be more balanced, and there is no duplicate."""
        counts = [met for row, one in enumerate(self._met) for met in one[:row]]
        return max(counts) - min(counts) <= 1 and max(self._seen.values()) == 1

    def _try_exchange(self, allowed: float) -> None:
        first, second = (self._tables[self._draw(len(self._tables))] for _ in range(2))
        one, other = first[self._draw(len(first))], second[self._draw(len(second))]
        if one in second or other in first:
            return
        mates = [bot for bot in first if bot != one and bot not in second]
        rivals = [bot for bot in second if bot != other and bot not in first]
        met = self._met
        # Half of the change in the sum of squares of the meetings of all pairs.
        worse = sum(met[other][bot] - met[one][bot] + 1 for bot in mates)
        worse += sum(met[one][bot] - met[other][bot] + 1 for bot in rivals)
        moved, seen = {one, other}, self._seen
        before = [frozenset(table) for table in (first, second)]
        after = [table ^ moved for table in before]
        worse += _DUPLICATE_COST * (
            sum(seen[table] > 0 for table in after) - sum(seen[table] > 1 for table in before)
        )
        if worse > allowed * self._random.random():
            return
        seen.subtract(before)
        seen.update(after)
        for apart, together, others in ((one, other, mates), (other, one, rivals)):
            for bot in others:
                self._count_meeting(apart, bot, -1)
                self._count_meeting(together, bot, 1)
        first[first.index(one)], second[second.index(other)] = other, one

    def _draw(self, below: int) -> int:
        # The only method of ``Random`` with the same results in every version of Python.
        return int(self._random.random() * below)

    def _count_meeting(self, one: int, other: int, times: int) -> None:
        self._met[one][other] += times
        self._met[other][one] += times


def _first_line_ups(bots: int, players: int, count: int, random: Random) -> list[list[int]]:
    """Return line-ups in which all bots play equally often, up to one."""
    plays = [0] * bots
    tables = []
    for _ in range(count):
        order = sorted(range(bots), key=lambda bot: (plays[bot], random.random()))
        tables.append(order[:players])
        for bot in order[:players]:
            plays[bot] += 1
    return tables
