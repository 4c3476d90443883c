"""Selective sampling (Peña 1999, 5): hands played to their end, the own action being a call or a raise.

Every trial draws the opponents' hands from their weight tables, none overlapping, and the board; the same
cards are then played twice, once after a call and once after a raise, all later actions by triples. What
counts is the mean number of chips won from now on; a fold wins 0.

What a player in a trial thinks of his hand is estimated, with all he could know and nothing more:

* On the street of the decision EHS comes from a table of all hands, made once for the decision.
* On later streets HS is the share of ``_RIVALS`` hands that he beats, and PPot what he gains on them with
  ``_NEXT_CARDS`` other next cards. They come from the others' tables as they are now: what is done within the
  trial does not change them.
* A bet that is decided on is seen: after it the others' tables of the own hand are those that it leaves.
* Every player has one random number for a trial, as Loki-2 has one for a hand, and samples are the same in
  both branches. So these differ by the own action and what follows from it, and by nothing else.
* No-limit raises in trials are to three quarters of the pot, or all-in.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.jit import jit
from strategy.loki.triples import triple
from strategy.poker.combos import Weights
from strategy.poker.dealing import deal_cards, deal_hands
from strategy.poker.kernels import HAND_KEYS, HAND_MASKS, TABLE, Ints, Ranks, State, below, rank_of, uniform

__all__ = ["ACTOR", "BETS", "PLAYERS", "RAISES", "STREET", "LokiSpot", "LokiEstimate", "simulate"]

Players = NDArray[np.int64]

# Rows of the state of all players, int64[8, n] by position.
STACK, PAID, CHIPS, LEVEL, CALLED, FOLDED, NEEDS = range(7)
PLAYERS = 7
# The state of the round, int64[4].
STREET, BETS, RAISES, ACTOR = range(4)

_FOLD, _CALL, _RAISE = range(3)
_RIVALS = 32
_NEXT_CARDS = 4
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
# Odd: different numbers make different states of a generator.
_PRICE_OF_ONE = 1 / 3 + 1e-9
_PRICE_OF_TWO = 0.45


class LokiSpot(NamedTuple):
    """A decision to be simulated. Arrays by position are for ``n`` players.

    ``players`` int64[7, n] and ``now`` int64[4]: see the constants. ``opponents``: positions that have not
    folded; ``sums``: float64[len(opponents), 1326], what their hands are drawn from
    (``strategy.poker.dealing``). ``own``: the own hand's number. ``strengths``: float64[2, n, 1326], HS of
    each hand as each player sees it, against one opponent, after a call and after a raise; ``ppots``:
    float64[1326]; both on the present board. ``rivals``: int64[2, n, m], hands drawn from what each player
    thinks of the others. ``thresholds``: float64[n, 2]. ``first``, ``sizes``, ``caps``: int64[4], who begins,
    a bet's size (0 in no-limit) and how many raises there may be, by street. ``rows``: float64[n, 6, 4, 3],
    everybody's triples.
    """

    players: Players
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
    """Mean chips from now on after a call and after a raise, over so many trials."""

    call: float
    raise_: float
    trials: int


def simulate(state: State, spot: LokiSpot, raise_to: int, trials: int) -> LokiEstimate:
    """Play ``trials`` trials; the own raise is to ``raise_to`` chips on the street.

    Fewer trials are counted when the tables left opponents no hands that do not overlap; perhaps none.
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
    drawn = np.empty(len(spot.opponents), np.int64)
    hands = np.full(count, -1, np.int64)
    hands[actor] = spot.own
    strengths, ppots = np.empty((4, count)), np.empty((4, count))
    fork = np.empty(1, np.uint64)
    keys, masks = np.empty(4, np.int64), np.empty(4, np.int64)
    players, now = spot.players.copy(), spot.now.copy()
    numbers = np.empty(count)
    totals = np.zeros(2)
    done = 0
    for _ in range(trials):
        if not deal_hands(state, spot.sums, known, drawn):
            continue
        done += 1
        used = known
        for i in range(len(drawn)):
            hands[spot.opponents[i]] = drawn[i]
            used |= HAND_MASKS[drawn[i]]
        keys[street], masks[street] = spot.board_key, spot.board_mask
        for later in range(street + 1, 4):
            key, mask = deal_cards(state, used, 1)
            used |= mask
            keys[later], masks[later] = keys[later - 1] + key, masks[later - 1] | mask
        for position in range(count):
            numbers[position] = uniform(state)
        start = below(state, 1 << 31)
        for branch in range(2):
            _reset_trial(spot, branch, players, now, hands, strengths[street], ppots[street])
            _act(players, now, actor, _CALL if branch == 0 else _RAISE, raise_to)
            estimated = street
            while _next_actor(players, now, spot.first):
                if now[STREET] > estimated:
                    estimated = now[STREET]
                    fork[0] = np.uint64(4 * start + estimated) * _SPREAD
                    rivals = spot.rivals[branch]
                    _estimate(table, fork, rivals, players, hands, estimated, keys, masks, strengths, ppots)
                _decide(numbers, spot, players, now, strengths, ppots)
            totals[branch] += _payout(table, players, hands, actor, keys[3], masks[3])
            totals[branch] -= players[PAID, actor] - spot.players[PAID, actor]
    return totals[0], totals[1], done


