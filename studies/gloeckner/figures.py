"""The pictures of the study: winnings. Those of single decisions are in ``heatmaps``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from dealer.intervals import Interval
from studies.gloeckner.comparisons import printed_noise
from studies.gloeckner.document import (
    BANKROLLS,
    BIASES,
    DEALS,
    HYBRIDS,
    LIKELIEST,
    LIKELIEST_DEALS,
    NEAREST,
    NEIGHBOURS,
    SITUATIONS,
    TABLE_1,
    TABLE_1_BOTS,
    UNHELPED,
    WEIGHTED,
    mbb,
)
from studies.gloeckner.heatmaps import decision_figures
from studies.gloeckner.plan import (
    DUELS,
    HBB6_TOURNAMENT,
    MAPPED,
    SMALL_POTS,
    Array,
    GloecknerResults,
    line_up_name,
)
from studies.gloeckner.tables import nearest_name
from studies.gloeckner.tournaments import MAPPED_ALONE, fit_otherwise
from studies.harness.grids import text_colours
from studies.harness.report import COLOURS, Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_HANDS, _FAIR_HANDS = 6000, 3000
_NOISE = ", whose intervals are taken to be as wide as ours with as many deals"
_PLAIN = 100.0
# Colours are in proportion up to here, and by logarithm beyond: winnings reach from 10 to 4,000.

_BELOW = 0.25
# Our intervals are at the middle of a bar, the document's this much below.

Bars = Sequence[tuple[str, Interval, float | None, float]]
"""Label, measured value, the document's figure, and half of its 95 % interval."""


def all_figures(done: GloecknerResults) -> list[Figure]:
    """Return all figures, in the order of the report."""
    return [
        Figure(
            "table-1",
            "Table 1: what each bot (column) wins from two others (row), mbb a hand; colours by logarithm.",
            partial(_draw_matches, _table_1(done)),
            (11, 8),
        ),
        Figure(
            "why",
            "Why raise and call lose so little in table 1: our winnings against the document's in mbb a "
            "hand, as they are, and with mappings that fold where the heads-up strategy has no answer; 95 % "
            "intervals, without akuma. The line is the best factor for line-ups with raise or call. The "
            "three farthest from it on the right are hbb2 with both.",
            partial(_draw_why, done),
            (10, 5),
        ),
        Figure(
            "bankrolls",
            "Bankrolls in mbb a hand over all matches, with 95 % intervals: the document's seven (circles "
            f"are its table 2{_NOISE}), and the eight with hbb6.",
            partial(_draw_bankrolls, done),
            (10, 4.5),
        ),
        Figure(
            "hbb6",
            "What hbb6 wins more than each of the seven others, in mbb a hand, with 95 % intervals: among "
            "all eight, and in the last round of the run-off in which both are left.",
            partial(_draw_leads, done),
            (10, 3.5),
        ),
        Figure(
            "nearest",
            "Tables 3 and 5: winnings with the x nearest histories, in mbb a hand, with 95 % intervals; "
            f"dotted, the document's{_NOISE}.",
            partial(_draw_nearest, done),
            (10, 6.5),
        ),
        Figure(
            "fair",
            "Tables 11, 12 and 15: winnings against two fair players, in mbb a hand, with 95 % intervals; "
            f"circles are the document's{_NOISE}.",
            partial(_draw_fair, done),
            (10, 8),
        ),
        *decision_figures(done),
        Figure(
            "cfr",
            "What cfr wins heads-up, in mbb a hand, with 95 % intervals.",
            partial(_draw_duels, done),
            (7, 3),
        ),
    ]


def _table_1(done: GloecknerResults) -> tuple[Array, Array]:
    """Return the document's table and ours: float64[21, 7], NaN where a bot would meet itself."""
    found = np.full((2, 21, len(TABLE_1_BOTS)), np.nan)
    for row, pair in enumerate(combinations(TABLE_1_BOTS, 2)):
        for column, bot in enumerate(TABLE_1_BOTS):
            if bot not in pair:
                line_up = tuple(one for one in TABLE_1_BOTS if one in (*pair, bot))
                found[:, row, column] = (
                    mbb(TABLE_1[line_up][bot], _HANDS),
                    done.rate(line_up_name(line_up), bot).mean,
                )
    return found[0], found[1]


