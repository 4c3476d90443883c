"""Write what the bot ``nolimit`` plays: ``python -m strategy.nolimit_bots.make FILE... --out DIR``.

Files are of ``pokerd train nolimit --depth BB --out FILE``. What comes with pokerd is in ``strategy/data``.

The training is resumable, and a function of game, menu, seed and number of batches; so are the card states.
"""

from __future__ import annotations

import argparse
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from strategy.nolimit.holdem import make_cards
from strategy.nolimit.training import HOLDEM_MENU, NoLimitSolver, holdem_task
from strategy.nolimit_bots.policy import CARDS_FILE, pack, packed_cards, policy_file
from strategy.packed_files import read_packed, write_packed


def make(source: Path, out: Path) -> Path:
    """Write the strategy of a training file to a folder, its metadata, and the card states unless they are
    there; return the metadata file.

    Raises SolveError, OSError; ValueError for another game, and for other card states there.
    """
    solver = NoLimitSolver.load(source)
    task = solver.task
    depth = task.game.stacks[0] // max(task.game.blinds)
    if task != holdem_task(depth, task.menu, task.seed):
        raise ValueError(f"{source} is of {task.game.name}, not of train nolimit --depth")
    out.mkdir(parents=True, exist_ok=True)
    cards = out / CARDS_FILE.name
    if not cards.exists():
        # Any training with the seed gives them.
        facts = {"what": "card states", "command": command(10, "", task.seed, 1), "seed": task.seed}
        _write(cards, packed_cards(make_cards(task.seed)), facts)
    elif read_packed(cards)[0]["seed"] != task.seed:
        raise ValueError(f"{cards} is of another seed than {source}")
    menu = "" if task.menu == HOLDEM_MENU else f" --menu '{task.menu}'"
    facts = {
        "what": "average strategy of external-sampling MCCFR for heads-up no-limit hold'em",
        "command": command(depth, menu, task.seed, solver.iterations),
        "program": version("pokerd"),
        **task.header(),
        "batches": solver.iterations,
    }
    file = out / policy_file(depth).name
    _write(file, pack(solver.tree, solver.table.policy()), facts)
    return file


def command(depth: int, menu: str, seed: int, iterations: int) -> str:
    """Return what writes a strategy; ``menu``: the option, or nothing."""
    return (
        f"python -m pokerd train nolimit --depth {depth}{menu} --seed {seed} --iterations {iterations} "
        "--out FILE && python -m strategy.nolimit_bots.make FILE --out DIR"
    )


def _write(path: Path, data: bytes, facts: dict[str, Any]) -> None:
    write_packed(path, {**facts, "bytes": len(data), "sha256": sha256(data).hexdigest()}, data)


def main() -> None:
    """Write the strategies of files."""
    parser = argparse.ArgumentParser(description="Write what nolimit plays.")
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="of train nolimit --depth --out")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="write there")
    asked = parser.parse_args()
    for file in asked.files:
        make(file, asked.out)


if __name__ == "__main__":
    main()
