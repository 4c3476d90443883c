from __future__ import annotations

import subprocess
import sys

import pytest

from dealer.rules.games import load_game
from strategy.registry import UnknownStrategy, create_strategy, strategy_names

KUHN, HOLDEM = load_game("kuhn.limit.3p"), load_game("holdem.limit.3p")


def test_every_name_makes_a_fresh_strategy() -> None:
    assert {"adaptive", "adaptive2", "call", "fair", "raise", "random"} <= set(strategy_names())
    assert list(strategy_names()) == sorted(strategy_names())
    for name in strategy_names():
        assert create_strategy(name, 1, HOLDEM) is not create_strategy(name, 1, HOLDEM)


def test_an_unknown_name_is_refused_and_told_what_there_is() -> None:
    with pytest.raises(UnknownStrategy, match=r"call, .*fair, .*random") as refusal:
        create_strategy("shark", 1, KUHN)
    assert refusal.value.code == "unknown_strategy"


@pytest.mark.parametrize("name", ["call", "raise", "random"])
def test_a_simple_bot_loads_no_heavy_library(name: str) -> None:
    program = f"""
import sys
from dealer.rules.games import load_game
from strategy.registry import create_strategy
create_strategy({name!r}, 1, load_game("kuhn.limit.3p"))
print(*(module for module in ("asyncio", "json", "numba", "numpy") if module in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
