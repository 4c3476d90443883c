"""The evolutions of appendices A to C, as films."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from strategy.evolution.players import MOST
from studies.funke.plan import Done
from studies.report import Film

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas
    from matplotlib.figure import SubFigure

__all__ = ["all_films", "draw_population", "draw_scatter", "genes_of"]

_FRAMES = 16
_SIDE = 13
_WORDS = ("jams", "calls")


def all_films(done: Done) -> list[Film]:
    """Appendices A, B and C."""
    films = []
    for text in ("70-60", "40-30"):
        frames = done.runs(f"simple/{text}/20")[0]["frames"]
        jam, call = map(float, text.split("-"))
        films.append(
            Film(
                f"appendix-a-{text}",
                f"Appendix A: simple players, N = 20, against {text.replace('-', '/')} (cross), every two "
                "generations of the first, then fewer; orange is the best.",
                [partial(draw_scatter, frame, (jam, call)) for frame in _thinned(frames)],
                (4.8, 4.4),
            )
        )
    for letter, kind, best in (("b", "complex", 0), ("c", "variable", 1)):
        run = done.runs(f"{kind}/none")[0]
        frames = _thinned(run["frames"])
        films.append(
            Film(
                f"appendix-{letter}",
                f"Appendix {letter.upper()}: {kind} players in a round robin, {_WORDS[best]} of the best of "
                f"the generation on the left and calls of everybody on the right, in {len(frames)} of the "
                f"{run['generations']} generations; darker is more.",
                [partial(_both, frame, best) for frame in frames],
                (9, 4.4),
            )
        )
    return films


def _thinned(frames: Sequence[Any]) -> list[Any]:
    """The first half of a film as it is, and the rest at equal steps."""
    half = _FRAMES // 2
    if len(frames) <= _FRAMES:
        return list(frames)
    rest = np.linspace(half, len(frames) - 1, half).astype(int)
    return [*frames[:half], *(frames[place] for place in rest)]


def genes_of(frame: Sequence[Any]) -> NDArray[np.int64]:
    """Everybody's tables of a frame of complex or variable players: int64[n, 2, 169]."""
    return np.array([[[int(cell, 16) for cell in row] for row in player] for player in frame[2]])


def draw_scatter(frame: Sequence[Any], opponent: tuple[float, float], canvas: Canvas) -> None:
    """Simple players, by what they jam and call."""
    number, best, genes = frame
    shares = 100 * np.array(genes)
    axes = canvas.subplots()
    axes.scatter(shares[:, 0], shares[:, 1], s=22, color="#1f4e79", alpha=0.7)
    axes.scatter(shares[best, 0], shares[best, 1], s=34, color="#c55a11")
    axes.scatter(opponent[0], opponent[1], s=60, marker="x", color="black")
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    axes.set_xlabel("jams, %")
    axes.set_ylabel("calls, %")
    axes.set_title(f"generation {number}", fontsize=10)
    axes.grid(alpha=0.25)


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
    """One table of everybody, small."""
    genes = genes_of(frame)[:, table]
    columns = 6 if len(genes) > 25 else 5
    rows = -(-len(genes) // columns)
    # One picture with gaps: as many axes would take a second to draw.
    tiles = np.full((rows * columns, _SIDE + 1, _SIDE + 1), np.nan)
    tiles[: len(genes), :_SIDE, :_SIDE] = genes.reshape(-1, _SIDE, _SIDE)
    tiled = tiles.reshape(rows, columns, _SIDE + 1, _SIDE + 1).swapaxes(1, 2)
    _draw(canvas.subplots(), tiled.reshape(rows * (_SIDE + 1), -1), title, _most(genes))
