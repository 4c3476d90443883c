"""Pictures of evolutions of push/fold players, as in Funke 2015, appendices A to C: points of simple players,
heat maps of the others, and films. A played hand is white, as there; grey is a cap between 0 and 10.

A frame is a generation: its number, the index of its best player, and the genes of all, as in
``strategy.evolution.plan.record``.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from strategy.evolution.plan import EvolutionPlan
from strategy.evolution.players import MOST
from strategy.pushfold.grids import GRID_RANKS
from studies.harness.report import Animation, save_animation, save_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas
    from matplotlib.figure import SubFigure

Frame = Sequence[Any]

WORDS = ("jams", "calls")
"""The tables of a player."""

SHARES = (-2, 102)
"""Limits of axes of per cent: a point at 0 or 100 is whole."""

_SIDE = len(GRID_RANKS)
_COLOURS = "gray"
_EVERY = 2.0
# Seconds between two drawings of a running evolution.
_FILM_EVERY, _FILM_COST = 60.0, 20
# Between two of its film; at least so many times as long as it took to draw.
_FRAMES = 60


def genes_of(frame: Frame) -> NDArray[np.int64]:
    """Return all tables of a frame of complex or variable players: int64[n, 2, 169]."""
    return np.array([[[int(cell, 16) for cell in row] for row in player] for player in frame[2]])


def draw_scatter(frame: Frame, opponent: tuple[float, float] | None, canvas: Canvas) -> None:
    """Draw simple players by the percentages that they jam and call, and their opponent as a cross."""
    axes = canvas.subplots()
    draw_points(opponent, frame, axes)
    axes.set(xlabel="jams, %", ylabel="calls, %")
    axes.set_title(f"generation {frame[0]}", fontsize=10)
    axes.grid(alpha=0.25)


def draw_points(opponent: tuple[float, float] | None, frame: Frame, axes: Axes) -> None:
    """Draw simple players; the best is orange."""
    _, best, genes = frame
    shares = 100 * np.array(genes)
    axes.scatter(shares[:, 0], shares[:, 1], s=22, color="#1f4e79", alpha=0.7)
    axes.scatter(shares[best, 0], shares[best, 1], s=34, color="#c55a11")
    if opponent is not None:
        axes.scatter(opponent[0], opponent[1], s=60, marker="x", color="black")
    axes.set(xlim=SHARES, ylim=SHARES)
    axes.tick_params(labelsize=7)


def draw_best_and_all(frame: Frame, table: int, canvas: Canvas) -> None:
    """Draw a table of the best player, and beside it the calls of everybody, as both appendices do."""
    left, right = canvas.subfigures(1, 2, squeeze=False)[0]
    axes = left.subplots()
    draw_best_table(table, frame, axes)
    axes.set_title(f"generation {frame[0]}: {WORDS[table]} of the best", fontsize=10)
    draw_population(right, frame, 1, "calls of everybody")


def draw_best_table(table: int, frame: Frame, axes: Axes) -> None:
    """Draw a table of the best player with the ranks of its rows and columns."""
    genes = genes_of(frame)
    draw_table(genes[frame[1], table], _most(genes), axes)


def draw_table(cells: NDArray[Any], most: float, axes: Axes) -> None:
    """Draw a table of hands, ``most`` white, with the ranks of its rows and columns."""
    axes.imshow(cells.reshape(_SIDE, _SIDE), cmap=_COLOURS, vmin=0, vmax=most)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(range(_SIDE), list(GRID_RANKS), fontsize=6)


def draw_population(canvas: SubFigure, frame: Frame, table: int, title: str) -> None:
    """Draw one table of each player, small."""
    axes = canvas.subplots()
    draw_tiles(table, frame, axes)
    axes.set_title(title, fontsize=10)


def draw_tiles(table: int, frame: Frame, axes: Axes) -> None:
    """Draw one table of each player as tiles of one picture, the first with the ranks of its rows and
    columns.
    """
    tiles, most = _tiled(genes_of(frame)[:, table])
    axes.imshow(tiles, cmap=_COLOURS, vmin=0, vmax=most)
    axes.set_facecolor("#c55a11")
    axes.xaxis.tick_top()
    # There is no room for more ranks.
    labels = ["" if place % 3 else rank for place, rank in enumerate(GRID_RANKS)]
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(range(_SIDE), labels, fontsize=6)
        axis.set_tick_params(length=2, width=0.5, pad=1)


def draw_page(
    frames: Sequence[Frame],
    draw: Callable[[Frame, Axes], None],
    columns: int,
    canvas: Canvas,
    first: Callable[[Axes], None] | None = None,
) -> None:
    """Draw all pictures of a film on one page, after a picture ``first``."""
    count = len(frames) + (first is not None)
    rows = -(-count // columns)
    places = canvas.subplots(rows, columns, squeeze=False).ravel()
    if first is not None:
        first(places[0])
    for axes, frame in zip(places[count - len(frames) :], frames, strict=False):
        draw(frame, axes)
        axes.set_title(f"generation {frame[0]}", fontsize=8)
    for axes in places[count:]:
        axes.set_axis_off()


def page_size(count: int, columns: int, high: float = 1.1) -> tuple[float, float]:
    """Return the size of a page of ``count`` pictures in inches, each with its title ``high`` times as high
    as wide.
    """
    return 12.0, 12 / columns * high * -(-count // columns)


def _most(cells: NDArray[np.int64]) -> int:
    return 1 if cells.max() <= 1 else MOST


def _tiled(genes: NDArray[np.int64]) -> tuple[NDArray[np.float64], int]:
    """Return tables [n, 169] side by side, as one picture with gaps, and the maximum of a cell."""
    columns = 6 if len(genes) > 25 else 5
    rows = -(-len(genes) // columns)
    # As many axes would take a second to draw.
    tiles = np.full((rows * columns, _SIDE + 1, _SIDE + 1), np.nan)
    tiles[: len(genes), :_SIDE, :_SIDE] = genes.reshape(-1, _SIDE, _SIDE)
    tiled = tiles.reshape(rows, columns, _SIDE + 1, _SIDE + 1).swapaxes(1, 2)
    return tiled.reshape(rows * (_SIDE + 1), -1), _most(genes)


class EvolutionPictures:
    """Pictures of a running evolution in a directory, drawn anew at most every two seconds:
    ``progress.png``, ``population.png``, at the end ``film.gif``, and ``index.html``, which shows them in a
    browser and reloads itself until the end.
    """

    def __init__(self, plan: EvolutionPlan, directory: Path) -> None:
        self._plan = plan
        self._directory = directory
        self._scores: list[tuple[float, float]] = []
        self._frames: list[Frame] = []
        self._step = 1
        self._next = 0.0
        self._filmed = False
        self._next_film = monotonic() + _FILM_EVERY
        directory.mkdir(parents=True, exist_ok=True)

    def add(self, generation: Mapping[str, Any]) -> None:
        """Add a generation, a ``record``. Raises MissingLibrary without matplotlib, OSError."""
        self._scores.append((generation["best_score"], generation["mean_score"]))
        self._last = frame = generation["generation"], generation["best"], generation["genes"]
        if frame[0] % self._step == 0:
            self._frames.append(frame)
        if len(self._frames) > _FRAMES:
            # As many films' pictures for long evolutions as for short ones.
            self._frames, self._step = self._frames[::2], 2 * self._step
        if (start := monotonic()) >= self._next_film:
            self._draw_film()
            self._next_film = monotonic() + max(_FILM_EVERY, _FILM_COST * (monotonic() - start))
        if monotonic() >= self._next:
            self._draw(frame, running=True)
            self._next = monotonic() + _EVERY

    def finish(self) -> None:
        """Draw the last generation and the film. Raises MissingLibrary without matplotlib, OSError."""
        if not self._frames:
            return
        if self._frames[-1][0] != self._last[0]:
            self._frames.append(self._last)
        self._draw_film()
        self._draw(self._last, running=False)

    @property
    def _size(self) -> tuple[float, float]:
        return (4.8, 4.6) if self._plan.players == "simple" else (9.0, 4.6)

    def _draw_population(self, frame: Frame, canvas: Canvas) -> None:
        if self._plan.players == "simple":
            draw_scatter(frame, self._plan.opponent, canvas)
        else:
            draw_best_and_all(frame, 0 if self._plan.players == "complex" else 1, canvas)

    def _draw_film(self) -> None:
        film = [partial(self._draw_population, frame) for frame in self._frames]
        part = self._directory / ".film.gif.part"
        save_animation(Animation("film", "", film, self._size), part)
        part.replace(self._directory / "film.gif")
        self._filmed = True

    def _draw_progress(self, canvas: Canvas) -> None:
        axes = canvas.subplots()
        scores = np.array(self._scores)
        axes.plot(scores[:, 0], label="best", color="#c55a11", linewidth=1.2)
        axes.plot(scores[:, 1], label="mean", color="#1f4e79", linewidth=1.2)
        axes.set(xlabel="generation", ylabel="score, bb/100")
        axes.grid(alpha=0.25)
        axes.legend(fontsize=8)

    def _draw(self, frame: Frame, *, running: bool) -> None:
        for name, size, draw in (
            ("progress.png", (7.0, 3.6), self._draw_progress),
            ("population.png", self._size, partial(self._draw_population, frame)),
        ):
            # Whole at every moment: the page may load it now.
            part = self._directory / f".{name}.part"
            save_picture(draw, size, part)
            part.replace(self._directory / name)
        page = self._directory / ".index.html.part"
        page.write_text(self._page(frame, running=running), encoding="utf-8")
        page.replace(self._directory / "index.html")

    def _page(self, frame: Frame, *, running: bool) -> str:
        title = html.escape(f"{self._plan.players} players, {self._plan.tournament}: generation {frame[0]}")
        shown = ["progress.png", "population.png"] + ([] if running else ["film.gif"])
        images = "".join(f'<p><img src="{name}?{frame[0]}" alt="{name}"></p>\n' for name in shown)
        if running and self._filmed:
            # As an image it would begin anew whenever the page reloads.
            images += '<p><a href="film.gif">film</a></p>\n'
        reload = f'<meta http-equiv="refresh" content="{_EVERY:g}">\n' if running else ""
        return (
            f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n{reload}<title>{title}</title>\n'
            "<style>body { font-family: system-ui, sans-serif; margin: 2rem }"
            " img { max-width: 100% }</style>\n"
            f"<h1>{title}</h1>\n{images}</html>\n"
        )
