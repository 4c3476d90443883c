from __future__ import annotations

from itertools import combinations

import pytest

from strategy.mapping_bots.rounds import CAPS, ActionSequence, count_histories, map_street, rounds

THREE = [one for one in rounds(3, 4, free_folds=True) if one.live > 1]
"""The document's rounds: three begin, at most one folds, and he may do so for nothing."""


def test_there_are_370_rounds_of_three_players() -> None:
    kinds = {(live, closed): 0 for live in (3, 2) for closed in (False, True)}
    for one in THREE:
        kinds[one.live, one.closed] += 1
    assert kinds == {(3, False): 93, (2, False): 93, (3, True): 46, (2, True): 138}
    assert len(THREE) == len({one.actions for one in THREE}) == 370


def test_before_the_flop_there_are_fewer_rounds_and_all_of_them_known() -> None:
    preflop = {one for one in rounds(3, 3, free_folds=True) if one.live > 1}
    assert len(preflop) == 178
    assert preflop < set(THREE)


def test_without_free_folds_there_are_fewer() -> None:
    later = {one.actions for one in rounds(3, 4) if one.live > 1}
    preflop = {one.actions for one in rounds(3, 3, blinds=True) if one.live > 1}
    assert len(later) == 340
    assert len(later | preflop) == 363


def test_heads_up_rounds() -> None:
    for cap, opened, closed in ((3, 8, 7), (4, 10, 9)):
        found = [one for one in rounds(2, cap) if one.live == 2]
        assert [sum(not one.closed for one in found), sum(one.closed for one in found)] == [opened, closed]


def test_heads_up_there_are_6378_histories() -> None:
    assert count_histories(2) == (8, 70, 630, 5670)
    assert count_histories(2, free_folds=True) == (8, 70, 630, 5670)
    assert sum(count_histories(2, caps=(4, 4, 4, 4))) == 8200
    assert sum(count_histories(2, caps=(3, 3, 3, 3))) == 3200


@pytest.mark.parametrize(
    ("free_folds", "least", "streets", "total"),
    [
        (False, 0, (90, 4412, 205962, 9501342), 9_711_806),
        (True, 0, (90, 4752, 224532, 10381932), 10_611_306),
        (True, 3, (90, 5346, 265980, 12556104), 12_827_520),
    ],
    ids=["poker", "free folds", "the document's"],
)
def test_three_players_histories(free_folds: bool, least: int, streets: tuple[int, ...], total: int) -> None:
    counts = count_histories(3, free_folds=free_folds, least=least)
    assert counts == streets
    assert sum(counts) == total


def test_the_documents_number_keeps_rounds_of_two_open() -> None:
    two = [one for one in rounds(2, 4, free_folds=True, least=3) if one.live == 2]
    assert [sum(not one.closed for one in two), sum(one.closed for one in two)] == [19, 16]
    assert ActionSequence("cc", 2, False) in two
    assert ActionSequence("rc", 2, False) in two


def test_a_small_tree_counted_one_by_one() -> None:
    preflop, flop = list(rounds(3, 1, blinds=True)), {live: list(rounds(live, 1)) for live in (2, 3)}
    whole = [first for first in preflop if first.live > 1 and not first.closed]
    later = [
        (first, second)
        for first in preflop
        if first.closed
        for second in flop[first.live]
        if second.live > 1 and not second.closed
    ]
    assert count_histories(3, caps=(1, 1)) == (len(whole), len(later))


@pytest.mark.parametrize(
    ("actions", "players", "mapped"), [("rfc", 3, "rc"), ("crrc", 2, "crrc"), ("rrc", 2, "rrc"), ("", 2, "")]
)
def test_the_documents_examples_of_first_try(actions: str, players: int, mapped: str) -> None:
    assert map_street(actions, players) == mapped


def test_first_try_is_what_its_listing_does() -> None:
    heads_up = {one.actions: one.closed for one in rounds(2, 4) if one.live == 2}
    for one in THREE:
        mapped = map_street(one.actions, 3)
        assert mapped == listing(one, heads_up)
        assert heads_up[mapped] == one.closed
        assert map_street(one.actions, 3, closed=one.closed) == mapped


def listing(one: ActionSequence, heads_up: dict[str, bool]) -> str:
    """Every way to delete, the fewest actions and the earliest first."""
    for count in range(len(one.actions) + 1):
        for deleted in combinations(range(len(one.actions)), count):
            left = "".join(kind for place, kind in enumerate(one.actions) if place not in deleted)
            if heads_up.get(left) == one.closed:
                return left
    raise AssertionError(one)


def test_what_heads_up_play_does_not_have_is_shortened() -> None:
    assert map_street("rrrrrrc", 2, closed=True) == "rrrrc"
    assert map_street("rrrrrr", 4, closed=False) == "rrrr"
    assert map_street("rrrr", 3, closed=False, cap=CAPS[0]) == "rrr"
    assert map_street("rff", 4, closed=False) == "r"
    assert map_street("", 3, closed=True) == "cc"


@pytest.mark.parametrize("actions", ["rff", "ccccc", "x", "rcrcccc"])
def test_a_round_that_ends_the_hand_or_is_none_is_not_mapped(actions: str) -> None:
    with pytest.raises(ValueError, match=actions):
        map_street(actions, 3)
