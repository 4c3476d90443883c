from __future__ import annotations

from random import Random
from statistics import fmean, stdev

import pytest

from dealer.rules.cards import parse_cards
from dealer.rules.games import Game, holdem, load_game
from dealer.rules.notation import format_betting
from strategy.blueprint.blueprint import load_blueprint
from strategy.blueprint_bots.bot import CfrBot
from strategy.cfr.tree import find_node
from strategy.checks import UnplayableGame
from strategy.mapping_bots.bots import OwnBot
from strategy.registry import create_strategy
from strategy.situation import SituationError
from tests.strategy.play import GAMES, at, decisions, duplicate, shuffled

LIMIT = load_game("holdem.limit.2p.reverse_blinds")
BOARD = "2h7hTc3d9h"


def frequencies(game: Game, actions: str, hole: str, board: str = "") -> tuple[float, ...]:
    """How often bots with different seeds fold, call and raise."""
    situation = at(game, " ".join(actions), hole, board)
    kinds = [CfrBot(seed, game).decide(situation).kind for seed in range(400)]
    return tuple(kinds.count(kind) / 400 for kind in ("fold", "call", "raise"))


@pytest.mark.parametrize(
    ("actions", "hole", "board"),
    [("", "7d6d", ""), ("r", "QsJh", ""), ("rccr", "QsTs", BOARD[:6]), ("rccccrc", "8s8d", BOARD)],
)
def test_it_plays_the_blueprints_chances(actions: str, hole: str, board: str) -> None:
    blueprint = load_blueprint()
    said = blueprint.policy(find_node(blueprint.tree, actions), parse_cards(hole), parse_cards(board))
    # Four standard errors of 400 decisions.
    assert frequencies(LIMIT, actions, hole, board) == pytest.approx(said, abs=0.1)


def test_chips_are_only_a_unit() -> None:
    large, small = CfrBot(1, holdem(2, 50, 100, limit=True)), CfrBot(1, LIMIT)
    for actions in ("", "c", "r", "rr", "rrr"):
        for hole in ("AhKh", "7d6d", "3s2d"):
            first = large.decide(at(holdem(2, 50, 100, limit=True), " ".join(actions), hole))
            assert first.kind == small.decide(at(LIMIT, " ".join(actions), hole)).kind


@pytest.mark.parametrize("game", [holdem(2, 1, 3, limit=True), holdem(2, 5, 10, ante=3, limit=True)])
def test_heads_up_with_other_proportions_it_plays_as_ownbot(game: Game) -> None:
    for actions in ("", "c", "r", "rr"):
        situation = at(game, " ".join(actions), "7d6d")
        for seed in range(20):
            own, bot = OwnBot(seed, game), CfrBot(seed, game)
            assert bot.node(situation) is None
            assert bot.decide(situation) == own.decide(situation)


@pytest.mark.parametrize("name", ["kuhn.limit.2p", "leduc.limit.2p"])
def test_other_cards_are_refused(name: str) -> None:
    with pytest.raises(UnplayableGame):
        CfrBot(1, load_game(name))


@pytest.mark.parametrize(
    "name",
    ["holdem.limit.3p", "holdem.nolimit.2p.reverse_blinds", "holdem.nolimit.6p", "short stacks", "heads-up"],
)
def test_at_other_tables_it_plays_by_the_rules_and_as_its_seed_says(name: str) -> None:
    game = GAMES[name]
    texts = []
    for _ in range(2):
        random = Random(4)
        players = [create_strategy("cfr", seed, game) for seed in range(game.players)]
        hands = [list(decisions(game, players, shuffled(game, random), number=n)) for n in range(5)]
        texts.append([format_betting(hand.betting) for played in hands for hand, _ in played[-1:]])
    assert texts[0] == texts[1]


def test_short_stacks_at_a_limit_table() -> None:
    game = holdem(2, 5, 10, limit=True, stack=(35, 62))
    random = Random(5)
    for number in range(40):
        players = [CfrBot(seed, game) for seed in range(2)]
        assert list(decisions(game, players, shuffled(game, random), number=number))


def test_nonsense_is_refused() -> None:
    situation = at(LIMIT, "r", "AhKh")
    with pytest.raises(SituationError):
        CfrBot(1, LIMIT).decide(situation._replace(hole=(5, 5)))


@pytest.mark.parametrize("other", ["call", "random"])
def test_it_beats_those_without_a_plan(other: str) -> None:
    won = duplicate(
        LIMIT, lambda: CfrBot(1, LIMIT), lambda: create_strategy(other, 2, LIMIT), hands=300, seed=6
    )
    assert fmean(won) > 2 * stdev(won) / len(won) ** 0.5
