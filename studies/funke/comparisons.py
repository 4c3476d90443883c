"""Comparisons of the document's figures with ours and with the exact game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import inf, sqrt
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np
from numpy.random import default_rng
from numpy.typing import NDArray

from dealer.intervals import Interval, mean_interval, ratio_interval, t_quantile
from strategy.evolution.players import top_tables
from strategy.evolution.tournaments import advantages
from strategy.pushfold.equilibrium import equilibrium, exploitability, restricted_equilibrium
from strategy.pushfold.game import advantage, best_call, best_jam, percent_played
from strategy.pushfold.kernel import PushFoldTables
from strategy.pushfold.rankings import (
    SKLANSKY_CHUBUKOV,
    STRENGTH,
    best_top_call,
    best_top_jam,
    cutoffs,
    sklansky_chubukov_numbers,
    top_range,
)
from studies.funke.document import ACCEPTABLE, SIMPLE, SOLVED, PrintedSolution
from studies.funke.jobs import CAP, top_tables_of
from studies.funke.plan import FunkeResults
from studies.harness.report import Row
from studies.harness.verdicts import beyond_row, claim_row, judge_figure, judged_row

_STACK = CAP[0]


def difference(one_side: Sequence[float], other: Sequence[float]) -> Interval:
    """Return the difference of the means of independent runs: run by run, as many as both have."""
    return mean_interval([mine - his for mine, his in zip(one_side, other, strict=False)])


def ratio(one_side: Sequence[float], other: Sequence[float]) -> Interval:
    """Return the ratio of the means of independent runs: run by run, as many as both have."""
    pairs = list(zip(one_side, other, strict=False))
    # Counts are whole: thousandths.
    return ratio_interval(
        [1000 * mine for mine, _ in pairs], [max(1, round(1000 * his)) for _, his in pairs]
    ).interval()


def source_noise(values: Sequence[float], count: int = 1) -> float:
    """Return half of the 95 % interval of a mean of ``count`` values that scatter like these."""
    return t_quantile(0.975, len(values) - 1) * stdev(values) / sqrt(count)


def figure_row(
    key: str,
    source: str,
    claim: str,
    paper: float,
    here: Interval,
    margin: float,
    noise: float,
    note: str,
    digits: int = 3,
) -> Row:
    """Return the row of a figure that ours should equal within ``margin``; ``noise``: half of the 95 %
    interval of the document's.
    """
    judged = judge_figure(paper, here, margin, noise)
    return judged_row(key, source, claim, paper, here, judged, note, digits)


def compared_row(
    key: str,
    source: str,
    claim: str,
    one_side: Sequence[float],
    other: Sequence[float],
    note: str,
    *,
    less: bool = False,
) -> Row:
    """Return the row of a claim that best answers win more (``less``: less) from one side than another."""
    return claim_row(
        key,
        source,
        f"{claim}, mbb/hand",
        difference(one_side, other),
        (-inf, 0) if less else (0, inf),
        f"Reproduced {'below' if less else 'above'} 0. {fmean(one_side):.1f} and {fmean(other):.1f}. {note}",
        2,
    )


def loss_row(done: FunkeResults, name: str) -> Row:
    """Return a row on what best answers win from the solutions of an experiment."""
    return beyond_row(
        f"{name.partition('/')[0]}-loss",
        "our measurement",
        "best answers win from the solutions, mbb/hand",
        mean_interval(done.losses(name)),
        digits=2,
    )


class Scatter(NamedTuple):
    """The standard deviation of printed figures about ours, by that of single matches; ``free``: its degrees
    of freedom. The figures are as steady as means of ``matches``.
    """

    share: float
    free: int

    @property
    def matches(self) -> float:
        """Return the number of matches, which the document does not tell."""
        return 1 / self.share**2

    def noise(self, done: FunkeResults, solutions: Sequence[PrintedSolution]) -> float:
        """Return half of the 95 % interval of the mean of these figures."""
        whole = sqrt(sum(done.match_deviation(one) ** 2 for one in solutions))
        return t_quantile(0.975, self.free) * self.share * whole / len(solutions)


def scatter(done: FunkeResults, solutions: Sequence[PrintedSolution]) -> Scatter:
    """Return the scatter of printed figures, each about the mean difference from ours against its opponent.

    All are taken to be means of equally many matches.
    """
    groups: dict[tuple[float, float], list[float]] = {}
    for one in solutions:
        away = (one.won - done.rates(one).mean) / done.match_deviation(one)
        groups.setdefault(one.opponent, []).append(away)
    free = len(solutions) - len(groups)
    squares = sum((away - fmean(group)) ** 2 for group in groups.values() for away in group)
    return Scatter(sqrt(squares / free), free)


def printed_noise(done: FunkeResults, solutions: Sequence[PrintedSolution]) -> float:
    """Return half of the 95 % interval of the mean of figures of a table, by the scatter of all of it."""
    return scatter(done, SIMPLE if solutions[0] in SIMPLE else SOLVED).noise(done, solutions)


def printed_rows(done: FunkeResults, table: str, solutions: Sequence[PrintedSolution]) -> Iterator[Row]:
    """Yield a row for each printed solution: its mean of performances in matches as those of figure 4.1."""
    for number, found in enumerate(solutions, 1):
        noise = printed_noise(done, [found])
        lost = 500 * sum(exploitability((top_range(found.jam), top_range(found.call)), _STACK))
        against = "/".join(f"{share:g}" for share in found.opponent)
        yield figure_row(
            f"{table}-{number}",
            f"table {table}, N = {found.size}",
            f"{found.jam:g}/{found.call:g} wins from {against}, mean of the matches' performances, bb/100",
            found.won,
            done.rates(found),
            ACCEPTABLE,
            noise,
            f"Exactly it wins {won((found.jam, found.call), found.opponent):.3f}, and nobody wins more than "
            f"{best_won(found.opponent):.3f} (see `mean-of-rates`). The noise of his figure is {noise:.2f}. "
            f"Reproduced within {ACCEPTABLE:g}. Best answers win {lost:.2f} mbb/hand from it.",
        )


def mean_rate(done: FunkeResults, solutions: Sequence[PrintedSolution]) -> Interval:
    """Return the mean of printed solutions' means of performances."""
    rates = [done.rates(one) for one in solutions]
    return Interval(
        fmean(one.mean for one in rates),
        sum((one.half or 0) ** 2 for one in rates) ** 0.5 / len(rates),
        sum(one.units for one in rates),
    )


