"""``pokerd bot pushfold --strategy FILE`` at a table of ``pokerd serve``: real programs, every decision."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np

from dealer.rules.cards import parse_cards
from strategy.poker.preflop import HAND_CLASSES, hand_class
from strategy.pushfold.files import PushFoldChart, save_chart
from strategy.pushfold.rankings import top_range
from tests.support.programs import PYTHON, Program, eventually

POKERD = (PYTHON, "-m", "pokerd")


def hands(folder: Path) -> list[tuple[list[list[str]], list[list[Any]]]]:
    """Who sat where, and the events, of all hands that the server has kept by now."""
    files = list(folder.glob("*.sqlite3"))
    if not files:
        return []
    with sqlite3.connect(files[0]) as kept:
        found = kept.execute("SELECT seated, events FROM hands ORDER BY number").fetchall()
    return [(json.loads(seated), json.loads(events)) for seated, events in found]


def plays(chances: np.typing.NDArray[np.float64], hole: str) -> bool:
    return bool(chances[HAND_CLASSES.index(hand_class(parse_cards(hole)))])


def test_a_strategy_from_a_file_is_played_at_a_real_table(tmp_path: Path) -> None:
    jam, call = (np.round(top_range(share)) for share in (40, 60))
    save_chart(tmp_path / "mine.json", PushFoldChart(np.array([10.0]), jam[None], call[None]), {"by": "hand"})
    data = tmp_path / "data"
    table = ("--push-fold", "--stack-bb", "10", "--tables", "1", "--seats", "2", "--bots", "raise")
    with Program(*POKERD, "serve", "--port", "0", "--web-port", "0", "--data", data, *table) as server:
        url = server.says(r"pokerd listens at (ws://\S+)")[1]
        mine = ("--strategy", tmp_path / "mine.json", "--url", url, "--join", "table-1")
        with Program(*POKERD, "bot", "pushfold", *mine):
            eventually(lambda: len(hands(data)) >= 60)
    made = [0, 0]
    # The server folds for a bot that has left: hands after those waited for are not of its strategy alone.
    for seated, (started, *events) in hands(data)[:60]:
        own = [name for name, _ in seated].index("pushfold")
        hole = started[7][started[2].index(own)]
        # The small blind jams or not; the big blind is asked after a jam only.
        for place, (_, seat, action, *_) in enumerate(event for event in events if event[0] == "acted"):
            if seat == own:
                made[place] += 1
                assert (action != "fold") == plays((jam, call)[place], hole), (place, hole)
    assert min(made) > 20
