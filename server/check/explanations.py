"""Explains why the rules refused an action. No I/O."""

from __future__ import annotations

from server.check.model import JsonMessage


def explain_illegal(turn: JsonMessage, act: JsonMessage, mine: int, top: int, before: int) -> tuple[str, str]:
    """Return the check that an illegal act violates, and an explanation.

    ``mine`` and ``top`` are the program's own and the highest bet on this street; ``before`` is what the
    program put in on earlier streets.
    """
    action = act.get("action")
    if action == "check":
        return "check-a-bet", f"It checked with {turn['call']} chips to call."
    if action == "fold":
        return "fold-free", "It folded although it could check: turn.fold was false."
    bounds = turn["raise_to"]
    if action != "raise":
        return "refused", f"The action {action!r} was refused."
    if bounds is None:
        return "no-raise", "It raised although turn.raise_to was null."
    return _amount(bounds, act.get("to", 0), mine, top, before)


def _amount(bounds: tuple[int, int], to: int, mine: int, top: int, before: int) -> tuple[str, str]:
    least, most = bounds
    allowed = f"{least} to {most} is" if least < most else f"only {least} is"
    where = f"It raised to {to}, where {allowed} allowed."
    if to < least:
        if to + mine == least and mine:
            return "raise-to", _amount_hint(where, f"{to} more than the {mine} in front of it", to + mine)
        if to <= top and least <= to + top <= most:
            return "raise-to", _amount_hint(where, f"{to} more than the bet of {top}", to + top)
    elif before and least <= to - before <= most:
        return "raise-bounds", (
            f"{where} It seems to count the whole hand, as ACPC programs do: {before} chips went in on "
            f"earlier streets, so {to - before} would be right on this one."
        )
    return "raise-bounds", where


def _amount_hint(where: str, meant: str, right: int) -> str:
    return f"{where} It seems to raise by an amount: if it meant {meant}, {right} would be right."
