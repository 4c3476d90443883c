"""Sums of results: exact, in any order, in any parts."""

from __future__ import annotations

from math import inf
from random import Random

import pytest

from dealer.errors import ScoreError
from dealer.ratings.results import Results

_SETS = [
    (("ann", "bob"), (12.345, -12.345)),
    (("bob", "ann"), (1e6, -1e6)),
    (("cid", "ann"), (0.001, -0.001)),
    (("ann", "bob", "cid"), (1.0, 2.0, -3.0)),
] * 5


def _of(sets: list[tuple[tuple[str, ...], tuple[float, ...]]]) -> Results:
    results = Results()
    for line_up, mbb in sets:
        results.add(line_up, mbb)
    return results


def test_the_order_and_the_parts_do_not_matter() -> None:
    whole = _of(_SETS)
    shuffled = list(_SETS)
    Random(1).shuffle(shuffled)
    parts = _of(shuffled[:7])
    parts.merge(_of(shuffled[7:]))
    assert parts == whole


def test_means_and_scatter_are_those_of_the_results() -> None:
    results = _of([(("b", "a"), (3.0, -3.0)), (("a", "b"), (1.0, -1.0))])
    sums = results.sums(["b", "a"])
    assert sums is not None
    assert sums.deal_sets == 2
    assert sums.means() == [-1.0, 1.0]
    assert sums.scatter() == [[8.0, -8.0], [-8.0, 8.0]]
    assert results.deal_sets("a") == 2
    assert results.deal_sets("z") == 0


def test_a_field_leaves_out_line_ups_with_others() -> None:
    assert [line_up for line_up, _ in _of(_SETS).among(["ann", "bob"])] == [("ann", "bob")]


@pytest.mark.parametrize(
    ("line_up", "mbb"),
    [
        (("ann",), (1.0,)),
        (("ann", "ann"), (1.0, -1.0)),
        (("ann", "bob"), (1.0,)),
        (("ann", "bob"), (inf, -inf)),
        (("ann", "bob"), (float("nan"), 0.0)),
    ],
)
def test_bad_results_are_refused_and_change_nothing(line_up: tuple[str, ...], mbb: tuple[float, ...]) -> None:
    results = _of(_SETS)
    with pytest.raises(ScoreError) as refused:
        results.add(line_up, mbb)
    assert refused.value.code == "bad_result"
    assert results == _of(_SETS)
