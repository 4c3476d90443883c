"""Our rules as a game of OpenSpiel."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest

from pokerd.env.errors import BadPlayer
from strategy.batch.observation import BadHistory
from strategy.batch.opponents import UnknownOpponent
from strategy.checks import UnplayableGame
from tests.pokerd.env.histories import PAIRS, compare, game_file


@pytest.mark.parametrize("name", PAIRS)
def test_it_is_universal_poker(name: str, tmp_path: Path) -> None:
    path = tmp_path / PAIRS[name].ours
    path.write_text(game_file(PAIRS[name].theirs))
    assert compare(name, str(path), 60, name) > 500


@pytest.mark.parametrize(
    ("name", "bots"),
    [
        ("holdem.limit.2p.reverse_blinds", ("fair", "cfr")),
        ("holdem.nolimit.3p", ("fair", "adaptive2", "quick")),
        ("holdem.nolimit.6p", ("raise", "call", "random", "fair", "quick-bluff", "adaptive")),
    ],
)
def test_house_bots_play_whole_hands(name: str, bots: tuple[str, ...]) -> None:
    house_bot = import_module("pokerd.env.spiel").HouseBot
    game = pyspiel.load_game("pokerd", {"game": name})
    players = [house_bot(game, player, bot, seed=3) for player, bot in enumerate(bots)]
    again = [house_bot(game, player, bot, seed=3) for player, bot in enumerate(bots)]
    results = [pyspiel.evaluate_bots(game.new_initial_state(), players, seed) for seed in range(12)]
    assert len(set(map(tuple, results))) > 3
    assert all(sum(values) == 0 for values in results)
    assert results == [pyspiel.evaluate_bots(game.new_initial_state(), again, seed) for seed in range(12)]


def test_house_bots_meet_bots_of_openspiel() -> None:
    house_bot = import_module("pokerd.env.spiel").HouseBot
    theirs: Any = import_module("open_spiel.python.algorithms.evaluate_bots")
    game = pyspiel.load_game("pokerd(game=holdem.limit.2p.reverse_blinds)")
    bots = [house_bot(game, 0, "fair"), pyspiel.make_uniform_random_bot(1, 3)]
    random = np.random.RandomState(1)
    assert sum(theirs.evaluate_bots(game.new_initial_state(), bots, random)[0] for _ in range(200)) > 0


@pytest.mark.parametrize(
    ("name", "bot"), [("holdem.limit.2p.reverse_blinds", "cfr"), ("holdem.nolimit.3p", "adaptive2")]
)
def test_a_house_bot_sees_no_hidden_card(name: str, bot: str) -> None:
    house_bot = import_module("pokerd.env.spiel").HouseBot
    game = pyspiel.load_game("pokerd", {"game": name})
    random, asked = Random(5), 0
    for hand in range(12):
        one, other = game.new_initial_state(), game.new_initial_state()
        player = hand % game.num_players()
        here, there = (house_bot(game, player, bot, seed=hand) for _ in range(2))
        while not one.is_terminal():
            if one.is_chance_node():
                card = hidden = random.choice(one.legal_actions())
                at = len(one.cards) // 2
                if at < game.num_players() and at != player:
                    # High cards for the others here, low ones there.
                    card, hidden = max(one.legal_actions()), min(other.legal_actions())
                elif card not in other.legal_actions():
                    continue
                one.apply_action(card)
                other.apply_action(hidden)
                continue
            action = random.choice(one.legal_actions()[:2])
            if one.current_player() == player:
                asked += 1
                action = here.step(one)
                assert action in one.legal_actions()
                assert action == there.step(other)
            one.apply_action(action)
            other.apply_action(action)
    assert asked > 12


def test_a_house_bot_can_begin_in_the_middle_of_any_hand() -> None:
    house_bot = import_module("pokerd.env.spiel").HouseBot
    game = pyspiel.load_game("pokerd(game=holdem.limit.2p.reverse_blinds)")
    bot = house_bot(game, 0, "fair")
    aces, deuces = game.new_initial_state(), game.new_initial_state()
    for card in (51, 50, 3, 4):
        aces.apply_action(card)
    for card in (0, 5, 51, 50):
        deuces.apply_action(card)
    for state in (aces, deuces):
        state.apply_action(2)
        state.apply_action(2)
        state.apply_action(2)
    assert [bot.step(state) != 0 for state in (aces, deuces, aces)] == [True, False, True]


def test_house_bots_that_cannot_play_are_refused() -> None:
    house_bot = import_module("pokerd.env.spiel").HouseBot
    game = pyspiel.load_game("pokerd(game=holdem.nolimit.3p)")
    for player in (-1, 3):
        with pytest.raises(BadPlayer) as caught:
            house_bot(game, player, "fair")
        assert caught.value.code == "bad_player"
    with pytest.raises(UnknownOpponent):
        house_bot(game, 0, "nobody")
    with pytest.raises(UnplayableGame):
        house_bot(pyspiel.load_game("kuhn_poker"), 0, "fair")
    state = game.new_initial_state()
    for card in range(6):
        state.apply_action(card)
    with pytest.raises(BadPlayer):
        house_bot(game, 1 - state.current_player() % 2, "fair").step(state)
    limit = pyspiel.load_game("pokerd(game=holdem.limit.3p)").new_initial_state()
    for card in range(6):
        limit.apply_action(card)
    for other in (limit, pyspiel.load_game("kuhn_poker").new_initial_state()):
        with pytest.raises(UnplayableGame):
            house_bot(game, limit.current_player(), "fair").step(other)


@pytest.mark.parametrize("name", ["holdem.limit.2p.reverse_blinds", "holdem.nolimit.3p"])
def test_it_passes_openspiel_s_own_check(name: str) -> None:
    """Which also saves and reads every state."""
    import_module("pokerd.env.spiel")
    pyspiel.random_sim_test(pyspiel.load_game("pokerd", {"game": name}), 3, True, False)


def test_a_history_of_nothing_is_no_game() -> None:
    import_module("pokerd.env.spiel")
    with pytest.raises(BadHistory):
        pyspiel.load_game("pokerd(history=0)")


def test_states_can_be_copied_and_seen() -> None:
    import_module("pokerd.env.spiel")
    game = pyspiel.load_game("pokerd(game=holdem.limit.2p.reverse_blinds)")
    state = game.new_initial_state()
    for card in (51, 50, 3, 4):
        state.apply_action(card)
    copied = state.clone()
    copied.apply_action(0)
    assert copied.is_terminal()
    assert copied.returns() == [5.0, -5.0]
    assert not state.is_terminal()
    assert state.returns() == [0.0, 0.0]
    assert state.information_state_tensor(1) != state.information_state_tensor(0)
    assert "5d" not in state.information_state_string(0)
    import_module("open_spiel.python.games")
    pyspiel_utils: Any = import_module("open_spiel.python.algorithms.generate_playthrough")
    assert "pokerd" in pyspiel_utils.playthrough("pokerd", action_sequence=None, seed=1)
