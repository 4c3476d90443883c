"""Rows of appendices A to C: claims about the document's pictures of evolutions, measured on ours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from math import inf
from operator import itemgetter
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.intervals import Interval, mean_interval
from strategy.evolution.players import MOST
from strategy.evolution.tournaments import advantages
from strategy.pushfold.game import percent_played
from strategy.pushfold.rankings import STRENGTH
from studies.funke.comparisons import pairs_apart, won
from studies.funke.document import ACCEPTABLE, EQUILIBRIUM, NEAR, ROUGHLY_ACCEPTABLE
from studies.funke.jobs import CAP, CAPS, top_tables_of
from studies.funke.plan import AGAINST_SIZES, SWEPT, FunkeResults, Rates, tables_of
from studies.harness.evolution_pictures import genes_of
from studies.harness.report import Row
from studies.harness.verdicts import Judgement, beyond_row, claim_row, judge_claim, judged_row

FEW = 5.0
"""Per cent of cells that are few, our bound."""
_SOLVED, _LOOSE = (45.0, 45.0), (70.0, 60.0)


def appendix_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows in the order of the document."""
    yield from _simple([run for size in AGAINST_SIZES for run in done.runs(f"simple/70-60/{size}")])
    for kind in CLAIMS:
        yield from _evolution(done, kind)


def _simple(runs: Sequence[dict[str, Any]]) -> Iterator[Row]:
    ends = [(np.array(run["frames"][0][2]), np.array(run["frames"][-1][2])) for run in runs]
    yield beyond_row(
        "appendix-a-begins",
        "appendix A, 2.2, 3.1.2",
        "players begin evenly spread over the plane: mean square of the difference of a quarter's share from "
        "25 %, less what chance alone gives, per cent",
        mean_interval([_unevenness(first) for first, _ in ends]),
        "No verdict: our players are drawn so, and this shows that they are. Quarters with 35 and 15 % would "
        "have 1.",
        2,
    )
    far = [[_from_solved(run["frames"][place]) for place in (0, -1)] for run in runs]
    yield claim_row(
        "appendix-a-gathers",
        "appendix A, figure A.1",
        "against 70/60 players gather around 45/45: their mean distance from it in the last picture by that "
        "in the first",
        mean_interval([last / first for first, last in far]),
        (0, 0.5),
        f"{np.mean([first for first, _ in far]):.1f} and {np.mean([last for _, last in far]):.1f} "
        "percentage points. Reproduced up to a half, our bound.",
        3,
    )
    left = [len(np.unique(last, axis=0)) for _, last in ends]
    yield claim_row(
        "appendix-a-several",
        "appendix A, figure A.1",
        "several players survive, not one: per cent of runs with two or more different ones in the last "
        "picture",
        mean_interval([100.0 * (number > 1) for number in left]),
        (50, inf),
        f"Reproduced from a half on, our bound. {fmean(left):.2f} on average; three or more in "
        f"{100 * fmean(number > 2 for number in left):.0f} %.",
        1,
    )
    yield claim_row(
        "appendix-a-alike",
        "appendix A",
        "the survivors hardly differ in what they win from 70/60: the best less the worst of the last "
        "picture, exactly, bb/100",
        mean_interval([float(np.ptp([won(_shares(one), _LOOSE) for one in last])) for _, last in ends]),
        (-inf, ACCEPTABLE),
        f"Reproduced up to {ACCEPTABLE:g}, his bound of what is as good.",
        3,
    )
    lasted = mean_interval([run["generations"] for run in runs])
    half = [
        next(frame[0] for frame in run["frames"] if _from_solved(frame) <= first / 2)
        for run, (first, last) in zip(runs, far, strict=True)
        if last <= first / 2
    ]
    yield judged_row(
        "appendix-a-generations",
        "appendix A, figure A.1",
        "generations until an evolution against 70/60 ends",
        None,
        lasted,
        judge_claim(lasted)._replace(verdict="beyond"),
        "He tells no number. Here it cannot end before the 40th, as the best score must be stable for 20. "
        + (f"Half of the way to 45/45 is done in generation {np.mean(half):.0f}." if half else ""),
        1,
    )


