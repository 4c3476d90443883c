"""The examples of ``docs/extending.md`` do what the page says."""

from __future__ import annotations

from typing import Any

import pytest

from dealer.deck import secure_deals
from dealer.formats.fixed import FixedStacks
from dealer.rules.events import Acted, Event
from dealer.rules.games import load_game, parse_game
from strategy.checks import UnplayableGame
from strategy.registry import create_strategy
from studies.harness.session import play_session
from tests.docs.pages import ROOT, blocks, section

PAGE = ROOT / "docs" / "extending.md"
GAME = load_game("holdem.limit.2p.reverse_blinds")


def example(heading: str) -> dict[str, Any]:
    """What the Python below a heading defines."""
    names: dict[str, Any] = {}
    (block,) = [block for block in blocks(PAGE, "python") if block.text in section(PAGE, heading)]
    exec(block.text, names)
    return names


def test_the_bot_plays_and_refuses_other_games() -> None:
    pair = example("## A house bot")["PairBot"]
    deals = secure_deals(bytes(32), 0, GAME)
    told: list[Event] = []
    play_session(FixedStacks(GAME, deals, 60), [pair(1, GAME), create_strategy("call", 2, GAME)], told.extend)
    acted = {event.action for event in told if isinstance(event, Acted) and event.seat == 0}
    assert acted == {"call", "raise"}
    with pytest.raises(UnplayableGame):
        pair(1, load_game("kuhn.limit.2p"))


def test_the_game_is_one() -> None:
    (block,) = [block for block in blocks(PAGE, "text") if "GAMEDEF" in block.text]
    assert (parse_game(block.text, "new").players, block.text[0]) == (2, "#")