@jit
def _reset_trial(
    spot: LokiSpot, branch: int, players: Players, now: Ints, hands: Ints, strengths: Weights, ppots: Weights
) -> None:
    """All as it is at the decision; what everybody thinks of his hand depends on the ``branch``."""
    players[:] = spot.players
    now[:] = spot.now
    for position in range(len(hands)):
        if hands[position] >= 0:
            strengths[position] = spot.strengths[branch, position, hands[position]]
            ppots[position] = spot.ppots[hands[position]]


@jit
def _act(players: Players, now: Ints, position: int, action: int, raise_to: int) -> None:
    """The player folds, calls, or raises to so many chips; with fewer left he is all-in."""
    players[NEEDS, position] = 0
    if action == _FOLD:
        players[FOLDED, position] = 1
        return
    bet = players[CHIPS].max()
    to = bet if action == _CALL else raise_to
    added = min(players[STACK, position], to - players[CHIPS, position])
    players[STACK, position] -= added
    players[PAID, position] += added
    players[CHIPS, position] += added
    if added > 0:
        players[CALLED, position] = 1
    if players[CHIPS, position] > bet:
        now[BETS] += 1
        now[RAISES] += 1
        for other in range(players.shape[1]):
            players[NEEDS, other] = (
                other != position and not players[FOLDED, other] and players[STACK, other] > 0
            )
    players[LEVEL, position] = now[BETS]


@jit
def _next_actor(players: Players, now: Ints, first: Ints) -> bool:
    """Find who acts next, on a later street if need be; False when nobody acts any more."""
    count = players.shape[1]
    if count - players[FOLDED].sum() < 2:
        return False
    while True:
        for step in range(count):
            position = (now[ACTOR] + 1 + step) % count
            if players[NEEDS, position]:
                now[ACTOR] = position
                return True
        if now[STREET] == 3:
            return False
        now[STREET] += 1
        now[BETS] = now[RAISES] = 0
        now[ACTOR] = first[now[STREET]] - 1
        players[CHIPS] = 0
        players[LEVEL] = 0
        players[CALLED] = 0
        can_act = 0
        for position in range(count):
            if not players[FOLDED, position] and players[STACK, position] > 0:
                can_act += 1
                players[NEEDS, position] = 1
        if can_act < 2:
            players[NEEDS] = 0


@jit
def _decide(
    numbers: Weights, spot: LokiSpot, players: Players, now: Ints, strengths: Weights, ppots: Weights
) -> None:
    """One action by triples."""
    position, street = now[ACTOR], now[STREET]
    pot, size, cap = players[PAID].sum(), spot.sizes[street], spot.caps[street]
    bet = players[CHIPS].max()
    chips = min(players[STACK, position], bet - players[CHIPS, position])
    price = chips / (pot + chips) if chips > 0 else 0.0
    unit = size if size else 0.75 * pot
    behind = now[BETS] - players[LEVEL, position] if chips > 0 else 0
    if size == 0 and behind:
        behind = 1 if price <= _PRICE_OF_ONE else 2 if price <= _PRICE_OF_TWO else 3
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
        behind,
        players[CALLED, position] > 0,
        players[NEEDS].sum() - players[NEEDS, position],
        price,
        2 * unit / (pot + 4 * unit),
        spot.thresholds[position, 0],
        spot.thresholds[position, 1],
    )
    number = numbers[position]
    action = _FOLD if number < fold else _CALL if number < fold + call else _RAISE
    if action == _RAISE and (now[RAISES] >= cap or players[STACK, position] <= chips):
        action = _CALL
    to = bet + size if size else bet + max(1, int(0.75 * (pot + chips)))
    _act(players, now, position, action, to)


@jit
def _estimate(
    table: Ranks,
    state: State,
    rivals: Ints,
    players: Players,
    hands: Ints,
    street: int,
    keys: Ints,
    masks: Ints,
    strengths: Weights,
    ppots: Weights,
) -> None:
    """HS and PPot of every player's hand on a later street, from a sample of rivals."""
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
    """HS and PPot of one hand against these rivals; ties count a half, so all is counted twice."""
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


@jit
def _payout(table: Ranks, players: Players, hands: Ints, own: int, key: int, mask: int) -> float:
    """What the player gets of the main pot and the side pots that he paid for."""
    if players[FOLDED, own]:
        return 0.0
    count = players.shape[1]
    ranks = np.full(count, -1, np.int64)
    for position in range(count):
        if not players[FOLDED, position]:
            hand = hands[position]
            ranks[position] = rank_of(table, key + HAND_KEYS[hand], mask | HAND_MASKS[hand])
    won = 0.0
    paid = 0
    while paid < players[PAID, own]:
        level = players[PAID, own]
        for position in range(count):
            if not players[FOLDED, position] and paid < players[PAID, position] < level:
                level = players[PAID, position]
        pot = winners = 0
        best = True
        for position in range(count):
            pot += max(0, min(players[PAID, position], level) - paid)
            if not players[FOLDED, position] and players[PAID, position] >= level:
                best = best and ranks[position] <= ranks[own]
                winners += ranks[position] == ranks[own]
        if best:
            won += pot / winners
        paid = level
    return won
