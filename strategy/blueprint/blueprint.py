"""The heads-up limit hold'em strategy that comes with pokerd, and its file.

The file holds the average strategy of ``strategy.blueprint.bucketed`` in bytes: probabilities times 255,
rounded. A JSON file beside it says how the strategy was made and what a best response within the abstraction
wins against exactly the stored strategy. ``python -m strategy.blueprint.blueprint SOLUTION`` makes both from
a solver's file and puts them beside it.
"""

from __future__ import annotations

import argparse
import json
import lzma
import sys
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dealer.rules.games import load_game
from strategy.abstraction.abstraction import States, load_abstraction
from strategy.cfr.tree import BettingTree, compile_tree
from strategy.cfr.vectors import Vectors, make_layout
from strategy.parameters import BadParameters
from strategy.poker.kernels import Ints

if TYPE_CHECKING:
    from strategy.blueprint.bucketed import BucketedSolver

GAME = load_game("holdem.limit.2p.reverse_blinds")
"""Heads-up limit hold'em 10/20, as in ``games``. Position 0 is the big blind, 1 the button."""

SHIPPED = Path(__file__).parents[1] / "data" / "blueprint-k5.xz"

_WHOLE = 255

Parts = NDArray[np.uint8]


class Blueprint:
    """A strategy for ``GAME``, for every decision and every card state."""

    def __init__(self, k: int, packed: bytes, metadata: dict[str, Any]) -> None:
        """Wrap ``packed``, the file's content, and ``metadata``, the JSON file's."""
        self.game = GAME
        self.metadata = metadata
        self.tree: BettingTree = compile_tree(GAME)
        self.abstraction = load_abstraction(k)
        self.buckets = self.abstraction.buckets
        layout, _ = make_layout(self.tree, self.buckets)
        self._slot = layout.slot
        self._parts = _unpack(layout.slot, layout.width, lzma.decompress(packed))

    def card_state(self, hole: Sequence[int], board: Sequence[int]) -> int:
        """Return the state of a hand, 0 to ``buckets[street] - 1``; see ``Abstraction.card_state``."""
        return self.abstraction.card_state(hole, board)

    def all_states(self, board: Sequence[int]) -> States:
        """Return the state of every hand; see ``Abstraction.all_states``."""
        return self.abstraction.all_states(board)

    def policy(self, node: int, hole: Sequence[int], board: Sequence[int]) -> tuple[float, float, float]:
        """Return the probabilities of fold, call and raise, which sum to 1; 0 for illegal actions."""
        return self.chances(node, self.card_state(hole, board))

    def chances(self, node: int, state: int) -> tuple[float, float, float]:
        """Return the same as ``policy``, for a card state."""
        fold, call, raise_ = (self._part(node, action, state) / _WHOLE for action in range(3))
        return fold, call, raise_

    def table(self, node: int) -> NDArray[np.float32]:
        """Return the probabilities of fold, call and raise with every card state: float32[buckets[street],
        3].
        """
        width = self.buckets[self.tree.street[node]]
        result = np.zeros((width, 3), np.float32)
        for action, slot in enumerate(self._slot[node].tolist()):
            if slot >= 0:
                result[:, action] = self._parts[slot : slot + width]
        return result / np.float32(_WHOLE)

    def reached(self, node: int, state: int) -> bool:
        """Return whether the strategy itself can reach a decision with these cards against any opponent."""
        tree, player, street = self.tree, self.tree.player[node], int(self.tree.street[node])
        while node:
            action, node = int(tree.action[node]), int(tree.parent[node])
            state //= self.abstraction.k ** (street - int(tree.street[node]))
            street = int(tree.street[node])
            if tree.player[node] == player and not self._part(node, action, state):
                return False
        return True

    def _part(self, node: int, action: int, state: int) -> int:
        slot = self._slot[node, action]
        return int(self._parts[slot + state]) if slot >= 0 else 0


def quantise(slot: Ints, width: Ints, strategy: Vectors) -> Parts:
    """Return a strategy in parts of 255, which sum to 255 at every decision, in the given layout."""
    parts = np.zeros(len(strategy), np.uint8)
    for starts, states in zip(slot, width, strict=True):
        places = starts[starts >= 0, np.newaxis] + np.arange(states)
        if len(places):
            exact = strategy[places].astype(np.float64) * _WHOLE
            whole = np.floor(exact)
            # The missing parts go to the largest remainders.
            order = np.argsort(np.argsort(whole - exact, axis=0, kind="stable"), axis=0)
            parts[places] = whole + (order < np.rint(_WHOLE - whole.sum(axis=0)))
    return parts


