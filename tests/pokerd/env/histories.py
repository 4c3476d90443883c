"""Random histories of OpenSpiel's ``universal_poker`` and of the same games by our rules, side by side."""

from __future__ import annotations

from importlib import import_module
from random import Random
from typing import Any, NamedTuple


class Pair(NamedTuple):
    """The name of a game here, and the settings of the same game there."""

    ours: str
    theirs: str


_DECK = "numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,numRounds=4"

#: OpenSpiel's limit games know no stacks, so there nobody here runs out of chips either.
PAIRS = {
    "limit 2": Pair(
        "limit.game",
        "betting=limit,numPlayers=2,blind=10 5,raiseSize=10 10 20 20,firstPlayer=2 1 1 1,"
        f"maxRaises=3 4 4 4,stack=1000 1000,{_DECK}",
    ),
    "limit 3": Pair(
        "limit3.game",
        "betting=limit,numPlayers=3,blind=5 10 0,raiseSize=10 10 20 20,firstPlayer=3 1 1 1,"
        f"maxRaises=3 4 4 4,stack=400 400 400,{_DECK}",
    ),
    "no-limit 2": Pair(
        "nolimit.game",
        "betting=nolimit,bettingAbstraction=fullgame,numPlayers=2,blind=10 5,firstPlayer=2 1 1 1,"
        f"stack=300 200,{_DECK}",
    ),
    "no-limit 6": Pair(
        "nolimit6.game",
        "betting=nolimit,bettingAbstraction=fullgame,numPlayers=6,blind=5 10 0 0 0 0,firstPlayer=3 1 1 1,"
        f"stack=100 200 150 40 300 200,{_DECK}",
    ),
}


def game_file(settings: str) -> str:
    """The settings as a game file."""
    fields = dict(
        field.split("=") for field in settings.split(",") if field.partition("=")[0] != "bettingAbstraction"
    )
    kind = fields.pop("betting")
    lines = [f"{key} = {value}" for key, value in fields.items()]
    return "\n".join(["GAMEDEF", kind, *lines, "END GAMEDEF", ""])


def compare(name: str, path: str, histories: int, seed: object) -> int:
    """Play so many random histories in both and compare every state; return the number of states."""
    pyspiel: Any = import_module("pyspiel")
    import_module("pokerd.env.spiel")
    theirs = pyspiel.load_game(f"universal_poker({PAIRS[name].theirs})")
    ours = pyspiel.load_game("pokerd", {"game": path})
    random, states = Random(f"histories {seed}"), 0
    for _ in range(histories):
        their, our = theirs.new_initial_state(), ours.new_initial_state()
        while True:
            states += 1
            assert our.current_player() == their.current_player(), str(our)
            assert our.is_terminal() == their.is_terminal()
            if their.is_terminal():
                break
            if their.is_chance_node():
                outcomes = their.chance_outcomes()
                assert our.chance_outcomes() == outcomes
                action = random.choice(outcomes)[0]
            else:
                legal = their.legal_actions()
                assert our.legal_actions() == legal, str(our)
                action = random.choice(legal[:3]) if random.random() < 0.7 else random.choice(legal)
            their.apply_action(action)
            our.apply_action(action)
        assert our.returns() == their.returns(), str(our)
    return states
