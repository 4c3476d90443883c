"""A table learns heads-up limit hold'em from itself, by counterfactual regret minimization on sampled hands.

    python clients/examples/learners/learn_cfr.py --minutes 10 --out cfr.npz

Both seats play by regret matching; at each table one of them also explores. When a hand is over, the explorer
goes back through its decisions: what an action brought corrects the mean of what it brought before, and what
each action is worth beyond the whole strategy is added to its regret. The other seat's choices add up to the
average strategy, which ``policy`` plays.

This is Monte Carlo CFR by outcome sampling (Lanctot, Waugh, Zinkevich and Bowling 2009) with baselines
(Schmid and others 2019). Regrets weigh as much as the decisions made so far, the average strategy as their
square (Brown and Sandholm 2019). One thing is left out: regrets are not divided by how often the explorer
comes to a decision.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clients.examples.learners.kernels import (
    ACTIONS,
    BETTINGS,
    HANDS,
    STREETS,
    Floats,
    Ints,
    Mask,
    Seen,
    betting_of,
    draw,
    hand_of,
    in_proportion,
    play,
)
from clients.examples.learners.learner import GAME, LEARNED, Budget, run
from dealer.rules.games import load_game
from strategy.batch.learning import LearningTables
from strategy.jit import jit
from strategy.poker.kernels import TABLE, Ranks, State, rng

TABLES = 1024
EXPLORE = 0.2  # of the explorer's choices are at random

DECISIONS = 24  # of a player in a hand, and no more


class Learned(NamedTuple):
    """By information set and action, float64[BETTINGS * HANDS, ACTIONS]; ``visits`` are int64."""

    regrets: Floats
    means: Floats
    totals: Floats
    visits: Ints


class Playing(NamedTuple):
    """What the tables remember of the hands that they play.

    ``known``, int64[tables, 2, 3]: the last hand and street at which each seat looked at its cards, and what
    it saw. The rest is of the explorer's decisions: how many there are, int64[tables], and for each of them
    the information set, the action, how probable it was, and the strategy.
    """

    known: Ints
    decided: Ints
    sets: Ints
    chosen: Ints
    sampled: Floats
    strategies: Floats


@jit
def _choose(
    table: Ranks,
    seen: Seen,
    mask: Mask,
    to_act: Ints,
    hands: Ints,
    learned: Learned,
    weight: float,
    playing: Playing,
    state: State,
    actions: Ints,
) -> None:
    """Choose an action at every table."""
    work, chances, explored = np.zeros(1, np.uint64), np.zeros(ACTIONS), np.zeros(ACTIONS)
    for place in range(len(seen)):
        seat, hand = to_act[place], hands[place]
        betting = betting_of(seen[place])
        street = betting * STREETS // BETTINGS
        known = playing.known[place, seat]
        if known[0] != hand or known[1] != street:
            known[0], known[1], known[2] = hand, street, hand_of(table, seen[place], work)
        at = betting * HANDS + known[2]
        in_proportion(learned.regrets[at], mask[place], chances)
        if seat != _explorer(hand):
            learned.totals[at] += weight * weight * chances
            actions[place] = draw(chances, state)
            continue
        legal = mask[place].sum()
        for action in range(ACTIONS):
            explored[action] = (1 - EXPLORE) * chances[action] + EXPLORE * mask[place, action] / legal
        action = draw(explored, state)
        step = playing.decided[place]
        playing.sets[place, step], playing.chosen[place, step] = at, action
        playing.sampled[place, step], playing.strategies[place, step] = explored[action], chances
        playing.decided[place] += 1
        actions[place] = action


@jit
def _explorer(hand: int) -> int:
    """Return the seat that explores: each has both positions by turns, as seats move every hand."""
    return (hand >> 1) & 1


@jit
def _learn(
    over: NDArray[np.bool_], rewards: Floats, hands: Ints, learned: Learned, weight: float, playing: Playing
) -> None:
    """Learn from the hands that are over."""
    for place in range(len(over)):
        if not over[place]:
            continue
        value = rewards[place, _explorer(hands[place])]
        for step in range(playing.decided[place] - 1, -1, -1):
            at, action = playing.sets[place, step], playing.chosen[place, step]
            strategy, mean = playing.strategies[place, step], learned.means[at]
            more = (value - mean[action]) / playing.sampled[place, step]
            expected = strategy[action] * more + (strategy * mean).sum()
            learned.regrets[at] += weight * (mean - expected)
            learned.regrets[at, action] += weight * more
            learned.visits[at, action] += 1
            # Strategies change, so what is long past counts less.
            mean[action] += (value - mean[action]) / min(learned.visits[at, action], 1000)
            value = expected
        playing.decided[place] = 0


def learn(budget: Budget, seed: int, out: Path) -> None:
    """Learn, and save the average strategy: uint8[BETTINGS * HANDS, ACTIONS], in parts of 255."""
    tables = LearningTables(load_game(GAME), TABLES)
    tables.reset(seed)
    size = (BETTINGS * HANDS, ACTIONS)
    learned = Learned(np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size, np.int64))
    steps = (TABLES, DECISIONS)
    playing = Playing(
        known=np.full((TABLES, 2, 3), -2),
        decided=np.zeros(TABLES, np.int64),
        sets=np.zeros(steps, np.int64),
        chosen=np.zeros(steps, np.int64),
        sampled=np.zeros(steps),
        strategies=np.zeros((*steps, ACTIONS)),
    )
    state, actions = rng("explorer", seed), np.zeros(TABLES, np.int64)
    decisions = 0
    while not decisions or not budget.over(decisions):
        hands, weight = tables.numbers.copy(), float(decisions)
        _choose(
            TABLE, tables.seen, tables.mask, tables.to_act, hands, learned, weight, playing, state, actions
        )
        tables.choose(actions)
        _learn(tables.over, tables.rewards, hands, learned, weight, playing)
        if not decisions:
            budget.start()
        decisions += TABLES
        budget.tell(decisions)
    total = learned.totals.sum(axis=1, keepdims=True)
    shares = np.divide(learned.totals, total, out=np.zeros(size), where=total > 0)
    np.savez_compressed(out, average=np.rint(255 * shares).astype(np.uint8))


def policy(seen: Seen, mask: Mask) -> Ints:
    """Return actions drawn from the average strategy, int64[n]."""
    actions = np.zeros(len(seen), np.int64)
    play(TABLE, seen, mask, *_saved(os.environ.get(LEARNED, "cfr.npz")), actions)
    return actions


@cache
def _saved(file: str) -> tuple[Floats, State]:
    with np.load(file) as arrays:
        return arrays["average"].astype(np.float64), rng("policy")


if __name__ == "__main__":
    raise SystemExit(run(learn, Path(__file__), "cfr.npz"))
