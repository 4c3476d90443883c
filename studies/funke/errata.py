"""Contradictions in the document, to itself or to computable facts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb
from statistics import fmean

import numpy as np
from numpy.random import default_rng

from strategy.evolution.genetic import scale
from strategy.evolution.players import SimplePlayers, VariablePlayers
from strategy.poker.preflop import HAND_CLASSES
from strategy.pushfold.equilibrium import equilibrium, exploitability, restricted_equilibrium
from strategy.pushfold.game import percent_played
from strategy.pushfold.kernel import PushFoldTables
from strategy.pushfold.rankings import STRENGTH, cutoffs, top_range
from studies.funke.comparisons import best_top, chubukov, chubukov_order
from studies.funke.document import ACCEPTABLE, EQUILIBRIUM, FIGURE_41_PRINTED
from studies.funke.jobs import CAP, CAPS
from studies.funke.plan import FunkeResults
from studies.harness.report import Row
from studies.harness.verdicts import exact_row, judge_exact

_STACK = CAP[0]
_CLASS = 1.0
# Percentage points.


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
    yield _crossover()
    yield _space(done)
    yield from _small()
    yield _error(
        "performance",
        "2.4, 4.1.1",
        "what the performance of several matches is",
        _two_performances(),
        "Of the three matches in figure 4.1, bb/100. 2.4 divides all that is won by all hands, as scores do "
        "here; 4.1.1 takes the mean of the matches' performances, which is another figure (`mean-of-rates`).",
        "a ratio of sums, and a mean of ratios",
    )
    yield _error(
        "labels",
        "4.1.1, 4.6.1, appendices B and C",
        "the mean of the performances is shown in figure",
        "4.1",
        "Elsewhere Slamsky is Sklansky, figure B.1 is there twice, and C.0 follows C.1.",
        "4.2",
    )
    caps = VariablePlayers().initialise(20, default_rng(1))
    yield _error(
        "caps",
        "3.3.1, algorithms 12 and 13",
        "caps: the least and the greatest of those who begin",
        f"{caps.min()} and {caps.max()}",
        "Algorithm 12 begins with zeros, and hands that are never played need them. Algorithm 13 lets caps "
        "leave their range; here they stay in it (`--as-printed clamp` for his).",
        "1 and 10",
    )
    yield from _equilibria()


def _error(key: str, source: str, claim: str, right: str, note: str, paper: str) -> Row:
    return exact_row(key, source, claim, paper, right, note, otherwise="document in error")


def _crossover() -> Row:
    """Return the row on the text's crossover: two players who jam all and call none have children by it."""
    parents, draw = np.array([[1.0, 0.0], [1.0, 0.0]]), default_rng(1)
    text, algorithm = (
        "; ".join(
            "/".join(f"{100 * share:g}" for share in child)
            for child in SimplePlayers(mixes_raises_and_calls=mixed).cross(parents, draw)
        )
        for mixed in (True, False)
    )
    return _error(
        "crossover",
        "2.7, 3.1.3, algorithm 7",
        "crossover as in the text, and as in algorithm 7, is the same: children of two players who both are "
        "100/0",
        algorithm,
        "Left by the text, where the raise of one is exchanged with the call of the other, so that raises "
        "become calls (`--as-printed crossover`); right by the algorithm, which exchanges calls.",
        text,
    )


def _two_performances() -> str:
    """Return what the two definitions make of the three matches that are printed."""
    hands = [one.hands for one in FIGURE_41_PRINTED]
    rates = [one.rate for one in FIGURE_41_PRINTED]
    return f"{np.average(rates, weights=hands):.2f} and {fmean(rates):.2f}"


def _schedule() -> Row:
    sizes = range(2, 42)
    played = {size: sorted(tuple(sorted(pair)) for pair in _as_printed(size)) for size in sizes}
    assert all(played[size] == list(combinations(range(size), 2)) for size in sizes)
    return _error(
        "algorithm-2",
        "2.3, algorithm 2",
        "a round robin lets every two players p1 to pn meet once, in rounds of Berger's tables",
        "p0 to p(n-1)",
        f"Computed for {sizes[0]} to {sizes[-1]} players: every two of those meet once, but p0 does not "
        "exist, and pn never plays. With mod of the whole sum, as a reader will take it; of the last "
        "summand alone it would name others who do not exist. An odd number has a ghost.",
        "p1 to pn",
    )


