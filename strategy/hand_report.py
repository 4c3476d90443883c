"""The strength, potential and equity of a hold'em hand against random hands, by the names in JSON, and as
text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from dealer.rules.cards import cards_text
from dealer.rules.evaluation import hand_label
from strategy.poker.combos import MathError
from strategy.poker.dealing import sampled_equity
from strategy.poker.income import PLAYERS, income_rate
from strategy.poker.kernels import rng
from strategy.poker.preflop import MAX_OPPONENTS, hand_class, preflop_equity
from strategy.poker.strength import check_cards, full_ehs, hand_strength, optimistic_ehs, potential

#: Deals by which equity against several opponents is estimated.
_SAMPLES: Final = 200_000
#: Characters of the titles and of each number.
_WIDTH: Final = 18
_COLUMN: Final = 9


def hand_report(hole: Sequence[int], board: Sequence[int], opponents: int) -> dict[str, Any]:
    """Return all numbers by their names in JSON; None for those that do not exist on this street.

    ``board`` has none or 3 to 5 cards, ``opponents`` are 1 to 9. Raises MathError.
    """
    check_cards(hole, board, (0, 3, 4, 5))
    if not 1 <= opponents <= MAX_OPPONENTS:
        raise MathError("bad_opponents", f"there can be 1 to {MAX_OPPONENTS} opponents, not {opponents}")
    values: dict[str, Any] = {
        "hole": cards_text(hole),
        "board": cards_text(board),
        "opponents": opponents,
        "class": hand_class(hole),
        "label": hand_label((*hole, *board)),
    }
    names = ("hs", "ppot1", "npot1", "ehs1", "ehs1_full", "ppot2", "npot2", "ehs2", "ehs2_full")
    values |= dict.fromkeys((*names, "ehs", "ehs_full"))
    if not board:
        rates = {str(players): income_rate(hole, players) for players in PLAYERS}
        return values | {
            "equity": preflop_equity(hole, opponents),
            "equity_error": None,
            "income_rates": rates,
        }
    values["hs"] = hs = hand_strength(hole, board, opponents=opponents)
    looks = {cards: potential(hole, board, cards) for cards in (1, 2) if not (cards == 2 and len(board) == 4)}
    for cards, look in looks.items():
        values[f"ppot{cards}"], values[f"npot{cards}"] = look.ppot, look.npot
        values[f"ehs{cards}"] = values["ehs"] = optimistic_ehs(hs, look.ppot)
        values[f"ehs{cards}_full"] = values["ehs_full"] = full_ehs(hs, look.ppot, look.npot)
    if opponents == 1:
        # The longest look-ahead reaches the river.
        return values | {"equity": looks[max(looks)].equity, "equity_error": None}
    estimate = sampled_equity(hole, board, opponents, state=rng("strength", hole, board), samples=_SAMPLES)
    return values | {"equity": estimate.value, "equity_error": estimate.error}


def report_lines(values: dict[str, Any]) -> list[str]:
    """Return the numbers of ``hand_report`` as text: a row for each, a column for each look-ahead."""
    opponents, board = values["opponents"], values["board"]
    lines = [
        f"{values['hole']} on {board}: {values['label']}"
        if board
        else f"{values['hole']}: {values['class']}",
        f"against {'1 random hand' if opponents == 1 else f'{opponents} random hands'}",
        "",
    ]
    if values["hs"] is not None:
        lines.append(_row("hand strength", values["hs"]))
    error = values["equity_error"]
    sampled = "" if error is None else f" +- {2 * error:.4f} (95 %)"
    lines.append(_row("equity", values["equity"]) + sampled)
    if board and len(board) < 10:
        looks = [cards for cards in (1, 2) if values[f"ppot{cards}"] is not None]
        heads = {1: "1 card", 2: "2 cards"}
        lines += ["", f"{'look-ahead':{_WIDTH}}" + "".join(f"{heads[cards]:>{_COLUMN}}" for cards in looks)]
        titles = {"PPot": "ppot{}", "NPot": "npot{}", "EHS, optimistic": "ehs{}", "EHS, full": "ehs{}_full"}
        for title, name in titles.items():
            lines.append(_row(title, *(values[name.format(cards)] for cards in looks)))
    for players, rate in values.get("income_rates", {}).items():
        lines.append(f"{f'income, {players} players':{_WIDTH}}{rate:>{_COLUMN}.0f} milli-bets")
    return lines


def _row(title: str, *numbers: float) -> str:
    return f"{title:{_WIDTH}}" + "".join(f"{number:>{_COLUMN}.4f}" for number in numbers)
