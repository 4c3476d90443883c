"""Selective sampling (Peña 1999, 5): hands played to their end, after Loki's own call and after its own
raise.

Every trial draws the opponents' hands from their weight tables, none overlapping, and the board. The same
cards are then played twice, once after a call and once after a raise; all later actions are by triples. The
result is the mean number of chips won from now on; a fold wins 0.

A player's valuation of the hand in a trial is estimated from what that player could know and nothing more:

* On the street of the decision EHS comes from a table of all hands, made once for the decision.
* On later streets HS is the share of ``_RIVALS`` hands that the hand beats, and PPot its gain on them with
  ``_NEXT_CARDS`` other next cards. They come from the others' tables as they are now: actions within the
  trial do not change them.
* The others see the simulated bet: after it, their tables of Loki's hand are reweighted.
* Every player has one random number for a trial, as Loki-2 has one for a hand, and samples are the same in
  both branches. So these differ only by Loki's action and its consequences.
* No-limit raises in trials are to three quarters of the pot, or all-in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from strategy.jit import jit, lean_jit
from strategy.loki.triples import triple
from strategy.playout.betting import bets_to_call
from strategy.playout.playout import (
    ACTOR,
    BETS,
    CALL,
    CHIPS,
    FOLD,
    FOLDED,
    LEVEL,
    MARK,
    NEEDS,
    PAID,
    PLAYER_ROWS,
    RAISE,
    RAISES,
    STACK,
    STREET,
    act,
    deal_playout,
    highest_bet,
    next_actor,
    payout,
    total_of,
)
from strategy.poker.combos import Weights
from strategy.poker.dealing import deal_cards
from strategy.poker.kernels import HAND_KEYS, HAND_MASKS, TABLE, Ints, Ranks, State, below, rank_of, uniform

CALLED = MARK

_RIVALS = 32
_NEXT_CARDS = 4
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
# Odd: different numbers make different states of a generator.
_bets_to_call = lean_jit(bets_to_call)


class LokiSpot(NamedTuple):
    """A decision to be simulated. Arrays by position are for ``n`` players.

    ``players`` int64[7, n] and ``now`` int64[4]: ``strategy.playout.playout``; ``MARK`` is whether the player
    has put in chips voluntarily on the street. ``opponents``: positions that have not folded; ``sums``:
    float64[len(opponents), 1326], the running sums from which their hands are drawn
    (``strategy.poker.dealing``). ``own``: the number of Loki's hand. ``strengths``: float64[2, n, 1326], HS
    of each hand as each player sees it, against one opponent, after a call and after a raise; ``ppots``:
    float64[1326]; both on the present board. ``rivals``: int64[2, n, m], hands drawn from each player's view
    of the others. ``thresholds``: float64[n, 2]. ``first``, ``sizes``, ``caps``: int64[4], the first player
    to act, a bet's size (0 in no-limit) and the maximum number of raises, by street. ``rows``: float64[n, 6,
    4, 3], all players' triples.
    """

    players: Ints
    now: Ints
    opponents: Ints
    sums: Weights
    own: int
    board_key: int
    board_mask: int
    strengths: Weights
    ppots: Weights
    rivals: Ints
    thresholds: Weights
    first: Ints
    sizes: Ints
    caps: Ints
    rows: Weights


class LokiEstimate(NamedTuple):
    """Mean chips from now on after a call and after a raise, and the number of trials."""

    call: float
    raise_: float
    trials: int


def simulate(state: State, spot: LokiSpot, raise_to: int, trials: int) -> LokiEstimate:
    """Play ``trials`` trials; Loki's raise is to ``raise_to`` chips on the street.

    Trials in which the tables leave opponents no disjoint hands do not count; perhaps none do.
    """
    call, raised, done = _simulate(TABLE, state, spot, raise_to, trials)
    return LokiEstimate(call / max(1, done), raised / max(1, done), done)


@jit
def _simulate(
    table: Ranks, state: State, spot: LokiSpot, raise_to: int, trials: int
) -> tuple[float, float, int]:
    count = spot.players.shape[1]
    actor, street = spot.now[ACTOR], spot.now[STREET]
    known = spot.board_mask | HAND_MASKS[spot.own]
    hands = np.full(count, -1, np.int64)
    hands[actor] = spot.own
    strengths, ppots = np.empty((4, count)), np.empty((4, count))
    fork = np.empty(1, np.uint64)
    keys, masks = np.empty(4, np.int64), np.empty(4, np.int64)
    keys[street], masks[street] = spot.board_key, spot.board_mask
    players, now = spot.players.copy(), spot.now.copy()
    numbers = np.empty(count)
    totals = np.zeros(2)
    done = 0
    for _ in range(trials):
        if not deal_playout(state, spot.sums, spot.opponents, known, street, hands, keys, masks):
            continue
        done += 1
        for position in range(count):
            numbers[position] = uniform(state)
        start = below(state, 1 << 31)
        for branch in range(2):
            _reset_trial(spot, branch, players, now, hands, strengths[street], ppots[street])
            _act(players, now, actor, CALL if branch == 0 else RAISE, raise_to)
            estimated = street
            while next_actor(players, now, spot.first):
                if now[STREET] > estimated:
                    estimated = now[STREET]
                    players[CALLED] = 0
                    fork[0] = np.uint64(4 * start + estimated) * _SPREAD
                    rivals = spot.rivals[branch]
                    _estimate(table, fork, rivals, players, hands, estimated, keys, masks, strengths, ppots)
                _decide(numbers, spot, players, now, strengths, ppots)
            totals[branch] += payout(table, players, hands, actor, keys[3], masks[3])
            totals[branch] -= players[PAID, actor] - spot.players[PAID, actor]
    return totals[0], totals[1], done


@lean_jit
def _reset_trial(
    spot: LokiSpot, branch: int, players: Ints, now: Ints, hands: Ints, strengths: Weights, ppots: Weights
) -> None:
    """Reset everything to the decision; the players' valuations of their hands depend on the ``branch``."""
    for row in range(PLAYER_ROWS):
        for position in range(len(hands)):
            players[row, position] = spot.players[row, position]
    for row in range(len(now)):
        now[row] = spot.now[row]
    for position in range(len(hands)):
        if hands[position] >= 0:
            strengths[position] = spot.strengths[branch, position, hands[position]]
            ppots[position] = spot.ppots[hands[position]]


