"""Environments for learners: beside ``universal_poker`` in 100,000 random histories, and beside our rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pokerd.env.histories import PAIRS, compare, game_file
from tests.strategy.batch.learning import play_hands


@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize("name", PAIRS)
def test_a_hundred_thousand_histories(name: str, part: int, tmp_path: Path) -> None:
    path = tmp_path / PAIRS[name].ours
    path.write_text(game_file(PAIRS[name].theirs))
    assert compare(name, str(path), 5_000, f"{name} {part}") > 50_000


@pytest.mark.parametrize("part", range(1000))
def test_a_million_hands_seen_by_everybody(part: int) -> None:
    assert sum(play_hands(f"oracle {part} {game}", 20, 5 + game) for game in range(50)) > 1000
