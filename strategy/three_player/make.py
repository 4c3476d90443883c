"""Write hbb6's strategy: ``python -m strategy.three_player.make FILE``, with a file of ``pokerd train cfr``.

The training is resumable, and a function of game, seed and number of deals.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from strategy.packed_files import write_packed
from strategy.poker.strength_moments import Slices
from strategy.three_player.cfr_three import TREMBLE, ThreeSolver
from strategy.three_player.policy import FACTS, THREE_PLAYERS, pack, unpack

_HANDS = 1_000_000


def make(source: Path) -> None:
    """Write the strategy of a training file, and its metadata. Raises SolveError, OSError; ValueError for
    another game or other card states.
    """
    solver = ThreeSolver.load(source)
    if solver.task.game != THREE_PLAYERS:
        raise ValueError(f"{source} is of {solver.task.game.name}, not of {THREE_PLAYERS.name}")
    if solver.task.buckets:
        raise ValueError(f"{source} has clusters; the strategy that ships has hands cut by their outlook")
    cards = solver.cards
    assert isinstance(cards, Slices)
    data = pack(solver.policy())
    nets = solver.play(unpack(data), _HANDS)
    facts = {
        "what": "average strategy of external-sampling MCCFR for limit hold'em with three players",
        "command": f"python -m pokerd train cfr holdem.limit.3p --variant es-mccfr "
        f"--iterations {solver.iterations} --seed {solver.task.seed}",
        "program": version("pokerd"),
        "game": THREE_PLAYERS.text(),
        "deals": solver.iterations,
        "seed": solver.task.seed,
        "tremble": TREMBLE,
        "decisions": int((solver.graph.player >= 0).sum()),
        "bytes": len(data),
        "sha256": sha256(data.tobytes()).hexdigest(),
        "exploitability": None,
        "value": {
            "hands": _HANDS,
            "chips": [round(float(one), 4) for one in nets.mean(axis=0)],
            "error": [round(float(one) / _HANDS**0.5, 4) for one in nets.std(axis=0)],
        },
        "cuts": [{"squares": cut.squares.tolist(), "sums": cut.sums.tolist()} for cut in cards.cuts],
    }
    write_packed(FACTS, facts, data.tobytes())


if __name__ == "__main__":
    make(Path(sys.argv[1]))
