"""Random hands at tables for learners, played by ``dealer.rules`` beside them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.games import Game
from dealer.rules.hand import HandState
from strategy.batch.learning import LearningTables
from strategy.batch.observation import largest
from strategy.batch.view import Viewer
from strategy.situation import situation_at
from tests.strategy.batch.seen import public, read_back
from tests.strategy.batch.walks import any_stacks, odd_game

SIZES = (0.0, 0.4, 1.0, 3.0)


class Dealt(NamedTuple):
    hole: tuple[tuple[int, ...], ...]
    shown: tuple[int, ...]

    def board(self, street: int) -> tuple[int, ...]:
        return self.shown[(0, 0, 3, 4)[street] : (0, 3, 4, 5)[street]]


def begun(tables: LearningTables, place: int, game: Game, stacks: Sequence[int] | None = None) -> HandState:
    """The hand that a table has just dealt, by the rules."""
    row, players, number = tables.cards[place].tolist(), game.players, int(tables.numbers[place])
    hole = tuple((row[2 * position], row[2 * position + 1]) for position in range(players))
    seats = [(position + number) % players for position in range(players)]
    cards = Dealt(hole, tuple(row[2 * players :]))
    return HandState(game, cards, number=number, seats=seats, stacks=stacks)


def action_of(hand: HandState, choice: int) -> Action | None:
    """What a number of the menu means, by its description."""
    fold, call, low, high = hand.legal()
    if choice == 0:
        return FOLD if fold else None
    if choice == 1:
        return CALL
    if low is None or high is None:
        return None
    if hand.game.limit:
        return raise_to(low)
    if choice == 2 + len(SIZES):
        return raise_to(high)
    state = hand.betting
    called = state.bet - state.street_start
    sizes = [max(low, called + int(size * (state.pot + call) + 0.5)) for size in SIZES]
    to = sizes[choice - 2]
    return raise_to(to) if to < high and to not in sizes[: choice - 2] else None


def play_hands(seed: object, hands: int, history: int) -> int:
    """Play so many hands of a game at a few tables and compare everything; return the decisions."""
    random = Random(f"learning {seed}")
    game = odd_game(random)
    stacks = any_stacks(random, game)
    # Two with chips to play for.
    stacks[:2] = [stack + 3 * max(game.blinds) for stack in stacks[:2]]
    tables = LearningTables(game, 3, stacks=stacks, sizes=SIZES, history=history)
    tables.reset(seed)
    playing = [begun(tables, place, game, stacks) for place in range(3)]
    decisions = ended = 0
    viewer = Viewer(game, sizes=SIZES, history=history)
    most = largest(game.players, max(stacks) / game.min_bet)
    while ended < hands:
        choices = []
        assert tables.seen.min() == 0
        assert tables.seen.max() <= most
        for place, hand in enumerate(playing):
            position = hand.betting.to_act
            assert tables.to_act[place] == hand.to_act
            assert read_back(tables.seen[place], game, history) == public(hand, position, history)
            asked = [action_of(hand, choice) for choice in range(tables.mask.shape[1])]
            assert tables.mask[place].tolist() == [int(action is not None) for action in asked]
            situation = situation_at(hand.betting, hand.hole[position], hand.board)
            decision = viewer.decision(situation)
            assert (decision.seen == tables.seen[place]).all()
            assert (decision.mask == tables.mask[place]).all()
            choice = random.choice([choice for choice, action in enumerate(asked) if action is not None])
            action = asked[choice]
            assert action is not None
            assert decision.action(choice) == action
            hand.act(action)
            choices.append(choice)
            decisions += 1
        tables.choose(np.array(choices))
        assert not tables.illegal.any()
        for place, hand in enumerate(playing):
            assert tables.over[place] == hand.over
            paid = [0.0] * game.players
            if hand.over:
                ended += 1
                for seat, value in zip(hand.seats, hand.values, strict=True):
                    paid[seat] = value / game.min_bet
                playing[place] = begun(tables, place, game, stacks)
            assert tables.rewards[place].tolist() == paid
    return decisions
