"""The pictures of the study: chapters 3 and 4."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dealer.intervals import mean_interval
from strategy.pushfold.equilibrium import equilibrium
from strategy.pushfold.game import HandTable, percent_played
from strategy.pushfold.rankings import SKLANSKY_CHUBUKOV, STRENGTH, top_range
from studies.funke.animations import all_animations, cells_of, shown_run
from studies.funke.appendices import CLAIMS, LETTERS, fit, one_run
from studies.funke.comparisons import printed_noise, won
from studies.funke.document import (
    DRAWN,
    EQUILIBRIUM,
    FIGURE_41,
    FIGURE_41_MATCHES,
    FIGURE_41_MEAN,
    FIGURE_41_PRINTED,
    MATCHES,
    NO_NUMBERS,
    SIMPLE,
    SOLVED,
    TABLE_11,
    TABLE_11_MOST,
)
from studies.funke.illustrations import largest_stacks
from studies.funke.jobs import CAP, CAPS, PIECE
from studies.funke.plan import SWEPT, FunkeResults
from studies.harness.evolution_pictures import SHARES, draw_population, draw_scatter, genes_of
from studies.harness.grids import draw_grids
from studies.harness.one_against_one import BEGINNING, MatchCounts, draw_curves, match_lines
from studies.harness.report import COLOURS, Animation, Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_WIDE = (10.0, 5.3)
_TALL = (10.0, 10.6)
_AS_TEXT = "the shares that its text gives, of the best hands by strength"
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
        *(_fit(done, kind) for kind in SWEPT),
        _losses(done),
    ]


def _chapter_1() -> list[Figure]:
    ours = largest_stacks(TABLE_11_MOST)
    stacks = {"table 1.1": TABLE_11, "the equilibrium's jams": ours}
    orders = {"Sklansky and Chubukov": SKLANSKY_CHUBUKOV, "strength": STRENGTH}
    places = {title: np.argsort(order).astype(np.float64) + 1 for title, order in orders.items()}
    return [
        Figure(
            "table-1.1",
            "Table 1.1: his example of a table of hands, and up to which stack the equilibrium jams; darker "
            "is more, to 20.",
            partial(
                draw_grids, {title: most / TABLE_11_MOST for title, most in stacks.items()}, numbers=stacks
            ),
            _WIDE,
        ),
        Figure(
            "figure-1.1",
            "Figure 1.1: the orders of hands by Sklansky and Chubukov's numbers, and by strength; 1 is the "
            "best, and darker is better.",
            partial(
                draw_grids,
                {title: 1 - (place - 1) / len(place) for title, place in places.items()},
                numbers=places,
            ),
            _WIDE,
        ),
    ]


def _chapter_3(done: FunkeResults) -> list[Figure]:
    scatter = shown_run(done, "simple/70-60/20").run["frames"]
    complex_, variable = (
        shown_run(done, one_run(done, kind)).run["frames"][-1] for kind in ("complex", "variable")
    )
    best = [genes_of(frame)[frame[1]] for frame in (complex_, variable)]
    return [
        Figure(
            "figure-3.1",
            f"Figure 3.1: the simple players of one generation, N = 20, against 70/60 (cross); the best "
            f"is orange. {NO_NUMBERS}.",
            partial(draw_scatter, scatter[0], (70.0, 60.0)),
            (4.8, 4.4),
        ),
        Figure(
            "figure-3.2-3.4",
            "Figures 3.2 and 3.4: the best complex player's calls, and up to which stack the best variable "
            f"one jams; white is played, grey up to the stack in the cell. {NO_NUMBERS}.",
            partial(
                draw_grids,
                {"complex: calls": best[0][1] * 1.0, "variable: jams": best[1][0] / CAPS[-1]},
                white_plays=True,
                numbers={"variable: jams": _grey_caps(best[1][0])},
            ),
            _WIDE,
        ),
        Figure(
            "figure-3.3-3.5",
            "Figures 3.3 and 3.5: everybody of a late generation, 30 complex players' jams and 20 variable "
            f"ones' calls. {NO_NUMBERS}.",
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
            "Figure 4.1: what the experiment of one against one prints, the document's three matches of ten "
            "and ours, bb/100 for his bb/hands.",
            partial(_draw_printed, done.results["match/sample"]),
            (10, 3.8),
        ),
        Figure(
            "figure-4.2",
            "Figure 4.2: performance up to each hand, in eight matches without end; dashed: exactly. "
            f"{NO_NUMBERS}; crosses are what it prints of three matches when they end (figure 4.1). Before "
            f"{PIECE * done.plan.sizes.points // BEGINNING:,} hands curves may leave the picture.",
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
    ours = ["Here:", ""]
    for number in (0, 1, len(rows) - 1):
        ours += [*match_lines(number, matches[number]), ""]
    mean = np.mean([match.rate for match in matches])
    ours.append(f"Player 1 performance mean of {len(rows)} matches: {mean:.6f}")
    his = ["Document:", ""]
    for one in FIGURE_41_PRINTED:
        his += [
            f"Match {one.number}",
            f"  Hands played: {one.hands}",
            f"  Player 1 performance: {one.rate:.2f} bb/100",
            f"  Player 1 raised: {one.raised[0]:.2f}%, Player 2 raised: {one.raised[1]:.2f}%",
            f"  Player 1 called: {one.called[0]:.2f}%, Player 2 called: {one.called[1]:.2f}%",
            "",
        ]
    his.append(f"Player 1 performance mean of {MATCHES} matches: {FIGURE_41_MEAN:.6f}")
    for place, lines in ((0.02, his), (0.52, ours)):
        canvas.text(place, 0.97, "\n".join(lines), family="monospace", fontsize=9, va="top")


def _draw_running(curves: Sequence[Sequence[float]], canvas: Canvas) -> None:
    hands = PIECE * np.arange(1, len(curves[0]) + 1)
    draw_curves(
        [np.stack([hands, 100 * np.array(nets) / hands], axis=1) for nets in curves], won(*FIGURE_41), canvas
    )
    axes = canvas.axes[0]
    his = np.array(FIGURE_41_MATCHES)
    axes.scatter(
        his[:, 0], his[:, 1], marker="x", s=50, color="black", zorder=3, label="document, figure 4.1"
    )
    low, high = axes.get_ylim()
    axes.set_ylim(low, max(high, 1.1 * float(his[:, 1].max())))
    axes.legend(fontsize=8)


def _draw_ended(rows: Sequence[Sequence[float]], canvas: Canvas) -> None:
    axes = canvas.subplots()
    shown = np.array(rows[:2000])
    axes.scatter(shown[:, 0], 100 * shown[:, 1] / shown[:, 0], s=4, color=COLOURS[0])
    his = np.array(FIGURE_41_MATCHES)
    axes.scatter(his[:, 0], his[:, 1], s=40, color=COLOURS[1], zorder=3)
    axes.axhline(FIGURE_41_MEAN, color=COLOURS[1], linestyle="--", linewidth=1)
    axes.set_xscale("log")
    axes.set_xticks(_HANDS, [f"{hands:,}" for hands in _HANDS])
    axes.set(xlabel="hands of the match", ylabel="bb/100")
    axes.grid(alpha=0.25)


def _solutions(done: FunkeResults) -> list[Figure]:
    fair = equilibrium(CAP[0])
    found = {"jam": fair.jam, "call": fair.call}
    return [
        Figure(
            "figure-4.3",
            "Figure 4.3: the equilibrium at 10 big blinds; white is played, grey sometimes. "
            f"{NO_NUMBERS}: above {_AS_TEXT} (4.2); ICMizer's order differs somewhat from it.",
            partial(draw_grids, {**_printed(EQUILIBRIUM), **_titled(found)}, white_plays=True, rows=2),
            _TALL,
        ),
        Figure(
            "solutions",
            "Tables 4.2 and 4.4: solutions of the document (crosses) and ours (points, all sizes).",
            partial(_spread, done),
            (10, 3.9),
        ),
        Figure(
            "performances",
            "Tables 4.2 and 4.4: what each solution of the document wins, in its order. Crosses are its "
            "figures with their noise, points the same mean of performances here, bars what is won exactly.",
            partial(_draw_performances, done),
            (10, 3.9),
        ),
        *(
            _solution(done, name, f"figure-{number}", f"Figure {number}: {what}", DRAWN[number], text)
            for number, name, what, text in (
                ("4.4", one_run(done, "complex"), "complex players, round robin", _AS_TEXT),
                ("4.5", "complex/70-60", "complex players against 70/60", _AS_TEXT),
                ("4.6", "complex/40-30", "complex players against 40/30", _AS_TEXT),
                (
                    "4.7",
                    one_run(done, "variable"),
                    "variable players, round robin",
                    "57/37, whose form it takes before caps are refined (4.6.1)",
                ),
            )
        ),
        *(
            _solution(
                done,
                f"{kind}/sure",
                f"figure-beyond-{kind}",
                f"{kind.capitalize()} players, exact, against their worst opponents",
            )
            for kind in SWEPT
        ),
    ]


def _solution(
    done: FunkeResults,
    name: str,
    file: str,
    what: str,
    his: tuple[float, float] | None = None,
    text: str = "",
) -> Figure:
    """Return the picture of the solution of one run, below the shares ``his`` of the document's ``text``."""
    run, called = shown_run(done, name)
    grey = ", grey up to the stack in the cell" if name.startswith("variable") else ""
    caption = f"{what}, white is played{grey}; {called}, after {run['generations']} generations."
    grids, numbers = _here(name, cells_of(run))
    if his is None:
        return Figure(file, caption, partial(draw_grids, grids, white_plays=True, numbers=numbers), _WIDE)
    return Figure(
        file,
        f"{caption} {NO_NUMBERS}: above {text}.",
        partial(draw_grids, {**_printed(his), **grids}, white_plays=True, rows=2, numbers=numbers),
        _TALL,
    )


