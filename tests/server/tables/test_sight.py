"""At an open table, too, nobody is sent a card that is not yet his to see: neither who plays, person or bot,
nor who looks on, comes back, changes the seat, or takes the seat of another.
"""

from __future__ import annotations

import random

import pytest

from dealer.formats.format import Stakes
from dealer.formats.tournament import Level
from tests.server.tables.sight import Repeatable, Scene


@pytest.mark.parametrize("seed", range(6))
async def test_nobody_at_a_cash_table_is_sent_a_card_that_is_not_yet_his_to_see(seed: int) -> None:
    scene = Scene(random.Random(f"cash {seed}"), stakes=Stakes(5, 10, seed % 2, stack=60 + 200 * (seed % 3)))
    scene.run()
    kinds = set().union(*(visitor.kinds for visitor in scene.visitors))
    assert {"hand_start", "board", "acted", "turn", "waiting", "seats", "hand_end", "said"} <= kinds
    assert len(scene.notes.dealt) > 10
    assert all(visitor.cards for visitor in scene.visitors)
    assert not any("strength" in visitor.kinds for visitor in scene.visitors if not visitor.person)


@pytest.mark.parametrize("seed", range(4))
async def test_nor_at_a_series_of_tournaments(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.tables.open_table.secrets", Repeatable(random.Random(seed)))
    levels = (Level(5, 10, 0, 4), Level(20, 40, 5, 4), Level(60, 120, 10, 4))
    scene = Scene(
        random.Random(f"series {seed}"),
        stakes=Stakes(5, 10, stack=150),
        mode="tournament",
        levels=levels,
        matches=3,
    )
    scene.run(3000)
    kinds = set().union(*(visitor.kinds for visitor in scene.visitors))
    assert {"eliminated", "level", "series", "match_end", "strength"} <= kinds
    assert len({match for match, _ in scene.notes.dealt}) > 1


async def test_every_kind_of_message_was_looked_at() -> None:
    """Cards, labels and shown cards did occur, or the checks above would have checked nothing."""
    kinds: set[str] = set()
    for seed in range(4):
        scene = Scene(random.Random(f"kinds {seed}"), stakes=Stakes(5, 10, stack=300))
        scene.run(1000)
        kinds |= set().union(*(visitor.kinds for visitor in scene.visitors))
    wanted = {"showed", "shown", "undealt", "strength", "waiting", "refilled", "players", "said", "seats"}
    assert wanted <= kinds