def rates_row(done: FunkeResults, key: str, source: str, solutions: Sequence[PrintedSolution]) -> Row:
    """Return the row on what all printed solutions win from their opponent, as a mean."""
    jam, call = solutions[0].opponent
    exact = fmean(won((one.jam, one.call), one.opponent) for one in solutions)
    paper, here = round(fmean(one.won for one in solutions), 3), mean_rate(done, solutions)
    others = [("both tables", (*SIMPLE, *SOLVED))]
    if solutions[0] in SOLVED:
        others = [("these alone", tuple(solutions)), *others]
    table = scatter(done, SIMPLE if solutions[0] in SIMPLE else SOLVED)
    told = ""
    for name, by in others:
        other = scatter(done, by)
        noise = other.noise(done, solutions)
        verdict = judge_figure(paper, here, ACCEPTABLE, noise).verdict
        told += f" By that of {name} they are of {other.matches:.0f}, the noise is {noise:.2f}, and the row "
        told += "would have no verdict." if verdict == "beyond" else f"would be {verdict}."
    noise = printed_noise(done, solutions)
    return figure_row(
        key,
        source,
        f"what his {len(solutions)} solutions win from {jam:g}/{call:g}, mean of them all, by "
        "the mean of the matches' performances, bb/100",
        paper,
        here,
        ACCEPTABLE,
        noise,
        f"Exactly {exact:.3f}. Reproduced within {ACCEPTABLE:g}. By the scatter of all of the table his "
        f"figures are means of {table.matches:.0f} matches, and the noise of this mean is {noise:.2f}.{told}",
    )


def duration_row(done: FunkeResults, name: str, source: str, minutes: float) -> Row:
    """Return a row on the duration of an experiment."""
    spent = done.mean(name, "seconds")
    return beyond_row(
        f"{name.replace('/', '-')}-time",
        source,
        "seconds of an evolution on the machine that made this report",
        spent,
        f"On his it took {minutes:.3g} minutes, about {60 * minutes / spent.mean:.0f} times as long: another "
        f"machine, so nothing is judged. Here {done.mean(name, 'generations').mean:.0f} generations; "
        "CPU-seconds of one thread.",
        2,
    )


def seconds_of(runs: Sequence[dict[str, Any]]) -> list[float]:
    """Return the CPU-seconds of evolutions, above 0."""
    # A quick run can take less than the clock tells.
    return [max(run["seconds"], 0.001) for run in runs]


