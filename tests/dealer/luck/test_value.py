"""The value function: its file, its symmetry, and what learning makes of hands."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from benchmarks.luck import Job, learn, play, ratio
from dealer.errors import ScoreError
from dealer.luck.shapes import card_shapes
from dealer.luck.value import TERMS, Money, card_terms, closed_terms, parse_value, shipped_value, value_text

MONEY = Money(600.0, 2500.0)


def test_a_function_is_read_as_it_was_written() -> None:
    limit, nolimit = [0.5] * TERMS, [-1.25e-7] * TERMS
    text = value_text(limit, nolimit, "nothing")
    value = parse_value(text)
    assert (value.weights(limit=True), value.weights(limit=False)) == (tuple(limit), tuple(nolimit))
    assert parse_value(text.replace("nothing", "something")).digest != value.digest


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", value_text([0.0], [0.0], ""), value_text([inf] * TERMS, [0.0] * TERMS, "")]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ScoreError) as refused:
        parse_value(text)
    assert refused.value.code == "bad_value_function"


def test_the_shipped_one_is_whole() -> None:
    value = shipped_value()
    assert len(value.limit) == len(value.nolimit) == TERMS
    assert any(value.nolimit)


def test_what_one_wins_the_other_loses() -> None:
    equity, strength, rival = np.array([[0.7, 0.3], [0.9, 0.4], [0.4, 0.9]])
    shapes = card_shapes(equity, strength, rival)
    one = card_terms(MONEY, shapes.of(0), -1.0, 1.0)
    other = card_terms(MONEY, shapes.of(1), 1.0, -1.0)
    assert one == pytest.approx([-term for term in other])
    closed = closed_terms(MONEY, 0.7, 0.9, 0.4), closed_terms(MONEY, 0.3, 0.4, 0.9)
    assert closed[0] == pytest.approx([-term for term in closed[1]])


def test_terms_are_linear_in_shapes() -> None:
    """So that the mean over cards needs to be computed once, whatever the pot is."""
    equity = np.array([0.1, 0.4, 0.95])
    shapes = card_shapes(equity, np.full(3, 0.5), equity / 2)
    terms = [card_terms(MONEY, shapes.of(at), -1.0, 1.0) for at in range(3)]
    mean = card_terms(MONEY, shapes.mean(), -1.0, 1.0)
    assert mean == pytest.approx([sum(column) / 3 for column in zip(*terms, strict=True)])


def test_learning_takes_out_luck_and_leaves_the_chips() -> None:
    sets = play(Job(False, ("raise", "random"), 0, 60, 3))
    assert sets.won.sum(axis=0) == pytest.approx(0)
    assert sets.all.sum(axis=0) == pytest.approx(0, abs=1e-6)
    weights = learn([sets])
    corrected = sets.cards - sets.card_terms @ weights
    assert np.isfinite(corrected).all()
    # On the hands that it has seen it cannot do worse than the base.
    assert corrected[0].var() <= sets.cards[0].var() * 1.001
    part, low, high = ratio(sets.won, sets.cards)
    assert low <= part <= high
    assert ratio(sets.won, sets.won) == (1.0, 1.0, 1.0)
