"""Solve hbb6's games after a fold, and write the shipped files.

Usage: ``python -m strategy.three_player.make_folds DIRECTORY``. Every game has a file in the directory, from
which an interrupted command continues. Everything is a function of hbb6's strategy, the number of iterations
and the seed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import numpy as np

from strategy.cfr.graph import BettingGraph
from strategy.packed_files import write_packed
from strategy.poker.strengths import make_strengths
from strategy.three_player.policy import FACTS as TABLE_FACTS
from strategy.three_player.policy import Bytes, load_policy
from strategy.three_player.subgame_strategy import FACTS, pack, unpack
from strategy.three_player.subgames import (
    SubgameRoot,
    SubgameSolver,
    most_similar,
    subgame_nodes,
    subgame_roots,
)

MIN_CHANCE = 2e-4
"""Nodes where two begin the flop less often than this use the most similar of the other games."""

_STEP = 100


def solve(wanted: list[SubgameRoot], directory: Path, iterations: int, seed: int) -> Iterator[SubgameSolver]:
    """Solve games one after the other, each saved in the directory. Raises SolveError and OSError."""
    strengths = None
    for start in wanted:
        path = directory / f"{start.node}.npz"
        if path.exists():
            solver = SubgameSolver.load(path)
        else:
            strengths = strengths or make_strengths()
            solver = SubgameSolver.set_root(start, load_policy().graph, strengths, seed)
        while solver.iterations < iterations:
            solver.iterate(min(_STEP, iterations - solver.iterations))
            solver.save(path)
        sys.stderr.write(f"node {start.node}, pot {solver.pot}: {solver.iterations} iterations\n")
        yield solver


def make(directory: Path, iterations: int, seed: int) -> None:
    """Write the strategies and their metadata. Raises SolveError and OSError."""
    graph, every = load_policy().graph, subgame_roots(load_policy())
    wanted = [start for start in every if start.chance >= MIN_CHANCE]
    nodes = [start.node for start in wanted]
    games, packed = [], []
    for start, solver in zip(wanted, solve(wanted, directory, iterations, seed), strict=True):
        packed.append(pack(solver))
        games.append(_facts(graph, start, solver, packed[-1]))
    data = np.concatenate(packed).tobytes()
    facts = {
        "what": "average strategies of discounted CFR for flops of two, after one of three folded",
        "command": f"python -m strategy.three_player.make_folds DIRECTORY --iterations {iterations}"
        f" --seed {seed}",
        "program": version("pokerd"),
        "hbb6": json.loads(TABLE_FACTS.read_text(encoding="ascii"))["sha256"],
        "iterations": iterations,
        "covered": round(sum(start.chance for start in wanted) / sum(start.chance for start in every), 6),
        "bytes": len(data),
        "sha256": sha256(data).hexdigest(),
        "games": games,
        "game_of_node": {
            str(node): nodes.index(most_similar(graph, node, nodes)) for node in subgame_nodes(graph)
        },
    }
    write_packed(FACTS, facts, data)


def _facts(
    graph: BettingGraph, start: SubgameRoot, solver: SubgameSolver, packed: Bytes
) -> dict[str, object]:
    """Return value and exploitability of the shipped strategy within the abstraction, in mbb. The value is
    the first player's, in addition to half of the third player's chips.
    """
    shipped = unpack(solver.game.layout, packed)
    # Half chips, of which a big blind has 20.
    mbb = 1000 / 20
    return {
        "node": start.node,
        "paid": graph.paid[start.node].tolist(),
        "live": np.flatnonzero(graph.live[start.node]).tolist(),
        "chance": round(start.chance, 6),
        "value_mbb": round(solver.game.values(shipped)[0] * mbb, 1),
        "exploitability_mbb": round(solver.exploitability(shipped) * 2 * mbb, 2),
        "exploitability_mbb_before_rounding": round(solver.exploitability(solver.average()) * 2 * mbb, 2),
    }


def main(arguments: list[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m strategy.three_player.make_folds", description="Solve hbb6's games after a fold."
    )
    parser.add_argument("directory", type=Path, help="where to keep what is solved, to go on from there")
    parser.add_argument("--iterations", type=int, default=600, help="of each game; default: %(default)s")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    make(options.directory, options.iterations, options.seed)


if __name__ == "__main__":
    main()