def _pack(slot: Ints, width: Ints, parts: Parts) -> bytes:
    """Pack folds and raises; calls are the rest of 255."""
    return b"".join(
        parts[start : start + states].tobytes()
        for starts, states in zip(slot.tolist(), width.tolist(), strict=True)
        for start in (starts[0], starts[2])
        if start >= 0
    )


def _unpack(slot: Ints, width: Ints, data: bytes) -> Parts:
    packed = np.frombuffer(data, np.uint8)
    parts = np.full(int(((slot >= 0).sum(axis=1) * width).sum()), _WHOLE, np.uint8)
    place = 0
    for starts, states in zip(slot.tolist(), width.tolist(), strict=True):
        for start in (starts[0], starts[2]):
            if start >= 0:
                parts[start : start + states] = packed[place : place + states]
                parts[starts[1] : starts[1] + states] -= packed[place : place + states]
                place += states
    if place != len(packed):
        raise ValueError(f"{place} bytes are needed, not {len(packed)}")
    return parts


def write_blueprint(path: Path, solver: BucketedSolver, **metadata: object) -> dict[str, Any]:
    """Write a solver's average strategy and, with the suffix ``.json``, its side file; return the latter's
    content.

    Exploitability and value, in mbb/hand, are those of the written strategy. Raises OSError.
    """
    game, layout = solver.game, solver.game.layout
    parts = quantise(layout.slot, layout.width, solver.average())
    shipped = parts.astype(np.float32)
    chips = max(GAME.blinds) / 1000
    packed = lzma.compress(_pack(layout.slot, layout.width, parts), preset=9)
    path.write_bytes(packed)
    side = {
        "about": "Heads-up limit hold'em: chances in bytes, LZMA; format: strategy/blueprint/blueprint.py",
        "k": solver.abstraction.k,
        "variant": solver.task.variant,
        "seed": solver.task.seed,
        "iterations": solver.iterations,
        "deals": int(solver.deals.counts.sum(dtype=np.int64)) // 2,
        **metadata,
        "exploitability_mbb": round(game.exploitability(shipped) / chips, 3),
        "exploitability_mbb_before_rounding": round(solver.exploitability() / chips, 3),
        "value_mbb": [round(value / chips, 2) for value in game.values(shipped)],
        "sha256": sha256(packed).hexdigest(),
    }
    path.with_suffix(".json").write_text(json.dumps(side, indent=1) + "\n", encoding="ascii")
    return side


def read_blueprint(path: Path) -> Blueprint:
    """Read a file of ``write_blueprint``. Raises BadParameters for a missing file or another kind of file."""
    try:
        metadata = json.loads(path.with_suffix(".json").read_text(encoding="ascii"))
        packed = path.read_bytes()
        if sha256(packed).hexdigest() != metadata["sha256"]:
            raise ValueError(f"{path.with_suffix('.json').name} tells of another file")
        return Blueprint(metadata["k"], packed, metadata)
    except (OSError, ValueError, KeyError, TypeError, lzma.LZMAError) as error:
        raise BadParameters("blueprint", str(path), f"no blueprint with its side file: {error}") from error


@cache
def load_blueprint(path: Path | None = None) -> Blueprint:
    """Return the blueprint that comes with pokerd, or the one at ``path``; cached. Raises BadParameters."""
    return read_blueprint(SHIPPED if path is None else path)


def main(arguments: list[str] | None = None) -> None:
    """Run the command: make a blueprint from a solution."""
    from strategy.blueprint.bucketed import BucketedSolver

    parser = argparse.ArgumentParser(
        prog="python -m strategy.blueprint.blueprint", description="Make a blueprint, and its side file."
    )
    parser.add_argument(
        "solution", type=Path, help="what pokerd train cfr holdem.limit.2p.reverse_blinds wrote"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--out", type=Path, help="FILE.xz (beside SOLUTION, SOLUTION-kK.xz)")
    where.add_argument("--ship", action="store_true", help="replace the one that comes with pokerd")
    parser.add_argument("--metadata", type=json.loads, default={}, help="JSON: more for the side file")
    options = parser.parse_args(arguments)
    solver = BucketedSolver.load(options.solution)
    if solver.task.game.text() != GAME.text():
        parser.error(f"{options.solution} is of {solver.task.game.name}, not of {GAME.name}")
    beside = options.solution.with_name(f"{options.solution.stem}-k{solver.abstraction.k}.xz")
    if options.ship and solver.abstraction.k != load_blueprint().abstraction.k:
        parser.error(f"what ships has other buckets than {options.solution}")
    out = SHIPPED if options.ship else options.out or beside
    if out.suffix == ".json":
        parser.error("--out: .json is the ending of the side file")
    side = write_blueprint(out, solver, **options.metadata)
    sys.stdout.write(json.dumps(side, indent=1) + "\n")


if __name__ == "__main__":
    main()
