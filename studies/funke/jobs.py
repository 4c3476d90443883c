"""The units of work: evolutions, and matches of one against one."""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np
from numpy.random import default_rng

from strategy.evolution.genetic import Generation, evolve
from strategy.evolution.plan import EvolutionPlan, record
from strategy.evolution.players import PlayerKind, top_tables
from strategy.evolution.tournaments import MatchScoring, RoundRobin, WorstCase
from strategy.pushfold.kernel import MatchRules, PushFoldTables, play_matches
from studies.funke.players import VARIANTS

CAP = (10.0,)
CAPS = tuple(map(float, range(1, 11)))
BUST = 10_000_000
"""More hands than any match that is played until a player is bust."""
PIECE = 250
"""Hands from one point of a running curve to the next."""
_MBB = 10.0  # thousandths of a big blind a hand, in big blinds per 100 hands


def top_tables_of(shares: tuple[float, float], caps: tuple[float, ...] = CAP) -> PushFoldTables:
    """Return the tables of a simple player, from percentages."""
    return top_tables(np.array([shares]) / 100, caps)


def players_of(plan: EvolutionPlan, variant: str) -> PlayerKind:
    """Return the players of a plan, or those of one of ``VARIANTS``."""
    usual = plan.player_kind()
    # With the settings of the usual players, so that the variant is the only difference.
    return VARIANTS[variant](**vars(usual)) if variant else usual


def run_experiment(plan: EvolutionPlan, variant: str = "", frames: int = 0) -> dict[str, Any]:
    """Run an evolution; return its last best player and the losses of its best players.

    The player is as in ``record``. The losses are the winnings of best answers against the best of each
    generation, averaged over both seats, in thousandths of a big blind per hand (``loss``; ``ranked``: best
    top tables against the last). ``variant``: of ``VARIANTS``. A generation is kept every ``frames`` ones.
    ``seconds``: CPU time, of one thread.
    """
    players = players_of(plan, variant)
    worst = WorstCase(plan.caps)
    losses: list[float] = []
    saved: list[Any] = []
    hands, spent, last = [], 0.0, None
    warm = top_tables_of((50, 50))
    play_matches(warm, warm, np.zeros((1, 2), np.int64), MatchRules(hands=1), np.ones(1, np.uint64), 1)
    generations = evolve(players, plan.scorer(), plan.genetic_settings(), plan.caps, default_rng(plan.seed))
    while True:
        start = process_time()
        generation = next(generations, None)
        spent += process_time() - start
        if generation is None:
            break
        last = generation
        tables = players.tables(generation.genes[[generation.best]], plan.caps)
        losses.append(round(-_MBB * float(worst.score(tables, default_rng()).points[0]), 6))
        hands.append(generation.hands)
        if frames and generation.number % frames == 0:
            saved.append(_frame(plan, generation))
    assert last is not None
    tables = players.tables(last.genes[[last.best]], plan.caps)
    found = record(plan, last)
    return {
        "generations": len(losses),
        "hands": sum(hands),
        "first_hands": hands[0],
        "seconds": round(spent, 3),
        "score": found["best_score"],
        "jam": found["jam"],
        "call": found["call"],
        "genes": found["genes"][found["best"]],
        "loss": losses,
        "ranked": -_MBB * float(WorstCase(plan.caps, ranked=True).score(tables, default_rng()).points[0]),
        "frames": saved,
    }


def _frame(plan: EvolutionPlan, generation: Generation) -> list[Any]:
    """Return number, index of the best, and all genes."""
    genes = record(plan, generation)["genes"]
    if plan.players == "simple":
        genes = [[round(share, 4) for share in pair] for pair in genes]
    return [generation.number, generation.best, genes]


def play_matches_of_pair(
    pair: tuple[tuple[float, float], tuple[float, float]],
    count: int,
    stack: float,
    hands: int,
    seed: int,
    caps: tuple[float, ...] = CAP,
) -> list[list[float]]:
    """Play matches of two simple players; return rows as in ``strategy.pushfold.kernel.FIELDS``."""
    seeds = default_rng(seed).integers(0, 2**64, count, np.uint64)
    one, other = (top_tables_of(shares, caps) for shares in pair)
    rules = MatchRules(caps, stack, hands)
    found = play_matches(one, other, np.zeros((count, 2), np.int64), rules, seeds, 1)
    rows: list[list[float]] = found.tolist()
    return rows


def rates_of_pair(
    pair: tuple[tuple[float, float], tuple[float, float]],
    count: int,
    seed: int,
    caps: tuple[float, ...] = CAP,
) -> list[float]:
    """Return the mean of the first player's performances in ``count`` matches until 500 big blinds are lost,
    their standard deviation, and ``count``; in big blinds per 100 hands.
    """
    rows = np.array(play_matches_of_pair(pair, count, 500.0, BUST, seed, caps))
    rates = 100 * rows[:, 1] / rows[:, 0]
    return [float(rates.mean()), float(rates.std(ddof=1)), float(count)]


def play_curves(
    pair: tuple[tuple[float, float], tuple[float, float]], count: int, pieces: int, seed: int
) -> list[list[float]]:
    """Return the first player's winnings after each ``PIECE`` hands, with unlimited chips: a row for each
    curve.
    """
    nets = np.array(play_matches_of_pair(pair, count * pieces, 0.0, PIECE, seed))[:, 1]
    rows: list[list[float]] = nets.reshape(count, pieces).cumsum(axis=1).tolist()
    return rows


def play_fixed_length(
    pair: tuple[tuple[float, float], tuple[float, float]], count: int, hands: int, seed: int
) -> list[float]:
    """Return the first player's winnings in matches of ``hands`` hands, in big blinds per 100 hands."""
    rows = np.array(play_matches_of_pair(pair, count, 0.0, hands, seed))
    found: list[float] = (100 * rows[:, 1] / rows[:, 0]).tolist()
    return found


def score_equal_players(size: int, tournaments: int, seed: int) -> list[float]:
    """Return the standard deviation of equal players' scores, 57/37, in each of several round robins."""
    draw = default_rng(seed)
    tables = top_tables(np.repeat([[0.57, 0.37]], size, axis=0), CAP)
    played = RoundRobin(CAP, MatchScoring(MatchRules(CAP, hands=5000)))
    return [float(played.score(tables, draw).points.std(ddof=1)) for _ in range(tournaments)]
