"""``pokerd pushfold``: the push/fold equilibrium, and best responses to a player."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.text import Text

    from strategy.pushfold.game import HandTable, Pair
    from strategy.pushfold.rankings import Ranking

HELP = "solve push/fold exactly, or find the best response to a player"

_RANKINGS = ("strength", "sklansky-chubukov")
# Set both colours of a cell, so that it is readable on any background.
_PLAYED, _MIXED = "bold white on #1f4e79", "black on #ffc000"
_TITLE, _COLUMN, _CELL = 17, 12, 4


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.set_defaults(run=pushfold)
    parser.add_argument("--stack", required=True, metavar="S", help="the effective stack, in big blinds")
    parser.add_argument(
        "--against",
        metavar="PLAYER",
        help="find the best response to R/C (jam top R %%, call top C %%) or a strategy file (none)",
    )
    add_ranking_option(parser)
    parser.add_argument("--json", action="store_true", help="print all numbers and tables as JSON")
    parser.add_argument(
        "--png", type=Path, metavar="FILE", help="draw the two tables into this PNG file (not drawn)"
    )
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="save the tables for bot pushfold --strategy FILE (not saved)",
    )


def add_ranking_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--ranking``, which defines the top R % and C % of hands."""
    parser.add_argument(
        "--ranking", choices=_RANKINGS, default="strength", help="how to rank hands (%(default)s)"
    )


def ranking_of(options: argparse.Namespace) -> Ranking:
    """Return the chosen ranking."""
    from strategy.pushfold.rankings import SKLANSKY_CHUBUKOV, STRENGTH

    return STRENGTH if options.ranking == _RANKINGS[0] else SKLANSKY_CHUBUKOV


def pushfold(options: argparse.Namespace) -> int:
    """Run the command. Raises PushFoldError, StrategyFileError and MissingLibrary, which have codes, and
    OSError.
    """
    from strategy.pushfold.equilibrium import equilibrium

    ranking = ranking_of(options)
    stack = _number(options.stack, "bad_stack", "--stack is a number of big blinds")
    theirs = None if options.against is None else _player(options.against, stack, ranking)
    numbers: dict[str, Any] = {"stack": stack, "ranking": options.ranking, **_solutions(stack, ranking)}
    shown = equilibrium(stack)[:2]
    numbers["against"] = None
    if theirs is not None:
        numbers["against"], shown = _answers(theirs, stack, ranking)
    if options.save is not None:
        _save(options, stack, shown)
    if options.png is not None:
        from studies.harness.grids import save_grids

        save_grids(dict(zip(_titles(shown), shown, strict=True)), options.png)
    if options.json:
        print(json.dumps(numbers))
    else:
        _print(numbers, shown)
    return 0


def _save(options: argparse.Namespace, stack: float, shown: Pair) -> None:
    import numpy as np

    from strategy.pushfold.files import CAP, PushFoldChart, save_chart
    from strategy.pushfold.game import PushFoldError

    if stack > CAP:
        raise PushFoldError(
            "bad_stack", f"a strategy file supports stacks up to {CAP:g} big blinds, not {stack:g}"
        )
    made: dict[str, Any] = {"by": "pokerd pushfold", "stack": stack}
    if options.against is not None:
        made |= {"against": options.against, "ranking": options.ranking}
    save_chart(options.save, PushFoldChart(np.array([stack]), shown[0][None], shown[1][None]), made)


def _number(text: str, code: str, rule: str) -> float:
    from strategy.pushfold.game import PushFoldError

    try:
        return float(text)
    except ValueError:
        raise PushFoldError(code, f"{rule}, not {text!r}") from None


def _player(text: str, stack: float, ranking: Ranking) -> Pair:
    from strategy.pushfold.files import load_chart
    from strategy.pushfold.game import PushFoldError
    from strategy.pushfold.rankings import top_range

    if Path(text).is_file():
        return load_chart(Path(text)).pair(stack)
    try:
        jam, call = map(float, text.split("/"))
    except ValueError:
        rule = "--against is two percentages, such as 57/37, or a strategy file"
        raise PushFoldError("bad_percent", f"{rule}, not {text[:80]!r}") from None
    return top_range(jam, ranking), top_range(call, ranking)


def _solutions(stack: float, ranking: Ranking) -> dict[str, Any]:
    """Return the equilibrium, and that of ranked tables, by their names in JSON."""
    from strategy.pushfold.equilibrium import equilibrium, restricted_equilibrium

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
    from strategy.pushfold.equilibrium import equilibrium
    from strategy.pushfold.game import advantage, best_call, best_jam, value
    from strategy.pushfold.rankings import best_top_call, best_top_jam, top_range

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
    from strategy.pushfold.equilibrium import exploitability
    from strategy.pushfold.game import percent_played
    from strategy.pushfold.grids import by_name

    jam, call = exploitability(pair, stack)
    return {
        "jam_percent": percent_played(pair[0]),
        "call_percent": percent_played(pair[1]),
        "jam_exploitability_mbb": 1000 * jam,
        "call_exploitability_mbb": 1000 * call,
        "jam": by_name(pair[0]),
        "call": by_name(pair[1]),
    }


def _titles(shown: Pair) -> list[str]:
    from strategy.pushfold.game import percent_played

    return [
        f"{name} {percent_played(table):.2f} %" for name, table in zip(("jam", "call"), shown, strict=True)
    ]


def _print(numbers: dict[str, Any], shown: Pair) -> None:
    from rich.console import Console

    console = Console(highlight=False, markup=False)
    for line in _lines(numbers):
        console.print(line, soft_wrap=True)
    for title, table in zip(_titles(shown), shown, strict=True):
        console.print(f"\n{title}")
        for row in _grid(table):
            console.print(row, soft_wrap=True)


def _lines(numbers: dict[str, Any]) -> list[str]:
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


def _grid(table: HandTable) -> list[Text]:
    """Return the lines of a grid with its ranks; it is readable without colours."""
    from rich.text import Text

    from strategy.pushfold.grids import GRID_RANKS, text_grid

    lines = [Text("  " + "".join(f"{rank:^{_CELL}}" for rank in GRID_RANKS).rstrip())]
    for rank, cells in zip(GRID_RANKS, text_grid(table), strict=True):
        line = Text(f"{rank} ")
        for cell in cells:
            style = "" if cell == "." else _MIXED if cell.endswith("%") else _PLAYED
            line.append(f"{cell:^{_CELL}}", style)
        line.rstrip()
        lines.append(line)
    return lines
