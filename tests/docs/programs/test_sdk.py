"""The page on the SDK: its programs run, and it names all there is."""

from __future__ import annotations

from inspect import isfunction
from typing import Any

import pytest

import pokerd_bot
from pokerd_bot.bot import Bot
from pokerd_bot.hand import Hand, Match, PlayerState
from pokerd_bot.testing import OPPONENTS, play
from pokerd_bot.turn import Turn
from protocol import messages
from tests.docs.pages import ROOT, blocks, code, prose, read

PAGE = ROOT / "docs" / "sdk.md"


def test_the_programs_run_and_their_bots_play() -> None:
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks(PAGE, "python"):
        exec(compile(block.text, block.name, "exec"), names)
    tests = [value for name, value in names.items() if name.startswith("test_")]
    assert tests
    for test in tests:
        test()
    bots = [value for value in names.values() if isinstance(value, type) and issubclass(value, Bot)]
    assert len(bots) > 1
    for bot in bots:
        assert play([bot, "random"], hands=3).hands == 3


def members(kind: type) -> set[str]:
    """Everything public that an object of this class has."""
    found = {name for name in vars(kind) if not name.startswith("_")} | set(getattr(kind, "__slots__", ()))
    if kind is Match:
        found |= set(vars(Match(_start())))
    return found - {"count", "index"}


def _start() -> messages.MatchStart:
    made: list[Match] = []

    class Keeper(Bot):
        def __init__(self, match: Match) -> None:
            super().__init__(match)
            made.append(match)

    play([Keeper, "call"], hands=1)
    return made[0].info


@pytest.mark.parametrize("kind", [Bot, Hand, Match, PlayerState, Turn])
def test_every_member_is_told(kind: type) -> None:
    told = {word.split("(")[0].split(" ")[0] for word in code(prose(PAGE))}
    assert members(kind) <= told, members(kind) - told


def test_every_name_and_opponent_is_told() -> None:
    text = read(PAGE)
    offered = set(pokerd_bot.__all__) - {"messages", "PlayerState", "Pot"}
    assert [name for name in offered if name not in text] == []
    assert [name for name in OPPONENTS if f"`{name}`" not in text] == []
    assert all(isfunction(getattr(pokerd_bot, name)) for name in ("run", "equity", "hand_rank", "hand_name"))
