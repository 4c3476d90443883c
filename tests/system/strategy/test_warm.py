"""What is compiled before a bot sits down is all that it needs there."""

from __future__ import annotations

import subprocess
import sys

import pytest

from strategy.precompile import precompile
from strategy.registry import UnknownStrategy, strategy_names

#: In a process of its own, as whatever was compiled before would be there already.
PLAY = """
import gc, sys
from numba.core.dispatcher import Dispatcher
from clients.strategy_bot import strategy_bot
from dealer.deck import secure_deals
from dealer.formats.fixed import FixedStacks
from dealer.rules.games import holdem
from strategy.registry import create_strategy, parameters_of
from studies.harness.session import play_session

def compiled():
    ours = [one for one in gc.get_objects() if isinstance(one, Dispatcher)]
    return {(one.__module__, one.__qualname__, str(types)) for one in ours for types in one.signatures}

name = sys.argv[1]
# To solve streets for as long as it does takes seconds each.
brief = parameters_of(name, {"iterations": 4, "turn_iterations": 3}) if name == "nolimit+search" else None
strategy_bot(name)
before = compiled()
assert any(module.startswith("strategy.") for module, *_ in before)
for limit in (True, False):
    for players in (2, 3, 6):
        game = holdem(players, 5, 10, limit=limit)
        others = ("random", name, "call", "raise", name)
        whose = enumerate((name, *others)[:players])
        bots = [create_strategy(who, seat, game, brief if who == name else None) for seat, who in whose]
        play_session(FixedStacks(game, secure_deals(b"warm".ljust(32), 0, game), 3), bots)
assert compiled() == before, compiled() - before
"""
#: The slow library, if a cheap bot loads it.
LOADED = """
import sys
from clients.strategy_bot import strategy_bot
strategy_bot(sys.argv[1])
print("numba" if "numba" in sys.modules else "")
"""


def run(code: str, name: str) -> str:
    done = subprocess.run([sys.executable, "-c", code, name], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "name", ["adaptive2", "akuma", "cfr+river", "loki1", "loki2", "loki2-s", "nolimit+search"]
)
def test_nothing_is_compiled_at_the_table(name: str) -> None:
    run(PLAY, name)


@pytest.mark.parametrize("name", ["call", "random"])
def test_who_compiles_nothing_starts_as_fast_as_before(name: str) -> None:
    assert run(LOADED, name) == ""


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(UnknownStrategy, match="shark"):
        precompile("shark")


def test_every_strategy_plays_the_hand() -> None:
    for name in strategy_names():
        precompile(name)
