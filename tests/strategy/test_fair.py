from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from random import Random
from statistics import fmean, stdev

import pytest

from dealer.rules.actions import parse_action
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import Game, holdem, load_game
from strategy.baseline.fair import DEAR, FairBot, preflop_action
from strategy.baseline.parameters import FairParameters
from strategy.parameters import BadParameters
from strategy.poker.preflop import HAND_CLASSES, class_combinations
from strategy.registry import create_strategy, parameters_of
from strategy.situation import Situation, SituationError, situation_at
from tests.strategy.play import GAMES, at, decisions, duplicate, shuffled

LIMIT = load_game("holdem.limit.2p.reverse_blinds")
NO_LIMIT = load_game("holdem.nolimit.2p.reverse_blinds")
KUHN = load_game("kuhn.limit.2p")


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
        ("", "Jh8d", "r20"),  # .42 of all hands are better: among the best .55
        ("", "6s5s", "c"),
        ("r", "Jh8d", "c"),
        ("r", "5h5d", "r30"),  # .134: among the best .15
        ("r", "KcTd", "c"),
        ("r", "7c2d", "f"),  # .955: not among the best .85
        ("r", "5s3s", "c"),  # .831
    ],
)
def test_limit_preflop(actions: str, hole: str, answer: str) -> None:
    assert decide(LIMIT, actions, hole) == answer


@pytest.mark.parametrize(
    ("actions", "hole", "answer"),
    [
        ("r20000", "7c2d", "f"),  # .35 for 19900 into 20100
        ("r20000", "KsTd", "c"),  # .60
        ("r200", "7c2d", "f"),  # .35 for 100 into 300 is worth its price; the table says no
        ("r200", "Th7s", "c"),
        ("r400", "Th6h", "f"),  # .56: cheap it would be a call, and .42 against .375 is worth its price
        ("r400", "KcTd", "c"),
        ("r400", "6h6d", "r1013"),
    ],
)
def test_no_limit_preflop(actions: str, hole: str, answer: str) -> None:
    assert decide(NO_LIMIT, actions, hole) == answer


@pytest.mark.parametrize(
    ("actions", "hole", "answer"),
    [
        ("", "Qs8d", "c"),  # .536: above the fair share, but not by the margin
        ("", "Qs9d", "r20"),  # .554
        ("r", "Qs9d", "c"),  # ... which is not enough for a second raise
        ("r", "7c2d", "c"),
    ],
)
def test_preflop_by_the_odds_alone(actions: str, hole: str, answer: str) -> None:
    bot = FairBot(1, LIMIT, FairParameters(preflop="odds"))
    assert bot.decide(at(LIMIT, actions, hole)).text() == answer


@pytest.mark.parametrize("opponents", range(1, 10))
def test_the_table_asks_for_more_when_more_is_to_be_feared(opponents: int) -> None:
    order = ("fold", "call", "raise")

    def answers(opponents: int, raised: bool, price: float) -> list[int]:
        return [order.index(preflop_action(name, opponents, raised, price)) for name in HAND_CLASSES]

    opened, cheap, dear = (
        answers(opponents, *case) for case in ((False, 0.2), (True, DEAR), (True, DEAR + 0.01))
    )
    assert all(one >= other for one, other in zip(cheap, dear, strict=True))
    assert sum(opened[i] == 2 for i in range(169)) > sum(cheap[i] == 2 for i in range(169))
    assert preflop_action("AA", opponents, True, 0.5) == "raise"
    # 85 % of all hands pay a bet against one opponent and 30 % against nine; no class has more than 12 hands.
    played = sum(class_combinations(name) for name, one in zip(HAND_CLASSES, cheap, strict=True) if one)
    assert 0.3 * 1326 <= played < 0.85 * 1326 + 12


def test_the_table_is_for_holdem() -> None:
    game = GAMES["leduc.limit.2p"]
    situation = situation_at(Betting(game), (game.deck[0],), ())
    by = [FairBot(1, game, FairParameters(preflop=how)).decide(situation) for how in ("table", "odds")]
    assert by[0] == by[1]


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"preflop": "feeling"}, '"table".*"odds"'),
        ({"preflop": 1}, '"table".*"odds"'),
        ({"flop": "table"}, "flop.*preflop"),
    ],
)
def test_bad_parameters_are_refused(values: dict[str, object], why: str) -> None:
    with pytest.raises(BadParameters, match=why) as refusal:
        parameters_of("fair", values)
    assert refusal.value.code == "bad_parameters"


_BREAK: dict[str, Callable[[Situation], Situation]] = {
    "short board": lambda good: good._replace(board=good.board[:2]),
    "one hole card": lambda good: good._replace(hole=good.hole[:1]),
    "no such street": lambda good: good._replace(street=4),
    "card twice": lambda good: good._replace(hole=(good.board[0], 51)),
    "no such card": lambda good: good._replace(hole=(52, 51)),
    "a stranger": lambda good: good._replace(seat=7),
    "folded": lambda good: good._replace(folded=(True, False)),
    "nobody left": lambda good: good._replace(folded=(False, True)),
    "too dear": lambda good: good._replace(legal=good.legal._replace(call=10**10)),
}


@pytest.mark.parametrize("how", _BREAK)
def test_impossible_situations_are_refused(how: str) -> None:
    good = at(LIMIT, "c c", "TcTd", "2c7dTs")
    assert FairBot(1, LIMIT).decide(good)
    with pytest.raises(SituationError) as refusal:
        FairBot(1, LIMIT).decide(_BREAK[how](good))
    assert refusal.value.code == "bad_situation"


def test_situations_of_another_game_are_refused() -> None:
    with pytest.raises(SituationError, match=r"2.*kuhn.limit.2p"):
        FairBot(1, KUHN).decide(at(LIMIT, "", "AhAd"))
    leduc = GAMES["leduc.limit.2p"]
    with pytest.raises(SituationError, match=r"1.*holdem.limit.2p.reverse_blinds"):
        FairBot(1, LIMIT).decide(situation_at(Betting(leduc), (leduc.deck[0],), ()))


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
    players = [create_strategy("random", seat, game) for seat in range(game.players)]
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
        game,
        lambda: create_strategy("fair", 1, game),
        lambda: create_strategy(villain, 2, game),
        hands=hands,
        seed=21,
    )
    assert fmean(won) > 3 * stdev(won) / sqrt(hands)
