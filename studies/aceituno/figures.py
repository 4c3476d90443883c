"""The pictures of the study."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

from studies.aceituno.claims import batches
from studies.aceituno.document import TESTS
from studies.aceituno.plan import AceitunoPlan, LearnerRun, share
from studies.harness.report import COLOURS, Figure, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_PLAYERS = range(5)
_SHOWN_RUNS = 3


def all_figures(plan: AceitunoPlan, done: Mapping[str, Any], rows: Sequence[Row]) -> list[Figure]:
    """Return all figures, in the order of the report, whose ``rows`` they may show."""
    winners = {test: plan.winners(f"test/{test}", plan.sizes.chunks, done) for test in (3, 4, 5)}
    runs = {test: plan.runs(test, done) for test in (1, 2)}
    total = len(winners[3])
    return [
        Figure(
            "paths",
            f"Thresholds of the learners over {plan.sizes.run} tournaments: Raise solid, Fold dotted, a "
            "colour for each player; above each run, how many of them players 1 to 5 won. Who has lost early "
            "runs to the top and folds nearly everything from then on.",
            partial(_draw_paths, runs),
            (10, 6),
        ),
        Figure(
            "learners",
            "Every player of every run: the Raise threshold at which he ended, and the part of the "
            "tournaments that he won. Circles are the document's players.",
            partial(_draw_learners, runs),
            (10, 5.6),
        ),
        Figure(
            "weights",
            f"Part of the tournaments won in Pruebas 3 to 5, with 95 % intervals: squares over "
            f"{total:,} tournaments, circles the document's 400. Dotted, an equal share.",
            partial(_draw_weights, winners),
            (10, 4),
        ),
        Figure(
            "crowned",
            f"Which player a test of {plan.sizes.chunk} tournaments calls the best, over {plan.sizes.chunks} "
            "such tests. Hatched: the document's best.",
            partial(_draw_batch_winners, winners, plan.sizes.chunk),
            (10, 3.6),
        ),
        Figure(
            "adaptive2",
            "What adaptive2 wins in duplicate matches, in big blinds a hand, with 95 % intervals.",
            partial(
                _draw_adaptive2,
                [row for row in rows if re.fullmatch("adaptive2 against .*mbb/hand", row.claim)],
            ),
            (8, 3),
        ),
    ]


def _draw_paths(runs: Mapping[int, Sequence[LearnerRun]], canvas: Canvas) -> None:
    columns = min(_SHOWN_RUNS, *map(len, runs.values()))
    grid = canvas.subplots(len(runs), columns, sharex=True, sharey=True, squeeze=False)
    for line, (test, played) in zip(grid, runs.items(), strict=True):
        for number, (axes, run) in enumerate(zip(line, played, strict=False)):
            _draw_path(axes, run)
            axes.set_title(
                f"{TESTS[test].name}, run {number + 1}: wins {' '.join(map(str, run.wins))}", fontsize=9
            )
        line[0].set_ylabel("threshold")
    for axes in grid[-1]:
        axes.set_xlabel("tournaments")
    labels = [f"mu {one.mu[0]:g}" for one in TESTS[2].players]
    canvas.legend(
        [f"player {player + 1} (Prueba 2: {label})" for player, label in enumerate(labels)],
        loc="outside lower center",
        ncols=3,
        fontsize=8,
    )


def _draw_path(axes: Axes, run: LearnerRun) -> None:
    points = [len(run.winners) * point // (len(run.paths) - 1) for point in range(len(run.paths))]
    for kind, style in ((0, "-"), (1, ":")):
        for player, colour in zip(_PLAYERS, COLOURS, strict=True):
            values = [thresholds[player][kind] for thresholds in run.paths]
            axes.plot(points, values, style, color=colour, linewidth=1.6 if kind == 0 else 1.2)
    axes.set_ylim(-0.03, 1.03)
    axes.grid(alpha=0.25)


def _draw_learners(runs: Mapping[int, Sequence[LearnerRun]], canvas: Canvas) -> None:
    panels: list[tuple[int, str, Sequence[int]]] = [(1, "Prueba 1: five alike", _PLAYERS)]
    panels += [(2, f"Prueba 2: mu {TESTS[2].players[player].mu[0]:g}", (player,)) for player in _PLAYERS]
    grid = canvas.subplots(2, len(panels) // 2, sharex=True, sharey=True)
    for axes, (test, title, players) in zip(grid.ravel(), panels, strict=True):
        axes.plot(
            [run.finals[player][0] for run in runs[test] for player in players],
            [run.wins[player] / len(run.winners) for run in runs[test] for player in players],
            "o",
            color=COLOURS[0],
            markersize=5,
            markeredgewidth=0,
            alpha=0.4,
            label="here",
        )
        axes.plot(
            [TESTS[test].outcomes[player].raise_at for player in players],
            [TESTS[test].outcomes[player].wins / 400 for player in players],
            "o",
            markersize=11,
            markerfacecolor="none",
            markeredgecolor="black",
            label="document",
        )
        axes.axhline(0.2, linestyle=":", color="black", linewidth=1)
        axes.set(xlim=(-0.03, 1.03))
        axes.set_title(title, fontsize=10)
        axes.grid(alpha=0.25)
    for axes in grid[-1]:
        axes.set_xlabel("Raise threshold in the end")
    for axes in grid[:, 0]:
        axes.set_ylabel("part of the wins")
    grid[0, 0].legend(fontsize=8)


def _draw_weights(winners: Mapping[int, Sequence[int]], canvas: Canvas) -> None:
    grid = canvas.subplots(1, len(winners), sharey=True, squeeze=False)[0]
    for axes, (test, won) in zip(grid, winners.items(), strict=True):
        shares = [share(won, player) for player in _PLAYERS]
        axes.errorbar(
            [player - 0.12 for player in _PLAYERS],
            [one.mean for one in shares],
            yerr=[one.half or 0 for one in shares],
            fmt="s",
            color=COLOURS[0],
            markersize=3,
            capsize=4,
            label=f"here, {len(won):,}",
        )
        paper = [one.wins / 400 for one in TESTS[test].outcomes]
        axes.errorbar(
            [player + 0.12 for player in _PLAYERS],
            paper,
            yerr=[1.96 * sqrt(one * (1 - one) / 400) for one in paper],
            fmt="o",
            color="black",
            markerfacecolor="white",
            capsize=3,
            label="document, 400",
        )
        axes.axhline(1 / 5, linestyle=":", color="black", linewidth=1)
        axes.set_xticks(_PLAYERS, [_label(test, player) for player in _PLAYERS])
        axes.set_title(f"{TESTS[test].name}: {TESTS[test].varied}")
        axes.grid(axis="y", alpha=0.25)
    grid[0].legend(fontsize=8)
    grid[0].set_ylabel("part of the tournaments won")


def _label(test: int, player: int) -> str:
    v, p, b, s = TESTS[test].players[player].weights
    return {3: f"{v:g}", 4: f"{p:g}", 5: f"{b:g}\n{s:g}"}[test]


def _draw_batch_winners(winners: Mapping[int, Sequence[int]], batch: int, canvas: Canvas) -> None:
    grid = canvas.subplots(1, len(winners), sharey=True, squeeze=False)[0]
    for axes, (test, won) in zip(grid, winners.items(), strict=True):
        crowned = batches(won, batch)
        labels = [_label(test, player) for player in _PLAYERS]
        bars = axes.bar(
            labels, [crowned.count(player) / len(crowned) for player in _PLAYERS], color="#c5e0b4"
        )
        bars[TESTS[test].best].set_hatch("//")
        axes.set_title(f"{TESTS[test].name}: {TESTS[test].varied}")
    grid[0].set_ylabel("part of the tests")


def _draw_adaptive2(rows: Sequence[Row], canvas: Canvas) -> None:
    axes = canvas.subplots()
    places = range(len(rows))
    means = [float(row.measured or 0) / 1000 for row in rows]
    halves = [((row.high or 0) - (row.low or 0)) / 2000 for row in rows]
    axes.errorbar(means, places, xerr=halves, fmt="s", color=COLOURS[0], markersize=3, capsize=4)
    labels = [row.claim.removeprefix("adaptive2 ").removesuffix(", mbb/hand") for row in rows]
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    axes.axvline(0, linestyle=":", color="black", linewidth=1)
    axes.set_xlabel("big blinds a hand")
    axes.grid(axis="x", alpha=0.25)
