"""Betting in a card room: one test per rule. RRP is Robert's Rules of Poker, version 11."""

from __future__ import annotations

import pytest

from dealer.rules.actions import CALL, FOLD, RAISE, raise_to
from dealer.rules.betting import Betting
from dealer.rules.errors import GameError, IllegalAction
from dealer.rules.games import Game, holdem, load_game
from dealer.rules.legal import Legal
from dealer.rules.notation import format_betting, parse_betting
from tests.dealer.rules.play import played


def table(*stacks: int, ante: int = 0, limit: bool = False) -> Betting:
    """No-limit (or 100/200 limit) hold'em with blinds of 50 and 100 and these stacks, per position."""
    return Betting(holdem(len(stacks), 50, 100, ante=ante, limit=limit), stacks)


def turns(betting: Betting) -> list[int]:
    """Who has acted so far."""
    return [position for _, position, _ in betting.history]


# Order of play


def test_three_handed_the_button_acts_first_and_then_last() -> None:
    betting = played(table(1000, 1000, 1000), "c c c c c c")
    assert turns(betting) == [2, 0, 1, 0, 1, 2]


def test_heads_up_the_button_acts_first_before_the_flop_and_last_after_it() -> None:
    betting = table(1000, 1000)
    assert betting.blinds == (100, 50)
    assert turns(played(betting, "c c c c")) == [1, 0, 0, 1]


def test_the_big_blind_has_the_option_to_raise() -> None:
    betting = played(table(1000, 1000, 1000), "c c")
    assert (betting.to_act, betting.street) == (1, 0)
    assert betting.legal() == Legal(fold=False, call=0, min_raise=200, max_raise=1000)
    assert played(betting, "r300").street == 0


def test_a_street_ends_when_all_have_answered_the_last_raise() -> None:
    betting = played(table(1000, 1000, 1000), "r200 c r500 c")
    assert (betting.street, betting.to_act) == (0, 0)
    assert played(betting, "c").street == 1


def test_who_has_folded_is_passed_over() -> None:
    betting = played(table(1000, 1000, 1000, 1000), "f c c c c c c")
    assert turns(betting) == [2, 3, 0, 1, 0, 1, 3]
    assert betting.street == 2


def test_the_hand_is_over_when_one_player_is_left() -> None:
    betting = played(table(1000, 1000, 1000), "f f")
    assert (betting.over, betting.to_act, betting.street, betting.live) == (True, -1, 0, 1)


def test_after_the_last_street_the_betting_is_over() -> None:
    betting = played(table(1000, 1000), "c c c c c c c c")
    assert (betting.over, betting.street, betting.live) == (True, 3, 2)
    assert betting.legal() == Legal(fold=False, call=0, min_raise=None, max_raise=None)


# What is legal


def test_fold_only_when_facing_a_bet() -> None:
    betting = played(table(1000, 1000), "c c")
    assert not betting.legal().fold
    with pytest.raises(IllegalAction) as caught:
        betting.act(FOLD)
    assert caught.value.code == "nothing_to_call"
    assert caught.value.legal == Legal(fold=False, call=0, min_raise=100, max_raise=900)


def test_a_call_costs_the_difference_to_the_bet() -> None:
    betting = played(table(1000, 1000, 1000), "r300")
    assert betting.legal().call == 250
    assert betting.act(CALL) == 250
    assert betting.to_call == 200


def test_a_player_calls_with_what_he_has() -> None:
    betting = played(table(1000, 1000, 150), "r150 r500")
    assert betting.legal().call == 400
    betting = played(table(120, 1000, 1000), "r500")
    assert betting.legal() == Legal(fold=True, call=70, min_raise=None, max_raise=None)
    assert betting.act(CALL) == 70
    assert betting.spent == [120, 100, 500]