@lean_jit
def _act(players: Ints, now: Ints, position: int, action: int, raise_to: int) -> None:
    if act(players, now, position, action, raise_to) > 0:
        players[CALLED, position] = 1


@lean_jit
def _decide(
    numbers: Weights, spot: LokiSpot, players: Ints, now: Ints, strengths: Weights, ppots: Weights
) -> None:
    """Do one action by triples."""
    position, street = now[ACTOR], now[STREET]
    pot, size, cap = total_of(players, PAID), spot.sizes[street], spot.caps[street]
    bet = highest_bet(players)
    chips = min(players[STACK, position], bet - players[CHIPS, position])
    price = chips / (pot + chips) if chips > 0 else 0.0
    unit = size if size else 0.75 * pot
    behind = now[BETS] - players[LEVEL, position] if chips > 0 else 0
    strength = 1.0
    for other in range(players.shape[1]):
        if other != position and not players[FOLDED, other]:
            strength *= strengths[street, position]
    fold, call, _ = triple(
        spot.rows[position],
        strength,
        ppots[street, position],
        street,
        now[BETS],
        _bets_to_call(size > 0, behind, now[BETS], price, street),
        players[CALLED, position] > 0,
        total_of(players, NEEDS) - players[NEEDS, position],
        price,
        2 * unit / (pot + 4 * unit),
        spot.thresholds[position, 0],
        spot.thresholds[position, 1],
    )
    number = numbers[position]
    action = FOLD if number < fold else CALL if number < fold + call else RAISE
    if action == RAISE and (now[RAISES] >= cap or players[STACK, position] <= chips):
        action = CALL
    to = bet + size if size else bet + max(1, int(0.75 * (pot + chips)))
    _act(players, now, position, action, to)


@jit
def _estimate(
    table: Ranks,
    state: State,
    rivals: Ints,
    players: Ints,
    hands: Ints,
    street: int,
    keys: Ints,
    masks: Ints,
    strengths: Weights,
    ppots: Weights,
) -> None:
    """Estimate HS and PPot of every player's hand on a later street, from a sample of rivals."""
    key, mask = keys[street], masks[street]
    nexts = _NEXT_CARDS if street < 3 else 0
    next_keys, next_masks = np.empty(nexts, np.int64), np.empty(nexts, np.int64)
    for i in range(nexts):
        card_key, card_mask = deal_cards(state, mask, 1)
        next_keys[i], next_masks[i] = key + card_key, mask | card_mask
    chosen = np.empty(_RIVALS, np.int64)
    for position in range(len(hands)):
        if hands[position] >= 0 and not players[FOLDED, position]:
            pool, found = rivals[position], 0
            used = mask | HAND_MASKS[hands[position]]
            place = below(state, len(pool))
            for _ in range(len(pool)):
                if not HAND_MASKS[pool[place]] & used:
                    chosen[found] = pool[place]
                    found += 1
                    if found == _RIVALS:
                        break
                place = place + 1 if place + 1 < len(pool) else 0
            strengths[street, position], ppots[street, position] = _strength_and_potential(
                table, hands[position], key, mask, chosen[:found], next_keys, next_masks
            )


@jit
def _strength_and_potential(
    table: Ranks, hand: int, key: int, mask: int, rivals: Ints, next_keys: Ints, next_masks: Ints
) -> tuple[float, float]:
    """Return HS and PPot of one hand against these rivals; ties count a half, so counts are doubled."""
    own = rank_of(table, key + HAND_KEYS[hand], mask | HAND_MASKS[hand])
    then = np.full(len(next_keys), -1, np.int64)
    for i in range(len(next_keys)):
        if not HAND_MASKS[hand] & next_masks[i]:
            then[i] = rank_of(table, next_keys[i] + HAND_KEYS[hand], next_masks[i] | HAND_MASKS[hand])
    beaten = gained = behind = 0
    for rival in rivals:
        rank = rank_of(table, key + HAND_KEYS[rival], mask | HAND_MASKS[rival])
        now = 2 * (own > rank) + (own == rank)
        beaten += now
        for i in range(len(next_keys)):
            if now < 2 and then[i] >= 0 and not HAND_MASKS[rival] & next_masks[i]:
                rank = rank_of(table, next_keys[i] + HAND_KEYS[rival], next_masks[i] | HAND_MASKS[rival])
                behind += 2 - now
                gained += max(0, 2 * (then[i] > rank) + (then[i] == rank) - now)
    strength = beaten / (2 * len(rivals)) if len(rivals) else 0.5
    return strength, gained / behind if behind else 0.0
