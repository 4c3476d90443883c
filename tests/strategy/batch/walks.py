"""Random hands of every kind, played by the rules and by the compiled batch side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.games import RULE_SETS, STRADDLE_PLAYERS, UNLIMITED_RAISES, Game, holdem
from dealer.rules.pots import FOLDED as OUT
from dealer.rules.pots import settle
from strategy.batch import betting, payout
from strategy.batch.layout import (
    AGGRESSOR,
    BET,
    FOLDED,
    LIVE,
    NUMBER,
    PLAYERS,
    SPENT,
    STREET,
    STREET_START,
    TABLE_SIZE,
    TO_ACT,
    Rows,
    game_row,
)

KINDS = {"fold": betting.FOLD, "call": betting.CALL, "raise": betting.RAISE}


def any_game(random: Random) -> Game:
    """Hold'em for 2 to 10 by any rule set, with or without a limit, an ante and a straddle."""
    limit = random.random() < 0.4
    big = random.choice((2, 10, 100))
    players, rules = random.randint(2, 10), random.choice(RULE_SETS[:3] if limit else RULE_SETS)
    straddles = players >= STRADDLE_PLAYERS and not limit and rules in ("standard", "bb")
    return holdem(
        players,
        big // 2,
        big,
        ante=random.choice((0, 0, 1, big // 2)),
        straddle=2 * big if straddles and random.random() < 0.3 else 0,
        limit=limit,
        rules=rules,
    )


def odd_game(random: Random) -> Game:
    """Such a game; a third of them as only a file can be: anybody begins, and raises have any size."""
    game = any_game(random)
    if random.random() < 0.67:
        return game
    return replace(
        game,
        first_player=tuple(random.randrange(game.players) for _ in range(game.rounds)),
        max_raises=tuple(random.choice((0, 1, 2, 4, UNLIMITED_RAISES)) for _ in range(game.rounds)),
        raise_sizes=tuple(random.choice((1, 3, 10, 70, 500)) for _ in game.raise_sizes),
    )


def any_stacks(random: Random, game: Game) -> list[int]:
    """From a third of a big blind to a hundred; not all below the blinds and ante."""
    big = max(game.blinds)
    return [max(1, int(big * 10 ** random.uniform(-0.5, 2))) for _ in range(game.players)]


def any_action(random: Random, state: Betting) -> Action:
    """Something legal: raises of every size, often the smallest or all-in."""
    fold, _, low, high = state.legal()
    number = random.random()
    if fold and number < 0.2:
        return FOLD
    if low is not None and high is not None and number < 0.55:
        return raise_to(random.choice((low, low, high, random.randint(low, high))))
    return CALL


def play(random: Random) -> Iterator[tuple[Betting, Rows, Rows]]:
    """Yield the state of a hand by the rules, and the rows of its game and table, before every action and
    when the betting is over.
    """
    game = odd_game(random)
    stacks = any_stacks(random, game)
    state, rules, table = Betting(game, stacks), game_row(game), np.zeros(TABLE_SIZE, np.int64)
    betting.open_hand(rules, table, np.array(stacks, np.int64))
    while True:
        yield state, rules, table
        if state.over:
            return
        action = any_action(random, state)
        state.act(action)
        assert betting.act(rules, table, KINDS[action.kind], action.to)


def told(state: Betting) -> tuple[object, ...]:
    """Everything that the rules say of a state."""
    fold, call, low, high = state.legal()
    return (
        *(state.street, state.to_act, state.live, state.bet, state.street_start, state.aggressor),
        *(state.spent, state.folded),
        *(fold, call, low or 0, high or 0),
    )


def batch_told(rules: Rows, table: Rows) -> tuple[object, ...]:
    """The same of a table of the batch."""
    players = int(rules[NUMBER])
    fields = (STREET, TO_ACT, LIVE, BET, STREET_START, AGGRESSOR)
    return (
        *(int(table[field]) for field in fields),
        table[SPENT : SPENT + players].tolist(),
        table[FOLDED : FOLDED + players].astype(bool).tolist(),
        *betting.legal(rules, table),
    )


def verify_hands(seed: object, hands: int) -> int:
    """Compare so many hands in every state and pay-off; return the number of states."""
    random, states, values = Random(f"batch {seed}"), 0, np.zeros(PLAYERS)
    for _ in range(hands):
        for state, rules, table in play(random):
            assert batch_told(rules, table) == told(state), (state.game, state.stacks, state.history)
            states += 1
        players = state.game.players
        ranks = [random.randint(1, 4) for _ in range(players)]
        shown = [OUT if folded else rank for folded, rank in zip(state.folded, ranks, strict=True)]
        paid = settle(state.spent, shown, fractions=state.game.rules == "acpc")
        payout.settle(rules, table, np.array(ranks, np.int64), values)
        assert tuple(values[:players]) == paid.values, (state.game, state.spent, shown)
    return states
