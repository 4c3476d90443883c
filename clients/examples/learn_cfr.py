"""A table learns heads-up limit hold'em from itself, by counterfactual regret minimization on sampled hands.

    python clients/examples/learn_cfr.py --minutes 10 --out cfr.npz

Both seats play by regret matching; at each table one of them also explores. When a hand is over, the explorer
goes back through its decisions: what an action brought corrects the mean of what it brought before, and what
each action is worth beyond the whole strategy is added to its regret. The other seat's choices add up to the
average strategy, which ``policy`` plays.

This is Monte Carlo CFR by outcome sampling (Lanctot, Waugh, Zinkevich and Bowling 2009) with baselines
(Schmid and others 2019) and linear weights (Brown and Sandholm 2019). One thing is left out: regrets are not
divided by how often the explorer comes to a decision.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clients.examples.hand_strength import AT, Seen, strength_of
from clients.examples.learner import GAME, LEARNED, Budget, run
from dealer.rules.games import load_game
from strategy.batch.learning import LearningTables
from strategy.jit import jit
from strategy.poker.kernels import TABLE, Ranks, State, rng, uniform

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Mask = NDArray[np.int8]

TABLES = 1024
EXPLORE = 0.3  # of the explorer's choices are at random

ACTIONS = 3
STREETS = 4
LEVELS = 5  # bets and raises on this street: 0 to 4
POTS = 17  # big blinds that each player has paid on earlier streets: 0 to 16
RAISERS = 3  # who raised last on earlier streets: nobody, the player, the opponent
BETTINGS = STREETS * 2 * LEVELS * POTS * RAISERS
HANDS = 169  # classes before the flop; after it there are
BINS = 30  # of strength
DECISIONS = 24  # of a player in a hand, and no more

_STREET, _BET, _POSITION, _BETS, _PAID, _HISTORY = (
    AT[name] for name in ("street", "bet", "position", "bets", "paid", "history")
)
_ACTION, _WHO, _RAISE = 10, 4, 8  # the length of an action in the history, and where these are in it


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
    count: Ints
    sets: Ints
    chosen: Ints
    sampled: Floats
    strategies: Floats


@jit
def betting_of(seen: Seen) -> int:
    """Return the number of an observation's betting, below ``BETTINGS``."""
    street = 0
    while not seen[_STREET + street]:
        street += 1
    own = int(seen[_POSITION + 1])
    # In big blinds: before the flop the blind is one, on turn and river a bet is two.
    bet = int(seen[_BET] + 0.5)
    level = bet - 1 if street == 0 else bet if street == 1 else bet // 2
    pot = int(seen[_PAID + own] - seen[_BETS + own] + 0.5)
    raiser = 0
    for action in range(_HISTORY, len(seen), _ACTION):
        if seen[action + street]:
            break
        if seen[action + _RAISE]:
            raiser = 1 if seen[action + _WHO + own] else 2
    return (((street * 2 + own) * LEVELS + level) * POTS + pot) * RAISERS + raiser


@jit
def hand_of(table: Ranks, seen: Seen, work: State) -> int:
    """Return the number of an observation's hand, below ``HANDS``."""
    if not seen[_STREET]:
        return min(BINS - 1, int(strength_of(table, seen, work) * BINS))
    high = low = 0
    for card in range(52):
        if seen[card]:
            high, low = card, high
    suited = (high ^ low) & 3 == 0
    return (high >> 2) * 13 + (low >> 2) if suited else (low >> 2) * 13 + (high >> 2)


@jit
def _in_proportion(weights: Floats, mask: Mask, chances: Floats) -> None:
    """Write chances in proportion to the positive weights; without any, all legal actions have the same."""
    total = 0.0
    legal = 0
    for action in range(ACTIONS):
        chances[action] = max(0.0, weights[action]) if mask[action] else 0.0
        total += chances[action]
        legal += mask[action]
    for action in range(ACTIONS):
        chances[action] = chances[action] / total if total > 0 else mask[action] / legal


@jit
def _draw(chances: Floats, state: State) -> int:
    left = uniform(state)
    last = 0
    for action in range(ACTIONS):
        if chances[action] > 0:
            last = action
            left -= chances[action]
            if left < 0:
                break
    return last


@jit
def _choose(
    table: Ranks,
    seen: Seen,
    mask: Mask,
    asked: Ints,
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
        seat, hand = asked[place], hands[place]
        betting = betting_of(seen[place])
        street = betting * STREETS // BETTINGS
        known = playing.known[place, seat]
        if known[0] != hand or known[1] != street:
            known[0], known[1], known[2] = hand, street, hand_of(table, seen[place], work)
        at = betting * HANDS + known[2]
        _in_proportion(learned.regrets[at], mask[place], chances)
        if seat != _explorer(hand):
            learned.totals[at] += weight * chances
            actions[place] = _draw(chances, state)
            continue
        legal = mask[place].sum()
        for action in range(ACTIONS):
            explored[action] = (1 - EXPLORE) * chances[action] + EXPLORE * mask[place, action] / legal
        action = _draw(explored, state)
        step = playing.count[place]
        playing.sets[place, step], playing.chosen[place, step] = at, action
        playing.sampled[place, step], playing.strategies[place, step] = explored[action], chances
        playing.count[place] += 1
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
        for step in range(playing.count[place] - 1, -1, -1):
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
        playing.count[place] = 0


def learn(budget: Budget, seed: int, out: Path) -> None:
    """Learn, and save the average strategy: uint8[BETTINGS * HANDS, ACTIONS], in parts of 255."""
    tables = LearningTables(load_game(GAME), TABLES)
    tables.reset(seed)
    size = (BETTINGS * HANDS, ACTIONS)
    learned = Learned(np.zeros(size), np.zeros(size), np.zeros(size), np.zeros(size, np.int64))
    steps = (TABLES, DECISIONS)
    playing = Playing(
        known=np.full((TABLES, 2, 3), -2),
        count=np.zeros(TABLES, np.int64),
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
            TABLE, tables.seen, tables.mask, tables.asked, hands, learned, weight, playing, state, actions
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
    _play(TABLE, seen, mask, *_saved(os.environ.get(LEARNED, "cfr.npz")), actions)
    return actions


@cache
def _saved(file: str) -> tuple[Floats, State]:
    with np.load(file) as arrays:
        return arrays["average"].astype(np.float64), rng("policy")


@jit
def _play(table: Ranks, seen: Seen, mask: Mask, average: Floats, state: State, actions: Ints) -> None:
    chances, work = np.zeros(ACTIONS), np.zeros(1, np.uint64)
    for row in range(len(seen)):
        at = betting_of(seen[row]) * HANDS + hand_of(table, seen[row], work)
        _in_proportion(average[at], mask[row], chances)
        actions[row] = _draw(chances, state)


if __name__ == "__main__":
    raise SystemExit(run(learn, Path(__file__), "cfr.npz"))
