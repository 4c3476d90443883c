"""What the numbers of a game and of a table mean to compiled loops.

A game is a row int64[GAME_SIZE], a table a row int64[TABLE_SIZE]. Their fields are numbers, or one for every
position or street. ``PLAYERS`` and ``STREETS`` are the most there can be.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dealer.rules.games import MAX_PLAYERS, MAX_STREETS, RULE_SETS, Game

Rows = NDArray[np.int64]

PLAYERS = MAX_PLAYERS
STREETS = MAX_STREETS

# The places of the fields of a game.
LIMIT, NUMBER, ROUNDS, RULES, ANTE, MIN_BET, POSTS = range(7)
RAISE_SIZES = POSTS + PLAYERS
FIRST_PLAYER = RAISE_SIZES + STREETS
MAX_RAISES = FIRST_PLAYER + STREETS
GAME_SIZE = MAX_RAISES + STREETS
ACPC, STANDARD, BB, PUSHFOLD = range(len(RULE_SETS))

# The places of the fields of a table. ``ACTIONS`` and ``ACTED`` (who has acted: a bit for each position) are
# of this street, ``PLAYED`` are the actions of this hand.
STREET, TO_ACT, LIVE, ACTIVE, PENDING, BET, STREET_START, AGGRESSOR = range(8)
FULL, MIN_TO, SHORT, RAISES, ACTIONS, ACTED, PLAYED = range(8, 15)
STACKS, SPENT, FOLDED, TABLE_SIZE = (15 + field * PLAYERS for field in range(4))


def game_row(game: Game) -> Rows:
    """Return the row of a game. Its cards, stacks and name are not in it."""
    row = np.zeros(GAME_SIZE, np.int64)
    row[LIMIT] = game.limit
    row[NUMBER] = game.players
    row[ROUNDS] = game.rounds
    row[RULES] = RULE_SETS.index(game.rules)
    row[ANTE] = game.ante
    row[MIN_BET] = game.min_bet
    for place, values in (
        (POSTS, game.posts),
        (RAISE_SIZES, game.raise_sizes),
        (FIRST_PLAYER, game.first_player),
        (MAX_RAISES, game.max_raises),
    ):
        row[place : place + len(values)] = values
    return row