def test_street_bets_and_pot_are_what_lies_on_the_table() -> None:
    betting = played(table(1000, 1000, 1000, ante=10), "r300 c c r100")
    assert betting.pot == 3 * 10 + 3 * 300 + 100
    assert [betting.street_bet(position) for position in range(3)] == [100, 0, 0]
    assert (betting.street_start, betting.bet) == (310, 410)


def test_the_smallest_bet_is_the_big_blind() -> None:
    betting = played(table(1000, 1000), "c c")
    assert (betting.legal().min_raise, betting.legal().max_raise) == (100, 900)


def test_a_raise_is_at_least_the_last_raise() -> None:
    # RRP no-limit 3.
    betting = played(table(5000, 5000, 5000), "r350")
    assert betting.legal().min_raise == 600
    assert played(betting, "r1000").legal().min_raise == 1650


def test_where_the_big_blind_rules_it_is_always_enough() -> None:
    # Aceituno 2017, 3.1.4: his example goes from 20 to 30 at blinds of 5 and 10.
    betting = Betting(holdem(4, 5, 10, stack=1000, rules="bb"))
    for raised, least in ((20, 30), (30, 40), (200, 210), (1000, None)):
        betting = played(betting, f"r{raised}")
        assert betting.legal().min_raise == least


def test_where_the_big_blind_rules_less_than_it_does_not_reopen_the_betting() -> None:
    betting = played(Betting(holdem(3, 50, 100, rules="bb"), (1050, 5000, 5000)), "r1000 r1050 f")
    assert betting.legal() == Legal(fold=True, call=50, min_raise=None, max_raise=None)


def test_the_size_of_raises_starts_again_on_every_street() -> None:
    betting = played(table(5000, 5000), "r1000 c")
    assert betting.legal().min_raise == 100


def test_a_player_may_raise_all_in_for_less_than_a_full_raise() -> None:
    betting = played(table(5000, 5000, 450), "r450")
    betting = played(table(5000, 380, 5000), "r300 f")
    assert betting.legal() == Legal(fold=True, call=200, min_raise=380, max_raise=380)


def test_who_has_no_more_than_the_bet_cannot_raise() -> None:
    betting = played(table(300, 5000, 5000), "r300")
    assert betting.legal() == Legal(fold=True, call=250, min_raise=None, max_raise=None)


def test_no_raise_when_nobody_could_answer_it() -> None:
    betting = played(table(5000, 5000, 300), "r300 c")
    assert betting.legal().min_raise == 500
    betting = played(table(5000, 200, 300), "r300")
    assert betting.legal() == Legal(fold=True, call=250, min_raise=None, max_raise=None)


@pytest.mark.parametrize(
    ("to", "code"),
    [(0, "raise_too_small"), (199, "raise_too_small"), (1001, "raise_too_large"), (-1, "raise_too_small")],
)
def test_raises_outside_the_bounds_are_refused(to: int, code: str) -> None:
    betting = table(1000, 1000, 1000)
    with pytest.raises(IllegalAction) as caught:
        betting.act(raise_to(to))
    assert caught.value.code == code
    assert caught.value.legal == betting.legal() == Legal(fold=True, call=100, min_raise=200, max_raise=1000)


# All-in for less than a full raise


def test_a_short_all_in_does_not_reopen_the_betting() -> None:
    # RRP no-limit 3.
    betting = played(table(5000, 5000, 5000, 450), "r300 r450 c c")
    assert betting.to_act == 2
    assert betting.legal() == Legal(fold=True, call=150, min_raise=None, max_raise=None)
    with pytest.raises(IllegalAction) as caught:
        betting.act(raise_to(2000))
    assert caught.value.code == "raise_not_allowed"


def test_who_has_not_acted_may_raise_a_short_all_in_by_a_full_raise() -> None:
    betting = played(table(5000, 5000, 5000, 450), "r300 r450")
    # The last full raise was from 100 to 300; RRP no-limit 4: 200 on top of the 450, not "completing" to 500.
    assert betting.legal() == Legal(fold=True, call=400, min_raise=650, max_raise=5000)


