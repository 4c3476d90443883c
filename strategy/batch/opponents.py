"""Opponents that decide in compiled loops, as many as there are tables.

``call``, ``raise`` and ``random`` do what the house bots of these names do. The others play like ``fair``
(``strategy.baseline.fair``): before the flop by its table; later by the chance to win against random hands,
from a few random boards and hands, compared with the price and the fair share. They differ in two margins,
what they ask beyond the price before they call, and beyond the fair share before they raise, and in how often
they raise where they would check or call.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.baseline.fair import DEAR, preflop_action
from strategy.batch.betting import CALL, FOLD, RAISE, LegalActions
from strategy.batch.hands import BOARD, HOLE, Cards
from strategy.batch.layout import BET, LIVE, NUMBER, RAISES, SPENT, STREET, STREET_START, TO_ACT, Rows
from strategy.errors import StrategyError
from strategy.jit import lean_jit as jit
from strategy.poker.kernels import CARD_KEYS, CARD_MASKS, Ranks, State, below, rank_of, uniform
from strategy.poker.preflop import HAND_CLASSES, MAX_OPPONENTS, preflop_equity

Styles = NDArray[np.float64]
Classes = NDArray[np.float64]

ASKED = 0
"""The style of a seat whose actions come from outside."""

_ALWAYS_CALLS, _ALWAYS_RAISES, _AT_RANDOM, _BY_STRENGTH = range(1, 5)
_HANDS = 60
"""Hands of opponents drawn for one chance to win."""


class UnknownOpponent(StrategyError):
    """No compiled opponent has this name; the message lists those there are."""

    code = "unknown_opponent"


class _Style(NamedTuple):
    way: int
    call_margin: float = 0.0
    raise_margin: float = 0.0
    bluffs: float = 0.0


_STYLES = {
    "call": _Style(_ALWAYS_CALLS),
    "raise": _Style(_ALWAYS_RAISES),
    "random": _Style(_AT_RANDOM),
    "quick": _Style(_BY_STRENGTH, 0.0, 0.05, 0.0),
    "quick-tight": _Style(_BY_STRENGTH, 0.08, 0.1, 0.0),
    "quick-loose": _Style(_BY_STRENGTH, -0.1, 0.02, 0.05),
    "quick-bluff": _Style(_BY_STRENGTH, 0.03, 0.05, 0.2),
}

QUICK = tuple(_STYLES)
"""Names of the compiled opponents."""


def styles(names: Sequence[str]) -> Styles:
    """Return what the opponents called so do, float64[n, 4]. Raises UnknownOpponent."""
    for name in names:
        if name not in _STYLES:
            raise UnknownOpponent(
                f"no compiled opponent is called {name[:64]!r}; there are {', '.join(QUICK)}"
            )
    return np.array([_STYLES[name] for name in names], np.float64).reshape(-1, 4)


@cache
def preflop_classes() -> Classes:
    """Return float64[169, 9, 4]: by class, row by row of the usual grid, and opponents, ``fair``'s action
    where nobody has raised, after a cheap raise and after a dear one (0 fold, 1 call, 2 raise), and the
    chance to win.
    """
    kinds = {"fold": FOLD, "call": CALL, "raise": RAISE}
    table = np.zeros((len(HAND_CLASSES), MAX_OPPONENTS, 4))
    for row, name in enumerate(HAND_CLASSES):
        high, low = 12 - row // 13, 12 - row % 13
        hole = (4 * high, 4 * low + (high <= low))
        for opponents in range(1, MAX_OPPONENTS + 1):
            cases = ((False, 0.0), (True, 0.0), (True, 2 * DEAR))
            actions = [kinds[preflop_action(name, opponents, raised, price)] for raised, price in cases]
            table[row, opponents - 1] = (*actions, preflop_equity(hole, opponents))
    return table


@jit
def decide(
    style: NDArray[np.float64],
    classes: Classes,
    ranks: Ranks,
    game: Rows,
    row: Rows,
    cards: Cards,
    legal: LegalActions,
    state: State,
) -> tuple[int, int]:
    """Return what the player to act does: fold, call or raise, and the street total of a raise.

    ``style`` is a row of ``styles``, ``classes`` are ``preflop_classes``, ``cards`` as in
    ``strategy.batch.hands``; ``state`` are the player's own random numbers.
    """
    fold, _, low, high = legal
    way = int(style[0])
    if way == _ALWAYS_CALLS or (way == _ALWAYS_RAISES and not high):
        return CALL, 0
    if way == _ALWAYS_RAISES:
        return RAISE, low
    if way == _AT_RANDOM:
        choice = below(state, 1 + fold + (high > 0))
        if choice == 0:
            return CALL, 0
        if choice == 1 and fold:
            return FOLD, 0
        return RAISE, min(high, max(low, int(low * (high / low) ** uniform(state) + 0.5)))
    return _by_strength(style, classes, ranks, game, row, cards, legal, state)


@jit
def _by_strength(
    style: NDArray[np.float64],
    classes: Classes,
    ranks: Ranks,
    game: Rows,
    row: Rows,
    cards: Cards,
    legal: LegalActions,
    state: State,
) -> tuple[int, int]:
    fold, call, low, high = legal
    position, opponents, players = row[TO_ACT], row[LIVE] - 1, game[NUMBER]
    own = row[SPENT + position] + call
    reach = pot = 0
    for other in range(players):
        pot += row[SPENT + other]
        reach += min(own, row[SPENT + other])
    price = call / max(1, reach + call)
    if row[STREET] == 0:
        kind_of = classes[_class_of(cards[HOLE * position], cards[HOLE * position + 1]), opponents - 1]
        win = kind_of[3]
        wanted = int(kind_of[0 if not row[RAISES] else 1 if price <= DEAR else 2])
        if wanted == FOLD and win > price - 2 * style[1] and style[1] < 0:
            wanted = CALL
        if wanted == CALL and style[1] > 0 and win < price + style[1]:
            wanted = FOLD
    else:
        win = _win(ranks, players, cards, position, row[STREET] + 2, opponents, state)
        fair = 1 / (opponents + 1)
        wanted = RAISE if win > fair + style[2] * (1 + row[RAISES]) else CALL
        if wanted == CALL and win <= price + style[1]:
            wanted = FOLD
    if wanted == CALL and style[3] > 0 and uniform(state) < style[3]:
        wanted = RAISE
    if wanted == RAISE and high:
        edge = max(0.0, ((opponents + 1) * win - 1) / opponents)
        called = row[BET] - row[STREET_START]
        to = called + int((0.5 + edge) * (pot + call) + 0.5)
        return RAISE, min(high, max(low, to))
    if fold and (wanted == FOLD or win <= price + style[1]):
        return FOLD, 0
    return CALL, 0


@jit
def _class_of(first: int, second: int) -> int:
    high, low = 12 - (max(first, second) >> 2), 12 - (min(first, second) >> 2)
    suited = (first ^ second) & 3 == 0
    return high * 13 + low if suited else low * 13 + high


@jit
def _win(
    ranks: Ranks, players: int, cards: Cards, position: int, shown: int, opponents: int, state: State
) -> float:
    """Estimate the share of the pot at a showdown against random hands, with ``shown`` cards on the board."""
    own_key = own_mask = key = mask = 0
    for card in cards[HOLE * position : HOLE * position + HOLE]:
        own_key += CARD_KEYS[card]
        own_mask += CARD_MASKS[card]
    for card in cards[HOLE * players : HOLE * players + shown]:
        key += CARD_KEYS[card]
        mask += CARD_MASKS[card]
    samples = max(1, _HANDS // (opponents + 1))
    won = 0.0
    for _ in range(samples):
        board_key, used = key, mask | own_mask
        board_mask = mask
        for _ in range(BOARD - shown):
            card = _draw(used, state)
            used |= CARD_MASKS[card]
            board_key += CARD_KEYS[card]
            board_mask += CARD_MASKS[card]
        own = rank_of(ranks, board_key + own_key, board_mask + own_mask)
        ties = 1
        for _ in range(opponents):
            first = _draw(used, state)
            used |= CARD_MASKS[first]
            second = _draw(used, state)
            used |= CARD_MASKS[second]
            rank = rank_of(
                ranks,
                board_key + CARD_KEYS[first] + CARD_KEYS[second],
                board_mask + CARD_MASKS[first] + CARD_MASKS[second],
            )
            if rank > own:
                ties = 0
                break
            ties += rank == own
        if ties:
            won += 1.0 / ties
    return won / samples


@jit
def _draw(used: int, state: State) -> int:
    card = below(state, 52)
    while CARD_MASKS[card] & used:
        card = below(state, 52)
    return card
