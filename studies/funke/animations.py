"""The evolutions of appendices A to C, as films and as pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from strategy.evolution.players import MOST
from studies.funke.plan import FunkeResults
from studies.harness.report import Animation, Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas
    from matplotlib.figure import SubFigure

_SIDE = 13
_WORDS = ("jams", "calls")
_NUMBERS = {2: "two", 5: "five", 7: "seven"}


def all_animations(done: FunkeResults) -> list[Figure | Animation]:
    """Return appendices A, B and C, as films and as pages."""
    return [
        *(part for text in ("70-60", "40-30") for part in _scatter_animation(done, text)),
        *_map_animations(done, "b", "complex", 0, "B.1"),
        *_map_animations(done, "c", "variable", 1, "C.1"),
    ]


def _scatter_animation(done: FunkeResults, text: str) -> list[Figure | Animation]:
    run = done.runs(f"simple/{text}/20")[0]
    frames = run["frames"]
    jam, call = map(float, text.split("-"))
    shown = f"simple players, N = 20, against {text.replace('-', '/')} (cross), every {_steps(frames)}"
    told = f"of {run['generations']}; orange is the best."
    return [
        Animation(
            f"appendix-a-{text}",
            f"Appendix A: {shown} {told}",
            [partial(draw_scatter, frame, (jam, call)) for frame in frames],
            (4.8, 4.4),
        ),
        Figure(
            f"figure-a.1-{text}",
            f"Figure A.1: {shown} {told} Jams across and calls upwards, 0 to 100 %.",
            partial(_page, frames, partial(_points, (jam, call)), 6),
            _page_size(frames, 6),
        ),
    ]


def _map_animations(
    done: FunkeResults, letter: str, kind: str, best: int, figure: str
) -> list[Figure | Animation]:
    run = done.runs(f"{kind}/none")[0]
    frames = run["frames"]
    every = f"every {_steps(frames)} of {run['generations']}; darker is more."
    other = {"b": "B.1", "c": "C.0"}[letter]
    return [
        Animation(
            f"appendix-{letter}",
            f"Appendix {letter.upper()}: {kind} players in a round robin, {_WORDS[best]} of the best of the "
            f"generation on the left and calls of everybody on the right, {every}",
            [partial(_both, frame, best) for frame in frames],
            (9, 4.4),
        ),
        Figure(
            f"figure-{figure.lower()}-best",
            f"Figure {figure}: {_WORDS[best]} of the best of {kind} players, {every}",
            partial(_page, frames, partial(_best_cells, best), 6),
            _page_size(frames, 6),
        ),
        Figure(
            f"figure-{other.lower()}-all",
            f"Figure {other}: calls of all {kind} players, {every}",
            partial(_page, frames, _all_calls, 4),
            _page_size(frames, 4),
        ),
    ]


def _steps(frames: Sequence[Any]) -> str:
    step = frames[1][0] - frames[0][0]
    return f"{_NUMBERS.get(step, step)} generations" if step > 1 else "generation"


def _page_size(frames: Sequence[Any], columns: int) -> tuple[float, float]:
    side = 12 / columns
    return 12.0, side * 1.05 * -(-len(frames) // columns)


def _page(
    frames: Sequence[Any], draw: Callable[[Sequence[Any], Axes], None], columns: int, canvas: Canvas
) -> None:
    """Draw all pictures of a film on one page."""
    rows = -(-len(frames) // columns)
    places = canvas.subplots(rows, columns, squeeze=False).ravel()
    for axes, frame in zip(places, frames, strict=False):
        draw(frame, axes)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_title(f"generation {frame[0]}", fontsize=8)
    for axes in places[len(frames) :]:
        axes.set_axis_off()


def _best_cells(table: int, frame: Sequence[Any], axes: Axes) -> None:
    genes = genes_of(frame)
    axes.imshow(
        genes[frame[1], table].reshape(_SIDE, _SIDE), cmap="Blues", vmin=0, vmax=_most(genes), aspect="equal"
    )


def _all_calls(frame: Sequence[Any], axes: Axes) -> None:
    tiles, most = _tiled(genes_of(frame)[:, 1])
    axes.imshow(tiles, cmap="Blues", vmin=0, vmax=most)


def genes_of(frame: Sequence[Any]) -> NDArray[np.int64]:
    """Return all tables of a frame of complex or variable players: int64[n, 2, 169]."""
    return np.array([[[int(cell, 16) for cell in row] for row in player] for player in frame[2]])


def draw_scatter(frame: Sequence[Any], opponent: tuple[float, float], canvas: Canvas) -> None:
    """Draw simple players by the percentages that they jam and call."""
    axes = canvas.subplots()
    _points(opponent, frame, axes)
    axes.set_xlabel("jams, %")
    axes.set_ylabel("calls, %")
    axes.set_title(f"generation {frame[0]}", fontsize=10)
    axes.grid(alpha=0.25)


def _points(opponent: tuple[float, float], frame: Sequence[Any], axes: Axes) -> None:
    _, best, genes = frame
    shares = 100 * np.array(genes)
    axes.scatter(shares[:, 0], shares[:, 1], s=22, color="#1f4e79", alpha=0.7)
    axes.scatter(shares[best, 0], shares[best, 1], s=34, color="#c55a11")
    axes.scatter(opponent[0], opponent[1], s=60, marker="x", color="black")
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)


def _both(frame: Sequence[Any], table: int, canvas: Canvas) -> None:
    left, right = canvas.subfigures(1, 2, squeeze=False)[0]
    number, best, _ = frame
    cells = genes_of(frame)[best, table]
    _draw(
        left.subplots(),
        cells.reshape(_SIDE, _SIDE),
        f"generation {number}: {_WORDS[table]} of the best",
        _most(cells),
    )
    # Both appendices show the calls of the whole population.
    draw_population(right, frame, 1, "calls of everybody")


def _draw(axes: Axes, cells: NDArray[Any], title: str, most: int) -> None:
    axes.imshow(cells, cmap="Blues", vmin=0, vmax=most)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title(title, fontsize=10)


def _most(cells: NDArray[np.int64]) -> int:
    return 1 if cells.max() <= 1 else MOST


def draw_population(canvas: SubFigure, frame: Sequence[Any], table: int, title: str) -> None:
    """Draw one table of each player, small."""
    tiled, most = _tiled(genes_of(frame)[:, table])
    _draw(canvas.subplots(), tiled, title, most)


def _tiled(genes: NDArray[np.int64]) -> tuple[NDArray[np.float64], int]:
    """Return tables [n, 169] side by side, as one picture with gaps, and the maximum of a cell."""
    columns = 6 if len(genes) > 25 else 5
    rows = -(-len(genes) // columns)
    # As many axes would take a second to draw.
    tiles = np.full((rows * columns, _SIDE + 1, _SIDE + 1), np.nan)
    tiles[: len(genes), :_SIDE, :_SIDE] = genes.reshape(-1, _SIDE, _SIDE)
    tiled = tiles.reshape(rows, columns, _SIDE + 1, _SIDE + 1).swapaxes(1, 2)
    return tiled.reshape(rows * (_SIDE + 1), -1), _most(genes)
