"""The bot ``pushfold``: all-in or fold before the flop, by tables for two players and their effective stack.

In heads-up push/fold games it plays its tables unchanged. Elsewhere it uses our own adaptations:

* the unit of stacks is not the big blind but two thirds of all blinds and antes, which is the same without
  antes;
* several players: a table for one opponent is much too loose against more. To jam with k players left to act,
  the bot uses the table for k times the stack; likewise to call a raise that k players could answer;
* a raise that is not all-in counts as a jam of its size. A hand that would also call an all-in re-raises;
* above ``DEEP`` units, and at limit tables, the jam becomes a raise of three units, or the fixed one, with
  the hands that would jam ``DEEP``;
* where a check is free the bot checks unless it raises. After the flop ``fair`` plays.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.events import Event, HandStarted
from dealer.rules.games import Game
from strategy.baseline.fair import FairBot
from strategy.checks import require_holdem, verify_situation
from strategy.declared import Chances
from strategy.poker.preflop import HAND_CLASSES, hand_class
from strategy.pushfold.files import load_chart, shipped_chart
from strategy.pushfold.parameters import PushFoldParameters
from strategy.situation import Situation

DEEP = 25.0
"""Deeper stacks are not jammed."""
_OPEN = 3
_PLACE = {name: place for place, name in enumerate(HAND_CLASSES)}


class PushFoldBot:
    """Plays hold'em with any number of players. Raises UnplayableGame for other games."""

    def __init__(self, seed: int, game: Game, parameters: PushFoldParameters | None = None) -> None:
        require_holdem("pushfold", game)
        given = parameters.strategy if parameters else ""
        book = load_chart(Path(given)) if given else shipped_chart()
        # Most hands have few distinct stacks, and computing tables takes longer than all else.
        self._pair = lru_cache(maxsize=256)(book.pair)
        self._seed = seed
        self.chances: Chances = {}
        self._unit = _chart_unit(game.blinds, (game.ante,) * game.players)
        self._after = FairBot(seed, game)

    def observe(self, event: Event) -> None:
        """Observe the hand's blinds and antes, which may be higher than the game's."""
        if isinstance(event, HandStarted):
            self._unit = max(self._unit, _chart_unit(event.blinds, event.antes))

    def decide(self, situation: Situation) -> Action:
        """Raise or fold; call a raise; check where it is free. Raises SituationError."""
        verify_situation(situation)
        self.chances = {}
        if situation.street:
            return self._after.decide(situation)
        place = _PLACE[hand_class(situation.hole)]
        words = f"{situation.hand} {situation.hole} {[step[1:] for step in situation.history]}"
        drawn = Random(f"pushfold {self._seed} {words}").random()
        stack, price, crowd = _effective_stack(situation, self._unit)
        stands = FOLD if situation.legal.fold else CALL
        if not situation.raises:
            jams = float(self._pair(min(stack, DEEP) * crowd)[0][place])
            self.chances = self._told(stands, 1 - jams, self._push(situation, stack), jams)
            return self._push(situation, stack) if drawn < jams else stands
        calls = float(self._pair(min(stack, price) * crowd)[1][place])
        again = float(self._pair(stack * crowd)[1][place]) if price < stack else 0.0
        push = self._push(situation, stack) if drawn < calls and drawn < again else CALL
        if not again:
            self.chances = self._told(stands, 1 - calls, CALL, calls)
        return push if drawn < calls else stands

    @staticmethod
    def _told(one: Action, less: float, other: Action, more: float) -> Chances:
        """Return the chances of two actions; empty if they are one."""
        return {} if one == other else {a: p for a, p in ((one, less), (other, more)) if p > 0}

    def _push(self, situation: Situation, stack: float) -> Action:
        """Return an all-in, or the raise that replaces it."""
        least, most = situation.legal.min_raise, situation.legal.max_raise
        if least is None or most is None:
            return CALL
        if situation.raises or stack <= DEEP:
            return raise_to(most)
        return raise_to(min(most, max(least, round(_OPEN * self._unit))))


def _chart_unit(blinds: Sequence[int], antes: Sequence[int]) -> float:
    """Return two thirds of all blinds and antes, at least the largest blind; usually one big blind."""
    return max((sum(blinds) + sum(antes)) * 2 / 3, *blinds, 1)


def _effective_stack(situation: Situation, unit: float) -> tuple[float, float, int]:
    """Return the effective stack and the raise to be answered (0: none), both in units, and the number of
    opponents for the choice of the table.
    """
    own = situation.position
    starts = [left + paid for left, paid in zip(situation.stacks, situation.paid, strict=True)]
    others = [place for place in range(situation.players) if place != own and not situation.folded[place]]
    stack = min(starts[own], max(starts[place] for place in others)) / unit
    price = max(situation.bets) / unit if situation.raises else 0.0
    return stack, price, _count_callers(situation, others)


def _count_callers(situation: Situation, others: list[int]) -> int:
    """Return the number of opponents who have not folded and may still answer a raise now. Facing a raise,
    return instead the number of players who could answer it, the bot included, times the number of opponents
    already in.
    """
    top = max(situation.bets)
    if not situation.raises:
        return max(1, sum(situation.stacks[place] > 0 for place in others))
    after = [step.kind for step in situation.history]
    last = len(after) - 1 - after[::-1].index("raise")
    out_before = {step.seat for step in situation.history[:last] if step.kind == "fold"}
    answering = situation.players - len(out_before) - 1
    matched = sum(situation.bets[place] >= top for place in others)
    return max(1, answering) * max(1, matched)
