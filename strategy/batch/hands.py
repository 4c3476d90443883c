"""Batches of tables that play hold'em: cards, betting and payouts.

Each table has its own random numbers, so what happens at one does not depend on how many there are, nor on
the others' actions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dealer.rules.games import Game
from strategy.batch.betting import act, legal, open_hand
from strategy.batch.layout import FOLDED, LIVE, NUMBER, TABLE_SIZE, TO_ACT, Rows, game_row
from strategy.batch.payout import Chips, settle
from strategy.checks import require_holdem
from strategy.jit import jit, lean_jit
from strategy.poker.kernels import CARD_KEYS, CARD_MASKS, TABLE, Ranks, State, below, rank_of, rng

Cards = NDArray[np.int8]
DECK, HOLE, BOARD = 52, 2, 5


class Tables:
    """``size`` tables, all with the same game and stacks, whose hands begin anew with ``deal``.

    ``rows``, int64[size, TABLE_SIZE], are the tables (``strategy.batch.layout``); ``cards``, int8[size,
    2 * players + 5], the hole cards by position, and the board, of which as much is dealt as the street says;
    ``values``, float64[size, players], what each position won or lost in the hand, once it is over.

    ``seed`` is any text. Raises UnplayableGame for games other than hold'em.
    """

    def __init__(self, game: Game, size: int, seed: str, stacks: Sequence[int] | None = None) -> None:
        require_holdem("a batch", game)
        self.game = game_row(game)
        self.stacks = np.array(game.stacks if stacks is None else stacks, np.int64)
        self.rows = np.zeros((size, TABLE_SIZE), np.int64)
        self.cards = np.zeros((size, HOLE * game.players + BOARD), np.int8)
        self.values = np.zeros((size, game.players))
        self._states = np.concatenate([rng("batch", seed, table) for table in range(size)])
        self.deal()

    @property
    def over(self) -> NDArray[np.bool_]:
        """Return which hands are over: bool[size]."""
        over: NDArray[np.bool_] = self.rows[:, TO_ACT] < 0
        return over

    def deal(self) -> None:
        """Begin a new hand at every table."""
        _deal(TABLE, self.game, self.stacks, self._states, self.rows, self.cards, self.values)

    def legal(self) -> Rows:
        """Return what each player to act may do, int64[size, 4]: whether a fold is allowed, the chips of a
        call, and the street totals of the smallest and the largest raise, 0 if none is allowed.
        """
        found = np.zeros((len(self.rows), 4), np.int64)
        _legal(self.game, self.rows, found)
        return found

    def act(self, kinds: NDArray[np.int8], to: Rows) -> NDArray[np.bool_]:
        """Act at every table: ``FOLD``, ``CALL`` or ``RAISE`` of ``strategy.batch.betting``, and the street
        total of a raise. Return which actions were legal, bool[size]; the others change nothing.
        """
        done = np.zeros(len(self.rows), np.bool_)
        _act(TABLE, self.game, self.rows, self.cards, self.values, kinds, to, done)
        return done


@jit
def _deal(
    table: Ranks, game: Rows, stacks: Rows, states: State, rows: Rows, cards: Cards, values: Chips
) -> None:
    deck, ranks = np.empty(DECK, np.int8), np.empty(game[NUMBER], np.int64)
    for place in range(len(rows)):
        deal_cards(deck, states[place : place + 1], cards[place])
        open_hand(game, rows[place], stacks)
        if rows[place, TO_ACT] < 0:
            pay(table, game, rows[place], cards[place], ranks, values[place])


@lean_jit
def deal_cards(deck: Cards, state: State, cards: Cards) -> None:
    """Deal a hand of different cards. ``deck``, int8[52], is room to shuffle in."""
    for card in range(DECK):
        deck[card] = card
    for card in range(len(cards)):
        other = card + below(state, DECK - card)
        deck[card], deck[other] = deck[other], deck[card]
        cards[card] = deck[card]


@lean_jit
def pay(table: Ranks, game: Rows, row: Rows, cards: Cards, ranks: Rows, values: Chips) -> None:
    """Write what each position won or lost in a hand that is over into ``values``, float64[players].
    ``ranks``, int64[players], is room to work in.
    """
    players = game[NUMBER]
    if row[LIVE] > 1:
        key = mask = 0
        for card in cards[HOLE * players :]:
            key += CARD_KEYS[card]
            mask += CARD_MASKS[card]
        for position in range(players):
            if not row[FOLDED + position]:
                first, second = cards[HOLE * position], cards[HOLE * position + 1]
                ranks[position] = rank_of(
                    table,
                    key + CARD_KEYS[first] + CARD_KEYS[second],
                    mask + CARD_MASKS[first] + CARD_MASKS[second],
                )
    settle(game, row, ranks, values)


@jit
def _legal(game: Rows, rows: Rows, found: Rows) -> None:
    for place in range(len(rows)):
        found[place, 0], found[place, 1], found[place, 2], found[place, 3] = legal(game, rows[place])


@jit
def _act(
    table: Ranks,
    game: Rows,
    rows: Rows,
    cards: Cards,
    values: Chips,
    kinds: NDArray[np.int8],
    to: Rows,
    done: NDArray[np.bool_],
) -> None:
    ranks = np.empty(game[NUMBER], np.int64)
    for place in range(len(rows)):
        row = rows[place]
        done[place] = act(game, row, kinds[place], to[place])
        if done[place] and row[TO_ACT] < 0:
            pay(table, game, row, cards[place], ranks, values[place])