def _draw_matches(tables: tuple[Array, Array], canvas: Canvas) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import SymLogNorm

    grid = canvas.subplots(1, 2, sharey=True)
    width = float(np.nanmax(np.abs(tables)))
    shades = ScalarMappable(SymLogNorm(_PLAIN, vmin=-width, vmax=width), "RdBu")
    for axes, table, title in zip(grid, tables, ("document", "here"), strict=True):
        axes.imshow(table, cmap=shades.cmap, norm=shades.norm, aspect="auto")
        colours = text_colours(shades.to_rgba(table.ravel()))
        for ((row, column), value), colour in zip(np.ndenumerate(table), colours, strict=True):
            if not np.isnan(value):
                axes.text(column, row, f"{value:.0f}", ha="center", va="center", fontsize=7.5, color=colour)
        axes.set_xticks(range(len(TABLE_1_BOTS)), TABLE_1_BOTS, fontsize=8)
        axes.set_title(title)
    grid[0].set_yticks(range(21), [" ".join(pair) for pair in combinations(TABLE_1_BOTS, 2)], fontsize=8)
    canvas.colorbar(shades, ax=grid, label="mbb a hand", shrink=0.7)


def _draw_why(done: GloecknerResults, canvas: Canvas) -> None:
    grid = canvas.subplots(1, 2, sharex=True, sharey=True)
    for axes, key, title in zip(grid, ("none", "nan-fold"), ("as they are", "folding"), strict=True):
        for line_ups, colour, label in (
            (SMALL_POTS, COLOURS[0], "with raise or call"),
            (MAPPED_ALONE, COLOURS[1], "mappings and ownbot alone"),
        ):
            fit = fit_otherwise(done, key, line_ups)
            axes.errorbar(
                fit.papers,
                [one.mean for one in fit.rates],
                yerr=[one.half or 0.0 for one in fit.rates],
                fmt="o",
                color=colour,
                markersize=4,
                linewidth=0.8,
                label=label,
            )
        factor = fit_otherwise(done, key, SMALL_POTS).factor
        axes.axline((0, 0), slope=factor.mean, color=COLOURS[4], linewidth=1)
        axes.axhline(0, color="black", linewidth=0.6)
        axes.axvline(0, color="black", linewidth=0.6)
        axes.set_title(f"{title}: times {factor.mean:.2f} ± {factor.half or 0.0:.2f}", fontsize=10)
        axes.set_xlabel("document, mbb a hand")
        axes.grid(alpha=0.25)
    grid[0].set_ylabel("here, mbb a hand")
    grid[0].legend(fontsize=8, loc="upper left")


def _draw_bars(axes: Axes, bars: Bars) -> None:
    places = range(len(bars))
    axes.barh(
        places,
        [one.mean for _, one, *_ in bars],
        xerr=[one.half or 0.0 for _, one, *_ in bars],
        color=COLOURS[0],
        alpha=0.5,
        capsize=3,
    )
    printed = [(place, paper, noise) for place, (*_, paper, noise) in enumerate(bars) if paper is not None]
    if printed:
        axes.errorbar(
            [paper for _, paper, _ in printed],
            [place + _BELOW for place, *_ in printed],
            xerr=[noise for *_, noise in printed],
            fmt="o",
            color=COLOURS[1],
            linewidth=1,
            capsize=2,
            markersize=5,
            markerfacecolor="white",
            label="document",
        )
        # Above the axes, where no bar is.
        axes.legend(fontsize=8, loc="lower right", bbox_to_anchor=(1, 1), borderaxespad=0.1, frameon=False)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_yticks(places, [label for label, *_ in bars], fontsize=8)
    axes.invert_yaxis()
    axes.locator_params(axis="x", nbins=6)
    axes.tick_params(axis="x", labelsize=8)
    axes.grid(axis="x", alpha=0.25)


def _printed(
    label: str, here: Interval, chips: float, hands: int, deals: int = DEALS
) -> tuple[str, Interval, float, float]:
    """Return the bar of a figure that the document has."""
    return label, here, mbb(chips, hands), printed_noise(here, deals)


def _draw_bankrolls(done: GloecknerResults, canvas: Canvas) -> None:
    left, right = canvas.subplots(1, 2)
    seven, eight = done.document_tournament, done.hbb6_tournament
    _draw_bars(left, [_printed(bot, seven.rates[bot], BANKROLLS[bot], 90_000) for bot in seven.by_bankroll])
    _draw_bars(right, [(bot, eight.rates[bot], None, 0) for bot in eight.by_bankroll])
    left.set_title("the seven of the document", fontsize=10)
    right.set_title("eight, with hbb6", fontsize=10)
    for axes in (left, right):
        axes.set_xlabel("mbb a hand")


