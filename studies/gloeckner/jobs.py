"""The work of the study: sessions, and the records of one player's decisions in them.

Decisions are counted in blocks of consecutive deals: a block over all its seatings is a unit of statistics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dealer.match import Session
from dealer.rules.actions import CALL, FOLD, Action, raise_to
from dealer.rules.games import Game
from strategy.baseline.simple import RaiseBot
from strategy.blueprint.blueprint import load_blueprint
from strategy.mapping_bots.bot import MappedBot
from strategy.mapping_bots.bots import Hbb1, Hbb2, Hbb3
from strategy.mapping_bots.histories import histories
from strategy.mapping_bots.mapping import MappedAnswer
from strategy.mapping_bots.spot import make_spot
from strategy.poker.preflop import HAND_CLASSES, hand_class
from strategy.registry import Strategy, create_strategy
from strategy.situation import Situation
from strategy.three_player.bot import Hbb6
from studies.harness.arena import Contest

KINDS = ("fold", "call", "raise")
LOGGED = ("mappings", "unanswered", "seen", "nan")
"""Counts of an analysis: mappings, those without any history with an answer, histories checked for an answer,
and those without one.
"""

NEAR = (0.7, 0.1)
"""Mappings of diagram 2: the mean probability of a raise, and the maximum deviation from it."""

LONGEST = 30
"""Maximum distance that is counted."""

LOOKED_AT = 20
"""Maximum number of histories that pass a filter and are checked for an answer."""

ASKED = ("hbb1", "hbb2", "hbb3", "hbb4", "hbb5")
"""Mappings that are asked at the decisions of hbb6."""

CHANGES = ("nan-fold", "nan-call", "nan-raise", "raise-folds", "raise-once")
"""Players of table 1 that may have been other than ours: mappings that fold, call or raise where the heads-up
strategy has no answer, and a ``raise`` that folds where it may not raise, or raises once a round.
"""

_CLASS = {name: number for number, name in enumerate(HAND_CLASSES)}


def play_session(contest: Contest, session: Session) -> dict[str, Any]:
    """Play a session. ``nets``: chips by hand and seat."""
    return {"nets": contest.play(session).nets}


def count_actions(contest: Contest, session: Session, hero: str, blocks: int) -> dict[str, Any]:
    """Play a session, and count the actions of the player ``hero``.

    ``actions``: by block, number of active players (2, 3), street and kind. ``classes``: by block, class of
    hole cards and kind, the counts of appendix B: before the flop with three active and something to pay.
    """
    watch = _ActionCounter(session.hands, blocks)
    nets = observed_contest(contest, hero, watch).play(session).nets
    return {"nets": nets, "actions": watch.actions.tolist(), "classes": watch.classes.tolist()}


def log_mappings(contest: Contest, session: Session, hero: str, blocks: int) -> dict[str, Any]:
    """Return the log of the mappings of ``hero`` for the analyses of 5.2; see ``_MappingLog``."""
    watch = _MappingLog(session.hands, blocks)
    observed_contest(contest, hero, watch).play(session)
    return watch.result()


def compare_answers(contest: Contest, session: Session, hero: str, blocks: int) -> dict[str, Any]:
    """Play a session of hbb6, and ask the mappings at each of its decisions.

    ``answers``: by block, mapping (``ASKED``), number of active players (2, 3) and street: the number of
    decisions, how far the mapping's chances are from hbb6's (total variation), and how much more it folds,
    calls and raises.
    """
    watch = _AnswerLog(session.hands, blocks)
    observed_contest(contest, hero, watch).play(session)
    return {"answers": watch.answers.tolist()}


class DecisionObserver(Protocol):
    """What is told of each decision of a player."""

    def note(self, bot: Strategy, situation: Situation, action: Action) -> None:
        """Take note of a decision."""
        ...


@dataclass
class _ObservedBot:
    """A player whose decisions are recorded."""

    bot: Strategy
    watch: DecisionObserver

    def decide(self, situation: Situation) -> Action:
        action = self.bot.decide(situation)
        self.watch.note(self.bot, situation, action)
        return action


@dataclass(frozen=True)
class _ObservedContest(Contest):
    """A contest in which one player's decisions are recorded; that player must not be an observing one."""

    hero: str
    observer: DecisionObserver

    def strategies(self, session: Session, game: Game) -> list[Strategy]:
        found = super().strategies(session, game)
        seat = session.players.index(self.hero)
        found[seat] = _ObservedBot(found[seat], self.observer)
        return found


def observed_contest(contest: Contest, hero: str, observer: DecisionObserver) -> Contest:
    """Return the contest with ``observer`` told of all decisions of ``hero``, who must not observe events."""
    return _ObservedContest(contest.division, contest.table, contest.entries, contest.seed, hero, observer)


@dataclass(frozen=True)
class ChangedContest(Contest):
    """The contest with some of its players changed: ``change`` is one of ``CHANGES``."""

    change: str

    def strategies(self, session: Session, game: Game) -> list[Strategy]:
        """Return new strategies for a session, by seat."""
        return [self._changed(bot) for bot in super().strategies(session, game)]

    def _changed(self, bot: Strategy) -> Strategy:
        who, _, action = self.change.partition("-")
        if who == "nan" and isinstance(bot, Hbb1 | Hbb2 | Hbb3):
            return _UnansweredBot(bot, action)
        if who == "raise" and isinstance(bot, RaiseBot):
            return _FoldingRaiser() if action == "folds" else _SingleRaiser()
        return bot


