"""Contradictions in the document, to itself or to computable facts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from strategy.evolution.genetic import scale
from strategy.evolution.tournaments import berger
from strategy.pushfold.equilibrium import equilibrium, exploitability, restricted_equilibrium
from strategy.pushfold.game import percent_played
from strategy.pushfold.rankings import sklansky_chubukov_numbers, top_range
from studies.funke.document import EQUILIBRIUM
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
        "algorithm-9",
        "3.2.2, algorithm 9",
        "a cell of the best hands is set to",
        "1",
        "A line number has run into it. Elsewhere Slamsky is Sklansky, figure B.1 is there twice, C.0 "
        "follows C.1, and 4.1.1 has 4.2 for 4.1, where the mean is.",
        "111",
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
    assert right
    beyond = [(place + turn * 4) for turn in range(7) for place in range(4)]
    return Row(
        "algorithm-2",
        "2.3, algorithm 2",
        "every two of 8 meet: the largest index of a player, with mod of the last summand alone",
        7,
        max(place + (turn * 4) % 7 for turn in range(7) for place in range(4)),
        "document in error",
        f"Mod must be of the whole sum ({max(beyond)} without any). Then all of 2 to 41 players meet once "
        "each; an odd number has a ghost.",
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
    for place, (field, table) in enumerate((("jam", free.jam), ("call", free.call))):
        exact = percent_played(table)
        yield Row(
            f"equilibrium-{field}",
            "4.2, figure 4.3",
            f"per cent of hands to {field} in the equilibrium at 10 big blinds",
            EQUILIBRIUM[place],
            round(exact, 3),
            judge_exact(round(exact) == EQUILIBRIUM[place]),
            "A linear program; best answers win less than 1e-9 mbb/hand. One class is mixed: 43s is jammed "
            "with .711, Q6s called with .403.",
        )
    lost = exploitability((ranked.jam, ranked.call), _STACK)
    yield Row(
        "simple-equilibrium",
        "4.2",
        "the equilibrium of players by the best r % and c %",
        "57/37",
        f"{ranked.jams[0][0]:.2f}/{ranked.calls[0][0]:.2f}",
        "document in error",
        "57/37 is that of all strategies, rounded, of another program. Played by strength, 57/37 loses "
        f"{1000 * exploitability((top_range(57), top_range(37)), _STACK)[0]:.2f} and "
        f"{1000 * exploitability((top_range(57), top_range(37)), _STACK)[1]:.2f} mbb/hand to best answers.",
    )
    yield Row(
        "ranking-right",
        "4.4.1",
        "to play by a percentage of the best hands is right: what it costs, both seats averaged, mbb/hand",
        0,
        round(500 * sum(lost), 2),
        judge_exact(500 * sum(lost) < 10),
        "Less than his 1 bb/100 (10 mbb/hand), but not nothing: the evolved complex players below beat it.",
    )
    jam = (sklansky_chubukov_numbers() >= 2 * _STACK - 1).astype(np.float64)
    yield Row(
        "chubukov-equilibrium",
        "4.6.1",
        "Sklansky and Chubukov's jams are an equilibrium: what they lose at 10 big blinds, mbb/hand",
        0,
        round(1000 * exploitability((jam, free.call), _STACK)[0], 1),
        "document in error",
        f"They jam {percent_played(jam):.1f} % of hands: safe when shown, too few when not.",
    )
