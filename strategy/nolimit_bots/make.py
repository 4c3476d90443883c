"""Write what the bot ``nolimit`` plays: ``python -m strategy.nolimit_bots.make FILE...``, with files of
``pokerd train nolimit --depth BB --out FILE``.

The training is resumable, and a function of game, menu, seed and number of batches; so are the card states.
"""

from __future__ import annotations

import sys
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from strategy.nolimit.holdem import make_cards
from strategy.nolimit.training import HOLDEM_MENU, NoLimitSolver, holdem_task
from strategy.nolimit_bots.policy import CARDS_FILE, pack, packed_cards, policy_file
from strategy.packed_files import write_packed


def make(source: Path) -> None:
    """Write the strategy of a training file, its metadata, and the card states unless they are there.

    Raises SolveError, OSError; ValueError for another game or seed.
    """
    solver = NoLimitSolver.load(source)
    task = solver.task
    depth = task.game.stacks[0] // max(task.game.blinds)
    if task != holdem_task(depth, task.menu, task.seed):
        raise ValueError(f"{source} is of {task.game.name}, not of train nolimit --depth")
    if not CARDS_FILE.exists():
        _write(CARDS_FILE, packed_cards(make_cards(task.seed)), {"what": "card states", "seed": task.seed})
    menu = "" if task.menu == HOLDEM_MENU else f" --menu '{task.menu}'"
    facts = {
        "what": "average strategy of external-sampling MCCFR for heads-up no-limit hold'em",
        "command": f"python -m pokerd train nolimit --depth {depth}{menu} --seed {task.seed} "
        f"--iterations {solver.iterations}",
        "program": version("pokerd"),
        **task.header(),
        "batches": solver.iterations,
    }
    _write(policy_file(depth), pack(solver.tree, solver.table.policy()), facts)


def _write(path: Path, data: bytes, facts: dict[str, Any]) -> None:
    write_packed(path, {**facts, "bytes": len(data), "sha256": sha256(data).hexdigest()}, data)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        make(Path(name))