def test_a_raise_behind_a_short_all_in_reopens_the_betting() -> None:
    betting = played(table(5000, 5000, 5000, 450), "r300 r450 r650 f")
    assert betting.to_act == 2
    assert betting.legal() == Legal(fold=True, call=350, min_raise=850, max_raise=5000)


def test_short_all_ins_that_add_up_to_a_full_raise_reopen_the_betting() -> None:
    # RRP no-limit 5.
    betting = played(table(520, 5000, 5000, 400), "r300 r400 r520 c")
    assert betting.to_act == 2
    assert betting.legal() == Legal(fold=True, call=220, min_raise=720, max_raise=5000)


def test_short_all_ins_reopen_only_for_whom_they_add_up() -> None:
    betting = played(table(520, 5000, 5000, 400, 5000), "r300 r400 c r520 c")
    assert betting.to_act == 2
    assert betting.legal().min_raise == 720
    # Position 4 called the first of the two all-ins, so he faces the second only.
    betting = played(betting, "c")
    assert betting.to_act == 4
    assert betting.legal() == Legal(fold=True, call=120, min_raise=None, max_raise=None)


def test_an_all_in_below_twice_the_big_blind_does_not_reopen_for_callers() -> None:
    # The big blind is the first full bet of the hand.
    betting = played(table(5000, 5000, 5000, 150), "c r150 f")
    assert betting.legal().min_raise == 250  # the big blind has not acted
    betting = played(betting, "c")
    assert betting.to_act == 2
    assert betting.legal() == Legal(fold=True, call=50, min_raise=None, max_raise=None)


def test_an_all_in_below_the_smallest_bet_does_not_reopen_for_checkers() -> None:
    # RRP no-limit 3: it is less than the minimum bet.
    betting = played(table(5000, 5000, 140), "c c c c c r40")
    assert betting.legal() == Legal(fold=True, call=40, min_raise=None, max_raise=None)
    betting = played(table(5000, 140, 5000), "c c c c r40")
    assert betting.to_act == 2
    assert betting.legal() == Legal(fold=True, call=40, min_raise=140, max_raise=4900)


def test_a_full_all_in_raise_reopens_the_betting() -> None:
    betting = played(table(5000, 5000, 5000, 500), "r300 r500 c f")
    assert betting.legal() == Legal(fold=True, call=200, min_raise=700, max_raise=5000)


# Blinds and antes


def test_an_ante_is_not_part_of_the_street() -> None:
    betting = table(1000, 1000, 1000, ante=10)
    assert (betting.antes, betting.blinds, betting.spent) == ((10,) * 3, (50, 100, 0), [60, 110, 10])
    assert betting.legal() == Legal(fold=True, call=100, min_raise=200, max_raise=990)


def test_the_ante_is_paid_before_the_blind() -> None:
    betting = table(1000, 60, 5, 1000, ante=10)
    assert betting.antes == (10, 10, 5, 10)
    assert betting.blinds == (50, 50, 0, 0)


def test_a_big_blind_that_is_short_must_be_called_in_full() -> None:
    betting = table(1000, 30, 1000)
    assert betting.blinds == (50, 30, 0)
    assert betting.legal() == Legal(fold=True, call=100, min_raise=200, max_raise=1000)
    betting = played(betting, "c")
    assert betting.legal() == Legal(fold=True, call=50, min_raise=200, max_raise=1000)
    assert played(betting, "c").street == 1


def test_a_short_big_blind_alone_need_not_be_called_in_full() -> None:
    betting = table(70, 1000)
    assert betting.legal() == Legal(fold=True, call=20, min_raise=None, max_raise=None)
    betting = played(table(1000, 70, 1000), "f")
    assert betting.legal() == Legal(fold=True, call=20, min_raise=None, max_raise=None)


def test_who_has_covered_a_short_blind_is_not_asked() -> None:
    assert table(30, 1000).over
    assert played(table(1000, 30, 1000), "f").over


