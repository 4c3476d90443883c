"""Hands with any bets on their way through a betting tree."""

from __future__ import annotations

import numpy as np
import pytest

from dealer.rules.actions import CALL, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.games import holdem
from strategy.nolimit.tree import betting_tree, parse_menu
from strategy.nolimit_bots.follow import (
    Bet,
    Path,
    bet_of,
    bets_of,
    ends_all_in,
    follow,
    lower_share,
    raise_sizes,
)
from strategy.situation import Situation, situation_at

BOARD = (0, 5, 22, 33, 50)
GAME = holdem(2, 50, 100, stack=10_000)
TREE = betting_tree(GAME, parse_menu("0.5 1 a,1 a,a/0.5 1 a,1 a,a/0.5 1 a,1 a,a/0.5 1 a,1 a,a", 4))
SIZES = raise_sizes(TREE)
ALL_IN = ends_all_in(TREE)


def after(*actions: Action, stacks: tuple[int, int] = (10_000, 10_000), big: int = 100) -> Situation:
    betting = Betting(holdem(2, big // 2, big, stack=stacks))
    for action in actions:
        betting.act(action)
    dealt = (0, 3, 4, 5)[betting.street]
    return situation_at(betting, (40, 44), BOARD[:dealt])


def way(situation: Situation, drawn: float = 0.5, big: int = 100) -> Path | None:
    bets = bets_of(situation, (big, big // 2), (0, 0))
    return follow(TREE, SIZES, bets, situation.position, lambda _: drawn)


def reached(path: Path | None, situation: Situation) -> bool:
    return path is not None and (TREE.player[path.node], TREE.street[path.node]) == (
        situation.position,
        situation.street,
    )


def test_sizes_are_those_of_the_menu_unless_the_rules_ask_for_more() -> None:
    assert SIZES[0, TREE.to[0] > 0].tolist() == [0.5, 1.0, 49.5]
    wanted = {0.5, 1.0}
    for node in np.flatnonzero(TREE.player >= 0).tolist():
        raises = TREE.to[node] > 0
        found = SIZES[node, raises].tolist()
        assert found == sorted(found)
        # The last is all-in; the others were rounded to a chip, or raised to the least that is legal.
        for size in found[: -1 if ALL_IN[node] else None]:
            assert min(abs(size - one) for one in wanted) < 0.01 or size < 1


def test_a_hand_with_the_trees_own_bets_is_followed_to_its_decision() -> None:
    situation = after(raise_to(300), CALL, CALL, raise_to(300), raise_to(1_500), CALL)
    path = way(situation)
    assert reached(path, situation)
    assert path is not None
    assert TREE.paid[path.node].tolist() == list(situation.paid)


def test_chips_of_other_size_change_nothing() -> None:
    ours, theirs = (
        after(raise_to(300), CALL),
        after(raise_to(3_000), CALL, stacks=(99_000, 120_000), big=1_000),
    )
    assert way(ours) == way(theirs, big=1_000)


def test_an_action_by_itself_is_the_last_of_the_hand() -> None:
    betting = Betting(holdem(2, 50, 100, ante=10, stack=(5_000, 5_000)))
    found = []
    for action in (raise_to(250), CALL, raise_to(130), raise_to(1_000), CALL, CALL, raise_to(3_740)):
        found.append(bet_of(betting, action))
        betting.act(action)
        situation = situation_at(betting, (40, 44), BOARD[: (0, 3, 4, 5)[betting.street]])
        assert bets_of(situation, (100, 50), (10, 10)) == found
    assert [bet.all_in for bet in found] == [False] * 6 + [True]


@pytest.mark.parametrize(("to", "low", "high"), [(250, 200, 300), (200, 200, 200), (150, 200, 200)])
def test_a_size_between_two_is_one_of_them(to: int, low: int, high: int) -> None:
    situation = after(raise_to(max(to, 200)))
    found = {way(situation, drawn) for drawn in (0.0, 0.999)}
    assert {TREE.paid[path.node].max() for path in found if path} == {low, high}


def test_the_share_of_the_lower_size_is_pseudo_harmonic() -> None:
    assert (lower_share(0.5, 1, 0.5), lower_share(0.5, 1, 1)) == (1, 0)
    # Ganzfried and Sandholm 2013, section 5: from 0 to 1 the middle is at a third of the pot.
    assert lower_share(0, 1, 1 / 3) == pytest.approx(0.5)


def test_all_in_is_all_in_whoever_is_short() -> None:
    for stacks in ((10_000, 10_000), (4_000, 10_000), (10_000, 4_000)):
        situation = after(raise_to(300), raise_to(min(stacks)), stacks=stacks)
        path = way(situation)
        assert reached(path, situation)
        assert path is not None
        assert TREE.paid[path.node].max() == 10_000


def test_own_raises_are_the_nearest_size_whatever_is_drawn() -> None:
    for own, size in ((0.6, 0.5), (0.9, 1.0)):
        bets = [Bet(1, "raise", own)]
        found = {follow(TREE, SIZES, bets, 1, lambda _: drawn) for drawn in (0.0, 0.999)}  # noqa: B023
        (path,) = found
        assert path is not None
        assert SIZES[path.steps[0]] == size


def test_where_a_raise_counted_as_all_in_the_way_ends() -> None:
    situation = after(raise_to(300), raise_to(900), raise_to(2_700), raise_to(6_000), CALL)
    path = way(situation)
    assert path is not None
    assert TREE.player[path.node] == -1


def test_other_positions_are_no_way() -> None:
    assert follow(TREE, SIZES, [Bet(0, "call")], 1, lambda _: 0.5) is None
