"""Contradictions in the document, to itself or to computable facts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from strategy.evolution.genetic import scale
from strategy.evolution.tournaments import berger
from strategy.pushfold.equilibrium import equilibrium, exploitability, restricted_equilibrium
from strategy.pushfold.game import percent_played
from strategy.pushfold.rankings import SKLANSKY_CHUBUKOV, sklansky_chubukov_numbers, top_range
from studies.funke.comparisons import best_top
from studies.funke.document import ACCEPTABLE, EQUILIBRIUM
from studies.funke.jobs import CAP
from studies.funke.plan import FunkeResults
from studies.harness.report import Row
from studies.harness.verdicts import judge_exact

_STACK = CAP[0]


def errata_rows(done: FunkeResults) -> Iterator[Row]:
    """Yield the rows in the order of the document; the unit is a row of section 4.1."""
    yield _schedule()
    scores = np.array([-2.0, 1.0, 3.0])
    yield Row(
        "algorithm-4",
        "2.5, algorithm 4",
        "f = c + min(0, all c) leaves no score negative: its least for scores of -2, 1 and 3",
        0,
        float((scores + scores.min()).min()),
        "document in error",
        f"It must be subtracted: {', '.join(f'{value:g}' for value in np.round(scale(scores), 6))}. The "
        "wheel needs more than 0, so a trifle is added.",
    )
    yield _error(
        "crossover",
        "2.7, 3.1.3, algorithm 7",
        "the raise of one is exchanged with the call of the other",
        "calls are exchanged",
        "Algorithm 7 exchanges calls. The text would make raises of calls; it can be had with "
        "`--as-printed crossover`.",
    )
    yield _space(done)
    yield _error(
        "labels",
        "4.1.1, 4.6.1, appendices B and C",
        "the mean of the performances is shown in figure",
        "4.1",
        "Elsewhere Slamsky is Sklansky, figure B.1 is there twice, and C.0 follows C.1.",
        "4.2",
    )
    yield _error(
        "caps",
        "3.3.1, algorithms 12 and 13",
        "caps are 1 to 10",
        "0 to 10",
        "Algorithm 12 begins with zeros, and hands that are never played need them. Algorithm 13 lets caps "
        "leave their range; here they stay in it (`--as-printed clamp` for his).",
    )
    yield from _equilibria()


def _error(key: str, source: str, claim: str, right: str, note: str, paper: str = "as printed") -> Row:
    return Row(key, source, claim, paper, right, "document in error", note)


def _schedule() -> Row:
    right = all(
        sorted(tuple(sorted(pair)) for pairs in berger(size) for pair in pairs)
        == list(combinations(range(size), 2))
        for size in range(2, 42)
    )
    return Row(
        "algorithm-2",
        "2.3, algorithm 2",
        "a round robin lets every two players meet once, in rounds of Berger's tables",
        "all",
        "all of 2 to 41 players" if right else "not all",
        judge_exact(right),
        "With mod of the whole sum, as a reader will take it; of the last summand alone it would name "
        "players "
        "who do not exist. An odd number has a ghost.",
    )


def _space(done: FunkeResults) -> Row:
    name = "simple/70-60/20"
    first, *later = [np.round(frame[2], 4) for frame in done.runs(name)[0]["frames"]]
    news = set(np.concatenate([frame.ravel() for frame in later]).tolist()) - set(first.ravel().tolist())
    assert not news
    last = len(set(later[-1].ravel().tolist()))
    return Row(
        "whole-space",
        "3.1.2, 3.1.4",
        "crossover and mutation explore all simple players: shares that were not there at the beginning",
        "all",
        len(news),
        "document in error",
        f"Only the first 2 N numbers are ever recombined. Of 40, {last} are left at the end of a run.",
    )


def _equilibria() -> Iterator[Row]:
    free, ranked = equilibrium(_STACK), restricted_equilibrium(_STACK)
    for place, (field, table, simple) in enumerate(
        (("jam", free.jam, ranked.jams[0][0]), ("call", free.call, ranked.calls[0][0]))
    ):
        low, high = sorted((percent_played(table), simple))
        yield Row(
            f"equilibrium-{field}",
            "4.2, figure 4.3",
            f"per cent of the best hands to {field} in the equilibrium at 10 big blinds, by ICMizer",
            EQUILIBRIUM[place],
            f"{low:.2f} to {high:.2f}",
            judge_exact(low <= EQUILIBRIUM[place] <= high),
            "From players by strength to all strategies, as ICMizer orders hands in its own way, which he "
            "says "
            "and does not tell. The one of all strategies is a linear program; best answers win less than "
            "1e-9 mbb/hand from it. One class is mixed: 43s is jammed with .711, Q6s called with .403.",
        )
    simple_best = best_top(EQUILIBRIUM)
    lost = exploitability((top_range(EQUILIBRIUM[0]), top_range(EQUILIBRIUM[1])), _STACK)
    yield Row(
        "simple-equilibrium",
        "4.2",
        "57/37 is the equilibrium of simple players but for a negligible difference: the most that one of "
        "them wins from it, bb/100",
        None,
        round(simple_best[2], 3),
        judge_exact(simple_best[2] <= ACCEPTABLE),
        f"Reproduced up to {ACCEPTABLE:g}, his bound of what is good. Theirs is "
        f"{ranked.jams[0][0]:.2f}/{ranked.calls[0][0]:.2f}. Best answers of all kinds win "
        f"{1000 * lost[0]:.2f} and {1000 * lost[1]:.2f} mbb/hand from 57/37 by strength.",
    )
    lost = exploitability((ranked.jam, ranked.call), _STACK)
    yield Row(
        "ranking-right",
        "3.2, 4.4.1",
        "to play by a percentage of the best hands is right: what it costs, both seats averaged, mbb/hand",
        None,
        round(500 * sum(lost), 2),
        judge_exact(500 * sum(lost) <= 10 * ACCEPTABLE),
        f"Reproduced up to {10 * ACCEPTABLE:g}, his 1 bb/100. It is not nothing: the evolved complex players "
        "below beat it.",
    )
    jam = (sklansky_chubukov_numbers() >= 2 * _STACK - 1).astype(np.float64)
    order = restricted_equilibrium(_STACK, SKLANSKY_CHUBUKOV)
    for key, reading, pair, note in (
        (
            "jams",
            "jams where their number reaches the stack, and the equilibrium's calls",
            (jam, free.call),
            f"They jam {percent_played(jam):.1f} % of hands: safe when shown, too few when not.",
        ),
        (
            "order",
            "the equilibrium of the best hands in their order",
            (order.jam, order.call),
            f"It plays {percent_played(order.jam):.2f}/{percent_played(order.call):.2f}.",
        ),
    ):
        cost = 500 * sum(exploitability(pair, _STACK))
        yield Row(
            f"chubukov-equilibrium-{key}",
            "4.6.1",
            "there is an equilibrium by Sklansky and Chubukov: what best answers win from it at 10 big "
            "blinds, "
            f"both seats averaged, mbb/hand; read as {reading}",
            None,
            round(cost, 2),
            judge_exact(cost <= 10 * ACCEPTABLE),
            f"Reproduced up to {10 * ACCEPTABLE:g}, his 1 bb/100. {note} One of two readings.",
        )
