"""Our rules as a game of OpenSpiel."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pyspiel
import pytest

from tests.pokerd.env.histories import PAIRS, compare, game_file


@pytest.mark.parametrize("name", PAIRS)
def test_it_is_universal_poker(name: str, tmp_path: Path) -> None:
    path = tmp_path / PAIRS[name].ours
    path.write_text(game_file(PAIRS[name].theirs))
    assert compare(name, str(path), 60, name) > 500


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
