"""The pictures of single decisions: the analyses of 5.2, tables 7 to 10, and appendix B."""

from __future__ import annotations

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from strategy.mapping_bots.bias import preflop_tables
from strategy.poker.preflop import HAND_CLASSES
from studies.gloeckner.actions import class_table, part_of, times_printed, triples
from studies.gloeckner.analyses import answers, deviations, distance_counts, variances
from studies.gloeckner.document import ACTIVE, DISTANCES, FIRST, SIZES, STREETS, TRIPLES
from studies.gloeckner.errata import illegible_raises
from studies.gloeckner.jobs import ASKED, KINDS
from studies.gloeckner.plan import ANALYSED, COUNTED, MAPPED, Array, GloecknerResults
from studies.harness.grids import text_colours
from studies.harness.report import COLOURS, Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_RANKS = "AKQJT98765432"
_UNREAD = " (our copy does not show hyperborean's of {}: drawn is what it neither folds nor calls)"
_ASIDE = 0.05
# Our intervals are this far left of the middle of a bar, the document's right of it.


def decision_figures(done: GloecknerResults) -> list[Figure]:
    """Return the figures in the order of the document."""
    return [
        Figure(
            "variance",
            "Diagram 1 and appendix C: mean variance of the chances to fold, to call and to raise, by how "
            "many nearest histories there were, of 10 (above) and of 15 (below) wanted. The size of a point "
            "grows with the number of mappings. The document's diagrams are pictures without figures, so "
            "they cannot be drawn beside ours. Dashed is all that its text tells of them: hbb2 finds 8, 10 "
            "or 15 histories.",
            partial(_draw_variances, done),
            (11, 6.6),
        ),
        Figure(
            "distance",
            "Table 6 and diagram 2, hbb3 with the 10 nearest (above) and the 15 (below): how many histories "
            "have which distance, and how far their chance of a raise is from the mean of the mapping, with "
            "95 % intervals (pale: too few for one). The document's diagram 2 is a picture without figures, "
            "of which its text tells only the bar at distance 0.",
            partial(_draw_distances, done),
            (10, 7.5),
        ),
        Figure(
            "actions",
            "Tables 7 to 10: what hyperborean folds, calls and raises more often than each bot, by street "
            "and number of active players. Bars are measured here, with 95 % intervals; circles "
            "are the document's, whose intervals are taken to be as wide as ours with as many hands.",
            partial(_draw_actions, done),
            (10, 8),
        ),
        Figure(
            "answers",
            "What each mapping folds, calls and raises more often than hbb6 at the same decisions (blue; "
            "red: less), by active players and street; in brackets how far their chances are apart. hbb4 and "
            "hbb5 are alike: where every history has an answer, both take the same nearest one, as hbb5 "
            "sorts first by what hbb4 filters by.",
            partial(_draw_answers, answers(done).sum(axis=0)),
            (10, 4.6),
        ),
        *(
            Figure(
                f"preflop-{kind}",
                f"Appendix B: how often each {kind}s before the flop with three active players and something "
                f"to pay; suited hands above the diagonal. First row: the document's{unread}. Grey: never "
                "dealt.",
                partial(_preflop, done, KINDS.index(kind)),
                (11, 5.8),
            )
            for kind, unread in (("fold", ""), ("raise", _UNREAD.format(illegible_raises())))
        ),
    ]


