from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealer.rules.actions import CALL, raise_to
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.games import holdem, load_game
from strategy.registry import create_strategy
from strategy.situation import PastAction, SituationError, parse_situation, situation_at
from tests.strategy.play import GAMES, decisions, shuffled

EXAMPLE = (
    "hand=7 seat=1 seats=1,0 button=0 stacks=20000,20000 hole=AhKd board=2c3d4h5s actions=r300c/cr200c/ "
    "game=holdem.nolimit.2p.reverse_blinds"
)


@given(st.sampled_from(sorted(GAMES)), st.integers(0, 2**32))
def test_the_observers_view_is_what_the_rules_say_and_its_text_leads_back(name: str, seed: int) -> None:
    game, random = GAMES[name], Random(seed)
    players = [create_strategy("random", seed + seat, game) for seat in range(game.players)]
    for hand, situation in decisions(game, players, shuffled(game, random), number=seed % 7):
        hole = hand.hole[hand.betting.to_act]
        expected = situation_at(
            hand.betting, hole, hand.board, hand=hand.number, seats=hand.seats, button=hand.button
        )
        assert situation == expected
        assert parse_situation(situation.text()) == situation


@given(st.sampled_from(sorted(GAMES)), st.integers(0, 2**32))
def test_what_it_says_of_chips_agrees_with_the_betting(name: str, seed: int) -> None:
    game = GAMES[name]
    players = [create_strategy("random", seed + seat, game) for seat in range(game.players)]
    for hand, situation in decisions(game, players, shuffled(game, Random(seed))):
        betting = hand.betting
        assert situation.pot == betting.pot
        assert situation.to_call == betting.to_call
        assert situation.position == betting.to_act
        assert situation.opponents == betting.live - 1
        assert situation.pot_in_reach <= situation.pot
        assert [stack + paid for stack, paid in zip(situation.stacks, situation.paid, strict=True)] == list(
            betting.stacks
        )


def test_an_example_line() -> None:
    assert parse_situation(EXAMPLE).text() == EXAMPLE
    situation = parse_situation(EXAMPLE.replace("cr200c/ ", "cr200 ").replace("4h5s", "4h"))
    assert situation.game == load_game("holdem.nolimit.2p.reverse_blinds")
    assert situation.street == 1
    assert situation.pot == 800
    assert situation.to_call == 200
    assert situation.bets == (0, 200)
    assert situation.history == (
        PastAction(0, 0, "raise", 300),
        PastAction(0, 1, "call", 300),
        PastAction(1, 1, "call", 0),
        PastAction(1, 0, "raise", 200),
    )
    assert situation.raises == 1
    assert situation.big_blind == 100
    assert situation.players == 2
    assert situation.hole == parse_cards("AhKd")


def test_a_game_that_is_in_no_file_is_written_out() -> None:
    game = holdem(3, 7, 11, ante=1, stack=500)
    situation = situation_at(Betting(game), parse_cards("AhKd"), ())
    text = situation.text()
    assert "\n" not in text
    assert parse_situation(text) == situation


def test_only_the_part_of_the_pot_that_can_be_won_is_in_reach() -> None:
    betting = Betting(holdem(3, 5, 10), (1000, 40, 1000))
    betting.act(raise_to(300))
    betting.act(CALL)
    situation = situation_at(betting, parse_cards("2c2d"), ())
    assert (situation.pot, situation.to_call) == (610, 30)
    assert situation.pot_in_reach == 40 + 10 + 40


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hand=7", "hand=x"),
        ("hand=7 ", ""),
        ("hand=7", "hand=7\n"),
        ("seat=1", "seat=0"),
        ("seats=1,0", "seats=1,1"),
        ("seats=1,0", "seats=1,0,2"),
        ("button=0", "button=5"),
        ("stacks=20000,20000", "stacks=20000"),
        ("stacks=20000,20000", "stacks=0,20000"),
        ("hole=AhKd", "hole=AhAh"),
        ("hole=AhKd", "hole=Ah"),
        ("hole=AhKd", "hole=Ah2c"),
        ("hole=AhKd", "hole=XhKd"),
        ("board=2c3d4h5s", "board=2c3d4h"),
        ("board=2c3d4h5s", "board="),
        ("actions=r300c/cr200c/", "actions=r300c/cr200c"),
        ("actions=r300c/cr200c/", "actions=r300ccr200c/"),
        ("actions=r300c/cr200c/", "actions=r300c//"),
        ("actions=r300c/cr200c/", "actions=r150c/cr200c/"),
        ("actions=r300c/cr200c/", "actions=r300f"),
        ("actions=r300c/cr200c/", "actions=c300"),
        ("actions=r300c/cr200c/", "actions=r300c/cr200c/cc/cc"),
        ("game=holdem", "game=holdup"),
        ("game=holdem.nolimit.2p.reverse_blinds", "game=mine GAMEDEF;nolimit;numPlayers = 2"),
    ],
)
def test_what_cannot_be_read_or_cannot_have_come_about_is_refused(old: str, new: str) -> None:
    assert old in EXAMPLE
    with pytest.raises(SituationError) as refusal:
        parse_situation(EXAMPLE.replace(old, new))
    assert refusal.value.code == "bad_situation"


@given(st.text())
def test_text_that_is_no_situation_is_refused(text: str) -> None:
    with pytest.raises(SituationError):
        parse_situation(text)
