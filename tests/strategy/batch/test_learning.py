"""Tables for learners are equal to ``dealer.rules``: who is asked, what is seen, legal and paid."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import numpy as np
import pytest

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.errors import GameError
from dealer.rules.games import Game, holdem, load_game
from dealer.rules.hand import HandState
from strategy.batch import betting
from strategy.batch.learning import LearningTables
from strategy.batch.menu import BadMenu
from strategy.batch.observation import BadHistory, fields, largest, observation_size
from strategy.batch.opponents import QUICK, UnknownOpponent
from strategy.batch.view import CompiledBot, Viewer
from strategy.checks import UnplayableGame
from strategy.situation import situation_at
from tests.strategy.batch.seen import public, read_back
from tests.strategy.batch.walks import any_game, any_stacks

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
    game = any_game(random)
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


@pytest.mark.parametrize("seed", range(30))
def test_everything_is_as_in_the_rules(seed: int) -> None:
    assert play_hands(seed, 30, history=7 if seed % 2 else 64) >= 30


def test_the_fields_fill_the_row() -> None:
    for players in (2, 6, 10):
        found = fields(players, 5)
        assert [field.start + field.size for field in found[:-1]] == [field.start for field in found[1:]]
        assert found[0].start == 0
        assert len({field.name for field in found}) == len(found)
        assert observation_size(holdem(players, 1, 2), 5) == found[-1].start + found[-1].size


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("game", [load_game("holdem.limit.2p.reverse_blinds"), holdem(6, 1, 2, stack=100)])
def test_an_opponent_acts_legally_and_pays_zero_sum(name: str, game: Game) -> None:
    tables = LearningTables(game, 50, [name] * (game.players - 1))
    tables.reset(3)
    random, ended = np.random.default_rng(1), 0
    for _ in range(200):
        assert (tables.to_act == 0).all()
        assert (tables.mask[:, betting.CALL] == 1).all()
        legal = tables.mask * random.random(tables.mask.shape)
        tables.choose(legal.argmax(axis=1))
        assert not tables.illegal.any()
        assert np.abs(tables.rewards.sum(axis=1)).max() < 1e-9
        ended += int(tables.over.sum())
    assert ended > 1000


@pytest.mark.parametrize("name", ["quick", "quick-tight", "quick-loose", "quick-bluff"])
def test_compiled_bots_play_situations(name: str) -> None:
    random = Random(name)
    for seed in range(100):
        game = any_game(random)
        tables = LearningTables(game, 1)
        tables.reset(seed)
        hand, bot = begun(tables, 0, game), CompiledBot(name, seed)
        while not hand.over:
            position = hand.betting.to_act
            hand.act(bot.decide(situation_at(hand.betting, hand.hole[position], hand.board)))


def test_what_is_not_legal_is_a_check_or_a_fold() -> None:
    tables = LearningTables(holdem(2, 1, 2, stack=100), 4)
    tables.reset(0)
    tables.choose(np.array([99, -1, 1, 1]))
    assert tables.illegal.tolist() == [True, True, False, False]
    assert tables.over.tolist() == [True, True, False, False]
    tables.act(np.full(4, betting.RAISE, np.int8), np.array([0, 0, 3, 4]))
    assert tables.illegal.tolist() == [True, True, True, False]
    assert tables.over.tolist() == [True, True, False, False]


def test_tables_do_not_depend_on_others() -> None:
    few, many = (LearningTables(holdem(3, 1, 2), size, ["quick", "random"]) for size in (4, 40))
    other = LearningTables(holdem(3, 1, 2), 4, ["quick", "random"])
    few.reset("a")
    many.reset("a")
    other.reset("b")
    assert (other.seen != few.seen).any()
    for _ in range(50):
        assert (few.seen == many.seen[:4]).all()
        assert (few.rewards == many.rewards[:4]).all()
        few.choose(np.ones(4, np.int64))
        many.choose(np.ones(40, np.int64))
    many.reset("a", np.array([2]))
    few.reset("a")
    assert (few.seen[2] == many.seen[2]).all()
    assert (few.seen[0] != many.seen[0]).any()


def test_what_was_seen_last_is_kept() -> None:
    game = holdem(2, 1, 2, stack=100)
    tables = LearningTables(game, 8, ["call"], last_seen=True)
    tables.reset(0)
    for _ in range(12):
        before = tables.numbers.copy()
        tables.choose(np.ones(8, np.int64))
        for place in np.flatnonzero(tables.over).tolist():
            end = read_back(tables.finals[place], game, 32)
            assert (end["street"], end["to_act"], end["price"], end["stacks"]) == (3, None, 0, [98, 98])
            assert end["position"] == -before[place] % 2


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"game": load_game("leduc.limit.2p")}, UnplayableGame),
        ({"stacks": (5,)}, GameError),
        ({"stacks": (1, 1)}, GameError),
        ({"sizes": (1.0, 0.5)}, BadMenu),
        ({"sizes": (float("nan"),)}, BadMenu),
        ({"history": 0}, BadHistory),
        ({"opponents": ("loki2",)}, UnknownOpponent),
        ({"opponents": ("call", "call")}, UnknownOpponent),
    ],
)
def test_what_cannot_be_is_refused(changes: dict[str, object], error: type[Exception]) -> None:
    settings: dict[str, object] = {"game": holdem(2, 1, 2), "size": 1, **changes}
    with pytest.raises(error):
        LearningTables(**settings)  # type: ignore[arg-type]
