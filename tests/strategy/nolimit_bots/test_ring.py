"""``nolimit`` with more than two players."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.games import holdem
from strategy.declared import Chances
from strategy.nolimit_bots.bot import NoLimitBot
from strategy.nolimit_bots.ring import (
    ACTIONS,
    ACTOR,
    BET,
    BIG,
    KEYS,
    LEADER,
    NONE,
    PAID,
    RAISER,
    ROWS,
    STACK,
    STEP,
    WAITS,
    RingPolicy,
    act,
    betting_of,
    find_moves,
    key_of,
    pack_ring,
    row_of,
)
from strategy.situation import Situation, situation_at

ACES, RAGS, KINGS = (48, 49), (0, 21), (44, 45)
CARDS_SHOWN = (0, 3, 4, 5)


def some_action(random: Random, betting: Betting) -> Action:
    """A random legal action; folds and all-ins are rare, so that hands go on."""
    legal = betting.legal()
    drawn = random.random()
    if drawn < 0.15 and legal.fold:
        return FOLD
    if drawn < 0.5 and legal.min_raise is not None and legal.max_raise is not None:
        return raise_to(random.choice((legal.min_raise, random.randint(legal.min_raise, legal.max_raise))))
    return CALL


def seen(betting: Betting, cards: list[int], hand: int = 0) -> Situation:
    at = 2 * betting.to_act
    board = tuple(cards[20 : 20 + CARDS_SHOWN[betting.street]])
    return situation_at(betting, (cards[at], cards[at + 1]), board, hand=hand)


@pytest.mark.parametrize("players", range(3, 11))
def test_every_situation_has_a_legal_answer_that_the_seed_decides(players: int) -> None:
    random = Random(players)
    for hand in range(12):
        stacks = [random.choice((150, 900, 2_000, 10_000, 40_000)) for _ in range(players)]
        game = holdem(players, 50, 100, ante=random.choice((0, 10)), stack=stacks)
        betting, cards = Betting(game, game.stacks), random.sample(range(52), 25)
        bot, again = NoLimitBot(7, game), NoLimitBot(7, game)
        while not betting.over:
            situation = seen(betting, cards, hand)
            action = bot.decide(situation)
            assert betting.can(action)
            assert all(betting.can(one) for one in bot.chances)
            assert not bot.chances or sum(bot.chances.values()) == pytest.approx(1)
            assert (again.decide(situation), again.chances) == (action, bot.chances)
            betting.act(action if random.random() < 0.3 else some_action(random, betting))


@pytest.mark.parametrize("players", [3, 6, 10])
def test_training_and_table_see_the_same_situation(players: int) -> None:
    random, compared = Random(f"same {players}"), 0
    for _ in range(30):
        stacks = [random.randint(200, 20_000) for _ in range(players)]
        game = holdem(players, 50, 100, stack=stacks)
        betting, cards = Betting(game, game.stacks), random.sample(range(52), 25)
        seats, now = np.zeros((6, players), np.int64), np.zeros(8, np.int64)
        seats[STACK], seats[WAITS] = stacks, 1
        for place, blind in enumerate((50, 100)):
            seats[PAID, place] = seats[BET, place] = blind
            seats[STACK, place] -= blind
        now[ACTOR], now[STEP], now[BIG] = 2, 100, 100
        now[RAISER] = now[LEADER] = -1
        going, moves, others = True, np.empty(ACTIONS, np.int64), np.empty(ACTIONS, np.int64)
        while going and not betting.over:
            there = betting_of(seen(betting, cards), 100)
            count = find_moves(seats, now, moves)
            assert betting.to_act == now[ACTOR]
            assert np.array_equal(there[0], seats)
            assert key_of(*there) == key_of(seats, now) < KEYS
            assert find_moves(*there, others) == count
            assert moves.tolist() == others.tolist()
            compared += 1
            to = random.choice([one for one in moves.tolist() if one not in (NONE, -1)])
            if moves[0] == -1 and random.random() < 0.2:
                to = -1
            action = FOLD if to < 0 else raise_to(to) if to else CALL
            if not betting.can(action):
                to, action = 0, CALL  # an opponent's whole stack may be less than the least raise
            betting.act(action)
            going = act(seats, now, to)
        assert not going or betting.over
    assert compared > 150


def decided(players: int, hole: tuple[int, int], *actions: Action, stack: int = 10_000) -> Chances:
    game = holdem(players, 50, 100, stack=stack)
    betting = Betting(game, game.stacks)
    for action in actions:
        betting.act(action)
    bot = NoLimitBot(1, game)
    bot.decide(situation_at(betting, hole, ()))
    return bot.chances


@pytest.mark.parametrize("players", [3, 6, 9])
@pytest.mark.parametrize("stack", [2_000, 10_000])
def test_good_hands_are_raised_and_bad_ones_folded(players: int, stack: int) -> None:
    folds = (FOLD,) * (players - 3)
    for actions in ((), folds, (*folds, raise_to(300))):
        assert decided(players, ACES, *actions, stack=stack).get(FOLD, 0) == 0
        assert decided(players, RAGS, *actions[:1], stack=stack).get(FOLD, 0) > 0.5
    assert decided(players, KINGS, stack=stack).get(FOLD, 0) == 0


def test_a_table_that_has_shrunk_to_two_plays_as_two() -> None:
    three, two = holdem(3, 50, 100, stack=2_000), holdem(2, 50, 100, stack=2_000)
    betting = Betting(two, two.stacks)
    situation = situation_at(betting, ACES, ())
    bot, other = NoLimitBot(1, three), NoLimitBot(1, two)
    bot._blinds, bot._antes = two.blinds, (0, 0)
    assert bot.decide(situation) == other.decide(situation)
    assert bot.chances == other.chances


def test_a_packed_strategy_is_the_same_but_for_rounding() -> None:
    policy = np.zeros((ROWS, ACTIONS), np.float32)
    rows = {key: row_of(key, 3) for key in (5, KEYS - 1)}
    policy[list(rows.values())] = 0.1, 0.25, 0.3, 0.35, 0
    count, data = pack_ring(policy)
    packed = RingPolicy(
        np.frombuffer(data[: 4 * count], "<i4").astype(np.int64), np.frombuffer(data[4 * count :], np.uint8)
    )
    assert count == 2
    for key, row in rows.items():
        chances = packed.chances(key, 3)
        assert chances is not None
        assert chances.sum() == pytest.approx(1)
        assert np.abs(chances - policy[row]).max() < 1 / 15
        assert packed.chances(key, 50) is None
    assert packed.chances(6, 3) is None
