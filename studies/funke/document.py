"""The measurements of Funke 2015, as printed: "bb/hands" is big blinds per 100 hands."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

NO_NUMBERS = "The document's is a picture without numbers"
"""What captions say of such pictures."""

TABLE_11_MOST = 20
_TABLE_11 = """
20 20 20 20 20 20 20 20 20 20 20 20 20
20 20 20 20 20 20 20 20 20 20 20 19 19
20 20 20 20 20 20 20 20 20 20 15 13 12
20 20 20 20 20 20 20 20 17 15 12 10  9
20 20 20 20 20 20 20 20 20 11 10  9  6
20 20 20 20 20 20 20 20 20 15  7  5  .
20 16 13 12 17 20 20 20 20 20 11  .  .
20 15 10  8  9 11 18 20 20 20 14  .  .
20 14  9  6  5  5  8 14 20 20 20 10  .
20 13  8  6  .  .  .  .  . 20 20 14  .
20 12  7  5  .  .  .  .  .  . 20 11  .
20 11  7  5  .  .  .  .  .  .  . 20  .
20 11  7  .  .  .  .  .  .  .  .  . 14
"""
TABLE_11 = np.array([float(cell.replace(".", "0")) for cell in _TABLE_11.split()])
"""Table 1.1, in the order of ``HAND_CLASSES``: the largest stack for which a hand is played; 0 for an empty
cell.
"""

SETTINGS: dict[str, tuple[tuple[str, ...], str, str, str]] = {
    "4.1": (("simple/none/",), "simple", "round-robin", "no elitism"),
    "4.3": (("simple/70-60/", "simple/40-30/"), "simple", "against", "elitism"),
    "4.5": (("complex/none/",), "complex", "against", "no elitism"),
    "4.6": (("complex/70-60/", "complex/40-30/"), "complex", "against", "elitism"),
    "4.7": (("variable/none/",), "variable", "round-robin", "no elitism"),
}
"""By table: how names of its experiments begin here, and the table's players, tournament and elitism."""

ACCEPTABLE = 1.0
"""Solutions within "0 to 1, approximately" of 57/37 are good, bb/100 (4.2.1)."""
NOT_SIGNIFICANT = 5.0
"""Strategies that differ by less than this are "to practical effect equally effective", bb/100 (4.2.1)."""
NEAR = 7.0
"""Percentage points that are "about" 57/37: the solutions of table 4.2 are up to 6.6 away."""
MATCHES = 10
"""Matches whose mean is a performance, in the only output that is shown (figure 4.1)."""

EQUILIBRIUM = (57.0, 37.0)
"""Another program's solution for comparison (4.2); percentages of raises and calls."""
COMPLEX = (53.0, 32.0)
"""The document's solution with complex players (4.4.1)."""
DRAWN: dict[str, tuple[float, float]] = {
    "4.4": COMPLEX,
    "4.5": (45.0, 45.0),
    "4.6": (90.0, 25.0),
    "4.7": EQUILIBRIUM,
}
"""The percentages that the text gives for the players in its pictures (4.4.1, 4.5.1); for figure 4.7 those of
the player whose form it is said to take (4.6.1).
"""
GATHERED: dict[str, tuple[float, float]] = {"70-60": (45.0, 45.0), "40-30": (95.0, 25.0)}
"""Around what simple players gather, by opponent (appendix A, 4.3.1)."""


class PrintedSolution(NamedTuple):
    """A row of a table: players of a generation, minutes, percentages of the solution, and its winnings
    against the ``opponent``.
    """

    size: int
    minutes: float
    jam: float
    call: float
    won: float
    opponent: tuple[float, float] = EQUILIBRIUM


SIMPLE: tuple[PrintedSolution, ...] = (
    PrintedSolution(20, 5.08, 50.45, 40.56, -0.19),
    PrintedSolution(20, 10.21, 56.55, 42.40, -0.67),
    PrintedSolution(20, 6.16, 53.32, 38.63, 0.64),
    PrintedSolution(20, 7.55, 56.27, 34.81, -1.16),
    PrintedSolution(25, 11.91, 55.56, 37.18, 0.03),
    PrintedSolution(25, 10.81, 58.36, 39.77, -0.05),
    PrintedSolution(30, 14.21, 54.49, 43.58, -1.26),
    PrintedSolution(30, 17.16, 59.93, 39.59, 1.16),
    PrintedSolution(40, 32.41, 58.41, 35.02, 0.52),
)
"""Table 4.2."""

_LOOSE, _TIGHT = (70.0, 60.0), (40.0, 30.0)
ROUGHLY_ACCEPTABLE = max(abs(one.won) for one in SIMPLE)
"""The largest difference of table 4.2, 1.26, which is said to be "0 to 1, approximately", bb/100."""

SOLVED: tuple[PrintedSolution, ...] = (
    PrintedSolution(20, 1.18, 45.33, 46.97, 11.08, _LOOSE),
    PrintedSolution(20, 1.25, 47.21, 49.43, 14.18, _LOOSE),
    PrintedSolution(25, 1.38, 42.36, 42.45, 15.77, _LOOSE),
    PrintedSolution(25, 1.36, 52.42, 54.32, 15.25, _LOOSE),
    PrintedSolution(30, 2.23, 49.86, 49.86, 15.25, _LOOSE),
    PrintedSolution(30, 2.26, 43.36, 49.46, 15.10, _LOOSE),
    PrintedSolution(20, 1.93, 99.75, 31.52, 6.01, _TIGHT),
    PrintedSolution(20, 1.43, 97.42, 29.33, 6.50, _TIGHT),
    PrintedSolution(25, 2.16, 99.30, 27.78, 7.06, _TIGHT),
    PrintedSolution(25, 1.91, 90.03, 27.42, 6.80, _TIGHT),
    PrintedSolution(30, 1.91, 94.84, 22.29, 5.98, _TIGHT),
    PrintedSolution(30, 2.43, 85.42, 31.52, 6.13, _TIGHT),
)
"""Table 4.4."""


class PrintedMatch(NamedTuple):
    """A match of figure 4.1: its number, hands, the first player's performance, and how often both players
    raised and called, in per cent.
    """

    number: int
    hands: int
    rate: float
    raised: tuple[float, float]
    called: tuple[float, float]


FIGURE_41_PRINTED: tuple[PrintedMatch, ...] = (
    PrintedMatch(0, 33853, 1.48, (59.16, 71.31), (36.51, 36.32)),
    PrintedMatch(1, 5749, 8.68, (59.36, 72.17), (37.64, 35.70)),
    PrintedMatch(9, 3759, 13.30, (62.11, 73.30), (35.20, 35.82)),
)
FIGURE_41 = ((60.21, 36.45), (72.26, 35.95))
"""The players in figure 4.1, of whom only the actions are printed: the means of the three matches shown, of
ten.
"""
FIGURE_41_MATCHES = tuple((one.hands, one.rate) for one in FIGURE_41_PRINTED)
"""Hands, and the first player's winnings."""
FIGURE_41_MEAN = 6.019550

MINUTES = {"complex/none": 45.0, "complex/70-60": 2.01, "complex/40-30": 1.95, "variable/none": 180.0}
"""Sections 4.4 to 4.6."""


def opponent(text: str) -> tuple[float, float]:
    """Return the percentages of ``70-60``."""
    jam, call = map(float, text.split("-"))
    return jam, call
