"""Hands played to their end, after a call and after a raise with the same cards.

A trial draws the opponents' hands from their ranges, none overlapping, and the board. Opponents act by their
frequencies; their choice depends on the part of their own range that is worse than their hand. It is known on
the street of the decision, and estimated with ``_SAMPLE`` hands of the range on later ones. After an action,
only a part of the player's range remains (``low`` is the removed part), and the next action is measured
against the rest.

The bot's own later actions follow a rule: ``W`` is the probability of beating what is left of every range.
The bot bets and raises if it exceeds the fair share by a margin, calls if it exceeds the price, and otherwise
folds. Before the flop it reraises with ``_PREMIUM`` hands and calls with the others.

At no-limit tables all raises of a trial are ``RAISE_POTS`` times the pot after the call, and the price of a
call is counted in bets.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from strategy.akuma.habits import CAPPED, LED, HabitRates
from strategy.akuma.ranges import fold_raise_chances
from strategy.jit import jit, lean_jit
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
    PAID,
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
from strategy.poker.kernels import HAND_KEYS, HAND_MASKS, TABLE, Ints, Ranks, State, below, rank_of, uniform

RAISE_POTS = 0.75
"""The size of a no-limit raise, in pots."""

LEADS = MARK

_SAMPLE = 24
_PREMIUM = 0.93
_BET_MARGIN = 0.10
_RAISE_MARGIN = 0.25
_RERAISE_AT = 0.85
_OUTS = 0.08
# The value of cards to come for a hand that pays to see them.
_MAX_LOST = 0.98
_bets_to_call = lean_jit(bets_to_call)


class AkumaSpot(NamedTuple):
    """A decision to be simulated.

    Arrays by position are for ``n`` players, ``m`` of them opponents who have not folded. ``players``
    int64[7, n] and ``now`` int64[4]: ``strategy.playout.playout``; ``MARK`` is the last player to bet or
    raise. ``opponents``: int64[m], positions. ``sums``: float64[m, 1326], the running sums from which their
    hands are drawn (``strategy.poker.dealing``). ``samples``: int64[m, s], hands spread over each range.
    ``parts``: float64[m, 1326], the part of the range below each hand. ``ahead``: float64[m], the part of
    each range that the bot's hand beats now. ``own``: the bot's hand, ``own_part`` of all hands are worse.
    ``rates``: float64[n, 4, 8, 3]. ``first``, ``sizes``, ``caps``: int64[4], the first player to act, a bet's
    size (0: no limit) and the maximum number of raises, by street.
    """

    players: Ints
    now: Ints
    opponents: Ints
    sums: Weights
    samples: Ints
    parts: Weights
    ahead: Weights
    own: int
    own_part: float
    board_key: int
    board_mask: int
    rates: HabitRates
    first: Ints
    sizes: Ints
    caps: Ints
    blur: float
    noise: float


class AkumaEstimate(NamedTuple):
    """Mean chips from now on after a call and after a raise."""

    call: float
    raise_: float


def simulate(state: State, spot: AkumaSpot, trials: int) -> AkumaEstimate:
    """Play ``trials`` trials of both."""
    return AkumaEstimate(*_simulate(TABLE, state, spot, trials))


@jit
def _simulate(table: Ranks, state: State, spot: AkumaSpot, trials: int) -> tuple[float, float]:
    count = spot.players.shape[1]
    actor, street = spot.now[ACTOR], spot.now[STREET]
    known = spot.board_mask | HAND_MASKS[spot.own]
    hands = np.full(count, -1, np.int64)
    hands[actor] = spot.own
    # By street: the part of the range that is worse than each opponent's hand, and than the bot's own hand.
    parts, ahead = np.empty((4, count)), np.empty((4, count))
    low = np.empty(count)
    keys, masks = np.empty(4, np.int64), np.empty(4, np.int64)
    keys[street], masks[street] = spot.board_key, spot.board_mask
    estimated = np.zeros(4, np.bool_)
    totals = np.zeros(2)
    done = 0
    for _ in range(trials):
        if not deal_playout(state, spot.sums, spot.opponents, known, street, hands, keys, masks):
            continue
        done += 1
        for i, position in enumerate(spot.opponents):
            parts[street, position] = spot.parts[i, hands[position]]
            ahead[street, position] = spot.ahead[i]
        estimated[:] = False
        estimated[street] = True
        for branch in range(2):
            players, now = spot.players.copy(), spot.now.copy()
            low[:] = 0.0
            _act(players, now, actor, CALL if branch == 0 else RAISE, spot.sizes[street])
            while next_actor(players, now, spot.first):
                if not estimated[now[STREET]]:
                    estimated[now[STREET]] = True
                    _estimate(table, state, spot, hands, now[STREET], keys, masks, parts, ahead)
                if now[ACTOR] == actor:
                    _act_again(spot, players, now, ahead[now[STREET]], low)
                else:
                    _choose_action(state, spot, players, now, parts[now[STREET]], low)
            totals[branch] += payout(table, players, hands, actor, keys[3], masks[3])
            totals[branch] -= players[PAID, actor] - spot.players[PAID, actor]
    return totals[0] / max(1, done), totals[1] / max(1, done)


@lean_jit
def _act(players: Ints, now: Ints, position: int, action: int, size: int) -> None:
    """Act; a raise is by ``size`` chips, at no-limit tables (0) by a part of the pot."""
    players[LEADS, position] = action == RAISE
    if size == 0:
        size = max(1, int(RAISE_POTS * (total_of(players, PAID) + _owed(players, position))))
    act(players, now, position, action, highest_bet(players) + size)


@lean_jit
def _owed(players: Ints, position: int) -> int:
    """Return a player's price of a call."""
    return int(min(players[STACK, position], highest_bet(players) - players[CHIPS, position]))