def _draw_variances(done: GloecknerResults, canvas: Canvas) -> None:
    grid = canvas.subplots(len(ANALYSED), len(KINDS), sharey=True, sharex="row")
    for row, nearest in zip(grid, ANALYSED, strict=True):
        for kind, axes in enumerate(row):
            for bot, colour in zip(MAPPED, COLOURS, strict=False):
                found = variances(done, bot, nearest)
                counts, *sums = np.array([rows.sum(axis=0) for rows in found.values()]).T
                axes.scatter(
                    list(found),
                    sums[kind] / counts,
                    s=15 + 150 * counts / counts.sum(),
                    color=colour,
                    alpha=0.7,
                    label=bot,
                )
            for size in SIZES:
                if size <= nearest:
                    axes.axvline(size, color=COLOURS[0], linestyle="--", linewidth=0.9, zorder=0)
            axes.set_title(f"{KINDS[kind]}, at most {nearest}", fontsize=10)
            axes.grid(alpha=0.25)
        row[0].set_ylabel("mean variance")
    for axes in grid[-1]:
        axes.set_xlabel("nearest histories")
        axes.xaxis.get_major_locator().set_params(integer=True)
    canvas.legend(*grid[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8)


def _draw_answers(found: Array, canvas: Canvas) -> None:
    drawn = ("hbb1", "hbb2", "hbb3", "hbb4")
    grid = canvas.subplots(1, len(drawn), sharey=True)
    places = [f"{active} active, {street}" for active in ACTIVE for street in STREETS]
    for axes, bot in zip(grid, drawn, strict=True):
        counts, away, *more = found[ASKED.index(bot)].reshape(-1, 5).T
        shown = np.array(more).T / np.maximum(counts, 1)[:, None]
        image = axes.imshow(shown, cmap="RdBu", vmin=-0.5, vmax=0.5, aspect="auto")
        colours = text_colours(image.to_rgba(shown.ravel()))
        for ((row, column), value), colour in zip(np.ndenumerate(shown), colours, strict=True):
            axes.text(column, row, f"{value:+.2f}", ha="center", va="center", fontsize=7, color=colour)
        far = away / np.maximum(counts, 1)
        axes.set_xticks(range(3), KINDS, fontsize=8)
        name = "hbb4, hbb5" if bot == "hbb4" else bot
        axes.set_title(f"{name} ({away.sum() / max(1.0, counts.sum()):.2f})", fontsize=10)
        axes.yaxis.set_ticks(range(len(places)), places, fontsize=8)
        for row, value in enumerate(far):
            axes.text(2.6, row, f"({value:.2f})", va="center", fontsize=7)


def _draw_distances(done: GloecknerResults, canvas: Canvas) -> None:
    grid = canvas.subplots(len(ANALYSED), 2, sharex=True, sharey="col")
    for nearest, (left, right) in zip(ANALYSED, grid, strict=True):
        _draw_distance(done, nearest, left, right)
        left.set_title(f"{nearest} nearest", fontsize=10)
        right.set_title(f"{nearest} nearest", fontsize=10)
    for axes in grid[-1]:
        axes.set_xlabel("distance, in actions")


def _draw_distance(done: GloecknerResults, nearest: int, left: Axes, right: Axes) -> None:
    counts = distance_counts(done, "hbb3", nearest)
    last = max(len(DISTANCES), int(np.flatnonzero(counts).max(initial=0)) + 1)
    away = np.arange(last)
    paper = np.pad(np.array(DISTANCES, float), (0, last - len(DISTANCES)))
    total = max(1.0, float(counts.sum()))
    left.bar(away - 0.2, paper / paper.sum(), 0.4, color=COLOURS[4], label=f"document, {paper.sum():,.0f}")
    left.bar(away + 0.2, counts[:last] / total, 0.4, color=COLOURS[0], label=f"here, {total:,.0f}")
    left.set_ylabel("part of the histories")
    left.legend(fontsize=8)
    bars = [(place, one) for place, one in enumerate(deviations(done, "hbb3", nearest)) if one.units]
    right.bar([-0.2], [FIRST], 0.4, color=COLOURS[4], label="document: its text tells one bar")
    for place, one in bars:
        known = one.if_enough_units().half
        right.bar(
            place + 0.2,
            one.mean,
            0.4,
            yerr=known,
            color=COLOURS[0],
            alpha=1.0 if known is not None else 0.35,
            capsize=2,
            label="here" if place == bars[0][0] else None,
        )
    right.set_ylabel("mean deviation of the chance of a raise")
    right.legend(fontsize=8, loc="upper left")
    for axes in (left, right):
        axes.set_xticks(away)
        axes.set_xlim(-0.7, last - 0.3)


def _draw_actions(done: GloecknerResults, canvas: Canvas) -> None:
    grid = canvas.subplots(len(COUNTED), len(ACTIVE), sharex=True, sharey=True)
    for line, bot in zip(grid, COUNTED, strict=True):
        counts = triples(done, bot)
        for axes, active in zip(line, ACTIVE, strict=True):
            shares = [
                [part_of(counts[:, active - 2, street], kind) for kind in range(len(KINDS))]
                for street in range(len(STREETS))
            ]
            reference = np.array(TRIPLES["hyperborean"][active])
            paper = np.array(TRIPLES[bot][active]) if bot in TRIPLES else None
            _draw_differences(
                axes,
                reference - np.array([[one.mean for one in row] for row in shares]),
                np.array([[one.half or 0.0 for one in row] for row in shares]),
                None if paper is None else reference - paper,
                sqrt(times_printed(done, bot)),
            )
            axes.set_title(f"{bot}, {active} active", fontsize=9)
    canvas.supylabel("difference, in parts of the decisions", fontsize=9)
    canvas.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=8)


def _draw_differences(axes: Axes, here: Array, halves: Array, paper: Array | None, wider: float) -> None:
    """Draw bars, and circles with intervals that are ``wider`` times as wide."""
    streets = np.arange(len(STREETS))
    for kind, name in enumerate(KINDS):
        places = streets + 0.25 * (kind - 1)
        axes.bar(places, here[:, kind], 0.25, color=COLOURS[kind], alpha=0.7, label=name)
        axes.errorbar(places - _ASIDE, here[:, kind], halves[:, kind], fmt="none", color="black", linewidth=1)
        if paper is not None:
            axes.errorbar(
                places + _ASIDE,
                paper[:, kind],
                wider * halves[:, kind],
                fmt="o",
                color="black",
                linewidth=1,
                markersize=4,
                markerfacecolor="white",
                # The last in the legend.
                label="document" if kind == len(KINDS) - 1 else None,
            )
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xticks(streets, STREETS)
    axes.grid(axis="y", alpha=0.25)


def _preflop(done: GloecknerResults, kind: int, canvas: Canvas) -> None:
    grid = canvas.subplots(2, 4, sharex=True, sharey=True)
    tables = preflop_tables()
    for axes, bot in zip(grid[0], ("hyperborean", *MAPPED), strict=True):
        paper = np.array([tables[bot][name] for name in HAND_CLASSES])
        paper[paper.sum(axis=1) == 0] = np.nan
        _draw_grid(axes, paper[:, kind], f"{bot}, document")
    for axes, bot in zip(grid[1], ("hbb6", *MAPPED), strict=True):
        _draw_grid(axes, class_table(done, bot)[:, kind], f"{bot}, here")
    canvas.colorbar(grid[0, 0].images[0], ax=grid, label=f"part of {KINDS[kind]}s", shrink=0.7)


def _draw_grid(axes: Axes, values: Array, title: str) -> None:
    axes.set_facecolor("#bbbbbb")
    axes.imshow(values.reshape(13, 13), cmap="viridis", vmin=0, vmax=1)
    axes.set_xticks(range(13), list(_RANKS), fontsize=7)
    axes.set_yticks(range(13), list(_RANKS), fontsize=7)
    axes.set_title(title, fontsize=9)
