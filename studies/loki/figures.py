"""The pictures of the study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from dealer.intervals import Interval, mean_interval
from studies.harness.report import COLOURS, Figure
from studies.loki.plan import DUELS, FIELDS, VARIANTS, LokiPlan

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


def all_figures(plan: LokiPlan, done: Mapping[str, Any]) -> list[Figure]:
    """Return all figures, in the order of the report."""
    gains = {name: {one: plan.wins(f"{name}/{one}", done) for one in VARIANTS} for name in FIELDS}
    duels = {f"{hero} v {other}": plan.wins(f"{hero}/{other}", done) for hero, other in DUELS}
    return [
        Figure(
            "gains",
            "What each enhancement gains over Loki-1 among ten, in small bets a hand, with 95 % intervals: "
            "B betting by triples, R reweighting by triples, S simulation. The document's figures 4.3 to "
            "4.6, images in our copy, cannot be shown beside it.",
            partial(_draw_gains, gains),
            (10, 4),
        ),
        Figure(
            "course",
            "The same deal by deal: small bets a seating that a modified player is ahead of Loki-1.",
            partial(_course, gains),
            (10, 4),
        ),
        Figure(
            "strength",
            "Small bets a hand that the first wins from the second, three of each at a table of six, with "
            "95 % intervals.",
            partial(_draw_strength, duels),
            (8, 4),
        ),
    ]


def _draw_bars(axes: Axes, intervals: Mapping[str, Interval], colours: Sequence[str] = COLOURS) -> None:
    places = range(len(intervals))
    axes.bar(
        places,
        [one.mean for one in intervals.values()],
        yerr=[one.half or 0.0 for one in intervals.values()],
        color=[colours[place % len(colours)] for place in places],
        capsize=4,
    )
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xticks(places, list(intervals))
    axes.grid(axis="y", alpha=0.25)


def _draw_gains(gains: Mapping[str, Mapping[str, list[float]]], canvas: Canvas) -> None:
    grid = canvas.subplots(1, len(gains), sharey=True, squeeze=False)[0]
    for axes, (name, variants) in zip(grid, gains.items(), strict=True):
        _draw_bars(axes, {"+".join(one): mean_interval(values) for one, values in variants.items()})
        axes.set_title(f"{name} field", fontsize=10)
    grid[0].set_ylabel("small bets a hand")


def _course(gains: Mapping[str, Mapping[str, list[float]]], canvas: Canvas) -> None:
    grid = canvas.subplots(1, len(gains), sharey=True, squeeze=False)[0]
    for axes, (name, variants) in zip(grid, gains.items(), strict=True):
        for colour, (letters, values) in zip(COLOURS, variants.items(), strict=True):
            axes.plot([0.0, *accumulate(values)], color=colour, linewidth=1.3, label="+".join(letters))
        axes.axhline(0, color="black", linewidth=0.8)
        axes.set_title(f"{name} field", fontsize=10)
        axes.set_xlabel("deals")
        axes.grid(alpha=0.25)
    grid[0].set_ylabel("small bets")
    grid[0].legend(fontsize=8)


def _draw_strength(duels: Mapping[str, list[float]], canvas: Canvas) -> None:
    """Draw the duels with Loki-1, of which the document speaks, apart: beside the others they are tiny."""
    heroes = list(dict.fromkeys(name.partition(" v ")[0] for name in duels))
    from_loki1 = {name: values for name, values in duels.items() if name.endswith(" v loki1")}
    rest = {name: values for name, values in duels.items() if name not in from_loki1}
    grid = canvas.subplots(1, 2, gridspec_kw={"width_ratios": (1, 3)})
    for axes, part in zip(grid, (from_loki1, rest), strict=True):
        colours = [COLOURS[heroes.index(name.partition(" v ")[0])] for name in part]
        _draw_bars(axes, {name: mean_interval(values) for name, values in part.items()}, colours)
        axes.set_xticks(range(len(part)), [name.replace(" v ", "\nv ") for name in part], fontsize=8)
    grid[0].set_ylabel("small bets a hand")
