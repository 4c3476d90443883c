"""How much a trained strategy loses to an exact best response, as it is or with streets solved again."""

from __future__ import annotations

import time
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from strategy.cfr.files import SolveError, read_arrays, read_header, write_arrays
from strategy.nolimit.resolve import ITERATIONS, METHODS, River, Turn
from strategy.nolimit.response import Floats, Profile, Responder, profile_of
from strategy.nolimit.small import SmallDeals
from strategy.nolimit.streets import EXPECT
from strategy.nolimit.training import NoLimitSolver
from strategy.progress import ProgressCallback, no_progress

STREETS: dict[str, type[River] | type[Turn]] = {"river": River, "turn": Turn}
"""From which street on the hand can be solved again: the last, or the last but one."""

_SAVE_EVERY = 30.0


class Resolving(NamedTuple):
    """From which of ``STREETS`` on, by which of ``resolve.METHODS``, and for how many iterations."""

    street: str
    method: str = "combined"
    iterations: int = ITERATIONS


def is_nolimit(path: Path) -> bool:
    """Return whether a file was written by ``train nolimit``. Raises OSError."""
    try:
        return read_header(path).get("method") == "nolimit"
    except SolveError:
        return False


def exact_result(
    path: Path,
    resolving: Resolving | None = None,
    *,
    out: Path | None = None,
    workers: int = 1,
    report: ProgressCallback = no_progress,
) -> dict[str, Any]:
    """Return what a best response wins from the strategy of a file, by the names in JSON.

    ``out``: where the work done is kept, to continue later. Raises SolveError and OSError.
    """
    solver = NoLimitSolver.load(path)
    if not isinstance(solver.deals, SmallDeals):
        raise SolveError("bad_setting", f"{solver.task.game.name} is too large for an exact best response")
    profile = profile_of(solver.tree, solver.deals, solver.table.policy())
    facts = {**solver.task.header(), "batches": solver.iterations, "visits": solver.table.visits}
    if resolving is not None:
        if resolving.street not in STREETS or resolving.method not in METHODS:
            raise SolveError("bad_setting", f"there is no {resolving.street} by {resolving.method}")
        if len(profile.streets) < 2:
            raise SolveError("bad_setting", "a game of one street has nothing to solve again")
        facts |= {f"resolved_{name}": value for name, value in resolving._asdict().items()}
    kept = _Kept(out, facts)
    won = [_won(profile, player, resolving, kept, workers, report) for player in range(2)]
    kept.save()
    mean, blind = sum(won) / 2, max(solver.task.game.blinds)
    return {
        **{name: value for name, value in facts.items() if name != "game"},
        "won": won,
        "exploitability": mean,
        "exploitability_mbb": 1000 * mean / blind if blind else None,
        "value": [Responder(profile, player, mode=EXPECT).value() for player in range(2)],
    }


def _won(
    profile: Profile,
    player: int,
    resolving: Resolving | None,
    kept: _Kept,
    workers: int,
    report: ProgressCallback,
) -> float:
    known = kept.of(player)
    if resolving is None:
        return Responder(profile, player, workers=workers, kept=known, report=report).value()
    games = STREETS[resolving.street](profile, 1 - player, resolving.method, resolving.iterations)
    return Responder(
        profile, player, at=games.street, subgames=games, workers=workers, kept=known, report=report
    ).value()


def exact_lines(result: dict[str, Any]) -> list[str]:
    """Return a result as text."""
    lines = [f"{result['name']}, {result['menu']}, {result['batches']:,} batches"]
    if "resolved_street" in result:
        lines.append(
            f"{'solved again':<20}{result['resolved_street']}, {result['resolved_method']}, "
            f"{result['resolved_iterations']:,} iterations"
        )
    text = f"{result['exploitability']:.6g} chips"
    if result["exploitability_mbb"] is not None:
        text += f", {result['exploitability_mbb']:.4g} mbb/hand"
    lines.append(f"{'exploitability':<20}{text}")
    for place, value in enumerate(result["value"]):
        lines.append(f"{f'value, position {place}':<20}{value:+.6g} chips")
    return lines


class _Kept:
    """Values by position and board of the second street, in a file if there is one."""

    def __init__(self, path: Path | None, facts: dict[str, Any]) -> None:
        self.path, self.facts = path, {"kind": "best response", **facts}
        self.arrays: dict[str, NDArray[Any]] = {}
        self._due = time.monotonic() + _SAVE_EVERY
        if path is not None and path.exists():
            header, self.arrays = read_arrays(path)
            if any(header.get(name) != value for name, value in self.facts.items()):
                raise SolveError("other_setting", f"{path} is of another strategy, or of other settings")

    def of(self, player: int) -> MutableMapping[int, Floats]:
        return _OfPlayer(self, player)

    def add(self, name: str, values: Floats) -> None:
        self.arrays[name] = values
        if time.monotonic() >= self._due:
            self.save()

    def save(self) -> None:
        if self.path is not None:
            write_arrays(self.path, self.facts, self.arrays)
        self._due = time.monotonic() + _SAVE_EVERY


class _OfPlayer(dict[int, Floats]):
    """The values of one position, by board; what is set is kept."""

    def __init__(self, kept: _Kept, player: int) -> None:
        prefix = f"p{player}_"
        names = (name for name in kept.arrays if name.startswith(prefix))
        super().__init__({int(name.removeprefix(prefix)): kept.arrays[name] for name in names})
        self._kept, self._prefix = kept, prefix

    def __setitem__(self, board: int, values: Floats) -> None:
        super().__setitem__(board, values)
        self._kept.add(f"{self._prefix}{board}", values)
