from __future__ import annotations

import pytest

from strategy.loki.odds import BET_AT, RAISE_AT, BettingThresholds, HandValue, decide, pot_odds, showdown_odds
from strategy.loki.views import View

RULES = BettingThresholds()
STRONG = HandValue(0.9, 0.0, 0.1)
GOOD = HandValue(0.6, 0.1, 0.1)
WEAK = HandValue(0.2, 0.05, 0.3)
DRAW = HandValue(0.2, 0.35, 0.1)


def view(
    to_call: int, *, street: int = 1, bets: int | None = None, price: float = 0.25, called: bool = False
) -> View:
    return View(
        street, 0, to_call if bets is None else bets, to_call, price if to_call else 0.0, 0.25, called, 1, 1
    )


def test_thresholds() -> None:
    assert (BET_AT, RAISE_AT) == (0.5, 0.85)


def test_pot_odds_of_the_example() -> None:
    # Peña 1999, 3.2.2: 4 into a pot of 20; a chance of .25 earns 2 a hand.
    odds = pot_odds(4, 20)
    assert odds == pytest.approx(0.167, abs=0.001)
    assert 0.25 * 20 - 0.75 * 4 == 2
    assert odds < 0.25
    assert odds * 20 - (1 - odds) * 4 == pytest.approx(0)
    assert pot_odds(0, 20) == 0


def test_showdown_odds_count_the_bets_to_come() -> None:
    assert showdown_odds(4, 20, 0) == pot_odds(4, 20)
    assert showdown_odds(10, 40, 40) == pytest.approx(50 / 130)


def test_ehs_of_the_hand() -> None:
    assert GOOD.ehs == pytest.approx(0.6 + 0.4 * 0.1)
    assert GOOD.win == pytest.approx(0.6 * 0.9 + 0.4 * 0.1)


@pytest.mark.parametrize(
    ("hand", "seen", "kind"),
    [
        (STRONG, view(0), "raise"),
        (STRONG, view(1), "raise"),
        (STRONG, view(2), "call"),  # raised when fewer than two bets were made
        (STRONG, view(1, bets=3), "call"),
        (GOOD, view(0), "raise"),
        (GOOD, view(1), "call"),
        (GOOD, view(2, price=0.4), "fold"),
        (GOOD, view(2, price=0.4, called=True), "call"),
        (WEAK, view(0), "call"),
        (WEAK, view(1), "fold"),
        (WEAK, view(1, price=0.04), "call"),  # pot odds by PPot
        (WEAK, view(1, street=3, price=0.15), "call"),  # on the river by HS
        (WEAK, view(1, street=3), "fold"),
        (DRAW, view(1, price=0.3), "call"),
    ],
)
def test_rules(hand: HandValue, seen: View, kind: str) -> None:
    assert decide(hand, seen, RULES, showdown=1.0) == (kind, False)


def test_showdown_odds_save_a_hand_that_pot_odds_do_not() -> None:
    hand = HandValue(0.4, 0.1, 0.1)
    assert hand.ppot < 0.25
    assert decide(hand, view(1), RULES, showdown=0.45)[0] == "fold"
    assert decide(hand, view(1), RULES, showdown=0.40)[0] == "call"


def test_a_draw_that_pays_for_a_raise_is_bet_and_bet_on() -> None:
    assert decide(DRAW, view(0), RULES, showdown=1.0) == ("raise", True)
    assert decide(WEAK, view(0, street=2), RULES, showdown=1.0) == ("call", False)
    assert decide(WEAK, view(0, street=2), RULES, showdown=1.0, bluffing=True) == ("raise", True)
    assert decide(WEAK, view(1, street=2), RULES, showdown=1.0, bluffing=True) == ("fold", False)
