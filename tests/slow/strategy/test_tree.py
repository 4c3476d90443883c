"""The betting tree of limit hold'em for three players."""

from __future__ import annotations

import numpy as np

from dealer.rules.games import load_game
from strategy.cfr.tree import compile_tree


def test_three_player_limit_holdem_fits() -> None:
    tree = compile_tree(load_game("holdem.limit.3p"))
    assert np.bincount(tree.street[tree.decisions]).tolist() == [90, 4412, 205_962, 9_501_342]
    assert tree.size == 9_711_806 + 4_971_359 + 9_254_143
