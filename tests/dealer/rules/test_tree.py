"""Sizes of betting trees, known from elsewhere or counted by walking."""

from __future__ import annotations

import pytest

from dealer.rules.actions import CALL, FOLD, raise_to
from dealer.rules.betting import Betting
from dealer.rules.errors import GameError
from dealer.rules.games import Game, holdem, load_game
from dealer.rules.tree import TreeCounts, count_tree


def walk(betting: Betting) -> tuple[int, int, int]:
    """Decisions, folds and showdowns, every node visited."""
    if betting.over:
        return (0, 1, 0) if betting.live == 1 else (0, 0, 1)
    legal = betting.legal()
    actions = [FOLD, CALL] if legal.fold else [CALL]
    if legal.min_raise is not None and legal.max_raise is not None:
        actions += [raise_to(to) for to in range(legal.min_raise, legal.max_raise + 1)]
    decisions, folds, showdowns = 1, 0, 0
    for action in actions:
        after = betting.copy()
        after.act(action)
        more = walk(after)
        decisions, folds, showdowns = decisions + more[0], folds + more[1], showdowns + more[2]
    return decisions, folds, showdowns


@pytest.mark.parametrize("rules", ["acpc", "standard"])
@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("kuhn.limit.2p", TreeCounts((4,), 2, 3)),
        ("leduc.limit.2p", TreeCounts((6, 30), 24, 25)),
        ("holdem.limit.2p.reverse_blinds", TreeCounts((8, 70, 630, 5670), 5103, 5103)),
        ("holdem.limit.3p", TreeCounts((90, 4412, 205962, 9501342), 4971359, 9254143)),
    ],
)
def test_betting_trees_have_the_known_size(name: str, rules: str, counts: TreeCounts) -> None:
    assert count_tree(load_game(name).with_rules(rules)) == counts


def test_sums() -> None:
    counts = count_tree(load_game("holdem.limit.3p"))
    assert counts.decisions == 9_711_806
    heads_up = count_tree(load_game("holdem.limit.2p.reverse_blinds"))
    assert (heads_up.decisions, heads_up.nodes) == (6378, 16584)


def test_with_four_raises_before_the_flop_heads_up_limit_has_8200_decisions() -> None:
    game = load_game("holdem.limit.2p.reverse_blinds")
    text = game.text().replace("maxRaises = 3", "maxRaises = 4")
    assert text != game.text()
    counts = count_tree(holdem_from(text))
    assert (counts.decisions, counts.folds, counts.showdowns) == (8200, 6561, 6561)


def holdem_from(text: str) -> Game:
    from dealer.rules.games import parse_game

    return parse_game(text)


@pytest.mark.parametrize(
    "game",
    [
        load_game("kuhn.limit.3p"),
        load_game("leduc.limit.2p"),
        load_game("holdem.limit.2p.reverse_blinds"),
        holdem(2, 1, 2, stack=9, rules="standard"),
        holdem(2, 1, 2, stack=9, rules="acpc"),
        holdem(3, 1, 2, stack=(5, 6, 4), rules="standard"),
        holdem(3, 1, 2, stack=(5, 6, 4), rules="acpc"),
        holdem(3, 1, 2, stack=(9, 5, 12), limit=True, rules="standard"),
        holdem(3, 1, 2, stack=(9, 5, 12), limit=True, rules="acpc"),
    ],
)
def test_counting_by_states_gives_what_walking_gives(game: Game) -> None:
    counts = count_tree(game)
    assert (counts.decisions, counts.folds, counts.showdowns) == walk(Betting(game))


@pytest.mark.parametrize(
    "game",
    [
        load_game("holdem.nolimit.2p.reverse_blinds"),
        load_game("custom.nolimit.4p.uneven"),
        holdem(10, 1, 2),
        holdem(2, 1, 2),
    ],
)
def test_large_trees_are_refused(game: Game) -> None:
    with pytest.raises(GameError) as caught:
        count_tree(game)
    assert caught.value.code == "tree_too_large"
