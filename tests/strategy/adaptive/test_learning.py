"""Learning: the examples, the table of steps, and what the results tell (Aceituno 2017, 4.3 and 6.2)."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategy.adaptive.learning import (
    ActionStatistics,
    ActionTotal,
    HandVector,
    Thresholds,
    learn,
    move_threshold,
)

START = Thresholds(0.6, 0.25)
STEPS = (0.05,) * 4

#: 4.3.2. In 4.3.3 the flop of the second hand is a call, which is a slip: nothing else changes.
FOUR_HANDS = (
    HandVector(("call", "call", "fold", ""), -50),
    HandVector(("call", "raise", "raise", "call"), 150),
    HandVector(("fold", "", "", ""), 0),
    HandVector(("call", "call", "call", "call"), -150),
)


def test_the_four_hands_lose_50_and_so_change_the_strategy() -> None:
    ledger = ActionStatistics(FOUR_HANDS)
    assert (ledger.hands, ledger.chips) == (4, -50)
    assert learn(START, ledger, STEPS, 0.01) != START


@pytest.mark.parametrize("flop", ["raise", "call"])
def test_the_balances_of_the_four_hands(flop: str) -> None:
    hands = list(FOUR_HANDS)
    hands[1] = HandVector(("call", flop, "raise", "call"), 150)
    ledger = ActionStatistics(hands)
    assert ledger.balance(0, "call") == ActionTotal(3, -50)
    assert ledger.balance(0, "fold") == ActionTotal(1, 0)
    assert ledger.balance(1, "call") == (ActionTotal(2, -200) if flop == "raise" else ActionTotal(3, -50))
    assert ledger.balance(2, "raise") == ActionTotal(1, 150)
    assert ledger.balance(3, "call") == ActionTotal(2, 0)
    assert ledger.balance(3, "raise") == ActionTotal(0, 0)
    assert ledger.chips == -50


def test_the_four_hands_move_the_thresholds() -> None:
    # Preflop calls lost: Fold up. Flop: raises won, Raise down; calls lost, Fold up. Turn: the raise won, the
    # call lost. River: calls are even.
    assert learn(START, ActionStatistics(FOUR_HANDS), STEPS, 0.01) == Thresholds(0.5, 0.4)


def test_the_hundred_hands() -> None:
    """4.3.4: the sample says 100 hands and has 85."""
    preflop = {"fold": (10, -100), "call": (70, 100), "raise": (5, -300)}
    hands = [
        HandVector((action, "", "", ""), chips / times)
        for action, (times, chips) in preflop.items()
        for _ in range(times)
    ]
    ledger = ActionStatistics(hands)
    assert ledger.hands == 85
    assert ledger.chips == pytest.approx(-300)
    for action, (times, chips) in preflop.items():
        assert ledger.balance(0, action).times == times
        assert ledger.balance(0, action).chips == pytest.approx(chips)
    assert learn(START, ledger, STEPS, 0.01) == Thresholds(0.65, 0.2)


@pytest.mark.parametrize(
    ("action", "chips", "expected"),
    [
        ("raise", 100, Thresholds(0.55, 0.25)),
        ("raise", -100, Thresholds(0.65, 0.25)),
        ("call", 100, Thresholds(0.6, 0.2)),
        ("call", -100, Thresholds(0.6, 0.3)),
        ("fold", -100, START),
    ],
)
@pytest.mark.parametrize("street", range(4))
def test_the_table_of_steps(street: int, action: str, chips: float, expected: Thresholds) -> None:
    actions = ["", "", "", ""]
    actions[street] = action
    # A hand without an action of its own makes the sum negative.
    ledger = ActionStatistics([HandVector(tuple(actions), chips), HandVector(("", "", "", ""), -1000)])
    assert learn(START, ledger, STEPS, 0.01) == expected


def test_each_street_may_have_its_own_step() -> None:
    ledger = ActionStatistics([HandVector(("call", "call", "", ""), -10)])
    assert learn(START, ledger, (0.1, 0.02, 0, 0), 0.01) == Thresholds(0.6, 0.37)


@pytest.mark.parametrize("chips", [0, 1])
def test_who_has_not_lost_goes_on_as_he_is(chips: int) -> None:
    ledger = ActionStatistics(
        [HandVector(("raise", "", "", ""), -10), HandVector(("call", "", "", ""), 10 + chips)]
    )
    assert learn(START, ledger, STEPS, 0.01) == START


@given(
    st.lists(st.tuples(st.sampled_from(["raise", "call"]), st.booleans()), max_size=60),
    st.sampled_from([0.02, 0.04, 0.05, 0.06, 0.08, 0.1]),
    st.sampled_from([0.01, 0.05, 0.2]),
)
def test_thresholds_stay_on_their_lattice_below_1_and_apart(
    moves: list[tuple[str, bool]], step: float, gap: float
) -> None:
    thresholds = START
    for action, up in moves:
        thresholds = move_threshold(thresholds, action, step if up else -step, gap)
        assert 0 <= thresholds.fold_below <= thresholds.raise_at - gap + 1e-9
        assert thresholds.raise_at < 1
        for now, start in zip(thresholds, START, strict=True):
            steps = (now - start) / step
            assert steps == pytest.approx(round(steps), abs=1e-6)


#: Prueba 1 and 2: start, mu, and the thresholds that the document found in the end.
FINALS = [
    ((0.6, 0.25), 0.05, (0.55, 0.3)),
    ((0.6, 0.25), 0.05, (0.95, 0.9)),
    ((0.6, 0.25), 0.05, (0.6, 0.25)),
    ((0.55, 0.3), 0.1, (0.95, 0.9)),
    ((0.55, 0.3), 0.08, (0.95, 0.94)),
    ((0.55, 0.3), 0.06, (0.97, 0.96)),
    ((0.55, 0.3), 0.04, (0.43, 0.42)),
    ((0.55, 0.3), 0.02, (0.55, 0.3)),
]


@pytest.mark.parametrize(("start", "mu", "final"), FINALS)
def test_every_final_of_the_document_can_be_reached(
    start: tuple[float, float], mu: float, final: tuple[float, float]
) -> None:
    reached = {Thresholds(*start)}
    ahead = list(reached)
    while ahead:
        here = ahead.pop()
        for action, step in product(("raise", "call"), (mu, -mu)):
            there = move_threshold(here, action, step, 0.01)
            if there not in reached:
                reached.add(there)
                ahead.append(there)
    assert Thresholds(*final) in reached
    # Where a loser ends: one more step up is refused to both.
    if final[0] > 0.9:
        assert move_threshold(Thresholds(*final), "call", mu, 0.01) == final
        assert move_threshold(Thresholds(*final), "raise", mu, 0.01) == final
