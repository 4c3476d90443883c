"""Betting as the ACPC reference dealer 1.0.42 does it, where that differs from a card room."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dealer.rules.actions import CALL, RAISE
from dealer.rules.betting import Betting
from dealer.rules.errors import ActionError, IllegalAction, RulesError
from dealer.rules.games import Game, holdem, load_game
from dealer.rules.hand import HandState
from dealer.rules.legal import Legal
from dealer.rules.notation import format_betting, parse_betting
from tests.dealer.rules.play import cards, played

NO_LIMIT = load_game("holdem.nolimit.3p")
LIMIT = load_game("holdem.limit.2p.reverse_blinds")


def test_the_smallest_raise_starts_at_twice_the_big_blind() -> None:
    assert Betting(NO_LIMIT).legal() == Legal(fold=True, call=100, min_raise=200, max_raise=20000)


def test_without_blinds_the_smallest_bet_is_one_chip() -> None:
    game = replace(NO_LIMIT, blinds=(0, 0, 0))
    assert Betting(game).legal() == Legal(fold=False, call=0, min_raise=1, max_raise=20000)
    assert played(Betting(game), "r7 c c").legal().min_raise == 1


def test_a_new_street_begins_with_the_big_blind_as_smallest_bet() -> None:
    assert played(Betting(NO_LIMIT), "r5000 c c").legal().min_raise == 100


def test_the_smallest_raise_never_shrinks_within_a_street() -> None:
    # After 1000 over 100 the smallest raise is to 1900; an all-in of 1500 leaves it there.
    game = replace(NO_LIMIT, stacks=(1500, 20000, 20000))
    betting = played(Betting(game), "r1000")
    assert betting.legal().min_raise == 1500
    betting.act(CALL)
    betting = played(Betting(game), "r1000 r1500")
    assert betting.legal() == Legal(fold=True, call=1400, min_raise=2000, max_raise=20000)
    assert parse_betting(game.with_rules("standard"), "r1000r1500").legal().min_raise == 2400
    # A smaller one would shrink it to 1400, if it could.
    game = replace(NO_LIMIT, stacks=(1200, 20000, 20000))
    assert played(Betting(game), "r1000 r1200").legal().min_raise == 1900


def test_a_short_all_in_reopens_the_betting() -> None:
    game = replace(NO_LIMIT, stacks=(1500, 20000, 20000))
    betting = played(Betting(game), "r1000 r1500 c")
    assert betting.to_act == 2
    assert betting.legal() == Legal(fold=True, call=500, min_raise=2000, max_raise=20000)
    assert parse_betting(game.with_rules("standard"), "r1000r1500c").legal().min_raise is None


def test_with_one_player_able_to_act_there_is_no_raise() -> None:
    betting = played(Betting(NO_LIMIT), "r20000 f")
    assert betting.legal() == Legal(fold=True, call=19900, min_raise=None, max_raise=None)


def test_the_last_player_with_chips_is_asked_even_with_nothing_to_decide() -> None:
    game = replace(NO_LIMIT, stacks=(20000, 20000, 100))
    betting = played(Betting(game), "c f")
    assert betting.to_act == 1
    assert betting.legal() == Legal(fold=False, call=0, min_raise=None, max_raise=None)
    assert format_betting(played(betting, "c")) == "cfc///"


def test_a_raise_is_legal_though_nobody_has_more_chips() -> None:
    # Two players have chips left, which is all the reference asks for; in a card room this raise is none.
    game = replace(NO_LIMIT, stacks=(20000, 300, 400))
    assert played(Betting(game), "r400").legal() == Legal(fold=True, call=350, min_raise=700, max_raise=20000)
    assert parse_betting(game.with_rules("standard"), "r400").legal().min_raise is None


def test_a_street_has_room_for_64_actions() -> None:
    game = replace(NO_LIMIT, players=2, blinds=(2, 1), stacks=(10**6,) * 2, first_player=(1, 0, 0, 0))
    betting = Betting(game)
    for _ in range(62):
        smallest = betting.legal().min_raise
        assert smallest is not None
        played(betting, f"r{smallest}")
    assert betting.legal().min_raise == 128
    played(betting, "r128")
    assert betting.legal().min_raise is None
    assert parse_betting(game.with_rules("standard"), format_betting(betting)).legal().min_raise == 130


def lowered() -> Game:
    return replace(
        load_game("holdem.limit.3p"), stacks=(100, 100, 12), blinds=(10, 20, 0), first_player=(0, 0, 0, 0)
    )


def test_a_limit_raise_by_a_player_with_less_than_the_bet_lowers_the_bet() -> None:
    # Observed on the reference dealer: ccrcc is worth -12|-12|24.
    hand = HandState(lowered(), cards("2c3d|2d3c|AhAd", "KhQs9h/7c/6d"))
    paid = [hand.betting.act(action) for action in (CALL, CALL, RAISE, CALL, CALL)]
    assert paid == [10, 0, 12, -8, -8]
    hand = HandState(lowered(), cards("2c3d|2d3c|AhAd", "KhQs9h/7c/6d"))
    for action in (CALL, CALL, RAISE, CALL, CALL):
        hand.act(action)
    assert hand.betting.street == 1
    assert format_betting(hand.betting) == "ccrcc/"
    while not hand.over:
        hand.act(CALL)
    assert hand.values == (-12, -12, 24)


def test_a_lowered_bet_costs_nothing_to_call() -> None:
    betting = played(Betting(lowered()), "c c r")
    assert betting.legal() == Legal(fold=False, call=0, min_raise=22, max_raise=22)


def test_in_a_card_room_that_raise_is_a_call() -> None:
    betting = played(Betting(lowered().with_rules("standard")), "c c")
    assert betting.legal() == Legal(fold=True, call=12, min_raise=None, max_raise=None)


# Texts


@pytest.mark.parametrize(
    "text", ["", "c", "cc/", "cc/cc/cc/rc", "rrrc/rrrrc/", "f", "crf", "rrrc/rrrrc/rrrrc/rrrrc"]
)
def test_limit_betting_parses_back(text: str) -> None:
    assert format_betting(parse_betting(LIMIT, text)) == text


@pytest.mark.parametrize(
    "text", ["", "r200", "cr692r1284", "ccc/r261", "r200r11690r20000cc///", "fr20000c///"]
)
def test_no_limit_betting_parses_back(text: str) -> None:
    assert format_betting(parse_betting(NO_LIMIT, text)) == text


@pytest.mark.parametrize(
    ("game", "text", "code"),
    [
        (LIMIT, "/", "wrong_street"),
        (LIMIT, "cc", "wrong_street"),
        (LIMIT, "ccc", "wrong_street"),
        (LIMIT, "c/c", "wrong_street"),
        (LIMIT, "cc//", "wrong_street"),
        (LIMIT, "f/", "wrong_street"),
        (LIMIT, "x", "unknown_action"),
        (LIMIT, "c c", "unknown_action"),
        (LIMIT, "20", "unknown_action"),
        (LIMIT, "r20", "bad_amount"),
        (LIMIT, "rrrr", "raise_not_allowed"),
        (LIMIT, "cc/f", "nothing_to_call"),
        (LIMIT, "ff", "hand_over"),
        (NO_LIMIT, "r", "raise_too_small"),
        (NO_LIMIT, "r0", "bad_amount"),
        (NO_LIMIT, "r199", "raise_too_small"),
        (NO_LIMIT, "r20001", "raise_too_large"),
        (NO_LIMIT, "ccc/r100", "raise_too_small"),
        (NO_LIMIT, "r20000cc//", "wrong_street"),
        (NO_LIMIT, "r20000r20000", "raise_not_allowed"),
    ],
)
def test_other_text_is_no_betting(game: Game, text: str, code: str) -> None:
    with pytest.raises(RulesError) as caught:
        parse_betting(game, text)
    assert caught.value.code == code


def test_errors_say_whether_it_was_no_action_or_no_legal_one() -> None:
    with pytest.raises(ActionError):
        parse_betting(LIMIT, "x")
    with pytest.raises(IllegalAction):
        parse_betting(LIMIT, "ff")


def test_stacks_of_the_table_take_the_place_of_the_games() -> None:
    game = holdem(3, 50, 100, stack=20000, rules="acpc")
    betting = Betting(game, (300, 400, 500))
    assert betting.legal().max_raise == 500
    assert format_betting(played(betting, "r500 c c")) == "r500cc///"
