"""What is remembered of the others."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from dealer.rules.cards import parse_cards
from dealer.rules.events import Acted, BoardDealt, Event, HandStarted, Shown
from strategy.adaptive.profile import Profiles

START = HandStarted(1, (0, 1, 2), 2, (1000, 1000, 1000), (0, 0, 0), (5, 10, 0), ((), (), (3, 7)))


def acted(seat: int, action: str, to: int = 0) -> Acted:
    return Acted(seat, action, to, to, False)


def profiles(*hands: Sequence[Event]) -> Profiles:
    found = Profiles(own_seat=2)
    for hand in hands:
        for event in (START, *hand):
            found.observe(event)
    return found


def test_a_stranger_is_taken_for_an_ordinary_player() -> None:
    nobody = Profiles()
    assert nobody.fold_rate(0, late=False) == pytest.approx(0.35)
    assert nobody.raise_rate(0, late=True) == pytest.approx(0.2)
    assert nobody.all_fold([0, 1], late=False) == pytest.approx(0.35**2)


def test_who_always_folds_is_known_after_a_while() -> None:
    seen = profiles(*[[acted(2, "raise", 30), acted(0, "fold"), acted(1, "call", 30)]] * 50)
    assert seen.fold_rate(0, late=False) > 0.9
    assert seen.fold_rate(1, late=False) < 0.1
    assert seen.fold_rate(0, late=True) == pytest.approx(0.35)
    assert seen.all_fold([0, 1], late=False) == pytest.approx(
        seen.fold_rate(0, late=False) * seen.fold_rate(1, late=False)
    )


def test_a_check_is_no_answer_to_a_bet() -> None:
    flop = BoardDealt(1, (1, 2, 3))
    call_and_check: list[Event] = [
        acted(2, "call", 10),
        acted(0, "call", 10),
        acted(1, "call", 10),
        flop,
        acted(0, "call"),
    ]
    seen = profiles(*[call_and_check] * 50)
    # The big blind has nothing to pay, nor has anybody on the flop.
    assert seen.fold_rate(1, late=False) == pytest.approx(0.35)
    assert seen.fold_rate(0, late=True) == pytest.approx(0.35)
    assert seen.fold_rate(0, late=False) < 0.1
    assert seen.raise_rate(0, late=True) < 0.1


def test_the_table_is_as_aggressive_as_the_others_are() -> None:
    raises = [acted(0, "raise", 20), acted(1, "raise", 40)]
    assert profiles(*[raises] * 100).aggression > 0.95
    assert profiles(*[[acted(0, "fold"), acted(1, "call", 10)]] * 100).aggression < 0.05
    assert profiles(*[[acted(2, "raise", 20)]] * 100).aggression == pytest.approx(
        0.2
    )  # his own count for nothing


def bet_twice_and_called(raised: tuple[int, ...] = (), called: tuple[int, ...] = ()) -> list[Event]:
    """A bet before and one after the flop, both called, and the cards that each player shows."""
    return [
        acted(0, "raise", 30),
        acted(1, "call", 30),
        BoardDealt(1, parse_cards("Kc7s2h")),
        acted(0, "raise", 60),
        acted(1, "call", 60),
        Shown(((0, raised), (1, called))),
    ]


def test_a_bluff_is_a_bet_whose_hand_turns_out_weak() -> None:
    bluffs, bets = (
        profiles(*[bet_twice_and_called(raised=parse_cards(hole))] * 50) for hole in ("9d3h", "AhKd")
    )
    for late in (False, True):
        assert bluffs.bluff_rate(0, late=late) > 0.8
        assert bets.bluff_rate(0, late=late) < 0.1
        # Who mucks, or only called, has shown no bet.
        assert bluffs.bluff_rate(1, late=late) == pytest.approx(0.2)


def test_a_hand_that_improves_was_still_a_bluff_when_it_bet() -> None:
    hand: list[Event] = [
        acted(1, "call", 10),
        BoardDealt(1, parse_cards("Kc7s2h")),
        acted(0, "raise", 60),
        BoardDealt(2, parse_cards("4c")),
        BoardDealt(3, parse_cards("4h")),
        acted(0, "raise", 60),
        Shown(((0, parse_cards("4d3d")),)),
    ]
    seen = profiles(*[hand] * 50)
    assert seen.bluff_rate(0, late=True) == pytest.approx(0.5, abs=0.05)
    assert seen.bluff_rate(0, late=False) == pytest.approx(0.2)


def test_loose_calls_are_those_that_were_shown() -> None:
    loose, tight = (
        profiles(*[bet_twice_and_called(called=parse_cards(hole))] * 50) for hole in ("9d3h", "AhKd")
    )
    for late in (False, True):
        assert loose.loose_rate([1], late=late) > 0.8
        assert tight.loose_rate([1], late=late) < 0.1
        # Who mucks is as unknown; of several it is the mean.
        assert loose.loose_rate([0], late=late) == pytest.approx(0.3)
        two = (loose.loose_rate([1], late=late) + 0.3) / 2
        assert loose.loose_rate([0, 1], late=late) == pytest.approx(two)


def test_to_check_is_no_loose_call() -> None:
    hand: list[Event] = [
        BoardDealt(1, parse_cards("Kc7s2h")),
        acted(1, "call", 0),
        Shown(((1, parse_cards("9d3h")),)),
    ]
    assert profiles(*[hand] * 50).loose_rate([1], late=True) == pytest.approx(0.3)
