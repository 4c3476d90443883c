from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from strategy.loki.triples import (
    EXAMPLE,
    OTHERS,
    ROWS,
    BadTriple,
    Rows,
    Triple,
    choose,
    make_triple,
    triple,
    triples,
)


def test_the_example_of_the_document() -> None:
    # Peña 1999, 4.1, formula 1.
    assert EXAMPLE.at(0.76) == (0, 0.25, 0.75)
    assert EXAMPLE.at(0.75) == EXAMPLE.at(0.51) == (0.20, 0.80, 0)
    assert EXAMPLE.at(0.5)[:1] == (0.5,)
    for row in EXAMPLE:
        assert sum(row) == pytest.approx(1)


def test_its_third_row_as_printed_is_refused() -> None:
    with pytest.raises(BadTriple, match=r"0\.9") as refusal:
        make_triple((0.50, 0.40, 0))
    assert refusal.value.code == "bad_triple"


@pytest.mark.parametrize("values", [(1.2, -0.2, 0), (0.5, 0.5), (float("nan"), 0.5, 0.5), (1, 1, 0)])
def test_what_is_no_triple_is_refused(values: tuple[float, ...]) -> None:
    with pytest.raises(BadTriple):
        make_triple(values)


@pytest.mark.parametrize("rows", [ROWS, OTHERS], ids=["own", "others"])
def test_all_rows_are_triples(rows: Rows) -> None:
    for row in rows.reshape(-1, 3):
        make_triple(tuple(row))
    # Who can check does not fold.
    assert not rows[[0, 5], :, 0].any()


def test_own_bluffs_are_for_those_who_have_checked() -> None:
    # Peña 1999, 4.2.1: play that is not to be foreseen.
    def bets(rows: Rows, waiting: int, strength: float = 0.1) -> float:
        return triple(rows, strength, 0.0, 3, 0, 0, False, waiting, 0.0, 0.3, 0.5, 0.85)[2]

    assert bets(OTHERS, 0) == bets(OTHERS, 2) < 0.2 < bets(ROWS, 2) < bets(ROWS, 0) < 1
    assert bets(ROWS, 0, 0.7) == bets(ROWS, 2, 0.7) == 1


@pytest.mark.parametrize(("street", "margin"), [(1, 0.1), (2, 0.1), (3, 0.0)])
def test_who_has_the_price_does_not_fold(street: int, margin: float) -> None:
    # Peña 1999, 3.2.2: pot odds; EHS takes for certain what a draw only may do, hence the margin.
    folds = [
        triple(ROWS, 0.2 + margin + more, 0.0, street, 1, 1, False, 0, 0.2, 0.3, 0.5, 0.85)[0]
        for more in (-0.06, 0.0, 0.06)
    ]
    assert folds[0] > 0.9
    assert 0.3 < folds[1] < 0.7
    assert folds[2] == 0


def test_one_number_from_zero_to_one_chooses() -> None:
    # Peña 1999, 4.2.1: from 0 to 1, not to 0.1.
    odds = Triple(0.2, 0.5, 0.3)
    assert [choose(odds, number) for number in (0, 0.19, 0.2, 0.69, 0.71, 0.99)] == [
        "fold", "fold", "call", "call", "raise", "raise",
    ]  # fmt: skip


def test_every_triple_sums_to_one_and_is_no_fold_for_nothing() -> None:
    random = Random(3)
    for street, bets, to_call in product(range(1, 4), range(4), range(4)):
        for _ in range(20):
            found = triple(
                ROWS,
                random.random(),
                random.random() if street < 3 else 0.0,
                street,
                bets,
                to_call,
                random.random() < 0.5,
                random.randrange(3),
                random.random() / 2,
                0.3,
                random.random(),
                random.random(),
            )
            make_triple(found)
            assert to_call or found[0] == 0


def rising(
    to_call: int, ppot: float = 0.0, price: float = 0.3
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    strengths = np.linspace(0, 1, 1326)
    facts = (2, to_call, to_call, False, 1, price, 0.9)
    return triples(ROWS, strengths, np.full(1326, ppot), facts, 0.5, 0.85)


@pytest.mark.parametrize("to_call", [0, 1, 2, 3])
def test_better_hands_fold_less_and_raise_more_without_steps(to_call: int) -> None:
    found = rising(to_call)
    assert np.all(np.diff(found[:, 0]) <= 1e-12)
    assert np.all(np.diff(found[:, 2]) >= -1e-12)
    assert np.abs(np.diff(found, axis=0)).max() < 0.02
    assert np.allclose(found.sum(axis=1), 1)


def test_more_to_call_is_folded_more() -> None:
    folds = [rising(to_call)[:, 0].mean() for to_call in range(4)]
    assert folds == sorted(folds)
    assert folds[0] == 0


def test_pot_odds_keep_a_draw_and_a_draw_may_bluff() -> None:
    assert rising(1, ppot=0.4)[0, 0] < rising(1, ppot=0.1)[0, 0]
    bluff = triple(OTHERS, 0.1, 0.4, 1, 0, 0, False, 1, 0.0, 0.2, 0.5, 0.85)
    none = triple(OTHERS, 0.1, 0.05, 1, 0, 0, False, 1, 0.0, 0.2, 0.5, 0.85)
    assert bluff[2] > 0.5
    assert none[2] < 0.2
