"""The betting of ``dealer.rules.betting``, compiled: the same states, the same legal actions.

Positions, amounts and rule sets are those of that module, and so are the reasons for what is done here. A
position can act if it has neither folded nor spent its whole stack.
"""

from __future__ import annotations

from dealer.rules.games import ACTIONS_PER_STREET
from strategy.batch.layout import (
    ACPC,
    ACTED,
    ACTIONS,
    ACTIVE,
    AGGRESSOR,
    ANTE,
    BET,
    FIRST_PLAYER,
    FOLDED,
    FULL,
    LIMIT,
    LIVE,
    MAX_RAISES,
    MIN_BET,
    MIN_TO,
    NUMBER,
    PENDING,
    PLAYED,
    POSTS,
    PUSHFOLD,
    RAISE_SIZES,
    RAISES,
    ROUNDS,
    RULES,
    SHORT,
    SPENT,
    STACKS,
    STANDARD,
    STREET,
    STREET_START,
    TO_ACT,
    Rows,
)
from strategy.jit import lean_jit as jit

FOLD, CALL, RAISE = 0, 1, 2

LegalActions = tuple[bool, int, int, int]
"""Whether a fold is allowed, the chips of a call, and the street totals of the smallest and the largest raise
(0: no raise).
"""


@jit
def _can_act(table: Rows, position: int) -> bool:
    return not table[FOLDED + position] and table[SPENT + position] < table[STACKS + position]


@jit
def _next(game: Rows, table: Rows, position: int) -> int:
    """Return the next position that can act, clockwise after ``position``; itself if no other can."""
    players = game[NUMBER]
    after = position + 1
    for _ in range(players):
        if after == players:
            after = 0
        if _can_act(table, after):
            break
        after += 1
    return after


@jit
def open_hand(game: Rows, table: Rows, stacks: Rows) -> None:
    """Post antes and blinds. ``stacks``, int64[players], are above 0."""
    players = game[NUMBER]
    for place in range(len(table)):
        table[place] = 0
    most = post = 0
    for position in range(players):
        stack = stacks[position]
        ante = min(game[ANTE], stack)
        spent = ante + min(game[POSTS + position], stack - ante)
        table[STACKS + position] = stack
        table[SPENT + position] = spent
        table[ACTIVE] += spent < stack
        most = max(most, spent)
        post = max(post, game[POSTS + position])
    table[LIVE] = players
    table[STREET_START] = game[ANTE]
    table[AGGRESSOR] = -1
    table[FULL] = game[RAISE_SIZES] if game[LIMIT] else max(post, game[MIN_BET])
    table[PENDING] = table[ACTIVE]
    if table[ACTIVE] > 1:
        most = max(most, game[ANTE] + post)
    table[BET] = most
    table[MIN_TO] = most + table[FULL]
    if table[ACTIVE] == 0:
        _close_betting(game, table)
        return
    first = game[FIRST_PLAYER]
    table[TO_ACT] = first if _can_act(table, first) else _next(game, table, first)
    if table[ACTIVE] == 1:
        _close_if_alone(game, table)


@jit
def raise_range(game: Rows, table: Rows, position: int) -> tuple[int, int]:
    """Return the smallest and the largest raise as totals of the hand; (0, 0) if no raise is allowed."""
    street = table[STREET]
    if table[RAISES] >= game[MAX_RAISES + street]:
        return 0, 0
    stack, bet = table[STACKS + position], table[BET]
    if game[RULES] == ACPC:
        if table[ACTIVE] < 2 or table[ACTIONS] + game[NUMBER] > ACTIONS_PER_STREET:
            return 0, 0
        if game[LIMIT]:
            total = min(bet + game[RAISE_SIZES + street], stack)
            return total, total
        if table[MIN_TO] <= stack:
            return table[MIN_TO], stack
        return (stack, stack) if bet < stack else (0, 0)
    if stack <= bet or not _may_reraise(table, position) or not _has_opponent_behind(game, table, position):
        return 0, 0
    low = table[MIN_TO]
    if low >= stack or game[RULES] == PUSHFOLD:
        return stack, stack
    return (low, low) if game[LIMIT] else (low, stack)


@jit
def _may_reraise(table: Rows, position: int) -> bool:
    if not table[SHORT] or table[BET] - table[SPENT + position] >= table[FULL]:
        return True
    return not table[ACTED] >> position & 1


@jit
def _has_opponent_behind(game: Rows, table: Rows, position: int) -> bool:
    for other in range(game[NUMBER]):
        if other != position and not table[FOLDED + other] and table[STACKS + other] > table[BET]:
            return True
    return False


