"""Hands with a straddle."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from dealer.rules.actions import CALL, raise_to
from dealer.rules.betting import Betting
from dealer.rules.errors import GameError
from dealer.rules.games import Game, holdem, parse_game
from dealer.rules.legal import Legal
from tests.dealer.rules.play import any_action

FOUR = holdem(4, 50, 100, straddle=200, stack=10_000)


def test_it_is_posted_and_called_before_the_flop_and_its_player_acts_last() -> None:
    betting = Betting(FOUR)
    assert betting.blinds == (50, 100, 200, 0)
    assert (betting.to_act, betting.legal()) == (3, Legal(True, 200, 400, 10_000))
    for _ in range(3):
        betting.act(CALL)
    assert (betting.to_act, betting.to_call, betting.street) == (2, 0, 0)
    betting.act(raise_to(400))
    for _ in range(3):
        betting.act(CALL)
    # After the flop the big blind is the smallest bet again.
    assert (betting.street, betting.to_act) == (1, 0)
    assert betting.legal() == Legal(False, 0, 100, 9600)


@pytest.mark.parametrize("rules", ["standard", "bb"])
def test_before_the_flop_it_is_what_a_larger_big_blind_would_be(rules: str) -> None:
    hands = short = 0
    for seed in range(400):
        rng = Random(seed)
        players = rng.randint(4, 7)
        stacks = [rng.randint(30, rng.choice((250, 4000))) for _ in range(players)]
        game = holdem(players, 50, 100, ante=rng.choice((0, 10)), straddle=200, rules=rules)
        one, other = Betting(game, stacks), Betting(_blinds_of(game), stacks)
        hands += 1
        short += stacks[2] < 200
        while not one.over and one.street == 0:
            assert (one.to_act, one.legal()) == (other.to_act, other.legal())
            action = any_action(rng, one.legal())
            one.act(action)
            other.act(action)
        assert (one.over, one.street, one.spent) == (other.over, other.street, other.spent)
    assert hands == 400
    assert 20 < short < 380


def _blinds_of(game: Game) -> Game:
    """A game with three blinds, the last of which is the straddle."""
    return replace(game, straddle=0, blinds=game.posts)


@pytest.mark.parametrize("players", [2, 3])
def test_a_few_players_have_none(players: int) -> None:
    assert holdem(players, 50, 100, straddle=200) == holdem(players, 50, 100)


def test_its_game_has_a_text() -> None:
    assert "straddle = 200\n" in FOUR.text()
    assert parse_game(FOUR.text(), FOUR.name) == FOUR
    assert hash(FOUR) != hash(replace(FOUR, straddle=0))


@pytest.mark.parametrize(
    "wrong",
    [
        {"straddle": 100},
        {"straddle": -1},
        {"straddle": 10_001},
        {"rules": "acpc"},
        {"rules": "pushfold"},
        {"blinds": (50, 100, 1, 0)},
    ],
)
def test_what_is_no_straddle_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(GameError) as refused:
        replace(FOUR, **wrong)  # type: ignore[arg-type]
    assert refused.value.code == "bad_straddle"


def test_limit_games_and_small_tables_have_none() -> None:
    for game in (holdem(4, 5, 10, limit=True), holdem(3, 5, 10)):
        with pytest.raises(GameError) as refused:
            replace(game, straddle=20)
        assert refused.value.code == "bad_straddle"