def _shares(player: NDArray[np.float64]) -> tuple[float, float]:
    return 100 * float(player[0]), 100 * float(player[1])


def _from_solved(frame: Sequence[Any]) -> float:
    """Return the mean distance of simple players from 45/45, in percentage points."""
    return float(np.hypot(*(100 * np.array(frame[2]) - _SOLVED).T).mean())


def _unevenness(players: NDArray[np.float64]) -> float:
    """Return the mean square by which the shares of the four quarters of the plane differ from a quarter,
    less what it is for players drawn evenly; in per cent.
    """
    counts = np.histogram2d(players[:, 0], players[:, 1], bins=2, range=[[0, 1], [0, 1]])[0]
    size = len(players)
    # The variance of each count is size 3/16.
    return 100 * float(((counts / size - 0.25) ** 2).mean() - 3 / (16 * size))


def _best(frame: Sequence[Any]) -> NDArray[np.int64]:
    found: NDArray[np.int64] = genes_of(frame)[frame[1]]
    return found


def _distance(genes: NDArray[np.int64], most: int) -> float:
    """Return the distance of a best player from 57/37, in percentage points, the mean of both tables."""
    shares = [percent_played((table >= most).astype(np.float64)) for table in genes]
    return float(np.mean([abs(share - his) for share, his in zip(shares, EQUILIBRIUM, strict=True)]))


def _early(run: Mapping[str, Any], most: int) -> float:
    return _distance(_best(run["frames"][1]), most)


