"""The adaptive player of Aceituno 2017."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import ClassVar

from dealer.rules.actions import Action
from dealer.rules.events import Event, HandStarted
from dealer.rules.games import Game
from strategy.adaptive.decision import (
    action_for,
    bet_share,
    choose,
    position_share,
    raise_amount,
    stack_share,
    utility,
)
from strategy.adaptive.learning import STREETS, ActionStatistics, HandRecorder, HandVector, Thresholds, learn
from strategy.adaptive.value import value
from strategy.checks import require_holdem, verify_situation
from strategy.parameters import (
    BadParameters,
    choice_field,
    int_field,
    number_field,
    numbers_field,
    verify_fields,
)
from strategy.situation import Situation


@dataclass(frozen=True)
class AdaptiveParameters:
    """The settings that the document varies; the defaults are the best configuration that it found (6.3).

    ``mu`` is the step of learning, one for all streets or one for each. ``learn_every`` is the number of
    hands between two updates, 0 for a player who does not learn; the document does not give it. ``gap`` is
    the smallest distance from ``fold_below`` to ``raise_at``: not given either, and 0.01 is the largest that
    the document's results allow. ``min_raise``: the smallest intended raise, ``bb`` one big blind above the
    call (3.1.4), ``last_raise`` the table's minimum, which always applies.

    Raises BadParameters.
    """

    raise_at: float = number_field(0.55, 0, 1)
    fold_below: float = number_field(0.3, 0, 1)
    weight_v: float = number_field(0.6, 0, 1)
    weight_p: float = number_field(0.1, 0, 1)
    weight_b: float = number_field(0.2, 0, 1)
    weight_s: float = number_field(0.1, 0, 1)
    mu: tuple[float, ...] = numbers_field((0.02,), (1, STREETS), 0, 1)
    learn_every: int = int_field(0, 0, 1_000_000)
    gap: float = number_field(0.01, 0, 1)
    memory: str = choice_field("all", "all", "window")
    min_raise: str = choice_field("bb", "bb", "last_raise")

    def __post_init__(self) -> None:
        verify_fields(self)
        total = sum(self.weights)
        if not abs(total - 1) < 1e-9:
            raise BadParameters("weight_v, weight_p, weight_b, weight_s", self.weights, "must sum to 1")
        if self.raise_at - self.fold_below < self.gap - 1e-9:
            raise BadParameters("raise_at", self.raise_at, "must be at least fold_below + gap")

    @property
    def weights(self) -> tuple[float, float, float, float]:
        """Return the weights of V, P, B and S."""
        return self.weight_v, self.weight_p, self.weight_b, self.weight_s

    @property
    def steps(self) -> tuple[float, ...]:
        """Return mu by street."""
        return self.mu * STREETS if len(self.mu) == 1 else self.mu


@dataclass(frozen=True)
class LearningParameters(AdaptiveParameters):
    """As ``AdaptiveParameters``, but for ``learn_every``. Raises BadParameters."""

    learn_every: int = int_field(10, 1, 1_000_000)


class AdaptiveBot:
    """Compares a utility, the weighted sum of four facts, with two thresholds that move with its losses.

    ``thresholds`` are the current ones, ``vectors`` the hands since the last update, and ``ledger`` their
    totals.
    """

    Parameters: ClassVar[type[AdaptiveParameters]] = AdaptiveParameters

    def __init__(self, seed: int, game: Game, parameters: AdaptiveParameters | None = None) -> None:
        require_holdem("adaptive", game)
        self.parameters = self.Parameters() if parameters is None else parameters
        self.thresholds = Thresholds(self.parameters.raise_at, self.parameters.fold_below)
        self.vectors: deque[HandVector] = deque(maxlen=self.parameters.learn_every)
        self.ledger = ActionStatistics()
        self._weights = self.parameters.weights
        self._recorder = HandRecorder()
        self._posted = 0

    def decide(self, situation: Situation) -> Action:
        """Fold, call or raise. Raises SituationError."""
        verify_situation(situation)
        worth = self.utility(situation)
        raise_at, fold_below = self.thresholds
        kind = choose(worth, raise_at, fold_below, free=situation.to_call == 0)
        size = self._raise_to(situation, worth) if kind == "raise" else 0
        return action_for(situation, kind, size)

    def utility(self, situation: Situation) -> float:
        """Return the utility of the situation, from 0 to 1."""
        facts = (
            value(situation.hole, situation.board),
            position_share(situation),
            bet_share(situation.to_call, situation.pot),
            stack_share(situation.stacks[situation.position], situation.stacks),
        )
        return utility(facts, self._weights)

    def _raise_to(self, situation: Situation, worth: float) -> int:
        least, most = situation.legal.min_raise, situation.legal.max_raise
        if least is None or most is None:
            return 0
        if self.parameters.min_raise == "bb":
            called = situation.bets[situation.position] + situation.to_call
            least = min(most, called + self.big_blind(situation))
        return raise_amount(worth, self.thresholds.raise_at, least, most)

    def big_blind(self, situation: Situation) -> int:
        """Return the largest blind of this hand in chips.

        It may have risen since the game was announced; it is at least that of the game, because a blind may
        have been posted short.
        """
        return max(situation.big_blind, self._posted)

    def observe(self, event: Event) -> None:
        """Observe the blinds and, for learning, the player's own actions and results."""
        if isinstance(event, HandStarted):
            self._posted = max(event.blinds)
        if not self.parameters.learn_every:
            return
        vector = self._recorder.observe(event)
        if vector is None:
            return
        self.vectors.append(vector)
        self.ledger.add(vector)
        if self.ledger.hands % self.parameters.learn_every == 0:
            self.thresholds = learn(self.thresholds, self.ledger, self.parameters.steps, self.parameters.gap)
            if self.parameters.memory == "window":
                self.ledger = ActionStatistics()


class LearningBot(AdaptiveBot):
    """The adaptive player as it learns in the document's tests (4.3, 6.2): its thresholds move with its
    losses, for as long as nobody asks it to forget.
    """

    Parameters = LearningParameters
