"""What counts as entering, raising, aggression and a showdown, on hands that were counted by hand."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest

from dealer.deck import parse_deal, secure_deals
from dealer.ratings.style import StyleCounts, StyleTally, count_hand, count_stored, position_names
from dealer.records.journal import hand_line
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.events import Acted, ends_of
from dealer.rules.games import Game, holdem
from dealer.rules.hand import AllIns, HandState
from tests.dealer.records.played import random_action, random_hand, random_holdem

TWO = holdem(2, 5, 10, stack=200)
THREE = holdem(3, 5, 10, stack=200)
DEALT = {TWO: "5d5c|9hQd/8dAs8s/4h/6d", THREE: "5d5c|9hQd|2c2d/8dAs8s/4h/6d"}


def counted(game: Game, *actions: Action, seats: tuple[int, ...] | None = None) -> list[StyleCounts]:
    hand = HandState(game, parse_deal(DEALT[game], game), seats=seats)
    for action in actions:
        hand.act(action)
    assert hand.over
    return count_hand(hand.events)


def test_a_walk_is_no_decision_of_the_big_blind() -> None:
    # Heads-up the button acts first; position 0 is the big blind.
    big, button = counted(TWO, FOLD)
    assert big == StyleCounts(hands=1)
    assert button == StyleCounts(hands=1, decided=1)


def test_a_check_in_the_big_blind_does_not_enter_the_pot() -> None:
    # The button limps and calls a bet on the flop; the turn is checked, and the big blind folds the river.
    big, button = counted(TWO, CALL, CALL, raise_to(20), CALL, CALL, CALL, CALL, raise_to(20), FOLD)
    assert big == StyleCounts(hands=1, decided=1, flops=1, bets=1, folds=1)
    assert button == StyleCounts(hands=1, decided=1, entered=1, flops=1, bets=1, calls=1)


def test_all_in_before_the_flop_sees_the_flop_and_the_showdown() -> None:
    # Three-handed the button is first: he raises, the small blind goes all in, the big blind folds.
    small, big, button = counted(THREE, raise_to(30), raise_to(200), FOLD, CALL)
    both = StyleCounts(hands=1, decided=1, entered=1, raised=1, flops=1, showdowns=1)
    # Fives beat deuces. A raise of two raises is no 3-bet, and the big blind had no chance to one.
    assert (small, button) == (both._replace(won=1, faced=1, reraised=1), both)
    assert big == StyleCounts(hands=1, decided=1)


def test_an_all_in_for_all_that_one_has_is_no_chance_to_3_bet() -> None:
    small, big, button = counted(THREE, raise_to(200), CALL, FOLD)
    both = StyleCounts(hands=1, decided=1, entered=1, flops=1, showdowns=1)
    assert (small, button) == (both._replace(won=1), both._replace(raised=1))
    assert big == StyleCounts(hands=1, decided=1)


def test_a_call_of_a_raise_is_a_chance_to_3_bet_that_was_not_taken() -> None:
    # The button limps, the small blind raises, the big blind folds, and the button calls; the flop is bet.
    small, big, button = counted(THREE, CALL, raise_to(30), FOLD, CALL, raise_to(20), FOLD)
    assert small == StyleCounts(hands=1, decided=1, entered=1, raised=1, flops=1, bets=1)
    assert big == StyleCounts(hands=1, decided=1, faced=1)
    assert button == StyleCounts(hands=1, decided=1, entered=1, faced=1, flops=1, folds=1)


def test_a_raise_and_a_call_before_the_flop_are_one_hand() -> None:
    # The button raises, is raised again, and calls; then he raises a bet on the flop, which ends the hand.
    play = (raise_to(20), raise_to(60), CALL, raise_to(40), raise_to(80), FOLD)
    big, button = counted(TWO, *play)
    assert big == StyleCounts(
        hands=1, decided=1, entered=1, raised=1, faced=1, reraised=1, flops=1, bets=1, folds=1
    )
    assert button == StyleCounts(hands=1, decided=1, entered=1, raised=1, flops=1, bets=1)
    assert big.plus(button) == StyleCounts(2, 2, 2, 2, 1, 1, 2, 2, 0, 1)


@pytest.mark.parametrize(
    "all_ins", [AllIns(equity=True), AllIns(agreed=(0, 1), spare=lambda: (0, 1, 2, 3, 4))]
)
def test_no_showdown_where_pots_are_divided_by_equity(all_ins: AllIns) -> None:
    hand = HandState(TWO, parse_deal(DEALT[TWO], TWO), all_ins=all_ins)
    for action in (raise_to(200), CALL):
        hand.act(action)
    rows = count_hand(hand.events)
    assert [row.showdowns for row in rows] == [int(not all_ins.equity)] * 2
    tallies = [StyleTally(), StyleTally()]
    count_stored(json.loads(hand_line(hand.events)), tallies, 10)
    assert [tally.counts() for tally in tallies] == rows


def test_a_straddle_is_not_entered_of_one_s_own_will() -> None:
    # The button raises it, the blinds fold, and so does the straddler, who had a chance to 3-bet.
    game = holdem(4, 5, 10, straddle=20, stack=500)
    hand = HandState(game, parse_deal("AhAd|KhKs|2c7s|9c9d/KdQs2h/3s/7c", game))
    for action in (raise_to(40), FOLD, FOLD, FOLD):
        hand.act(action)
    small, big, straddler, button = count_hand(hand.events)
    assert small == big == straddler == StyleCounts(hands=1, decided=1, faced=1)
    assert button == StyleCounts(hands=1, decided=1, entered=1, raised=1)


def test_seats_do_not_matter_only_positions() -> None:
    play = (raise_to(30), raise_to(200), FOLD, CALL)
    assert counted(THREE, *play, seats=(2, 0, 1)) == counted(THREE, *play)


def test_shares_are_of_what_the_trade_divides_by() -> None:
    counts = StyleCounts(
        hands=100, decided=80, entered=40, raised=20, faced=10, reraised=4, flops=50, bets=30,
        calls=15, folds=15, showdowns=25, won=15,
    )  # fmt: skip
    assert counts.shares() == {
        "vpip": 0.5,
        "pfr": 0.25,
        "three_bet": 0.4,
        "aggression": 0.5,
        "went_to_showdown": 0.5,
        "won_at_showdown": 0.6,
    }
    assert set(StyleCounts(hands=1).shares().values()) == {None}


def test_of_many_hands_the_counts_agree_with_each_other() -> None:
    source = Random(3)
    for number in range(300):
        hand = random_hand(random_holdem(source, limit=bool(number % 2)), source, number)
        rows = count_hand(hand.events)
        shown = [row for row in rows if row.showdowns]
        assert len(shown) != 1
        assert bool(shown) == any(row.won for row in rows)
        for row in rows:
            assert row.reraised <= row.raised <= row.entered <= row.decided <= row.hands == 1
            assert row.won <= row.showdowns <= 1
            assert row.folds <= row.flops


def counted_by_the_rules(game: Game, source: Random, number: int) -> tuple[HandState, list[StyleCounts]]:
    """A hand played at random, and what is counted while it is played, by what the rules allow."""
    deal = secure_deals(source.randbytes(32), 0, game).deal(number)
    hand = HandState(game, deal, number=number)
    rows = [Counter({"hands": 1}) for _ in range(game.players)]
    raisers: list[int] = []
    while not hand.over:
        place = hand.to_act
        assert place is not None
        row, action, street = rows[place], random_action(hand, source), hand.betting.street
        if not street:
            if len(raisers) == 1 and raisers[0] != place and hand.legal().max_raise is not None:
                row["faced"] = 1
                row["reraised"] |= action.kind == "raise"
            raisers += [place] * (action.kind == "raise")
            row["raised"] |= action.kind == "raise"
            row["decided"] = 1
        [done, *_] = [event for event in hand.act(action) if isinstance(event, Acted)]
        if not street:
            row["entered"] |= done.paid > 0
        elif action.kind != "call" or done.paid:
            row[{"raise": "bets", "call": "calls", "fold": "folds"}[action.kind]] += 1
    started, ended = ends_of(hand.events)
    folded, early, flop = set[int](), set[int](), False
    for event in hand.events:
        flop |= event.kind == "board_dealt"
        if isinstance(event, Acted) and event.action == "fold":
            folded.add(event.seat)
            if not flop:
                early.add(event.seat)
    for seat, row in zip(started.seats, rows, strict=True):
        row["flops"] = flop and seat not in early
        row["showdowns"] = len(folded) < game.players - 1 and seat not in folded
        row["won"] = row["showdowns"] and any(seat == who for pot in ended.pots for who, _ in pot.wins)
    return hand, [StyleCounts(**{key: int(value) for key, value in row.items()}) for row in rows]


def test_the_counts_of_1000_hands_are_those_that_the_rules_tell_while_they_are_played() -> None:
    source = Random(23)
    total = StyleCounts()
    for number in range(1000):
        hand, rows = counted_by_the_rules(random_holdem(source, limit=bool(number % 2)), source, number)
        assert count_hand(hand.events) == rows
        tallies = [StyleTally() for _ in rows]
        count_stored(json.loads(hand_line(hand.events)), tallies, 10)
        assert [tally.counts() for tally in tallies] == rows
        assert [tally.blinds for tally in tallies] == [chips / 10 for chips in hand.values]
        for row in rows:
            total = total.plus(row)
    assert all(total), "each is seen"


@pytest.mark.parametrize(
    ("players", "names"),
    [
        (2, "BB BTN"),
        (3, "SB BB BTN"),
        (4, "SB BB UTG BTN"),
        (5, "SB BB UTG CO BTN"),
        (6, "SB BB UTG HJ CO BTN"),
        (9, "SB BB UTG UTG+1 UTG+2 LJ HJ CO BTN"),
        (10, "SB BB UTG UTG+1 UTG+2 UTG+3 LJ HJ CO BTN"),
    ],
)
def test_positions_have_the_names_of_the_trade(players: int, names: str) -> None:
    assert position_names(players) == tuple(names.split())
