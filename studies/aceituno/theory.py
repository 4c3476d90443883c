"""The matrix games of Aceituno 2017, 1.1, and its claims about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

from dealer.rules.cards import parse_cards
from dealer.rules.evaluation import rank_hand
from dealer.rules.pots import FOLDED, settle
from studies.harness.report import Row
from studies.harness.verdicts import exact_row, unjudged_row


class MatrixGame(NamedTuple):
    """A game of two players with simultaneous choices: ``own[row][column]`` and ``other[row][column]`` are
    gains.
    """

    own: Sequence[Sequence[float]]
    other: Sequence[Sequence[float]]

    @property
    def cells(self) -> list[tuple[int, int]]:
        """Return all pairs of choices."""
        return list(product(range(len(self.own)), range(len(self.own[0]))))

    def gains(self, cell: tuple[int, int]) -> tuple[float, float]:
        """Return the gains of both players."""
        row, column = cell
        return self.own[row][column], self.other[row][column]

    def least(self) -> tuple[list[float], list[float]]:
        """Return the smallest gain of each own choice, and of each choice of the other."""
        return [min(row) for row in self.own], [min(column) for column in zip(*self.other, strict=True)]

    def equilibria(self) -> list[tuple[int, int]]:
        """Return the cells that neither player would leave alone (Nash). If gains have a constant sum these
        are the saddle points.
        """
        return [
            (row, column)
            for row, column in self.cells
            if self.own[row][column] == max(line[column] for line in self.own)
            and self.other[row][column] == max(self.other[row])
        ]

    def dominates(self, row: int, weaker: int) -> bool:
        """Return whether an own choice gains strictly more than another against every choice of the other."""
        return all(more > less for more, less in zip(self.own[row], self.own[weaker], strict=True))

    def pareto(self) -> list[tuple[int, int]]:
        """Return the cells for which no other is better for one player and no worse for the other."""
        return [
            cell
            for cell in self.cells
            if not any(
                self.gains(better) != self.gains(cell)
                and all(a >= b for a, b in zip(self.gains(better), self.gains(cell), strict=True))
                for better in self.cells
            )
        ]


PRISONERS = MatrixGame(((-0.5, -10), (0, -5)), ((-0.5, 0), (-10, -5)))
"""Figure 2, in years: stay silent, or confess."""

ODDS_AND_EVENS = MatrixGame(((-2, 3), (3, -4)), ((2, -3), (-3, 4)))
"""The example of a payoff matrix: the row is player B."""

FIGURE_4 = FIGURE_5 = MatrixGame(((9, 1, 2), (6, 5, 4), (7, 8, 3)), ((1, 9, 8), (4, 5, 6), (3, 2, 7)))
"""Both as printed, A, B and C for each player."""


def two_beside_all_in() -> MatrixGame:
    """Return the game of two with the same straight on the river, beside a third with trips who is all-in, as
    all were with 100 chips each: the first checks or bets 200, the second calls or folds what is bet.
    """
    trips, straight = (rank_hand(parse_cards(f"AhKdQsJc2h{hole}")) for hole in ("2c2d", "ThTd"))
    results = [
        [
            settle(
                (100, 100 + bet, 100 + bet * calls),
                (trips, straight, straight if calls or not bet else FOLDED),
                fractions=False,
            ).values
            for calls in (1, 0)
        ]
        for bet in (0, 200)
    ]
    own, other = ([[cell[player] for cell in row] for row in results] for player in (1, 2))
    return MatrixGame(own, other)


def theory_rows() -> Iterator[Row]:
    """Yield the claims of 1.1 and 1.2, computed."""
    silent = (0, 0)
    holds = silent in PRISONERS.pareto() and PRISONERS.equilibria() == [(1, 1)] and PRISONERS.dominates(1, 0)
    claim = "silence of both is Pareto-optimal and no equilibrium, to confess is better for each"
    yield exact_row("prisoners", "1.1, figure 2", claim, True, holds)
    sums = [sum(ODDS_AND_EVENS.gains(cell)) for cell in ODDS_AND_EVENS.cells]
    even = [ODDS_AND_EVENS.gains((row, column))[1] > 0 for row, column in ODDS_AND_EVENS.cells]
    holds = sums == [0] * 4 and even == [(row + column) % 2 == 0 for row, column in ODDS_AND_EVENS.cells]
    yield Row(
        "pareto",
        "1.1",
        "Pareto-optimal solutions of the prisoners, of whom the text names the one",
        1,
        len(PRISONERS.pareto()),
        "document in error",
        "All but confessions of both: who goes free would lose by any change.",
    )
    yield exact_row(
        "odds-and-evens",
        "1.1",
        "gains at odds and evens: even sums are A's, and what one wins the other loses",
        True,
        holds,
        "No cell is a saddle point. B who says 1 in 7 of 12 games wins 1/12 a game, whatever A does.",
    )
    yield Row(
        "dominance",
        "1.1.2",
        "a strategy dominates in the strong sense if its utility is",
        ">=",
        ">",
        "document in error",
        "The sentence has it right: greater.",
    )
    rows, columns = FIGURE_4.least()
    yield exact_row(
        "maximin",
        "1.1.2, figure 4",
        "least gains of the own choices, and of the other's",
        "1, 4, 3 / 1, 2, 6",
        f"{', '.join(map(str, rows))} / {', '.join(map(str, columns))}",
        "The best of them: B with 4, and C with 6. All cells sum to 10.",
    )
    yield Row(
        "saddle-points",
        "1.1.2, figures 4 and 5",
        "saddle points of the two matrices",
        "0 and 1",
        f"{len(FIGURE_4.equilibria())} and {len(FIGURE_5.equilibria())}",
        "document in error",
        "Both figures print the same matrix; its saddle point is [B, C] with 4 and 6, as figure 5 says.",
    )
    yield unjudged_row(
        "pareto-poker",
        "3.2",
        "Pareto optimality cannot be applied to poker, a game of sum zero: Pareto-optimal cells of odds and "
        "evens, another",
        f"{len(ODDS_AND_EVENS.pareto())} of {len(ODDS_AND_EVENS.cells)}",
        "No verdict: it can be applied, but if it means that this is of no use, it is right. What one gains "
        "others lose, so every result is Pareto-optimal.",
    )
    two = two_beside_all_in()
    yield exact_row(
        "saddle-of-two",
        "3.2",
        "two who share what a third has lost all-in may be at a saddle point if neither raises",
        True,
        (0, 0) in two.equilibria() and two.gains((0, 0)) == (50, 50),
        "One example is enough: two straights beside trips that are all-in with 100. It is one, too, if the "
        "one bets and the other calls, with the same gains: so nothing is lost by a raise.",
    )
    yield exact_row(
        "most-players",
        "3.2",
        "players for whom the cards suffice",
        22,
        (52 - 5 - 3) // 2,
        "Two each, beside five on the board and three that are discarded.",
    )
    claim = "expected euros of a toss for 2,500,000"
    yield exact_row("expected-stake", "1.2", claim, 1_250_000, round(fmean((0, 2_500_000))))