def test_all_in_from_the_blinds_there_is_no_betting() -> None:
    betting = table(100, 50)
    assert (betting.over, betting.street, betting.live) == (True, 3, 2)
    assert format_betting(betting) == "///"


def test_a_player_is_asked_only_if_he_has_something_to_decide() -> None:
    # The button calls all-in, so the big blind can neither be raised nor raise.
    betting = played(table(1000, 1000, 80), "c f")
    assert betting.over
    betting = played(table(1000, 1000, 180), "r180 f")
    assert betting.legal() == Legal(fold=True, call=80, min_raise=None, max_raise=None)
    assert played(betting, "c").over


@pytest.mark.parametrize("stacks", [(), (1000,), (1000, 0), (1000, -1), (1000, 1000, 1000), (1000, 2**31)])
def test_there_is_one_positive_stack_per_position(stacks: tuple[int, ...]) -> None:
    with pytest.raises(GameError) as caught:
        Betting(holdem(2, 50, 100), stacks)
    assert caught.value.code == "bad_stacks"


# Limit


def limit_table(*stacks: int) -> Betting:
    return Betting(holdem(len(stacks), 5, 10, limit=True), stacks)


def test_limit_raises_have_a_fixed_size() -> None:
    betting = limit_table(1000, 1000, 1000)
    assert betting.legal() == Legal(fold=True, call=10, min_raise=20, max_raise=20)
    assert betting.act(RAISE) == 20
    assert betting.act(raise_to(30)) == 25
    for to in (29, 41, 1000):
        with pytest.raises(IllegalAction) as caught:
            betting.act(raise_to(to))
        assert caught.value.code == "raise_size_fixed"
    assert betting.act(RAISE) == 30


def test_limit_bets_double_on_the_turn() -> None:
    betting = played(limit_table(1000, 1000), "c c c c")
    assert betting.legal().min_raise == 20
    assert played(betting, "r r c").legal().min_raise == 20


@pytest.mark.parametrize(("text", "street"), [("r r r", 0), ("c c r r r r", 1)])
def test_limit_raises_are_capped(text: str, street: int) -> None:
    betting = played(limit_table(1000, 1000), text)
    assert betting.street == street
    assert betting.legal().min_raise is None
    with pytest.raises(IllegalAction) as caught:
        betting.act(RAISE)
    assert caught.value.code == "raise_not_allowed"


def test_in_limit_a_short_all_in_counts_as_a_raise_but_does_not_reopen_the_betting() -> None:
    betting = played(limit_table(1000, 1000, 1000, 25), "r r f c")
    assert betting.bet == 25
    assert betting.to_act == 2
    assert betting.legal() == Legal(fold=True, call=5, min_raise=None, max_raise=None)


def test_in_limit_a_raise_over_a_short_all_in_is_a_full_raise_more() -> None:
    betting = played(limit_table(1000, 1000, 1000, 25), "r r")
    assert betting.legal() == Legal(fold=True, call=20, min_raise=35, max_raise=35)


# Texts


@pytest.mark.parametrize(
    ("game", "stacks", "text"),
    [
        (load_game("holdem.limit.3p"), None, "crcrcc/crcc/crcc/rcrcc"),
        (load_game("holdem.nolimit.2p.reverse_blinds"), None, "cr692r1284c/r19825c/cc/r19953c"),
        (load_game("holdem.nolimit.3p"), None, "r200r11690r20000cc///"),
        (holdem(3, 50, 100, ante=10), (1000, 1000, 1000), "r310c"),
    ],
)
def test_the_betting_has_a_text(game: Game, stacks: tuple[int, ...] | None, text: str) -> None:
    betting = parse_betting(game.with_rules("standard"), text, stacks)
    assert format_betting(betting) == text


def test_a_copy_goes_its_own_way() -> None:
    betting = played(table(1000, 1000), "c")
    other = betting.copy()
    assert other.key() == betting.key()
    other.act(raise_to(400))
    assert format_betting(betting) == "c"
    assert format_betting(other) == "cr400"
