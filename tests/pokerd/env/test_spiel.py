"""Our rules as a game of OpenSpiel."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pyspiel
import pytest

from dealer.rules.games import load_game
from strategy.registry import create_strategy
from strategy.situation import situation_at
from tests.pokerd.env.histories import PAIRS, compare, game_file


@pytest.mark.parametrize("name", PAIRS)
def test_it_is_universal_poker(name: str, tmp_path: Path) -> None:
    path = tmp_path / PAIRS[name].ours
    path.write_text(game_file(PAIRS[name].theirs))
    assert compare(name, str(path), 60, name) > 500


def test_house_bots_decide_in_its_states() -> None:
    import_module("pokerd.env.spiel")
    game = pyspiel.load_game("pokerd(game=holdem.limit.2p.reverse_blinds)")
    bot = create_strategy("fair", 1, load_game("holdem.limit.2p.reverse_blinds"))
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(state.legal_actions()[0])
            continue
        hole = state.hole[state.current_player()]
        action = bot.decide(situation_at(state.betting, hole, state.board))
        state.apply_action(("fold", "call", "raise").index(action.kind))
    assert len(state.returns()) == 2


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
