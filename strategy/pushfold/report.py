"""Push/fold at one stack: the equilibrium, and the best answers to a player, as numbers and as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from strategy.pushfold.equilibrium import equilibrium, exploitability, restricted_equilibrium
from strategy.pushfold.files import CAP, PushFoldChart, load_chart, save_chart
from strategy.pushfold.game import (
    HandTable,
    Pair,
    PushFoldError,
    advantage,
    best_call,
    best_jam,
    percent_played,
    value,
)
from strategy.pushfold.grids import by_name
from strategy.pushfold.rankings import RANKINGS, Ranking, best_top_call, best_top_jam, top_range

_TITLE, _COLUMN = 17, 12


class PushFoldReport(NamedTuple):
    """The ``numbers`` by their names in JSON, and the ``best`` tables: the answers to the player, or without
    one the equilibrium.
    """

    numbers: dict[str, Any]
    best: Pair

    def grids(self) -> dict[str, HandTable]:
        """Return the best tables by their titles."""
        names = zip(("jam", "call"), self.best, strict=True)
        return {f"{name} {percent_played(table):.2f} %": table for name, table in names}

    def save(self, file: Path, made: dict[str, Any]) -> None:
        """Save the best tables as a strategy, with what has ``made`` them. Raises PushFoldError
        ``bad_stack`` and OSError.
        """
        stack = self.numbers["stack"]
        if stack > CAP:
            raise PushFoldError(
                "bad_stack", f"a strategy file supports stacks up to {CAP:g} big blinds, not {stack:g}"
            )
        jam, call = self.best
        save_chart(file, PushFoldChart(np.array([stack]), jam[None], call[None]), {**made, "stack": stack})

    def lines(self) -> list[str]:
        """Return the numbers as text, without the tables."""
        numbers = self.numbers
        lines = [
            f"push/fold heads-up, effective stack {numbers['stack']:g} big blinds",
            "",
            "in mbb/hand: what it is worth to the small blind, what can be won from each table",
            _row("", "jam %", "call %", "value", "from jam", "from call"),
        ]
        for title, name in (("equilibrium", "equilibrium"), ("of top tables", "ranked")):
            found = numbers[name]
            lines.append(_row(title, *_shares_of(found), _signed(found["value_mbb"]), *_loss_columns(found)))
        against = numbers["against"]
        if against is None:
            return lines
        lines.append(
            _row("opponent", *_shares_of(against), _signed(against["value_mbb"]), *_loss_columns(against))
        )
        lines += ["", "what is won from the opponent, over both seats", _row("", "jam %", "call %", "bb/100")]
        for title, name in (
            ("best answer", "best"),
            ("best top tables", "best_ranked"),
            ("equilibrium", "equilibrium"),
        ):
            lines.append(_row(title, *_shares_of(against[name]), _signed(against[name]["wins_bb_per_100"])))
        return lines


def push_fold_report(stack: str, ranking: str, against: str | None = None) -> PushFoldReport:
    """Solve push/fold with a ``stack`` in big blinds, and answer a player: percentages of jams and calls such
    as 57/37 by a ``ranking`` (of ``RANKINGS``), or a strategy's file. Raises PushFoldError,
    StrategyFileError and OSError.
    """
    try:
        depth = float(stack)
    except ValueError:
        raise PushFoldError("bad_stack", f"a stack is a number of big blinds, not {stack!r}") from None
    order = RANKINGS[ranking]
    theirs = None if against is None else _player(against, depth, order)
    numbers = {"stack": depth, "ranking": ranking, **_solutions(depth, order), "against": None}
    if theirs is None:
        return PushFoldReport(numbers, equilibrium(depth)[:2])
    numbers["against"], best = _answers(theirs, depth, order)
    return PushFoldReport(numbers, best)


def _player(text: str, stack: float, ranking: Ranking) -> Pair:
    if Path(text).is_file():
        return load_chart(Path(text)).pair(stack)
    try:
        jam, call = map(float, text.split("/"))
    except ValueError:
        rule = "a player is two percentages, such as 57/37, or a strategy file"
        raise PushFoldError("bad_percent", f"{rule}, not {text[:80]!r}") from None
    return top_range(jam, ranking), top_range(call, ranking)


def _solutions(stack: float, ranking: Ranking) -> dict[str, Any]:
    """Return the equilibrium, and that of ranked tables, by their names in JSON."""
    fair, ranked = equilibrium(stack), restricted_equilibrium(stack, ranking)
    return {
        "equilibrium": {
            **_exploitability_numbers((fair.jam, fair.call), stack),
            "value_mbb": 1000 * fair.value,
            "exploitability_mbb": 1000 * fair.exploitability,
        },
        "ranked": {
            **_exploitability_numbers((ranked.jam, ranked.call), stack),
            "value_mbb": 1000 * ranked.value,
            "exploitability_mbb": 1000 * ranked.exploitability,
            "jams": ranked.jams,
            "calls": ranked.calls,
        },
    }


def _answers(theirs: Pair, stack: float, ranking: Ranking) -> tuple[dict[str, Any], Pair]:
    """Return the best responses to a player and what they win, by their names in JSON, and their tables."""
    best = (best_jam(theirs[1], stack), best_call(theirs[0], stack))
    answers: dict[str, Pair] = {
        "best": best,
        "best_ranked": (
            top_range(best_top_jam(theirs[1], stack, ranking), ranking),
            top_range(best_top_call(theirs[0], stack, ranking), ranking),
        ),
        "equilibrium": equilibrium(stack)[:2],
    }
    by_answer = {
        name: {
            **_exploitability_numbers(mine, stack),
            "wins_bb_per_100": 100 * advantage(mine, theirs, stack),
        }
        for name, mine in answers.items()
    }
    played = _exploitability_numbers(theirs, stack)
    lost = played["jam_exploitability_mbb"] + played["call_exploitability_mbb"]
    worth = {"value_mbb": 1000 * value(*theirs, stack), "exploitability_mbb": lost}
    return {**played, **worth, **by_answer}, best


def _exploitability_numbers(pair: Pair, stack: float) -> dict[str, Any]:
    jam, call = exploitability(pair, stack)
    return {
        "jam_percent": percent_played(pair[0]),
        "call_percent": percent_played(pair[1]),
        "jam_exploitability_mbb": 1000 * jam,
        "call_exploitability_mbb": 1000 * call,
        "jam": by_name(pair[0]),
        "call": by_name(pair[1]),
    }


def _row(title: str, *columns: str) -> str:
    return (f"{title:{_TITLE}}" + "".join(f"{column:>{_COLUMN}}" for column in columns)).rstrip()


def _shares_of(found: dict[str, Any]) -> tuple[str, str]:
    return f"{found['jam_percent']:.3f}", f"{found['call_percent']:.3f}"


def _loss_columns(found: dict[str, Any]) -> tuple[str, str]:
    # Smaller numbers are rounding errors.
    jam, call = (round(found[f"{name}_exploitability_mbb"], 9) for name in ("jam", "call"))
    return f"{jam:.4g}", f"{call:.4g}"


def _signed(number: float) -> str:
    return f"{round(number, 4) + 0.0:+.4f}"
