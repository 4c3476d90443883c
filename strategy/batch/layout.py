"""What the numbers of a game and of a table mean to compiled loops.

A game is a row int64[GAME_SIZE], a table a row int64[TABLE_SIZE]. Their fields are numbers, or one for every
position or street. ``PLAYERS`` and ``STREETS`` are the most there can be.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from dealer.rules.games import MAX_PLAYERS, MAX_STREETS, RULE_SETS, Game

Rows = NDArray[np.int64]

PLAYERS = MAX_PLAYERS
STREETS = MAX_STREETS


def _places(**sizes: int) -> tuple[dict[str, int], int]:
    """Return where each field begins, and the size of a row."""
    ends = list(accumulate(sizes.values()))
    return dict(zip(sizes, [0, *ends[:-1]], strict=True)), ends[-1]


_game, GAME_SIZE = _places(
    limit=1,
    players=1,
    rounds=1,
    rules=1,
    ante=1,
    min_bet=1,
    posts=PLAYERS,
    raise_sizes=STREETS,
    first_player=STREETS,
    max_raises=STREETS,
)
LIMIT = _game["limit"]
NUMBER = _game["players"]
ROUNDS = _game["rounds"]
RULES = _game["rules"]
ANTE = _game["ante"]
MIN_BET = _game["min_bet"]
POSTS = _game["posts"]
RAISE_SIZES = _game["raise_sizes"]
FIRST_PLAYER = _game["first_player"]
MAX_RAISES = _game["max_raises"]
ACPC, STANDARD, BB, PUSHFOLD = range(len(RULE_SETS))

_table, TABLE_SIZE = _places(
    street=1,
    to_act=1,
    live=1,
    active=1,
    pending=1,
    bet=1,
    street_start=1,
    aggressor=1,
    full=1,
    min_to=1,
    short=1,
    raises=1,
    actions=1,
    acted=1,
    played=1,
    stacks=PLAYERS,
    spent=PLAYERS,
    folded=PLAYERS,
)
STREET = _table["street"]
TO_ACT = _table["to_act"]
LIVE = _table["live"]
ACTIVE = _table["active"]
PENDING = _table["pending"]
BET = _table["bet"]
STREET_START = _table["street_start"]
AGGRESSOR = _table["aggressor"]
FULL = _table["full"]
MIN_TO = _table["min_to"]
SHORT = _table["short"]
RAISES = _table["raises"]
ACTIONS = _table["actions"]
"""Actions on this street."""
ACTED = _table["acted"]
"""Who has acted on this street: a bit for each position."""
PLAYED = _table["played"]
"""Actions in this hand."""
STACKS = _table["stacks"]
SPENT = _table["spent"]
FOLDED = _table["folded"]


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