def _draw_leads(done: GloecknerResults, canvas: Canvas) -> None:
    grid = canvas.subplots(1, 2)
    found = done.hbb6_tournament
    others = [bot for bot in HBB6_TOURNAMENT if bot != "hbb6"]
    rounds = {bot: found.last_together("hbb6", bot) for bot in others}
    _draw_bars(grid[0], [(bot, found.lead("hbb6", bot, HBB6_TOURNAMENT), None, 0) for bot in others])
    _draw_bars(
        grid[1],
        [
            (f"{bot}, {len(left)} left", found.lead("hbb6", bot, left), None, 0)
            for bot, left in rounds.items()
        ],
    )
    for axes, title in zip(grid, ("by total bankroll", "by instant run-off"), strict=True):
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("lead of hbb6, mbb a hand")


def _draw_nearest(done: GloecknerResults, canvas: Canvas) -> None:
    tables: tuple[tuple[int, Mapping[str, Sequence[int]], int, str], ...] = (
        (3, NEAREST, _HANDS, "table 3: akuma and ownbot"),
        (5, WEIGHTED, _FAIR_HANDS, "table 5: two fair players"),
    )
    grid = canvas.subplots(2, len(MAPPED), sharex=True, sharey=True)
    for line, (table, papers, hands, title) in zip(grid, tables, strict=True):
        for axes, bot in zip(line, MAPPED, strict=True):
            rates = [done.rate(*nearest_name(table, bot, nearest)) for nearest in NEIGHBOURS]
            printed = [mbb(chips, hands) for chips in papers[bot]]
            for aside, figures, halves, how, colour, label in (
                (0.0, [one.mean for one in rates], [one.half or 0.0 for one in rates], "-", 0, "here"),
                (0.3, printed, [printed_noise(one) for one in rates], ":o", 1, "document"),
            ):
                axes.errorbar(
                    [nearest + aside for nearest in NEIGHBOURS],
                    figures,
                    yerr=halves,
                    fmt=how,
                    color=COLOURS[colour],
                    capsize=3,
                    markersize=4,
                    label=label,
                )
            axes.axhline(0, color="black", linewidth=0.8)
            axes.set_title(f"{bot}, {title}", fontsize=9)
            axes.set_xticks(NEIGHBOURS)
            axes.grid(alpha=0.25)
    canvas.supxlabel("x, the number of nearest histories", fontsize=9)
    canvas.supylabel("mbb a hand", fontsize=9)
    canvas.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=8)


def _draw_fair(done: GloecknerResults, canvas: Canvas) -> None:
    left, right = canvas.subplots(1, 2)
    bars: list[tuple[str, Interval, float | None, float]] = []
    for bot in MAPPED:
        for number, name in enumerate(("", "-bias")):
            label = f"{bot} with bias" if name else bot
            bars.append(_printed(label, done.rate(f"fair/{bot}{name}"), BIASES[bot][number], _FAIR_HANDS))
    for bot, chips in zip(("hbb5", "hbb5-max"), LIKELIEST, strict=True):
        bars.append(_printed(bot, done.rate(f"fair/{bot}"), chips, _HANDS, LIKELIEST_DEALS))
    _draw_bars(left, bars)
    left.set_title("tables 11 and 12", fontsize=10)
    bars = [_printed("fair", done.rate("fair/none"), UNHELPED, _FAIR_HANDS)]
    for number in range(1, 6):
        for when in SITUATIONS:
            name = f"fair/hbb{number}" + ("" if when == "always" else f"-{when}")
            label = f"hbb{number}, {when.replace('_', ' ')}"
            bars.append(_printed(label, done.rate(name), HYBRIDS[when][number - 1], _FAIR_HANDS))
    _draw_bars(right, [*bars, ("hbb6", done.rate("fair/hbb6"), None, 0)])
    right.set_title("table 15", fontsize=10)
    for axes in (left, right):
        axes.set_xlabel("mbb a hand")


def _draw_duels(done: GloecknerResults, canvas: Canvas) -> None:
    axes = canvas.subplots()
    _draw_bars(axes, [(other, done.rate(f"duel/{other}", "cfr"), None, 0) for other in DUELS])
    axes.set_xlabel("mbb a hand")
