"""Tables of starting hands as grids of 13 x 13: as pictures, darker (or lighter) where a hand is played more
often, and for a terminal.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from strategy.poker.preflop import HAND_CLASSES
from strategy.pushfold.game import HandTable
from strategy.pushfold.grids import GRID_RANKS, text_grid
from studies.harness.report import save_picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas
    from rich.text import Text

# Set both colours of a cell, so that it is readable on any background.
_PLAYED, _MIXED = "bold white on #1f4e79", "black on #ffc000"
_CELL = 4
_LUMINANCE = (0.2126, 0.7152, 0.0722)
_DARK = 0.18
# Below this luminance white is farther from a colour than black.


def draw_grids(
    grids: Mapping[str, HandTable],
    canvas: Canvas,
    white_plays: bool = False,
    rows: int = 1,
    numbers: Mapping[str, HandTable] | None = None,
) -> None:
    """Draw grids side by side, in ``rows``, with their titles, into an empty figure; values are from 0 to 1.

    ``white_plays``: 1 is white and 0 black, as in Funke 2015; otherwise 1 is dark blue and 0 white.
    ``numbers``: by title, what is written below the names of the hands; nothing for 0.
    """
    places = canvas.subplots(rows, len(grids) // rows, squeeze=False).ravel()
    for axes, (title, table) in zip(places, grids.items(), strict=True):
        _draw(axes, title, table, white_plays, (numbers or {}).get(title, np.zeros(len(table))))


def text_colours(cells: NDArray[Any]) -> list[str]:
    """Return for text on each of these colours, float[cells, red green blue and more], black or white:
    whichever is farther.
    """
    return ["white" if one < _DARK else "black" for one in cells[:, :3] ** 2.2 @ _LUMINANCE]


def _draw(axes: Axes, title: str, table: HandTable, white_plays: bool, numbers: HandTable) -> None:
    size = len(GRID_RANKS)
    image = axes.imshow(table.reshape(size, size), cmap="gray" if white_plays else "Blues", vmin=0, vmax=1)
    colours = text_colours(image.to_rgba(table))
    for place, (name, number) in enumerate(zip(HAND_CLASSES, numbers, strict=True)):
        row, column = divmod(place, size)
        text = f"{name}\n{number:g}" if number else name
        axes.text(column, row, text, ha="center", va="center", fontsize=7, color=colours[place])
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title(title, fontsize=10)


def save_grids(grids: Mapping[str, HandTable], file: Path) -> None:
    """Save the grids as a PNG file. Raises MissingLibrary without matplotlib, OSError."""
    save_picture(partial(draw_grids, grids), (5.2 * len(grids), 5.4), file)


def print_grids(grids: Mapping[str, HandTable]) -> None:
    """Print the grids with their titles; they are readable without colours."""
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    for title, table in grids.items():
        console.print(f"\n{title}")
        for row in _rows(table):
            console.print(row, soft_wrap=True)


def _rows(table: HandTable) -> list[Text]:
    from rich.text import Text

    lines = [Text("  " + "".join(f"{rank:^{_CELL}}" for rank in GRID_RANKS).rstrip())]
    for rank, cells in zip(GRID_RANKS, text_grid(table), strict=True):
        line = Text(f"{rank} ")
        for cell in cells:
            style = "" if cell == "." else _MIXED if cell.endswith("%") else _PLAYED
            line.append(f"{cell:^{_CELL}}", style)
        line.rstrip()
        lines.append(line)
    return lines