def pairs_apart(tables: NDArray[np.int64]) -> float:
    """Return the mean difference of two of the tables, int64[n, cells], in per cent of cells."""
    count = len(tables)
    unlike = (tables[:, None] != tables[None, :]).mean(axis=2).sum() / (count * (count - 1))
    return 100 * float(unlike)


def won(shares: tuple[float, float], opponent: tuple[float, float]) -> float:
    """Return a simple player's exact winnings against another, in big blinds per 100 hands."""
    return float(advantages(top_tables_of(shares), top_tables_of(opponent), CAP)[0, 0])


def best_of_random(player: tuple[float, float], size: int, count: int) -> list[float]:
    """Return for each of so many random populations of simple players whether ``player`` would win most in
    it, exactly, if it joined: 1 or 0.
    """
    draw, found = default_rng(size), []
    for _ in range(count):
        tables = top_tables(np.vstack([np.array(player) / 100, draw.random((size, 2))]), CAP)
        found.append(float(advantages(tables, tables, CAP).sum(axis=1).argmax() == 0))
    return found


def best_won(opponent: tuple[float, float]) -> float:
    """Return the winnings of the best of all answers to a simple player, in big blinds per 100 hands."""
    jam, call = top_range(opponent[0]), top_range(opponent[1])
    answer = best_jam(call, _STACK), best_call(jam, _STACK)
    return 100 * advantage(answer, (jam, call), _STACK)


@cache
def _grid(opponent: tuple[float, float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return cutoffs, and the winnings of each as raise and as call percentage, with the other one best."""
    shares = cutoffs(STRENGTH)
    # Winnings are a part for the jams plus a part for the calls, so neither depends on the other.
    jam = best_top_jam(top_range(opponent[1]), _STACK)
    call = best_top_call(top_range(opponent[0]), _STACK)
    jams = np.array([won((share, call), opponent) for share in shares])
    calls = np.array([won((jam, share), opponent) for share in shares])
    return shares, jams, calls


def best_top(opponent: tuple[float, float]) -> tuple[float, float, float]:
    """Return the best simple answer to a simple player, in per cent, and its winnings."""
    shares, jams, calls = _grid(opponent)
    jam, call = float(shares[jams.argmax()]), float(shares[calls.argmax()])
    return jam, call, won((jam, call), opponent)


def plateau(opponent: tuple[float, float], lost: float = 0.5) -> tuple[float, float, float, float]:
    """Return the ranges of raises and of calls that cost less than ``lost`` compared with the best simple
    answer.

    ``lost`` is in big blinds per 100 hands; the ranges are percentages of whole classes.
    """
    shares, jams, calls = _grid(opponent)
    near = [shares[worth >= worth.max() - lost] for worth in (jams, calls)]
    return float(near[0][0]), float(near[0][-1]), float(near[1][0]), float(near[1][-1])


def most_exploitable(opponent: tuple[float, float], within: float) -> tuple[float, float, float]:
    """Return the simple player, in per cent, from whom best answers win most among all who lose at most
    ``within`` bb/100 to a simple player, and what they win: mbb/hand, both seats averaged.
    """
    shares, jams, calls = _grid(opponent)
    tables = [top_range(float(share)) for share in shares]
    # The winnings, and the losses to best answers, are a part for the jams plus a part for the calls.
    losses = np.array([exploitability((table, table), _STACK) for table in tables])
    gained = jams[:, None] + calls[None, :] - jams.max()
    lost = np.where(gained >= -within, 500 * (losses[:, :1] + losses[:, 1]), -np.inf)
    jam, call = np.unravel_index(lost.argmax(), lost.shape)
    return float(shares[jam]), float(shares[call]), float(lost.max())


def chubukov_order(caps: tuple[float, ...]) -> PushFoldTables:
    """Return the equilibria of players who may only play the best hands by Sklansky and Chubukov's order."""
    found = [restricted_equilibrium(cap, SKLANSKY_CHUBUKOV) for cap in caps]
    return PushFoldTables(np.array([[one.jam for one in found]]), np.array([[one.call for one in found]]))


def chubukov(caps: tuple[float, ...]) -> PushFoldTables:
    """Return jams where Sklansky and Chubukov's number reaches the stack (its dollars are half big blinds,
    behind the small blind), and the calls of each stack's equilibrium, which the document does not give.
    """
    numbers = sklansky_chubukov_numbers()
    jam = np.array([(numbers >= 2 * cap - 1).astype(np.float64) for cap in caps])
    call = np.array([equilibrium(cap).call for cap in caps])
    assert 0 < percent_played(jam[-1]) < 100
    return PushFoldTables(jam[None], call[None])