@lean_jit
def _choose_action(
    state: State, spot: AkumaSpot, players: Ints, now: Ints, parts: Weights, low: Weights
) -> None:
    """Choose an opponent's action by frequencies, and act."""
    position, street = now[ACTOR], now[STREET]
    size, bet = spot.sizes[street], highest_bet(players)
    price, owed = bet - players[CHIPS, position], _owed(players, position)
    capped = now[RAISES] >= spot.caps[street]
    behind = now[BETS] - players[LEVEL, position] if size or owed > 0 else 0
    share = owed / (total_of(players, PAID) + owed) if owed > 0 else 0.0
    face = CAPPED if capped else min(2, _bets_to_call(size > 0, behind, now[BETS], share, street))
    face += LED * players[LEADS, position]
    fold, raise_ = spot.rates[position, street, face, FOLD], spot.rates[position, street, face, RAISE]
    part = max(0.0, (parts[position] - low[position]) / (1 - low[position]))
    folds, raises = fold_raise_chances(part, fold, raise_, spot.blur, spot.noise)
    number = uniform(state)
    action, lost = CALL, fold
    if number < folds and price > 0:
        action = FOLD
    elif number >= 1 - raises and not capped and players[STACK, position] > price:
        action, lost = RAISE, 1 - raise_
    low[position] += (1 - low[position]) * lost * (1 - spot.noise)
    low[position] = min(low[position], _MAX_LOST)
    _act(players, now, position, action, spot.sizes[street])


@lean_jit
def _act_again(spot: AkumaSpot, players: Ints, now: Ints, ahead: Weights, low: Weights) -> None:
    """Choose the bot's own later action, and act."""
    position, street = now[ACTOR], now[STREET]
    price = _owed(players, position)
    raising = now[RAISES] < spot.caps[street] and players[STACK, position] > price
    if street == 0:
        action = RAISE if raising and spot.own_part > _PREMIUM else CALL
        _act(players, now, position, action, spot.sizes[street])
        return
    win, left = 1.0, 1
    for other in spot.opponents:
        if not players[FOLDED, other]:
            left += 1
            win *= max(0.0, (ahead[other] - low[other]) / (1 - low[other]))
    needed = 1 / left + (_RAISE_MARGIN if now[BETS] else _BET_MARGIN)
    if now[BETS] > 1:
        needed = max(needed, _RERAISE_AT)
    action = CALL
    if raising and win > needed:
        action = RAISE
    elif price > 0 and win + (_OUTS if street < 3 else 0.0) < price / (total_of(players, PAID) + price):
        action = FOLD
    _act(players, now, position, action, spot.sizes[street])


@lean_jit
def _estimate(
    table: Ranks,
    state: State,
    spot: AkumaSpot,
    hands: Ints,
    street: int,
    keys: Ints,
    masks: Ints,
    parts: Weights,
    ahead: Weights,
) -> None:
    """Estimate the places of the opponents' hands, and of the bot's, in their ranges on a later street."""
    key, mask = keys[street], masks[street]
    own = rank_of(table, key + HAND_KEYS[spot.own], mask | HAND_MASKS[spot.own])
    size = spot.samples.shape[1]
    for i in range(len(spot.opponents)):
        hand = hands[spot.opponents[i]]
        his = rank_of(table, key + HAND_KEYS[hand], mask | HAND_MASKS[hand])
        place = below(state, size)
        met = his_worse = own_worse = 0
        for _ in range(_SAMPLE):
            other = spot.samples[i, place]
            place = place + 1 if place + 1 < size else 0
            if not HAND_MASKS[other] & mask:
                rank = rank_of(table, key + HAND_KEYS[other], mask | HAND_MASKS[other])
                met += 2
                his_worse += 2 * (his > rank) + (his == rank)
                own_worse += 2 * (own > rank) + (own == rank)
        parts[street, spot.opponents[i]] = his_worse / met if met else 0.5
        ahead[street, spot.opponents[i]] = own_worse / met if met else 0.5
