"""Rows of the document's tables and figures that are not experiments: examples, settings, displays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from strategy.poker.preflop import HAND_CLASSES
from strategy.pushfold.equilibrium import equilibrium
from strategy.pushfold.game import HandTable
from strategy.pushfold.rankings import SKLANSKY_CHUBUKOV, STRENGTH, sklansky_chubukov_numbers
from studies.funke.document import SETTINGS, TABLE_11, TABLE_11_MOST
from studies.funke.jobs import PIECE
from studies.funke.plan import FunkeResults
from studies.harness.report import Row, Verdict
from studies.harness.verdicts import jackknife, unjudged_row

_NO_EXPERIMENT = "Is not an experiment:"
_CLOSE = 2
_SHOWN = (
    ("3.1", "simple players as points of jams and calls", "a scatter plot", "3.1"),
    ("3.2", "the best complex player's calls", "a heat map", "3.2-3.4"),
    ("3.3", "the jams of all complex players", "heat maps", "3.3-3.5"),
    ("3.4", "the caps up to which the best variable player jams", "a heat map in shades", "3.2-3.4"),
    ("3.5", "the caps up to which all variable players call", "heat maps in shades", "3.3-3.5"),
)


def largest_stacks(most: int) -> HandTable:
    """Return the largest whole stack up to ``most`` at which the equilibrium usually jams, for each class."""
    found = np.zeros(len(HAND_CLASSES))
    for stack in range(1, most + 1):
        found[equilibrium(float(stack)).jam > 0.5] = stack
    return found


def illustration_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield _example()
    yield _chubukov()
    for figure, what, kind, file in _SHOWN:
        yield unjudged_row(
            f"figure-{figure}",
            f"figure {figure}",
            f"players are shown: {what}",
            f"figure-{file}.png",
            f"His: {kind}. {_NO_EXPERIMENT} the picture is drawn of players that evolved here.",
        )
    yield _curves(done)
    for table, printed in SETTINGS.items():
        yield _settings(done, table, printed)
    yield Row(
        "table-4.4",
        "table 4.4",
        "the heading: results of the experiment",
        "equilibrium, simple players",
        "against one, simple players",
        "document in error",
        "The heading is that of table 4.2; the text and the column of opponents say what it is.",
    )


def _example() -> Row:
    ours = largest_stacks(TABLE_11_MOST)
    filled = TABLE_11 > 0
    close = abs(TABLE_11 - ours)[filled] <= _CLOSE
    far = [HAND_CLASSES[place] for place in np.flatnonzero(filled)[~close]]
    return unjudged_row(
        "table-1.1",
        "table 1.1",
        "an example of a table of hands, the largest stack for which each is played, up to 20: per cent of "
        f"its filled cells that are within {_CLOSE} of the equilibrium's jams",
        round(100 * float(close.mean()), 1),
        f"{_NO_EXPERIMENT} where the example is from is not told. {int(filled.sum())} of 169 cells are "
        f"filled; farther off are {', '.join(far)}. The empty ones are jammed with at most "
        f"{ours[~filled].max():g} in the equilibrium.",
    )


def _chubukov() -> Row:
    numbers = sklansky_chubukov_numbers()
    order = {place: rank for rank, place in enumerate(STRENGTH)}
    moved = [abs(order[place] - rank) for rank, place in enumerate(SKLANSKY_CHUBUKOV)]
    most = SKLANSKY_CHUBUKOV[int(np.argmax(moved))]
    return unjudged_row(
        "figure-1.1",
        "figure 1.1",
        "Sklansky and Chubukov's order of hands: how far it moves a class from its place by strength, on "
        "average, of 169 places",
        round(float(np.mean(moved)), 1),
        f"{_NO_EXPERIMENT} a picture of numbers that others have computed. Here they are computed exactly: "
        f"KK {numbers[HAND_CLASSES.index('KK')]:.4f}, 32o {numbers[HAND_CLASSES.index('32o')]:.4f}. "
        f"{HAND_CLASSES[most]} moves the most, by {max(moved)} places.",
    )


def _curves(done: FunkeResults) -> Row:
    nets = np.array(done.results["match/curves"])
    hands = PIECE * np.arange(1, nets.shape[1] + 1)
    spread = (100 * nets / hands).std(axis=0, ddof=1)
    early = len(hands) // 10 - 1
    rates = 100 * nets / hands
    squares = np.stack(
        [
            np.ones(len(nets)),
            *(part for column in (rates[:, early], rates[:, -1]) for part in (column, column**2)),
        ],
        axis=1,
    )
    return unjudged_row(
        "figure-4.2",
        "figure 4.2, 4.1.1",
        f"performance settles as hands go by: the spread of {len(nets)} curves after {hands[early]:,} hands "
        f"by that after {hands[-1]:,}",
        jackknife(squares, _ratio_of_deviations),
        "Not judged: of independent hands it is certain. As the square root of their number it would be "
        f"3.16. Standard deviations {spread[early]:.2f} and {spread[-1]:.2f} bb/100.",
        2,
    )


def _ratio_of_deviations(sums: np.ndarray) -> float:
    """Return the ratio of two standard deviations from the sums of ones, and of values and their squares."""
    count, one, one_squared, two, two_squared = sums
    return float(np.sqrt((one_squared - one**2 / count) / (two_squared - two**2 / count)))


def _settings(done: FunkeResults, table: str, printed: tuple[tuple[str, ...], str, str, str]) -> Row:
    begins, *his = printed
    names = [name for name in done.plan.experiments if name.startswith(begins)]
    evolution = done.plan.experiments[names[0]].evolution
    ours = [
        evolution.players,
        evolution.tournament,
        "elitism" if evolution.genetic_settings().elite else "no elitism",
    ]
    verdict: Verdict = "beyond"
    note = ""
    if ours != his:
        verdict = "document in error"
        note = " The text of 4.4 and the 45 minutes say round robin: an equilibrium has no opponent."
    return Row(
        f"table-{table}",
        f"table {table}",
        "players, tournament and elitism of the experiment; it ends by convergence",
        ", ".join(his) if verdict == "document in error" else None,
        ", ".join(ours),
        verdict,
        f"{_NO_EXPERIMENT} its settings{', which are used here' * (ours == his)}. {done.cut(names)}{note}",
    )
