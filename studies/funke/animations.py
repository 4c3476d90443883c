"""The evolutions of appendices A to C, as films and as pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.evolution.players import MOST
from strategy.pushfold.game import percent_played
from strategy.pushfold.rankings import top_range
from studies.funke.appendices import one_run
from studies.funke.document import EQUILIBRIUM, GATHERED, NO_NUMBERS, opponent
from studies.funke.plan import FunkeResults
from studies.harness.evolution_pictures import (
    WORDS,
    Frame,
    draw_best_and_all,
    draw_best_table,
    draw_page,
    draw_points,
    draw_scatter,
    draw_table,
    draw_tiles,
    page_size,
)
from studies.harness.report import Animation, Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_ON_PAGE = 9
# Generations on a page that shows everybody; more, and their tables are too small to be read.
_NUMBERS = {2: "two", 5: "five", 7: "seven"}


class ShownRun(NamedTuple):
    """A run, and how captions call it."""

    run: dict[str, Any]
    called: str


def shown_run(done: FunkeResults, name: str) -> ShownRun:
    """Return the run of an experiment whose solution is nearest to the mean of all runs, by the percentages
    that it jams and calls.
    """
    runs = done.runs(name)
    stacks = ""
    shares = np.array([(run["jam"], run["call"]) for run in runs])
    if name.startswith("variable"):
        stacks = " of hands at all stacks"
        shares = np.array([[percent_played(table / MOST) for table in cells_of(run)] for run in runs])
    mean = shares.mean(axis=0)
    place = int(np.hypot(*(shares - mean).T).argmin())
    called = f"run {place + 1} of {len(runs)}, the nearest to their mean, {mean[0]:.1f}/{mean[1]:.1f}{stacks}"
    return ShownRun(runs[place], called)


def cells_of(run: Mapping[str, Any]) -> NDArray[np.float64]:
    """Return the tables of a run's solution, of a complex or variable player: float64[2, 169]."""
    return np.array([[int(cell, 16) for cell in row] for row in run["genes"]], np.float64)


def all_animations(done: FunkeResults) -> list[Figure | Animation]:
    """Return appendices A, B and C, as films and as pages, and players against 40/30 as in A."""
    return [
        *(part for text in ("70-60", "40-30") for part in _scatter_animation(done, text)),
        *_map_animations(done, "b", one_run(done, "complex"), 0, "B.1"),
        *_map_animations(done, "c", one_run(done, "variable"), 1, "C.1"),
    ]


def _scatter_animation(done: FunkeResults, text: str) -> list[Figure | Animation]:
    run, called = shown_run(done, f"simple/{text}/20")
    frames = run["frames"]
    other, ring = opponent(text), GATHERED[text]
    around = f"{ring[0]:g}/{ring[1]:g}"
    if text == "70-60":
        names, places = ("appendix-a-70-60", "figure-a.1-70-60"), ("Appendix A", "Figure A.1")
        note = (
            f"{NO_NUMBERS}; the ring is what its text says of it: players begin evenly spread, and gather "
            f"around {around}."
        )
    else:
        names, places = (f"against-{text}",) * 2, ("Beyond appendix A",) * 2
        note = (
            f"The document has no such picture; the ring is what 4.3.1 says of solutions, about {around}. "
            f"This run ends with {run['jam']:.0f}/{run['call']:.0f}; others are in solutions.png."
        )
    shown = (
        f"simple players, N = 20, against {text.replace('-', '/')} (cross), every {_steps(frames)} of "
        f"{run['generations']}; {called}. Orange is the best."
    )
    return [
        Animation(
            names[0],
            f"{places[0]}: {shown}",
            [partial(draw_scatter, frame, other) for frame in frames],
            (4.8, 4.4),
        ),
        Figure(
            names[1],
            f"{places[1]}: {shown} {note}",
            partial(_draw_scatter_page, frames, other, ring),
            page_size(len(frames), 6),
        ),
    ]


def _map_animations(
    done: FunkeResults, letter: str, name: str, best: int, figure: str
) -> list[Figure | Animation]:
    run, called = shown_run(done, name)
    frames, kind = run["frames"], name.partition("/")[0]
    few = frames[:: ceil(len(frames) / _ON_PAGE)]
    every, seldom = (
        f"every {_steps(some)} of {run['generations']}; white is played{', grey up to a cap' * best}; "
        f"{called}."
        for some in (frames, few)
    )
    other = {"b": "B.1", "c": "C.0"}[letter]
    return [
        Animation(
            f"appendix-{letter}",
            f"Appendix {letter.upper()}: {kind} players in a round robin, {WORDS[best]} of the best of the "
            f"generation on the left and calls of everybody on the right, {every}",
            [partial(draw_best_and_all, frame, best) for frame in frames],
            (9, 4.4),
        ),
        Figure(
            f"figure-{figure.lower()}-best",
            f"Figure {figure}: {WORDS[best]} of the best of {kind} players, {every} {NO_NUMBERS}; the first "
            f"table is what its text says the best soon plays, {EQUILIBRIUM[best]:g} % of the best hands.",
            partial(draw_page, frames, partial(draw_best_table, best), 6, first=partial(_draw_printed, best)),
            page_size(len(frames) + 1, 6),
        ),
        Figure(
            f"figure-{other.lower()}-all",
            f"Figure {other}: calls of all {kind} players, {seldom} {NO_NUMBERS}, nor has its text any.",
            partial(draw_page, few, partial(draw_tiles, 1), 3),
            page_size(len(few), 3, 0.95),
        ),
    ]


def _draw_scatter_page(
    frames: Sequence[Frame], opponent: tuple[float, float], ring: tuple[float, float], canvas: Canvas
) -> None:
    draw_page(frames, partial(_draw_points_and_ring, opponent, ring), 6, canvas)
    canvas.supxlabel("jams, %", fontsize=10)
    canvas.supylabel("calls, %", fontsize=10)


def _draw_points_and_ring(
    opponent: tuple[float, float], ring: tuple[float, float], frame: Frame, axes: Axes
) -> None:
    draw_points(opponent, frame, axes)
    axes.scatter(*ring, s=260, facecolors="none", edgecolors="#548235", linewidths=1.5, clip_on=False)


def _draw_printed(table: int, axes: Axes) -> None:
    """Draw the best hands by strength of which the text speaks, as the tables of the best are drawn."""
    draw_table(top_range(EQUILIBRIUM[table]), 1, axes)
    axes.set_title(f"document's text: {EQUILIBRIUM[table]:g} % by strength", fontsize=8)


def _steps(frames: Sequence[Frame]) -> str:
    step = frames[1][0] - frames[0][0]
    return f"{_NUMBERS.get(step, step)} generations" if step > 1 else "generation"