@jit
def _must_push(game: Rows, table: Rows, position: int, high: int) -> bool:
    return game[RULES] == PUSHFOLD and not table[RAISES] and table[SPENT + position] < table[BET] and high > 0


@jit
def legal(game: Rows, table: Rows) -> LegalActions:
    """Return what the player to act may do; a free call and nothing else when the betting is over."""
    position = table[TO_ACT]
    if position < 0:
        return False, 0, 0, 0
    bet, stack, spent = table[BET], table[STACKS + position], table[SPENT + position]
    call = max(0, min(bet, stack) - spent)
    low, high = raise_range(game, table, position)
    if not high:
        return spent < bet, call, 0, 0
    if _must_push(game, table, position, high):
        call = stack - spent
    return spent < bet, call, low - table[STREET_START], high - table[STREET_START]


@jit
def act(game: Rows, table: Rows, kind: int, to: int) -> bool:
    """Do what the player to act says; ``to`` is the street total of a raise, in limit games any number.
    Return whether it was legal; nothing changes otherwise.
    """
    position = table[TO_ACT]
    if position < 0:
        return False
    if kind == CALL:
        _call(game, table, position)
        return True
    if kind == RAISE:
        low, high = raise_range(game, table, position)
        total = low if game[LIMIT] else table[STREET_START] + to
        if not high or not low <= total <= high:
            return False
        _raise(game, table, position, total)
        return True
    if kind != FOLD or table[SPENT + position] >= table[BET]:
        return False
    table[FOLDED + position] = 1
    table[LIVE] -= 1
    _note(table, position)
    if table[LIVE] == 1:
        table[TO_ACT] = -1
    else:
        _end_action(game, table, position)
    return True


@jit
def _note(table: Rows, position: int) -> None:
    table[ACTIONS] += 1
    table[PLAYED] += 1
    table[ACTED] |= 1 << position


@jit
def _call(game: Rows, table: Rows, position: int) -> None:
    bet, stack = table[BET], table[STACKS + position]
    if bet >= stack:
        table[SPENT + position] = stack
        _note(table, position)
        _end_action(game, table, position)
        return
    if _must_push(game, table, position, raise_range(game, table, position)[1]):
        _raise(game, table, position, stack)
        return
    table[SPENT + position] = bet
    _note(table, position)
    if table[PENDING] > 1:
        table[PENDING] -= 1
        table[TO_ACT] = _next(game, table, position)
    else:
        _close_street(game, table)


@jit
def _raise(game: Rows, table: Rows, position: int, total: int) -> None:
    table[SPENT + position] = total
    _note(table, position)
    table[RAISES] += 1
    size = total - table[BET]
    if game[RULES] == ACPC:
        table[MIN_TO] = max(table[MIN_TO], total + size)
    else:
        if size < table[FULL]:
            table[SHORT] = 1
        elif game[RULES] == STANDARD:
            table[FULL] = size
        table[MIN_TO] = total + table[FULL]
    table[BET] = total
    table[AGGRESSOR] = position
    table[PENDING] = table[ACTIVE] - 1
    if total == table[STACKS + position]:
        table[ACTIVE] -= 1
    table[TO_ACT] = _next(game, table, position)


@jit
def _end_action(game: Rows, table: Rows, position: int) -> None:
    table[ACTIVE] -= 1
    table[PENDING] -= 1
    if not table[PENDING]:
        _close_street(game, table)
        return
    table[TO_ACT] = _next(game, table, position)
    if table[ACTIVE] == 1:
        _close_if_alone(game, table)


@jit
def _close_if_alone(game: Rows, table: Rows) -> None:
    if game[RULES] == ACPC:
        return
    most = 0
    for position in range(game[NUMBER]):
        most = max(most, table[SPENT + position])
    table[BET] = most
    if table[SPENT + table[TO_ACT]] >= most:
        _close_betting(game, table)


@jit
def _close_street(game: Rows, table: Rows) -> None:
    street = table[STREET] + 1
    if table[ACTIVE] < 2 or street == game[ROUNDS]:
        _close_betting(game, table)
        return
    bet = table[BET]
    table[STREET] = street
    table[STREET_START] = bet
    table[AGGRESSOR] = -1
    table[ACTIONS] = table[ACTED] = 0
    table[PENDING] = table[ACTIVE]
    table[RAISES] = table[SHORT] = 0
    table[FULL] = game[RAISE_SIZES + street] if game[LIMIT] else game[MIN_BET]
    table[MIN_TO] = bet + table[FULL]
    first = game[FIRST_PLAYER + street]
    table[TO_ACT] = first if _can_act(table, first) else _next(game, table, first)


@jit
def _close_betting(game: Rows, table: Rows) -> None:
    table[STREET] = game[ROUNDS] - 1
    table[TO_ACT] = -1