def _printed(shares: tuple[float, float]) -> dict[str, HandTable]:
    """Return the tables of the percentages that the document's text gives, with their titles."""
    return {
        f"document's text: {name}, {share:g} % by strength": top_range(share)
        for name, share in zip(("jam", "call"), shares, strict=True)
    }


def _titled(tables: dict[str, HandTable]) -> dict[str, HandTable]:
    return {f"here: {name}, {percent_played(table):.2f} %": table for name, table in tables.items()}


def _here(name: str, cells: NDArray[np.float64]) -> tuple[dict[str, HandTable], dict[str, HandTable]]:
    """Return the tables of a solution with their titles, and the caps that are written into them."""
    tables = {"jam": cells[0], "call": cells[1]}
    if name.startswith("complex"):
        return _titled(tables), {}
    tables = {f"here: {word}, cap of 0 to 10": table for word, table in tables.items()}
    shades = {title: table / CAPS[-1] for title, table in tables.items()}
    return shades, {title: _grey_caps(table) for title, table in tables.items()}


def _grey_caps(caps: HandTable) -> HandTable:
    """Return caps, 0 for hands that are played at all stacks: those are white."""
    return np.where(caps < CAPS[-1], caps, 0)


def _spread(done: FunkeResults, canvas: Canvas) -> None:
    titles = ("round robin", "against 70/60", "against 40/30")
    for axes, prefix, title in zip(canvas.subplots(1, 3), _EVOLVED, titles, strict=True):
        names = [name for name in done.plan.experiments if name.startswith(f"{prefix}/")]
        ours = np.array([(run["jam"], run["call"]) for name in names for run in done.runs(name)])
        axes.scatter(ours[:, 0], ours[:, 1], s=6, color=COLOURS[0], alpha=0.15, linewidths=0, label="ours")
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
            color=COLOURS[1],
            label="document",
        )
        if text == "none":
            axes.scatter(EQUILIBRIUM[0], EQUILIBRIUM[1], s=40, marker="+", color="black", label="57/37")
        _draw_plane(axes, title)
        for handle in axes.legend(fontsize=7, loc="upper left").legend_handles:
            if handle is not None:
                handle.set_alpha(1)


