from __future__ import annotations

from random import Random

import pytest

from dealer.rules.cards import parse_cards
from dealer.rules.games import load_game
from dealer.rules.notation import format_betting
from strategy.blueprint.blueprint import load_blueprint
from strategy.blueprint.river import resolve
from strategy.blueprint_bots.bot import CfrBot
from strategy.blueprint_bots.parameters import RiverParameters
from strategy.blueprint_bots.river_bot import RiverBlueprint, RiverBot
from strategy.cfr.tree import find_node
from strategy.parameters import BadParameters
from strategy.poker.combos import combo_index
from strategy.registry import create_strategy
from tests.strategy.play import GAMES, at, decisions, shuffled

LIMIT = load_game("holdem.limit.2p.reverse_blinds")
BOARD = "2h7hTc3d9h"
SPOT = ("rccccrcr", "8s8d", BOARD)


def test_on_the_river_it_plays_what_was_solved() -> None:
    blueprint = load_blueprint()
    actions, hole, board = SPOT
    node = find_node(blueprint.tree, actions)
    assert blueprint.tree.street[node] == 3
    player = int(blueprint.tree.player[node])
    rows = resolve(blueprint, node, parse_cards(board), player).rows(node)
    situation = at(LIMIT, " ".join(actions), hole, board)
    kinds = [RiverBot(seed, LIMIT).decide(situation).kind for seed in range(300)]
    found = tuple(kinds.count(kind) / 300 for kind in ("fold", "call", "raise"))
    # Four standard errors of 300 decisions.
    assert found == pytest.approx(rows[combo_index(*parse_cards(hole))].tolist(), abs=0.12)


def test_before_the_river_it_is_cfr() -> None:
    for seed in range(20):
        for actions, board in (("r", ""), ("rccr", BOARD[:6]), ("rcccr", BOARD[:8])):
            situation = at(LIMIT, " ".join(actions), "QsTs", board)
            assert RiverBot(seed, LIMIT).decide(situation) == CfrBot(seed, LIMIT).decide(situation)


def test_its_parameters_count() -> None:
    node, (_, hole, board) = find_node(load_blueprint().tree, SPOT[0]), SPOT
    said = {
        RiverBlueprint(load_blueprint(), parameters).policy(node, parse_cards(hole), parse_cards(board))
        for parameters in (RiverParameters(), RiverParameters(iterations=1), RiverParameters(safe=False))
    }
    assert len(said) == 3
    assert all(sum(chances) == pytest.approx(1) for chances in said)
    with pytest.raises(BadParameters):
        RiverParameters(iterations=0)


@pytest.mark.parametrize("name", ["holdem.limit.3p", "holdem.nolimit.6p", "short stacks", "heads-up"])
def test_at_other_tables_it_plays_by_the_rules_and_as_its_seed_says(name: str) -> None:
    game = GAMES[name]
    texts = []
    for _ in range(2):
        random = Random(4)
        players = [
            create_strategy("cfr+river", seed, game, RiverParameters(iterations=10))
            for seed in range(game.players)
        ]
        hands = [list(decisions(game, players, shuffled(game, random), number=n)) for n in range(3)]
        texts.append([format_betting(hand.betting) for played in hands for hand, _ in played[-1:]])
    assert texts[0] == texts[1]