@dataclass
class _UnansweredBot:
    """A mapping that plays one action wherever an answer of the heads-up strategy is missing."""

    bot: MappedBot
    action: str

    def decide(self, situation: Situation) -> Action:
        blueprint = load_blueprint()
        state = blueprint.card_state(situation.hole, situation.board)
        answers = self.bot.answers(situation, make_spot(situation))
        nodes = [int(histories().node[row]) for one in answers for row in one.rows]
        if all(blueprint.reached(node, state) for node in nodes):
            return self.bot.decide(situation)
        if self.action == "fold" and situation.legal.fold:
            return FOLD
        least = situation.legal.min_raise
        return raise_to(least) if self.action == "raise" and least is not None else CALL


class _FoldingRaiser:
    """Raises if it may, otherwise folds."""

    def decide(self, situation: Situation) -> Action:
        least = situation.legal.min_raise
        if least is not None:
            return raise_to(least)
        return FOLD if situation.legal.fold else CALL


class _SingleRaiser:
    """Raises at its first turn of each round, then calls."""

    def __init__(self) -> None:
        self._raised = (-1, -1)

    def decide(self, situation: Situation) -> Action:
        least, now = situation.legal.min_raise, (situation.hand, situation.street)
        if least is None or now == self._raised:
            return CALL
        self._raised = now
        return raise_to(least)


class _ActionCounter:
    def __init__(self, hands: int, blocks: int) -> None:
        self._hands, self._blocks = hands, blocks
        self.actions = np.zeros((blocks, 2, 4, 3), np.int64)
        self.classes = np.zeros((blocks, len(HAND_CLASSES), 3), np.int64)

    def note(self, bot: Strategy, situation: Situation, action: Action) -> None:
        block = situation.hand * self._blocks // self._hands
        kind = KINDS.index(action.kind)
        self.actions[block, situation.opponents - 1, situation.street, kind] += 1
        if situation.street == 0 and situation.opponents == 2 and situation.to_call > 0:
            self.classes[block, _CLASS[hand_class(situation.hole)], kind] += 1


class _AnswerLog:
    def __init__(self, hands: int, blocks: int) -> None:
        self._hands, self._blocks = hands, blocks
        self._bots: list[MappedBot] = []
        self.answers = np.zeros((blocks, len(ASKED), 2, 4, 5))

    def note(self, bot: Strategy, situation: Situation, action: Action) -> None:
        assert isinstance(bot, Hbb6)
        policy = bot.probabilities(situation)
        if policy is None or situation.opponents > 2:
            return
        if not self._bots:
            made = [create_strategy(name, 0, situation.game) for name in ASKED]
            self._bots = [one for one in made if isinstance(one, MappedBot)]
        right = np.array(policy) / sum(policy)
        spot = make_spot(situation)
        block = situation.hand * self._blocks // self._hands
        for number, mapped in enumerate(self._bots):
            more = mapped.probabilities(situation, spot) - right
            self.answers[block, number, situation.opponents - 1, situation.street] += (
                1,
                abs(more).sum() / 2,
                *more,
            )


class _MappingLog:
    """The logs of 5.2, summed by block.

    * ``counts``: as in ``LOGGED``
    * ``variances``: by number of nearest histories, the number of mappings, and the sums of the variances of
      their chances to fold, to call and to raise
    * ``distances``: by distance, for mappings with a mean raise probability as in ``NEAR``: the number of
      histories, and the sum of the deviations of their raise probability from the mean
    """

    def __init__(self, hands: int, blocks: int) -> None:
        self._hands, self._blocks = hands, blocks
        self._counts = np.zeros((blocks, len(LOGGED)), np.int64)
        self._variances: dict[int, NDArray[np.float64]] = {}
        self._distances = np.zeros((blocks, LONGEST + 1, 2))

    def note(self, bot: Strategy, situation: Situation, action: Action) -> None:
        assert isinstance(bot, MappedBot)
        spot = make_spot(situation)
        blueprint = load_blueprint()
        state = blueprint.card_state(situation.hole, situation.board)
        block = situation.hand * self._blocks // self._hands
        for one in bot.answers(situation, spot):
            ranked = bot.mapping.rank(histories(), spot, one.opponent).rows
            nodes = histories().node[ranked[:: 1 + len(ranked) // LOOKED_AT]]
            nan = sum(not blueprint.reached(int(node), state) for node in nodes)
            unanswered = one.skipped == one.available
            self._counts[block] += (1, unanswered, len(nodes), nan)
            if not unanswered:
                self._add(one, block)

    def _add(self, one: MappedAnswer, block: int) -> None:
        rows = self._variances.setdefault(len(one.rows), np.zeros((self._blocks, 4)))
        rows[block] += (1, *one.probabilities.var(axis=0))
        raises = one.probabilities[:, 2]
        middle, width = NEAR
        if abs(raises.mean() - middle) <= width:
            places = np.minimum(one.distances, LONGEST).astype(int)
            np.add.at(self._distances[block, :, 0], places, 1)
            np.add.at(self._distances[block, :, 1], places, abs(raises - raises.mean()))

    def result(self) -> dict[str, Any]:
        """Return the log as JSON values."""
        return {
            "counts": self._counts.tolist(),
            "variances": {str(size): rows.tolist() for size, rows in sorted(self._variances.items())},
            "distances": self._distances.tolist(),
        }