def _draw_performances(done: FunkeResults, canvas: Canvas) -> None:
    groups = [("from 57/37", SIMPLE)]
    for other in dict.fromkeys(one.opponent for one in SOLVED):
        group = tuple(one for one in SOLVED if one.opponent == other)
        groups.append((f"from {other[0]:g}/{other[1]:g}", group))
    for axes, (title, solutions) in zip(canvas.subplots(1, len(groups)), groups, strict=True):
        places = np.arange(len(solutions))
        axes.errorbar(
            places - 0.12,
            [one.won for one in solutions],
            [printed_noise(done, [one]) for one in solutions],
            fmt="x",
            color=COLOURS[1],
            capsize=3,
            label="document",
        )
        rates = [done.rates(one) for one in solutions]
        axes.errorbar(
            places + 0.12,
            [one.mean for one in rates],
            [one.half or 0 for one in rates],
            fmt="o",
            markersize=4,
            color=COLOURS[0],
            label="here, the same mean",
        )
        exact = [won((one.jam, one.call), one.opponent) for one in solutions]
        axes.scatter(places, exact, marker="_", s=200, color="black", label="exactly")
        axes.set_xticks(
            places, [f"{one.jam:g}/{one.call:g}" for one in solutions], rotation=60, ha="right", fontsize=7
        )
        axes.set_title(title, fontsize=10)
        axes.grid(axis="y", alpha=0.25)
    canvas.axes[0].set_ylabel("bb/100")
    canvas.legend(
        *canvas.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8
    )


