from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from dealer.rules.actions import Action, parse_action
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import Game, holdem
from dealer.rules.notation import format_betting
from strategy.checks import UnplayableGame
from strategy.registry import create_strategy, house_bots, strategy_names
from strategy.situation import Situation, situation_at
from tests.strategy.play import GAMES, actions, play, shuffled

ANY_GAME = {bot.name for bot in house_bots() if bot.any_game}
NO_LIMIT = holdem(2, 50, 100, stack=20_000)


def after(game: Game, *texts: str) -> Situation:
    betting = Betting(game)
    for text in texts:
        betting.act(parse_action(text))
    return situation_at(betting, parse_cards("7c2d"), ())


@pytest.mark.parametrize("name", strategy_names())
def test_every_bot_finishes_hands_of_every_game_or_refuses_it(name: str) -> None:
    for key, game in GAMES.items():
        random = Random(3)
        if game.ranks < 13 and name not in ANY_GAME:
            with pytest.raises(UnplayableGame, match=game.name):
                create_strategy(name, 0, game)
            continue
        for number in range(2):
            players = [
                create_strategy(name if seat % 2 else "random", number + seat, game)
                for seat in range(game.players)
            ]
            hand = play(game, players, shuffled(game, random), number=number)
            assert sum(hand.values) == pytest.approx(0), key


def test_the_call_bot_never_folds_or_raises() -> None:
    for game in GAMES.values():
        players = [create_strategy("raise" if seat else "call", 0, game) for seat in range(game.players)]
        hand = play(game, players, shuffled(game, Random(1)))
        assert {act.action for act in actions(hand) if act.seat == 0} == {"call"}


def test_the_raise_bot_raises_the_least_until_the_cap() -> None:
    game = GAMES["holdem.limit.2p.reverse_blinds"]
    hand = play(game, [create_strategy("raise", 0, game) for _ in range(2)], shuffled(game, Random(1)))
    assert format_betting(hand.betting) == "rrrc/rrrrc/rrrrc/rrrrc"
    assert create_strategy("raise", 0, NO_LIMIT).decide(after(NO_LIMIT)) == Action("raise", 200)
    assert create_strategy("raise", 0, NO_LIMIT).decide(after(NO_LIMIT, "r500")) == Action("raise", 900)
    assert create_strategy("raise", 0, NO_LIMIT).decide(after(NO_LIMIT, "r20000")) == Action("call")


def test_the_random_bot_spreads_evenly_over_what_is_legal() -> None:
    bot = create_strategy("random", 5, NO_LIMIT)
    facing, free = after(NO_LIMIT, "r500"), after(NO_LIMIT, "c")
    kinds = Counter(bot.decide(facing).kind for _ in range(6_000))
    # Three standard deviations of a binomial with n = 6000 and p = 1/3 are 110.
    assert all(abs(kinds[kind] - 2_000) < 110 for kind in ("fold", "call", "raise"))
    kinds = Counter(bot.decide(free).kind for _ in range(6_000))
    assert kinds["fold"] == 0
    assert abs(kinds["raise"] - 3_000) < 117


def test_the_random_bots_raises_cover_the_whole_range() -> None:
    bot = create_strategy("random", 6, NO_LIMIT)
    situation = after(NO_LIMIT)
    raises = [action.to for action in (bot.decide(situation) for _ in range(9_000)) if action.kind == "raise"]
    assert 200 <= min(raises) < 210
    assert 19_000 < max(raises) <= 20_000
    below = sum(size < 2_000 for size in raises) / len(raises)
    assert below == pytest.approx(0.5, abs=0.03)


def test_the_random_bot_repeats_itself_for_the_same_seed_only() -> None:
    situation = after(NO_LIMIT, "r500")
    bots = [create_strategy("random", seed, NO_LIMIT) for seed in (1, 1, 2)]
    first, again, other = ([bot.decide(situation) for _ in range(50)] for bot in bots)
    assert first == again != other
