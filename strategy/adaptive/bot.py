"""The adaptive player of Aceituno 2017."""

from __future__ import annotations

from collections import deque
from typing import ClassVar

from dealer.rules.actions import Action
from dealer.rules.events import Acted, Event, HandStarted
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
from strategy.adaptive.learning import ActionStatistics, HandRecorder, HandVector, Thresholds, learn
from strategy.adaptive.parameters import AdaptiveParameters, LearningParameters
from strategy.adaptive.value import value
from strategy.checks import require_holdem, verify_situation
from strategy.situation import Situation


class AdaptiveBot:
    """Compares a utility, the weighted sum of four facts, with two thresholds that move with its losses.

    ``thresholds`` are the current ones, ``vectors`` the hands since the last update, and ``ledger`` their
    totals. Without ``rising_blinds`` the least raise that it intends is by the big blind of the game, also
    when blinds have risen.
    """

    Parameters: ClassVar[type[AdaptiveParameters]] = AdaptiveParameters

    def __init__(
        self,
        seed: int,
        game: Game,
        parameters: AdaptiveParameters | None = None,
        *,
        rising_blinds: bool = True,
    ) -> None:
        require_holdem("adaptive", game)
        self.parameters = self.Parameters() if parameters is None else parameters
        self.thresholds = Thresholds(self.parameters.raise_at, self.parameters.fold_below)
        self.vectors: deque[HandVector] = deque(maxlen=self.parameters.learn_every)
        self.ledger = ActionStatistics()
        self._weights = self.parameters.weights
        self._recorder = HandRecorder()
        self._rising_blinds = rising_blinds
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
        stacks = situation.stacks
        facts = (
            value(situation.hole, situation.board),
            position_share(situation),
            bet_share(situation.to_call, situation.pot),
            stack_share(stacks[situation.position], stacks),
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
        if isinstance(event, Acted) and event.seat != self._recorder.seat:
            # Most events are such: they must cost little.
            return
        if self._rising_blinds and isinstance(event, HandStarted):
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
