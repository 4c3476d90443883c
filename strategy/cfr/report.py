"""What was solved and how well, by the names in JSON, and as text."""

from __future__ import annotations

import math
from typing import Any

from strategy.cfr.training import ConvergenceCurve, Solver, TrainingProgress


def training_result(solver: Solver, curve: ConvergenceCurve) -> dict[str, Any]:
    """Return the result of a training with this progress."""
    end = curve[-1]
    return {
        **solver_facts(solver),
        "seconds": end.seconds,
        "cpu_seconds": end.cpu_seconds,
        **solver_quality(solver, end.exploitability),
        "curve": [[point.iterations, point.seconds, _json_number(point.exploitability)] for point in curve],
    }


def solver_facts(solver: Solver) -> dict[str, Any]:
    """Return what was solved, and for how many iterations."""
    task = solver.task
    return {"game": task.game.name, "variant": task.variant, "iterations": solver.iterations}


def solver_quality(solver: Solver, found: float | None) -> dict[str, Any]:
    """Return the exploitability ``found``, in chips and mbb, and the value of each position."""
    blind = max(solver.task.game.blinds)
    number = _json_number(found)
    return {
        "exploitability": number,
        "exploitability_mbb": None if number is None or not blind else 1000 * number / blind,
        "value": [_json_number(value) for value in solver.value()],
    }


def result_lines(result: dict[str, Any]) -> list[str]:
    """Return a result as text: that of ``training_result``, or of ``exploitability``."""
    lines = [f"{result['game']}, {result['variant']}, {result['iterations']:,} iterations"]
    if "seconds" in result:
        lines.append(f"{'solving':<20}{result['seconds']:.2f} s")
    found = result["exploitability"]
    text = "not computed" if found is None else f"{found:.6g} chips"
    if result["exploitability_mbb"] is not None:
        text += f", {result['exploitability_mbb']:.4g} mbb/hand"
    if result.get("recorded"):
        text += ", according to its side file"
    lines.append(f"{'exploitability':<20}{text}")
    for position, value in enumerate(result["value"]):
        text = "not computed" if value is None else f"{value:+.6g} chips"
        lines.append(f"{f'value, position {position}':<20}{text}")
    if "lbr_mbb" in result:
        lines.append(lbr_line(result))
    return lines


def lbr_line(result: dict[str, Any]) -> str:
    """Return as text what a local best response wins: ``lbr_mbb`` +- ``lbr_mbb_error``."""
    error = result["lbr_mbb_error"]
    text = "" if error is None else f" +- {error:.0f}"
    won = f"LBR wins {result['lbr_mbb']:.0f}{text} mbb/hand"
    return f"{'real game':<20}{won}; a best response wins at least as much"


def progress_text(now: TrainingProgress) -> str | None:
    """Return the exploitability as text; None if it was not computed this time."""
    if now.exploitability is None:
        return None
    return "" if math.isnan(now.exploitability) else f"exploitability {now.exploitability:.4g} chips"


def _json_number(value: float | None) -> float | None:
    """Return a number that JSON can represent, or None."""
    return None if value is None or math.isnan(value) else value
