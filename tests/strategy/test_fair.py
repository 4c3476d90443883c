from __future__ import annotations

from math import sqrt
from random import Random
from statistics import fmean, stdev

import pytest

from dealer.rules.actions import parse_action
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import Game, holdem, load_game
from strategy.fair import FairBot
from strategy.registry import create
from strategy.situation import Situation, situation_at
from tests.strategy.play import GAMES, decisions, duplicate, shuffled

LIMIT = load_game("holdem.limit.2p.reverse_blinds")
NO_LIMIT = load_game("holdem.nolimit.2p.reverse_blinds")
KUHN = load_game("kuhn.limit.2p")


def at(game: Game, actions: str, hole: str, board: str = "") -> Situation:
    """The situation after ``actions`` (without separators) with these cards."""
    betting = Betting(game)
    for action in actions.split():
        betting.act(parse_action(action))
    return situation_at(betting, parse_cards(hole), parse_cards(board))


def decide(game: Game, actions: str, hole: str, board: str = "") -> str:
    return FairBot(1, game).decide(at(game, actions, hole, board)).text()


# Kuhn for two is played with Q, K, A: equity 0, 1/2, 1. A bet makes the price 1 for a pot of 3.
@pytest.mark.parametrize(
    ("actions", "hole", "answer"),
    [
        ("", "Qs", "c"),
        ("", "Ks", "c"),
        ("", "As", "r2"),
        ("r", "Qs", "f"),
        ("r", "Ks", "c"),
        ("r", "As", "c"),
        ("c", "As", "r2"),
        ("c r", "Qs", "f"),
        ("c r", "Ks", "c"),
    ],
)
def test_kuhn(actions: str, hole: str, answer: str) -> None:
    assert decide(KUHN, actions, hole) == answer


@pytest.mark.parametrize(
    ("actions", "hole", "answer"),
    [
        ("", "AhAd", "r20"),  # .85
        ("r r r", "AhAd", "c"),  # the cap
        ("", "7c2d", "c"),  # .35 for 5 into 15
        ("", "Qs8d", "c"),  # .536: above the fair share, but not by the margin
        ("", "Qs9d", "r20"),  # .554
        ("r", "Qs9d", "c"),  # ... which is not enough for a second raise
        ("r", "KhKd", "r30"),
    ],
)
def test_limit_preflop(actions: str, hole: str, answer: str) -> None:
    assert decide(LIMIT, actions, hole) == answer


@pytest.mark.parametrize(
    ("actions", "hole", "answer"),
    [
        ("r20000", "7c2d", "f"),  # .35 for 19900 into 20100
        ("r20000", "KsTd", "c"),  # .60
        ("r200", "7c2d", "c"),  # .35 for 100 into 300
    ],
)
def test_no_limit_preflop(actions: str, hole: str, answer: str) -> None:
    assert decide(NO_LIMIT, actions, hole) == answer


def test_the_call_turns_into_a_fold_where_the_pot_odds_say_so() -> None:
    board, hole = "2c7dTsJh4c", "AhQs"
    before = "c c c c c c c"  # 200 in the pot, the opponent to act on the river after a check
    win = FairBot(1, NO_LIMIT).win_probability(at(NO_LIMIT, f"{before} r100", hole, board))
    assert 0.3 < win < 0.5
    # to_call / (pot + to_call) = b / (200 + 2 b) = win
    fair_bet = 200 * win / (1 - 2 * win)
    assert decide(NO_LIMIT, f"{before} r{int(fair_bet)}", hole, board) == "c"
    assert decide(NO_LIMIT, f"{before} r{int(fair_bet) + 1}", hole, board) == "f"


def test_a_raise_grows_with_the_edge_up_to_one_and_a_half_pots() -> None:
    board, before = "AhKhQh2c7d", "c c c c c c"
    assert decide(NO_LIMIT, before, "JhTh", board) == "r300"
    sizes = [
        FairBot(1, NO_LIMIT).decide(at(NO_LIMIT, before, hole, board)).to for hole in ("AcAs", "Ac8s", "QsJc")
    ]
    assert 300 > sizes[0] > sizes[1] > sizes[2] > 100


def test_a_raise_stays_within_the_stack() -> None:
    game = holdem(2, 50, 100, stack=250)
    assert decide(game, "c c c c c c", "JhTh", "AhKhQh2c7d") == "r150"


def test_a_short_stack_counts_only_the_pot_it_can_win() -> None:
    # 40 chips against two stacks that are all-in for 1000: 30 to call for 120, so .25 is the price, not 30
    # for 2040.
    game = holdem(3, 5, 10)
    betting = Betting(game, (1000, 40, 1000))
    for action in ("r1000", "c"):
        betting.act(parse_action(action))
    low, high = (situation_at(betting, parse_cards(hole), ()) for hole in ("3h2d", "Kh2d"))
    assert low.to_call == 30
    bot = FairBot(1, game)
    assert bot.win_probability(low) < 30 / 120 < bot.win_probability(high)
    assert [bot.decide(situation).text() for situation in (low, high)] == ["f", "c"]


@pytest.mark.parametrize("name", ["holdem.limit.3p", "holdem.nolimit.6p", "leduc.limit.2p"])
def test_a_decision_depends_on_the_seed_and_the_situation_alone(name: str) -> None:
    game = GAMES[name]
    random = Random(11)
    players = [create("random", seat, game) for seat in range(game.players)]
    met = [
        situation
        for number in range(6)
        for _, situation in decisions(game, players, shuffled(game, random), number=number)
    ]
    one, other = FairBot(4, game), FairBot(4, game)
    forwards = [one.decide(situation) for situation in met]
    backwards = [other.decide(situation) for situation in reversed(met)]
    assert forwards == backwards[::-1]


@pytest.mark.parametrize("villain", ["call", "random"])
@pytest.mark.parametrize("game", [LIMIT, GAMES["leduc.limit.2p"]], ids=["holdem", "leduc"])
def test_it_beats_bots_without_a_plan(game: Game, villain: str) -> None:
    hands = 250 if game is LIMIT else 1_500
    won = duplicate(
        game, lambda: create("fair", 1, game), lambda: create(villain, 2, game), hands=hands, seed=21
    )
    assert fmean(won) > 3 * stdev(won) / sqrt(hands)