def _as_printed(count: int) -> list[tuple[int, int]]:
    """Return the pairs of algorithm 2, by the indices that it prints."""
    size, start, pairs = count + count % 2, count % 2, []
    for turn in range(1, size):
        for place in range(start, size // 2):
            one = (place + (turn - 1) * size // 2) % (size - 1)
            two = size - 1 - place + (0 if place == 0 else (turn - 1) * size // 2)
            pairs.append((one, two if place == 0 else two % (size - 1)))
    return pairs


def _small() -> Iterator[Row]:
    """Yield small claims on cards and players that are computed."""
    # Of five more cards of 50: those of a suit in hand, of one of two suits in hand, and of other suits.
    suited = sum(comb(11, more) * comb(39, 5 - more) for more in (3, 4, 5)) + 3 * comb(13, 5)
    other = 2 * sum(comb(12, more) * comb(38, 5 - more) for more in (4, 5)) + 2 * comb(13, 5)
    odds = [100 * flushes / comb(50, 5) for flushes in (suited, other)]
    draw = default_rng(1)
    genes = VariablePlayers().initialise(20, draw)
    for _ in range(100):
        genes = VariablePlayers().cross(genes[draw.permutation(len(genes))], draw)
    shares = cutoffs(STRENGTH)
    whole = sum(bool(np.isin(np.round(top_range(float(share)), 9), (0, 1)).all()) for share in shares)
    for key, source, claim, paper, found, holds, note in (
        ("hands", "1.5.1", "different hands", 169, len(HAND_CLASSES), len(HAND_CLASSES) == 169, ""),
        (
            "flush",
            "1.5.1",
            "two cards of a suit make a flush more often: per cent with five more cards, and of two suits",
            None,
            f"{odds[0]:.2f}, {odds[1]:.2f}",
            odds[0] > odds[1],
            "",
        ),
        (
            "caps-by-crossover",
            "3.3.3",
            "crossover alone explores no other caps than those of the beginning: caps after 100 times",
            "0, 10",
            ", ".join(map(str, np.unique(genes).tolist())),
            set(np.unique(genes).tolist()) == {0, 10},
            "",
        ),
        (
            "simple-are-complex",
            "3.2",
            "simple players are some of the complex ones: whole classes, with tables of 0 and 1",
            len(shares),
            whole,
            whole == len(shares),
            "With any other per cent a simple player here plays the class at the edge in part.",
        ),
    ):
        yield Row(key, source, claim, paper, found, judge_exact(holds), note)


def _space(done: FunkeResults) -> Row:
    name = "simple/70-60/20"
    first, *later = [np.round(frame[2], 4) for frame in done.runs(name)[0]["frames"]]
    news = set(np.concatenate([frame.ravel() for frame in later]).tolist()) - set(first.ravel().tolist())
    assert not news
    last = len(set(later[-1].ravel().tolist()))
    return Row(
        "whole-space",
        "3.1.2, 3.1.4",
        "with a population that is large enough, crossover and mutation explore all simple players: shares "
        "that were not there at the beginning",
        "all",
        len(news),
        "document in error",
        "However large, only the first 2 N numbers are ever recombined. Of 40, at the end of a run are left: "
        f"{last}.",
    )


def _equilibria() -> Iterator[Row]:
    free, ranked = equilibrium(_STACK), restricted_equilibrium(_STACK)
    mixed = (
        " A linear program: best answers win less than 1e-9 mbb/hand from it. One class is mixed: 43s is "
        "jammed with .711, Q6s called with .403."
    )
    for key, reading, shares, more in (
        ("all", "all strategies", (percent_played(free.jam), percent_played(free.call)), mixed),
        ("top", "players of the best hands by strength", (ranked.jams[0][0], ranked.calls[0][0]), ""),
    ):
        for field, paper, share in zip(("jam", "call"), EQUILIBRIUM, shares, strict=True):
            yield Row(
                f"equilibrium-{field}-{key}",
                "4.2, figure 4.3",
                f"per cent of the best hands to {field} in the equilibrium at 10 big blinds, by ICMizer; "
                f"read as that of {reading}",
                paper,
                round(share, 2),
                judge_exact(abs(share - paper) <= _CLASS),
                f"Reproduced within {_CLASS:g}: a class of hands is up to 0.9 %. One of two readings; "
                f"ICMizer orders hands in its own way, which he says and does not tell.{more}",
            )
    simple_best = best_top(EQUILIBRIUM)
    lost = exploitability((top_range(EQUILIBRIUM[0]), top_range(EQUILIBRIUM[1])), _STACK)
    yield Row(
        "simple-equilibrium",
        "4.2, 4.2.1",
        "57/37 is the equilibrium of simple players: the most that one of them wins from it, bb/100",
        None,
        round(simple_best[2], 3),
        judge_exact(simple_best[2] <= ACCEPTABLE),
        f"Reproduced up to {ACCEPTABLE:g}, his bound of what is good. By strength theirs is "
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
    for key, reading, tables, more in (
        (
            "jams",
            "their jams, and each stack's equilibrium calls",
            chubukov(CAPS),
            " Such jams are safe when shown, and too few when not.",
        ),
        ("order", "each stack's equilibrium of the best hands in their order", chubukov_order(CAPS), ""),
    ):
        cost, told = _costs(tables)
        yield Row(
            f"chubukov-equilibrium-{key}",
            "4.6.1",
            "there is an equilibrium by Sklansky and Chubukov: what best answers win from it, both seats and "
            f"stacks of 1 to 10 averaged, mbb/hand; read as {reading}",
            None,
            round(cost, 2),
            judge_exact(cost <= 10 * ACCEPTABLE),
            f"Reproduced up to {10 * ACCEPTABLE:g}, his 1 bb/100. {told}{more} One of two readings; he does "
            "not tell what that player is.",
        )


def _costs(tables: PushFoldTables) -> tuple[float, str]:
    """Return what best answers win from a player on average, mbb/hand, and how it does at 10 big blinds."""
    pairs = list(zip(tables.jam[0], tables.call[0], strict=True))
    costs = [500 * sum(exploitability(pair, cap)) for pair, cap in zip(pairs, CAPS, strict=True)]
    jam, call = map(percent_played, pairs[-1])
    return fmean(costs), f"With 10 big blinds {costs[-1]:.2f}; then it plays {jam:.1f}/{call:.1f} % of hands."
