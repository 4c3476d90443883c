"""Push/fold strategies as small JSON files, which the bot ``pushfold`` plays.

    {"kind": "pushfold strategy", "version": 1, "made": {...},
     "stacks": [{"stack": 10, "jam": "22+, A2s+, 43s:0.71", "call": "22+, A2s+"}]}

Ranges are as ``strategy.poker.combos.parse_range`` reads them, with the chance after a colon where it is not
1. Between two stacks chances are interpolated; beyond the first and last, these are played. Instead of
``stacks`` there may be ``"caps": {"jam": "22+:10, 72o:2", "call": ...}``: the number after the colon is then
the largest effective stack, in big blinds, for which the hand is played, 0 if it is not named (the document,
3.3). ``made`` says what one likes. All stacks are in big blinds.
"""

from __future__ import annotations

import argparse
import json
from errno import EISDIR
from functools import cache
from os import strerror
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from strategy.errors import StrategyError
from strategy.poker.combos import CLASSES, MathError, format_range, parse_range, per_class
from strategy.pushfold.game import HandTable, Pair

_PATH = Path(__file__).parents[1] / "data" / "pushfold.json"
_KIND, _VERSION = "pushfold strategy", 1
_LONGEST = 4_000_000
CAP = 1000.0
"""Maximum stack and cap in a file, in big blinds."""
STACKS = (*(0.5 * half for half in range(2, 51)), 30.0, 35.0, 40.0, 50.0, 60.0, 80.0, 100.0, 150.0, 200.0)
"""Stacks of the equilibria that come with pokerd."""


class StrategyFileError(StrategyError):
    """A file that is not a push/fold strategy. The code is ``bad_strategy_file``."""

    code = "bad_strategy_file"


class PushFoldChart(NamedTuple):
    """Tables for every stack: ``jam`` and ``call`` float64[k, 169] at ``stacks`` float64[k], ascending.

    With ``caps`` there is one row, which has the largest stack for which each hand is played.
    """

    stacks: NDArray[np.float64]
    jam: NDArray[np.float64]
    call: NDArray[np.float64]
    caps: bool = False

    def pair(self, stack: float) -> Pair:
        """Return the tables for an effective stack."""
        if self.caps:
            known = min(stack, max(self.jam.max(), self.call.max()))
            return (self.jam[0] >= known).astype(np.float64), (self.call[0] >= known).astype(np.float64)
        above = min(int(np.searchsorted(self.stacks, stack)), len(self.stacks) - 1)
        below = max(above - 1, 0)
        gap = self.stacks[above] - self.stacks[below]
        share = min(max(float((stack - self.stacks[below]) / gap), 0.0), 1.0) if gap else 1.0
        jam, call = (share * table[above] + (1 - share) * table[below] for table in (self.jam, self.call))
        return jam, call


def save_chart(path: Path, chart: PushFoldChart, made: dict[str, Any]) -> None:
    """Write a file for ``load_chart``, completely or not at all. Raises OSError."""
    refuse_directory(path)
    jams, calls = ([_text(row) for row in rows] for rows in (chart.jam, chart.call))
    if chart.caps:
        body: dict[str, Any] = {"caps": {"jam": jams[0], "call": calls[0]}}
    else:
        rows = zip(chart.stacks.tolist(), jams, calls, strict=True)
        body = {"stacks": [{"stack": stack, "jam": jam, "call": call} for stack, jam, call in rows]}
    text = json.dumps({"kind": _KIND, "version": _VERSION, "made": made, **body}, indent=1)
    part = path.with_name(f"{path.name}.part")
    part.write_text(text + "\n", encoding="utf-8")
    part.replace(path)


def refuse_directory(path: Path) -> None:
    """Raise OSError if the path is a directory, before anything is written beside it."""
    if path.is_dir():
        raise IsADirectoryError(EISDIR, strerror(EISDIR), str(path))


def load_chart(path: Path) -> PushFoldChart:
    """Return the strategy in a file. Raises StrategyFileError, and OSError if it cannot be read."""
    try:
        with path.open(encoding="utf-8") as file:
            content = file.read(_LONGEST + 1)
        if len(content) > _LONGEST:
            raise StrategyFileError(f"{path}: longer than {_LONGEST:,} characters")
        return _parse_chart(json.loads(content))
    except (KeyError, TypeError) as error:
        raise StrategyFileError(
            f"{path}: something is missing or of the wrong kind: {str(error)[:80]}"
        ) from None
    except (MathError, StrategyFileError) as error:
        raise StrategyFileError(f"{path}: {error}") from None
    # Last, as the errors above are ValueErrors too; Python raises this one for integers of too many digits.
    except (ValueError, RecursionError) as error:
        raise StrategyFileError(f"{path}: not JSON: {str(error)[:80]}") from None


@cache
def shipped_chart() -> PushFoldChart:
    """Return the exact equilibria for ``STACKS``."""
    return load_chart(_PATH)


def _parse_chart(content: dict[str, Any]) -> PushFoldChart:
    version = content["version"]
    if content["kind"] != _KIND or isinstance(version, bool) or version != _VERSION:
        raise StrategyFileError(f"not a {_KIND} of version {_VERSION}")
    if ("caps" in content) == ("stacks" in content):
        raise StrategyFileError("there must be either stacks or caps")
    if "caps" in content:
        jam, call = (_table(content["caps"][seat], CAP)[None] for seat in ("jam", "call"))
        return PushFoldChart(np.zeros(1), jam, call, caps=True)
    entries = content["stacks"]
    stacks = [_stack(entry["stack"]) for entry in entries]
    if not stacks or sorted(set(stacks)) != stacks:
        raise StrategyFileError("stacks must be one or more, and rise")
    jam, call = (np.array([_table(entry[seat], 1.0) for entry in entries]) for seat in ("jam", "call"))
    return PushFoldChart(np.array(stacks), jam, call)


def _stack(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= CAP:
        raise StrategyFileError(f"a stack is above 0 and at most {CAP:g} big blinds, not {str(value)[:40]}")
    return float(value)


def _table(text: object, most: float) -> HandTable:
    if not isinstance(text, str):
        raise StrategyFileError("a range is a text")
    hands = parse_range(text)
    table = np.zeros(169)
    table[CLASSES] = hands
    if hands.max() > most or (table[CLASSES] != hands).any():
        raise StrategyFileError(f"a range has numbers from 0 to {most:g}, the same for all hands of a class")
    return table


def _text(table: HandTable) -> str:
    # Ten digits: the solver's further ones are meaningless.
    return format_range(per_class(np.round(table, 10)))


def main() -> None:
    """Solve the equilibria that come with pokerd, and write them."""
    from strategy.pushfold.equilibrium import equilibrium

    parser = argparse.ArgumentParser(
        description="Write the push/fold equilibria that the bot pushfold plays."
    )
    parser.add_argument("--out", type=Path, default=_PATH, help="(%(default)s)")
    options = parser.parse_args()
    found = [equilibrium(stack) for stack in STACKS]
    jam, call = np.array([one.jam for one in found]), np.array([one.call for one in found])
    save_chart(
        options.out, PushFoldChart(np.array(STACKS), jam, call), {"by": "python -m strategy.pushfold.files"}
    )


if __name__ == "__main__":
    main()
