"""Tables for learners: they deal on, let the opponents act, and stop where the learner is to decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealer.rules.betting import Betting
from dealer.rules.errors import GameError
from dealer.rules.games import Game
from strategy.batch.betting import CALL, FOLD, RAISE, legal, open_hand
from strategy.batch.hands import BOARD, DECK, HOLE, Cards, deal_cards, pay
from strategy.batch.layout import MIN_BET, NUMBER, PLAYED, TABLE_SIZE, TO_ACT, Rows, game_row
from strategy.batch.menu import POT_SIZES, Mask, Sizes, menu, menu_size, offer
from strategy.batch.observation import HISTORY, Row, clear, observation_size, record, view
from strategy.batch.opponents import ASKED, Classes, Styles, UnknownOpponent, decide, preflop_classes, styles
from strategy.batch.payout import Chips
from strategy.checks import require_holdem
from strategy.jit import lean_jit as jit
from strategy.poker.kernels import TABLE, Ranks, State, rng

Flags = NDArray[np.bool_]
Kinds = NDArray[np.int8]


class _Arrays(NamedTuple):
    """What the compiled loops work on. The public ones are described in ``LearningTables``."""

    ranks: Ranks
    classes: Classes
    styles: Styles
    game: Rows
    stacks: Rows
    sizes: Sizes
    rows: Rows
    cards: Cards
    numbers: Rows
    states: State
    to_act: Rows
    seen: Row
    finals: Row
    mask: Mask
    totals: Rows
    rewards: Chips
    over: Flags
    illegal: Flags
    waits: Flags
    deck: Cards  # these are room to work in
    orders: Rows
    values: Chips


def playable_stacks(game: Game, stacks: Sequence[int] | NDArray[np.int64] | None) -> tuple[int, ...]:
    """Return the chips by position (default: the game's). Raises GameError ``bad_stacks``, and
    ``all_in_from_blinds`` if nobody would ever have a decision.
    """
    betting = Betting(game, stacks.tolist() if isinstance(stacks, np.ndarray) else stacks)
    if betting.over:
        raise GameError("all_in_from_blinds", f"with stacks of {betting.stacks} nobody ever has a decision")
    return betting.stacks


class LearningTables:
    """``size`` tables that ask for actions at seat 0, or at every seat where there are no ``opponents``.

    ``opponents`` are names of ``strategy.batch.opponents`` for seats 1, 2, ...; ``stacks`` are chips by
    position (default: the game's). Seats move on by one position each hand, and start one further at each
    table. After ``reset`` and after each action these arrays have what the seat ``to_act``, int64[size], may
    see:

    * ``seen``, float32[size, observation_size], as in ``strategy.batch.observation``; ``mask``, int8[size,
      actions], and ``totals``, int64[size, actions], as in ``strategy.batch.menu``.
    * ``over``, bool[size]: whether the last action ended a hand, which paid ``rewards``, float64[size,
      players], by seat in big blinds (else 0). What is seen is then of the next hand; with ``last_seen`` the
      rows of ``finals`` are what seat 0 saw at the end.
    * ``illegal``, bool[size]: whether the action was not legal. It counts as a check, or else as a fold.

    Where the caller sets ``waits``, bool[size], the next actions do nothing.

    Hands that end before anybody is asked are dealt and left out. What happens at a table follows from the
    seed, the table and its actions alone. Raises UnplayableGame, BadMenu, BadHistory,
    UnknownOpponent, and GameError as ``playable_stacks`` does.
    """

    def __init__(
        self,
        game: Game,
        size: int,
        opponents: Sequence[str] = (),
        *,
        stacks: Sequence[int] | None = None,
        sizes: Sequence[float] = POT_SIZES,
        history: int = HISTORY,
        last_seen: bool = False,
    ) -> None:
        require_holdem("a batch", game)
        players, raises = game.players, menu(sizes)
        actions, length = menu_size(game, raises), observation_size(game, history)
        if len(opponents) not in (0, players - 1):
            raise UnknownOpponent(f"{players - 1} opponents are needed, or none, not {len(opponents)}")
        by_seat = np.zeros((players, 4))
        by_seat[1 : 1 + len(opponents)] = styles(opponents)
        self._arrays = arrays = _Arrays(
            ranks=TABLE,
            classes=preflop_classes(),
            styles=by_seat,
            game=game_row(game),
            stacks=np.array(playable_stacks(game, stacks), np.int64),
            sizes=raises,
            rows=np.zeros((size, TABLE_SIZE), np.int64),
            cards=np.zeros((size, HOLE * players + BOARD), np.int8),
            numbers=np.zeros(size, np.int64),
            states=np.zeros((size, 2), np.uint64),
            to_act=np.zeros(size, np.int64),
            seen=np.zeros((size, length), np.float32),
            finals=np.zeros((size if last_seen else 0, length), np.float32),
            mask=np.zeros((size, actions), np.int8),
            totals=np.zeros((size, actions), np.int64),
            rewards=np.zeros((size, players)),
            over=np.zeros(size, np.bool_),
            illegal=np.zeros(size, np.bool_),
            waits=np.zeros(size, np.bool_),
            deck=np.zeros(DECK, np.int8),
            orders=np.zeros(players, np.int64),
            values=np.zeros(players),
        )
        self.game, self.rows = arrays.game, arrays.rows
        self.cards, self.numbers = arrays.cards, arrays.numbers
        self.to_act, self.seen, self.finals = arrays.to_act, arrays.seen, arrays.finals
        self.mask, self.totals = arrays.mask, arrays.totals
        self.rewards, self.over, self.illegal = arrays.rewards, arrays.over, arrays.illegal
        self.waits = arrays.waits
        self._kinds, self._to = np.zeros(size, np.int8), np.zeros(size, np.int64)

    def reset(self, seed: object, places: NDArray[np.int64] | None = None) -> None:
        """Begin anew at these tables (default: at all), with random numbers that follow from ``seed``."""
        chosen = np.arange(len(self.rows)) if places is None else places
        for place in chosen.tolist():
            for use, name in enumerate(("batch", "opponents")):
                self._arrays.states[place, use] = rng(name, seed, place)[0]
        _begin(self._arrays, chosen)

    def choose(self, choices: NDArray[np.int64]) -> None:
        """Act at every table by numbers of the menu, int64[size]."""
        _choose(self.mask, self.totals, choices, self._kinds, self._to)
        _act(self._arrays, self._kinds, self._to)

    def act(self, kinds: Kinds, to: Rows) -> None:
        """Act at every table: ``FOLD``, ``CALL`` or ``RAISE`` of ``strategy.batch.betting``, int8[size], and
        the street total of a raise, int64[size], in limit games any number.
        """
        _act(self._arrays, kinds, to)


@jit
def _choose(mask: Mask, totals: Rows, choices: Rows, kinds: Kinds, to: Rows) -> None:
    actions = mask.shape[1]
    for place in range(len(choices)):
        choice = choices[place]
        if 0 <= choice < actions and mask[place, choice]:
            kinds[place], to[place] = min(choice, RAISE), totals[place, choice]
        else:
            kinds[place], to[place] = -1, 0


@jit
def _begin(arrays: _Arrays, places: Rows) -> None:
    for place in places:
        arrays.numbers[place] = place - 1
        arrays.over[place] = arrays.illegal[place] = False
        arrays.rewards[place] = 0.0
        arrays.seen[place] = 0.0
        arrays.rows[place] = 0
        _deal(arrays, place)
        _go_on(arrays, place, False)


@jit
def _act(arrays: _Arrays, kinds: Kinds, to: Rows) -> None:
    for place in range(len(arrays.rows)):
        row = arrays.rows[place]
        if arrays.over[place]:
            arrays.over[place] = False
            arrays.rewards[place] = 0.0
        if arrays.waits[place]:
            arrays.illegal[place] = False
            continue
        done = record(arrays.game, row, kinds[place], to[place], arrays.seen[place])
        arrays.illegal[place] = not done
        if not done:
            kind = FOLD if arrays.mask[place, FOLD] else CALL
            record(arrays.game, row, kind, 0, arrays.seen[place])
        _go_on(arrays, place, True)


@jit
def _deal(arrays: _Arrays, place: int) -> None:
    arrays.numbers[place] += 1
    clear(arrays.game, arrays.rows[place, PLAYED], arrays.seen[place])
    deal_cards(arrays.deck, arrays.states[place, :1], arrays.cards[place])
    open_hand(arrays.game, arrays.rows[place], arrays.stacks)


@jit
def _go_on(arrays: _Arrays, place: int, decided: bool) -> None:
    """Play until a seat is asked. ``decided``: somebody was asked in this hand."""
    game, row, cards = arrays.game, arrays.rows[place], arrays.cards[place]
    seen = arrays.seen[place]
    players = game[NUMBER]
    while True:
        position = row[TO_ACT]
        if position < 0:
            if decided:
                _end(arrays, place)
                decided = False
            _deal(arrays, place)
            continue
        seat = (position + arrays.numbers[place]) % players
        allowed = legal(game, row)
        if arrays.styles[seat, 0] == ASKED:
            break
        kind, to = decide(
            arrays.styles[seat],
            arrays.classes,
            arrays.ranks,
            game,
            row,
            cards,
            allowed,
            arrays.states[place, 1:],
        )
        record(game, row, kind, to, seen)
    arrays.to_act[place] = seat
    offer(game, row, allowed, arrays.sizes, arrays.mask[place], arrays.totals[place])
    view(game, row, cards, position, allowed, seen)


@jit
def _end(arrays: _Arrays, place: int) -> None:
    game, row, rewards = arrays.game, arrays.rows[place], arrays.rewards[place]
    players, number = game[NUMBER], arrays.numbers[place]
    values = arrays.values
    pay(arrays.ranks, game, row, arrays.cards[place], arrays.orders, values)
    for position in range(players):
        rewards[(position + number) % players] = values[position] / game[MIN_BET]
    arrays.over[place] = True
    if len(arrays.finals):
        seen = arrays.seen[place]
        view(game, row, arrays.cards[place], (-number) % players, (False, 0, 0, 0), seen)
        for at in range(len(seen)):
            arrays.finals[place, at] = seen[at]