def _draw_plane(axes: Axes, title: str) -> None:
    axes.set(xlim=SHARES, ylim=SHARES, xlabel="jams, %", ylabel="calls, %")
    axes.set_title(title, fontsize=10)
    axes.grid(alpha=0.25)


def _sweep(done: FunkeResults, kind: str) -> Figure:
    return Figure(
        f"sweep-{kind}",
        f"What best answers win from {kind} players at each pCross (colour), pMut and patience: every run, "
        "and means with 95 % intervals. The document gives none of the three. Shaded: the setting that is "
        f"judged in 4.7, chosen by {done.plan.sizes.chosen} other runs.",
        partial(_draw_sweep, done, kind),
        (9.0, 4.2),
    )


def _draw_sweep(done: FunkeResults, kind: str, canvas: Canvas) -> None:
    axes = canvas.subplots()
    crossings = list(dict.fromkeys(rates.crossing for rates in SWEPT[kind]))
    for place, rates in enumerate(SWEPT[kind]):
        lost = done.losses(f"{kind}/none/{rates.name}")
        mean = mean_interval(lost)
        colour = COLOURS[crossings.index(rates.crossing)]
        if rates == done.best_rates(kind):
            axes.axvspan(place - 0.4, place + 0.5, color=COLOURS[-1], alpha=0.2)
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


def _fit(done: FunkeResults, kind: str) -> Figure:
    claims, letter = CLAIMS[kind], LETTERS[kind]
    text = {"complex": "4.4.1", "variable": "4.6.1"}[kind]
    return Figure(
        f"sweep-appendix-{letter}",
        f"Figures of {text} and appendix {letter.upper()} at each pCross, pMut and patience, with 95 % "
        "intervals; in the green band the document's claim is reproduced. Orange: the setting that is "
        "judged, chosen by other runs.",
        partial(_draw_fit, done, kind),
        (10, 3.3 * ceil(len(claims) / 2)),
    )


def _draw_fit(done: FunkeResults, kind: str, canvas: Canvas) -> None:
    best, swept = fit(done, kind)
    names = [f"{one.crossing:g} / {one.mutation:g} / {one.patience}" for one in swept]
    claims = CLAIMS[kind]
    grid = canvas.subplots(ceil(len(claims) / 2), 2, squeeze=False).ravel()
    for rest in grid[len(claims) :]:
        rest.set_axis_off()
    for axes, (key, one) in zip(grid, claims.items(), strict=False):
        for place, (rates, figures) in enumerate(swept.items()):
            axes.errorbar(
                place,
                figures[key].mean,
                figures[key].half or 0,
                fmt="o",
                color=COLOURS[1 if rates == best else 0],
                capsize=3,
            )
        low, high = axes.get_ylim()
        axes.axhspan(max(one.low, low), min(one.high, high), color=COLOURS[2], alpha=0.15)
        axes.set_ylim(low, high)
        axes.set_xticks(range(len(names)), names, rotation=60, ha="right", fontsize=7)
        axes.set_ylabel(one.label, fontsize=8)
        axes.grid(axis="y", alpha=0.25)
    canvas.supxlabel("pCross / pMut / patience", fontsize=9)


def _losses(done: FunkeResults) -> Figure:
    return Figure(
        "exploitability",
        "What best answers win from the best player of each generation, both seats averaged: the median of "
        "all runs, and the half of them around it. A run that has ended keeps its last figure. By matches in "
        "a round robin, and by exact values against the worst opponent. Dashed: 1 mbb/hand.",
        partial(_draw_curves, done),
        (10, 4.4),
    )


def loss_quartiles(runs: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """Return the quartiles of what runs lose in each generation: float64[3, generations of the longest]."""
    longest = max(map(len, runs))
    lost = [[*run, *[run[-1]] * (longest - len(run))] for run in runs]
    # The picture has no 0.
    found: NDArray[np.float64] = np.maximum(np.quantile(lost, (0.25, 0.5, 0.75), axis=0), 1e-3)
    return found


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
        for colour, (label, name) in zip(COLOURS, names.items(), strict=False):
            low, middle, high = loss_quartiles([run["loss"] for run in done.runs(name)])
            axes.fill_between(range(len(low)), low, high, color=colour, alpha=0.25, linewidth=0)
            axes.plot(middle, color=colour, linewidth=1.5, label=label)
        axes.axhline(1, color="black", linestyle="--", linewidth=0.8)
        axes.set(yscale="log", xlabel="generation")
        axes.set_title(title, fontsize=10)
        axes.grid(alpha=0.25)
        axes.legend(fontsize=8)
    canvas.axes[0].set_ylabel("mbb/hand")
