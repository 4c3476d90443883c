"""Running curves for a terminal."""

from __future__ import annotations

import numpy as np

from studies.harness.one_against_one import text_curve


def test_a_curve_is_drawn_from_the_first_to_the_last_hand() -> None:
    hands = np.arange(1, 6401, 10.0)
    lines = text_curve(np.stack([hands, 10 - 20 * hands / 6400], axis=1), exact=0.0)
    rows = [line.partition(" |")[2] for line in lines[:11]]
    # It falls from the left to the right, and nowhere rises.
    places = [row.index("*") for row in rows if "*" in row]
    assert len(places) == 11
    assert places == sorted(places)
    assert rows[0].startswith("*")
    assert rows[-1].rstrip().endswith("*")
    (exact,) = [line for line in lines[:11] if line.startswith("    +0.00 |")]
    assert exact.count("-") > 50
    assert lines[-1].split() == ["0", "6,391", "hands"]


def test_a_curve_without_a_spread_has_a_scale() -> None:
    lines = text_curve(np.array([[1.0, 0.0], [2.0, 0.0]]), exact=0.0)
    assert [line[:9].strip() for line in lines[:11] if line[:9].strip()] == ["+1.00", "+0.00", "-1.00"]


def test_what_is_far_out_at_the_beginning_stands_at_the_edge() -> None:
    hands = np.arange(1, 1001, 1.0)
    rates = np.where(hands < 40, 500.0, np.sin(hands / 50))
    lines = text_curve(np.stack([hands, rates], axis=1), exact=0.0)
    assert float(lines[0].split()[0]) < 1.5
    assert lines[0].partition(" |")[2].startswith("**")
