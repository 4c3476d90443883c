"""Play-outs: the parts common to all strategies of playing a hand to its end with random cards.

A play-out has a state of all players, int64[7, n] by position, whose rows are numbered by the constants from
``STACK`` to ``NEEDS``, and a state of the round, int64[4], numbered from ``STREET`` to ``ACTOR``. The row
``MARK`` is for the strategy, and not used here.
"""

from __future__ import annotations

import numpy as np

from strategy.jit import jit, lean_jit
from strategy.poker.combos import Weights
from strategy.poker.dealing import deal_cards, deal_hands
from strategy.poker.kernels import HAND_KEYS, HAND_MASKS, Ints, Ranks, State, pot_share, rank_of

PLAYER_ROWS = 7
STACK, PAID, CHIPS, LEVEL, MARK, FOLDED, NEEDS = range(PLAYER_ROWS)
STREET, BETS, RAISES, ACTOR = range(4)
FOLD, CALL, RAISE = range(3)


@jit
def deal_playout(
    state: State,
    sums: Weights,
    opponents: Ints,
    known: int,
    street: int,
    hands: Ints,
    keys: Ints,
    masks: Ints,
) -> bool:
    """Draw the opponents' ``hands`` and the board of every street after ``street``; write the boards' keys
    and masks to ``keys`` and ``masks``. Returns False if no disjoint hands were found.
    """
    drawn = np.empty(len(opponents), np.int64)
    if not deal_hands(state, sums, known, drawn):
        return False
    used = known
    for i in range(len(drawn)):
        hands[opponents[i]] = drawn[i]
        used |= HAND_MASKS[drawn[i]]
    for later in range(street + 1, 4):
        key, mask = deal_cards(state, used, 3 if later == 1 else 1)
        used |= mask
        keys[later], masks[later] = keys[later - 1] + key, masks[later - 1] | mask
    return True


@lean_jit
def highest_bet(players: Ints) -> int:
    """Return the most chips that a player has put in on the street."""
    bet = 0
    for position in range(players.shape[1]):
        bet = max(bet, players[CHIPS, position])
    return bet


@lean_jit
def total_of(players: Ints, row: int) -> int:
    """Return the sum of a row of ``players`` over all positions."""
    total = 0
    for position in range(players.shape[1]):
        total += players[row, position]
    return total


@lean_jit
def act(players: Ints, now: Ints, position: int, action: int, raise_to: int) -> int:
    """Fold, call, or raise to ``raise_to`` chips on the street; a player with fewer is all-in. Returns the
    chips that the player adds.
    """
    players[NEEDS, position] = 0
    if action == FOLD:
        players[FOLDED, position] = 1
        return 0
    bet = highest_bet(players)
    to = bet if action == CALL else raise_to
    added = min(players[STACK, position], to - players[CHIPS, position])
    players[STACK, position] -= added
    players[PAID, position] += added
    players[CHIPS, position] += added
    if players[CHIPS, position] > bet:
        now[BETS] += 1
        now[RAISES] += 1
        for other in range(players.shape[1]):
            players[NEEDS, other] = (
                other != position and not players[FOLDED, other] and players[STACK, other] > 0
            )
    players[LEVEL, position] = now[BETS]
    return int(added)


@lean_jit
def next_actor(players: Ints, now: Ints, first: Ints) -> bool:
    """Find the next player to act, on a later street if necessary; return False if nobody is left to act.
    ``first``: int64[4], the first player to act, by street.
    """
    count = players.shape[1]
    if count - total_of(players, FOLDED) < 2:
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
        for position in range(count):
            players[CHIPS, position] = players[LEVEL, position] = 0
            players[NEEDS, position] = not players[FOLDED, position] and players[STACK, position] > 0
        if total_of(players, NEEDS) < 2:
            for position in range(count):
                players[NEEDS, position] = 0


@jit
def payout(table: Ranks, players: Ints, hands: Ints, own: int, key: int, mask: int) -> float:
    """Return a player's share of the main pot and of the side pots that the player paid for, on the board of
    ``key`` and ``mask``.
    """
    if players[FOLDED, own]:
        return 0.0
    count = players.shape[1]
    ranks = np.full(count, -1, np.int64)
    for position in range(count):
        if not players[FOLDED, position]:
            hand = hands[position]
            ranks[position] = rank_of(table, key + HAND_KEYS[hand], mask | HAND_MASKS[hand])
    return pot_share(players[PAID], players[FOLDED], ranks, own)
