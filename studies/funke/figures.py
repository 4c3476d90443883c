"""The pictures of the study: chapters 3 and 4."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dealer.intervals import mean_interval
from strategy.pushfold.equilibrium import equilibrium
from strategy.pushfold.game import HandTable, percent_played
from strategy.pushfold.rankings import SKLANSKY_CHUBUKOV, STRENGTH, sklansky_chubukov_numbers
from studies.funke.animations import all_animations
from studies.funke.comparisons import won
from studies.funke.document import EQUILIBRIUM, FIGURE_41, SIMPLE, SOLVED, TABLE_11, TABLE_11_MOST
from studies.funke.illustrations import largest_stacks
from studies.funke.jobs import CAP, CAPS, PIECE
from studies.funke.plan import SWEPT, FunkeResults
from studies.harness.evolution_pictures import draw_population, draw_scatter, genes_of
from studies.harness.grids import draw_grids
from studies.harness.one_against_one import MatchCounts, draw_curves, match_lines
from studies.harness.report import Animation, Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_COLOURS = ("#1f4e79", "#c55a11", "#548235", "#7f3f98", "#7f7f7f", "#b8860b")
_WIDE = (10.0, 5.2)
_HANDS = (1000, 3000, 10_000, 30_000, 100_000)
_EVOLVED = ("simple/none", "simple/70-60", "simple/40-30")


def all_figures(done: FunkeResults) -> list[Figure | Animation]:
    """Return the figures in the order of the document."""
    return [
        *_chapter_1(),
        *_chapter_3(done),
        *_matches(done),
        *_solutions(done),
        *all_animations(done),
        *(_sweep(done, kind) for kind in SWEPT),
        _losses(done),
    ]


def _chapter_1() -> list[Figure]:
    ours = largest_stacks(TABLE_11_MOST)
    numbers = sklansky_chubukov_numbers()
    places = np.empty(len(numbers))
    places[list(SKLANSKY_CHUBUKOV)] = np.arange(len(numbers), 0, -1) / len(numbers)
    strengths = np.empty(len(numbers))
    strengths[list(STRENGTH)] = np.arange(len(numbers), 0, -1) / len(numbers)
    return [
        Figure(
            "table-1.1",
            "Table 1.1: his example of a table of hands, and up to which stack the equilibrium jams; darker "
            "is more, to 20.",
            partial(
                draw_grids,
                {"table 1.1": TABLE_11 / TABLE_11_MOST, "the equilibrium's jams": ours / TABLE_11_MOST},
            ),
            _WIDE,
        ),
        Figure(
            "figure-1.1",
            "Figure 1.1: the orders of hands by Sklansky and Chubukov's numbers, and by strength; darker is "
            "better.",
            partial(draw_grids, {"Sklansky and Chubukov": places, "strength": strengths}),
            _WIDE,
        ),
    ]


def _chapter_3(done: FunkeResults) -> list[Figure]:
    scatter = done.runs("simple/70-60/20")[0]["frames"]
    complex_, variable = (done.runs(f"{kind}/none")[0]["frames"][-1] for kind in ("complex", "variable"))
    best = [genes_of(frame)[frame[1]] for frame in (complex_, variable)]
    return [
        Figure(
            "figure-3.1",
            "Figure 3.1: the simple players of one generation, N = 20, against 70/60.",
            partial(draw_scatter, scatter[0], (70.0, 60.0)),
            (4.8, 4.4),
        ),
        Figure(
            "figure-3.2-3.4",
            "Figures 3.2 and 3.4: the best complex player's calls, and up to which stack the best variable "
            "one jams; white is played, grey up to a cap.",
            partial(
                draw_grids,
                {"complex: calls": best[0][1] * 1.0, "variable: jams": best[1][0] / CAPS[-1]},
                white_plays=True,
            ),
            _WIDE,
        ),
        Figure(
            "figure-3.3-3.5",
            "Figures 3.3 and 3.5: everybody of a late generation, 30 complex players' jams and 20 variable "
            "ones' calls.",
            partial(_draw_populations, complex_, variable),
            (10, 4.8),
        ),
    ]


def _draw_populations(one: Sequence[Any], other: Sequence[Any], canvas: Canvas) -> None:
    left, right = canvas.subfigures(1, 2, squeeze=False)[0]
    draw_population(left, one, 0, f"complex, jams, generation {one[0]}")
    draw_population(right, other, 1, f"variable, calls, generation {other[0]}")


def _matches(done: FunkeResults) -> list[Figure]:
    return [
        Figure(
            "figure-4.1",
            "Figure 4.1: what the experiment of one against one prints, bb/100 for his bb/hands.",
            partial(_draw_printed, done.results["match/sample"]),
            (5.6, 3.8),
        ),
        Figure(
            "figure-4.2",
            "Figure 4.2: performance up to each hand, in eight matches without end; dashed: exactly.",
            partial(_draw_running, done.results["match/curves"][:8]),
        ),
        Figure(
            "matches",
            "Performances of matches that ended when 500 big blinds were lost: short matches are far out, "
            "whoever wins. Orange: the three of figure 4.1, ten-match mean of the document dashed.",
            partial(_draw_ended, done.results["match/bust"]),
        ),
    ]


def _draw_printed(rows: Sequence[Sequence[float]], canvas: Canvas) -> None:
    matches = [MatchCounts(*row) for row in rows]
    lines = []
    for number in (0, 1, len(rows) - 1):
        lines += [*match_lines(number, matches[number]), ""]
    mean = np.mean([match.rate for match in matches])
    lines.append(f"Player 1 performance mean of {len(rows)} matches: {mean:.6f}")
    canvas.text(0.03, 0.97, "\n".join(lines), family="monospace", fontsize=10, va="top")


def _draw_running(curves: Sequence[Sequence[float]], canvas: Canvas) -> None:
    hands = PIECE * np.arange(1, len(curves[0]) + 1)
    draw_curves(
        [np.stack([hands, 100 * np.array(nets) / hands], axis=1) for nets in curves], won(*FIGURE_41), canvas
    )


def _draw_ended(rows: Sequence[Sequence[float]], canvas: Canvas) -> None:
    from studies.funke.document import FIGURE_41_MATCHES, FIGURE_41_MEAN

    axes = canvas.subplots()
    shown = np.array(rows[:2000])
    axes.scatter(shown[:, 0], 100 * shown[:, 1] / shown[:, 0], s=4, color=_COLOURS[0])
    his = np.array(FIGURE_41_MATCHES)
    axes.scatter(his[:, 0], his[:, 1], s=40, color=_COLOURS[1], zorder=3)
    axes.axhline(FIGURE_41_MEAN, color=_COLOURS[1], linestyle="--", linewidth=1)
    axes.set_xscale("log")
    axes.set_xticks(_HANDS, [f"{hands:,}" for hands in _HANDS])
    axes.set_xlabel("hands of the match")
    axes.set_ylabel("bb/100")
    axes.grid(alpha=0.25)


def _solutions(done: FunkeResults) -> list[Figure]:
    fair = equilibrium(CAP[0])
    found = {"jam": fair.jam, "call": fair.call}
    return [
        Figure(
            "figure-4.3",
            "Figure 4.3: the equilibrium at 10 big blinds.",
            partial(draw_grids, _titled(found)),
            _WIDE,
        ),
        Figure(
            "solutions",
            "Tables 4.2 and 4.4: solutions of the document (crosses) and ours (points, all sizes).",
            partial(_spread, done),
            (10, 3.9),
        ),
        *(
            Figure(
                f"figure-{number}",
                f"Figure {number}: {what}, white is played; first run, after "
                f"{done.runs(name)[0]['generations']} generations.",
                partial(draw_grids, _best(done, name), white_plays=True),
                _WIDE,
            )
            for number, name, what in (
                ("4.4", "complex/none", "complex players, round robin"),
                ("4.5", "complex/70-60", "complex players against 70/60"),
                ("4.6", "complex/40-30", "complex players against 40/30"),
                ("4.7", "variable/none", "variable players, round robin; lighter is a higher cap"),
                ("beyond-complex", "complex/sure", "complex players, exact, against their worst opponents"),
                (
                    "beyond-variable",
                    "variable/sure",
                    "variable players, exact, against their worst opponents",
                ),
            )
        ),
    ]


def _titled(tables: dict[str, HandTable]) -> dict[str, HandTable]:
    return {f"{name}: {percent_played(table):.2f} %": table for name, table in tables.items()}


def _best(done: FunkeResults, name: str) -> dict[str, HandTable]:
    genes = done.runs(name)[0]["genes"]
    cells = np.array([[int(cell, 16) for cell in row] for row in genes], np.float64)
    if name.startswith("variable"):
        return {"jam, cap of 0 to 10": cells[0] / CAPS[-1], "call, cap of 0 to 10": cells[1] / CAPS[-1]}
    return _titled({"jam": cells[0], "call": cells[1]})


def _spread(done: FunkeResults, canvas: Canvas) -> None:
    titles = ("round robin", "against 70/60", "against 40/30")
    for axes, prefix, title in zip(canvas.subplots(1, 3), _EVOLVED, titles, strict=True):
        names = [name for name in done.plan.experiments if name.startswith(f"{prefix}/")]
        ours = np.array([(run["jam"], run["call"]) for name in names for run in done.runs(name)])
        axes.scatter(ours[:, 0], ours[:, 1], s=14, color=_COLOURS[0], label="ours")
        text = prefix.partition("/")[2].replace("-", "/")
        his = (
            SIMPLE
            if text == "none"
            else [one for one in SOLVED if text == f"{one.opponent[0]:g}/{one.opponent[1]:g}"]
        )
        axes.scatter(
            [one.jam for one in his],
            [one.call for one in his],
            s=30,
            marker="x",
            color=_COLOURS[1],
            label="document",
        )
        if text == "none":
            axes.scatter(EQUILIBRIUM[0], EQUILIBRIUM[1], s=40, marker="+", color="black", label="57/37")
        _draw_plane(axes, title)
        axes.legend(fontsize=7, loc="upper left")


def _draw_plane(axes: Axes, title: str) -> None:
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    axes.set_xlabel("jams, %")
    axes.set_ylabel("calls, %")
    axes.set_title(title, fontsize=10)
    axes.grid(alpha=0.25)


def _sweep(done: FunkeResults, kind: str) -> Figure:
    return Figure(
        f"sweep-{kind}",
        f"What best answers win from {kind} players at each pCross (colour), pMut and patience: every run, "
        "and means with 95 % intervals. The document gives none of the three.",
        partial(_draw_sweep, done, kind),
        (9.0, 4.2),
    )


def _draw_sweep(done: FunkeResults, kind: str, canvas: Canvas) -> None:
    axes = canvas.subplots()
    crossings = list(dict.fromkeys(rates.crossing for rates in SWEPT[kind]))
    for place, rates in enumerate(SWEPT[kind]):
        lost = done.losses(f"{kind}/none/{rates.name}")
        mean = mean_interval(lost)
        colour = _COLOURS[crossings.index(rates.crossing)]
        axes.plot([place] * len(lost), lost, ".", color=colour, alpha=0.3)
        axes.errorbar(place + 0.2, mean.mean, mean.half or 0, fmt="o", color=colour, capsize=3)
    axes.set_xticks(
        range(len(SWEPT[kind])),
        [f"pCross {one.crossing:g}\npMut {one.mutation:g}\n{one.patience}" for one in SWEPT[kind]],
        fontsize=7,
    )
    axes.set_ylabel("mbb/hand")
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", alpha=0.25)


def _losses(done: FunkeResults) -> Figure:
    return Figure(
        "exploitability",
        "What best answers win from the best player of each generation, both seats averaged, every run: by "
        "matches in a round robin, and by exact values against the worst opponent. Dashed: 1 mbb/hand.",
        partial(_draw_curves, done),
        (10, 4.4),
    )


def _draw_curves(done: FunkeResults, canvas: Canvas) -> None:
    groups = (
        (
            "by matches, round robin",
            {"simple, N = 40": "simple/none/40", "complex": "complex/none", "variable": "variable/none"},
        ),
        (
            "exact, worst case",
            {"simple": "simple/sure", "complex": "complex/sure", "variable": "variable/sure"},
        ),
    )
    for axes, (title, names) in zip(canvas.subplots(1, 2, sharey=True), groups, strict=True):
        for colour, (label, name) in zip(_COLOURS, names.items(), strict=False):
            for number, run in enumerate(done.runs(name)):
                axes.plot(
                    np.maximum(run["loss"], 1e-3),
                    color=colour,
                    linewidth=0.8,
                    alpha=0.7,
                    label=None if number else label,
                )
        axes.axhline(1, color="black", linestyle="--", linewidth=0.8)
        axes.set_yscale("log")
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("generation")
        axes.grid(alpha=0.25)
        axes.legend(fontsize=8)
    canvas.axes[0].set_ylabel("mbb/hand")
