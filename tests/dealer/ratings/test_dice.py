"""Sums with each declarer's dice apart: any of them can be put back, whenever that is decided."""

from __future__ import annotations

from itertools import chain, combinations
from random import Random

import pytest

from dealer.errors import ScoreError
from dealer.ratings.dice import DiceSums, dice_sums
from dealer.ratings.results import LineUpSums, Results

BOTS = ("ann", "bob", "cid")


def deal_sets(
    random: Random, declarers: tuple[str, ...], many: int
) -> tuple[list[list[float]], dict[str, list[list[float]]]]:
    """Results with dice, and what each declarer's dice brought, in whole mbb/hand."""

    def drawn() -> list[list[float]]:
        return [[float(random.randrange(-900, 900)) for _ in BOTS] for _ in range(many)]

    return drawn(), {bot: drawn() for bot in declarers}


def directly(
    rows: list[list[float]], dice: dict[str, list[list[float]]], left: tuple[str, ...]
) -> LineUpSums:
    """The sums, of rows from which the dice of all others were taken."""
    results = Results()
    for place, row in enumerate(rows):
        out = [dice[bot][place] for bot in dice if bot not in left]
        results.add(BOTS, [value - sum(column) for value, *column in zip(row, *out, strict=True)])
    sums = results.sums(BOTS)
    assert sums is not None
    return sums


SUBSETS = list(chain.from_iterable(combinations(BOTS, size) for size in range(4)))


@pytest.mark.parametrize("left", SUBSETS)
def test_whoever_is_not_believed_keeps_his_dice(left: tuple[str, ...]) -> None:
    rows, dice = deal_sets(Random(3), BOTS, 7)
    assert dice_sums(rows, dice).with_dice_of(left) == directly(rows, dice, left)


@pytest.mark.parametrize("left", SUBSETS)
def test_parts_in_which_others_declare_add_up_in_any_order(left: tuple[str, ...]) -> None:
    random = Random(5)
    parts = [deal_sets(random, declarers, 4) for declarers in SUBSETS]
    sums = [dice_sums(*part) for part in parts]
    wanted = directly(*parts[0], left)
    for part in parts[1:]:
        wanted = wanted.plus(directly(*part, left))
    found = set()
    for _ in range(5):
        random.shuffle(sums)
        total = sums[0]
        for one in sums[1:]:
            total = total.plus(one)
        found.add(total)
        assert total.with_dice_of(left) == wanted
    assert len(found) == 1


def test_nobody_else_is_asked() -> None:
    plain = LineUpSums(3, (5, -5), (9, -9, 9))
    assert DiceSums((), plain).with_dice_of({"ann"}) == plain


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ScoreError):
        dice_sums([[1.0, float("nan")]], {})
