"""The weight tables of all players in a hand, updated before each decision.

There is one table for each player, including Loki's own: what the others can know of Loki's hand. Tables use
only public information, so they may include cards that one player knows to be elsewhere; readers leave these
out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from strategy.loki.boards import all_ehs, fast_ppots
from strategy.loki.model import (
    SIGMA,
    SIGMA_INCOME,
    ActionRates,
    income_mean,
    linear_factor,
    mean_of,
    mean_table,
    reweight,
    sigma_part,
)
from strategy.loki.triples import OTHERS, triples
from strategy.loki.views import View
from strategy.poker.batch import all_strengths
from strategy.poker.combos import HANDS, Weights
from strategy.poker.income import income_rates
from strategy.situation import PastAction, Situation

ThresholdPair = tuple[float, float]
"""EHS from which a player bets, and raises."""


class ActionModel(NamedTuple):
    """How actions are interpreted: ``rates`` by seat, street and bets to call, ``thresholds`` by seat.

    With ``triples`` these reweight after the flop (Peña 1999, 4.2.2), otherwise the linear factor does, which
    ignores checks, since any hand may check.
    """

    rates: Callable[[int, int, int], ActionRates]
    thresholds: Callable[[int], ThresholdPair]
    triples: bool = False


_ACTIONS = ("fold", "call", "raise")
_LEAST_FACTOR = 0.05
# A triple may say "never"; an opponent does not know that.


def strengths_of(board: tuple[int, ...], field: Weights, opponents: int) -> Weights:
    """Return HS of every hand against this many opponents from one table."""
    strengths: Weights = all_strengths(board, field) ** opponents
    return strengths


def _hand_key(situation: Situation) -> tuple[object, ...]:
    return situation.hand, situation.seats, situation.seat, situation.hole, situation.board[:3]


class WeightTables:
    """Weight tables float64[players, 1326] by position, after the actions given to ``update``."""

    def __init__(self, situation: Situation | None = None) -> None:
        players = situation.players if situation else 0
        self.weights = np.ones((players, HANDS))
        self._hand = _hand_key(situation) if situation else None
        self._taken: tuple[PastAction, ...] = ()
        self._street = 0
        self._means = [0.0] * players
        self._saved = self.weights.copy()

    def same_hand(self, situation: Situation) -> bool:
        """Return whether this is a later decision of the hand that these tables are for."""
        same = self._hand == _hand_key(situation)
        return same and situation.history[: len(self._taken)] == self._taken

    def field(self, positions: Sequence[int]) -> Weights:
        """Return one table for these players."""
        return mean_table([self.weights[position] for position in positions])

    def update(self, situation: Situation, views: Sequence[View], model: ActionModel) -> None:
        """Apply the new actions.

        Players who have folded by now are skipped: their hands are no longer needed.
        """
        active = [position for position, folded in enumerate(situation.folded) if not folded]
        taken = len(self._taken)
        for step, view in zip(situation.history[taken:], views[taken:], strict=True):
            if view.street != self._street:
                self._street = view.street
                self._saved = self.weights.copy()
                self._means = [0.0] * len(self._means)
            if not situation.folded[view.position]:
                board = situation.board[: (0, 3, 4, 5)[view.street]]
                self._apply_action(step.kind, step.seat, view, board, active, model)
        self._taken = situation.history

    def table_after(self, kind: str, situation: Situation, view: View, model: ActionModel) -> Weights:
        """Return the table of the player to act after that action: float64[1326]."""
        then = WeightTables()
        then.weights, then._saved, then._means = self.weights.copy(), self._saved, list(self._means)
        if view.street != self._street:
            then._saved, then._means = self.weights, [0.0] * len(self._means)
        active = [position for position, folded in enumerate(situation.folded) if not folded]
        then._apply_action(kind, situation.seat, view, situation.board, active, model)
        table: Weights = then.weights[view.position]
        return table

    def _apply_action(
        self,
        kind: str,
        seat: int,
        view: View,
        board: tuple[int, ...],
        active: Sequence[int],
        model: ActionModel,
    ) -> None:
        if board and model.triples:
            self._update_by_triples(kind, view, board, active, model.thresholds(seat))
        else:
            mean = mean_of(kind, model.rates(seat, view.street, view.to_call))
            self._update_by_frequency(view.position, board, mean)

    def _update_by_frequency(self, position: int, board: tuple[int, ...], mean: float) -> None:
        # Once per player and street: a stronger action replaces a weaker one.
        if mean <= self._means[position]:
            return
        if board:
            factor = linear_factor(all_ehs(board), mean, SIGMA * sigma_part(mean))
        else:
            income = income_mean(mean)
            if income is None:
                return
            factor = linear_factor(income_rates(7), income, SIGMA_INCOME * sigma_part(mean))
        self._means[position] = mean
        self.weights[position] = reweight(self._saved[position], factor)

    def _update_by_triples(
        self, kind: str, view: View, board: tuple[int, ...], active: Sequence[int], thresholds: ThresholdPair
    ) -> None:
        others = [position for position in active if position != view.position]
        found = triples(
            OTHERS,
            strengths_of(board, self.field(others), view.opponents),
            fast_ppots(board),
            view.facts,
            *thresholds,
        )
        factor = np.maximum(_LEAST_FACTOR, found[:, _ACTIONS.index(kind)])
        self.weights[view.position] = reweight(self.weights[view.position], factor)
