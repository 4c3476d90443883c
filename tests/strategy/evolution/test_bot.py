"""The bot ``pushfold``: its tables heads-up, our adaptation elsewhere."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.betting import Betting
from dealer.rules.cards import parse_cards
from dealer.rules.events import HandStarted
from dealer.rules.games import Game, holdem, load_game
from strategy.checks import UnplayableGame
from strategy.parameters import BadParameters
from strategy.pushfold.bot import PushFoldBot
from strategy.pushfold.equilibrium import equilibrium
from strategy.pushfold.files import PushFoldChart, save_chart
from strategy.pushfold.game import percent_played
from strategy.pushfold.parameters import PushFoldParameters
from strategy.pushfold.rankings import top_range
from strategy.registry import create_strategy, parameters_of
from strategy.situation import situation_at

HANDS = tuple(combinations(range(52), 2))
DUEL = load_game("holdem.pushfold.2p")


def answers(bot: PushFoldBot, game: Game, actions: tuple[Action, ...], stack: int = 1000) -> dict[str, float]:
    """Per cent of all hands that raise, call and fold after these actions."""
    betting = Betting(game, (stack,) * game.players)
    for action in actions:
        betting.act(action)
    kinds = [bot.decide(situation_at(betting, hole, ())).kind for hole in HANDS]
    return {kind: 100 * kinds.count(kind) / len(HANDS) for kind in ("raise", "call", "fold")}


def test_heads_up_it_plays_the_equilibrium_of_the_effective_stack() -> None:
    bot = PushFoldBot(1, DUEL)
    for stack in (1000, 500, 200):
        jam, call = equilibrium(stack / 100)[:2]
        # A class that is mixed is drawn hand by hand: at most 12 hands are not sure.
        assert answers(bot, DUEL, (), stack)["raise"] == pytest.approx(percent_played(jam), abs=1)
        assert answers(bot, DUEL, (raise_to(stack),), stack)["call"] == pytest.approx(
            percent_played(call), abs=1
        )


def test_the_shorter_stack_counts() -> None:
    betting = Betting(DUEL, (200, 1000))
    kinds = [PushFoldBot(1, DUEL).decide(situation_at(betting, hole, ())).kind for hole in HANDS]
    assert 100 * kinds.count("raise") / 1326 == pytest.approx(percent_played(equilibrium(2.0).jam), abs=1)


def test_a_file_is_played(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    save_chart(path, PushFoldChart(np.array([10.0]), top_range(30)[None], top_range(80)[None]), {})
    bot = create_strategy("pushfold", 1, DUEL, parameters_of("pushfold", {"strategy": str(path)}))
    assert isinstance(bot, PushFoldBot)
    assert answers(bot, DUEL, ())["raise"] == pytest.approx(30, abs=1)
    assert answers(bot, DUEL, (raise_to(1000),))["call"] == pytest.approx(80, abs=1)


def test_a_file_that_is_none_is_refused_before_anything_is_played(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    for name in ("a.json", "b.json"):
        with pytest.raises(BadParameters) as refusal:
            PushFoldParameters(str(tmp_path / name))
        assert refusal.value.key == "strategy"


def test_with_players_behind_fewer_hands_are_jammed_and_called() -> None:
    game = holdem(6, 50, 100, stack=1000)
    bot = PushFoldBot(1, game)
    jams = [answers(bot, game, (FOLD,) * folds)["raise"] for folds in range(5)]
    assert jams == sorted(jams)
    assert jams[0] < 25
    assert jams[4] == pytest.approx(percent_played(equilibrium(10.0).jam), abs=1)
    early = answers(bot, game, (raise_to(1000), *[FOLD] * 4))["call"]
    late = answers(bot, game, (*[FOLD] * 4, raise_to(1000)))["call"]
    two = answers(bot, game, (*[FOLD] * 2, raise_to(1000), CALL, FOLD))["call"]
    assert early < 15 < late
    assert late == pytest.approx(percent_played(equilibrium(10.0).call), abs=1)
    assert two < answers(bot, game, (*[FOLD] * 2, raise_to(1000), FOLD, FOLD))["call"]


def test_a_small_raise_counts_as_a_jam_of_its_size() -> None:
    game = holdem(2, 50, 100, stack=1000)
    told = answers(PushFoldBot(1, game), game, (raise_to(300),))
    assert told["raise"] == pytest.approx(percent_played(equilibrium(10.0).call), abs=1)
    assert told["raise"] + told["call"] == pytest.approx(percent_played(equilibrium(3.0).call), abs=1)


def test_nothing_is_folded_for_free() -> None:
    game = holdem(2, 50, 100, stack=1000)
    told = answers(PushFoldBot(1, game), game, (CALL,))
    assert told["fold"] == 0
    assert told["raise"] == pytest.approx(percent_played(equilibrium(10.0).jam), abs=1)


@pytest.mark.parametrize(("limit", "opened"), [(False, 300), (True, 200)])
def test_deep_and_with_limits_it_raises_without_going_all_in(limit: bool, opened: int) -> None:
    game = holdem(2, 50, 100, limit=limit, stack=20_000)
    betting = Betting(game, (20_000, 20_000))
    bot = PushFoldBot(1, game)
    assert bot.decide(situation_at(betting, parse_cards("AsAh"), ())) == raise_to(opened)
    assert bot.decide(situation_at(betting, parse_cards("7d2h"), ())) == FOLD


def test_blinds_that_have_risen_make_stacks_shorter() -> None:
    game = holdem(2, 5, 10, stack=1000)
    bot = PushFoldBot(1, game)
    bot.observe(HandStarted(0, (0, 1), 1, (1000, 1000), (0, 0), (500, 250), ((), ())))
    betting = Betting(holdem(2, 250, 500, stack=1000), (1000, 1000))
    kinds = [bot.decide(situation_at(betting, hole, ())).kind for hole in HANDS]
    assert 100 * kinds.count("raise") / 1326 == pytest.approx(percent_played(equilibrium(2.0).jam), abs=1)


def test_the_same_seed_decides_the_same() -> None:
    seen = []
    for seed in (1, 1, 2):
        bot = PushFoldBot(seed, DUEL)
        betting = Betting(DUEL, (1000, 1000))
        hole = parse_cards("4h3h")  # mixed
        seen.append([bot.decide(situation_at(betting, hole, (), hand=hand)).kind for hand in range(60)])
    assert seen[0] == seen[1] != seen[2]
    assert 30 <= seen[0].count("raise") <= 54


def test_it_plays_holdem_only() -> None:
    with pytest.raises(UnplayableGame):
        PushFoldBot(1, load_game("kuhn.limit.3p"))