def departures(tables: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of cells in which tables of zeros and ones, int64[n, 169], differ from the nearest
    top table.
    """
    ranked = tables[:, STRENGTH]
    zero = np.zeros((len(ranked), 1), np.int64)
    missing = np.hstack([zero, np.cumsum(1 - ranked, axis=1)])
    behind = ranked.sum(axis=1, keepdims=True) - np.hstack([zero, np.cumsum(ranked, axis=1)])
    found: NDArray[np.int64] = (missing + behind).min(axis=1)
    return found


def departs_at_end(run: Mapping[str, Any]) -> float:
    """Return the per cent of a complex solution's cells that differ from the nearest top table."""
    tables = np.array([[int(cell) for cell in row] for row in run["genes"]])
    return float(100 * departures(tables).mean() / len(STRENGTH))


def jams_changed(run: Mapping[str, Any]) -> float:
    """Return the per cent of the best player's jams that differ from one picture to the next, without the
    first.
    """
    pairs = pairwise(run["frames"][1:])
    return 100 * float(np.mean([(_best(one)[0] != _best(two)[0]).mean() for one, two in pairs]))


def _departs(run: Mapping[str, Any]) -> float:
    """Return in how many more cells calls differ from the nearest top table in the last picture than in the
    second, a mean over all players.
    """
    second, last = (genes_of(run["frames"][place])[:, 1] for place in (1, -1))
    return float(departures(last).mean() - departures(second).mean())


def _progress(run: Mapping[str, Any]) -> float:
    """Return what the last best complex player wins from the best of the second picture, bb/100."""
    frame = run["frames"][1]
    last, early = (tables_of("complex", genes) for genes in (run["genes"], frame[2][frame[1]]))
    return float(advantages(last, early, CAP)[0, 0])


class RunClaim(NamedTuple):
    """A claim on the document's one evolution of a kind: a figure of a run lies from ``low`` to ``high``,
    within which it is reproduced ``because``; ``label`` is for pictures.
    """

    source: str
    claim: str
    label: str
    figure: Callable[[Mapping[str, Any]], float]
    low: float
    high: float
    because: str


def _refined(run: Mapping[str, Any]) -> float:
    """Return in how many more per cent of its calls the best has a cap that is neither zero nor the maximum
    in the last picture than in the second.
    """
    caps = (_best(run["frames"][place])[1] for place in (-1, 1))
    last, second = (100 * float(((table > 0) & (table < MOST)).mean()) for table in caps)
    return last - second


def _apart(run: Mapping[str, Any]) -> float:
    return pairs_apart(genes_of(run["frames"][-1])[:, 1])


def _won(kind: str, run: Mapping[str, Any]) -> float:
    """Return what the solution wins from 57/37, bb/100."""
    caps = CAPS if kind == "variable" else CAP
    return float(advantages(tables_of(kind, run["genes"]), top_tables_of(EQUILIBRIUM, caps), caps)[0, 0])


def _share(place: int) -> RunClaim:
    """Return the claim on the jams (0) or calls (1) of the solution of 4.4.1."""
    field, middle = ("jam", "call")[place], EQUILIBRIUM[place]
    return RunClaim(
        "4.4.1, figure 4.4",
        f"solutions {field} about {middle:g} % of hands",
        f"{field}s of the solution, %",
        itemgetter(field),
        middle - NEAR,
        middle + NEAR,
        f"within {NEAR:g}, as far as his simple solutions are; his one solution is `complex-{field}-his`",
    )


def _soon(section: str, figure: str, most: int) -> RunClaim:
    """Return the claim that the best soon plays like 57/37."""
    return RunClaim(
        f"{section}, figure {figure}",
        "the best is soon about 57/37: its distance in the second picture, percentage points",
        "the best's distance from 57/37\nin the second picture, points",
        partial(_early, most=most),
        0,
        NEAR,
        f"up to {NEAR:g}, as far as his simple solutions are",
    )


CLAIMS: Mapping[str, Mapping[str, RunClaim]] = {
    "complex": {
        "complex-jam": _share(0),
        "complex-call": _share(1),
        "complex-won": RunClaim(
            "4.4.1",
            "the solution is acceptable, as those of table 4.2: what it wins from 57/37, exactly, bb/100",
            "what the solution wins\nfrom 57/37, bb/100",
            partial(_won, "complex"),
            -ROUGHLY_ACCEPTABLE,
            ROUGHLY_ACCEPTABLE,
            f"within {ROUGHLY_ACCEPTABLE:g}, the largest difference of table 4.2",
        ),
        "appendix-b-early": _soon("appendix B, 4.4.1", "B.1", 1),
        "appendix-b-stable": RunClaim(
            "appendix B, figure B.1",
            "then the best hardly changes: per cent of its jams that differ from one picture to the next",
            "the best's jams that change\nfrom picture to picture, %",
            jams_changed,
            0,
            FEW,
            f"up to {FEW:g}, our bound",
        ),
        "appendix-b-insubstantial": RunClaim(
            "appendix B, 4.4.1",
            "its changes are insubstantial, and no better strategy is found: what the best of the end wins "
            "from the best of the second picture, exactly, bb/100",
            "what the last best wins\nfrom the early best, bb/100",
            _progress,
            -ROUGHLY_ACCEPTABLE,
            ACCEPTABLE,
            f"from -{ROUGHLY_ACCEPTABLE:g}, the largest difference of table 4.2, to {ACCEPTABLE:g}, his "
            "bound of what is as good",
        ),
        "appendix-b-departs": RunClaim(
            "appendix B, figure B.1",
            "everybody departs more and more from the best so many per cent: cells of the calls that do, of "
            "169, last picture less second",
            "cells in which calls depart more\nthan in the second picture",
            _departs,
            0,
            inf,
            "above 0",
        ),
    },
    "variable": {
        "variable-better": RunClaim(
            "4.6.1, figure 4.7",
            "the solution is better than 57/37: what it wins from it, stacks of 1 to 10, exactly, bb/100",
            "what the solution wins\nfrom 57/37, bb/100",
            partial(_won, "variable"),
            0,
            inf,
            "above 0; by how much is `variable-won`",
        ),
        "appendix-c-early": _soon("appendix C, 4.6.1", "C.1", MOST),
        "appendix-c-refined": RunClaim(
            "appendix C, figure C.1",
            "then the caps of the best are refined: per cent of its calls that have one between 0 and 10, "
            "last picture less second",
            "the best's calls with a cap between,\nmore than in the second picture, %",
            _refined,
            0,
            inf,
            "above 0",
        ),
        "appendix-c-converges": RunClaim(
            "appendix C, figure C.0",
            "until the population converges: per cent of calls in which two players of the last picture "
            "differ",
            "calls in which two differ\nin the last picture, %",
            _apart,
            0,
            FEW,
            f"up to {FEW:g}, our bound; it ends when the best score is stable",
        ),
    },
}
"""By kind of players and row. The last of each is what rows on other settings show."""

LETTERS = {"complex": "b", "variable": "c"}
"""The appendix that shows the evolution."""


@lru_cache(maxsize=4)
def fit(done: FunkeResults, kind: str) -> tuple[Rates, dict[Rates, dict[str, Interval]]]:
    """Return the setting at which the document's one evolution of a kind comes out best, and all figures of
    each setting.

    It is the one at which most claims are reproduced by the runs that are for choosing; of several the one
    whose solutions lose least. The figures are those of all other runs.
    """
    claims = CLAIMS[kind]

    def figures(runs: Sequence[Mapping[str, Any]]) -> dict[str, Interval]:
        return {key: mean_interval(map(one.figure, runs)) for key, one in claims.items()}

    def merit(rates: Rates) -> tuple[int, float]:
        runs = done.choosing_runs(f"{kind}/none/{rates.name}")
        found = figures(runs)
        return (
            sum(_judge(one, found[key]).verdict == "reproduced" for key, one in claims.items()),
            -fmean(run["loss"][-1] for run in runs),
        )

    best = max(SWEPT[kind], key=merit)
    return best, {rates: figures(done.runs(f"{kind}/none/{rates.name}")) for rates in SWEPT[kind]}


def one_run(done: FunkeResults, kind: str) -> str:
    """Return the name of the evolutions that are compared with the document's one of this kind."""
    return f"{kind}/none/{fit(done, kind)[0].name}"


def _judge(one: RunClaim, found: Interval) -> Judgement:
    return judge_claim(found, one.low, one.high)


def _evolution(done: FunkeResults, kind: str) -> Iterator[Row]:
    """Yield the rows of 4.4.1 and appendix B, or 4.6.1 and C, at their best setting, and a figure at all."""
    best, swept = fit(done, kind)
    claims, sweep = CLAIMS[kind], f"sweep-appendix-{LETTERS[kind]}"
    for key, one in claims.items():
        found = swept[best][key]
        yield judged_row(
            key,
            one.source,
            one.claim,
            None,
            found,
            _judge(one, found),
            f"Reproduced {one.because}. pCross {best.crossing:g}, pMut {best.mutation:g}, patience "
            f"{best.patience}, chosen by other runs; see `{sweep}-*`.",
            3,
        )
    shown = list(claims)[-1]
    for rates, figures in swept.items():
        verdicts = {key: _judge(claims[key], found).verdict for key, found in figures.items()}
        come_out = [key for key, verdict in verdicts.items() if verdict == "reproduced"] or ["none"]
        fail = [key for key, verdict in verdicts.items() if verdict == "not reproduced"] or ["none"]
        yield beyond_row(
            f"{sweep}-{rates.name}",
            claims[shown].source,
            f"pCross {rates.crossing:g}, pMut {rates.mutation:g}, patience {rates.patience}: the figure of "
            f"`{shown}`",
            figures[shown],
            f"The document gives no such figures. Of the {len(claims)} claims that are judged together would "
            f"be reproduced: {', '.join(come_out)}; not reproduced: {', '.join(fail)}.",
            2,
        )
